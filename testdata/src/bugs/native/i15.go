// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package native

// #cgo CFLAGS: -I${SRCDIR}
// #include "native.h"
import "C"

import "unsafe"

type i15ParamsBug struct{ p C.params_t }

func (p *i15ParamsBug) Close() { C.free(unsafe.Pointer(p.p.language)) }

// The setter overwrites the string of the last call.
func (p *i15ParamsBug) SetLanguage(lang string) {
	p.p.language = C.CString(lang) // want GM104
}

type i15ParamsFixed struct{ p C.params_t }

func (p *i15ParamsFixed) Close() { C.free(unsafe.Pointer(p.p.language)) }

func (p *i15ParamsFixed) SetLanguage(lang string) {
	if p.p.language != nil {
		C.free(unsafe.Pointer(p.p.language))
	}
	p.p.language = C.CString(lang)
}
