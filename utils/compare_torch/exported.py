# Part of ipu-mlir, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Models that PyTorch exports and trains.

The model of this file has a mask that is a buffer, a layer that is not trained, and an embedding that
is also the output layer. Texts have different lengths, so the last labels of most texts
are ignored.
"""

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn

CLASSES, LENGTH, WIDTH = 24, 12, 16
RATE = 0.01
IGNORED = -100


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(CLASSES, WIDTH)
        nn.init.normal_(self.embedding.weight, std=0.2)
        self.positions = nn.Parameter(0.1 * torch.randn(LENGTH, WIDTH))
        # A bias of keys would have a gradient of rounding errors, which Adam enlarges.
        self.query_key_value = nn.Linear(WIDTH, 3 * WIDTH, bias=False)
        self.frozen = nn.Linear(WIDTH, WIDTH)
        self.norm = nn.LayerNorm(WIDTH)
        self.head = nn.Linear(WIDTH, CLASSES, bias=False)
        self.head.weight = self.embedding.weight
        self.register_buffer("mask", torch.full((LENGTH, LENGTH), -torch.inf).triu(1))
        self.frozen.requires_grad_(False)

    def forward(self, text):
        x = self.embedding(text) + self.positions
        query, key, value = self.query_key_value(x).split(WIDTH, dim=-1)
        scores = query @ key.transpose(1, 2) * WIDTH**-0.5 + self.mask
        x = self.norm(x + self.frozen(scores.softmax(-1) @ value))
        # Dimension 1 is that of the classes.
        return self.head(x).transpose(1, 2)


def make(count):
    """The model, and `count` samples."""
    torch.manual_seed(1)
    return Model(), make_samples(count)


def make_samples(count):
    """Texts in which a number often follows the number before it."""
    rng = np.random.default_rng(1)
    steps = np.where(rng.random((count, LENGTH + 1)) < 0.8, 1, rng.integers(0, CLASSES, (count, LENGTH + 1)))
    text = steps.cumsum(axis=1) % CLASSES
    lengths = rng.integers(1, LENGTH + 1, (count, 1))
    following = np.where(np.arange(LENGTH) < lengths, text[:, 1:], IGNORED)
    return {"text": text[:, :-1], "next": following}


def export(model, folder, samples):
    """Writes the model, and a file with the names of the weights that are trained."""
    np.savez(folder / "train.npz", **samples)
    torch.onnx.export(
        model,
        torch.tensor(samples["text"][:2]),
        str(folder / "model.onnx"),
        input_names=["text"],
        output_names=["logits"],
        dynamic_axes={"text": {0: "batch"}, "logits": {0: "batch"}},
        opset_version=17,
        training=torch.onnx.TrainingMode.TRAINING,
        do_constant_folding=False,
    )
    names = [name for name, value in model.named_parameters() if value.requires_grad]
    (folder / "trainable.txt").write_text("\n".join(names) + "\n", encoding="utf-8")


def train(model, samples, order, batch, rate):
    """Returns the loss of each update."""
    text, following = (torch.tensor(samples[name]) for name in ("text", "next"))
    trained = [value for value in model.parameters() if value.requires_grad]
    optimizer = torch.optim.Adam(trained, lr=rate)
    losses = []
    for rows in torch.tensor(order).split(batch):
        loss = F.cross_entropy(model(text[rows]), following[rows], ignore_index=IGNORED)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return np.array(losses)
