// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package pure

import (
	"runtime"

	"bugs/lib/gst"
)

type b129DesktopBug struct{ graph *gst.Graph }

// The object's finalizer is still armed.
func (d *b129DesktopBug) Stop() {
	d.graph.SetState(0)
	d.graph.Unref() // want GM402
	d.graph = nil
}

type b129DesktopFixed struct{ graph *gst.Graph }

func (d *b129DesktopFixed) Stop() {
	d.graph.SetState(0)
	runtime.SetFinalizer(d.graph, nil)
	d.graph.Unref()
	d.graph = nil
}
