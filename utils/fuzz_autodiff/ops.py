# Part of ipu-mlir, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The ops that utils/fuzz-autodiff draws: their functions in numpy, and the arguments for
which these functions are smooth.

Functions take complex arrays whose imaginary parts are infinitesimal: the imaginary
part of a result is then the derivative. Comparisons use only the real parts.
"""

import math

import numpy as np

from fuzz_graphs.program import NotUniform

MARGIN = 1e-4  # How far values are from kinks, if derivatives differ on both sides.


class Unsuitable(NotUniform):
    """The program is too close to a kink, or its values are too large."""


def keep_off(distance, is_active=True):
    """Raises if a distance from a kink is small where that matters."""
    if np.any((np.abs(np.real(distance)) < MARGIN) & is_active):
        raise Unsuitable


def differ_in_slope(a, b):
    return np.imag(a) != np.imag(b)


# ===----------------------------------------------------------------------=== #
# Elementwise
# ===----------------------------------------------------------------------=== #

ERF = np.frompyfunc(math.erf, 1, 1)


def erf(x):
    slope = 2 / math.sqrt(math.pi) * np.exp(-(x.real**2))
    return np.asarray(ERF(x.real), np.float64) + 1j * x.imag * slope


def relu(x):
    keep_off(x, x.imag != 0)
    return np.where(x.real > 0, x, 0)


def absolute(x):
    keep_off(x, x.imag != 0)
    return np.sign(x.real) * x


def steps(function, offset=0.0):
    """A function that jumps where `x + offset` is a whole number."""
    def compute(x):
        at = x.real + offset
        keep_off(at - np.rint(at))
        return function(x.real)
    return compute


def sign(x):
    keep_off(x)
    return np.sign(x.real)


def greater(a, b):
    keep_off(a - b, differ_in_slope(a, b))
    return np.where(a.real > b.real, a, b)


def less(a, b):
    keep_off(a - b, differ_in_slope(a, b))
    return np.where(a.real < b.real, a, b)


# Where operands may be: anywhere, or `POSITIVE`, not close to 0.
ANY, POSITIVE = "any", "positive"

# By name: the function, where the operand may be, and how often the op is drawn.
UNARY = {
    "neg": (np.negative, ANY, 2),
    "tanh": (np.tanh, ANY, 6),
    "sin": (np.sin, ANY, 4),
    "cos": (np.cos, ANY, 3),
    "sigmoid": (lambda x: 1 / (1 + np.exp(-x)), ANY, 4),
    "erf": (erf, ANY, 2),
    "exp": (np.exp, ANY, 2),
    "expm1": (np.expm1, ANY, 1),
    "log1p": (np.log1p, POSITIVE, 1),
    "gaussian": (lambda x: np.exp(-x * x), ANY, 1),
    "gelu": (lambda x: x * (1 + erf(x / math.sqrt(2))) / 2, ANY, 1),
    "asinh": (np.arcsinh, ANY, 1),
    "log": (np.log, POSITIVE, 2),
    "sqrt": (np.sqrt, POSITIVE, 2),
    "rsqrt": (lambda x: 1 / np.sqrt(x), POSITIVE, 1),
    "reciprocal": (lambda x: 1 / x, POSITIVE, 1),
    "relu": (relu, ANY, 2),
    "abs": (absolute, ANY, 1),
    "sign": (sign, ANY, 0.3),
    "floor": (steps(np.floor), ANY, 0.3),
    "ceil": (steps(np.ceil), ANY, 0.3),
    "round": (steps(np.rint, 0.5), ANY, 0.3),
    "copy": (lambda x: x, ANY, 1),
}
# What keeps values small.
BOUNDED = ["tanh", "sin", "cos", "sigmoid", "erf"]

# By name: the function, where the second operand (of `pow`: the first) may be, weight.
BINARY = {
    "add": (np.add, ANY, 4),
    "sub": (np.subtract, ANY, 3),
    "mul": (np.multiply, ANY, 6),
    "div": (np.divide, POSITIVE, 2),
    "pow": (lambda a, b: np.exp(b * np.log(a)), POSITIVE, 1),
    "max": (greater, ANY, 1),
    "min": (less, ANY, 1),
}


def compare(function):
    def compute(a, b):
        if a.dtype.kind in "fc":
            keep_off(a - b)
        return function(np.real(a), np.real(b))
    return compute


def cast(function):
    """Between floats nothing changes."""
    def compute(x):
        result = function(np.real(x))
        if x.dtype.kind not in "fc":
            return result
        if result.dtype.kind == "f":
            return x
        keep_off(x.real - np.rint(x.real))
        return result
    return compute


# ===----------------------------------------------------------------------=== #
# Others
# ===----------------------------------------------------------------------=== #


def extreme(values, axes, is_greatest):
    """The greatest or least along axes, which is alone."""
    kept = [d for d in range(values.ndim) if d not in axes]
    flat = values.transpose(kept + list(axes)).reshape([values.shape[d] for d in kept] + [-1])
    order = np.argsort(flat.real, -1)
    ranked = np.take_along_axis(flat, order if is_greatest else order[..., ::-1], -1)
    for other in np.moveaxis(ranked[..., :-1], -1, 0):
        keep_off(ranked[..., -1] - other)
    return ranked[..., -1]


# Reductions by their axes, and how often they are drawn.
REDUCE = {
    "sum": (lambda x, axes: x.sum(axes), 4),
    "mean": (lambda x, axes: x.mean(axes), 3),
    "prod": (lambda x, axes: x.prod(axes), 1),
    "max": (lambda x, axes: extreme(x, axes, True), 1),
    "min": (lambda x, axes: extreme(x, axes, False), 1),
}


def softmax(x, axis):
    powers = np.exp(x - x.real.max(axis, keepdims=True))
    return powers / powers.sum(axis, keepdims=True)


# Reductions over replicas that have a gradient for all operators, and how often.
COLLECTIVE = {"add": 4, "mean": 2, "square_add": 1, "max": 0.5, "min": 0.5, "local": 1}


def combine(kind, members):
    """An all_reduce of the values of a group."""
    if kind in ("max", "min"):
        return extreme(np.stack(members), (0,), kind == "max")
    if kind == "mul":
        return np.prod(members, 0)
    members = [m * m for m in members] if kind == "square_add" else members
    total = sum(members[1:], members[0])
    return total / len(members) if kind == "mean" else total
