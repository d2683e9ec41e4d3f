/* Copyright 2026 The gpumemlint Authors
   SPDX-License-Identifier: Apache-2.0 */
/* cuBLASXt, for reading code only. */
#ifndef GPUMEMLINT_CUBLASXT_H
#define GPUMEMLINT_CUBLASXT_H

#include "cublas_v2.h"

typedef struct cublasXtContext *cublasXtHandle_t;
cublasStatus_t cublasXtCreate(cublasXtHandle_t *handle);
cublasStatus_t cublasXtDestroy(cublasXtHandle_t handle);
cublasStatus_t cublasXtDeviceSelect(cublasXtHandle_t handle, int nbDevices, int deviceId[]);
cublasStatus_t cublasXtSetBlockDim(cublasXtHandle_t handle, int blockDim);

#endif
