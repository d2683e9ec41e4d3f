// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package gpumem

// Check lets the external tests check a device's books.
var Check = check
