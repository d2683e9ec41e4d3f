// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package gpumem

import (
	"fmt"
	"math"
	"math/bits"
	"strconv"
	"strings"
)

const mib = int64(1) << 20

// unlimited stands for a size that nothing reaches.
const unlimited = int64(math.MaxInt64)

// divisionIntervals is the number of power-of-two intervals, from 1 MiB to
// 32 GiB and above, that rounding divisions are given for.
const divisionIntervals = 16

// Conf are the settings that PYTORCH_CUDA_ALLOC_CONF can make. The zero value
// is not the default; use DefaultConf or ParseConf.
type Conf struct {
	Text                string  // what was parsed
	MaxSplitSize        int64   // bytes; blocks of this size and above are never split; math.MaxInt64 is none
	MaxNonSplitRounding int64   // bytes by which an oversize block may exceed a request
	LargeSegmentSize    int64   // bytes of a segment for requests between 1 and 10 MiB
	GCThreshold         float64 // fraction of the limit; 0 is off
	Fraction            float64 // per_process_memory_fraction of the device; 0 is unset
	Expandable          bool    // expandable_segments: map memory instead of allocating it
	// RoundupDivisions has, for sizes from 2^(20+i) bytes on, the number of
	// steps between powers of two that sizes are rounded up to; 0 is none.
	RoundupDivisions [divisionIntervals]int64
}

// DefaultConf is what an empty setting means.
func DefaultConf() Conf {
	return Conf{MaxSplitSize: unlimited, MaxNonSplitRounding: 20 * mib, LargeSegmentSize: 20 * mib}
}

// otherOptions are PyTorch's options for things that this package does not
// have: pinned host memory, graph capture, other backends. They are accepted
// so that a setting can be shared, and change nothing.
var otherOptions = map[string]bool{
	"backend": true, "release_lock_on_cudamalloc": true, "release_lock_on_hipmalloc": true,
	"pinned_use_cuda_host_register": true, "pinned_use_hip_host_register": true,
	"pinned_num_register_threads": true, "pinned_use_background_threads": true,
	"pinned_reserve_segment_size_mb": true, "graph_capture_record_stream_reuse": true,
	"throw_on_cudamalloc_oom": true, "expandable_segments_handle_type": true,
}

// ParseConf reads the syntax of PYTORCH_CUDA_ALLOC_CONF: option:value pairs
// separated by commas, such as "max_split_size_mb:64,expandable_segments:True".
func ParseConf(text string) (Conf, error) {
	c := DefaultConf()
	c.Text = text
	p := confParser{tokens: lexConf(text)}
	for !p.done() {
		if err := p.option(&c); err != nil {
			return Conf{}, fmt.Errorf("allocator setting %q: %w", text, err)
		}
		if !p.done() {
			if err := p.expect(","); err != nil {
				return Conf{}, fmt.Errorf("allocator setting %q: %w", text, err)
			}
		}
	}
	return c, nil
}

// lexConf splits text into words and the marks , : [ ]. Spaces mean nothing.
func lexConf(text string) []string {
	var out []string
	var word strings.Builder
	flush := func() {
		if word.Len() > 0 {
			out = append(out, word.String())
			word.Reset()
		}
	}
	for _, r := range text {
		switch r {
		case ',', ':', '[', ']':
			flush()
			out = append(out, string(r))
		case ' ', '\t', '\n', '\r':
		default:
			word.WriteRune(r)
		}
	}
	flush()
	return out
}

type confParser struct {
	tokens []string
	pos    int
}

func (p *confParser) done() bool { return p.pos >= len(p.tokens) }

// next gives the next token, "" at the end.
func (p *confParser) next() string {
	if p.done() {
		return ""
	}
	p.pos++
	return p.tokens[p.pos-1]
}

func (p *confParser) peek() string {
	if p.done() {
		return ""
	}
	return p.tokens[p.pos]
}

func (p *confParser) expect(mark string) error {
	if got := p.next(); got != mark {
		return fmt.Errorf("found %q, want %q", got, mark)
	}
	return nil
}

// option reads one option with its value.
func (p *confParser) option(c *Conf) error {
	name := p.next()
	if err := p.expect(":"); err != nil {
		return fmt.Errorf("after %q: %w", name, err)
	}
	var err error
	switch name {
	case "max_split_size_mb":
		c.MaxSplitSize, err = p.megabytes(20)
	case "max_non_split_rounding_mb":
		c.MaxNonSplitRounding, err = p.megabytes(20)
	case "large_segment_size_mb":
		c.LargeSegmentSize, err = p.megabytes(20)
	case "garbage_collection_threshold":
		c.GCThreshold, err = p.fraction(1, false)
	case "per_process_memory_fraction":
		c.Fraction, err = p.fraction(1, true)
	case "expandable_segments":
		c.Expandable, err = p.boolean()
	case "roundup_power2_divisions":
		err = p.divisions(&c.RoundupDivisions)
	default:
		if !otherOptions[name] {
			return fmt.Errorf("unknown option %q", name)
		}
		p.next()
	}
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

func (p *confParser) integer() (int64, error) {
	s := p.next()
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil || n < 0 {
		return 0, fmt.Errorf("%q is not a whole number", s)
	}
	return n, nil
}

func (p *confParser) megabytes(least int64) (int64, error) {
	n, err := p.integer()
	if err != nil {
		return 0, err
	}
	if n < least {
		return 0, fmt.Errorf("%d is too small, the least is %d", n, least)
	}
	return min(n, unlimited/mib) * mib, nil
}

// fraction reads a number above 0 and below (or, if closed, up to) top.
func (p *confParser) fraction(top float64, closed bool) (float64, error) {
	s := p.next()
	f, err := strconv.ParseFloat(s, 64)
	if err != nil || !(f > 0) || f > top || f == top && !closed {
		return 0, fmt.Errorf("%q is not a fraction between 0 and %g", s, top)
	}
	return f, nil
}

func (p *confParser) boolean() (bool, error) {
	switch s := p.next(); s {
	case "True":
		return true, nil
	case "False":
		return false, nil
	default:
		return false, fmt.Errorf("%q is neither True nor False", s)
	}
}

// divisions reads one number for all sizes, or a list [256:1,512:2,>:8] of
// sizes in MiB with the number of steps for each; > is every larger size.
func (p *confParser) divisions(d *[divisionIntervals]int64) error {
	if p.peek() != "[" {
		n, err := p.power2(false)
		for i := range d {
			d[i] = n
		}
		return err
	}
	p.next()
	first, last := true, 0
	for p.peek() != "]" {
		if p.done() {
			return fmt.Errorf("the list has no end")
		}
		more := p.peek() == ">"
		bound := int64(1)
		var err error
		if more {
			p.next()
		} else if bound, err = p.power2(false); err != nil {
			return err
		}
		if err := p.expect(":"); err != nil {
			return err
		}
		steps, err := p.power2(true)
		if err != nil {
			return err
		}
		if more {
			for i := last + 1; i < len(d); i++ {
				d[i] = steps
			}
		} else {
			i := min(bits.Len64(uint64(bound))-1, len(d)-1)
			if first { // sizes below the first bound are treated like it
				for j := 0; j < i; j++ {
					d[j] = steps
				}
				first = false
			}
			d[i], last = steps, i
		}
		if p.peek() != "]" {
			if err := p.expect(","); err != nil {
				return err
			}
		}
	}
	p.next()
	return nil
}

// power2 reads a power of two, or 0 where that is allowed.
func (p *confParser) power2(zero bool) (int64, error) {
	n, err := p.integer()
	if err != nil {
		return 0, err
	}
	if n&(n-1) != 0 || n == 0 && !zero {
		return 0, fmt.Errorf("%d is not a power of two", n)
	}
	return n, nil
}
