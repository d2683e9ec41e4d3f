// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package programs

import (
	"context"
	"errors"
	"fmt"
	"log"
	"sync"

	ort "github.com/yalue/onnxruntime_go"
)

// Options configure a Classifier.
type Options struct {
	Model   string
	Threads int
	CUDA    map[string]string
}

// Classifier runs one model for many callers.
type Classifier struct {
	mu      sync.Mutex
	session *ort.DynamicAdvancedSession
	labels  []string
	scratch map[int64]*ort.Tensor[float32]
	closed  bool
}

func sessionOptions(o Options) (opts *ort.SessionOptions, err error) {
	opts, err = ort.NewSessionOptions()
	if err != nil {
		return nil, fmt.Errorf("session options: %w", err)
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, opts.Destroy())
			opts = nil
		}
	}()
	if o.Threads > 0 {
		if err = opts.SetIntraOpNumThreads(o.Threads); err != nil {
			return opts, err
		}
	}
	if o.CUDA == nil {
		return opts, nil
	}
	cuda, err := ort.NewCUDAProviderOptions()
	if err != nil {
		return opts, err
	}
	defer func() {
		if derr := cuda.Destroy(); derr != nil {
			log.Printf("destroy provider options: %v", derr)
		}
	}()
	if err = cuda.Update(o.CUDA); err != nil {
		return opts, err
	}
	if err = opts.AppendExecutionProviderCUDA(cuda); err != nil {
		return opts, err
	}
	return opts, nil
}

// NewClassifier loads a model.
func NewClassifier(o Options, labels []string) (*Classifier, error) {
	if !ort.IsInitialized() {
		if err := ort.InitializeEnvironment(); err != nil {
			return nil, err
		}
	}
	opts, err := sessionOptions(o)
	if err != nil {
		return nil, err
	}
	defer opts.Destroy()
	s, err := ort.NewDynamicAdvancedSession(o.Model, []string{"input"}, []string{"scores"}, opts)
	if err != nil {
		return nil, fmt.Errorf("load %s: %w", o.Model, err)
	}
	return &Classifier{session: s, labels: labels, scratch: map[int64]*ort.Tensor[float32]{}}, nil
}

// input gives a tensor for n images, which stays the classifier's.
func (c *Classifier) input(n int64) (*ort.Tensor[float32], error) {
	if t, ok := c.scratch[n]; ok {
		return t, nil
	}
	t, err := ort.NewEmptyTensor[float32](ort.NewShape(n, 3, 224, 224))
	if err != nil {
		return nil, err
	}
	c.scratch[n] = t
	return t, nil
}

// Classify gives the best label of each image.
func (c *Classifier) Classify(ctx context.Context, images [][]float32) ([]string, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return nil, errors.New("classifier is closed")
	}
	n := int64(len(images))
	in, err := c.input(n)
	if err != nil {
		return nil, err
	}
	data := in.GetData()
	for i, img := range images {
		copy(data[i*len(img):], img)
	}
	out, err := ort.NewEmptyTensor[float32](ort.NewShape(n, int64(len(c.labels))))
	if err != nil {
		return nil, err
	}
	defer out.Destroy()
	if err := c.session.Run([]ort.Value{in}, []ort.Value{out}); err != nil {
		return nil, fmt.Errorf("run: %w", err)
	}
	scores := out.GetData()
	best := make([]string, n)
	for i := range best {
		row := scores[i*len(c.labels) : (i+1)*len(c.labels)]
		k := 0
		for j, v := range row {
			if v > row[k] {
				k = j
			}
		}
		best[i] = c.labels[k]
	}
	return best, nil
}

// Close destroys everything once.
func (c *Classifier) Close() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return nil
	}
	c.closed = true
	var errs []error
	for n, t := range c.scratch {
		errs = append(errs, t.Destroy())
		delete(c.scratch, n)
	}
	errs = append(errs, c.session.Destroy())
	return errors.Join(errs...)
}

// RunBatches classifies on several goroutines with one classifier.
func RunBatches(ctx context.Context, o Options, batches [][][]float32) (err error) {
	c, err := NewClassifier(o, []string{"cat", "dog"})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, c.Close()) }()

	errc := make(chan error, len(batches))
	for _, b := range batches {
		go func() {
			_, err := c.Classify(ctx, b)
			errc <- err
		}()
	}
	for range batches {
		if e := <-errc; e != nil && err == nil {
			err = e
		}
	}
	return err
}

// Embed runs a fixed session over texts, with tensors made once.
func Embed(path string, texts [][]int64, emit func([]float32)) error {
	in, err := ort.NewEmptyTensor[int64](ort.NewShape(1, 128))
	if err != nil {
		return err
	}
	defer in.Destroy()
	out, err := ort.NewEmptyTensor[float32](ort.NewShape(1, 384))
	if err != nil {
		return err
	}
	defer out.Destroy()
	s, err := ort.NewAdvancedSession(path, []string{"ids"}, []string{"emb"}, []ort.Value{in}, []ort.Value{out}, nil)
	if err != nil {
		return err
	}
	defer s.Destroy()
	for _, ids := range texts {
		copy(in.GetData(), ids)
		if err := s.Run(); err != nil {
			return err
		}
		emit(append([]float32(nil), out.GetData()...))
		out.ZeroContents()
	}
	return nil
}

// RunAny lets the runtime allocate the outputs, which the caller destroys.
func RunAny(s *ort.DynamicAdvancedSession, in ort.Value, names int) ([]ort.Shape, error) {
	outs := make([]ort.Value, names)
	if err := s.Run([]ort.Value{in}, outs); err != nil {
		return nil, err
	}
	var shapes []ort.Shape
	for _, o := range outs {
		if o == nil {
			continue
		}
		shapes = append(shapes, o.GetShape().Clone())
		if err := o.Destroy(); err != nil {
			log.Print(err)
		}
	}
	return shapes, nil
}
