// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package pure

import "bugs/lib/av"

// Packets come from the reader and are never freed.
func i21CopyBug(in *av.Input, dec *av.Decoder) error {
	for {
		pkt := in.Next() // want GM102
		if pkt == nil {
			return nil
		}
		if err := dec.Send(pkt); err != nil {
			return err
		}
	}
}

func i21CopyFixed(in *av.Input, dec *av.Decoder) error {
	for {
		pkt := in.Next()
		if pkt == nil {
			return nil
		}
		err := dec.Send(pkt)
		pkt.Free()
		if err != nil {
			return err
		}
	}
}
