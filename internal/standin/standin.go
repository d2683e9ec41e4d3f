// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

// Package standin lets code be analysed where the C that it needs is not
// installed: no CUDA on the CI machine, no OpenCV on the laptop.
//
// Raw cgo code needs headers only. Small ones of our own declare what CUDA,
// HIP and OpenCL offer; they come last in the search path, so that real ones
// win. A library that cgo cannot process is replaced, in the eyes of the go
// command, by its shadow: the same exported declarations in Go, without
// bodies. Its users are analysed in full; what the library does is said by
// its models.
package standin

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// A Package is what go list says of a package.
type Package struct {
	ImportPath string
	Name       string
	Dir        string
	DepOnly    bool
	Standard   bool
	Module     *Module

	GoFiles, CgoFiles                          []string
	CFiles, CXXFiles, MFiles, FFiles           []string
	SFiles, SysoFiles, SwigFiles, SwigCXXFiles []string
}

// A Module is what go list says of a package's module.
type Module struct {
	Path    string
	Version string
	Dir     string
	Main    bool
	Replace *Module
}

// cached reports whether the module is in the module cache, where the go
// command allows no overlay.
func (m *Module) cached() bool {
	if m == nil || m.Main {
		return false
	}
	if m.Replace != nil {
		m = m.Replace
	}
	return m.Version != "" && m.Dir != ""
}

// A Complaint is why a package could not be compiled.
type Complaint struct {
	Package string // import path
	Message string
}

// A Plan is what to change in a run of the go command, and what to tell the
// user about it. The zero Plan changes nothing.
type Plan struct {
	Headers  []string // headers that are ours
	Packages []string // pkg-config's names of libraries whose headers are ours
	Shadowed []Shadowed
	shadowed map[string]*Package // by import path, as they are without us
	bare     map[string]bool     // by import path: no function has a body
	overlay  map[string]string   // for the go command: file to replacement
	mirrors  map[string]*mirror  // by module path
	dir      string              // where everything is kept
}

// Shadowed is a package that is analysed as a shadow.
type Shadowed struct {
	Package string
	Why     string
	Root    bool // the user asked for this very package, whose bodies stay unseen
}

var (
	missingHeader = regexp.MustCompile(`fatal error: '?([^:']+)'?(: No such file or directory| file not found)`)
	missingC      = regexp.MustCompile(`fatal error: |pkg-config|could not determine what C\.|C compiler .* not found|cgo: `)
)

// A Lister runs go list -e with the given flags on what is analysed.
type Lister func(ctx context.Context, flags ...string) (string, error)

// Extend adds to the plan what helps against the complaints. It reports
// whether there is anything new to try.
func (p *Plan) Extend(ctx context.Context, list Lister, complaints []Complaint) (bool, error) {
	complaints = slices.DeleteFunc(slices.Clone(complaints), func(c Complaint) bool {
		if p.isShadowed(c.Package) {
			return strings.Contains(c.Message, "_test.go:") // tests may well ask for what a shadow lacks
		}
		return c.Package == "" || !missingC.MatchString(c.Message) // not for want of C
	})
	if len(complaints) == 0 {
		return false, nil
	}
	if err := p.open(); err != nil {
		return false, err
	}
	changed := false
	var rest []Complaint
	for _, c := range complaints {
		if name, ok := packageOf(c.Message); ok && !slices.Contains(p.Packages, name) {
			p.Packages = append(p.Packages, name)
			slices.Sort(p.Packages)
			changed = true
			continue
		}
		name, ok := headerOf(c.Message)
		if !ok || slices.Contains(p.Headers, name) {
			rest = append(rest, c)
			continue
		}
		p.Headers = append(p.Headers, name)
		slices.Sort(p.Headers)
		changed = true
	}
	if changed || len(rest) == 0 {
		return changed, nil // the packages may do with the headers; see what is left then
	}
	return p.shadow(ctx, list, rest)
}

// headerOf returns the header that a message misses, if it is one of ours.
func headerOf(message string) (string, bool) {
	m := missingHeader.FindStringSubmatch(message)
	if m == nil {
		return "", false
	}
	_, err := headers.Open("include/" + m[1])
	return m[1], err == nil
}

// shadow replaces the packages that the complaints are about.
func (p *Plan) shadow(ctx context.Context, list Lister, complaints []Complaint) (bool, error) {
	out, err := list(ctx, "-deps", "-json=ImportPath,Name,Dir,DepOnly,Standard,Module,GoFiles,CgoFiles,CFiles,CXXFiles,MFiles,FFiles,SFiles,SysoFiles,SwigFiles,SwigCXXFiles")
	if err != nil {
		return false, err
	}
	pkgs, names, err := readPackages(strings.NewReader(out))
	if err != nil {
		return false, err
	}
	changed := false
	for _, c := range complaints {
		pkg := p.shadowed[c.Package] // as it was before
		again := pkg != nil
		if !again {
			pkg = pkgs[c.Package]
		}
		if pkg == nil || len(pkg.CgoFiles) == 0 || pkg.Standard || p.bare[c.Package] {
			continue // nothing that a shadow would mend
		}
		p.bare[c.Package] = again // the bodies that it had do not compile
		s, err := newShadow(pkg, names, again)
		if err != nil {
			continue // the complaint stands
		}
		if pkg.Module.cached() {
			p.mirror(pkg.Module).add(pkg.Dir, s)
		} else if overlay, err := s.write(p.dir); err != nil {
			return false, fmt.Errorf("cannot store what stands in for %s: %w", c.Package, err)
		} else {
			maps.Copy(p.overlay, overlay)
		}
		changed = true
		if !again {
			p.shadowed[c.Package] = pkg
			p.Shadowed = append(p.Shadowed, Shadowed{Package: c.Package, Why: c.Message, Root: !pkg.DepOnly})
		}
	}
	slices.SortFunc(p.Shadowed, func(a, b Shadowed) int { return strings.Compare(a.Package, b.Package) })
	return changed, nil
}

func (p *Plan) isShadowed(path string) bool { return p.shadowed[path] != nil }

func readPackages(r io.Reader) (pkgs map[string]*Package, names map[string]string, err error) {
	pkgs, names = map[string]*Package{}, map[string]string{}
	dec := json.NewDecoder(r)
	for {
		p := new(Package)
		if err := dec.Decode(p); errors.Is(err, io.EOF) {
			return pkgs, names, nil
		} else if err != nil {
			return nil, nil, fmt.Errorf("go list printed what is not its JSON: %w", err)
		}
		pkgs[p.ImportPath] = p
		names[p.ImportPath] = p.Name
	}
}

// open chooses where to keep what the go command is to read. It is the same
// place each time, or the go command's cache would not know the files again.
func (p *Plan) open() error {
	if p.dir != "" {
		return nil
	}
	p.overlay, p.mirrors = map[string]string{}, map[string]*mirror{}
	p.shadowed, p.bare = map[string]*Package{}, map[string]bool{}
	if base, err := os.UserCacheDir(); err == nil {
		p.dir = filepath.Join(base, "gpumemlint")
		if os.MkdirAll(p.dir, 0o777) == nil {
			return nil
		}
	}
	p.dir = filepath.Join(os.TempDir(), "gpumemlint") // works, but may not last
	return os.MkdirAll(p.dir, 0o777)
}

// Apply returns the build flags and the environment that the plan asks for.
// env is the environment so far, or nil for that of this process.
func (p *Plan) Apply(ctx context.Context, env []string) (flags, environ []string, err error) {
	if env == nil {
		env = os.Environ()
	}
	env = slices.Clone(env)
	if len(p.overlay) > 0 {
		data, err := json.Marshal(map[string]any{"Replace": p.overlay}) // sorted by key
		if err != nil {
			return nil, nil, err
		}
		file, err := store(p.dir, "overlay.json", data)
		if err != nil {
			return nil, nil, fmt.Errorf("cannot store the overlay: %w", err)
		}
		flags = append(flags, "-overlay="+file)
	}
	if len(p.mirrors) > 0 {
		file, work, err := p.modfile(ctx)
		if err != nil {
			return nil, nil, err
		}
		if work {
			env = append(env, "GOWORK="+file)
		} else {
			flags = append(flags, "-modfile="+file)
		}
	}
	if len(p.Packages) > 0 {
		file, err := p.pkgConfig()
		if err != nil {
			return nil, nil, fmt.Errorf("cannot store the stand-in for pkg-config: %w", err)
		}
		env = append(env, "PKG_CONFIG="+file)
	}
	if len(p.Headers) > 0 {
		if env, err = p.withHeaders(ctx, env); err != nil {
			return nil, nil, err
		}
	}
	return flags, env, nil
}

// withHeaders puts the stand-in headers at the end of the C compiler's search
// path.
func (p *Plan) withHeaders(ctx context.Context, env []string) ([]string, error) {
	dir, err := writeHeaders(p.dir)
	if err != nil {
		return nil, fmt.Errorf("cannot store the stand-in headers: %w", err)
	}
	out, err := exec.CommandContext(ctx, "go", "env", "CGO_CFLAGS", "CGO_CXXFLAGS").Output()
	if err != nil {
		return nil, fmt.Errorf("go env: %w", err)
	}
	lines := strings.Split(string(out), "\n")
	for i, name := range []string{"CGO_CFLAGS", "CGO_CXXFLAGS"} {
		// -idirafter comes behind the system's own folders: real headers win.
		env = append(env, name+"="+strings.TrimSpace(lines[i])+" -idirafter "+dir)
	}
	return env, nil
}

// Notes says in a line each what stands in for what.
func (p *Plan) Notes() []string {
	var notes []string
	if missing := slices.Concat(p.Headers, p.Packages); len(missing) > 0 {
		notes = append(notes, fmt.Sprintf("%s not installed here: used stand-in headers", strings.Join(missing, ", ")))
	}
	if line := p.shadowNote(); line != "" {
		notes = append(notes, line)
	}
	return notes
}

// position is where the compiler says that something is missing.
var position = regexp.MustCompile(`^[^ ]+:\d+(:\d+)?: `)

// shadowNote names all packages that are analysed as shadows, those that
// miss the same together.
func (p *Plan) shadowNote() string {
	var whys []string
	packages := map[string][]string{}
	for _, s := range p.Shadowed {
		if s.Root {
			continue // told as a failure
		}
		why := strings.TrimSuffix(position.ReplaceAllString(s.Why, ""), ".")
		if packages[why] == nil {
			whys = append(whys, why)
		}
		packages[why] = append(packages[why], s.Package)
	}
	if len(whys) == 0 {
		return ""
	}
	var parts []string
	n := 0
	for _, why := range whys {
		n += len(packages[why])
		parts = append(parts, fmt.Sprintf("%s (%s)", strings.Join(packages[why], ", "), why))
	}
	whose := "its users are analysed against its declarations"
	if n > 1 {
		whose = "their users are analysed against their declarations"
	}
	return strings.Join(parts, "; ") + " cannot be built here: " + whose
}
