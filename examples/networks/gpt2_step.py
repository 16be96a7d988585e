# Part of ipu-mlir, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""One step of GPT-2: the logits after one more token, with the keys and values of earlier tokens in caches.

The caches are inputs and, with the new rows, outputs. `position` is the number of earlier tokens.
"""

import numpy as np

import gpt2

FULL = {name: size for name, size in gpt2.FULL.items() if name != "length"}
SMALL = {name: size for name, size in gpt2.SMALL.items() if name != "length"}


def write(net, sizes):
    token = net.input("token", sizes.batch, 1, below=sizes.vocabulary)
    position = net.input("position", 1, below=sizes.context)
    slots = net.constant(np.arange(sizes.context, dtype=np.int32), "slots")
    is_new = net.reshape(net.op("Equal", slots, position), sizes.context, 1)
    mask = net.op("Where", net.op("LessOrEqual", slots, position), net.constant(0.0), net.constant(-np.inf))
    shape = (sizes.batch, sizes.heads, sizes.context, sizes.width // sizes.heads)

    def attend(number, query, key, value):
        caches = []
        for name, row in (("key", key), ("value", value)):
            old = net.input(f"{name}{number:02}", *shape)
            caches.append(net.op("Where", is_new, row, old, name=f"{name}_cache"))
            net.output(f"next_{name}{number:02}", caches[-1])
        return net.attend(query, *caches, mask)

    gpt2.write_layers(net, sizes, token, lambda places: net.gather(places, position), attend)


def prepare(weights, inputs, sizes, random):
    """Puts the keys and values of a random text into the caches. Rows after it keep their random numbers."""
    position = int(inputs["position"][0])
    text = random.integers(0, sizes.vocabulary, (sizes.batch, position))
    _, caches = gpt2.evaluate_text(weights, text, sizes)
    for name, rows in caches.items():
        inputs[name][:, :, :position] = rows
    return {"text": text}


def evaluate(weights, inputs, sizes):
    """Reads the whole text at once."""
    text = np.concatenate([inputs["text"], inputs["token"]], axis=1)
    logits, caches = gpt2.evaluate_text(weights, text, sizes)
    results = {"logits": logits}
    for name, rows in caches.items():
        results[f"next_{name}"] = np.concatenate([rows, inputs[name][:, :, text.shape[1]:]], axis=2)
    return results
