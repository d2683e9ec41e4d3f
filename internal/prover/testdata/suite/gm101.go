package suite

import (
	"fmt"
	"os"
	"strconv"

	"example.com/suite/dev"
)

type pair struct{ a, b *dev.Mem }

func (p *pair) Close() { p.a.Free(); p.b.Free() }

func Wrong101Constructor(n int) (*pair, error) {
	a, err := dev.Alloc(n)
	if err != nil {
		return nil, err
	}
	b, err := dev.Alloc(n)
	if err != nil {
		return nil, err
	}
	return &pair{a, b}, nil
}

func Right101Constructor(n int) (*pair, error) {
	a, err := dev.Alloc(n)
	if err != nil {
		return nil, err
	}
	b, err := dev.Alloc(n)
	if err != nil {
		a.Free()
		return nil, err
	}
	return &pair{a, b}, nil
}

// The call that fails is one of the standard library.
func Wrong101Parse(size string) (int, error) {
	m, err := dev.Alloc(1)
	if err != nil {
		return 0, err
	}
	n, err := strconv.Atoi(size)
	if err != nil {
		return 0, fmt.Errorf("size: %w", err)
	}
	m.Free()
	return n, nil
}

func Right101Parse(size string) (int, error) {
	m, err := dev.Alloc(1)
	if err != nil {
		return 0, err
	}
	defer m.Free()
	n, err := strconv.Atoi(size)
	if err != nil {
		return 0, fmt.Errorf("size: %w", err)
	}
	return n, nil
}

// The elements of a list are lost when a later one fails.
func Wrong101List(n int) ([]*dev.Mem, error) {
	var list []*dev.Mem
	for i := range n {
		m, err := dev.Alloc(i)
		if err != nil {
			return nil, err
		}
		list = append(list, m)
	}
	return list, nil
}

func Right101List(n int) ([]*dev.Mem, error) {
	var list []*dev.Mem
	for i := range n {
		m, err := dev.Alloc(i)
		if err != nil {
			for _, m := range list {
				m.Free()
			}
			return nil, err
		}
		list = append(list, m)
	}
	return list, nil
}

// A helper of our own fails, and says so in an if statement of one line.
func Wrong101Helper(name string) (*dev.Mem, error) {
	m := dev.Must(8)
	if err := load(m, name); err != nil {
		return nil, err
	}
	return m, nil
}

func Right101Helper(name string) (_ *dev.Mem, err error) {
	m := dev.Must(8)
	defer func() {
		if err != nil {
			m.Free()
		}
	}()
	if err := load(m, name); err != nil {
		return nil, err
	}
	return m, nil
}

func load(m *dev.Mem, name string) error {
	_, err := os.Stat(name)
	return err
}

// An owner that was made before is lost.
func Wrong101Owner(n int) (int, error) {
	p, err := Right101Constructor(n)
	if err != nil {
		return 0, err
	}
	if err = dev.Copy(p.a, p.b); err != nil {
		return 0, err
	}
	total := p.a.Bytes() + p.b.Bytes()
	p.Close()
	return total, nil
}

func Right101Owner(n int) (int, error) {
	p, err := Right101Constructor(n)
	if err != nil {
		return 0, err
	}
	defer p.Close()
	if err = dev.Copy(p.a, p.b); err != nil {
		return 0, err
	}
	return p.a.Bytes() + p.b.Bytes(), nil
}
