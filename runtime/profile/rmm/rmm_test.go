// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package rmm_test

import (
	"bytes"
	"os"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/gpumemlint/gpumemlint/runtime/gpumem"
	"github.com/gpumemlint/gpumemlint/runtime/profile/rmm"
)

const log = `Thread,Time,Action,Pointer,Size,Stream
2342727,15:47:02.841961,allocate,0x10012400000,1048576,0
2342727,15:47:02.841977,free,0x10012400000,1048576,0x0
7,15:47:02:9,allocate failure,(nil),4096,0x2
140573312345856,1634567890.345678,deallocate,0x7f8a40000000,1024,0x7f8a38001020
`

var records = []rmm.Record{
	{Thread: 2342727, Time: 15*time.Hour + 47*time.Minute + 2*time.Second + 841961*time.Microsecond, Action: rmm.Allocate, Pointer: 0x10012400000, Size: 1 << 20},
	{Thread: 2342727, Time: 15*time.Hour + 47*time.Minute + 2*time.Second + 841977*time.Microsecond, Action: rmm.Free, Pointer: 0x10012400000, Size: 1 << 20},
	{Thread: 7, Time: 15*time.Hour + 47*time.Minute + 2*time.Second + 900*time.Millisecond, Action: rmm.Failure, Size: 4096, Stream: 2},
	{Thread: 140573312345856, Time: 1634567890*time.Second + 345678*time.Microsecond, Action: rmm.Free, Pointer: 0x7f8a40000000, Size: 1024, Stream: 0x7f8a38001020},
}

func TestReadTakesEveryDialect(t *testing.T) {
	got, err := rmm.Read(strings.NewReader(log))
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(got, records) {
		t.Errorf("got  %+v\nwant %+v", got, records)
	}
}

func TestWriteReadsBack(t *testing.T) {
	var buf bytes.Buffer
	if err := rmm.Write(&buf, records); err != nil {
		t.Fatal(err)
	}
	if want := "2342727,15:47:02.841961,allocate,0x10012400000,1048576,0x0\n"; !strings.Contains(buf.String(), want) {
		t.Errorf("no line %q in\n%s", want, buf.String())
	}
	got, err := rmm.Read(&buf)
	if err != nil {
		t.Fatal(err)
	}
	want := append([]rmm.Record(nil), records...)
	want[3].Time %= 24 * time.Hour // a log has the time of day
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
}

func TestColumnsAreFoundByName(t *testing.T) {
	got, err := rmm.Read(strings.NewReader("Action,Source,Thread,Time,Size,Stream,Pointer\nfree,x,1,0.5,3,4,5\n"))
	want := []rmm.Record{{Thread: 1, Time: time.Second / 2, Action: rmm.Free, Pointer: 5, Size: 3, Stream: 4}}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, %v", got, err)
	}
}

func TestHistoryThereAndBack(t *testing.T) {
	entries := rmm.Entries(records)
	wantActions := []gpumem.Action{gpumem.ActionAlloc, gpumem.ActionFreeRequested, gpumem.ActionFreeCompleted, gpumem.ActionOOM,
		gpumem.ActionFreeRequested, gpumem.ActionFreeCompleted}
	var actions []gpumem.Action
	for _, e := range entries {
		actions = append(actions, e.Action)
	}
	if !reflect.DeepEqual(actions, wantActions) {
		t.Errorf("actions are %v", actions)
	}
	back := rmm.FromEntries(append(entries, gpumem.Entry{Action: gpumem.ActionSegmentAlloc, Size: 1}))
	want := append([]rmm.Record(nil), records...)
	for i := range want {
		want[i].Thread = 0 // a history does not know threads
	}
	if !reflect.DeepEqual(back, want) {
		t.Errorf("got  %+v\nwant %+v", back, want)
	}
}

func TestErrorsNameTheLine(t *testing.T) {
	const head = "Thread,Time,Action,Pointer,Size,Stream\n1,0,free,0x1,2,0\n"
	for in, want := range map[string]string{
		"":                               "the file is empty",
		"a,b,c\n":                        `no column "Thread"`,
		head + "1,0,free,0x1\n":          "line 3: 4 fields where 6 belong",
		head + "x,0,free,0x1,2,0\n":      `line 3: thread "x"`,
		head + "1,0,steal,0x1,2,0\n":     `line 3: action "steal"`,
		head + "1,0,free,zero,2,0\n":     `line 3: pointer "zero"`,
		head + "1,0,free,0x1,-2,0\n":     `line 3: size "-2"`,
		head + "1,0,free,0x1,2,s\n":      `line 3: stream "s"`,
		head + "1,1:2:x,free,0x1,2,0\n":  `line 3: time "1:2:x"`,
		head + "1,NaN,free,0x1,2,0\n":    `line 3: time "NaN"`,
		head + "1,0,\"free,0x1,2,0\n":    `extraneous or missing "`,
		head + "1,1::3:4,free,0x1,2,0\n": "",
	} {
		_, err := rmm.Read(strings.NewReader(in))
		if want == "" {
			if err != nil {
				t.Errorf("%q: %v", in, err)
			}
			continue
		}
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%q: got %v, want something with %q", in, err, want)
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add(log)
	f.Fuzz(func(t *testing.T, in string) {
		got, err := rmm.Read(strings.NewReader(in))
		if err != nil {
			return // any error is fine, a crash is not
		}
		var buf bytes.Buffer
		if err := rmm.Write(&buf, got); err != nil {
			t.Fatal(err)
		}
		again, err := rmm.Read(&buf)
		if err != nil || len(again) != len(got) {
			t.Errorf("%d rows read back as %d, %v", len(got), len(again), err)
		}
	})
}

func ExampleWrite() {
	history := []gpumem.Entry{
		{Action: gpumem.ActionAlloc, Addr: 0x7f0000000000, Size: 4096},
		{Action: gpumem.ActionFreeRequested, Addr: 0x7f0000000000, Size: 4096},
	}
	if err := rmm.Write(os.Stdout, rmm.FromEntries(history)); err != nil {
		os.Stdout.WriteString(err.Error())
	}
	// Output:
	// Thread,Time,Action,Pointer,Size,Stream
	// 0,00:00:00.000000,allocate,0x7f0000000000,4096,0x0
	// 0,00:00:00.000000,free,0x7f0000000000,4096,0x0
}
