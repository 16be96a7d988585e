# Part of ipu-mlir, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Prints the rows of CodeletScalarOps.def as those of a table."""

import re
import sys

OPERANDS = {"SELECT": "an i1 and 2 values", "CAST": "1 value"}
KINDS = {"Float": "2 floats", "Integer": "2 integers"}
JIT = {"AsIs": "as it is", "Widened": "narrow floats in f32"}

with open(sys.argv[1]) as file:
    text = re.sub(r"/\*.*?\*/", "", file.read())
text = re.sub(r",\n +", ", ", text)
row = re.compile(r'^IPU_(\w+)_OP\(\w+, \w+, "(.*?)", (?:(\d|Float|Integer), )?(\w+), (.*), "(.*)"\)$', re.M)
for kind, name, which, jit, value, note in row.findall(text):
    operands = OPERANDS.get(kind) or KINDS.get(which) or f"{which} {kind.lower()}{'s' * (which != '1')}"
    value = note or "`" + value.replace("std::", "").replace("|", r"\|") + "`"
    print(f"| `{name}` | {operands} | {value} | {JIT.get(jit, 'as other ops')} |")
for name, note in re.findall(r'^IPU_RANDOM_OP\(\w+, "(.*?)", "(.*)"\)$', text, re.M):
    print(f"| `{name}` | | {note} | as other ops |")
