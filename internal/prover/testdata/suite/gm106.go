package suite

import "example.com/suite/dev"

func release(m *dev.Mem) {
	if m != nil {
		m.Free()
	}
}

func Wrong106Nil(n int) (int, error) {
	var m *dev.Mem
	defer release(m)
	m, err := dev.Alloc(n)
	if err != nil {
		return 0, err
	}
	return m.Bytes(), nil
}

func Right106Nil(n int) (int, error) {
	var m *dev.Mem
	defer func() { release(m) }()
	m, err := dev.Alloc(n)
	if err != nil {
		return 0, err
	}
	return m.Bytes(), nil
}
