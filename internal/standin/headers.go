// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package standin

import (
	"embed"
	"io/fs"
	"path/filepath"
)

// headers declare the types and functions of libraries under the names of
// their real headers. They are written for this purpose, from the
// libraries' documentation, and serve for reading code only: values of
// constants and sizes of structures are not those of any release.
//
//go:embed include
var headers embed.FS

// writeHeaders stores the headers below dir and returns the folder to search.
// Its name depends on their content, since the go command's cache does not
// look into headers outside a package.
func writeHeaders(dir string) (string, error) {
	var all []byte
	files := map[string][]byte{}
	err := fs.WalkDir(headers, "include", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := headers.ReadFile(path)
		files[path] = data
		all = append(append(append(all, path...), 0), data...)
		return err
	})
	if err != nil {
		return "", err
	}
	root := filepath.Join(dir, hash(all))
	for path, data := range files {
		to := filepath.Join(root, filepath.FromSlash(path))
		if err := writeFile(to, data); err != nil {
			return "", err
		}
	}
	return filepath.Join(root, "include"), nil
}
