// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package standin

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
)

// ours are the names by which pkg-config knows the libraries whose headers we
// have, with or without a version behind them.
var ours = []string{
	"cuda", "cudart", "cublas", "cublasLt", "cudnn", "cufft", "curand", "cusolver", "cusparse", "nvrtc", "nccl", "nvtx",
	"OpenCL", "opencl", "hip", "hip-runtime-amd", "amdhip64", "hiprtc",
}

var (
	// pkg-config's words, and those of pkgconf, which has taken its place.
	missingPackage = regexp.MustCompile(`Package '?([^' ,]+)'?( was not found|, required by .*, not found)`)
	packageVersion = regexp.MustCompile(`-[0-9][0-9.]*$`)
)

// packageOf returns the package that pkg-config misses, if it is of a library
// whose headers we have.
func packageOf(message string) (string, bool) {
	m := missingPackage.FindStringSubmatch(message)
	if m == nil {
		return "", false
	}
	return m[1], slices.Contains(ours, packageVersion.ReplaceAllString(m[1], ""))
}

// pkgConfig stores a program for the go command to ask in pkg-config's stead.
// It answers nothing for the packages that stand-ins play, since those need
// no flags, and leaves the others to the real one.
func (p *Plan) pkgConfig() (string, error) {
	if runtime.GOOS == "windows" {
		return "", fmt.Errorf("no stand-in for pkg-config on Windows")
	}
	real := os.Getenv("PKG_CONFIG")
	if real == "" {
		real = "pkg-config"
	}
	if path, err := exec.LookPath(real); err == nil {
		real = path
	}
	var script strings.Builder
	script.WriteString("#!/bin/sh\n# Answers for libraries whose headers gpumemlint stands in for.\nflags= rest=\nfor arg in \"$@\"; do\n\tcase $arg in\n")
	fmt.Fprintf(&script, "\t%s) ;;\n\t-*) flags=\"$flags $arg\" ;;\n\t*) rest=\"$rest $arg\" ;;\n\tesac\ndone\n", strings.Join(p.Packages, "|"))
	fmt.Fprintf(&script, "[ -n \"$rest\" ] || exit 0\nexec '%s' $flags $rest\n", strings.ReplaceAll(real, "'", `'\''`))
	path, err := store(p.dir, "pkg-config", []byte(script.String()))
	if err != nil {
		return "", err
	}
	return filepath.Clean(path), os.Chmod(path, 0o777)
}
