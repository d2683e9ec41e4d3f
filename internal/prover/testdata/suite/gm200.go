package suite

import (
	"fmt"

	"example.com/suite/dev"
)

// Kept in a package variable.

var seen []*dev.Mem

func Wrong201Global(n int) int {
	m := dev.Must(n)
	seen = append(seen, m)
	return m.Bytes()
}

var recent []*dev.Mem

func Right201Global(n int) int {
	m := dev.Must(n)
	size := m.Bytes()
	recent = append(recent, m)
	if len(recent) > 2 {
		recent[0].Free()
		recent = recent[1:]
	}
	return size
}

func clearRecent() {
	for _, m := range recent {
		m.Free()
	}
	recent = nil
}

var wrongByID, rightByID = map[int]*dev.Mem{}, map[int]*dev.Mem{}

func Wrong201ByID(id int) error {
	m, err := dev.Alloc(id)
	if err != nil {
		return err
	}
	wrongByID[id] = m
	return nil
}

func Right201ByID(id int) error {
	m, err := dev.Alloc(id)
	if err != nil {
		return err
	}
	rightByID[id] = m
	return nil
}

func forget(id int) {
	if m, ok := rightByID[id]; ok {
		m.Free()
		delete(rightByID, id)
	}
}

// Taken out of a container.

type cache struct{ byKey map[string]*dev.Mem }

func (c *cache) put(key string, n int) { c.byKey[key] = dev.Must(n) }

func (c *cache) Wrong202Evict(key string) { delete(c.byKey, key) }

func (c *cache) Right202Evict(key string) {
	if m, ok := c.byKey[key]; ok {
		m.Free()
		delete(c.byKey, key)
	}
}

func (c *cache) Wrong202Reset() { clear(c.byKey) }

func (c *cache) Right202Reset() {
	for _, m := range c.byKey {
		m.Free()
	}
	clear(c.byKey)
}

func (c *cache) Close() {
	for key, m := range c.byKey {
		m.Free()
		delete(c.byKey, key)
	}
}

// More with every step.

type Wrong203Model struct{ outputs []*dev.Mem }

func (w *Wrong203Model) forward(n int) error {
	m, err := dev.Alloc(n)
	if err != nil {
		return err
	}
	w.outputs = append(w.outputs, m)
	return dev.Copy(m, m)
}

func (w *Wrong203Model) Close() {
	for _, m := range w.outputs {
		m.Free()
	}
}

type Right203Model struct{ output *dev.Mem }

func (r *Right203Model) forward(n int) error {
	m, err := dev.Alloc(n)
	if err != nil {
		return err
	}
	r.Close()
	r.output = m
	return dev.Copy(m, m)
}

func (r *Right203Model) Close() {
	if r.output != nil {
		r.output.Free()
		r.output = nil
	}
}

// A program for each shape.

type Wrong203Programs struct{ byShape map[string]*dev.Mem }

func (p *Wrong203Programs) get(shape []int) (*dev.Mem, error) {
	key := fmt.Sprint(shape)
	if m, ok := p.byShape[key]; ok {
		return m, nil
	}
	m, err := dev.Alloc(len(shape))
	if err != nil {
		return nil, err
	}
	p.byShape[key] = m
	return m, nil
}

func (p *Wrong203Programs) Close() {
	for _, m := range p.byShape {
		m.Free()
	}
}

type Right203Programs struct{ byShape map[string]*dev.Mem }

func (p *Right203Programs) get(shape []int) (*dev.Mem, error) {
	key := fmt.Sprint(shape)
	if m, ok := p.byShape[key]; ok {
		return m, nil
	}
	if len(p.byShape) > 2 {
		p.Close()
	}
	m, err := dev.Alloc(len(shape))
	if err != nil {
		return nil, err
	}
	p.byShape[key] = m
	return m, nil
}

func (p *Right203Programs) Close() {
	for _, m := range p.byShape {
		m.Free()
	}
	clear(p.byShape)
}
