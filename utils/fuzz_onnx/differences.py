# Part of ipu-mlir, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Differences from onnxruntime that the ONNX specification explains.

A condition takes a `Case`, and holds for as few programs as possible: all other elements and
attributes must be compared."""

import dataclasses

import numpy as np
from onnx import helper

from compare_onnx.compare import find_close


@dataclasses.dataclass
class Case:
    """A program of one node, with the outputs of ipu-run and onnxruntime by name."""

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
    (result,) = case.actual.values()
    if case.input(0).dtype.kind != "f" or result.dtype.kind not in "iu":
        return False
    limits, whole = np.iinfo(result.dtype), np.trunc(case.input(0).astype(np.float64))
    return case.differs_only_at(~((whole >= limits.min) & (whole < float(limits.max) + 1)))


REDUCTIONS = (
    "ReduceL1 ReduceL2 ReduceLogSum ReduceLogSumExp ReduceMax ReduceMean ReduceMin ReduceProd "
    "ReduceSum ReduceSumSquare ArgMax ArgMin"
)
# Operators, a condition, and the reason.
DIFFERENCES = [
    (
        "Cast CastLike",
        casts_floats_out_of_range,
        "the result of a float that is out of the range of the integers is undefined",
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
