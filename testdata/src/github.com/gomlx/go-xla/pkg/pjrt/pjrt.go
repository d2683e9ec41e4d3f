// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

// Package pjrt is a signature-only stand-in for the XLA binding of the same
// import path: device buffers made by builder chains.
package pjrt

type Plugin struct{ name string }

// NamedValuesMap is a set of client options.
type NamedValuesMap map[string]any

func GetPlugin(name string) (*Plugin, error)                        { return nil, nil }
func (p *Plugin) NewClient(options NamedValuesMap) (*Client, error) { return nil, nil }

type Client struct{ c uintptr }

func (c *Client) Destroy() error                        { return nil }
func (c *Client) BufferFromHost() *BufferFromHostConfig { return nil }
func (c *Client) Compile() *CompileConfig               { return nil }

type Buffer struct{ b uintptr }

func (b *Buffer) Destroy() error                      { return nil }
func (b *Buffer) Dimensions() (dims []int, err error) { return nil, nil }
func (b *Buffer) Size() (int, error)                  { return 0, nil }

func ScalarToBuffer[T float32 | float64 | int32](client *Client, value T) (*Buffer, error) {
	return nil, nil
}

type BufferFromHostConfig struct{ c *Client }

func (b *BufferFromHostConfig) FromRawData(data []byte, dimensions []int) *BufferFromHostConfig {
	return b
}
func (b *BufferFromHostConfig) ToDeviceNum(num int) *BufferFromHostConfig { return b }
func (b *BufferFromHostConfig) Done() (*Buffer, error)                    { return nil, nil }

type LoadedExecutable struct{ e uintptr }

func (e *LoadedExecutable) Destroy() error                             { return nil }
func (e *LoadedExecutable) Execute(inputs ...*Buffer) *ExecutionConfig { return nil }

type CompileConfig struct{ c *Client }

func (c *CompileConfig) WithStableHLO(program []byte) *CompileConfig { return c }
func (c *CompileConfig) Done() (*LoadedExecutable, error)            { return nil, nil }

type ExecutionConfig struct{ e *LoadedExecutable }

func (c *ExecutionConfig) DonateAll() *ExecutionConfig  { return c }
func (c *ExecutionConfig) DonateNone() *ExecutionConfig { return c }
func (c *ExecutionConfig) Done() ([]*Buffer, error)     { return nil, nil }
