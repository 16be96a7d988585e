# Part of ipu-mlir, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares the weights after one epoch, with and without flags of streaming memory."""

import pathlib
import subprocess
import sys

import numpy as np

FOLDER, TOOL = pathlib.Path(sys.argv[1]), sys.argv[2]
COMMAND = [TOOL, FOLDER / "glyphs.onnx", "--data", FOLDER / "train.npz", "--loss", "cross_entropy", "--batch", "64",
           "--epochs", "1", "--allow-oom", "--target", "tiles=16"]  # fmt: skip
CASES = [
    ("adam", "--optimizer adam,lr=0.01 --replicas 4",
     ["--shard-state optimizer", "--shard-state all", "--off-chip weights,optimizer,accumulators",
      "--shard-state all --off-chip weights,optimizer", "--phases 6 --off-chip optimizer,activations"]),
    ("adam f16 stochastic:", "--optimizer adam,lr=0.01 --replicas 4 --precision f16 --stochastic-rounding",
     ["--shard-state all --off-chip optimizer", "--phases 4 --off-chip weights,optimizer,activations"]),
    ("lamb:", "--optimizer lamb,lr=0.01 --replicas 4", ["--shard-state all"]),
    ("sgd1, 2 micro-batches:", "--optimizer sgd1,lr=0.01,momentum=0.9 --replicas 2 --accumulate 2",
     ["--shard-state all --off-chip accumulators"]),
    ("adam, pipeline:", "--optimizer adam,lr=0.01 --ipus 2 --pipeline 1f1b --accumulate 4",
     ["--off-chip weights,optimizer"]),
]  # fmt: skip


def train(flags):
    weights = FOLDER / "weights.npz"
    subprocess.run([*COMMAND, *flags.split(), "--save-weights", weights], check=True, stdout=subprocess.DEVNULL,
                   stderr=subprocess.DEVNULL)  # fmt: skip
    return {name: value.tobytes() for name, value in np.load(weights).items()}


for name, base, others in CASES:
    expected = train(base)
    for flags in others:
        found = train(f"{base} {flags}")
        print(f"{name} {flags}: {'equal' if found == expected else 'DIFFERENT'}, {len(found)} weights")
