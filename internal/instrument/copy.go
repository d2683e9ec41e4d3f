// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package instrument

import (
	"context"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// linkAbove is the size from which files are linked rather than copied: the
// native libraries and models that some modules carry.
const linkAbove = 256 << 10

// copyModule copies a module of the module cache, with the changed files in
// their new form. A folder that replaces a module must have a go.mod, which old modules lack.
func copyModule(ctx context.Context, m *module, to string, changed map[string][]byte) error {
	err := filepath.WalkDir(m.Dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		rel, err := filepath.Rel(m.Dir, path)
		if err != nil {
			return err
		}
		target := filepath.Join(to, rel)
		switch {
		case d.IsDir():
			return os.MkdirAll(target, 0o777)
		case changed[path] != nil:
			return writeFile(target, changed[path])
		case !d.Type().IsRegular():
			return nil // the module cache has no others
		}
		return copyFile(path, target, d)
	})
	if err != nil {
		return err
	}
	gomod := filepath.Join(to, "go.mod")
	if _, err := os.Stat(gomod); err == nil {
		return nil
	}
	data := []byte("module " + m.Path + "\n")
	if m.GoMod != "" {
		if given, err := os.ReadFile(m.GoMod); err == nil {
			data = given
		}
	}
	return writeFile(gomod, data)
}

func copyFile(from, to string, d fs.DirEntry) error {
	if info, err := d.Info(); err == nil && info.Size() > linkAbove && os.Link(from, to) == nil {
		return nil
	}
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.Create(to)
	if err != nil {
		return err
	}
	if _, err := io.Copy(out, in); err != nil {
		out.Close()
		return err
	}
	return out.Close()
}

// writeFile writes a file of the temporary folder.
func writeFile(name string, data []byte) error {
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		return fmt.Errorf("write into the temporary folder: %w", err)
	}
	if err := os.WriteFile(name, data, 0o666); err != nil {
		return fmt.Errorf("write into the temporary folder: %w", err)
	}
	return nil
}
