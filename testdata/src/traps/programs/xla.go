// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package programs

import (
	"errors"
	"fmt"

	"github.com/gomlx/go-xla/pkg/pjrt"
)

// Runner holds a compiled program.
type Runner struct {
	client *pjrt.Client
	exec   *pjrt.LoadedExecutable
}

// NewRunner compiles a program.
func NewRunner(plugin string, program []byte) (*Runner, error) {
	p, err := pjrt.GetPlugin(plugin)
	if err != nil {
		return nil, err
	}
	client, err := p.NewClient(nil)
	if err != nil {
		return nil, err
	}
	exec, err := client.Compile().WithStableHLO(program).Done()
	if err != nil {
		return nil, errors.Join(err, client.Destroy())
	}
	return &Runner{client, exec}, nil
}

// Run moves a value through the program and counts its outputs.
func (r *Runner) Run(v float32, raw []byte) (int, error) {
	a, err := pjrt.ScalarToBuffer(r.client, v)
	if err != nil {
		return 0, err
	}
	defer a.Destroy()
	b, err := r.client.BufferFromHost().FromRawData(raw, []int{len(raw)}).ToDeviceNum(0).Done()
	if err != nil {
		return 0, fmt.Errorf("transfer: %w", err)
	}
	defer b.Destroy()
	outs, err := r.exec.Execute(a, b).DonateNone().Done()
	if err != nil {
		return 0, err
	}
	total := 0
	for _, o := range outs {
		n, err := o.Size()
		if derr := o.Destroy(); derr != nil {
			fmt.Println(derr)
		}
		if err != nil {
			continue
		}
		total += n
	}
	return total, nil
}

// Close destroys the program before its client.
func (r *Runner) Close() error {
	return errors.Join(r.exec.Destroy(), r.client.Destroy())
}
