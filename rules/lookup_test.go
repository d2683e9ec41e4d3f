// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package rules

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"strings"
	"sync"
	"testing"
)

// check type-checks the text of a package.
func check(t *testing.T, path, src string) *types.Package {
	t.Helper()
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, "x.go", src, 0)
	if err != nil {
		t.Fatal(err)
	}
	pkg, err := new(types.Config).Check(path, fset, []*ast.File{f}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return pkg
}

// model looks up Name or Type.Method of a package.
func model(t *testing.T, set *Set, pkg *types.Package, local string) *Func {
	t.Helper()
	typ, method, ok := strings.Cut(local, ".")
	obj := pkg.Scope().Lookup(typ)
	if obj == nil {
		t.Fatalf("no %s", typ)
	}
	if !ok {
		switch obj := obj.(type) {
		case *types.Func:
			return set.Func(obj)
		case *types.Var:
			return set.Var(obj)
		}
		t.Fatalf("%s is %T", local, obj)
	}
	m, _, _ := types.LookupFieldOrMethod(obj.Type(), true, pkg, method)
	if m == nil {
		t.Fatalf("no method %s", local)
	}
	return set.Func(m.(*types.Func))
}

func says(f *Func) string {
	if f == nil {
		return "nothing"
	}
	return strings.Join(f.Directives(), "; ")
}

func TestLookup(t *testing.T) {
	for _, test := range []struct {
		name, path, src string
		want            map[string]string
	}{
		{
			"patterns over gotch's methods", "github.com/sugarme/gotch/ts", `package ts
type Tensor struct{}
type Scalar struct{}
func (ts *Tensor) View(size []int64, del bool) (retVal *Tensor, err error) { return }
func (ts *Tensor) MustSort(dim int64, descending bool, del bool) (retVal0 *Tensor, retVal1 *Tensor) { return }
func (ts *Tensor) AddOut(out *Tensor, other *Tensor, del bool) (retVal *Tensor, err error) { return }
func (ts *Tensor) MustChunk(n int64, del bool) (retVal []*Tensor) { return }
func (ts *Tensor) Add_(other *Tensor) (err error) { return }
func (ts *Tensor) Float64Values(delOpt ...bool) []float64 { return nil }
func (ts *Tensor) ShallowClone() (*Tensor, error) { return nil, nil }
func (ts *Tensor) MustDrop() {}
func (ts *Tensor) Numel(del bool) int { return 0 }
func (ts *Tensor) hidden() *Tensor { return nil }
func MustZeros(size []int64) *Tensor { return nil }
func Unrelated() int { return 0 }
func (sc *Scalar) MustDrop() {}
var None = &Tensor{}
`, map[string]string{
				"Tensor.View":          "acquire gotch.tensor result0; consume gotch.tensor recv when=del",
				"Tensor.MustSort":      "acquire gotch.tensor result0; acquire gotch.tensor result1; consume gotch.tensor recv when=del",
				"Tensor.AddOut":        "view gotch.tensor result0 of=out owned; consume gotch.tensor recv when=del",
				"Tensor.MustChunk":     "acquire gotch.tensor result0[]; consume gotch.tensor recv when=del",
				"Tensor.Add_":          "use",
				"Tensor.Float64Values": "consume gotch.tensor recv when=delOpt",
				"Tensor.ShallowClone":  "acquire gotch.tensor result0",
				"Tensor.MustDrop":      "release gotch.tensor recv",
				"Tensor.Numel":         "consume gotch.tensor recv when=del",
				"Tensor.hidden":        "nothing",
				"MustZeros":            "acquire gotch.tensor result0",
				"Unrelated":            "nothing",
				"Scalar.MustDrop":      "release gotch.scalar recv advisory",
				"None":                 "static",
			},
		},
		{
			"generic functions and methods", "github.com/yalue/onnxruntime_go", `package onnxruntime_go
type Shape []int64
type TensorData interface{ ~float32 | ~int64 }
type Tensor[T TensorData] struct{}
type Value interface{ Destroy() error }
func NewTensor[T TensorData](s Shape, data []T) (*Tensor[T], error) { return nil, nil }
func (t *Tensor[_]) Destroy() error { return nil }
func (t *Tensor[T]) Clone() (*Tensor[T], error) { return nil, nil }
func InitializeEnvironment() error { return nil }
`, map[string]string{
				"NewTensor":             "acquire ort.tensor result0; keep data of=result0",
				"Tensor.Destroy":        "release ort.tensor recv",
				"Tensor.Clone":          "acquire ort.tensor result0",
				"Value.Destroy":         "release ort.value recv",
				"InitializeEnvironment": "acquire ort.env",
			},
		},
		{
			"func variables and interface methods", "github.com/NVIDIA/go-nvml/pkg/nvml", `package nvml
type Return int32
type EventSet interface{ Free() Return }
type Interface interface {
	Init() Return
	EventSetCreate() (EventSet, Return)
}
type library struct{}
func (l *library) Init() Return { return 0 }
func (l *library) EventSetCreate() (EventSet, Return) { return nil, 0 }
var lib = &library{}
var (
	Init = lib.Init
	EventSetCreate = lib.EventSetCreate
)
`, map[string]string{
				"Init":                     "acquire nvml.session; success status=0 result=0",
				"Interface.Init":           "acquire nvml.session; success status=0 result=0",
				"EventSetCreate":           "acquire nvml.eventset result0; success status=0 result=1",
				"Interface.EventSetCreate": "acquire nvml.eventset result0; success status=0 result=1",
				"EventSet.Free":            "release nvml.eventset recv",
			},
		},
		{
			"struct handles", "gocv.io/x/gocv", `package gocv
type Mat struct{ p uintptr }
type PointsVector struct{}
type PointVector struct{}
func IMRead(name string, flags int) Mat { return Mat{} }
func (m *Mat) Close() error { return nil }
func (m *Mat) T() Mat { return Mat{} }
func (m *Mat) Region(rio int) Mat { return Mat{} }
func Split(src Mat) (mv []Mat) { return nil }
func (pvs PointsVector) At(idx int) PointVector { return PointVector{} }
func (pv PointVector) Close() {}
`, map[string]string{
				"IMRead":            "acquire gocv.mat result0; success always",
				"Mat.Close":         "release gocv.mat recv",
				"Mat.T":             "acquire gocv.mat result0",
				"Mat.Region":        "view gocv.mat result0 of=recv owned",
				"Split":             "acquire gocv.mat result0[]",
				"PointsVector.At":   "borrow gocv.vector result0 of=recv",
				"PointVector.Close": "release gocv.vector recv",
			},
		},
		{
			"a parameter more than when the stub was written", "github.com/gomlx/gomlx/pkg/core/tensors", `package tensors
type Backend int
type Buffer int
type Tensor struct{}
func FromBuffer(backend Backend, buffer Buffer) (*Tensor, error) { return nil, nil }
func (t *Tensor) DonateBuffer() (Buffer, error) { return 0, nil }
`, map[string]string{
				"FromBuffer":          "acquire gomlx.tensor result0; consume gomlx.buffer buffer of=result0 when=success",
				"Tensor.DonateBuffer": "acquire gomlx.buffer result0; consume gomlx.tensor recv when=maybe",
			},
		},
		{
			"a parameter that the model needs is gone", "github.com/hybridgroup/yzma/pkg/llama", `package llama
type Sampler uintptr
func SamplerChainAdd(smpl ...Sampler) {}
func SamplerInitGreedy() Sampler { return 0 }
func SamplerInitFromFuture(a, b int) Sampler { return 0 }
`, map[string]string{
				"SamplerChainAdd":       "nothing",
				"SamplerInitGreedy":     "acquire llama.sampler result0; success nonnil",
				"SamplerInitFromFuture": "acquire llama.sampler result0; success nonnil",
			},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			pkg := check(t, test.path, test.src)
			for local, want := range test.want {
				f := model(t, Default(), pkg, local)
				if got := says(f); got != want {
					t.Errorf("%s: %s, want %s", local, got, want)
				}
				if again := model(t, Default(), pkg, local); again != f {
					t.Errorf("%s: a second look-up gives another model", local)
				}
			}
		})
	}
}

// TestMethod finds a release that an interface has from io.Closer.
func TestMethod(t *testing.T) {
	io := check(t, "io", "package io\ntype Closer interface{ Close() error }")
	pkg := types.NewPackage("github.com/ggerganov/whisper.cpp/bindings/go/pkg/whisper", "whisper")
	tn := types.NewTypeName(0, pkg, "Model", nil)
	model := types.NewNamed(tn, types.NewInterfaceType(nil, []types.Type{io.Scope().Lookup("Closer").Type()}), nil)
	m, _, _ := types.LookupFieldOrMethod(model, true, pkg, "Close")
	if got := says(Default().Func(m.(*types.Func))); got != "nothing" {
		t.Errorf("io.Closer.Close: %s", got)
	}
	if got := says(Default().Method(model, m.(*types.Func))); got != "release whisper.model recv" {
		t.Errorf("Model.Close: %s", got)
	}
}

func TestPackage(t *testing.T) {
	for path, want := range map[string]bool{
		"gocv.io/x/gocv":                          true,
		"gocv.io/x/gocv/cuda":                     true,
		"gocv.io/x/gocv/v2":                       true,
		"example.com/me/vendor/gocv.io/x/gocv":    true,
		"gocv.io/x/gocv [gocv.io/x/gocv.test]":    true,
		"github.com/gomlx/gomlx/core/tensors":     true,
		"github.com/gomlx/gomlx/pkg/core/tensors": true,
		"github.com/gomlx/gopjrt/pjrt":            true,
		"github.com/gomlx/go-xla/pkg/pjrt":        true,
		"github.com/gomlx/go-xla/pjrt":            true,
		"gocv.io/x/gocv/cmd/hello":                false,
		"gocv.io/x/gocvx":                         false,
		"fmt":                                     false,
		"":                                        false,
	} {
		if got := Default().Package(path); got != want {
			t.Errorf("Package(%q) = %v", path, got)
		}
	}
}

func TestC(t *testing.T) {
	for name, want := range map[string]string{
		"cudaMalloc":            "acquire cuda.mem *devPtr; success status=0 result=0",
		"_Cfunc_cudaMalloc":     "acquire cuda.mem *devPtr; success status=0 result=0",
		"_C2func_cudaMalloc":    "acquire cuda.mem *devPtr; success status=0 result=0",
		"cuMemAlloc":            "acquire cu.mem *dptr; success status=0 result=0",
		"cuMemAlloc_v2":         "acquire cu.mem *dptr; success status=0 result=0",
		"cublasCreate_v2":       "acquire cublas.handle *handle; success status=0 result=0",
		"CString":               "acquire c.heap result0; success always",
		"_Cfunc__CMalloc":       "acquire c.heap result0; success always",
		"malloc":                "acquire c.heap result0; success always",
		"_cgo_cmalloc":          "acquire c.heap result0; success always",
		"free":                  "release c.heap ptr",
		"nvrtcDestroyProgram":   "release nvrtc.program *prog; success status=0 result=0",
		"clCreateBuffer":        "acquire opencl.mem result0; success nonnil",
		"my_own_wrapper":        "nothing",
		"_Cfunc_my_own_wrapper": "nothing",
	} {
		if got := says(Default().C(name)); got != want {
			t.Errorf("C(%q): %s, want %s", name, got, want)
		}
	}
	if typ := Default().CType("_Ctype_cublasHandle_t"); typ == nil || typ.Class.Name != "cublas.handle" {
		t.Errorf("CType(_Ctype_cublasHandle_t) = %v", typ)
	}
}

// TestCgoNames looks up the functions that cgo makes, as go/types has them.
func TestCgoNames(t *testing.T) {
	pkg := check(t, "example.com/user", `package user
type _Ctype_cudaStream_t = *int
type _Ctype_cublasHandle_t *int
func _Cfunc_cudaFree(p0 uintptr) (r1 int32) { return }
func _C2func_cudaFree(p0 uintptr) (r1 int32, r2 error) { return }
`)
	for _, name := range []string{"_Cfunc_cudaFree", "_C2func_cudaFree"} {
		if got := says(model(t, Default(), pkg, name)); !strings.HasPrefix(got, "release cuda.mem devPtr") {
			t.Errorf("%s: %s", name, got)
		}
	}
	tn := pkg.Scope().Lookup("_Ctype_cublasHandle_t").(*types.TypeName)
	if typ := Default().Type(tn); typ == nil || typ.Class.Name != "cublas.handle" {
		t.Errorf("Type(%s) = %v", tn.Name(), typ)
	}
}

func TestWith(t *testing.T) {
	user := mustParse(t, `//gpumem:package gocv.io/x/gocv
//gpumem:package example.com/wrap/v3
package lib

//gpumem:class wrap.thing noun=thing verb=closed

//gpumem:use
func IMRead(name string, flags int) Mat

//gpumem:acquire wrap.thing result0
func Open() *Thing
`)
	set, err := Default().With(user)
	if err != nil {
		t.Fatal(err)
	}
	pkg := check(t, "gocv.io/x/gocv", "package gocv\ntype Mat struct{}\nfunc IMRead(name string, flags int) Mat { return Mat{} }\nfunc NewMat() Mat { return Mat{} }")
	if got := says(model(t, set, pkg, "IMRead")); got != "use" {
		t.Errorf("the user's model does not win: %s", got)
	}
	if got := says(model(t, set, pkg, "NewMat")); got != "acquire gocv.mat result0" {
		t.Errorf("the built-in model is gone: %s", got)
	}
	if got := says(model(t, Default(), pkg, "IMRead")); got == "use" {
		t.Error("With has changed the set it was called on")
	}
	if !set.Package("example.com/wrap") || Default().Package("example.com/wrap") {
		t.Error("Package does not tell the sets apart")
	}
	if set.ClassByName("wrap.thing") == nil || set.ClassByName("cuda.mem") == nil || set.ClassByName("no.such") != nil {
		t.Error("ClassByName")
	}
	again, err := set.With(mustParse(t, "package C\n\n//gpumem:release wrap.thing p\nfunc my_free(p unsafe.Pointer)\n\n//gpumem:use\nfunc cudaFree(devPtr unsafe.Pointer) C.cudaError_t\n"))
	if err != nil {
		t.Fatal(err)
	}
	if got := says(again.C("my_free")); got != "release wrap.thing p" {
		t.Errorf("my_free: %s", got)
	}
	if got := says(again.C("cudaFree")); got != "use" {
		t.Errorf("cudaFree: %s", got)
	}
	if got := says(again.C("cudaMalloc")); !strings.HasPrefix(got, "acquire cuda.mem") {
		t.Errorf("cudaMalloc: %s", got)
	}
}

// TestConcurrent reads stubs from several goroutines; the race detector
// watches.
func TestConcurrent(t *testing.T) {
	set := newSet(newLibrary(), nil)
	pkg := check(t, "gocv.io/x/gocv", "package gocv\ntype Mat struct{}\nfunc (m *Mat) T() Mat { return Mat{} }")
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for _, name := range []string{"cudaMalloc", "hipMalloc", "clCreateBuffer"} {
				if set.C(name) == nil {
					t.Errorf("no %s", name)
				}
			}
			if got := says(model(t, set, pkg, "Mat.T")); got != "acquire gocv.mat result0" {
				t.Errorf("Mat.T: %s", got)
			}
			if set.ClassByName("ort.tensor") == nil {
				t.Error("no class")
			}
		})
	}
	wg.Wait()
}
