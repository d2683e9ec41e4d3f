// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package rules

// idiomsAcquire is how something comes to be owned.
var idiomsAcquire = []idiom{
	{"A1", `
//gpumem:acquire x.a result0
func ByError(n int) (*T, error)

//gpumem:acquire x.a result0
//gpumem:success status=0 result=1
func ByStatus() (T, Return)

//gpumem:acquire x.a result0
//gpumem:success nonnil
func ByHandle() uintptr

//gpumem:acquire x.a result0
//gpumem:success true
func ByBool() (*T, bool)

//gpumem:acquire x.a result0
//gpumem:success always
func MustNew() *T`, []string{
		"lib.ByError: acquire x.a result0",
		"lib.ByStatus: acquire x.a result0; success status=0 result=1",
		"lib.ByHandle: acquire x.a result0; success nonnil",
		"lib.ByBool: acquire x.a result0; success true",
		"lib.MustNew: acquire x.a result0; success always",
	}},
	{"A2", `
//gpumem:acquire x.a result0 result1
func (t *T) Sort(dim int) (retVal0 *T, retVal1 *T, err error)

//gpumem:acquire x.a result1
func (o *O) DetectAndCompute(src, mask T) ([]KeyPoint, T)`, []string{
		"(lib.T).Sort: acquire x.a result0; acquire x.a result1",
		"(lib.O).DetectAndCompute: acquire x.a result1",
	}},
	{"A3", `
//gpumem:acquire x.a result0[]
func Chunk(n int) ([]*T, error)

//gpumem:acquire x.a result0[]
func Run(inputs map[string]*T) (map[string]*T, error)

//gpumem:acquire x.a result0.Data result0.Label when=result1
func (it *Iter) Next() (Item, bool)

//gpumem:acquire x.a result0[].Tensor
func LoadMulti(path string) ([]Named, error)

//gpumem:acquire x.a result0<0>
func (d Dataset) Iter() iter.Seq2[T, error]`, []string{
		"lib.Chunk: acquire x.a result0[]",
		"lib.Run: acquire x.a result0[]",
		"(lib.Iter).Next: acquire x.a result0.Data when=result1; acquire x.a result0.Label when=result1",
		"lib.LoadMulti: acquire x.a result0[].Tensor",
		"(lib.Dataset).Iter: acquire x.a result0<0>",
	}},
	{"A4", `
//gpumem:acquire x.a *p
//gpumem:success status=0
func Malloc(p *unsafe.Pointer, n int) int

//gpumem:acquire x.a recv
//gpumem:alias result0 of=recv
func (d *T) Malloc(n int) (T, Status)

//gpumem:acquire x.a request.Set
func Create(request *Request) Status

//gpumem:use
func Blur(src T, dst *T)`, []string{
		"lib.Malloc: acquire x.a *p; success status=0 result=0",
		"(lib.T).Malloc: acquire x.a recv; alias result0 of=recv",
		"lib.Create: acquire x.a request.Set",
		"lib.Blur: use",
	}},
	{"A5", `
//gpumem:fill x.a outputs
func (s *S) Run(inputs, outputs []V) error

//gpumem:acquire x.a out[]
func Allocate(info *Info, out []T) int`, []string{
		"(lib.S).Run: fill x.a outputs",
		"lib.Allocate: acquire x.a out[]",
	}},
	{"A6", `
//gpumem:acquire x.a *dst when=alloc
//gpumem:alias result0 of=dst
func (h Host) CopyToDevice(dst *T, alloc bool) *T`, []string{
		"(lib.Host).CopyToDevice: acquire x.a *dst when=alloc; alias result0 of=dst",
	}},
	{"A7", `
//gpumem:acquire x.a s when=recycle
//gpumem:success always
func (q *Q) Slice() (s *T, recycle bool)`, []string{
		"(lib.Q).Slice: acquire x.a result0 when=result1; success always",
	}},
	{"A8", `
//gpumem:alias result0 of=recv
func (b *B) To(device int) *B

//gpumem:acquire x.a result0
func (b *B) Done() (*T, error)`, []string{
		"(lib.B).To: alias result0 of=recv",
		"(lib.B).Done: acquire x.a result0",
	}},
	{"A9", `
//gpumem:acquire x.a vc when=always
func File(uri string) (vc *T, err error)`, []string{
		"lib.File: acquire x.a result0 when=always",
	}},
	{"A10", `
//gpumem:acquire x.a result0
//gpumem:adopt ptr of=result0
func FromPointer(ptr unsafe.Pointer) *T`, []string{
		"lib.FromPointer: acquire x.a result0; adopt ptr of=result0",
	}},
	{"A11", `
//gpumem:acquire x.a result0
func (d *D) GetQueue() *Q

//gpumem:borrow result0 of=recv
func (d *D) Queue() *Q`, []string{
		"(lib.D).GetQueue: acquire x.a result0",
		"(lib.D).Queue: borrow result0 of=recv",
	}},
	{"A12", `
//gpumem:class x.event noun=event verb=released ignore

//gpumem:acquire x.event result0
func (q *Q) Enqueue() (*Event, error)`, []string{
		"class x.event ignore",
		"(lib.Q).Enqueue: acquire x.event result0",
	}},
	{"A13", `
//gpumem:acquire x.a result0
func NewMat() T

//gpumem:use
func (m *T) Upload(data []byte)`, []string{
		"lib.NewMat: acquire x.a result0",
		"(lib.T).Upload: use",
	}},
}
