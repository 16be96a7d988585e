#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Creates the networks of PopXL's examples mnist and mnist_rts for pictures of glyphs.

    examples/training/mnist.py DIR [--batch N] [--seed N]

The script writes two networks with the same random weights to DIR:

- mnist.mlir: two dense layers with a GELU between them. It reads N pictures;
- mnist_rts.mlir: the same network for two replicas, each of which reads N / 2
  pictures. A replica holds half of each weight, and gathers a whole weight before use.

examples/training/glyphs.py creates the pictures for training and tests.
docs/training.md shows how to train both networks.
"""

import argparse
import pathlib

import numpy as np

PIXELS, HIDDEN, CLASSES, REPLICAS = 16 * 16, 64, 16, 2


def tensor(*shape):
    return f"tensor<{'x'.join(map(str, (*shape, 'f32')))}>"


def make_weights(rng):
    return {
        "w1": rng.normal(0, PIXELS**-0.5, (PIXELS, HIDDEN)),
        "b1": np.zeros(HIDDEN),
        "w2": rng.normal(0, HIDDEN**-0.5, (HIDDEN, CLASSES)),
        "b2": np.zeros(CLASSES),
    }


class Program:
    def __init__(self, batch, sharded):
        self.batch, self.sharded = batch, sharded
        self.variables, self.lines = [], []

    def add(self, line):
        self.lines.append("  " + line)

    def read(self, name, value):
        whole, sharding = tensor(*value.shape), ""
        size = value.size
        if self.sharded:
            size = value.size // REPLICAS
            sharding = f" {{sharding = #pop.replica_groups<stride = 1, size = {REPLICAS}>}}"
        data = value.astype("<f4").tobytes().hex().upper() if value.any() else None
        dense = f'dense<"0x{data}">' if data else "dense<0.0>"
        # The data is on a separate line, which no diagnostic prints.
        self.variables.append(f"pop.variable @{name} : {whole} =\n  {dense} : {whole}{sharding}")
        if not self.sharded:
            ref = f"!pop.ref<{'x'.join(map(str, value.shape))}xf32>"
            self.add(f"%{name}.ref = pop.get_variable @{name} : {ref}")
            self.add(f"%{name} = pop.read %{name}.ref : {ref}")
            return
        ref = f"!pop.ref<{size}xf32>"
        self.add(f"%{name}.ref = pop.get_variable @{name} : {ref}")
        self.add(f"%{name}.part = pop.read %{name}.ref : {ref}")
        self.add(f"%{name}.all = pop.all_gather %{name}.part : {tensor(size)} to {tensor(value.size)}")
        self.add(f"%{name} = pop.reshape %{name}.all : {tensor(value.size)} to {whole}")

    def dense(self, result, x, weight, bias, inputs, outputs):
        x_type, w_type, y_type = tensor(self.batch, inputs), tensor(inputs, outputs), tensor(self.batch, outputs)
        self.add(f"%{result}.product = pop.matmul %{x}, %{weight} : ({x_type}, {w_type}) -> {y_type}")
        self.add(f"%{result} = pop.add %{result}.product, %{bias} : ({y_type}, {tensor(outputs)}) -> {y_type}")

    def gelu(self, result, x, size):
        type = tensor(self.batch, size)
        for name, value in (("half", 0.5), ("one", 1.0), ("root", 0.5**0.5)):
            self.add(f"%{name} = pop.constant dense<{value:.8e}> : tensor<f32>")
        scalar = f"({type}, tensor<f32>) -> {type}"
        self.add(f"%scaled = pop.mul %{x}, %root : {scalar}")
        self.add(f"%erf = pop.erf %scaled : {type}")
        self.add(f"%gate = pop.add %erf, %one : {scalar}")
        self.add(f"%part = pop.mul %{x}, %half : {scalar}")
        self.add(f"%{result} = pop.mul %part, %gate : {type}")

    def build(self, weights):
        for name, value in weights.items():
            self.read(name, value)
        image, flat = tensor(self.batch, 1, 16, 16), tensor(self.batch, PIXELS)
        self.add(f"%x = pop.reshape %image : {image} to {flat}")
        self.dense("h", "x", "w1", "b1", PIXELS, HIDDEN)
        self.gelu("a", "h", HIDDEN)
        self.dense("logits", "a", "w2", "b2", HIDDEN, CLASSES)
        result = tensor(self.batch, CLASSES)
        head = f'func.func @main(%image: {image} {{pop.name = "image"}}) -> ({result} {{pop.name = "logits"}}) {{'
        return "\n".join([*self.variables, head, *self.lines, f"  return %logits : {result}", "}", ""])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", metavar="DIR", type=pathlib.Path)
    parser.add_argument("--batch", metavar="N", type=int, default=64, help="pictures for each update (default 64)")
    parser.add_argument("--seed", metavar="N", type=int, default=0)
    arguments = parser.parse_args()
    if arguments.batch < REPLICAS or arguments.batch % REPLICAS:
        parser.error(f"--batch expects a multiple of {REPLICAS} but got {arguments.batch}")
    arguments.folder.mkdir(parents=True, exist_ok=True)
    weights = make_weights(np.random.default_rng(arguments.seed))
    for name, sharded in (("mnist", False), ("mnist_rts", True)):
        batch = arguments.batch // REPLICAS if sharded else arguments.batch
        (arguments.folder / f"{name}.mlir").write_text(Program(batch, sharded).build(weights), encoding="utf-8")


if __name__ == "__main__":
    main()
