// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

// Package editors tests that the output of gpumemlint is read by what editors
// read compilers' messages with: the expressions of VS Code, of its Go
// extension, and the error format of Vim's own compiler plugin. docs/editors.md
// shows how they are set up.
package editors
