# Copyright 2026 The gpumemlint Authors
# SPDX-License-Identifier: Apache-2.0

"""The passes as a list for the deps of the rule nogo; docs/drivers.md has an example.

Made by go test ./drivers -run NogoList -update, in tools.
"""

GPUMEMLINT_NOGO = [str(Label(label)) for label in [
    "//passes/cacheflush",
    "//passes/churn",
    "//passes/deferarg",
    "//passes/destructor",
    "//passes/directive",
    "//passes/discard",
    "//passes/doublefree",
    "//passes/errpath",
    "//passes/evict",
    "//passes/finalizer",
    "//passes/gcreliance",
    "//passes/goretain",
    "//passes/gradaccum",
    "//passes/itercache",
    "//passes/leak",
    "//passes/loopdefer",
    "//passes/nograd",
    "//passes/order",
    "//passes/outlive",
    "//passes/overwrite",
    "//passes/ownercopy",
    "//passes/retain",
    "//passes/usefreed",
    "//passes/viewpin",
]]
