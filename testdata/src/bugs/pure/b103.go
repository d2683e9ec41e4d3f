// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package pure

import "bugs/lib/pool"

// The release is a plain statement behind a call that may panic; the server
// recovers and carries on without the session.
func b103GenerateBug(prompt string) (out string, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = errFailed
		}
	}()
	s := pool.GetSession()
	out, err = s.Generate(prompt) // want GM101
	pool.PutSession(s)
	return out, err
}

func b103GenerateFixed(prompt string) (out string, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = errFailed
		}
	}()
	s := pool.GetSession()
	defer pool.PutSession(s)
	return s.Generate(prompt)
}
