# Part of ipu-mlir, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""GPT-2 (Radford et al., "Language models are unsupervised multitask learners", 2019, section 2.3), which reads a text.

The results are the logits of the next token, and the keys and values of all layers in caches of `context` tokens, from
which gpt2_step.py continues.
"""

import numpy as np

from formulas import attention, gelu_tanh, make_causal_mask

FULL = {"batch": 1, "length": 128, "context": 1024, "width": 768, "layers": 12, "heads": 12, "vocabulary": 50257}
SMALL = {"batch": 2, "length": 6, "context": 8, "width": 16, "layers": 2, "heads": 4, "vocabulary": 40}


def write_layers(net, sizes, tokens, positions, attend):
    """The logits of the last one of the tokens [batch, length]. `attend` has the number of the layer, and its queries,
    keys and values as arguments. `positions` selects rows of the embedding of positions."""
    width = sizes.width
    words = net.weight("word.weight", sizes.vocabulary, width)
    places = positions(net.weight("position.weight", sizes.context, width))
    x = net.op("Add", net.gather(words, tokens), places)
    for number in range(sizes.layers):
        with net.scope(f"layer{number:02}"):
            y = net.layer_norm("attention_norm", x)
            parts = [net.split_heads(net.linear(name, y, width), sizes.heads) for name in ("query", "key", "value")]
            x = net.op("Add", x, net.linear("output", net.join_heads(attend(number, *parts)), width))
            x = net.op("Add", x, net.feed_forward(net.layer_norm("norm", x), 4 * width, "tanh"))
    last = net.reshape(net.slice(x, 1, x.shape[1] - 1, x.shape[1]), sizes.batch, width)
    net.output("logits", net.matmul(net.layer_norm("norm", last), net.transpose(words, 1, 0), "classify"))


def write(net, sizes):
    length, free = sizes.length, sizes.context - sizes.length
    mask = net.constant(make_causal_mask(length), "mask")
    pads = net.constant(np.array([0, 0, 0, 0, 0, 0, free, 0], np.int64), "pads")

    def attend(number, query, key, value):
        for name, rows in (("key", key), ("value", value)):
            shape = [*rows.shape[:2], sizes.context, rows.shape[3]]
            net.output(f"{name}{number:02}", net.op("Pad", rows, pads, name=f"{name}_cache", shape=shape))
        return net.attend(query, key, value, mask)

    tokens = net.input("tokens", sizes.batch, length, below=sizes.vocabulary)
    write_layers(net, sizes, tokens, lambda places: net.slice(places, 0, 0, length), attend)


def evaluate_text(weights, tokens, sizes):
    """The logits of the next token, and the keys and values of each layer, [batch, heads, tokens, width of a head]."""
    length, results = tokens.shape[1], {}

    def split(x):
        return x.reshape(*x.shape[:2], sizes.heads, -1).swapaxes(1, 2)

    x = weights["word.weight"][tokens] + weights["position.weight"][:length]
    for number in range(sizes.layers):
        own = weights / f"layer{number:02}"
        y = own.layer_norm("attention_norm", x)
        query, key, value = (own.linear(name, y) for name in ("query", "key", "value"))
        results |= {f"key{number:02}": split(key), f"value{number:02}": split(value)}
        y = attention(query, key, value, sizes.heads, sizes.heads, make_causal_mask(length))
        x = x + own.linear("output", y)
        x = x + own.linear("down", gelu_tanh(own.linear("up", own.layer_norm("norm", x))))
    return weights.layer_norm("norm", x[:, -1]) @ weights["word.weight"].T, results


def evaluate(weights, inputs, sizes):
    logits, caches = evaluate_text(weights, inputs["tokens"], sizes)
    free = ((0, 0), (0, 0), (0, sizes.context - sizes.length), (0, 0))
    return {"logits": logits, **{name: np.pad(rows, free) for name, rows in caches.items()}}
