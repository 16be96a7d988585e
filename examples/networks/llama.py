# Part of ipu-mlir, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A block of Llama 3 8B (Dubey et al., "The Llama 3 herd of models", 2024, section 3.2), or several of them: RMS norms
(Zhang and Sennrich, 2019), rotary embeddings (Su et al., "RoFormer", 2021), queries that share keys (Ainslie et al.,
"GQA", 2023) and SwiGLU (Shazeer, "GLU variants improve transformer", 2020)."""

import numpy as np

from formulas import attention, make_causal_mask, silu

FULL = {"batch": 1, "length": 128, "width": 4096, "layers": 1, "heads": 32, "groups": 8, "hidden": 14336}
SMALL = {"batch": 2, "length": 6, "width": 16, "layers": 2, "heads": 4, "groups": 2, "hidden": 24}
BASE = 500000.0


def write(net, sizes):
    length, width = sizes.length, sizes.width // sizes.heads
    angles = np.outer(np.arange(length), BASE ** -(np.arange(0, width, 2) / width))
    cosines, sines = (net.constant(np.tile(function(angles), (sizes.batch, 1, 1)), function.__name__)
                      for function in (np.cos, np.sin))
    mask = net.constant(make_causal_mask(length), "mask")

    def rotate(x):
        return net.op("RotaryEmbedding", x, cosines, sines, shape=x.shape, interleaved=1)

    def attend(x):
        query, key, value = (
            net.split_heads(net.linear(name, x, heads * width, has_bias=False), heads)
            for name, heads in (("query", sizes.heads), ("key", sizes.groups), ("value", sizes.groups)))
        y = net.attend(rotate(query), rotate(key), value, mask)
        return net.linear("output", net.join_heads(y), sizes.width, has_bias=False)

    def swiglu(x):
        gate = net.silu(net.linear("gate", x, sizes.hidden, has_bias=False))
        y = net.op("Mul", gate, net.linear("up", x, sizes.hidden, has_bias=False))
        return net.linear("down", y, sizes.width, has_bias=False)

    x = net.input("x", sizes.batch, length, sizes.width)
    for number in range(sizes.layers):
        with net.scope(f"layer{number:02}"):
            x = net.op("Add", x, attend(net.rms_norm("attention_norm", x)))
            x = net.op("Add", x, swiglu(net.rms_norm("norm", x)))
    net.output("y", x)


def evaluate(weights, inputs, sizes):
    width = sizes.width // sizes.heads

    def rotate(x):
        """Each pair of adjacent elements is a complex number, which turns by an angle."""
        pairs = x.reshape(*x.shape[:2], -1, width // 2, 2)
        turns = np.exp(1j * np.arange(sizes.length)[:, None, None] * BASE ** (-2 * np.arange(width // 2) / width))
        turned = (pairs[..., 0] + 1j * pairs[..., 1]) * turns
        return np.stack([turned.real, turned.imag], axis=-1).reshape(x.shape)

    x = inputs["x"]
    for number in range(sizes.layers):
        own = weights / f"layer{number:02}"
        y = own.rms_norm("attention_norm", x)
        query, key, value = (own.linear(name, y) for name in ("query", "key", "value"))
        y = attention(rotate(query), rotate(key), value, sizes.heads, sizes.groups, make_causal_mask(sizes.length))
        x = x + own.linear("output", y)
        y = own.rms_norm("norm", x)
        x = x + own.linear("down", silu(own.linear("gate", y)) * own.linear("up", y))
    return {"y": x}
