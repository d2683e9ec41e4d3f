// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

// Package growth tells a leak from work that comes and goes, in a program that
// runs: it looks at what is alive at equal points, the ends of steps.
//
// [Watch] a device, call [Detector.Step] at the end of each training step,
// request or epoch, and the detector says when what is alive at the quietest
// moments keeps rising, and at which call sites. Reserved memory plays no part:
// it does not shrink by itself, and that is no leak.
package growth
