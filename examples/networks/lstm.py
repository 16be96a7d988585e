# Part of ipu-mlir, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A language model with LSTMs (Zaremba, Sutskever and Vinyals, "Recurrent neural network regularization", 2014, the
medium model of section 4.1). The states after the last token are outputs, from which the next tokens continue."""

import numpy as np

from formulas import sigmoid

FULL = {"batch": 20, "length": 35, "width": 650, "layers": 2, "vocabulary": 10000}
SMALL = {"batch": 2, "length": 5, "width": 16, "layers": 2, "vocabulary": 40}


def write(net, sizes):
    width, state = sizes.width, (1, sizes.batch, sizes.width)
    tokens = net.input("tokens", sizes.length, sizes.batch, below=sizes.vocabulary)
    x = net.gather(net.weight("embedding.weight", sizes.vocabulary, width, deviation=1), tokens)
    for number in range(sizes.layers):
        states = [net.input(f"{name}{number}", *state) for name in ("hidden", "cell")]
        with net.scope(f"layer{number}"):
            weights = [net.weight(name, 1, 4 * width, width, deviation=width**-0.5) for name in ("input", "recurrence")]
            y, *states = net.op("LSTM", x, *weights, net.weight("bias", 1, 8 * width), "", *states, hidden_size=width,
                                shapes=[(sizes.length, *state), state, state])
            x = net.reshape(y, sizes.length, sizes.batch, width)
        for name, value in zip(("hidden", "cell"), states):
            net.output(f"next_{name}{number}", value)
    net.output("logits", net.linear("classify", x, sizes.vocabulary))


def evaluate(weights, inputs, sizes):
    x, results = list(weights["embedding.weight"][inputs["tokens"]]), {}
    for number in range(sizes.layers):
        own = weights / f"layer{number}"
        # ONNX has the gates in the order input, output, forget, candidate; each has two biases.
        kernels, recurrences = (np.split(own[name][0], 4) for name in ("input", "recurrence"))
        biases = np.split(own["bias"][0], 8)
        hidden, cell = inputs[f"hidden{number}"][0], inputs[f"cell{number}"][0]
        for step, row in enumerate(x):
            i, o, f, g = (row @ kernels[k].T + hidden @ recurrences[k].T + biases[k] + biases[4 + k] for k in range(4))
            cell = sigmoid(f) * cell + sigmoid(i) * np.tanh(g)
            hidden = x[step] = sigmoid(o) * np.tanh(cell)
        results |= {f"next_hidden{number}": hidden[None], f"next_cell{number}": cell[None]}
    return results | {"logits": weights.linear("classify", np.stack(x))}
