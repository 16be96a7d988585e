# Part of ipu-mlir, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Prints the rules of ReplicaEqualRules.def as the rows of a table."""

import re
import sys

with open(sys.argv[1]) as file:
    text = file.read()
for kind, row in re.findall(r"^POP_REPLICA_(RULE|STATE|START)\((.*?)\)\n(?=POP|\n)", text, re.M | re.S):
    name, *parts = re.findall(r'"([^"]*)"', row)
    start = " (at the start)" if kind == "START" else ""
    print(f"| `{name}`{start} | {''.join(parts)} |")
