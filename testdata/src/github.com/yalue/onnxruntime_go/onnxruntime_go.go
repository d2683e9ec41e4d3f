// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

// Package onnxruntime_go is a signature-only stand-in for the ONNX Runtime
// binding of the same import path: the declarations that the test corpus
// calls, with bodies that return zero values. Nothing here runs.
package onnxruntime_go

// FloatData is the set of floating-point element types.
type FloatData interface{ ~float32 | ~float64 }

// IntData is the set of integer element types.
type IntData interface {
	~int8 | ~uint8 | ~int16 | ~uint16 | ~int32 | ~uint32 | ~int64 | ~uint64
}

// TensorData is the set of element types of a tensor.
type TensorData interface{ FloatData | IntData }

// Shape is a list of dimensions.
type Shape []int64

func NewShape(dimensions ...int64) Shape { return Shape(dimensions) }

func (s Shape) FlattenedSize() int64 { return 0 }
func (s Shape) Clone() Shape         { return nil }

// Value is what sessions take and give.
type Value interface {
	DataType() int
	GetShape() Shape
	Destroy() error
}

type Tensor[T TensorData] struct {
	ortValue uintptr
	shape    Shape
	data     []T
}

func NewTensor[T TensorData](s Shape, data []T) (*Tensor[T], error) { return nil, nil }
func NewEmptyTensor[T TensorData](s Shape) (*Tensor[T], error)      { return nil, nil }

func (t *Tensor[T]) Destroy() error             { return nil }
func (t *Tensor[T]) GetData() []T               { return nil }
func (t *Tensor[T]) GetShape() Shape            { return nil }
func (t *Tensor[T]) DataType() int              { return 0 }
func (t *Tensor[T]) ZeroContents()              {}
func (t *Tensor[T]) Clone() (*Tensor[T], error) { return nil, nil }

type Scalar[T TensorData] struct{ ortValue uintptr }

func NewScalar[T TensorData](data T) (*Scalar[T], error) { return nil, nil }
func (s *Scalar[T]) Destroy() error                      { return nil }
func (s *Scalar[T]) GetShape() Shape                     { return nil }
func (s *Scalar[T]) DataType() int                       { return 0 }

type SessionOptions struct{ o uintptr }

func NewSessionOptions() (*SessionOptions, error) { return nil, nil }

func (o *SessionOptions) Destroy() error                                           { return nil }
func (o *SessionOptions) SetIntraOpNumThreads(n int) error                         { return nil }
func (o *SessionOptions) SetInterOpNumThreads(n int) error                         { return nil }
func (o *SessionOptions) AppendExecutionProviderCUDA(c *CUDAProviderOptions) error { return nil }
func (o *SessionOptions) AppendExecutionProviderTensorRT(t *TensorRTProviderOptions) error {
	return nil
}

type RunOptions struct{ o uintptr }

func NewRunOptions() (*RunOptions, error) { return nil, nil }
func (o *RunOptions) Destroy() error      { return nil }
func (o *RunOptions) Terminate() error    { return nil }

type CUDAProviderOptions struct{ o uintptr }

func NewCUDAProviderOptions() (*CUDAProviderOptions, error)           { return nil, nil }
func (o *CUDAProviderOptions) Destroy() error                         { return nil }
func (o *CUDAProviderOptions) Update(options map[string]string) error { return nil }

type TensorRTProviderOptions struct{ o uintptr }

func NewTensorRTProviderOptions() (*TensorRTProviderOptions, error)       { return nil, nil }
func (o *TensorRTProviderOptions) Destroy() error                         { return nil }
func (o *TensorRTProviderOptions) Update(options map[string]string) error { return nil }

type AdvancedSession struct{ s uintptr }

func NewAdvancedSession(onnxFilePath string, inputNames, outputNames []string, inputs, outputs []Value, options *SessionOptions) (*AdvancedSession, error) {
	return nil, nil
}
func (s *AdvancedSession) Run() error     { return nil }
func (s *AdvancedSession) Destroy() error { return nil }

type DynamicAdvancedSession struct{ s uintptr }

func NewDynamicAdvancedSession(onnxFilePath string, inputNames, outputNames []string, options *SessionOptions) (*DynamicAdvancedSession, error) {
	return nil, nil
}
func NewDynamicAdvancedSessionWithONNXData(onnxData []byte, inputNames, outputNames []string, options *SessionOptions) (*DynamicAdvancedSession, error) {
	return nil, nil
}
func (s *DynamicAdvancedSession) Run(inputs, outputs []Value) error { return nil }
func (s *DynamicAdvancedSession) Destroy() error                    { return nil }
func (s *DynamicAdvancedSession) CreateIoBinding() (*IoBinding, error) {
	return nil, nil
}

type IoBinding struct{ b uintptr }

func (b *IoBinding) Destroy() error                            { return nil }
func (b *IoBinding) BindInput(name string, value Value) error  { return nil }
func (b *IoBinding) BindOutput(name string, value Value) error { return nil }

// EnvironmentOption configures InitializeEnvironment.
type EnvironmentOption func() error

func InitializeEnvironment(opts ...EnvironmentOption) error { return nil }
func DestroyEnvironment() error                             { return nil }
func IsInitialized() bool                                   { return false }
func SetSharedLibraryPath(path string)                      {}
