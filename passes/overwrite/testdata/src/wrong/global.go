// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package wrong

import "example.com/dev"

// scratch is freed by Shutdown.
var scratch *dev.Buf

func Shutdown() {
	if scratch != nil {
		scratch.Free()
	}
}

func SetScratch(n int) error {
	buf, err := dev.New(n)
	if err != nil {
		return err
	}
	scratch = buf // want `device buffer in scratch is lost: the variable is assigned again before it is freed \(GM104\)`
	return nil
}

func ForgetScratch() {
	scratch = nil // want `device buffer in scratch is lost: the variable is set to nil before it is freed \(GM104\)`
}

// table is freed by a helper.
var table *dev.Buf

func freeTable(b *dev.Buf) { b.Free() }

func dropTable() { freeTable(table) }

func updateTable(n int) (err error) {
	table, err = dev.New(n) // want `device buffer in table is lost`
	return err
}
