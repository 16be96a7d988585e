# Part of ipu-mlir, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""BERT-base (Devlin, Chang, Lee and Toutanova, "BERT: pre-training of deep bidirectional transformers", 2018). BERT-large
has 24 layers of width 1024 with 16 heads. The mask is added to the scores of attention."""

import numpy as np

from formulas import gelu

FULL = {"batch": 1, "length": 128, "width": 768, "layers": 12, "heads": 12, "vocabulary": 30522}
SMALL = {"batch": 2, "length": 6, "width": 16, "layers": 2, "heads": 4, "vocabulary": 40}


def write(net, sizes):
    rows, width = (sizes.batch, sizes.length), sizes.width
    words = net.input("input_ids", *rows, below=sizes.vocabulary)
    kinds = net.input("token_type_ids", *rows, below=2)
    mask = net.input("attention_mask", sizes.batch, 1, 1, sizes.length)
    with net.scope("embeddings"):
        words = net.gather(net.weight("word.weight", sizes.vocabulary, width), words, "word")
        kinds = net.gather(net.weight("kind.weight", 2, width), kinds, "kind")
        x = net.op("Add", net.op("Add", words, kinds), net.weight("position.weight", sizes.length, width))
        x = net.layer_norm("norm", x, 1e-12)
    for number in range(sizes.layers):
        with net.scope(f"layer{number:02}"):
            x = net.layer_norm("attention_norm", net.op("Add", x, net.self_attention(x, sizes.heads, mask)), 1e-12)
            x = net.layer_norm("norm", net.op("Add", x, net.feed_forward(x, 4 * width)), 1e-12)
    net.output("last_hidden_state", x)
    with net.scope("pooler"):
        first = net.reshape(net.slice(x, 1, 0, 1, "first"), sizes.batch, width)
        net.output("pooled", net.op("Tanh", net.linear("dense", first, width)))


def evaluate(weights, inputs, sizes):
    own = weights / "embeddings"
    x = own["word.weight"][inputs["input_ids"]] + own["kind.weight"][inputs["token_type_ids"]] + own["position.weight"]
    x = own.layer_norm("norm", x, 1e-12)
    for number in range(sizes.layers):
        own = weights / f"layer{number:02}"
        attended = own.self_attention(x, sizes.heads, inputs["attention_mask"][:, 0])
        x = own.layer_norm("attention_norm", x + attended, 1e-12)
        x = own.layer_norm("norm", x + own.linear("down", gelu(own.linear("up", x))), 1e-12)
    return {"last_hidden_state": x, "pooled": np.tanh((weights / "pooler").linear("dense", x[:, 0]))}
