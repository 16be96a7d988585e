"""Compares the bits of floats: mlir-runner's with those of ipu-run.

same-bits.py RUNNER DIR NAME...: RUNNER is what printMemrefI32 printed, one memref
for each NAME in their order; DIR has NAME.npy. Prints how many differ.
"""

import re
import sys

import numpy as np


def main():
    runner, directory, *names = sys.argv[1:]
    with open(runner) as file:
        parts = file.read().split("data =")[1:]
    if len(parts) != len(names):
        sys.exit(f"{len(parts)} results of {len(names)}")
    for i, (part, name) in enumerate(zip(parts, names)):
        numbers = re.findall(r"-?\d+", part.split("Unranked")[0])
        actual = np.array([int(n) for n in numbers], np.int32)
        expected = np.load(f"{directory}/{name}.npy").view(np.int32).ravel()
        if actual.shape != expected.shape:
            sys.exit(f"{name}: {actual.size} elements of {expected.size}")
        different = np.count_nonzero(actual != expected)
        print(f"result {i}: {actual.size} elements, {different} differ")


main()
