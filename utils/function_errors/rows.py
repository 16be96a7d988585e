# Part of ipu-mlir, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Functions of rows of four numbers, and the gradients of their weighted sums, in f64.

The results combine elements, so that errors are in units of a sum's greatest term.
"""

import dataclasses
from typing import Callable, Optional

import numpy as np

COLUMNS = 4
# Of the results in the sum whose gradient is computed; exact in all types.
WEIGHTS = np.array([1.0, -2.0, 0.5, 3.0])
# The sum of the weights' magnitudes.
MASS = 6.5
LABEL = 1
BIAS, ALPHA, BETA, SIZE = 1.0, np.float64(np.float32(0.5)), np.float64(np.float32(0.75)), 3
EPSILON = np.float64(np.float32(1e-5))


@dataclasses.dataclass
class RowFunction:
    """`value` and `gradient` return arrays of numbers and of the terms to whose units
    errors are relative. `draw` is the kind of rows. Functions of one number for each row
    have the weight 1. `value` may
    be None."""

    name: str
    text: str
    value: Optional[Callable]
    gradient: Callable
    draw: str
    is_whole: bool = False
    is_onnx: bool = True
    bounds: dict = dataclasses.field(default_factory=dict)


def total(x):
    return x.sum(axis=1, keepdims=True)


def greatest(x):
    return np.abs(x).max(axis=1, keepdims=True)


# ===----------------------------------------------------------------------=== #
# Softmax
# ===----------------------------------------------------------------------=== #


def get_softmax(x):
    """The probabilities, and how much an error of x matters to them."""
    shifted = x - x.max(axis=1, keepdims=True)
    powers = np.exp(shifted)
    return powers / total(powers), 1 - shifted


def softmax(x):
    y, condition = get_softmax(x)
    return y, y * condition


def softmax_gradient(x):
    y, condition = get_softmax(x)
    return y * (WEIGHTS - total(WEIGHTS * y)), y * condition * MASS


def log_softmax(x):
    shifted = x - x.max(axis=1, keepdims=True)
    logarithm = np.log(total(np.exp(shifted)))
    return shifted - logarithm, np.maximum(-shifted, 1)


def log_softmax_gradient(x):
    y, condition = get_softmax(x)
    return WEIGHTS - y * WEIGHTS.sum(), abs(WEIGHTS) + y * condition * MASS


def log_sum_exp(x):
    most = x.max(axis=1, keepdims=True)
    logarithm = np.log(total(np.exp(x - most)))
    return most + logarithm, np.maximum(abs(most), 1)


def log_sum_exp_gradient(x):
    """The gradient of the greatest element has the difference of 1 and a sum."""
    y, condition = get_softmax(x)
    return y, y * condition + (x == x.max(axis=1, keepdims=True))


def cross_entropy(x):
    y, term = log_softmax(x)
    return -y[:, LABEL : LABEL + 1], term[:, LABEL : LABEL + 1]


def cross_entropy_gradient(x):
    y, condition = get_softmax(x)
    is_label = np.arange(COLUMNS) == LABEL
    return y - is_label, np.where(is_label, 1, y * condition)


# ===----------------------------------------------------------------------=== #
# Norms
# ===----------------------------------------------------------------------=== #


def nonzero(x):
    return np.where(x == 0, 1, x)


def norm(x):
    most = nonzero(greatest(x))
    return most * np.sqrt(total((x / most) ** 2))


def l2(x):
    return norm(x), norm(x)


def l2_gradient(x):
    y = x / nonzero(norm(x))
    return y, abs(y)


def log_sum(x):
    y = np.log(total(x))
    return y, np.maximum(abs(y), 1)


def log_sum_gradient(x):
    y = 1 / total(x) + 0 * x
    return y, y


def normalize(x, length):
    y = x / nonzero(length)
    return y, 1 + 0 * y


def l2_normalization_gradient(x):
    length = norm(x)
    y = x / nonzero(length)
    slope = np.where(length == 0, 0, (WEIGHTS - y * total(y * WEIGHTS)) / nonzero(length))
    return slope, MASS / nonzero(length) + 0 * x


def l1_normalization_gradient(x):
    length = total(abs(x))
    y = x / nonzero(length)
    slope = np.where(length == 0, 0, (WEIGHTS - np.sign(x) * total(y * WEIGHTS)) / nonzero(length))
    return slope, MASS / nonzero(length) + 0 * x


def standardize(x, get_deviation):
    centred = x - total(x) / COLUMNS
    deviation = get_deviation(total(centred**2) / COLUMNS)
    return centred / deviation, deviation


def standardization(get_deviation):
    """y = c / d(v) of centred numbers c and their variance v, where d' = f / 2d."""

    def value(x):
        y, deviation = standardize(x, get_deviation)
        return y, greatest(x) / deviation + 0 * y

    def gradient(x):
        y, deviation = standardize(x, get_deviation)
        centred = WEIGHTS - WEIGHTS.mean()
        slope = (centred - y * total(WEIGHTS * y) / COLUMNS) / deviation
        return slope, MASS / deviation * np.maximum(greatest(y) ** 2, 1) + 0 * x

    return value, gradient


def get_lrn_base(x):
    padded = np.pad(x * x, ((0, 0), (1, 1)))
    sums = padded[:, :-2] + padded[:, 1:-1] + padded[:, 2:]
    return BIAS + ALPHA / SIZE * sums


def lrn(x):
    y = x / get_lrn_base(x) ** BETA
    return y, abs(y)


def lrn_gradient(x):
    base = get_lrn_base(x)
    own = WEIGHTS / base**BETA
    shares = WEIGHTS * x * base ** (-BETA - 1)
    padded = np.pad(shares, ((0, 0), (1, 1)))
    terms = [2 * BETA * ALPHA / SIZE * x * part for part in (padded[:, :-2], padded[:, 1:-1], padded[:, 2:])]
    return own - sum(terms), sum(np.abs([own, *terms]))


# ===----------------------------------------------------------------------=== #
# Table
# ===----------------------------------------------------------------------=== #


def get_row_functions():
    layer = standardization(lambda v: np.sqrt(v + EPSILON))
    plain = standardization(lambda v: np.sqrt(v) + 1e-9)
    return [
        RowFunction("Softmax", "Softmax <axis = 1> (x)", softmax, softmax_gradient, "logits"),
        RowFunction("LogSoftmax", "LogSoftmax <axis = 1> (x)", log_softmax, log_softmax_gradient, "logits"),
        RowFunction("ReduceLogSumExp", "ReduceLogSumExp (x, axes)", log_sum_exp, log_sum_exp_gradient, "logits", is_whole=True),
        RowFunction("ReduceL2", "ReduceL2 (x, axes)", l2, l2_gradient, "any", is_whole=True),
        RowFunction("ReduceLogSum", "ReduceLogSum (x, axes)", log_sum, log_sum_gradient, "positive", is_whole=True),
        RowFunction("LpNormalization, p 1", "LpNormalization <axis = 1, p = 1> (x)",
                    lambda x: normalize(x, total(abs(x))), l1_normalization_gradient, "any"),
        RowFunction("LpNormalization, p 2", "LpNormalization <axis = 1, p = 2> (x)",
                    lambda x: normalize(x, norm(x)), l2_normalization_gradient, "any"),
        RowFunction("LRN", "LRN <alpha = 0.5, bias = 1.0, beta = 0.75, size = 3> (x)", lrn, lrn_gradient, "squares",
                    bounds={("gradient", "f32"): 8}),
        RowFunction("MeanVarianceNormalization", "MeanVarianceNormalization <axes = [1]> (x)", *plain, "usual"),
        RowFunction("LayerNormalization", "LayerNormalization <axis = 1> (x, ones)", *layer, "usual"),
        RowFunction("cross_entropy_loss", "pop.cross_entropy_loss sum %x, %labels", cross_entropy,
                    cross_entropy_gradient, "logits", is_whole=True, is_onnx=False),
        RowFunction("softmax, nll_loss", "pop.nll_loss sum %y, %labels {of_probabilities}", None,
                    cross_entropy_gradient, "logits", is_whole=True, is_onnx=False),
    ]  # fmt: skip


def get_f16_row_functions():
    """Functions that compute in f16."""
    layer = standardization(lambda v: np.sqrt(v + EPSILON))
    return [
        RowFunction("Softmax", "Softmax <axis = 1> (x)", softmax, softmax_gradient, "logits",
                    bounds={("gradient", "f16"): 6}),
        RowFunction("LayerNormalization", "LayerNormalization <axis = 1> (x, ones)", *layer, "usual"),
    ]  # fmt: skip


def draw_rows(rng, kind, count, least, most):
    """Rows of f64, of which the greatest elements are from `least` to `most`."""
    rows = rng.normal(size=(count, COLUMNS))
    if kind == "logits":
        return rows * 2.0 ** rng.uniform(-4, 7, (count, 1))
    if kind == "usual":
        return rows * 2.0 ** rng.uniform(-3, 6, (count, 1))
    rows /= greatest(rows)
    if kind == "squares":
        least, most = max(least, 2.0**-20), min(most, 2.0**50)
    rows *= 2.0 ** rng.uniform(np.log2(least), np.log2(most), (count, 1))
    if kind == "positive":
        return abs(rows)
    rows[0], rows[1] = 0, np.array([300, 400, 0, 0])
    return rows
