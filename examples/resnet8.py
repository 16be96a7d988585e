#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes an input for resnet8.onnxtxt, and the expected output of the network.

    examples/resnet8.py
    ipu-run examples/resnet8.onnxtxt --input x=examples/resnet8_input.npy \\
        --expect y=examples/resnet8_expected.npy --rtol 1e-4 --atol 1e-6

Only numpy computes the expected values, in f64. The weights follow from the formula in
the network's file.
"""

import argparse
import pathlib

import numpy as np

# Layers in the order in which resnet8.onnxtxt takes their parameters from a single
# list: the shape of the weights, and the scale of weights and biases. A layer has
# one bias for each output.
LAYERS = {
    "conv0": ((16, 3, 3, 3), 9.4e-05),
    "conv1a": ((16, 16, 3, 3), 4.1e-05),
    "conv1b": ((16, 16, 3, 3), 4.1e-05),
    "conv2a": ((32, 16, 3, 3), 4.1e-05),
    "conv2b": ((32, 32, 3, 3), 2.9e-05),
    "short2": ((32, 16, 1, 1), 0.00012),
    "conv3a": ((64, 32, 3, 3), 2.9e-05),
    "conv3b": ((64, 64, 3, 3), 2e-05),
    "short3": ((64, 32, 1, 1), 8.7e-05),
    "dense": ((10, 64), 6.1e-05),
}


def make_parameters():
    """Pseudo-random numbers: squares of multiples of 7919, modulo 10007."""
    sizes = []
    for shape, _ in LAYERS.values():
        sizes += [int(np.prod(shape)), shape[0]]
    numbers = (np.arange(sum(sizes), dtype=np.int64) * 7919) % 10007
    numbers = (numbers * numbers) % 10007 - 5003
    parts = np.split(numbers.astype(np.float64), np.cumsum(sizes)[:-1])
    return {
        name: (parts[2 * i].reshape(shape) * scale, parts[2 * i + 1] * scale)
        for i, (name, (shape, scale)) in enumerate(LAYERS.items())
    }


def conv(x, parameters, pads=(0, 0), stride=1):
    """x [C, H, W], weights [O, C, K, K]; `pads` before and after."""
    weights, bias = parameters
    x = np.pad(x, ((0, 0), pads, pads))
    size = weights.shape[2]
    windows = np.lib.stride_tricks.sliding_window_view(x, (size, size), (1, 2))
    windows = windows[:, ::stride, ::stride]
    return np.einsum("chwij,ocij->ohw", windows, weights) + bias[:, None, None]


def relu(x):
    return np.maximum(x, 0)


def resnet8(x, p):
    x = relu(conv(x, p["conv0"], (1, 1)))
    for stage in (1, 2, 3):
        # Layers with stride 2 are padded at the end only, so that they halve the size.
        pads, stride = ((1, 1), 1) if stage == 1 else ((0, 1), 2)
        y = relu(conv(x, p[f"conv{stage}a"], pads, stride))
        y = conv(y, p[f"conv{stage}b"], (1, 1))
        if stage > 1:
            x = conv(x, p[f"short{stage}"], stride=stride)
        x = relu(y + x)
    weights, bias = p["dense"]
    y = weights @ x.mean(axis=(1, 2)) + bias
    e = np.exp(y - y.max())
    return e / e.sum()


def make_picture():
    """A disc before a gradient of another colour, with some noise."""
    rows, columns = np.mgrid[0:32, 0:32] / 31
    disc = (rows - 0.5) ** 2 + (columns - 0.45) ** 2 < 0.1
    back = np.stack([rows, columns, 1 - rows]) * 0.6
    front = np.array([0.9, 0.4, 0.2])[:, None, None]
    noise = np.random.default_rng(2024).uniform(0, 0.1, (3, 32, 32))
    return (np.where(disc, front, back) + noise).astype(np.float32)


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    here = pathlib.Path(__file__).resolve().parent
    parser.add_argument("--output-dir", type=pathlib.Path, default=here)
    folder = parser.parse_args().output_dir
    x = make_picture()
    y = resnet8(x.astype(np.float64), make_parameters())
    np.save(folder / "resnet8_input.npy", x[None])
    np.save(folder / "resnet8_expected.npy", y[None].astype(np.float32))


if __name__ == "__main__":
    main()
