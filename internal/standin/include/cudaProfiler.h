/* Copyright 2026 The gpumemlint Authors
   SPDX-License-Identifier: Apache-2.0 */
#ifndef GPUMEMLINT_CUDAPROFILER_H
#define GPUMEMLINT_CUDAPROFILER_H
#include "cuda.h"
CUresult cuProfilerStart(void);
CUresult cuProfilerStop(void);
#endif
