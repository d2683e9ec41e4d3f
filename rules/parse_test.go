// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package rules

import (
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strings"
	"testing"
)

// TestErrors has one bad line each, and the whole error.
func TestErrors(t *testing.T) {
	const fn = "func F(dst *T, n int, del bool, donate []bool) (*T, error)\n"
	for _, test := range []struct{ src, want string }{
		// Directives of functions.
		{"//gpumem:aquire x.a result0\n" + fn, `6:1: got the directive aquire, expected one of acquire, adopt, `},
		{"//gpumem:acquire\n" + fn, `6:1: got acquire without a place, expected a class as in nvml.session, or a place of this declaration: dst, n, del, donate, result0, result1`},
		{"//gpumem:acquire x.a result2\n" + fn, `6:22: got "result2", expected a result below result2`},
		{"//gpumem:acquire x.a resultat\n" + fn, `6:22: got "resultat", expected a place of this declaration: dst, n, del, donate, result0, result1`},
		{"//gpumem:acquire x.a recv\n" + fn, `6:22: got "recv", expected a place of a function without receiver: a place of this declaration: dst`},
		{"//gpumem:acquire x.a result0.\n" + fn, `6:22: got "result0.", expected a path of .Field, [] and <N> steps after result0`},
		{"//gpumem:acquire x.a result0[0]\n" + fn, `6:22: got "result0[0]", expected a path of`},
		{"//gpumem:acquire x.a result0<x>\n" + fn, `6:22: got "result0<x>", expected a path of`},
		{"//gpumem:acquire xa result0\n" + fn, `6:18: got "xa", expected a class as in cuda.mem, or a place`},
		{"//gpumem:acquire x.a result0 owned\n" + fn, `6:30: got "owned", expected a place of this declaration`},
		{"//gpumem:acquire x.a result0 when=sometimes\n" + fn, `6:30: got when="sometimes", expected always, success, failure, maybe, [!]NAME`},
		{"//gpumem:acquire x.a result0 when=n\n" + fn, `6:30: got when="n", expected a bool in when=, and n is int`},
		{"//gpumem:acquire x.a result0 when=each:del\n" + fn, `6:30: got when="each:del", expected a []bool parameter after each:, and del is bool`},
		{"//gpumem:acquire x.a result0 of=dst\n" + fn, `6:30: got of="dst", expected one of the options of acquire: release, when`},
		{"//gpumem:acquire x.a result0 when\n" + fn, `6:30: got "when", expected when=VALUE`},
		{"//gpumem:view result0 of=dst owned=yes\n" + fn, `6:30: got owned="yes", expected owned without a value`},
		{"//gpumem:view result0\n" + fn, `6:1: got view without of=PLACE, expected of= and a place`},
		{"//gpumem:borrow of=dst\n" + fn, `6:1: got borrow without a place, expected a place`},
		{"//gpumem:release x.a dst again=never\n" + fn, `6:26: got again="never", expected "crash" or "error" or "ok" or "unknown"`},
		{"//gpumem:release x.a dst nil=maybe\n" + fn, `6:26: got nil="maybe", expected "crash" or "ok"`},
		{"//gpumem:acquire x.a result0 release=,Free\n" + fn, `6:30: got release=",Free", expected names with commas between them`},
		{"//gpumem:noscope dst\n" + fn, `6:18: got "dst", expected nothing more after noscope`},
		{"//gpumem:success\n" + fn, `6:1: got success without a convention, expected error, true, nonnil, always or status=NUMBER`},
		{"//gpumem:success perhaps\n" + fn, `6:18: got "perhaps", expected error, true, nonnil, always or status=NUMBER`},
		{"//gpumem:success status=OK\n" + fn, `6:18: got status="OK", expected status=NUMBER`},
		{"//gpumem:success status=0 result=2\n" + fn, `6:27: got result="2", expected result=N with N below 2`},
		{"//gpumem:names 1a\n" + fn, `6:16: got "1a", expected NAME or Type.Method`},
		{"//gpumem:match .*\n" + fn, `6:1: got match here, expected one regular expression`},
		{"//gpumem:match (\nfunc _()\n", `6:16: got error parsing regexp`},
		{"//gpumem:use\nfunc _()\n", `7:6: got a function named _ without //gpumem:match`},
		{"//gpumem:acquire x.a result0 \"\n" + fn, `6:30: got "\"", expected a word, or a value in double quotes`},
		{"//gpumem:acquire y.a result0\n" + fn, `6:1: got the unknown class y.a, expected a class that is known`},
		{"//gpumem:acquire result0\n" + fn, `6:1: got acquire without a class, of the type *T, expected a class before the place`},
		{"//gpumem:source http://x\n//gpumem:use\n" + fn, `6:1: got "http://x", expected one https:// link`},
		// Declarations.
		{fn, `6:6: got F without a directive, expected what it does`},
		{"//gpumem:use\nfunc F() {}\n", `7:10: got a body of F, expected a declaration without one`},
		{"//gpumem:use\n" + fn + "\n//gpumem:use\n" + fn, `10:6: got a second model of lib.F, expected one, and the first is at line 7`},
		{"//gpumem:use\nfunc F(\n", `got 'EOF'`},
		{"//gpumem:acquire x.a result0\n\n" + fn, `6:1: got the directive acquire between declarations, expected class or source, or no empty line`},
		{"// gpumem:use\n" + fn, `6:1: got "// gpumem:", expected "//gpumem:" without a space`},
		{"//gpumem:use\nfunc F(n int /* */) //gpumem:use\n", `7:21: got the directive use between declarations, expected class or source`},
		// Types and classes.
		{"//gpumem:resource\ntype T struct{}\n", `6:1: got resource without a class, expected the name of a class`},
		{"//gpumem:resource x.a freed=Free\ntype T struct{}\n", `6:23: got freed="Free", expected release=METHODS, owned or value`},
		{"//gpumem:acquire x.a\ntype T struct{}\n", `6:1: got the directive acquire on a type, expected class, resource or source`},
		{"//gpumem:resource x.a\n//gpumem:resource x.a\ntype T struct{}\n", `7:1: got a second resource directive, expected one`},
		{"//gpumem:class x.a noun=thing verb=freed\n", `6:1: got a second class x.a, expected one, and the first is at line 4`},
		{"//gpumem:class\n", `6:1: got class without a name, expected the name of a class`},
		{"//gpumem:class thing noun=a verb=b\n", `6:16: got "thing", expected the name of a class as in cuda.mem`},
		{"//gpumem:class x.b verb=b\n", `6:1: got class x.b without noun=`},
		{"//gpumem:class x.b noun=b\n", `6:1: got class x.b without verb=`},
		{"//gpumem:class x.b noun= verb=b\n", `6:20: got noun="", expected noun with a value`},
		{"//gpumem:class x.b noun=b verb=b mem=gpu\n", `6:34: got mem="gpu", expected "device" or "handle" or "host"`},
		{"//gpumem:class x.b noun=b verb=b backstop=often\n", `6:34: got backstop="often", expected "broken" or "gc" or`},
		{"//gpumem:class x.b noun=b verb=b colour=red\n", `6:34: got colour="red", expected one of the keys of a class: accepts,`},
		{"//gpumem:class x.b noun=b verb=b often\n", `6:34: got "often", expected process, optional, ignore or a key=value of a class`},
		{"//gpumem:class x.b noun=b verb=b accepts=z.z\n", `6:1: got the unknown class z.z`},
	} {
		src := "//gpumem:package lib\npackage lib\n\n//gpumem:class x.a noun=thing verb=freed\n\n" + test.src
		f, err := Parse("lib.gpumem", []byte(src))
		if err == nil {
			_, err = newSet(&library{}, nil).With(f)
		}
		if err == nil || !strings.HasPrefix(err.Error(), "lib.gpumem:") || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s\ngot:  %v\nwant: %s", test.src, err, test.want)
		}
	}
}

func TestHeaderErrors(t *testing.T) {
	for src, want := range map[string]string{
		"package lib\n":                              "1:9: got package lib without an import path",
		"//gpumem:package a\npackage C\n":            "2:9: got package C with an import path",
		"//gpumem:package\npackage lib\n":            "1:1: got package without an import path",
		"//gpumem:package a module=b\npackage lib\n": `1:20: got module="b", expected IMPORT/PATH and, where there is one, module=MODULE@VERSION`,
		"//gpumem:use\npackage C\n":                  "1:1: got the directive use above the package clause",
		"//gpumem:success status=0\npackage C\n":     "1:1: got success status= in a file header without type=",
		"//gpumem:success nonnil\npackage C\n":       "1:1: got success without status= in a file header",
		"func F()\n":                                 "got 'func', expected 'package'",
	} {
		_, err := Parse("x.gpumem", []byte(src))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s\ngot:  %v\nwant: %s", src, err, want)
		}
	}
}

// TestAllErrors tells all that is wrong, in the order of the lines.
func TestAllErrors(t *testing.T) {
	_, err := Parse("x.gpumem", []byte("package C\n\n//gpumem:foo\nfunc F()\n\n//gpumem:bar\nfunc G()\n\nfunc H()\n"))
	list, ok := err.(ErrorList)
	if !ok || len(list) != 3 {
		t.Fatalf("got %v", err)
	}
	for i, line := range []int{3, 6, 9} {
		if list[i].Pos.Line != line || strings.Contains(list[i].Error(), "\n") {
			t.Errorf("error %d: %v", i, list[i])
		}
	}
}

// TestSource is on directives in ordinary Go.
func TestSource(t *testing.T) {
	const src = `package mine

//gpumem:class mine.buf noun="my buffer" verb=returned

// Buf is documented.
//
//gpumem:resource mine.buf release=Return
type Buf struct{}

// A Pool hands buffers out.
type Pool interface {
	//gpumem:acquire mine.buf result0
	Get() *Buf

	Len() int
}

// Get is documented too.
//
//gpumem:acquire mine.buf result0 // with a remark
func Get() (*Buf, error) { return nil, nil }

//gpumem:release recv
func (b *Buf) Return() {}

//gpumem:acquire ort.tensor result0
var New func() (*Buf, error)

func plain() {
	// gpumem: is no directive inside a body
}
`
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, "mine.go", src, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	if !HasDirectives(f) {
		t.Error("HasDirectives does not see them")
	}
	file, errs := Default().ParseFiles(fset, "example.com/mine", []*ast.File{f})
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	var got []string
	for _, fn := range file.Funcs {
		got = append(got, fn.Key+": "+says(fn))
	}
	want := []string{
		"(example.com/mine.Pool).Get: acquire mine.buf result0",
		"example.com/mine.Get: acquire mine.buf result0",
		"(example.com/mine.Buf).Return: release recv",
		"example.com/mine.New: acquire ort.tensor result0",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got:\n%s\nwant:\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if len(file.Types) != 1 || file.Types[0].Class != file.Classes[0] || file.Types[0].Key != "example.com/mine.Buf" {
		t.Errorf("types: %v", file.Types)
	}

	fns, types, classes, errs := Default().ParseDecl(fset, "example.com/mine", f.Decls[2])
	if len(fns) != 1 || len(types) != 0 || len(classes) != 0 || len(errs) != 1 || fns[0].Key != "example.com/mine.Get" {
		t.Errorf("ParseDecl: %v %v %v %v", fns, types, classes, errs)
	}
}

func TestSourceErrors(t *testing.T) {
	for src, want := range map[string]string{
		"package p\n\n//gpumem:aquire result0\nfunc F() int { return 0 }\n":      "3:1: got the directive aquire, expected one of",
		"package p\n\n//gpumem:acquire x.y result0\nfunc F() int { return 0 }\n": "3:1: got the unknown class x.y",
		"package p\n\n//gpumem:use\n\nfunc F() int { return 0 }\n":               "3:1: got the directive use between declarations, expected class, or no empty line",
		"package p\n\nfunc F() int {\n\t//gpumem:use\n\treturn 0\n}\n":           `4:2: got "//gpumem:use", expected directives in the comment right above a declaration`,
		"package p\n\n//gpumem:names G\nfunc F() int { return 0 }\n":             "3:1: got names here",
	} {
		fset := token.NewFileSet()
		f, err := parser.ParseFile(fset, "p.go", src, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		_, errs := Default().ParseFiles(fset, "p", []*ast.File{f})
		if len(errs) != 1 || !strings.Contains(errs[0].Error(), "p.go:"+want) {
			t.Errorf("%s\ngot:  %v\nwant: %s", src, errs, want)
		}
	}
}

// TestProvenance wants a link with every entry.
func TestProvenance(t *testing.T) {
	keys := map[string]string{}
	for _, f := range Default().Files() {
		check := func(what, source string) {
			if !isURL(source) {
				t.Errorf("%s: %s has no source", f.Name, what)
			}
		}
		for _, c := range f.Classes {
			check(c.Name, c.Source)
			if other, ok := keys[c.Name]; ok {
				t.Errorf("class %s is declared in %s and in %s", c.Name, other, f.Name)
			}
			keys[c.Name] = f.Name
			if strings.HasSuffix(c.Noun, "s") && !strings.HasSuffix(c.Noun, "ss") {
				t.Errorf("%s: %q is a plural, and messages say that it is not released", f.Name, c.Noun)
			}
			if c.Mem == MemUnknown {
				t.Errorf("%s: class %s does not say what memory it holds", f.Name, c.Name)
			}
		}
		for _, typ := range f.Types {
			check(typ.Key, typ.Source)
		}
		for _, fn := range f.Funcs {
			check(fn.Key, fn.Source)
			if fn.Match != nil {
				continue
			}
			for _, key := range fn.keys() {
				if other, ok := keys[key]; ok {
					t.Errorf("%s is declared in %s and in %s", key, other, f.Name)
				}
				keys[key] = f.Name
			}
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, idiom := range idioms {
		f.Add(idiomHeader + idiom.stub)
	}
	f.Add("package C\n//gpumem:names a b\n//gpumem:match \"a=b c\"\nfunc _(x ...bool)\n")
	f.Fuzz(func(t *testing.T, src string) {
		file, err := Parse("fuzz.gpumem", []byte(src))
		if err != nil {
			for _, e := range err.(ErrorList) {
				if e.Got == "" || e.Want == "" || strings.Contains(e.Error(), "\n") {
					t.Errorf("an error of no use: %q", e.Error())
				}
			}
			return
		}
		set, err := Default().With(file)
		if err != nil {
			return // unknown classes
		}
		for _, fn := range file.Funcs {
			if len(fn.Directives()) < len(fn.Effects) {
				t.Errorf("%s: a directive for each of %d effects: %q", fn.Key, len(fn.Effects), fn.Directives())
			}
		}
		set.C("x")
	})
}
