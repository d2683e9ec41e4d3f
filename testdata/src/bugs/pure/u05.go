// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package pure

import "gocv.io/x/gocv"

// A layer per name, asked for its name only.
func u05NamesBug(net *gocv.Net) []string {
	var names []string
	for _, id := range net.GetUnconnectedOutLayers() {
		layer := net.GetLayer(id) // want GM102
		names = append(names, layer.GetName())
	}
	return names
}

func u05NamesFixed(net *gocv.Net) []string {
	var names []string
	for _, id := range net.GetUnconnectedOutLayers() {
		layer := net.GetLayer(id)
		names = append(names, layer.GetName())
		layer.Close()
	}
	return names
}
