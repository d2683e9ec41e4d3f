// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/gpumemlint/gpumemlint/runtime/gpumem"
	"github.com/gpumemlint/gpumemlint/runtime/nvml"
	"github.com/gpumemlint/gpumemlint/runtime/status"
)

// style is how a table looks.
type style struct {
	color bool
	width int // columns; lines are cut there
	live  bool
}

// Colours. The driver's view has one only: how much of a device is in use says
// nothing, since allocators keep what they once got.
const (
	plain  = ""
	bold   = "1"
	dim    = "2"
	red    = "31"
	green  = "32"
	yellow = "33"
	cyan   = "36"
)

func (st style) paint(code, text string) string {
	if !st.color || code == plain {
		return text
	}
	return "\x1b[" + code + "m" + text + "\x1b[0m"
}

// level colours a share of the limit like the alert rules: 80 and 95 per cent.
func level(share float64) string {
	switch {
	case share > 0.95:
		return red
	case share > 0.80:
		return yellow
	}
	return green
}

const barWidth = 20

// bar draws shares of a whole: each part with its own rune.
func (st style) bar(parts []float64, runes []rune, code string) string {
	var b strings.Builder
	drawn := 0
	at := 0.0
	for i, p := range parts {
		at += max(p, 0)
		for ; drawn < barWidth && float64(drawn)+0.5 <= at*barWidth; drawn++ {
			b.WriteRune(runes[i])
		}
	}
	return "[" + st.paint(code, b.String()) + strings.Repeat("·", barWidth-drawn) + "]"
}

// row is a line in two columns; without colour codes in its width.
type row struct{ left, right string }

// table draws a moment: for each GPU the driver's view and, beside it, those of
// the programs' allocators, then processes, then call sites.
func table(s *moment, st style) []string {
	head := "gpumem top  " + s.Time.Format("15:04:05")
	if s.Driver != "" {
		head += "  driver " + clean(s.Driver)
	}
	if st.live {
		head += "  (q quits)"
	}
	lines := []string{st.paint(bold, head), ""}
	if s.DriverError != "" {
		lines = append(lines, st.paint(yellow, "no driver's view: "+clean(s.DriverError)), "")
	}
	var rows []row
	shown := map[*status.Device]bool{}
	for i := range s.Devices {
		d := &s.Devices[i]
		rows = append(rows, st.device(fmt.Sprintf("GPU %d", d.Index), d, s, shown)...)
		for k := range d.Instances {
			p := &d.Instances[k]
			rows = append(rows, st.device(fmt.Sprintf("MIG %d.%d", d.Index, p.Index), p, s, shown)...)
		}
	}
	lines = append(lines, st.columns(rows)...)
	lines = append(lines, st.unknown(s, shown)...)
	lines = append(lines, st.processes(s)...)
	lines = append(lines, st.sites(s)...)
	for i := range lines {
		lines[i] = cut(lines[i], st.width)
	}
	return lines
}

// device gives a GPU's rows.
func (st style) device(name string, d *nvml.Device, s *moment, shown map[*status.Device]bool) []row {
	left := []string{st.paint(bold, name+" "+clean(d.Name))}
	m := d.Memory
	total := float64(max(m.Total, 1))
	left = append(left, fmt.Sprintf("%s %v of %v", st.bar([]float64{float64(m.Used) / total}, []rune{'█'}, cyan), gpumem.Bytes(m.Used), gpumem.Bytes(m.Total)))
	var facts []string
	if m.Reserved > 0 {
		facts = append(facts, gpumem.Bytes(m.Reserved).String()+" kept by the driver")
	}
	if d.Utilization >= 0 {
		facts = append(facts, fmt.Sprintf("busy %d %%", d.Utilization))
	}
	if d.Temperature >= 0 {
		facts = append(facts, fmt.Sprintf("%d °C", d.Temperature))
	}
	if len(facts) > 0 {
		left = append(left, strings.Join(facts, ", "))
	}
	var right []string
	reserved := int64(0)
	for i := range s.Programs {
		if s.Programs[i].Status == nil {
			continue
		}
		for k := range s.Programs[i].Status.Devices {
			a := &s.Programs[i].Status.Devices[k]
			if bare(a.UUID) != bare(d.UUID) {
				continue
			}
			shown[a] = true
			reserved += a.Reserved
			right = append(right, st.allocator(s.Programs[i].Status, a)...)
		}
	}
	if len(right) > 0 {
		right = append(right, fmt.Sprintf("outside these allocators: %v", gpumem.Bytes(max(m.Used-reserved, 0))))
	}
	var rows []row
	for i := range max(len(left), len(right)) {
		var r row
		if i < len(left) {
			r.left = left[i]
		}
		if i < len(right) {
			r.right = right[i]
		}
		rows = append(rows, r)
	}
	return append(rows, row{})
}

// allocator gives the lines of one program's view of a device.
func (st style) allocator(p *status.Program, a *status.Device) []string {
	limit := a.Limit
	if limit == 0 {
		limit = a.Total
	}
	whole := float64(max(limit, 1))
	share := float64(a.Allocated) / whole
	return []string{
		st.paint(bold, fmt.Sprintf("%s (%d)", clean(p.Name), p.PID)),
		fmt.Sprintf("%s %v allocated of %v", st.bar([]float64{share, float64(a.Reserved-a.Allocated) / whole}, []rune{'█', '░'}, level(share)),
			gpumem.Bytes(a.Allocated), gpumem.Bytes(limit)),
		fmt.Sprintf("%v reserved, peak %v, %d live%s", gpumem.Bytes(a.Reserved), gpumem.Bytes(a.PeakAllocated), a.Live, trouble(a)),
	}
}

// trouble names the counters that should be 0.
func trouble(a *status.Device) (out string) {
	for _, c := range []struct {
		n    int64
		name string
	}{{a.Retries, "retries"}, {a.OOMs, "out of memory"}, {a.Rescued, "rescued by GC"}} {
		if c.n > 0 {
			out += fmt.Sprintf(", %d %s", c.n, c.name)
		}
	}
	return out
}

// bare is a UUID without what says which kind of device has it.
func bare(uuid string) string {
	return strings.TrimPrefix(strings.TrimPrefix(uuid, "GPU-"), "MIG-")
}

// columns puts both views side by side, or below each other where the terminal
// is narrow.
func (st style) columns(rows []row) []string {
	if len(rows) == 0 {
		return nil
	}
	const leftWidth, narrow = 58, 100
	var lines []string
	if st.width < narrow {
		for _, r := range rows {
			lines = append(lines, r.left)
			if r.right != "" {
				lines = append(lines, "    "+r.right)
			}
		}
		return lines
	}
	lines = append(lines, st.paint(dim, pad("driver's view", leftWidth)+"allocator's view"))
	for _, r := range rows {
		lines = append(lines, strings.TrimRight(pad(cut(r.left, leftWidth-1), leftWidth)+r.right, " "))
	}
	return lines
}

// unknown shows devices that the driver does not have, such as simulated ones,
// and programs that do not answer.
func (st style) unknown(s *moment, shown map[*status.Device]bool) (lines []string) {
	for i := range s.Programs {
		p := &s.Programs[i]
		if p.Status == nil {
			lines = append(lines, st.paint(yellow, clean(p.Error)), "")
			continue
		}
		if len(p.Status.Devices) == 0 {
			lines = append(lines, fmt.Sprintf("%s (%d) has no device open", clean(p.Status.Name), p.Status.PID), "")
		}
		for k := range p.Status.Devices {
			a := &p.Status.Devices[k]
			if shown[a] {
				continue
			}
			text := st.allocator(p.Status, a)
			text[0] += fmt.Sprintf(" on device %d, %s", a.Ordinal, clean(a.Name))
			lines = append(append(lines, text...), "")
		}
	}
	return lines
}

// processes lists who uses the GPUs, as the driver sees it.
func (st style) processes(s *moment) []string {
	var lines []string
	list := func(name string, d *nvml.Device) {
		for _, p := range d.Processes {
			used := "not told"
			if p.Used >= 0 {
				used = gpumem.Bytes(p.Used).String()
			}
			lines = append(lines, fmt.Sprintf("%-8s %8d  %12s  %s", name, p.PID, used, clean(p.Name)))
		}
	}
	for i := range s.Devices {
		d := &s.Devices[i]
		if !d.MIG {
			list(fmt.Sprintf("GPU %d", d.Index), d)
		}
		for k := range d.Instances {
			list(fmt.Sprintf("MIG %d.%d", d.Index, d.Instances[k].Index), &d.Instances[k])
		}
	}
	if len(lines) == 0 {
		return nil
	}
	return append(append([]string{st.paint(dim, fmt.Sprintf("%-8s %8s  %12s  %s", "device", "pid", "uses", "process"))}, lines...), "")
}

// sites lists the call sites, those that rise first.
func (st style) sites(s *moment) []string {
	var lines []string
	for i := range s.Programs {
		prog := s.Programs[i].Status
		for _, g := range s.Programs[i].Growth {
			whose := ""
			if prog != nil && len(prog.Devices) > 1 && g.Device < len(prog.Devices) {
				whose = fmt.Sprintf("  on device %d", prog.Devices[g.Device].Ordinal)
			}
			if prog != nil && len(s.Programs) > 1 {
				whose += fmt.Sprintf("  (%s %d)", clean(prog.Name), prog.PID)
			}
			mark, code := " ", plain
			if g.Rising {
				mark, code = "↑", red
			}
			lines = append(lines, st.paint(code, fmt.Sprintf("%s %12v %8d %14s %8s  %s", mark, gpumem.Bytes(g.Bytes), g.Count,
				signedBytes(int64(g.BytesPerMinute))+"/min", fmt.Sprintf("%+d", g.CountGrowth), clean(g.Site)+whose)))
		}
	}
	if len(lines) == 0 {
		return nil
	}
	return append([]string{st.paint(dim, fmt.Sprintf("  %12s %8s %14s %8s  %s", "in use", "buffers", "growth", "buffers", "call site"))}, lines...)
}

func signedBytes(n int64) string {
	if n < 0 {
		return gpumem.Bytes(n).String()
	}
	return "+" + gpumem.Bytes(n).String()
}

// clean makes text of other processes harmless for a terminal.
func clean(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return '?'
	}, text)
}

// pad fills text up to width columns; colour codes take none.
func pad(text string, width int) string {
	return text + strings.Repeat(" ", max(width-columnsOf(text), 0))
}

// columnsOf is the number of runes that are shown.
func columnsOf(text string) (n int) {
	for len(text) > 0 {
		if code := colorCode(text); code > 0 {
			text = text[code:]
			continue
		}
		_, size := utf8.DecodeRuneInString(text)
		text = text[size:]
		n++
	}
	return n
}

// colorCode is the length of the colour code that text begins with.
func colorCode(text string) int {
	if !strings.HasPrefix(text, "\x1b[") {
		return 0
	}
	return strings.IndexByte(text, 'm') + 1
}

// cut shortens text to width columns and ends a colour that it cut off.
func cut(text string, width int) string {
	if width <= 0 || columnsOf(text) <= width {
		return text
	}
	n, colored := 0, false
	for i := 0; i < len(text); {
		if code := colorCode(text[i:]); code > 0 {
			colored = !strings.HasPrefix(text[i:], "\x1b[0m")
			i += code
			continue
		}
		if n == width-1 {
			end := ""
			if colored {
				end = "\x1b[0m"
			}
			return text[:i] + "…" + end
		}
		_, size := utf8.DecodeRuneInString(text[i:])
		i += size
		n++
	}
	return text
}
