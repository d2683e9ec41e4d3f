// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package cudadrv

// ParseMeminfo is for the test.
var ParseMeminfo = parseMeminfo
