// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package testrun_test

import (
	"reflect"
	"strings"
	"testing"

	"github.com/gpumemlint/gpumemlint/internal/testrun"
)

func TestParseFlags(t *testing.T) {
	for _, tt := range []struct {
		line string
		want testrun.Flags
	}{
		{"", testrun.Flags{}},
		{"-race -tags a,b -short", testrun.Flags{Build: []string{"-race=true", "-tags=a,b"}, Test: []string{"-test.short=true"}}},
		{"--race=false -mod vendor", testrun.Flags{Build: []string{"-race=false", "-mod=vendor"}}},
		{"-ldflags=-s -p 3", testrun.Flags{Build: []string{"-ldflags=-s", "-p=3"}}},
		{"-v -count=1 -count 3 -json -vet off -cover -trimpath", testrun.Flags{}},
		{"-run TestA/sub -skip=TestB -parallel 4", testrun.Flags{Run: "TestA/sub", Test: []string{"-test.skip=TestB", "-test.parallel=4"}}},
		{"-bench . -benchtime 1x", testrun.Flags{Test: []string{"-test.bench=.", "-test.benchtime=1x"}, Bench: true}},
		{"-test.short -exec=wine64", testrun.Flags{Test: []string{"-test.short=true"}, Exec: []string{"wine64"}}},
		{"-short -args -race x", testrun.Flags{Test: []string{"-test.short=true"}, Args: []string{"-race", "x"}}},
	} {
		got, err := testrun.ParseFlags(strings.Fields(tt.line))
		if err != nil || !reflect.DeepEqual(got, tt.want) {
			t.Errorf("%q: %+v, %v; want %+v", tt.line, got, err, tt.want)
		}
	}
	for line, want := range map[string]string{
		"./...":           "is no flag of go test",
		"-":               "is no flag of go test",
		"-tags":           "needs a value",
		"-coverprofile=x": "-coverprofile of go test has no place here",
		"-c":              "-c of go test has no place here",
		"-toolexec=x":     "-toolexec of go test has no place here",
		"-timeout 3s":     "give -timeout before the packages",
		"-fuzz .":         "-fuzz of go test has no place here",
		"-parallel many":  "wants a number from 1",
	} {
		if _, err := testrun.ParseFlags(strings.Fields(line)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: error %v, want one with %q", line, err, want)
		}
	}
}

func TestTags(t *testing.T) {
	f, err := testrun.ParseFlags([]string{"-tags=a", "-tags", "b,c"})
	if err != nil || f.Tags() != "b,c" {
		t.Errorf("tags %q, %v; want b,c", f.Tags(), err)
	}
}
