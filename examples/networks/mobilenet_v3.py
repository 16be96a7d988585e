# Part of ipu-mlir, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""MobileNetV3-Large (Howard et al., "Searching for MobileNetV3", 2019, table 1), whose blocks may have a gate for each
channel (Hu, Shen and Sun, "Squeeze-and-excitation networks", 2017)."""

import numpy as np

from formulas import relu
from mobilenet_v2 import scale

FULL = {"batch": 1, "size": 224, "multiplier": 1.0, "blocks": 15, "classes": 1000}
SMALL = {"batch": 1, "size": 32, "multiplier": 0.25, "blocks": 7, "classes": 10}
# Kernel, channels after the expansion, channels of the result, gates, function and stride.
BLOCKS = [
    (3, 16, 16, False, "Relu", 1),
    (3, 64, 24, False, "Relu", 2),
    (3, 72, 24, False, "Relu", 1),
    (5, 72, 40, True, "Relu", 2),
    (5, 120, 40, True, "Relu", 1),
    (5, 120, 40, True, "Relu", 1),
    (3, 240, 80, False, "HardSwish", 2),
    (3, 200, 80, False, "HardSwish", 1),
    (3, 184, 80, False, "HardSwish", 1),
    (3, 184, 80, False, "HardSwish", 1),
    (3, 480, 112, True, "HardSwish", 1),
    (3, 672, 112, True, "HardSwish", 1),
    (5, 672, 160, True, "HardSwish", 2),
    (5, 960, 160, True, "HardSwish", 1),
    (5, 960, 160, True, "HardSwish", 1),
]


def write(net, sizes):
    def conv(name, x, channels, kernel, stride=1, groups=1, function=None):
        y = net.batch_norm(f"{name}_norm", net.conv(name, x, channels, kernel, stride, groups, has_bias=False))
        return net.op(function, y, name=f"{name}_function") if function else y

    def gate(x):
        squeezed = net.conv("squeeze", net.mean_of_channels(x), scale(x.shape[1], 0.25), 1)
        excited = net.conv("excite", net.op("Relu", squeezed), x.shape[1], 1)
        return net.op("Mul", x, net.op("HardSigmoid", excited, alpha=1 / 6, beta=0.5))

    def block(x, kernel, hidden, channels, has_gate, function, stride):
        y = conv("expand", x, hidden, 1, function=function) if hidden != x.shape[1] else x
        y = conv("depthwise", y, hidden, kernel, stride, groups=hidden, function=function)
        y = conv("project", gate(y) if has_gate else y, channels, 1)
        return net.op("Add", x, y) if x.shape == y.shape else y

    x = net.input("image", sizes.batch, 3, sizes.size, sizes.size)
    x = conv("stem", x, scale(16, sizes.multiplier), 3, 2, function="HardSwish")
    hidden = 0
    for number, (kernel, hidden, channels, *rest) in enumerate(BLOCKS[:sizes.blocks]):
        with net.scope(f"block{number:02}"):
            hidden = scale(hidden, sizes.multiplier)
            x = block(x, kernel, hidden, scale(channels, sizes.multiplier), *rest)
    x = conv("last", x, hidden, 1, function="HardSwish")
    x = net.reshape(net.mean_of_channels(x), sizes.batch, x.shape[1])
    x = net.op("HardSwish", net.linear("hidden", x, scale(1280, sizes.multiplier)))
    net.output("logits", net.linear("classify", x, sizes.classes))


def hard_sigmoid(x):
    return np.clip(x + 3, 0, 6) / 6


def hard_swish(x):
    return x * hard_sigmoid(x)


def evaluate(weights, inputs, sizes):
    def conv(weights, name, x, **sizes):
        return weights.batch_norm(f"{name}_norm", weights.conv(name, x, **sizes))

    x = hard_swish(conv(weights, "stem", inputs["image"], stride=2))
    for number, (_, _, _, has_gate, function, stride) in enumerate(BLOCKS[:sizes.blocks]):
        own, y = weights / f"block{number:02}", x
        function = {"Relu": relu, "HardSwish": hard_swish}[function]
        if "expand.weight" in own:
            y = function(conv(own, "expand", y))
        y = function(conv(own, "depthwise", y, stride=stride, groups=y.shape[1]))
        if has_gate:
            means = y.mean(axis=(2, 3), keepdims=True)
            y = y * hard_sigmoid(own.conv("excite", relu(own.conv("squeeze", means))))
        y = conv(own, "project", y)
        x = x + y if stride == 1 and x.shape[1] == y.shape[1] else y
    x = hard_swish(conv(weights, "last", x)).mean(axis=(2, 3))
    return {"logits": weights.linear("classify", hard_swish(weights.linear("hidden", x)))}
