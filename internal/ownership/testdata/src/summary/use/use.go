// Package use builds on lib; what its functions do is inferred. // want package:"summarised"
package use

import "summary/lib"

func Open(n int) (*lib.Buffer, error) { // want Open:"result0:lib.buffer"
	b, err := lib.New(n)
	if err != nil {
		return nil, err
	}
	return b, nil
}

func Drop(b *lib.Buffer) { // want Drop:"arg0:02/02"
	if b != nil {
		b.Free()
	}
}

// Look only uses it, which is wrong behind a release.
func Look(b *lib.Buffer) int { return b.Len() } // want Look:"arg0 after release:3"

// Nothing does nothing that a caller must know, so it has no fact.
func Nothing(b *lib.Buffer) bool { return b == nil }

func Same(b *lib.Buffer, n int) *lib.Buffer { // want Same:"arg0:10/10"
	if b.Len() < n {
		println("short")
	}
	return b
}

// Give frees only if it is told to.
func Give(b *lib.Buffer, really bool) { // want Give:"arg0:03/03"
	if really {
		b.Free()
	}
}

type Pool struct{ all []*lib.Buffer }

func (p *Pool) Put(b *lib.Buffer) { // want Put:"arg1:08/08" Put:"add:0 elem1 released"
	p.all = append(p.all, b)
}

func (p *Pool) Close() { // want Close:"arg0:03/03 arg0.all:03/03 arg0.all\\[\\]:02/02"
	for _, b := range p.all {
		b.Free()
	}
}

func NewPool(n int) (*Pool, error) { // want NewPool:"result0:owner:summary/use.Pool"
	p := &Pool{}
	for i := 0; i < n; i++ {
		b, err := lib.New(i)
		if err != nil {
			p.Close()
			return nil, err
		}
		p.Put(b)
	}
	return p, nil
}
