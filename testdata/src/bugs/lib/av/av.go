// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

// Package av stands for a media library with packets and frames.
package av

// Packet is compressed data; its contents are counted apart from itself.
//
//gpumem:class avt.packet noun=packet verb=freed mem=host
//gpumem:resource avt.packet release=Free owned
type Packet struct{ p uintptr }

func AllocPacket() *Packet  { return nil }
func (p *Packet) Free()     {}
func (p *Packet) Size() int { return 0 }

// FromData gives the packet a copy of data.
//
//gpumem:class avt.data noun="packet data" verb=unreferenced mem=host
//gpumem:acquire avt.data recv
func (p *Packet) FromData(data []byte) error { return nil }

// Unref drops the packet's data.
//
//gpumem:release avt.data recv
func (p *Packet) Unref() {}

// Input is a container that is read packet by packet.
type Input struct{ p uintptr }

// Next gives the next packet, or nil at the end.
//
//gpumem:acquire avt.packet result0
//gpumem:success nonnil
func (in *Input) Next() *Packet { return nil }

// Decoder takes packets.
type Decoder struct{ p uintptr }

//gpumem:use
func (d *Decoder) Send(p *Packet) error { return nil }
