package suite

import "example.com/suite/dev"

func Wrong104Variable(n int) {
	m := dev.Must(n)
	m = dev.Must(2 * n)
	m.Free()
}

func Right104Variable(n int) {
	m := dev.Must(n)
	m.Free()
	m = dev.Must(2 * n)
	m.Free()
}

type model struct{ weights *dev.Mem }

func (m *model) Close() {
	if m.weights != nil {
		m.weights.Free()
		m.weights = nil
	}
}

func newModel() *model { return &model{weights: dev.Must(1)} }

func (m *model) Wrong104Field(n int) error {
	w, err := dev.Alloc(n)
	if err != nil {
		return err
	}
	m.weights = w
	return nil
}

func (m *model) Right104Field(n int) error {
	w, err := dev.Alloc(n)
	if err != nil {
		return err
	}
	m.weights.Free()
	m.weights = w
	return nil
}

func Wrong104Loop(n int) int {
	best := dev.Must(0)
	for i := range n {
		best = dev.Must(i)
	}
	total := best.Bytes()
	best.Free()
	return total
}

func Right104Loop(n int) int {
	best := dev.Must(0)
	for i := range n {
		best.Free()
		best = dev.Must(i)
	}
	total := best.Bytes()
	best.Free()
	return total
}
