"""Prints a function of as many ops as the argument says, each of which adds the
result before it and one of the six before that."""

import random
import sys

count = int(sys.argv[1])
random.seed(1)
t = "tensor<64x128xf32>"
print(f"func.func @chain(%x: {t}) -> {t} {{")
print(f"  %e = tensor.empty() : {t}")
values = ["%x"]
for i in range(count):
    other = values[max(0, len(values) - 1 - random.randrange(6))]
    print(
        f"  %v{i} = linalg.add ins({values[-1]}, {other} : {t}, {t}) "
        f"outs(%e : {t}) -> {t}"
    )
    values.append(f"%v{i}")
print(f"  return {values[-1]} : {t}\n}}")
