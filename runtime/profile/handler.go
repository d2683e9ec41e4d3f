// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package profile

import (
	"fmt"
	"net/http"
	"runtime"
	rpprof "runtime/pprof"
	"strconv"
	"sync"
	"time"

	pprof "github.com/google/pprof/profile"

	"github.com/gpumemlint/gpumemlint/runtime/gpumem"
)

// Path is where net/http/pprof's index looks for the profile.
const Path = "/debug/pprof/gpumem"

// maxSeconds bounds how long a request for a delta may take.
const maxSeconds = 3600

// Register puts [Handler] at [Path] of mux and lists the profile on
// net/http/pprof's index page, which shows the number of live blocks at the
// last request.
func Register(mux *http.ServeMux) {
	indexed.Do(func() {
		if rpprof.Lookup("gpumem") == nil {
			index.profile = rpprof.NewProfile("gpumem")
		}
	})
	mux.Handle(Path, Handler())
}

// index keeps the entries of runtime/pprof's profile, whose only use is to be
// counted by the index page.
var (
	indexed sync.Once
	index   struct {
		sync.Mutex
		profile *rpprof.Profile
		n       int
	}
)

func setIndex(live int) {
	index.Lock()
	defer index.Unlock()
	if index.profile == nil {
		return // not listed
	}
	for ; index.n < live; index.n++ {
		index.profile.Add(index.n, 0)
	}
	for ; index.n > live; index.n-- {
		index.profile.Remove(index.n - 1)
	}
}

// Handler serves a pprof profile of the devices, or of all that are open if
// none is given. Its parameters are those of Go's heap profile: seconds=N gives
// what changed in N seconds, gc=1 collects garbage first, and debug=1 lists the
// call sites as text.
func Handler(devices ...*gpumem.Device) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.FormValue("gc") != "" && r.FormValue("gc") != "0" {
			runtime.GC()
		}
		if r.FormValue("debug") != "" && r.FormValue("debug") != "0" {
			w.Header().Set("Content-Type", "text/plain; charset=utf-8")
			_ = WriteText(w, Take(devices...)) // the connection's end; nobody is left to tell
			return
		}
		p := Profile(Take(devices...))
		setIndex(liveBlocks(p))
		if text := r.FormValue("seconds"); text != "" {
			var ok bool
			if p, ok = delta(w, r, p, text, devices); !ok {
				return
			}
		}
		w.Header().Set("Content-Type", "application/octet-stream")
		w.Header().Set("Content-Disposition", `attachment; filename="gpumem"`)
		w.Header().Set("X-Content-Type-Options", "nosniff")
		_ = p.Write(w) // as above
	})
}

// delta waits and gives the change since before; ok is false where the request
// has been answered or is gone.
func delta(w http.ResponseWriter, r *http.Request, before *pprof.Profile, text string, devices []*gpumem.Device) (_ *pprof.Profile, ok bool) {
	seconds, err := strconv.Atoi(text)
	if err != nil || seconds <= 0 || seconds > maxSeconds {
		http.Error(w, fmt.Sprintf("seconds must be 1 to %d", maxSeconds), http.StatusBadRequest)
		return nil, false
	}
	select {
	case <-time.After(time.Duration(seconds) * time.Second):
	case <-r.Context().Done():
		return nil, false // the client went away
	}
	out, err := Change(before, Profile(Take(devices...)))
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return nil, false
	}
	return out, true
}

// Change subtracts one profile from a later one, as pprof's -base does.
func Change(before, after *pprof.Profile) (*pprof.Profile, error) {
	before = before.Copy()
	before.Scale(-1)
	out, err := pprof.Merge([]*pprof.Profile{before, after})
	if err != nil {
		return nil, fmt.Errorf("GPU profile: %w", err)
	}
	out.DefaultSampleType = "inuse_space"
	return out, nil
}

func liveBlocks(p *pprof.Profile) (n int) {
	for _, s := range p.Sample {
		n += int(s.Value[2])
	}
	return n
}
