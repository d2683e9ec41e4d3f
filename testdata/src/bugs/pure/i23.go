// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package pure

import "bugs/lib/av"

// A packet is filled in each iteration and never emptied.
func i23FeedBug(dec *av.Decoder, chunks [][]byte) error {
	pkt := av.AllocPacket()
	defer pkt.Free()
	for _, c := range chunks {
		if err := pkt.FromData(c); err != nil { // want GM102|GM104
			return err
		}
		if err := dec.Send(pkt); err != nil {
			return err
		}
	}
	return nil
}

func i23FeedFixed(dec *av.Decoder, chunks [][]byte) error {
	pkt := av.AllocPacket()
	defer pkt.Free()
	for _, c := range chunks {
		if err := pkt.FromData(c); err != nil {
			return err
		}
		err := dec.Send(pkt)
		pkt.Unref()
		if err != nil {
			return err
		}
	}
	return nil
}
