/* Copyright 2026 The gpumemlint Authors
   SPDX-License-Identifier: Apache-2.0 */
#ifndef GPUMEMLINT_NVTOOLSEXT_H
#define GPUMEMLINT_NVTOOLSEXT_H
#include <stdint.h>
typedef uint64_t nvtxRangeId_t;
void nvtxMarkA(const char *message);
int nvtxRangePushA(const char *message);
int nvtxRangePop(void);
nvtxRangeId_t nvtxRangeStartA(const char *message);
void nvtxRangeEnd(nvtxRangeId_t id);
#define nvtxMark nvtxMarkA
#define nvtxRangePush nvtxRangePushA
#define nvtxRangeStart nvtxRangeStartA
#endif
