// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package wrong

import "example.com/dev"

func blank(n int) bool {
	_, err := dev.New(n) // want `device buffer from dev.New is dropped: nothing can release it any more, so give it a name and call Free on it \(GM103\)`
	return err == nil
}

func statement(n int) {
	dev.New(n) // want `GM103`
}

func must(n int) *dev.Buf {
	buf, _ := dev.New(n)
	return buf
}

func inline(n int) {
	must(n).Fill(0) // want `device buffer from must is dropped: .* \(GM103\)`
}
