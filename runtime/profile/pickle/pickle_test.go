// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package pickle

import (
	"bytes"
	"encoding/binary"
	"math"
	"reflect"
	"strings"
	"testing"
)

func TestIntegersKeepTheirValue(t *testing.T) {
	values := []int64{0, 1, 255, 256, 65535, 65536, -1, math.MaxInt32, math.MinInt32, math.MaxInt32 + 1, math.MinInt32 - 1,
		1 << 39, -1 << 39, 1<<39 - 1, 1 << 47, 0x7f00_0000_0000, 1<<53 - 1, math.MaxInt64, math.MinInt64}
	var buf bytes.Buffer
	w := NewWriter(&buf)
	w.List(len(values), func(i int) { w.Int(values[i]) })
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	got, err := Read(buf.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	for i, v := range got.(*List).Items {
		if v != values[i] {
			t.Errorf("item %d: got %v, want %d", i, v, values[i])
		}
	}
}

func TestEveryKindRoundTrips(t *testing.T) {
	long := strings.Repeat("x", 300)
	var buf bytes.Buffer
	w := NewWriter(&buf)
	w.Dict(func() {
		w.Key("none")
		w.None()
		w.Key("yes")
		w.Bool(true)
		w.Key("no")
		w.Bool(false)
		w.Key("float")
		w.Float(-0.5)
		w.Key("text")
		w.String("yes")
		w.Key("long")
		w.String(long)
		w.Key("pair")
		w.Pair(1, -2)
		w.Key("empty")
		w.List(0, nil)
		w.Key("nested")
		w.List(2, func(i int) { w.Dict(func() { w.Key("i"); w.Int(int64(i)) }) })
	})
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	got, err := Read(buf.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	want := Dict{"none": nil, "yes": true, "no": false, "float": -0.5, "text": "yes", "long": long,
		"pair": &List{[]any{int64(1), int64(-2)}}, "empty": &List{},
		"nested": &List{[]any{Dict{"i": int64(0)}, Dict{"i": int64(1)}}}}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %v\nwant %v", got, want)
	}
}

func TestListsAreWrittenInBatches(t *testing.T) {
	const n = 2500
	var buf bytes.Buffer
	w := NewWriter(&buf)
	w.List(n, func(i int) { w.Bool(true) })
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	// Items are single bytes here, so the file can be cut at its opcodes.
	batches := bytes.Split(buf.Bytes()[3:], []byte{opMark})
	if len(batches) != 4 { // what stands before the first mark is empty
		t.Fatalf("%d batches, want 3", len(batches)-1)
	}
	for _, b := range batches {
		if items := bytes.Count(b, []byte{opTrue}); items > maxBatch {
			t.Errorf("a batch of %d items", items)
		}
	}
	got, err := Read(buf.Bytes())
	if err != nil || len(got.(*List).Items) != n {
		t.Errorf("read %v, %v", got, err)
	}
}

func TestSharedListIsOneObject(t *testing.T) {
	var buf bytes.Buffer
	w := NewWriter(&buf)
	slot := uint32(0)
	w.List(300, func(i int) {
		if i == 0 {
			slot = w.SharedList(1, func(int) { w.String("frame") })
			return
		}
		w.SameList(slot)
	})
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	got, err := Read(buf.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	items := got.(*List).Items
	if items[0] != items[299] {
		t.Error("the list was copied")
	}
	if n := bytes.Count(buf.Bytes(), []byte("frame")); n != 1 {
		t.Errorf("the content is written %d times", n)
	}
}

// failing refuses to be written to after a number of bytes.
type failing struct{ left int }

func (f *failing) Write(b []byte) (int, error) {
	if len(b) > f.left {
		return 0, bytes.ErrTooLarge
	}
	f.left -= len(b)
	return len(b), nil
}

func TestCloseReportsAFailedWrite(t *testing.T) {
	w := NewWriter(&failing{left: 10})
	w.String(strings.Repeat("a", 100<<10))
	if err := w.Close(); err != bytes.ErrTooLarge {
		t.Errorf("got %v", err)
	}
}

func TestBrokenFilesAreOneLineErrors(t *testing.T) {
	huge := binary.LittleEndian.AppendUint32([]byte{opProto, 4, opUnicode4}, math.MaxUint32)
	for name, c := range map[string]struct {
		data []byte
		want string
	}{
		"empty":         {nil, "does not begin with a protocol"},
		"text":          {[]byte("hello"), "does not begin with a protocol"},
		"old protocol":  {[]byte{opProto, 0, opNone, opStop}, "protocol 0"},
		"new protocol":  {[]byte{opProto, 6, opNone, opStop}, "protocol 6"},
		"no stop":       {[]byte{opProto, 4, opNone}, "more bytes are needed"},
		"nothing":       {[]byte{opProto, 4, opStop}, "nothing to work on"},
		"huge string":   {huge, "more bytes are needed"},
		"import":        {[]byte("\x80\x04cos\nsystem\n."), "opcode 0x63 is not plain data"},
		"reduce":        {[]byte{opProto, 4, opNone, opEmptyTuple, 'R', opStop}, "opcode 0x52 is not plain data"},
		"big number":    {append([]byte{opProto, 4, opLong1, 9}, make([]byte, 10)...), "does not fit in 64 bits"},
		"no mark":       {[]byte{opProto, 4, opEmptyList, opAppends, opStop}, "no mark"},
		"odd pairs":     {[]byte{opProto, 4, opEmptyDict, opMark, opNone, opSetItems, opStop}, "pairs"},
		"key":           {[]byte{opProto, 4, opEmptyDict, opNone, opNone, opSetItem, opStop}, "dictionary key"},
		"append to int": {[]byte{opProto, 4, opInt1, 1, opNone, opAppend, opStop}, "put into a int64"},
		"lost slot":     {[]byte{opProto, 4, opBinGet, 7, opStop}, "slot 7"},
		"not UTF-8":     {[]byte{opProto, 4, opUnicode1, 1, 0xff, opStop}, "not UTF-8"},
	} {
		_, err := Read(c.data)
		if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: got %v, want something with %q", name, err, c.want)
		}
	}
}

func FuzzRead(f *testing.F) {
	var buf bytes.Buffer
	w := NewWriter(&buf)
	w.Dict(func() {
		w.Key("a")
		w.List(3, func(i int) { w.Int(int64(i) << 40) })
		w.Key("b")
		w.Pair(1, 2)
	})
	w.Close()
	f.Add(buf.Bytes())
	f.Add([]byte{opProto, 4, opEmptyList, opMemoize, opBinGet, 0, opAppend, opStop})
	f.Fuzz(func(t *testing.T, data []byte) {
		v, err := Read(data)
		if err != nil {
			return // any error is fine, a crash is not
		}
		switch v.(type) {
		case nil, bool, int64, float64, string, *List, Dict:
		default:
			t.Errorf("an undocumented type: %T", v)
		}
	})
}
