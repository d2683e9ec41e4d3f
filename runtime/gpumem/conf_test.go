// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package gpumem

import (
	"strings"
	"testing"
)

func TestParseConf(t *testing.T) {
	c, err := ParseConf("max_split_size_mb:40, max_non_split_rounding_mb:30,garbage_collection_threshold:0.5," +
		"roundup_power2_divisions:[64:8,128:2,256:4,512:2,1024:4,>:1],expandable_segments:True,backend:native," +
		"pinned_num_register_threads:4,large_segment_size_mb:32")
	if err != nil {
		t.Fatal(err)
	}
	if c.MaxSplitSize != 40*mib || c.MaxNonSplitRounding != 30*mib || c.GCThreshold != 0.5 || !c.Expandable || c.LargeSegmentSize != 32*mib {
		t.Errorf("%+v", c)
	}
	for mb, want := range map[int64]int64{1: 8, 32: 8, 64: 8, 128: 2, 256: 4, 512: 2, 1024: 4, 2048: 1, 8192: 1} {
		if got := c.divisionsFor(mb * mib); got != want {
			t.Errorf("%d MiB has %d divisions, want %d", mb, got, want)
		}
	}
	if c, err = ParseConf(""); err != nil || c != DefaultConf() {
		t.Errorf("empty: %+v, %v", c, err)
	}
}

func TestParseConfMistakes(t *testing.T) {
	for text, want := range map[string]string{
		"max_split_size_mb":                  `after "max_split_size_mb": found "", want ":"`,
		"max_split_size_mb:19":               "19 is too small, the least is 20",
		"max_split_size_mb:x":                `"x" is not a whole number`,
		"garbage_collection_threshold:1":     `"1" is not a fraction between 0 and 1`,
		"expandable_segments:yes":            `"yes" is neither True nor False`,
		"roundup_power2_divisions:3":         "3 is not a power of two",
		"roundup_power2_divisions:[256:1":    "",
		"roundup_power2_divisions:[256:1,":   "the list has no end",
		"max_split_size_md:40":               `unknown option "max_split_size_md"`,
		"max_split_size_mb:40 backend:x":     "",
		"expandable_segments:True,,":         "",
		"roundup_power2_divisions:[5:1,>:2]": "5 is not a power of two",
	} {
		_, err := ParseConf(text)
		if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "allocator setting") {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}

func TestRounding(t *testing.T) {
	plain, four := DefaultConf(), DefaultConf()
	for i := range four.RoundupDivisions {
		four.RoundupDivisions[i] = 4
	}
	for _, c := range []struct{ n, plain, four int64 }{
		{0, 512, 512}, {1, 512, 512}, {513, 1024, 1024}, {1200, 1536, 1536}, {2049, 2560, 2560},
		{3000, 3072, 3072}, {4097, 4608, 5120}, {mib + 1, mib + 512, mib + mib/4}, {8 * mib, 8 * mib, 8 * mib},
		{7*mib + 1, 7*mib + 512, 8 * mib},
	} {
		if got := plain.roundSize(c.n); got != c.plain {
			t.Errorf("%d is rounded to %d, want %d", c.n, got, c.plain)
		}
		if got := four.roundSize(c.n); got != c.four {
			t.Errorf("%d is rounded to %d with 4 divisions, want %d", c.n, got, c.four)
		}
	}
	if got := roundDivision(1200, 4); got != 1280 {
		t.Errorf("1200 in 4 steps is %d, want 1280", got)
	}
	for n, want := range map[int64]int64{100: 2 * mib, mib: 2 * mib, mib + 1: 20 * mib, 10*mib - 512: 20 * mib, 10 * mib: 10 * mib, 11*mib + 1: 12 * mib} {
		if got := plain.SegmentSize(n); got != want {
			t.Errorf("the segment for %d is %d, want %d", n, got, want)
		}
	}
}

// FuzzParseConf wants no text to do more than fail.
func FuzzParseConf(f *testing.F) {
	f.Add("roundup_power2_divisions:[64:8,>:2],max_split_size_mb:64")
	f.Add("[[,,::")
	f.Fuzz(func(t *testing.T, text string) {
		c, err := ParseConf(text)
		if err != nil {
			return
		}
		for _, n := range []int64{1, 512, 513, 1 << 20, 1<<30 + 1} {
			if r := c.roundSize(n); r < n || r > 2*n+minBlock {
				t.Fatalf("%q rounds %d to %d", text, n, r)
			}
		}
	})
}
