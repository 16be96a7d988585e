# Part of ipu-mlir, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""ViT-B/16 (Dosovitskiy et al., "An image is worth 16x16 words", 2020, section 3.1)."""

import numpy as np

from formulas import gelu

FULL = {"batch": 1, "size": 224, "patch": 16, "width": 768, "layers": 12, "heads": 12, "classes": 1000}
SMALL = {"batch": 2, "size": 12, "patch": 4, "width": 16, "layers": 2, "heads": 4, "classes": 10}


def write(net, sizes):
    width, count = sizes.width, (sizes.size // sizes.patch) ** 2
    image = net.input("image", sizes.batch, 3, sizes.size, sizes.size)
    patches = net.conv("patches", image, width, sizes.patch, sizes.patch, pad=0)
    x = net.transpose(net.reshape(patches, sizes.batch, width, count), 0, 2, 1)
    shape = net.constant(np.array([sizes.batch, 1, width], np.int64), "shape")
    first = net.op("Expand", net.weight("class", 1, 1, width), shape, shape=[sizes.batch, 1, width])
    x = net.op("Add", net.concat([first, x], 1), net.weight("position", count + 1, width))
    for number in range(sizes.layers):
        with net.scope(f"layer{number:02}"):
            x = net.op("Add", x, net.self_attention(net.layer_norm("attention_norm", x, 1e-6), sizes.heads))
            x = net.op("Add", x, net.feed_forward(net.layer_norm("norm", x, 1e-6), 4 * width))
    x = net.layer_norm("norm", net.reshape(net.slice(x, 1, 0, 1), sizes.batch, width), 1e-6)
    net.output("logits", net.linear("classify", x, sizes.classes))


def evaluate(weights, inputs, sizes):
    # A row of pixels for each patch, with all channels.
    n, side = sizes.batch, sizes.size // sizes.patch
    pixels = inputs["image"].reshape(n, 3, side, sizes.patch, side, sizes.patch).transpose(0, 2, 4, 1, 3, 5)
    pixels = pixels.reshape(n, side * side, -1)
    patches = pixels @ weights["patches.weight"].reshape(sizes.width, -1).T + weights["patches.bias"]
    x = np.concatenate([np.broadcast_to(weights["class"], (n, 1, sizes.width)), patches], axis=1) + weights["position"]
    for number in range(sizes.layers):
        own = weights / f"layer{number:02}"
        x = x + own.self_attention(own.layer_norm("attention_norm", x, 1e-6), sizes.heads)
        x = x + own.linear("down", gelu(own.linear("up", own.layer_norm("norm", x, 1e-6))))
    return {"logits": weights.linear("classify", weights.layer_norm("norm", x[:, 0], 1e-6))}
