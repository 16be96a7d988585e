# Part of ipu-mlir, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares tensors."""

import numpy as np


def get_scale(values):
    """The greatest finite magnitude."""
    magnitudes = np.abs(values[np.isfinite(values)])
    return float(np.max(magnitudes, initial=0))


def get_error(actual, expected, least=0):
    """max|a - b| / max(max|b|, least) over the elements that are finite in both tensors."""
    finite = np.isfinite(actual) & np.isfinite(expected)
    error = np.max(np.abs(actual[finite] - expected[finite]), initial=0)
    return float(error / max(get_scale(expected), least)) if error else 0.0


def find_close(actual, expected, rtol, atol, least=0):
    """For two tensors of the same shape and type, whether each element a is close to the element b
    of `expected`: |a - b| <= rtol |b| + atol max(max|b|, least). Integers and bools are close if
    they are equal."""
    if actual.dtype.kind != "f":
        return actual == expected
    actual, expected = actual.astype(np.float64), expected.astype(np.float64)
    atol *= max(get_scale(expected), least)
    return np.isclose(actual, expected, rtol, atol, equal_nan=True)


def find_difference(actual, expected, rtol, atol, least=0):
    """The index of the first element that is not close, or a text that says how the tensors
    differ as a whole, or None."""
    if actual.dtype != expected.dtype:
        return f"type {actual.dtype} instead of {expected.dtype}"
    if actual.shape != expected.shape:
        return f"shape {list(actual.shape)} instead of {list(expected.shape)}"
    close = find_close(actual, expected, rtol, atol, least)
    if close.all():
        return None
    return tuple(int(i) for i in np.argwhere(~close)[0])
