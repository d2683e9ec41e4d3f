// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package mend_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/gpumemlint/gpumemlint/internal/mend"
)

func newFiles(t *testing.T) *mend.Files {
	t.Helper()
	f, err := mend.New()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	})
	return f
}

func writeFile(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "a.go")
	if err := os.WriteFile(path, []byte(text), 0o640); err != nil {
		t.Fatal(err)
	}
	return path
}

func all(string) bool { return true }

func insert(path string, at int, text string) mend.Fix {
	return mend.Fix{Message: "insert " + text, Edits: []mend.Edit{{Path: path, Start: at, End: at, New: text}}}
}

// TestApply checks which fixes are made in one round: not those that meet, and
// those that are there twice once.
func TestApply(t *testing.T) {
	path := writeFile(t, "0123456789")
	f := newFiles(t)
	n, err := f.Apply([]mend.Fix{
		insert(path, 2, "a"),
		insert(path, 2, "b"), // meets the first
		insert(path, 2, "a"), // is the first
		{Message: "both", Edits: []mend.Edit{{Path: path, Start: 5, End: 7, New: "c"}, {Path: path, Start: 2, End: 2, New: "a"}}},
		insert(path, 6, "d"), // meets that
	}, all)
	if err != nil || n != 2 {
		t.Fatalf("%d fixes, %v; want 2", n, err)
	}
	if got := f.Done(path); !slices.Equal(got, []string{"insert a", "both"}) {
		t.Errorf("done %q", got)
	}
	if _, err := f.Write(); err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(path)
	if err != nil || string(got) != "01a234c789" {
		t.Errorf("the file is %q, %v", got, err)
	}
	if st, err := os.Stat(path); err != nil || st.Mode().Perm() != 0o640 {
		t.Errorf("the mode is %v, %v", st.Mode(), err)
	}
	if list, _ := os.ReadDir(filepath.Dir(path)); len(list) != 1 {
		t.Errorf("files are left behind: %v", list)
	}
}

// TestRounds checks that a second round starts from what the first has made, that
// it can be taken back, and that nothing is on disk before Write.
func TestRounds(t *testing.T) {
	path := writeFile(t, "one\n")
	f := newFiles(t)
	for _, word := range []string{"two\n", "three\n"} {
		if _, err := f.Apply([]mend.Fix{insert(path, 0, word)}, all); err != nil {
			t.Fatal(err)
		}
	}
	f.Undo(func(p string) bool { return p == path })
	if got, _ := os.ReadFile(path); string(got) != "one\n" {
		t.Errorf("on disk is %q already", got)
	}
	want := "diff a/x b/x\n--- a/x\n+++ b/x\n@@ -1,1 +1,2 @@\n+two\n one\n"
	if got := string(f.Diff(func(string) string { return "x" })); got != want {
		t.Errorf("diff\n%s\nwant\n%s", got, want)
	}
	if got := f.Done(path); !slices.Equal(got, []string{"insert two\n"}) {
		t.Errorf("done %q", got)
	}
}

// TestOverlay checks that equal texts get equal names and others get others, and
// that names can be turned back.
func TestOverlay(t *testing.T) {
	path := writeFile(t, "one\n")
	f := newFiles(t)
	if o, s, err := f.Overlay(); o != "" || s != "" || err != nil {
		t.Fatalf("overlay of nothing: %q, %q, %v", o, s, err)
	}
	var names []string
	for range 2 {
		if _, err := f.Apply([]mend.Fix{insert(path, 0, "x")}, all); err != nil {
			t.Fatal(err)
		}
		o, s, err := f.Overlay()
		if err != nil {
			t.Fatal(err)
		}
		again, _, _ := f.Overlay()
		if again != o {
			t.Errorf("the same text is at %s and %s", o, again)
		}
		names = append(names, o, s)
		text, err := os.ReadFile(s)
		if err != nil {
			t.Fatal(err)
		}
		if got := f.Original(string(text)); !strings.Contains(got, `"`+path+`":"`+path+`"`) {
			t.Errorf("%s turned back is %s", text, got)
		}
	}
	if names[0] == names[2] || names[1] == names[3] {
		t.Errorf("other texts have the same names: %v", names)
	}
}

// TestErrors checks what is refused.
func TestErrors(t *testing.T) {
	path := writeFile(t, "one\n")
	f := newFiles(t)
	if _, err := f.Apply([]mend.Fix{insert(path, 99, "x")}, all); err == nil || !strings.Contains(err.Error(), "does not fit the file") {
		t.Errorf("an edit behind the end: %v", err)
	}
	if n, err := f.Apply([]mend.Fix{insert(path, 0, "x")}, func(string) bool { return false }); n != 0 || err != nil {
		t.Errorf("a file that is not to be changed: %d fixes, %v", n, err)
	}
	if _, err := f.Apply([]mend.Fix{insert(path, 0, "x")}, all); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte("other\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := f.Write(); err == nil || !strings.Contains(err.Error(), "has changed since it was analysed") {
		t.Errorf("a file that somebody else has changed: %v", err)
	}
	if got, _ := os.ReadFile(path); string(got) != "other\n" {
		t.Errorf("it was overwritten: %q", got)
	}
}
