# Part of ipu-mlir, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Differences from onnxruntime that the ONNX specification explains or leaves open.

A condition takes a `Case`, and holds for as few programs as possible: all other elements and
attributes must be compared."""

import dataclasses

import numpy as np
from onnx import helper

from compare_onnx.compare import find_close


@dataclasses.dataclass
class Case:
    """A program of one node, or a chain of casts, whose types in between have no form in numpy,
    with the outputs of ipu-run and onnxruntime by name."""

    program: object
    actual: dict[str, np.ndarray]
    expected: dict[str, np.ndarray]
    tolerances: tuple[float, float]

    @property
    def node(self):
        return self.program.nodes[0]

    def get(self, name, default=None):
        """The value of an attribute."""
        for attribute in self.node.attribute:
            if attribute.name == name:
                return helper.get_attribute_value(attribute)
        return default

    def input(self, number):
        """The values of an input, or None if the node does not have it."""
        name = self.node.input[number] if number < len(self.node.input) else ""
        return self.program.values.get(name)

    def differs_only_at(self, places):
        """Whether all elements of the only output are close except those of a mask."""
        (name,) = self.expected
        actual, expected = self.actual[name], self.expected[name]
        if actual.shape != expected.shape or actual.dtype != expected.dtype:
            return False
        return bool(np.all(find_close(actual, expected, *self.tolerances) | places))


def has_other_keepdims(case):
    return case.get("keepdims", 1) not in (0, 1)


def has_same_padding_with_dilations(case):
    same = case.get("auto_pad", b"") in (b"SAME_UPPER", b"SAME_LOWER")
    return same and any(dilation != 1 for dilation in case.get("dilations", []))


def casts_floats_out_of_range(case):
    operand, (result,) = next(iter(case.program.values.values())), case.actual.values()
    if operand.dtype.kind != "f" or result.dtype.kind not in "iu":
        return False
    limits, whole = np.iinfo(result.dtype), np.trunc(operand.astype(np.float64))
    return case.differs_only_at(~((whole >= limits.min) & (whole < float(limits.max) + 1)))


def overflows_power(case):
    base, exponent = case.input(0), case.input(1)
    if base.dtype.kind not in "iu" or exponent.dtype.kind not in "iu":
        return False
    with np.errstate(over="ignore", divide="ignore"):
        powers = np.abs(base.astype(np.float64)) ** exponent.astype(np.float64)
    return case.differs_only_at(powers > np.iinfo(base.dtype).max)


def has_labels_out_of_range(case):
    labels, classes = case.input(1), case.input(0).shape[1]
    ignored = labels == case.get("ignore_index", classes)
    return bool(np.any(((labels < 0) | (labels >= classes)) & ~ignored))


def has_fractions_as_indices(case):
    indices = case.input(0)
    return indices.dtype.kind == "f" and bool(np.any(indices != np.trunc(indices)))


def has_negative_total_padding(case):
    if case.get("auto_pad", b"") not in (b"SAME_UPPER", b"SAME_LOWER"):
        return False
    kernel = case.input(1).shape[2:]
    ones = [1] * len(kernel)
    zeros = [0] * len(kernel)
    strides, dilations = case.get("strides", ones), case.get("dilations", ones)
    padding = case.get("output_padding", zeros)
    extents = [(size - 1) * dilation + 1 for size, dilation in zip(kernel, dilations)]
    return any(e + p < s for e, p, s in zip(extents, padding, strides))


def has_nan_in_row(case):
    axis, keepdims = case.get("axis", 0), bool(case.get("keepdims", 1))
    if case.input(0).dtype.kind != "f":
        return False
    return case.differs_only_at(np.isnan(case.input(0)).any(axis=axis, keepdims=keepdims))


def aligns_corners_of_fractional_size(case):
    if case.get("coordinate_transformation_mode") != b"align_corners":
        return False
    scales, shape = case.input(2), case.input(0).shape
    if scales is None or len(scales) != len(shape):
        return False
    sizes = scales.astype(np.float64) * shape
    return bool(np.any(np.abs(sizes - np.round(sizes)) > 1e-5))


def is_infinite(case):
    return case.differs_only_at(np.isinf(case.input(0)))


REDUCTIONS = (
    "ReduceL1 ReduceL2 ReduceLogSum ReduceLogSumExp ReduceMax ReduceMean ReduceMin ReduceProd "
    "ReduceSum ReduceSumSquare ArgMax ArgMin"
)
# Operators, a condition, and the reason.
def overflows_squares(case):
    x = case.input(0)
    return x is not None and bool(np.any(np.abs(x[np.isfinite(x)]) > np.sqrt(3.4e38)))


def slices_backwards_to_greatest_end(case):
    ends, steps = case.input(2), case.input(4)
    greatest = (np.iinfo(np.int32).max, np.iinfo(np.int64).max)
    if ends is None or steps is None:
        return False
    return any(step < 0 and end in greatest for end, step in zip(ends, steps))


def get_transform_axis(case):
    """The axis of a DFT, as an index of the operand."""
    axis = case.get("axis", 1) if case.program.opset < 20 else case.input(2)
    axis = -2 if axis is None else int(axis)
    return axis % case.input(0).ndim


def transforms_infinities(case):
    infinite = ~np.isfinite(case.input(0)).all(axis=(get_transform_axis(case), -1), keepdims=True)
    return bool(infinite.any()) and case.differs_only_at(infinite)


def is_near_exact_transform(case):
    """Whether ipu-run is closer to numpy's transform in f64 than onnxruntime."""
    (result,), (other,) = case.actual.values(), case.expected.values()
    x, axis, length = case.input(0).astype(np.float64), get_transform_axis(case), case.input(1)
    if not np.all(np.isfinite(x)) or result.shape != other.shape:
        return False
    z = x[..., 0] + (1j * x[..., 1] if x.shape[-1] == 2 else 0)
    transform = np.fft.ifft if case.get("inverse", 0) else np.fft.fft
    exact = transform(z, None if length is None else int(length), axis=axis)
    exact = np.take(exact, range(result.shape[axis]), axis=axis)
    exact = np.stack([exact.real, exact.imag], axis=-1)
    errors = [np.abs(values - exact).max() for values in (result, other)]
    return errors[0] <= errors[1] and errors[0] <= 1e-5 * np.abs(exact).max()


def has_dilations_without_two_dimensions(case):
    dilations = case.get("dilations", [])
    return len(dilations) != 2 and any(dilation != 1 for dilation in dilations)


def has_window_of_complex_signal(case):
    return case.input(0).shape[-1] == 2 and case.input(2) is not None


def has_infinite_weights(case):
    weights = (case.input(1), case.input(2))
    return any(w is not None and not np.all(np.isfinite(w)) for w in weights)


DIFFERENCES = [
    (
        "Cast CastLike",
        casts_floats_out_of_range,
        "the result of a float that is out of the range of the integers is undefined",
    ),
    (
        "ArgMax ArgMin",
        has_nan_in_row,
        "a NaN is the extreme, as in NumPy and PyTorch; the specification does not mention NaNs",
    ),
    (
        "Col2Im",
        has_dilations_without_two_dimensions,
        "onnxruntime adds elements of the wrong rows if an image without two dimensions has "
        "dilations; ipu-run is equal to ONNX's reference implementation",
    ),
    (
        "ConvTranspose",
        has_negative_total_padding,
        "with SAME padding, the size of the result is the size of the operand times the stride; "
        "onnxruntime makes it smaller if the total padding is negative",
    ),
    (
        "DFT",
        transforms_infinities,
        "a transform is a product with a matrix, so that an element that is not finite makes all "
        "results NaN",
    ),
    (
        "DFT",
        is_near_exact_transform,
        "onnxruntime loses digits if the length is no power of two; ipu-run is nearer to numpy",
    ),
    (
        "GRU LSTM RNN",
        has_infinite_weights,
        "the product of an infinite weight and a state of 0 is NaN; onnxruntime skips the product "
        "if all states are 0",
    ),
    (
        "LRN",
        overflows_squares,
        "a square that overflows makes its neighbours 0; onnxruntime subtracts infinite squares "
        "from its running sums, so that elements further on are NaN, too",
    ),
    (
        "NegativeLogLikelihoodLoss SoftmaxCrossEntropyLoss",
        has_labels_out_of_range,
        "labels must be classes or ignore_index",
    ),
    (
        "OneHot",
        has_fractions_as_indices,
        "indices are cast to int64 before use; onnxruntime compares fractions",
    ),
    (
        "Pow",
        overflows_power,
        "the result of an overflow of integers is undefined",
    ),
    (
        "Resize",
        aligns_corners_of_fractional_size,
        "align_corners uses the size of the operand times the scale, which ONNX's backend tests do "
        "not round; onnxruntime rounds it",
    ),
    (
        "Slice",
        slices_backwards_to_greatest_end,
        "an end beyond the dimension is clamped to its last index, at which a backward slice "
        "stops; onnxruntime takes the greatest end as no end in both directions",
    ),
    (
        "STFT",
        has_window_of_complex_signal,
        "onnxruntime multiplies complex signals by the wrong elements of the window; the result of "
        "ipu-run is that of numpy",
    ),
    (
        "Softsign",
        is_infinite,
        "at an infinity, the result is the limit, as for the other activations; the specification "
        "has a formula that divides infinities there, as onnxruntime does",
    ),
    (
        REDUCTIONS,
        has_other_keepdims,
        "keepdims is neither 0 nor 1, which are the only values with a meaning",
    ),
    (
        "MaxPool AveragePool LpPool",
        has_same_padding_with_dilations,
        "the size of a result with SAME padding is the size of the operand divided by the stride, "
        "also with dilations; onnxruntime ignores dilations in the padding",
    ),
]


def find_explanation(case):
    """The reason for a difference, or None."""
    for operators, applies, reason in DIFFERENCES:
        if case.node.op_type in operators.split() and applies(case):
            return f"{case.node.op_type}: {reason}"
    return None
