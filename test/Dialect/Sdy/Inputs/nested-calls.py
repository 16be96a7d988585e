"""Prints functions that call each other: DEPTH deep, CALLS times each, the last
with OPS ops."""

import sys

depth, calls, ops = map(int, sys.argv[1:])
for i in range(depth + 1):
    name = f"private @f{i}" if i else "public @main"
    print(f"func.func {name}(%v0: tensor<8xf32>) -> tensor<8xf32> {{")
    op = f"func.call @f{i + 1}" if i < depth else "stablehlo.negate"
    type_ = "(tensor<8xf32>) -> tensor<8xf32>" if i < depth else "tensor<8xf32>"
    values = [f"%v{j}" for j in range((calls if i < depth else ops) + 1)]
    for argument, result in zip(values, values[1:]):
        left, right = ("(", ")") if i < depth else (" ", "")
        print(f"  {result} = {op}{left}{argument}{right} : {type_}")
    print(f"  return {values[-1]} : tensor<8xf32>\n}}")
