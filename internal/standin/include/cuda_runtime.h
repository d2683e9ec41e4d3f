/* Copyright 2026 The gpumemlint Authors
   SPDX-License-Identifier: Apache-2.0 */
#ifndef GPUMEMLINT_CUDA_RUNTIME_H
#define GPUMEMLINT_CUDA_RUNTIME_H

#include "cuda_runtime_api.h"

#endif
