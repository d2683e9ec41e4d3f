// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package more

import (
	"errors"
	"fmt"
	"sync"

	ort "github.com/yalue/onnxruntime_go"
)

// engine runs one model; its input follows the size of the batch.
type engine struct {
	mu      sync.Mutex
	session *ort.DynamicAdvancedSession
	input   *ort.Tensor[float32]
	outputs []*ort.Tensor[float32]
}

func newEngine(path string, batch int64) (*engine, error) {
	opts, err := ort.NewSessionOptions()
	if err != nil {
		return nil, err
	}
	defer opts.Destroy()
	s, err := ort.NewDynamicAdvancedSession(path, []string{"x"}, []string{"y"}, opts)
	if err != nil {
		return nil, err
	}
	in, err := ort.NewEmptyTensor[float32](ort.NewShape(batch, 8))
	if err != nil {
		return nil, fmt.Errorf("input: %w", err) // want GM101
	}
	return &engine{session: s, input: in}, nil
}

// predict makes a new input whenever the size has changed and forgets the old.
func (e *engine) predict(data []float32) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if len(e.input.GetData()) != len(data) {
		in, err := ort.NewTensor(ort.NewShape(int64(len(data)/8), 8), data)
		if err != nil {
			return err
		}
		e.input = in // want GM104
	}
	out, err := ort.NewEmptyTensor[float32](ort.NewShape(1, 8)) // want GM102
	if err != nil {
		return err
	}
	if err := e.session.Run([]ort.Value{e.input}, []ort.Value{out}); err != nil {
		return err
	}
	fmt.Println(out.GetData()[0])
	return nil
}

// grow allocates outputs one by one; a failure half-way loses the new ones.
func (e *engine) grow(n int) error {
	var outs []*ort.Tensor[float32]
	for i := 0; i < n; i++ {
		t, err := ort.NewEmptyTensor[float32](ort.NewShape(8))
		if err != nil {
			return fmt.Errorf("output %d: %w", i, err) // want GM101
		}
		outs = append(outs, t)
	}
	for _, t := range e.outputs {
		t.Destroy()
	}
	e.outputs = outs
	return nil
}

func (e *engine) Close() error {
	errs := []error{e.session.Destroy(), e.input.Destroy()}
	for _, t := range e.outputs {
		errs = append(errs, t.Destroy())
	}
	e.outputs = nil
	return errors.Join(errs...)
}

// serve answers requests; a bad one ends the function without the engine.
func serve(path string, reqs <-chan []float32) error {
	e, err := newEngine(path, 1)
	if err != nil {
		return err
	}
	for r := range reqs {
		if len(r)%8 != 0 {
			return errors.New("bad request") // want GM101
		}
		if err := e.predict(r); err != nil {
			e.Close()
			return err
		}
	}
	return e.Close()
}

// warm opens an engine per model and closes them all in the end.
func warm(paths []string) error {
	for _, p := range paths {
		e, err := newEngine(p, 1)
		if err != nil {
			return err
		}
		defer e.Close() // want GM105
		if err := e.predict(make([]float32, 8)); err != nil {
			return err
		}
	}
	return nil
}

// shapeOf asks a temporary.
func shapeOf(n int64) int64 {
	return must(ort.NewEmptyTensor[float32](ort.NewShape(n))).GetShape().FlattenedSize() // want GM103
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// lateDefer registers the release of what is not there yet.
func lateDefer(n int64) (err error) {
	var t *ort.Tensor[float32]
	defer t.Destroy() // want GM106
	t, err = ort.NewEmptyTensor[float32](ort.NewShape(n))
	if err != nil {
		return err
	}
	t.ZeroContents()
	return nil
}
