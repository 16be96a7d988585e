# Part of ipu-mlir, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""MobileNetV2 (Sandler, Howard, Zhu, Zhmoginov and Chen, "MobileNetV2: inverted residuals and linear bottlenecks", 2018,
table 2)."""

import numpy as np

FULL = {"batch": 1, "size": 224, "multiplier": 1.0, "blocks": 17, "classes": 1000}
SMALL = {"batch": 1, "size": 32, "multiplier": 0.25, "blocks": 5, "classes": 10}
# Expansion, channels, number of blocks and stride of the first.
STAGES = [(1, 16, 1, 1), (6, 24, 2, 2), (6, 32, 3, 2), (6, 64, 4, 2), (6, 96, 3, 1), (6, 160, 3, 2), (6, 320, 1, 1)]
BLOCKS = [(t, c, 1 if i else s) for t, c, n, s in STAGES for i in range(n)]


def scale(channels, multiplier):
    """Times the multiplier, rounded to a multiple of 8, which does not make it less by more than a tenth."""
    rounded = max(8, int(channels * multiplier + 4) // 8 * 8)
    return rounded + 8 if rounded < 0.9 * channels * multiplier else rounded


def write(net, sizes):
    six = net.constant(6.0, "six")
    zero = net.constant(0.0, "zero")

    def conv(name, x, channels, kernel, stride=1, groups=1, is_linear=False):
        y = net.batch_norm(f"{name}_norm", net.conv(name, x, channels, kernel, stride, groups, has_bias=False))
        return y if is_linear else net.op("Clip", y, zero, six, name=f"{name}_relu6")

    def block(x, expansion, channels, stride):
        hidden = expansion * x.shape[1]
        y = conv("expand", x, hidden, 1) if expansion > 1 else x
        y = conv("depthwise", y, hidden, 3, stride, groups=hidden)
        y = conv("project", y, channels, 1, is_linear=True)
        return net.op("Add", x, y) if x.shape == y.shape else y

    x = net.input("image", sizes.batch, 3, sizes.size, sizes.size)
    x = conv("stem", x, scale(32, sizes.multiplier), 3, 2)
    for number, (expansion, channels, stride) in enumerate(BLOCKS[:sizes.blocks]):
        with net.scope(f"block{number:02}"):
            x = block(x, expansion, scale(channels, sizes.multiplier), stride)
    x = conv("last", x, scale(1280, max(1, sizes.multiplier)), 1)
    x = net.reshape(net.mean_of_channels(x), sizes.batch, x.shape[1])
    net.output("logits", net.linear("classify", x, sizes.classes))


def evaluate(weights, inputs, sizes):
    def conv(weights, name, x, **sizes):
        return weights.batch_norm(f"{name}_norm", weights.conv(name, x, **sizes))

    def relu6(x):
        return np.clip(x, 0, 6)

    x = relu6(conv(weights, "stem", inputs["image"], stride=2))
    for number, (expansion, _, stride) in enumerate(BLOCKS[:sizes.blocks]):
        own, y = weights / f"block{number:02}", x
        y = relu6(conv(own, "expand", y)) if expansion > 1 else y
        y = relu6(conv(own, "depthwise", y, stride=stride, groups=y.shape[1]))
        y = conv(own, "project", y)
        x = x + y if stride == 1 and x.shape[1] == y.shape[1] else y
    return {"logits": weights.linear("classify", relu6(conv(weights, "last", x)).mean(axis=(2, 3)))}
