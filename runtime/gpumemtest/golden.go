// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package gpumemtest

import (
	"bufio"
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/gpumemlint/gpumemlint/runtime/gpumem"
)

// updateFlag is named for the package, since many tests have an -update of
// their own, which Golden honours too.
var updateFlag = flag.Bool("gpumem.update", false, "rewrite the memory budgets that gpumemtest.Golden reads")

func updating() bool {
	f := flag.Lookup("update")
	return *updateFlag || f != nil && f.Value.String() == "true"
}

// budget is one line of a budget file. Sizes have a tolerance, counts have none.
type budget struct {
	name  string
	value int64
	size  bool
}

// budgets reads the numbers that a budget file holds.
func budgets(d *gpumem.Device) []budget {
	var s gpumem.Stats
	d.ReadStats(&s)
	return []budget{
		{"peak_allocated_bytes", s.AllocatedBytes.All.Peak, true},
		{"peak_reserved_bytes", s.ReservedBytes.All.Peak, true},
		{"live_bytes", s.AllocatedBytes.All.Current, true},
		{"live_allocations", s.Allocation.All.Current, false},
		{"allocations", s.Allocation.All.Allocated, false},
		{"driver_allocations", s.NumDeviceAlloc, false},
	}
}

// Golden holds the device to the memory budget in file: its peaks, what is
// alive now, and how often it was asked. More than the budget fails the test,
// sizes by more than [Tolerance], and the message has the functions that account
// for it; less is logged, so that the budget can be lowered. go test -gpumem.update writes the file, as does a flag -update that
// the test itself defines.
func Golden(t testing.TB, file string, d *gpumem.Device, opts ...Option) {
	t.Helper()
	now := budgets(d)
	if updating() {
		if err := writeBudgets(file, now, siteBudgets(d)); err != nil {
			t.Fatalf("gpumemtest: memory budget: %v", err)
		}
		return
	}
	want, sites, err := readBudgets(file)
	if errors.Is(err, fs.ErrNotExist) {
		t.Errorf("gpumemtest: there is no memory budget %s; run go test -gpumem.update to write it", file)
		return
	}
	if err != nil {
		t.Errorf("gpumemtest: memory budget: %v", err)
		return
	}
	tolerance := newConfig(opts).tolerance
	for _, b := range now {
		limit, ok := want[b.name]
		switch {
		case !ok:
			t.Errorf("%s: no line for %s; run go test -gpumem.update", file, b.name)
		case b.value > limit && (!b.size || b.value-limit > tolerance):
			t.Errorf("%s: %s is %d, over the budget of %d by %d%s", file, b.name, b.value, limit, b.value-limit, explain(d, b, sites))
		case b.value < limit:
			t.Logf("%s: %s is %d, %d under the budget; go test -gpumem.update lowers it", file, b.name, b.value, limit-b.value)
		}
	}
}

func writeBudgets(file string, now []budget, sites map[string]siteBudget) error {
	var b bytes.Buffer
	b.WriteString("# GPU memory budget; go test -gpumem.update rewrites it\n")
	for _, l := range now {
		fmt.Fprintf(&b, "%s %d\n", l.name, l.value)
	}
	writeSites(&b, sites)
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return err
	}
	return os.WriteFile(file, b.Bytes(), 0o644)
}

// readBudgets reads a budget file; sites is nil where it has none, as files of
// earlier versions.
func readBudgets(file string) (out map[string]int64, sites map[string]siteBudget, err error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, nil, err
	}
	defer f.Close()
	out = map[string]int64{}
	sc := bufio.NewScanner(f)
	for line := 1; sc.Scan(); line++ {
		text := strings.TrimSpace(sc.Text())
		if text == "" || text[0] == '#' {
			continue
		}
		name, number, _ := strings.Cut(text, " ")
		if name == "site" {
			function, s, ok := readSite(number)
			if !ok {
				return nil, nil, fmt.Errorf("%s:%d: want site, three numbers and a function, have %q", file, line, text)
			}
			if sites == nil {
				sites = map[string]siteBudget{}
			}
			sites[function] = s
			continue
		}
		v, err := strconv.ParseInt(strings.TrimSpace(number), 10, 64)
		if err != nil {
			return nil, nil, fmt.Errorf("%s:%d: want a name and a number, have %q", file, line, text)
		}
		out[name] = v
	}
	return out, sites, sc.Err()
}
