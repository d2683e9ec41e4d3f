package suite

import (
	"testing"

	"example.com/suite/dev"
)

func free(list ...*dev.Mem) {
	for _, m := range list {
		m.Free()
	}
}

func Test101(t *testing.T) {
	for name, f := range map[string]func(int) (*pair, error){"wrong": Wrong101Constructor, "right": Right101Constructor} {
		p, err := f(1)
		if err != nil {
			t.Fatal(name, err)
		}
		p.Close()
	}
	for name, f := range map[string]func(string) (int, error){"wrong": Wrong101Parse, "right": Right101Parse} {
		if n, err := f("3"); n != 3 || err != nil {
			t.Fatal(name, n, err)
		}
	}
	for name, f := range map[string]func(int) (int, error){"wrong": Wrong101Owner, "right": Right101Owner} {
		if n, err := f(3); n != 6 || err != nil {
			t.Fatal(name, n, err)
		}
	}
}

func Test101List(t *testing.T) {
	list, err := Wrong101List(3)
	if err != nil {
		t.Fatal(err)
	}
	free(list...)
}

func Test101ListRight(t *testing.T) {
	list, err := Right101List(3)
	if err != nil {
		t.Fatal(err)
	}
	free(list...)
}

func Test101Helper(t *testing.T) {
	m, err := Wrong101Helper(".")
	if err != nil {
		t.Fatal(err)
	}
	m.Free()
	m, err = Right101Helper(".")
	if err != nil {
		t.Fatal(err)
	}
	m.Free()
}

func Test102(t *testing.T) {
	if Wrong102Always(1) != nil || Right102Always(1) != nil {
		t.Fatal("no memory")
	}
	if Wrong102Branch(20) != 10 || Right102Branch(20) != 10 || Right102Branch(2) != 2 {
		t.Fatal("wrong size")
	}
	if Wrong102Turn([]int{1, 2, 3}) != 6 || Right102Turn([]int{1, 2, 3}) != 6 {
		t.Fatal("wrong sum")
	}
}

func Test103(t *testing.T) {
	dst := dev.Must(8)
	defer dst.Free()
	if !Wrong103Blank(1) || !Right103Blank(1) || Wrong103Inline(2) != 2 || Right103Inline(2) != 2 {
		t.Fatal("wrong")
	}
	if Wrong103Argument(dst) != nil || Right103Argument(dst) != nil {
		t.Fatal("does not fit")
	}
}

func Test104(t *testing.T) {
	Wrong104Variable(1)
	Right104Variable(1)
	m := newModel()
	defer m.Close()
	if m.Wrong104Field(2) != nil || m.Right104Field(3) != nil {
		t.Fatal("no memory")
	}
	if Wrong104Loop(3) != 2 || Right104Loop(3) != 2 {
		t.Fatal("wrong size")
	}
}

func Test105(t *testing.T) {
	sizes := []int{1, 2, 3, 4, 5}
	if Wrong105Requests(sizes) != 15 || Right105Requests(sizes) != 15 {
		t.Fatal("wrong sum")
	}
	if n, err := Wrong105Owner(sizes); n != 15 || err != nil {
		t.Fatal(n, err)
	}
	if n, err := Right105Owner(sizes); n != 15 || err != nil {
		t.Fatal(n, err)
	}
}

func Test106(t *testing.T) {
	if n, err := Wrong106Nil(3); n != 3 || err != nil {
		t.Fatal(n, err)
	}
	if n, err := Right106Nil(3); n != 3 || err != nil {
		t.Fatal(n, err)
	}
}

func Test201(t *testing.T) {
	for i := range 5 {
		Wrong201Global(i)
		if err := Wrong201ByID(i); err != nil {
			t.Fatal(err)
		}
	}
}

func Test201Right(t *testing.T) {
	t.Cleanup(clearRecent)
	for i := range 5 {
		Right201Global(i)
		if err := Right201ByID(i); err != nil {
			t.Fatal(err)
		}
		forget(i)
	}
}

func Test202(t *testing.T) {
	c := &cache{byKey: map[string]*dev.Mem{}}
	c.put("a", 1)
	c.Wrong202Evict("a")
	c.Close()
}

func Test202Reset(t *testing.T) {
	c := &cache{byKey: map[string]*dev.Mem{}}
	c.put("a", 1)
	c.Wrong202Reset()
	c.Close()
}

func Test202Right(t *testing.T) {
	c := &cache{byKey: map[string]*dev.Mem{}}
	c.put("a", 1)
	c.Right202Evict("a")
	c.put("b", 1)
	c.Right202Reset()
	c.Close()
}

func Test203(t *testing.T) {
	w := new(Wrong203Model)
	defer w.Close()
	p := &Wrong203Programs{byShape: map[string]*dev.Mem{}}
	defer p.Close()
	for i := range 8 {
		if err := w.forward(i); err != nil {
			t.Fatal(err)
		}
		if _, err := p.get([]int{i}); err != nil {
			t.Fatal(err)
		}
	}
}

func Test203Right(t *testing.T) {
	r := new(Right203Model)
	defer r.Close()
	p := &Right203Programs{byShape: map[string]*dev.Mem{}}
	defer p.Close()
	for i := range 12 {
		if err := r.forward(i); err != nil {
			t.Fatal(err)
		}
		if _, err := p.get([]int{i}); err != nil {
			t.Fatal(err)
		}
	}
}

func Test301(t *testing.T) {
	Wrong301Use(1)
	if Right301Use(1) != 1 {
		t.Fatal("wrong size")
	}
	_ = Wrong301Copy(1)
	if err := Right301Copy(1); err != nil {
		t.Fatal(err)
	}
}

func Test302(t *testing.T) {
	Wrong302Twice(2)
	Right302Twice(2)
	if Wrong302Error(1) != nil || Right302Error(1) != nil {
		t.Fatal("does not fit")
	}
}
