package suite

import "example.com/suite/dev"

func Wrong301Use(n int) int {
	m := dev.Must(n)
	m.Free()
	return m.Bytes()
}

func Right301Use(n int) int {
	m := dev.Must(n)
	size := m.Bytes()
	m.Free()
	return size
}

func Wrong301Copy(n int) error {
	a, b := dev.Must(n), dev.Must(n)
	defer b.Free()
	a.Free()
	return dev.Copy(b, a)
}

func Right301Copy(n int) error {
	a, b := dev.Must(n), dev.Must(n)
	defer b.Free()
	defer a.Free()
	return dev.Copy(b, a)
}

func Wrong302Twice(n int) {
	m := dev.Must(n)
	defer m.Free()
	if n > 1 {
		m.Free()
	}
}

func Right302Twice(n int) {
	m := dev.Must(n)
	if n > 1 {
		m.Free()
		return
	}
	m.Free()
}

func Wrong302Error(n int) error {
	m, err := dev.Alloc(n)
	if err != nil {
		return err
	}
	defer m.Free()
	if err := dev.Copy(m, m); err != nil {
		m.Free()
		return err
	}
	return nil
}

func Right302Error(n int) error {
	m, err := dev.Alloc(n)
	if err != nil {
		return err
	}
	defer m.Free()
	return dev.Copy(m, m)
}
