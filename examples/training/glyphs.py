#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Creates pictures of hexadecimal digits and a network that classifies them.

    examples/training/glyphs.py DIR [--train N] [--test N] [--seed N]

The script writes these files to DIR:

- train.npz and test.npz: arrays `image` [N, 1, 16, 16] of f32 and `label` [N], from 0
  to 15. The images are digits in a font of 5 x 7 pixels, stretched, shifted, with
  different brightness and with noise;
- glyphs.onnx: a network of two convolutions and two dense layers, with random
  weights. It returns 16 `logits`.

docs/training.md shows how to train the network.
"""

import argparse
import pathlib

import numpy as np

FONT = """
 ###    #    ###  #####    #  #####   ##  #####  ###   ###   ###  ####   ###  ####  ##### #####
#   #  ##   #   #    #    ##  #      #        # #   # #   # #   # #   # #   # #   # #     #
#  ##   #       #   #    # #  ####  #        #  #   # #   # #   # #   # #     #   # #     #
# # #   #      #     #  #  #      # ####    #    ###   #### ##### ####  #     #   # ####  ####
##  #   #     #       # #####     # #   #  #    #   #     # #   # #   # #     #   # #     #
#   #   #    #    #   #    #  #   # #   #  #    #   #    #  #   # #   # #   # #   # #     #
 ###   ###  #####  ###     #   ###   ###   #     ###   ##   #   # ####   ###  ####  ##### #
"""
SIZE, ROWS, COLUMNS, CLASSES = 16, 7, 5, 16


def read_font():
    """[16, 7, 5] of 0 and 1."""
    rows = [row.ljust(CLASSES * 6) for row in FONT.strip("\n").split("\n")]
    pixels = np.array([[float(c == "#") for c in row[: CLASSES * 6]] for row in rows])
    return pixels.reshape(ROWS, CLASSES, 6).transpose(1, 0, 2)[:, :, :COLUMNS]


def interpolate(glyphs, y, x):
    """glyphs [N, 7, 5] at points y, x [N, 16, 16], bilinear; 0 outside."""
    padded = np.pad(glyphs, ((0, 0), (1, 2), (1, 2)))
    y = np.clip(y, -1, ROWS)
    x = np.clip(x, -1, COLUMNS)
    row, column = np.floor(y).astype(int), np.floor(x).astype(int)
    n = np.arange(len(glyphs))[:, None, None]
    result = 0.0
    for down in (0, 1):
        for right in (0, 1):
            weight = (1 - np.abs(y - row - down)) * (1 - np.abs(x - column - right))
            result = result + weight * padded[n, row + down + 1, column + right + 1]
    return result


def make_samples(rng, count):
    labels = rng.integers(0, CLASSES, count)
    height = rng.uniform(1.4, 2.1, (count, 1, 1))
    width = rng.uniform(1.4, 2.1, (count, 1, 1))
    top = rng.uniform(0, 1, (count, 1, 1)) * (SIZE - ROWS * height)
    left = rng.uniform(0, 1, (count, 1, 1)) * (SIZE - COLUMNS * width)
    pixels = np.arange(SIZE)
    y = (pixels[None, :, None] + 0.5 - top) / height - 0.5
    x = (pixels[None, None, :] + 0.5 - left) / width - 0.5
    images = interpolate(read_font()[labels], y, np.broadcast_to(x, (count, SIZE, SIZE)))
    images *= rng.uniform(0.6, 1.2, (count, 1, 1))
    images += rng.normal(0, 0.2, images.shape)
    return {"image": images[:, None].astype(np.float32), "label": labels}


def make_network(rng):
    from onnx import TensorProto, helper, numpy_helper

    shapes = {
        "conv1.weight": (8, 1, 3, 3),
        "conv2.weight": (16, 8, 3, 3),
        "fc1.weight": (256, 64),
        "fc2.weight": (64, CLASSES),
    }
    parameters = {}
    for name, shape in shapes.items():
        inputs = shape[0] if name.startswith("fc") else np.prod(shape[1:])
        parameters[name] = rng.normal(0, np.sqrt(2 / inputs), shape)
        outputs = shape[1] if name.startswith("fc") else shape[0]
        parameters[name.replace("weight", "bias")] = np.zeros(outputs)
    node = helper.make_node
    pads = [1, 1, 1, 1]
    pool = {"kernel_shape": [2, 2], "strides": [2, 2]}
    nodes = [
        node("Conv", ["image", "conv1.weight", "conv1.bias"], ["a"], "conv1", pads=pads),
        node("Relu", ["a"], ["b"], "relu1"),
        node("MaxPool", ["b"], ["c"], "pool1", **pool),
        node("Conv", ["c", "conv2.weight", "conv2.bias"], ["d"], "conv2", pads=pads),
        node("Relu", ["d"], ["e"], "relu2"),
        node("MaxPool", ["e"], ["f"], "pool2", **pool),
        node("Flatten", ["f"], ["g"], "flatten"),
        node("Gemm", ["g", "fc1.weight", "fc1.bias"], ["h"], "fc1"),
        node("Relu", ["h"], ["i"], "relu3"),
        node("Gemm", ["i", "fc2.weight", "fc2.bias"], ["logits"], "fc2"),
    ]
    value = helper.make_tensor_value_info
    graph = helper.make_graph(
        nodes,
        "glyphs",
        [value("image", TensorProto.FLOAT, ["batch", 1, SIZE, SIZE])],
        [value("logits", TensorProto.FLOAT, ["batch", CLASSES])],
        [numpy_helper.from_array(a.astype(np.float32), name) for name, a in parameters.items()],
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", metavar="DIR", type=pathlib.Path)
    parser.add_argument("--train", metavar="N", type=int, default=16384, help="samples to train with")
    parser.add_argument("--test", metavar="N", type=int, default=1000, help="samples to test with")
    parser.add_argument("--seed", metavar="N", type=int, default=0)
    arguments = parser.parse_args()
    arguments.folder.mkdir(parents=True, exist_ok=True)
    rng = np.random.default_rng(arguments.seed)
    np.savez(arguments.folder / "train.npz", **make_samples(rng, arguments.train))
    np.savez(arguments.folder / "test.npz", **make_samples(rng, arguments.test))
    model = make_network(rng)
    (arguments.folder / "glyphs.onnx").write_bytes(model.SerializeToString())


if __name__ == "__main__":
    main()
