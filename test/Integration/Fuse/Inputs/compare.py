"""Compares what programs of examples/fusion print.

compare.py PROGRAM OUTPUT: with numpy's values, in f64.
compare.py OUTPUT OUTPUT: with each other, digit by digit.
"""

import re
import sys

import numpy as np


def ramp(shape, *factors):
    index = np.indices(shape)
    total = sum(f * i for f, i in zip(factors, index))
    return (total % 64) / 16 - 2


def softmax():
    x = ramp((7, 37), 37, 11)
    e = np.exp(x - x.max(1, keepdims=True))
    return e / e.sum(1, keepdims=True)


def layer_norm():
    x = ramp((9, 50), 29, 13)
    d = x - x.mean(1, keepdims=True)
    y = d / np.sqrt((d * d).mean(1, keepdims=True) + 1e-5)
    return y * ramp((50,), 7) + ramp((50,), 5)


def two_reductions():
    e = np.exp(ramp((8, 33), 23, 15))
    return e.max(1) + e.min(1)


def two_broadcasts():
    return 2 * np.exp(ramp((8,), 23))[:, None] + ramp((8, 33), 19, 3)


def matmul():
    return -(ramp((48, 40), 31, 17) @ ramp((40, 72), 13, 45))


def rms_norm_gelu():
    x = ramp((6, 48), 21, 25)
    n = x / np.sqrt((x * x).mean(1, keepdims=True) + 1e-6) * ramp((48,), 9)
    return n * 0.5 * (1 + np.tanh(0.797884583 * (n + 0.044715 * n**3)))


def rms_norm_rope():
    x = ramp((12, 96), 21, 25)
    n = x / np.sqrt((x * x).mean(1, keepdims=True) + 1e-6) * ramp((96,), 9)
    low, high = np.split(n.reshape(12, 4, 24), 2, 2)
    cos, sin = ramp((12, 12), 13, 5)[:, None], ramp((12, 12), 7, 11)[:, None]
    return np.concatenate([low * cos - high * sin, high * cos + low * sin], 2)


def cross_entropy():
    x = ramp((12, 21), 37, 11)
    d = x - x.max(1, keepdims=True)
    picked = d[np.arange(12), 5 * np.arange(12) % 21]
    return (np.log(np.exp(d).sum(1)) - picked).mean()


PROGRAMS = {
    f.__name__: f
    for f in (
        softmax,
        layer_norm,
        two_reductions,
        two_broadcasts,
        matmul,
        rms_norm_gelu,
        rms_norm_rope,
        cross_entropy,
    )
}


def read(path):
    """Sizes and elements, as text, of the one memref in a file."""
    with open(path) as file:
        text = file.read()
    header, data = text.split("data =")
    sizes = re.search(r"sizes = \[([0-9, ]*)\]", header).group(1)
    shape = tuple(int(s) for s in sizes.split(",") if s.strip())
    return shape, re.findall(r"[^\[\], \n]+", data)


def main():
    expected, actual = sys.argv[1:]
    shape, elements = read(actual)
    if expected not in PROGRAMS:
        if (shape, elements) != read(expected):
            sys.exit(f"{actual} differs from {expected}")
        return
    values = np.array([float(e) for e in elements]).reshape(shape)
    reference = PROGRAMS[expected]()
    if np.shape(reference) != shape:
        sys.exit(f"{actual}: sizes {shape}, expected {np.shape(reference)}")
    # Six digits are printed.
    if not np.allclose(values, reference, rtol=1e-5, atol=2e-5):
        sys.exit(f"{actual}: off by {abs(values - reference).max()}")


main()
