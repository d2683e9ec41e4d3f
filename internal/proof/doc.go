// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

// Package proof joins what the linter claims with what the ledgers of test
// runs show: a verdict for each finding, and findings of its own for leaks
// that only the runs showed.
//
// It runs nothing. A Case is told of runs one by one, says which further
// runs it wants (again, to tell a leak from what is made once; with a call
// failing, for an error path), and at the end what it makes of all of them.
// Doubt is never a confirmation: a leak of a test is not charged to the
// function under test, and what is held once for all tests is no leak.
package proof
