# Part of ipu-mlir, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A language model with an LSTM, which predicts the next character of the documentation."""

import importlib.util
import pathlib

import torch
from torch import nn

EXAMPLES = pathlib.Path(__file__).resolve().parent.parent.parent / "examples"
WIDTH, HIDDEN = 32, 64
RATE = 0.01


class Model(nn.Module):
    def __init__(self, classes):
        super().__init__()
        self.embedding = nn.Embedding(classes, WIDTH)
        self.lstm = nn.LSTM(WIDTH, HIDDEN, num_layers=2, batch_first=True)
        self.head = nn.Linear(HIDDEN, classes)

    def forward(self, text):
        y, _ = self.lstm(self.embedding(text))
        # Dimension 1 is that of the classes.
        return self.head(y).transpose(1, 2)


def load_example():
    """examples/training/characters.py as a module."""
    spec = importlib.util.spec_from_file_location("characters", EXAMPLES / "training" / "characters.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def make(count):
    """The model, and `count` texts of 64 characters."""
    example = load_example()
    texts, classes = example.read_texts(example.DOCS)
    samples = example.choose(example.cut(texts, example.LENGTH // 2), count, 0)
    torch.manual_seed(1)
    return Model(classes), {name: array.astype("int64") for name, array in samples.items()}
