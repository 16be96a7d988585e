# Part of ipu-mlir, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The encoder of Whisper base (Radford et al., "Robust speech recognition via large-scale weak supervision", 2022,
section 2.2 and table 1), for 30 seconds of speech: 3000 logarithms of Mel spectra."""

import numpy as np

from formulas import gelu

FULL = {"batch": 1, "frames": 3000, "mels": 80, "width": 512, "layers": 6, "heads": 8}
SMALL = {"batch": 1, "frames": 16, "mels": 6, "width": 16, "layers": 2, "heads": 2}


def write(net, sizes):
    x = net.input("spectra", sizes.batch, sizes.mels, sizes.frames)
    x = net.op("Gelu", net.conv("conv0", x, sizes.width, 3))
    x = net.transpose(net.op("Gelu", net.conv("conv1", x, sizes.width, 3, 2)), 0, 2, 1)
    angles = np.outer(np.arange(x.shape[1]), 10000.0 ** -np.linspace(0, 1, sizes.width // 2))
    x = net.op("Add", x, net.constant(np.concatenate([np.sin(angles), np.cos(angles)], axis=1), "positions"))
    for number in range(sizes.layers):
        with net.scope(f"layer{number:02}"):
            y = net.self_attention(net.layer_norm("attention_norm", x), sizes.heads, key_has_bias=False)
            x = net.op("Add", x, y)
            x = net.op("Add", x, net.feed_forward(net.layer_norm("norm", x), 4 * sizes.width))
    net.output("features", net.layer_norm("norm", x))


def evaluate(weights, inputs, sizes):
    x = gelu(weights.conv("conv0", inputs["spectra"]))
    x = gelu(weights.conv("conv1", x, stride=2)).swapaxes(1, 2)
    half = sizes.width // 2
    for position in range(x.shape[1]):
        for i in range(half):
            angle = position * np.exp(-np.log(10000) * i / (half - 1))
            x[:, position, i] += np.sin(angle)
            x[:, position, half + i] += np.cos(angle)
    for number in range(sizes.layers):
        own = weights / f"layer{number:02}"
        x = x + own.self_attention(own.layer_norm("attention_norm", x), sizes.heads)
        x = x + own.linear("down", gelu(own.linear("up", own.layer_norm("norm", x))))
    return {"features": weights.layer_norm("norm", x)}
