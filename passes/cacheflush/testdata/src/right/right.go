// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package right

import (
	"errors"
	"log"
	"testing"
	"time"

	"example.com/dev"
)

func after(m *dev.Model, batches [][]float32) error {
	for _, b := range batches {
		if err := m.Run(b); err != nil {
			return err
		}
	}
	dev.EmptyCache()
	return nil
}

func retry(m *dev.Model, b []float32) error {
	var err error
	for try := 0; try < 100; try++ {
		if err = m.Run(b); err == nil {
			return nil
		}
		dev.EmptyCache()
	}
	return err
}

func onFailure(m *dev.Model, batches [][]float32) {
	for _, b := range batches {
		if err := m.Run(b); errors.Is(err, dev.ErrOutOfMemory) {
			dev.EmptyCache()
			m.Run(b)
		}
	}
}

func isOOM(err error) bool { return errors.Is(err, dev.ErrOutOfMemory) }

func untilItFits(n int) *dev.Buf {
	for {
		b, err := dev.New(n)
		if err == nil {
			return b
		}
		if !isOOM(err) {
			return nil
		}
		dev.EmptyCache()
		n /= 2
	}
}

func untilNotNil(n int, alloc func(int) *dev.Buf) *dev.Buf {
	for {
		if b := alloc(n); b != nil {
			return b
		}
		dev.EmptyCache()
	}
}

func untilOK(n int, alloc func(int) (*dev.Buf, bool)) *dev.Buf {
	for {
		if b, ok := alloc(n); ok {
			return b
		}
		dev.EmptyCache()
	}
}

func afterPanic(m *dev.Model, batches [][]float32) {
	for _, b := range batches {
		func() {
			defer func() {
				if r := recover(); r != nil {
					dev.EmptyCache()
				}
			}()
			m.Run(b)
		}()
	}
}

func everyHundred(m *dev.Model, batches [][]float32) {
	for i, b := range batches {
		m.Run(b)
		if i%100 == 99 {
			log.Print(i)
			dev.EmptyCache()
		}
	}
}

func everyHundredEarly(m *dev.Model, batches [][]float32) {
	for i, b := range batches {
		m.Run(b)
		if i%100 != 0 {
			continue
		}
		save(m)
		dev.EmptyCache()
	}
}

func save(m *dev.Model) { m.Run(nil) }

func whenShort(m *dev.Model, batches [][]float32) {
	for _, b := range batches {
		m.Run(b)
		if free, total := dev.MemInfo(); free < total/10 {
			dev.EmptyCache()
		}
	}
}

func keeps(m *dev.Model, batches [][]float32, budget int64) {
	for _, b := range batches {
		m.Run(b)
		dev.Trim(budget)
		dev.Trim(1 << 30)
	}
}

func epochs(m *dev.Model, n int, batches [][]float32) {
	for range n {
		for _, b := range batches {
			m.Run(b)
		}
		dev.EmptyCache()
	}
}

func epoch(m *dev.Model, batches [][]float32) {
	for _, b := range batches {
		m.Run(b)
	}
}

func epochsInFunc(m *dev.Model, n int, batches [][]float32) {
	for range n {
		epoch(m, batches)
		dev.EmptyCache()
	}
}

func models(paths []string, x []float32) error {
	for _, p := range paths {
		m, err := dev.Load(p)
		if err != nil {
			return err
		}
		m.Run(x)
		m.Close()
		dev.EmptyCache()
	}
	return nil
}

func phases(m *dev.Model, x []float32) {
	for _, name := range []string{"warm", "measure"} {
		log.Print(name)
		m.Run(x)
		dev.EmptyCache()
	}
	for i := 0; i < 3; i++ {
		m.Run(x)
		dev.EmptyCache()
	}
	for range 4 {
		m.Run(x)
		dev.EmptyCache()
	}
}

func idle(done <-chan struct{}) {
	tick := time.NewTicker(time.Minute)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			dev.EmptyCache()
		case <-done:
			return
		}
	}
}

func poll(idle func() bool) {
	for {
		time.Sleep(time.Second)
		dev.EmptyCache()
	}
}

func atTheEnd(m *dev.Model, batches [][]float32) {
	defer dev.EmptyCache()
	for _, b := range batches {
		m.Run(b)
	}
}

func once(m *dev.Model, x []float32) {
	m.Run(x)
	dev.EmptyCache()
}

func maybe(now bool) {
	if now {
		dev.EmptyCache()
	}
}

func wrapperThatAsks(m *dev.Model, batches [][]float32, now bool) {
	for _, b := range batches {
		m.Run(b)
		maybe(now)
	}
}

func BenchmarkFlush(b *testing.B) {
	for i := 0; i < b.N; i++ {
		dev.EmptyCache()
	}
}
