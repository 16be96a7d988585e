# Part of ipu-mlir, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""count-steps.py KIND A.json B.json: compares the steps of a kind in two profiles. The
program of B must take fewer cycles."""

import json
import sys

kind = sys.argv[1]
first, second = [json.load(open(path)) for path in sys.argv[2:]]
print(f"{kind}: {first['totals'][kind]['steps']}, then {second['totals'][kind]['steps']}")
assert second["cycles"] < first["cycles"]
