# Part of ipu-mlir, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Small random programs of quantised numbers."""

import numpy as np

BYTES = ("uint8", "int8")


def draw_scale(b, shape=(), kind="float32"):
    return np.asarray(b.numpy.uniform(0.01, 0.2, shape), kind)


def draw_bytes(b, shape, kind):
    limits = np.iinfo(kind)
    return b.numpy.integers(limits.min, limits.max + 1, shape).astype(kind)


def add_quantization(b, kind, shape=()):
    """A scale and a zero point, each an input or a constant."""
    add = b.choose((b.input, lambda values: b.constant(values, values.dtype)))
    return [add(draw_scale(b, shape)), add(draw_bytes(b, shape, kind))]


def make_quantize(b):
    """A quantisation, or a quantisation and back, per tensor, per axis or in blocks."""
    b.opset = max(b.opset, 10)
    values = b.floats(b.shape(1, 3), "float32") * 10
    axis, block = b.axis(values.ndim), None
    form = b.choose(("tensor", "axis", "block") if b.opset >= 21 else ("tensor", "axis"))
    shape = ()
    if form == "axis" and b.opset >= 13:
        shape = (values.shape[axis],)
    elif form == "block":
        block = b.between(1, 3)
        shape = tuple(-(-n // block) if i == axis % values.ndim else n for i, n in enumerate(values.shape))
    kinds = BYTES if b.opset < 21 else (*BYTES, "int16", "uint16")
    x, attributes = b.input(b.sprinkle(values)), {"axis": axis if b.opset >= 13 else None, "block_size": block}
    scale, zero = add_quantization(b, b.choose(kinds), shape)
    zero = b.maybe([zero], 0.8) or []
    dtype = None
    if b.opset >= 21 and b.roll() < 0.4:
        zero, dtype = [], b.choose((2, 3, 4, 5, 21, 22))
    y = b.node("QuantizeLinear", x, scale, *zero, output_dtype=dtype, **attributes)
    if dtype in (21, 22) or b.roll() < 0.5:
        b.node("DequantizeLinear", y, scale, *zero, **attributes)


def make_dynamic(b):
    b.opset = max(b.opset, 11)
    values = b.floats(b.shape(), "float32") * b.choose((0, 1, 10))
    if b.roll() < 0.3:
        values = np.abs(values) * b.choose((1, -1))
    b.node("DynamicQuantizeLinear", b.input(values.astype("float32")), outputs=3)


def make_integer_product(b):
    b.opset = max(b.opset, 10)
    op = b.choose(("MatMulInteger", "QLinearMatMul"))
    batch, (m, k, n) = b.shape(0, 2), (b.between(1, 5) for _ in range(3))
    kinds = [b.choose(BYTES)] * 2 if op == "QLinearMatMul" else [b.choose(BYTES), b.choose(BYTES)]
    inputs = [b.input(draw_bytes(b, [*batch, m, k], kinds[0])), b.input(draw_bytes(b, [k, n], kinds[1]))]
    per_column = b.roll() < 0.3
    if op == "MatMulInteger":
        if b.roll() < 0.7:
            inputs.append(b.input(draw_bytes(b, (), kinds[0])))
            inputs += [b.input(draw_bytes(b, (n,) if per_column else (), kinds[1]))] * b.between(0, 1)
        b.node(op, *inputs)
        return
    first, second = add_quantization(b, kinds[0]), add_quantization(b, kinds[1], (n,) if per_column else ())
    result = [b.constant(draw_scale(b), "float32"), b.constant(draw_bytes(b, (), kinds[0]), kinds[0])]
    b.node(op, inputs[0], *first, inputs[1], *second, *result)


def make_integer_convolution(b):
    b.opset = max(b.opset, 10)
    op, rank = b.choose(("ConvInteger", "QLinearConv")), b.choose((1, 2, 2))
    groups, inner, outer = b.choose((1, 1, 2)), b.between(1, 3), b.between(1, 3)
    kernel = [b.between(1, 3) for _ in range(rank)]
    image = draw_bytes(b, [b.between(1, 2), groups * inner, *(b.between(4, 6) for _ in range(rank))], "uint8")
    kind = b.choose(BYTES)
    weights = b.constant(draw_bytes(b, [groups * outer, inner, *kernel], kind), kind)
    attributes = {
        "group": groups,
        "pads": b.maybe([b.between(0, size - 1) for size in kernel * 2]),
        "strides": b.maybe([b.between(1, 2) for _ in range(rank)]),
    }
    x = b.input(image)
    if op == "ConvInteger":
        zeros = [b.constant(draw_bytes(b, (), "uint8"), "uint8"), b.constant(draw_bytes(b, (), kind), kind)]
        b.node(op, x, weights, *zeros[: b.between(0, 2)], **attributes)
        return
    count = (groups * outer,) if b.roll() < 0.4 else ()
    weight_zero = np.full(count, draw_bytes(b, (), kind)) if kind == "uint8" else np.zeros(count, kind)
    second = [b.constant(draw_scale(b, count), "float32"), b.constant(weight_zero, kind)]
    result = [b.constant(draw_scale(b), "float32"), b.constant(draw_bytes(b, (), "uint8"), "uint8")]
    bias = [b.constant(b.integers([groups * outer], "int32", -100, 100), "int32")] * b.between(0, 1)
    b.node(op, x, *add_quantization(b, "uint8"), weights, *second, *result, *bias, **attributes)


QUANTIZED_MAKERS = {
    make_quantize: 2,
    make_dynamic: 1,
    make_integer_product: 2,
    make_integer_convolution: 2,
}
