# Part of ipu-mlir, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The U-Net of a diffusion model for pictures (Ho, Jain and Abbeel, "Denoising diffusion probabilistic models", 2020,
appendix B): residual blocks with group norms (Wu and He, "Group normalization", 2018), attention at one resolution, and
connections from the way down to the way up (Ronneberger, Fischer and Brox, "U-Net", 2015)."""

import numpy as np

from formulas import silu

FULL = {"batch": 1, "size": 32, "width": 128, "multipliers": (1, 2, 2, 2), "blocks": 2, "attention": 16, "groups": 32}
SMALL = {"batch": 1, "size": 8, "width": 16, "multipliers": (1, 2), "blocks": 1, "attention": 4, "groups": 4}


def write(net, sizes):
    def embed(time):
        """Sines and cosines of the time with frequencies from 1 to 1 / 10000, and two layers."""
        frequencies = net.constant(10000.0 ** -np.linspace(0, 1, sizes.width // 2), "frequencies")
        angles = net.op("Mul", net.op("Cast", net.reshape(time, sizes.batch, 1), to=net.element), frequencies)
        x = net.concat([net.op("Sin", angles), net.op("Cos", angles)], 1)
        return net.linear("second", net.silu(net.linear("first", x, 4 * sizes.width)), 4 * sizes.width)

    def residual(name, x, channels):
        with net.scope(name):
            y = net.conv("conv0", net.silu(net.group_norm("norm0", x, sizes.groups)), channels, 3)
            shift = net.reshape(net.linear("time", net.silu(time), channels), sizes.batch, channels, 1, 1)
            y = net.silu(net.group_norm("norm1", net.op("Add", y, shift), sizes.groups))
            y = net.conv("conv1", y, channels, 3)
            return net.op("Add", y, x if x.shape == y.shape else net.conv("shortcut", x, channels, 1))

    def attend(name, x):
        """Each pixel attends to all pixels."""
        with net.scope(name):
            n, c, h, w = x.shape
            y = net.transpose(net.reshape(net.group_norm("norm", x, sizes.groups), n, c, h * w), 0, 2, 1)
            y = net.transpose(net.self_attention(y, 1), 0, 2, 1)
            return net.op("Add", x, net.reshape(y, n, c, h, w))

    def block(name, x, channels):
        x = residual(name, x, channels)
        return attend(f"{name}_attention", x) if x.shape[2] == sizes.attention else x

    image = net.input("image", sizes.batch, 3, sizes.size, sizes.size)
    with net.scope("time"):
        time = embed(net.input("time", sizes.batch, below=1000))
    x = net.conv("first", image, sizes.width, 3)
    kept, levels = [x], list(enumerate(sizes.multipliers))
    for level, multiplier in levels:
        for number in range(sizes.blocks):
            kept.append(x := block(f"down{level}/{number}", x, multiplier * sizes.width))
        if level < len(levels) - 1:
            kept.append(x := net.conv(f"down{level}/half", x, x.shape[1], 3, 2))
    x = residual("middle/1", attend("middle/attention", residual("middle/0", x, x.shape[1])), x.shape[1])
    for level, multiplier in reversed(levels):
        for number in range(sizes.blocks + 1):
            x = block(f"up{level}/{number}", net.concat([x, kept.pop()], 1), multiplier * sizes.width)
        if level:
            x = net.conv(f"up{level}/double", net.double_size(x), x.shape[1], 3)
    net.output("noise", net.conv("last", net.silu(net.group_norm("last_norm", x, sizes.groups)), 3, 3))


def evaluate(weights, inputs, sizes):
    def residual(own, x):
        y = own.conv("conv0", silu(own.group_norm("norm0", x, sizes.groups)))
        y = y + own.linear("time", silu(time))[:, :, None, None]
        y = own.conv("conv1", silu(own.group_norm("norm1", y, sizes.groups)))
        return y + (own.conv("shortcut", x) if "shortcut.weight" in own else x)

    def attend(own, x):
        pixels = np.moveaxis(own.group_norm("norm", x, sizes.groups), 1, 3)
        y = own.self_attention(pixels.reshape(len(x), -1, x.shape[1]), 1)
        return x + np.moveaxis(y.reshape(pixels.shape), 3, 1)

    def block(name, x):
        x = residual(weights / name, x)
        return attend(weights / f"{name}_attention", x) if len(x[0, 0]) == sizes.attention else x

    half = sizes.width // 2
    angles = inputs["time"][:, None] * np.exp(-np.log(10000) * np.arange(half) / (half - 1))
    own = weights / "time"
    time = own.linear("second", silu(own.linear("first", np.concatenate([np.sin(angles), np.cos(angles)], 1))))
    kept = [weights.conv("first", inputs["image"])]
    levels = len(sizes.multipliers)
    for level in range(levels):
        for number in range(sizes.blocks):
            kept.append(block(f"down{level}/{number}", kept[-1]))
        if level < levels - 1:
            kept.append((weights / f"down{level}").conv("half", kept[-1], stride=2))
    x = residual(weights / "middle/0", kept[-1])
    x = residual(weights / "middle/1", attend(weights / "middle/attention", x))
    for level in range(levels - 1, -1, -1):
        for number in range(sizes.blocks + 1):
            x = block(f"up{level}/{number}", np.concatenate([x, kept.pop()], axis=1))
        if level:
            x = (weights / f"up{level}").conv("double", x.repeat(2, axis=2).repeat(2, axis=3))
    return {"noise": weights.conv("last", silu(weights.group_norm("last_norm", x, sizes.groups)))}
