// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package pure

import (
	"github.com/sugarme/gotch"
	"github.com/sugarme/gotch/ts"
)

// The tensor in the middle of a method chain has no name and no owner.
func b121LossBug(labels *ts.Tensor, dev gotch.Device) *ts.Tensor {
	return labels.MustTo(dev, false).MustSum(gotch.Float, false) // want GM103
}

func b121LossFixed(labels *ts.Tensor, dev gotch.Device) *ts.Tensor {
	l := labels.MustTo(dev, false)
	defer l.MustDrop()
	return l.MustSum(gotch.Float, false)
}
