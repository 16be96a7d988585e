# Part of ipu-mlir, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Small random programs with operators of the domain com.microsoft."""

import functools

import numpy as np

from .quantized import BYTES, add_quantization, draw_bytes, draw_scale

DOMAIN = "com.microsoft"


def make_contrib_product(b):
    op = b.choose(("FusedMatMul", "FusedGemm", "FusedConv", "MatMulNBits", "MatMulNBits"))
    m, k, n = (b.between(1, 5) for _ in range(3))
    node = functools.partial(b.node, op, domain=DOMAIN)
    activation = b.choose(("Relu", "Tanh", "Sigmoid", "LeakyRelu"))
    if op == "FusedMatMul":
        turned, batch = [b.between(0, 1), b.between(0, 1)], b.shape(0, 2)
        shapes = [[*batch, k, m] if turned[0] else [*batch, m, k], [*batch, n, k] if turned[1] else [*batch, k, n]]
        node(*(b.input(b.floats(shape, "float32")) for shape in shapes), transA=turned[0], transB=turned[1],
             alpha=b.maybe(0.5))  # fmt: skip
    elif op == "FusedGemm":
        inputs = [b.input(b.floats(shape, "float32")) for shape in ([m, k], [k, n], [n])]
        node(*inputs, activation=activation, activation_alpha=0.1 if activation == "LeakyRelu" else None,
             alpha=b.maybe(0.5), beta=b.maybe(0.25))  # fmt: skip
    elif op == "FusedConv":
        kernel = [b.between(1, 3), b.between(1, 3)]
        inputs = [b.floats([1, k, 5, 6], "float32"), b.floats([n, k, *kernel], "float32"), b.floats([n], "float32")]
        node(*map(b.input, inputs), activation=activation, pads=b.maybe([1, 1, 1, 1]) if min(kernel) > 1 else None,
             activation_params=[0.2] if activation == "LeakyRelu" else None, kernel_shape=kernel)  # fmt: skip
    else:
        make_blocks(b, node)


def make_blocks(b, node):
    """Weights of 4 or 8 bits in blocks of one scale each."""
    bits, size, inner, columns = b.choose((4, 4, 8)), b.choose((16, 32)), b.choose((16, 20, 40, 64)), b.between(1, 6)
    blocks = -(-inner // size)
    weights = draw_bytes(b, [columns, blocks, size * bits // 8], "uint8")
    inputs = [b.input(b.floats([*b.shape(1, 2), inner], "float32")), b.constant(weights, "uint8"),
              b.constant(draw_scale(b, [columns * blocks]), "float32")]  # fmt: skip
    if b.roll() < 0.5:
        inputs.append(b.constant(draw_bytes(b, [columns * -(-blocks * bits // 8)], "uint8"), "uint8"))
    node(*inputs, K=inner, N=columns, bits=bits, block_size=size)


def make_contrib_activation(b):
    op = b.choose(("Gelu", "FastGelu", "QuickGelu", "BiasGelu"))
    values = b.floats(b.shape(), "float32")
    bias = [b.input(b.floats(values.shape[-1:], "float32"))]
    bias *= {"BiasGelu": 1, "FastGelu": b.between(0, 1)}.get(op, 0)
    b.node(op, b.input(values), *bias, alpha=b.maybe(1.2) if op == "QuickGelu" else None, domain=DOMAIN)


def make_contrib_normalization(b):
    op = b.choose(("SkipLayerNormalization", "SkipSimplifiedLayerNormalization", "EmbedLayerNormalization"))
    batch, steps, size = b.between(1, 3), b.between(1, 4), b.choose((2, 3, 8))
    vector = lambda: b.input(b.floats([size], "float32"))  # noqa: E731
    if op == "EmbedLayerNormalization":
        ids, segments = (b.input(b.integers([batch, steps], "int32", 0, high)) for high in (6, 2))
        tables = [b.input(b.floats([rows, size], "float32")) for rows in (6, 4, 2)]
        mask = [b.input(np.arange(steps)[None] < b.integers([batch, 1], "int32", 1, steps + 1))]
        mask = [b.input(b.inputs.pop(mask[0]).astype("int32"))] * b.between(0, 1)
        b.node(op, ids, segments, *tables, vector(), vector(), *mask, outputs=2, epsilon=1e-6, domain=DOMAIN)
        return
    x, skip = (b.input(b.floats([batch, steps, size], "float32")) for _ in range(2))
    count = b.between(1, 3 if op == "SkipLayerNormalization" else 2)
    b.node(op, x, skip, *(vector() for _ in range(count)), epsilon=b.maybe(1e-3), domain=DOMAIN)


def make_contrib_attention(b):
    op = b.choose(("Attention", "MultiHeadAttention", "GroupQueryAttention", "RotaryEmbedding"))
    batch, steps, heads, size = b.between(1, 2), b.between(1, 4), b.choose((1, 2, 4)), b.choose((2, 4, 8))
    hidden, node = heads * size, functools.partial(b.node, op, domain=DOMAIN)
    floats = lambda *shape: b.input(b.floats(shape, "float32"))  # noqa: E731
    if op == "Attention":
        past = b.choose((0, 0, 3))
        lengths = b.integers([batch], "int32", 1, steps + 1)
        masks = ["", b.input(lengths)] if past == 0 else [""]
        masks.append(b.input(b.integers([batch, steps + past], "int32", 0, 2)))
        extra = [floats(2, batch, heads, past, size)] if past else []
        node(floats(batch, steps, 5), floats(5, 3 * hidden), floats(3 * hidden), b.choose(masks), *extra,
             outputs=2 if past else 1, num_heads=heads, unidirectional=b.maybe(b.between(0, 1)))  # fmt: skip
    elif op == "MultiHeadAttention":
        keys = b.choose((steps, 5))
        shapes = ((batch, steps, hidden), (batch, keys, hidden), (batch, keys, hidden))
        bias = b.choose(("", floats(3 * hidden)))
        mask = b.choose(("", b.input(b.integers([batch, keys], "int32", 0, 2))))
        node(*(floats(*shape) for shape in shapes), bias, mask, num_heads=heads, scale=b.maybe(0.3))
    elif op == "GroupQueryAttention":
        make_group_query(b, node, floats, batch, steps, heads)
    else:
        tables = [floats(8, size // 2) for _ in range(2)]
        positions = b.choose((b.integers([batch, steps], "int64", 0, 8), b.integers([1], "int64", 0, 4)))
        x = b.choose((floats(batch, heads, steps, size), floats(batch, steps, hidden)))
        node(x, b.input(positions), *tables, interleaved=b.maybe(b.between(0, 1)))


def make_group_query(b, node, floats, batch, steps, heads):
    """A prompt, or one more step after a past of several."""
    size, groups = 16, b.choose([n for n in (1, 2) if heads % n == 0])
    past = b.choose((0, 5))
    steps = 1 if past else steps
    caches = [floats(batch, groups, past, size) for _ in range(2)] if past else ["", ""]
    lengths = np.full([batch], past + steps - 1, "int32")
    rotary = b.between(0, 1)
    tables = [floats(16, size // 2) for _ in range(2)] if rotary else []
    node(floats(batch, steps, heads * size), *(floats(batch, steps, groups * size) for _ in range(2)), *caches,
         b.input(lengths), b.constant(past + steps, "int32"), *tables, outputs=3, num_heads=heads,
         kv_num_heads=groups, do_rotary=rotary, local_window_size=b.maybe(2, 0.2))  # fmt: skip


def make_contrib_quantized(b):
    op = b.choose("QLinearAdd QLinearMul QLinearSigmoid QLinearLeakyRelu QLinearAveragePool "
                  "QLinearGlobalAveragePool QLinearConcat QLinearSoftmax DynamicQuantizeMatMul "
                  "MatMulIntegerToFloat".split())  # fmt: skip
    node, kind = functools.partial(b.node, op, domain=DOMAIN), b.choose(BYTES)
    operand = lambda shape: [b.input(draw_bytes(b, shape, kind)), *add_quantization(b, kind)]  # noqa: E731
    result = [b.constant(draw_scale(b), "float32"), b.constant(draw_bytes(b, (), kind), kind)]
    shape = b.shape(2, 3)
    if op in ("QLinearAdd", "QLinearMul"):
        node(*operand(shape), *operand(shape[b.between(0, len(shape)) :]), *result)
    elif op.endswith("Pool"):
        attributes = {} if "Global" in op else {"kernel_shape": [2, 2], "pads": b.maybe([1, 0, 0, 1])}
        node(*operand([1, b.between(1, 3), 4, 5]), *result, **attributes)
    elif op == "QLinearConcat":
        node(*result, *operand(shape), *operand(shape), axis=b.axis(len(shape)))
    elif op == "DynamicQuantizeMatMul":
        inner, columns = b.between(1, 5), b.between(1, 5)
        weights = [b.constant(draw_bytes(b, [inner, columns], kind), kind), b.constant(draw_scale(b), "float32")]
        node(b.input(b.floats([2, inner], "float32")), *weights, b.constant(draw_bytes(b, (), kind), kind))
    elif op == "MatMulIntegerToFloat":
        inner, columns = b.between(1, 5), b.between(1, 5)
        factors = [b.input(draw_bytes(b, shape, each)) for shape, each in (([2, inner], "uint8"), ([inner, columns], kind))]
        scales = [b.constant(draw_scale(b), "float32") for _ in range(2)]
        zeros = [b.constant(draw_bytes(b, (), each), each) for each in ("uint8", kind)]
        node(*factors, *scales, *zeros)
    else:
        attributes = {"alpha": 0.1} if "Leaky" in op else {"axis": b.axis(len(shape)), "opset": 13} if "Softmax" in op else {}
        if "Softmax" in op:
            result = [b.constant(1 / 256, "float32"), b.constant(0 if kind == "uint8" else -128, kind)]
        node(*operand(shape), *result, **attributes)


MICROSOFT_MAKERS = {
    make_contrib_product: 2,
    make_contrib_activation: 1,
    make_contrib_normalization: 1,
    make_contrib_attention: 3,
    make_contrib_quantized: 3,
}
