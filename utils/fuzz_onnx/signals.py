# Part of ipu-mlir, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random programs of Fourier transforms, determinants and selections of rows."""

import numpy as np

from .sampling import at_least


def make_fourier_transform(b):
    at_least(b, 17)
    inverse = b.maybe(b.between(0, 1))
    onesided = None if inverse else b.maybe(b.between(0, 1))
    shape = [b.choose((1, 2, 3, 5, 8, 12)) for _ in range(b.between(1, 2))]
    shape.insert(b.between(0, len(shape)), b.choose((4, 7, 16, 31, 66, 97, 130)))
    values = b.floats([b.between(1, 2), *shape, 1 if onesided else b.choose((1, 2))], "float32")
    axis = b.between(1, values.ndim - 2)
    length = b.constant(values.shape[axis] + b.between(-2, 3)) if b.roll() < 0.4 else ""
    if b.roll() < 0.4:
        axis -= values.ndim
    if b.opset < 20:
        b.node("DFT", b.input(values), length, axis=axis, inverse=inverse, onesided=onesided)
    else:
        b.node("DFT", b.input(values), length, b.constant(axis), inverse=inverse, onesided=onesided)


def make_frames(b):
    at_least(b, 17)
    onesided = b.maybe(b.between(0, 1))
    parts = 2 if onesided == 0 and b.roll() < 0.5 else 1
    values = b.floats([b.between(1, 2), b.between(16, 40), parts], "float32")
    length = b.between(3, 16)
    window = b.constant(b.floats([length], "float32"), np.float32) if b.roll() < 0.6 else ""
    b.node("STFT", b.input(values), b.constant(b.between(1, 6)), window, b.constant(length), onesided=onesided)


def make_window(b):
    at_least(b, 17)
    op = b.choose(("HannWindow", "HammingWindow", "BlackmanWindow", "MelWeightMatrix"))
    kind = b.maybe(b.choose((1, 1, 11)))
    if op != "MelWeightMatrix":
        b.node(op, b.constant(b.between(2, 20), b.choose((np.int32, np.int64))), periodic=b.maybe(b.between(0, 1)),
               output_datatype=kind)  # fmt: skip
        return
    sizes = (b.between(1, 12), b.choose((16, 32, 33, 64)), b.choose((8192, 16000)))
    edges = [b.constant(edge, np.float32) for edge in (b.choose((0, 20)), b.choose((1000, 4000)))]
    b.node(op, *map(b.constant, sizes), *edges, output_datatype=kind)


def make_determinant(b):
    at_least(b, 11)
    size = b.between(1, 6)
    values = b.floats([*b.shape(0, 2), size, size], b.choose(("float32", "float64")))
    if b.roll() < 0.3:
        values = np.round(values)
    b.node("Det", b.input(values))


def make_selection(b):
    op = b.choose(("ReverseSequence", "CenterCropPad", "EyeLike"))
    values = b.choose((b.floats, b.integers))(b.shape(2, 4))
    rank = values.ndim
    if op == "ReverseSequence":
        at_least(b, 10)
        batch = b.between(0, 1)
        lengths = b.numpy.integers(1, values.shape[1 - batch] + 1, values.shape[batch])
        lengths = b.constant(lengths) if b.roll() < 0.5 else b.input(lengths)
        b.node(op, b.input(values), lengths, batch_axis=batch, time_axis=1 - batch)
    elif op == "CenterCropPad":
        at_least(b, 18)
        axes = b.maybe(b.axes(rank))
        shape = [b.between(1, 8) for _ in (axes or range(rank))]
        b.node(op, b.input(values), b.constant(shape), axes=axes)
    else:
        at_least(b, 9)
        b.node(op, b.input(b.floats(b.shape(2, 2))), k=b.maybe(b.between(-4, 4)), dtype=b.maybe(b.choose((1, 6, 7, 11))))


def make_cache(b):
    at_least(b, 24)
    if b.roll() < 0.5:
        b.node("Swish", b.input(b.floats(b.shape())), alpha=b.maybe(b.choose((0.5, 1.702, -1.0))))
        return
    values = b.floats(b.shape(3, 4, (2, 3, 4)), "float32")
    axis = b.between(1, values.ndim - 1)
    shape = list(values.shape)
    shape[axis] = b.between(1, shape[axis])
    circular = b.roll() < 0.5
    last = values.shape[axis] if circular else values.shape[axis] - shape[axis] + 1
    starts = b.input(b.numpy.integers(0, last, values.shape[0]))
    b.node("TensorScatter", b.input(values), b.input(b.floats(shape, "float32")), starts, axis=axis,
           mode="circular" if circular else None)  # fmt: skip


MAKERS = {
    make_fourier_transform: 2,
    make_frames: 1,
    make_window: 1,
    make_determinant: 1,
    make_selection: 3,
    make_cache: 1,
}
