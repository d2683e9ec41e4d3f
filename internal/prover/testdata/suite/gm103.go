package suite

import "example.com/suite/dev"

func Wrong103Blank(n int) bool {
	_, err := dev.Alloc(n)
	return err == nil
}

func Right103Blank(n int) bool {
	m, err := dev.Alloc(n)
	if err != nil {
		return false
	}
	m.Free()
	return true
}

func Wrong103Inline(n int) int { return dev.Must(n).Bytes() }

func Right103Inline(n int) int {
	m := dev.Must(n)
	defer m.Free()
	return m.Bytes()
}

func Wrong103Argument(dst *dev.Mem) error { return dev.Copy(dst, dev.Must(4)) }

func Right103Argument(dst *dev.Mem) error {
	src := dev.Must(4)
	defer src.Free()
	return dev.Copy(dst, src)
}
