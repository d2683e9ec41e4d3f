// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package wrong

import "example.com/dev"

const size = 1 << 20

func frames(n int, show func(*dev.Buf)) {
	for i := 0; i < n; i++ {
		b, err := dev.New(size) // want `device buffer from dev.New is allocated and freed in every iteration: hoist it out of the loop \(GM504\)`
		if err != nil {
			return
		}
		show(b)
		b.Free()
	}
}

func jobs(queue <-chan byte, n int) error {
	for v := range queue {
		b, err := dev.New(2 * n) // want `hoist it out of the loop`
		if err != nil {
			return err
		}
		if err := b.Fill(v); err != nil {
			b.Free()
			return err
		}
		b.Free()
	}
	return nil
}

func literal(values []byte) {
	for _, v := range values {
		func() {
			b, err := dev.New(size) // want `hoist it out of the loop`
			if err != nil {
				return
			}
			defer b.Free()
			b.Fill(v)
		}()
	}
}

type net struct{ width int }

func (m *net) run(values []byte) {
	for _, v := range values {
		b, err := dev.New(m.width * 4) // want `hoist it out of the loop`
		if err != nil {
			continue
		}
		b.Fill(v)
		b.Free()
	}
}

func shaped(values []byte, batch int) {
	for _, v := range values {
		b := dev.NewShaped(batch, 3, 224, 224) // want `hoist it out of the loop`
		b.Fill(v)
		b.Free()
	}
}

func free(b *dev.Buf) { b.Free() }

func helper(values []byte) {
	for _, v := range values {
		b := dev.NewShaped(8) // want `hoist it out of the loop`
		b.Fill(v)
		free(b)
	}
}

func inner(rows [][]byte) {
	for _, row := range rows {
		for _, v := range row {
			b := dev.NewShaped(len(rows)) // want `hoist it out of the loop`
			b.Fill(v)
			b.Free()
		}
	}
}

func resized(lines [][]byte) {
	for _, line := range lines {
		b, err := dev.New(len(line)) // want `device buffer from dev.New is allocated and freed in every iteration, each time in another size: keep one that is large enough, or round the sizes up \(GM504\)`
		if err != nil {
			return
		}
		b.Fill(line[0])
		b.Free()
	}
}
