// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

// Package drivers holds tests and no code: it runs one corpus, all that the
// repository keeps for linting, through every driver that can be had here and
// compares what they report. go vet hands facts from process to process in
// files, golangci-lint keeps them in memory, nogo sees one package at a time,
// and the stand-alone command reads vet's JSON; a finding that only one of
// them makes is a defect, or a difference that docs/drivers.md permits.
package drivers
