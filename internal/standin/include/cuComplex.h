/* Copyright 2026 The gpumemlint Authors
   SPDX-License-Identifier: Apache-2.0 */
/* Complex numbers of CUDA, for reading code only. */
#ifndef GPUMEMLINT_CUCOMPLEX_H
#define GPUMEMLINT_CUCOMPLEX_H

#include "vector_types.h"

typedef float2 cuFloatComplex;
typedef double2 cuDoubleComplex;
typedef cuFloatComplex cuComplex;

#endif
