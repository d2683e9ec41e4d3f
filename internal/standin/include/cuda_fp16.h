/* Copyright 2026 The gpumemlint Authors
   SPDX-License-Identifier: Apache-2.0 */
#ifndef GPUMEMLINT_CUDA_FP16_H
#define GPUMEMLINT_CUDA_FP16_H
typedef struct { unsigned short x; } __half;
typedef struct { __half x, y; } __half2;
typedef __half half;
typedef __half2 half2;
#endif
