// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

// Package drivers holds a test and no code: it runs the same corpus through
// every driver that can be had here and compares what they report. go vet
// hands facts from process to process in files, go/analysis/checker (the way
// of golangci-lint) keeps them in memory, and the stand-alone command reads
// vet's JSON; a finding that only one of them makes is a defect.
package drivers
