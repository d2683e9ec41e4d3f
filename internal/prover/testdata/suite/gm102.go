package suite

import "example.com/suite/dev"

func Wrong102Always(n int) error {
	m, err := dev.Alloc(n)
	if err != nil {
		return err
	}
	_ = m.Bytes()
	return nil
}

func Right102Always(n int) error {
	m, err := dev.Alloc(n)
	if err != nil {
		return err
	}
	defer m.Free()
	_ = m.Bytes()
	return nil
}

func Wrong102Branch(n int) int {
	m := dev.Must(n)
	if n > 10 {
		return 10
	}
	m.Free()
	return n
}

func Right102Branch(n int) int {
	m := dev.Must(n)
	if n > 10 {
		m.Free()
		return 10
	}
	m.Free()
	return n
}

func Wrong102Turn(sizes []int) int {
	total := 0
	for _, n := range sizes {
		m := dev.Must(n)
		total += m.Bytes()
		if total > 100 {
			m.Free()
			return total
		}
	}
	return total
}

func Right102Turn(sizes []int) int {
	total := 0
	for _, n := range sizes {
		m := dev.Must(n)
		total += m.Bytes()
		m.Free()
		if total > 100 {
			return total
		}
	}
	return total
}
