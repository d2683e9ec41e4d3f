// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package gpumemtest_test

import (
	"os"
	"testing"

	"github.com/gpumemlint/gpumemlint/runtime/gpumem"
	"github.com/gpumemlint/gpumemlint/runtime/gpumem/simdrv"
	"github.com/gpumemlint/gpumemlint/runtime/gpumemtest"
)

// withStatus is a testing.M whose tests end as the test of VerifyTestMain asks.
type withStatus struct {
	m      *testing.M
	status int
}

func (s withStatus) Run() int { return max(s.m.Run(), s.status) }

func TestMain(m *testing.M) {
	mode := os.Getenv("GPUMEMTEST_MAIN")
	if mode == "" {
		os.Exit(m.Run())
	}
	s := withStatus{m: m}
	d := must(gpumem.Open(simdrv.New(simdrv.Config{}), gpumem.WithTracking(gpumem.TrackStack)))
	if mode != "clean" {
		plantBuffer(d)
	}
	if mode == "fail" {
		s.status = 7
	}
	gpumemtest.VerifyTestMain(s)
}
