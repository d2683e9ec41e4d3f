// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package verdict

import "go/token"

// LineOf is the line number of a position in the file of the finding.
func (l *Line) LineOf(pos token.Pos) int { return l.fset.Position(pos).Line }
