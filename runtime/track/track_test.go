// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package track

import (
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"
)

func TestLeakIsLive(t *testing.T) {
	read := fresh(t, "")
	runTest("TestX", func(*fakeTest) {
		a, _ := newBuf(false)
		b, _ := newBuf(false)
		if _, err := newBuf(true); err == nil {
			t.Error("no error")
		}
		a.Close()
		b.Use()
	})
	rec := one(t, read())
	if rec.Kind != KindTest || rec.Test != "TestX" || rec.Run != 1 {
		t.Errorf("got %+v, want the record of TestX", rec)
	}
	if len(rec.Sites) != 2 || rec.Sites[0].Released != 1 || rec.Sites[1].Live != 1 {
		t.Fatalf("sites %+v, want two, the first released, the second live", rec.Sites)
	}
	if len(rec.Live) != 1 || rec.Live[0].Site != rec.Sites[1].Site || rec.Live[0].Class != "t.buf" || rec.Live[0].Escaped {
		t.Errorf("live %+v, want the one of the second site", rec.Live)
	}
	st := rec.Sites[1].Stack
	if !strings.HasSuffix(st[0].Func, "track.newBuf") || !st[0].Library || userFrame(st) != "track.TestLeakIsLive.func1" {
		t.Errorf("stack %+v, want newBuf, marked as library, then the test", st)
	}
}

func TestRightCodeIsClean(t *testing.T) {
	read := fresh(t, "")
	runTest("TestX", func(f *fakeTest) {
		a, _ := newBuf(false)
		f.Cleanup(a.Close)
		b, _ := newBuf(false)
		if take(b, true) == nil {
			t.Error("no error")
		}
		b.Use() // still there: the call failed
		if take(b, false) != nil {
			t.Error("error")
		}
		c, done := borrow()
		c.Use()
		done()
		list := make([]*buf, 2)
		list[0], _ = newBuf(false)
		fill(list)
		for _, e := range list {
			e.Close()
		}
		d, _ := newBuf(false)
		if tryFree(d, false) != nil || tryFree(d, true) == nil {
			t.Error("wrong result")
		}
	})
	rec := one(t, read())
	if len(rec.Live) != 0 {
		t.Errorf("live %+v, want nothing", rec.Live)
	}
	if got := len(rec.Sites); got != 6 {
		t.Errorf("%d sites %+v, want 6", got, rec.Sites)
	}
}

func TestDoubleReleaseAndUseAfter(t *testing.T) {
	read := fresh(t, "")
	runTest("TestX", func(*fakeTest) {
		a, _ := newBuf(false)
		a.Close()
		a.Use()
		a.Close()
	})
	records := read()
	if len(records) != 3 {
		t.Fatalf("got %+v, want two misuses and the test", records)
	}
	for i, want := range []string{UseAfterRelease, DoubleRelease} {
		rec := records[i]
		if rec.Kind != KindMisuse || rec.Misuse != want || rec.Test != "TestX" || rec.Class != "t.buf" {
			t.Errorf("record %d is %+v, want %s", i, rec, want)
		}
		for what, st := range map[string][]Frame{"misuse": rec.Stack, "acquisition": rec.Acquire, "release": rec.Release} {
			if userFrame(st) != "track.TestDoubleReleaseAndUseAfter.func1" {
				t.Errorf("%s: the stack of the %s is %+v", want, what, st)
			}
		}
	}
}

// The walk of a release goes on where its first frames are none of the user's.
func TestReleaseFarFromUser(t *testing.T) {
	read := fresh(t, "")
	runTest("TestX", func(*fakeTest) {
		a, _ := newBuf(false)
		for range 2 { // the second time the short stack is known
			b, _ := newBuf(false)
			reflect.ValueOf((*buf).Close).Call([]reflect.Value{reflect.ValueOf(b)})
			b.Close()
		}
		a.Close()
		a.Close()
	})
	records := read()
	if len(records) != 4 {
		t.Fatalf("got %+v, want three second releases and the test", records)
	}
	for i, rec := range records[:3] {
		user := slices.ContainsFunc(rec.Release, func(f Frame) bool { return strings.HasSuffix(f.Func, "track.TestReleaseFarFromUser.func1") })
		if far := len(rec.Release) > 1 && strings.HasPrefix(rec.Release[1].Func, "reflect."); !user || far != (i < 2) {
			t.Errorf("record %d: the stack of the release is %+v; want the test in it, behind package reflect in the first two", i, rec.Release)
		}
	}
}

func TestWithin(t *testing.T) {
	for pkg, want := range map[string]bool{
		"example.com/m": true, "example.com/m_test": true, "example.com/m/a": true, "example.com/m/a_test": true,
		"example.com/mm": false, "example.com": false, "runtime": false,
	} {
		if got := within(pkg, "example.com/m"); got != want {
			t.Errorf("%s within example.com/m: %v, want %v", pkg, got, want)
		}
	}
}

// An address that comes back is another allocation.
func TestReusedAddress(t *testing.T) {
	read := fresh(t, "")
	runTest("TestX", func(*fakeTest) {
		var p uintptr
		for range 3 {
			if malloc(&p, 0xdead0, 0) != 0 {
				t.Error("status")
			}
			free(p)
		}
		if malloc(&p, 0xdead0, 2) != 2 { // fails: nothing acquired
			t.Error("status")
		}
		malloc(&p, 0xdead0, 0)
	})
	rec := one(t, read())
	if len(rec.Live) != 1 || rec.Live[0].ID != 4 || rec.Live[0].Escaped {
		t.Errorf("live %+v, want the fourth allocation", rec.Live)
	}
	for _, s := range rec.Sites {
		if userFrame(s.Stack[1:]) != "track.TestReusedAddress.func1" {
			t.Errorf("stack %+v: the literal around a C call must be left out", s.Stack)
		}
	}
}

// A handle that was freed in a way that no model knows is no certain leak, and
// what comes after it at the same address no double release.
func TestReusedAddressUnseen(t *testing.T) {
	read := fresh(t, "")
	runTest("TestX", func(*fakeTest) {
		var p uintptr
		malloc(&p, 0xbeef0, 0)
		malloc(&p, 0xbeef0, 0)
		free(p)
		free(p)
	})
	if rec := one(t, read()); len(rec.Live) != 0 {
		t.Errorf("live %+v, want nothing", rec.Live)
	}
}

func TestMaybeReleasedIsNotCertain(t *testing.T) {
	read := fresh(t, "")
	runTest("TestX", func(*fakeTest) {
		b, _ := newBuf(false)
		func() { defer F(fnMaybe, b).Out() }()
	})
	if rec := one(t, read()); len(rec.Live) != 1 || !rec.Live[0].Escaped {
		t.Errorf("live %+v, want one that is not certain", rec.Live)
	}
}

func TestProcessClass(t *testing.T) {
	read := fresh(t, "")
	initialise := func() { defer F(fnInit).Out() }
	shutdown := func() { defer F(fnShutdown).Out() }
	runTest("TestX", func(*fakeTest) {
		initialise()
		initialise()
		shutdown()
	})
	if rec := one(t, read()); len(rec.Live) != 1 || !rec.Live[0].Process {
		t.Errorf("live %+v, want the session, as one of the process", rec.Live)
	}
	runTest("TestY", func(*fakeTest) { shutdown() })
	records := read()
	if len(records) != 3 || records[1].Kind != KindLate || records[1].ID != records[0].Live[0].ID {
		t.Errorf("records %+v, want the session to be taken back", records)
	}
}

func TestCollected(t *testing.T) {
	read := fresh(t, "")
	var kept *buf
	runTest("TestX", func(*fakeTest) {
		newAuto()
		kept = newAuto()
	})
	rec := one(t, read())
	if len(rec.Live) != 1 || !rec.Live[0].Backstop || len(rec.Sites) != 2 || rec.Sites[0].Collected != 1 {
		t.Errorf("got %+v, want the first to be collected and the second live", rec)
	}
	runtime.KeepAlive(kept)
}

func TestPackageOf(t *testing.T) {
	for function, want := range map[string]string{
		"example.com/a/b.F":                          "example.com/a/b",
		"example.com/a%2eb.(*T).M":                   "example.com/a.b",
		"gopkg.in/yaml%2ev3.F":                       "gopkg.in/yaml.v3",
		"example.com/a.F[go.shape.*example.com/x.T]": "example.com/a",
		"main.main":                                  "main",
	} {
		if got := packageOf(function); got != want {
			t.Errorf("packageOf(%q) = %q, want %q", function, got, want)
		}
	}
}
