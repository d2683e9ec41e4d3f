/* Copyright 2026 The gpumemlint Authors
   SPDX-License-Identifier: Apache-2.0 */
#include "cl.h"
