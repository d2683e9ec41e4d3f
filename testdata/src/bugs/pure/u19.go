// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package pure

import ort "github.com/yalue/onnxruntime_go"

type u19Voice struct{ duration, encoder, vocoder *ort.DynamicAdvancedSession }

func (v *u19Voice) Destroy() {
	v.duration.Destroy()
	v.encoder.Destroy()
	v.vocoder.Destroy()
}

func u19Open(path string) (*ort.DynamicAdvancedSession, error) {
	return ort.NewDynamicAdvancedSession(path, nil, nil, nil)
}

// Three sessions in a row: the later ones' failures lose the earlier ones.
func u19LoadBug(dir string) (*u19Voice, error) {
	duration, err := u19Open(dir + "/duration.onnx")
	if err != nil {
		return nil, err
	}
	encoder, err := u19Open(dir + "/encoder.onnx")
	if err != nil {
		return nil, err // want GM101
	}
	vocoder, err := u19Open(dir + "/vocoder.onnx")
	if err != nil {
		return nil, err
	}
	return &u19Voice{duration, encoder, vocoder}, nil
}

func u19LoadFixed(dir string) (*u19Voice, error) {
	duration, err := u19Open(dir + "/duration.onnx")
	if err != nil {
		return nil, err
	}
	encoder, err := u19Open(dir + "/encoder.onnx")
	if err != nil {
		duration.Destroy()
		return nil, err
	}
	vocoder, err := u19Open(dir + "/vocoder.onnx")
	if err != nil {
		duration.Destroy()
		encoder.Destroy()
		return nil, err
	}
	return &u19Voice{duration, encoder, vocoder}, nil
}
