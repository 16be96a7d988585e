# Part of ipu-mlir, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Element types, values in text, and the functions of ops on tensors.

The first dimension of an array of values is the dimension of replicas.
"""

import collections

import numpy as np


class Element(collections.namedtuple("Element", "name dtype")):
    @property
    def is_float(self):
        return self.dtype.kind == "f"

    @property
    def is_bool(self):
        return self.dtype.kind == "b"


F32 = Element("f32", np.dtype(np.float32))
F16 = Element("f16", np.dtype(np.float16))
I32 = Element("i32", np.dtype(np.int32))
UI8 = Element("ui8", np.dtype(np.uint8))
I1 = Element("i1", np.dtype(np.bool_))
ELEMENTS = [I32, F32, F16, UI8, I1]
WEIGHTS = [8, 4, 2, 2, 2]


class Type(collections.namedtuple("Type", "shape element")):
    @property
    def size(self):
        return int(np.prod(self.shape, dtype=np.int64))

    @property
    def body(self):
        return "".join(f"{d}x" for d in self.shape) + self.element.name

    @property
    def ref(self):
        return f"!pop.ref<{self.body}>"

    def __str__(self):
        return f"tensor<{self.body}>"


SCALAR_I32 = Type((), I32)


# ===----------------------------------------------------------------------=== #
# Values
# ===----------------------------------------------------------------------=== #


def literal(values):
    """What stands between dense< and >."""
    if values.ndim:
        return "[" + ", ".join(literal(v) for v in values) + "]"
    if values.dtype.kind == "b":
        return "true" if values else "false"
    return repr(float(values)) if values.dtype.kind == "f" else str(int(values))


def draw_values(rng, shape, element):
    """Small ones, so that sums and products of floats are mostly exact."""
    low, high = (0, 9) if element.dtype.kind == "u" else (0, 1) if element is I1 else (-9, 9)
    count = int(np.prod(shape, dtype=np.int64))
    values = np.array([rng.randint(low, high) for _ in range(count)]).reshape(shape)
    return (values / 4 if element.is_float else values).astype(element.dtype)


MASK = (1 << 64) - 1


def mix(z):
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
    return z ^ (z >> 31)


def make_input(name, seed, shape, element):
    """What ipu-execute makes of random:SEED for an input."""
    start = 0xCBF29CE484222325
    for c in name.encode():
        start = ((start ^ c) * 0x100000001B3) & MASK
    start ^= mix(seed)
    values = []
    for i in range(int(np.prod(shape, dtype=np.int64))):
        bits = mix((start + (i + 1) * 0x9E3779B97F4A7C15) & MASK)
        if element.is_float:
            precision = 24 if element is F32 else 11
            values.append((bits >> (64 - precision)) * 2.0 ** (1 - precision) - 1)
        elif element.is_bool:
            values.append(bits >> 63)
        else:
            values.append((bits >> 60) - (0 if element.dtype.kind == "u" else 8))
    return np.array(values).astype(element.dtype).reshape(shape)


# ===----------------------------------------------------------------------=== #
# Ops
# ===----------------------------------------------------------------------=== #

ARITHMETIC = {"add": np.add, "sub": np.subtract, "mul": np.multiply}
EXTREMES = {"max": np.maximum, "min": np.minimum}
LOGIC = {"and": np.bitwise_and, "or": np.bitwise_or, "xor": np.bitwise_xor}
BINARY = {**ARITHMETIC, **EXTREMES, **LOGIC}
COMPARE = {
    "equal": np.equal,
    "not_equal": np.not_equal,
    "less": np.less,
    "less_equal": np.less_equal,
    "greater": np.greater,
    "greater_equal": np.greater_equal,
}
UNARY = {
    "neg": np.negative,
    "abs": np.abs,
    "relu": lambda x: np.maximum(x, x.dtype.type(0)),
    "not": np.invert,
    "zero": np.zeros_like,
}


def binaries_of(element):
    if element.is_bool:
        return list(LOGIC)
    return [*ARITHMETIC, *EXTREMES, *([] if element.is_float else LOGIC)]


def unaries_of(element):
    if element.is_bool:
        return ["not"]
    return ["neg", "abs", "relu"] + ([] if element.is_float else ["not"])


def cast(values, element):
    source = values.dtype
    if element.is_bool:
        return values != 0
    if source.kind == "f" and not element.is_float:
        limits = np.iinfo(element.dtype)
        wide = np.nan_to_num(values.astype(np.float64), posinf=np.inf, neginf=-np.inf)
        return np.clip(np.trunc(wide), limits.min, limits.max).astype(element.dtype)
    return values.astype(element.dtype)


def spread(values, shape):
    """Broadcasts what each replica has."""
    own = values.shape[1:]
    padded = values.reshape(values.shape[:1] + (1,) * (len(shape) - len(own)) + own)
    return np.broadcast_to(padded, values.shape[:1] + tuple(shape))


def scaled_add(x, y, a, b):
    one = np.float32
    return (one(a) * x.astype(one) + one(b) * y.astype(one)).astype(x.dtype)


def accumulate(kind, r, x, number):
    """`number` is the factor, or the step of a mean. Factors are powers of two:
    the order of products does not matter."""
    one = np.float32
    wide, x, f = r.astype(one), x.astype(one), one(number)
    if kind == "add":
        wide = wide + f * x
    elif kind == "square":
        wide = wide + f * (x * x)
    elif kind == "mean":
        wide = (f / (f + one(1))) * wide + (one(1) / (f + one(1))) * x
    elif kind == "moving_average":
        wide = f * wide + (one(1) - f) * x
    elif kind == "moving_average_square":
        wide = f * wide + (one(1) - f) * (x * x)
    else:
        wide = np.maximum(f * wide, np.abs(x))
    return wide.astype(r.dtype)


def combine(kind, members):
    """An all_reduce of the values of a group, in order of their index."""
    dtype = members[0].dtype
    if kind in ("logical_and", "logical_or"):
        unite = np.logical_and if kind == "logical_and" else np.logical_or
        return unite.reduce([m != 0 for m in members]).astype(dtype)
    members = [m.astype(np.float32) if dtype.kind == "f" else m for m in members]
    if kind == "square_add":
        members = [m * m for m in members]
    unite = BINARY["add" if kind in ("square_add", "mean") else kind]
    total = members[0]
    for member in members[1:]:
        total = unite(total, member)
    if kind == "mean":
        total = total / np.float32(len(members))
    return total.astype(dtype)
