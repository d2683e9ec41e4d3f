// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package wrong

import "example.com/dev"

func returned(n int) []byte {
	buf, err := dev.New(n)
	if err != nil {
		return nil
	}
	defer buf.Free()
	v := buf.View()
	return v // want `what Buf.View \(line \d+\) gave out is returned, but the deferred Buf.Free has freed the device buffer from dev.New \(line \d+\) under it by then: copy it \(GM303\)`
}

func read(n int) (byte, error) {
	buf, err := dev.New(n)
	if err != nil {
		return 0, err
	}
	v := buf.View()
	buf.Free()
	return v[0], nil // want `what Buf.View \(line \d+\) gave out is used after`
}

func part(buf *dev.Buf) int {
	p := buf.Part(1)
	buf.Free()
	return p.Len() // want `what Buf.Part \(line \d+\) gave out is used by Buf.Len after the device buffer in buf under it was freed`
}

func text(buf *dev.Buf) string {
	v := buf.View()
	buf.Free()
	return string(v) // want `gave out is used`
}

func appended(buf *dev.Buf, out []byte) []byte {
	v := buf.View()
	buf.Free()
	return append(out, v...) // want `gave out is used`
}

func async(dst, src *dev.Buf, s *dev.Stream) error {
	if err := dev.CopyAsync(dst, src, s); err != nil {
		return err
	}
	src.Free() // want `device buffer in src is freed while dev.CopyAsync \(line \d+\) may still use it: synchronize its stream first`
	return s.Wait()
}

func asyncDefer(n int, dst *dev.Buf, s *dev.Stream) error {
	src, err := dev.New(n)
	if err != nil {
		return err
	}
	defer src.Free() // want `is freed while dev.CopyAsync`
	return dev.CopyAsync(dst, src, s)
}

func otherStream(n int, dst *dev.Buf, s, other *dev.Stream) error {
	src, err := dev.New(n)
	if err != nil {
		return err
	}
	defer src.Free() // want `is freed while dev.CopyAsync`
	if err := dev.CopyAsync(dst, src, s); err != nil {
		return err
	}
	return other.Wait()
}

func desc(buf *dev.Buf) error {
	d := dev.NewDesc(buf)
	buf.Free()
	return d.Run() // want `what dev.NewDesc \(line \d+\) gave out is used by Desc.Run, but the device buffer in buf that it refers to was freed`
}

type cache struct{ data []byte }

func (c *cache) keep(n int) error {
	buf, err := dev.New(n)
	if err != nil {
		return err
	}
	defer buf.Free()
	c.data = buf.View() // want `is kept beyond this function`
	return nil
}
