// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package right

import (
	"runtime"
	"slices"

	"example.com/dev"
)

func returned(n int) []byte {
	buf, err := dev.New(n)
	if err != nil {
		return nil
	}
	defer buf.Free()
	return slices.Clone(buf.View())
}

func copied(n int) []byte {
	buf, err := dev.New(n)
	if err != nil {
		return nil
	}
	defer buf.Free()
	out := make([]byte, n)
	copy(out, buf.View())
	return out
}

func read(n int) (byte, error) {
	buf, err := dev.New(n)
	if err != nil {
		return 0, err
	}
	v := buf.View()
	b := v[0]
	buf.Free()
	return b, nil
}

func text(buf *dev.Buf) string {
	s := string(buf.View())
	buf.Free()
	return s
}

func appended(buf *dev.Buf) []byte {
	out := append([]byte(nil), buf.View()...)
	buf.Free()
	return out
}

func part(buf *dev.Buf) int {
	p := buf.Part(1)
	n := p.Len()
	buf.Free()
	return n
}

func async(dst, src *dev.Buf, s *dev.Stream) error {
	if err := dev.CopyAsync(dst, src, s); err != nil {
		src.Free() // the copy did not start
		return err
	}
	err := s.Wait()
	src.Free()
	return err
}

func asyncDefer(n int, dst *dev.Buf, s *dev.Stream) error {
	src, err := dev.New(n)
	if err != nil {
		return err
	}
	defer src.Free()
	defer s.Wait()
	return dev.CopyAsync(dst, src, s)
}

func drain(s *dev.Stream) { s.Wait() }

func asyncHelper(dst, src *dev.Buf, s *dev.Stream) error {
	if err := dev.CopyAsync(dst, src, s); err != nil {
		return err
	}
	drain(s)
	src.Free()
	return nil
}

func desc(buf *dev.Buf) error {
	d := dev.NewDesc(buf)
	err := d.Run()
	buf.Free()
	return err
}

func keepAlive(buf *dev.Buf) {
	v := buf.View()
	_ = v
	buf.Free()
	runtime.KeepAlive(v)
}

type owner struct {
	buf  *dev.Buf
	data []byte
}

func newOwner(n int) (*owner, error) {
	buf, err := dev.New(n)
	if err != nil {
		return nil, err
	}
	return &owner{buf, buf.View()}, nil // both live as long as the owner
}

func (o *owner) Close() { o.buf.Free() }

func downloaded(dst, src *dev.Buf, s *dev.Stream, host []byte) error {
	if err := dev.CopyAsync(dst, src, s); err != nil {
		return err
	}
	dst.Download(host) // behind all that came before
	return src.Free()
}
