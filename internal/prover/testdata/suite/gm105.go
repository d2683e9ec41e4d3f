package suite

import "example.com/suite/dev"

func Wrong105Requests(sizes []int) int {
	total := 0
	for _, n := range sizes {
		m := dev.Must(n)
		defer m.Free()
		total += m.Bytes()
	}
	return total
}

func Right105Requests(sizes []int) int {
	total := 0
	for _, n := range sizes {
		func() {
			m := dev.Must(n)
			defer m.Free()
			total += m.Bytes()
		}()
	}
	return total
}

func Wrong105Owner(sizes []int) (int, error) {
	total := 0
	for i := 0; i < len(sizes); i++ {
		p, err := Right101Constructor(sizes[i])
		if err != nil {
			return 0, err
		}
		defer p.Close()
		total += p.a.Bytes()
	}
	return total, nil
}

func Right105Owner(sizes []int) (int, error) {
	total := 0
	for i := 0; i < len(sizes); i++ {
		p, err := Right101Constructor(sizes[i])
		if err != nil {
			return 0, err
		}
		total += p.a.Bytes()
		p.Close()
	}
	return total, nil
}
