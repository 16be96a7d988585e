#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes an input for lenet.onnxtxt, and the expected output of the network.

    examples/lenet.py
    ipu-run examples/lenet.onnxtxt --input x=examples/lenet_input.npy \\
        --expect y=examples/lenet_expected.npy --rtol 1e-4 --atol 1e-6

Only numpy computes the expected values, in f64. The weights follow from the formula in
the network's file.
"""

import argparse
import pathlib

import numpy as np

# The parameters in the order in which lenet.onnxtxt takes them from a single list.
SHAPES = {
    "conv1_w": (6, 1, 5, 5),
    "conv1_b": (6,),
    "conv2_w": (16, 6, 5, 5),
    "conv2_b": (16,),
    "fc1_w": (120, 400),
    "fc1_b": (120,),
    "fc2_w": (84, 120),
    "fc2_b": (84,),
    "fc3_w": (10, 84),
    "fc3_b": (10,),
}
SCALES = {
    "conv1": 8e-5,
    "conv2": 3.2e-5,
    "fc1": 2.4e-5,
    "fc2": 3.2e-5,
    "fc3": 6.4e-5,
}


def make_parameters():
    """Pseudo-random numbers: squares of multiples of 7919, modulo 10007."""
    sizes = [int(np.prod(shape)) for shape in SHAPES.values()]
    numbers = (np.arange(sum(sizes), dtype=np.int64) * 7919) % 10007
    numbers = (numbers * numbers) % 10007 - 5003
    parts = np.split(numbers.astype(np.float64), np.cumsum(sizes)[:-1])
    return {
        name: part.reshape(shape) * SCALES[name.split("_")[0]]
        for part, (name, shape) in zip(parts, SHAPES.items())
    }


def conv(x, weights, bias, pad):
    """x [C, H, W], weights [O, C, K, K]."""
    x = np.pad(x, ((0, 0), (pad, pad), (pad, pad)))
    size = weights.shape[2]
    windows = np.lib.stride_tricks.sliding_window_view(x, (size, size), (1, 2))
    return np.einsum("chwij,ocij->ohw", windows, weights) + bias[:, None, None]


def max_pool(x):
    c, h, w = x.shape
    return x.reshape(c, h // 2, 2, w // 2, 2).max(axis=(2, 4))


def relu(x):
    return np.maximum(x, 0)


def lenet(x, p):
    y = max_pool(relu(conv(x, p["conv1_w"], p["conv1_b"], 2)))
    y = max_pool(relu(conv(y, p["conv2_w"], p["conv2_b"], 0)))
    y = relu(p["fc1_w"] @ y.reshape(-1) + p["fc1_b"])
    y = relu(p["fc2_w"] @ y + p["fc2_b"])
    y = p["fc3_w"] @ y + p["fc3_b"]
    e = np.exp(y - y.max())
    return e / e.sum()


def make_digit():
    """A picture of a seven with some noise."""
    rows, columns = np.mgrid[0:28, 0:28]
    bar = (abs(rows - 6) <= 1) & (columns >= 6) & (columns <= 21)
    stem = (abs(columns - (21 - (rows - 6) * 0.5)) <= 1.2) & (rows >= 6) & (rows <= 24)
    noise = np.random.default_rng(2024).uniform(0, 0.2, (28, 28))
    return np.clip((bar | stem) * 0.8 + noise, 0, 1).astype(np.float32)


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    here = pathlib.Path(__file__).resolve().parent
    parser.add_argument("--output-dir", type=pathlib.Path, default=here)
    folder = parser.parse_args().output_dir
    x = make_digit()
    y = lenet(x[None].astype(np.float64), make_parameters())
    np.save(folder / "lenet_input.npy", x[None, None])
    np.save(folder / "lenet_expected.npy", y[None].astype(np.float32))


if __name__ == "__main__":
    main()
