# Part of ipu-mlir, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Values of ops that compute random functions.

A minimum with a constant, or an overflow, may be equal for all operands. A data-flow
analysis cannot know this. In runs in which each op mixes all bits of its operands, such
values differ, and only values that are equal because of the data flow stay equal.
"""

import zlib

import numpy as np

from fuzz_graphs import values as v

ELEMENTWISE = {*v.BINARY, *v.COMPARE, *v.UNARY, "cast"} - {"zero"}
MIXED = ELEMENTWISE | {f"{op}_" for op in ELEMENTWISE} | {"scaled_add_", "accumulate_"}
FACTOR = np.uint64(0x9E3779B97F4A7C15)


def stir(bits):
    for shift in (30, 27):
        bits = (bits ^ (bits >> np.uint64(shift))) * FACTOR
    return bits ^ (bits >> np.uint64(31))


def number_of(text):
    return np.uint64(zlib.crc32(text.encode()))


def bits_of(values):
    values = np.ascontiguousarray(values)
    return values.view(f"u{values.dtype.itemsize}").astype(np.uint64)


def make_values(bits, dtype):
    """Any value of an integer type; floats from 1 to 2 or -2 to -1, of which no few
    overflow."""
    bits = stir(bits)
    if dtype.kind == "b":
        return (bits >> np.uint64(63)).astype(bool)
    if dtype.kind != "f":
        return bits.astype(f"u{dtype.itemsize}").view(dtype)
    fraction = (bits >> np.uint64(40)).astype(np.float64) / 2.0**24
    return np.where(bits & np.uint64(1), 1 + fraction, -1 - fraction).astype(dtype)


def mix(key, arrays, like):
    """Of the shape and type of `like`, what follows from all arrays, an element from
    the same element. Each key makes another function: one of a few bits may be
    constant."""
    bits = np.full(like.shape, number_of(str(key)), np.uint64)
    for array in arrays:
        bits = stir(bits) + bits_of(v.spread(array, like.shape[1:]))
    return make_values(bits, like.dtype)


def is_ordered(kind, dtype, count):
    """Whether the order of what is reduced may matter."""
    return dtype.kind == "f" and count > 2 and kind not in ("min", "max", "logical_and", "logical_or")


def combine(key, kind, members):
    """A reduction of the members of a group."""
    bits = np.full(members[0].shape, number_of(str(key)), np.uint64)
    for member in members:
        own = stir(bits_of(member) + FACTOR)
        bits = stir(bits) + own if is_ordered(kind, member.dtype, len(members)) else bits + own
    return make_values(bits, members[0].dtype)


def draw(key, shape, dtype):
    """Random values, the same for the same key."""
    rng = np.random.default_rng(key)
    return make_values(rng.integers(0, 1 << 63, shape).astype(np.uint64), np.dtype(dtype))
