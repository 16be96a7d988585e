# Part of ipu-mlir, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Recurrent networks in ONNX and in PyTorch, with both directions and initial states."""

import dataclasses
from typing import Callable

import numpy as np
import onnx
import onnx.parser
import torch

from .case import Case
from .networks import add_initializers, make_saver

STEPS, SEQUENCES, INPUTS, HIDDEN = 12, 4, 16, 24


@dataclasses.dataclass
class Operator:
    name: str
    function: Callable
    # The number of the ONNX gate that is each gate of PyTorch.
    gates: list[int]
    states: list[str]
    attributes: str = ""


OPERATORS = [
    Operator("LSTM", torch.lstm, [0, 2, 3, 1], ["h", "c"]),
    # PyTorch applies the reset gate to the product of the hidden state.
    Operator("GRU", torch.gru, [1, 0, 2], ["h"], ", linear_before_reset = 1"),
    Operator("RNN", torch.rnn_tanh, [0], ["h"]),
]


def make_model(operator):
    """The last output has the elements of all results, each multiplied by a factor."""
    state = f"float[2, {SEQUENCES}, {HIDDEN}]"
    inputs = ", ".join(f"{state} {name}0" for name in operator.states)
    initial = ", ".join(f"{name}0" for name in operator.states)
    names = ["y", *operator.states]
    outputs = ", ".join(f"{state} {name}" for name in operator.states)
    nodes = "\n".join(f"f{name} = Mul ({name}, factor_{name})\nz{name} = Flatten <axis = 0> (f{name})" for name in names)
    return onnx.parser.parse_model(f"""
<ir_version: 8, opset_import: ["" : 17]>
recurrent (float[{STEPS}, {SEQUENCES}, {INPUTS}] x, {inputs}) =>
    (float[{STEPS}, 2, {SEQUENCES}, {HIDDEN}] y, {outputs}, float[1, total] z)
{{
  {", ".join(names)} = {operator.name}
    <hidden_size = {HIDDEN}, direction = "bidirectional"{operator.attributes}> (x, w, r, b, , {initial})
  {nodes}
  z = Concat <axis = 1> ({", ".join(f"z{name}" for name in names)})
}}
""")


def compute(operator, factors, tensors):
    def get_gates(rows):
        parts = rows.split(HIDDEN)
        return torch.cat([parts[i] for i in operator.gates])

    weights = []
    for direction in range(2):
        biases = tensors["b"][direction].chunk(2)
        weights += map(get_gates, (tensors["w"][direction], tensors["r"][direction], *biases))
    initial = tuple(tensors[f"{name}0"] for name in operator.states)
    y, *states = operator.function(
        tensors["x"], initial if len(initial) > 1 else initial[0], weights, True, 1, 0.0, True, True, False
    )
    results = {"y": y.reshape(STEPS, SEQUENCES, 2, HIDDEN).transpose(1, 2)}
    results.update(zip(operator.states, states))
    parts = [(value * torch.tensor(factors[f"factor_{name}"])).reshape(1, -1) for name, value in results.items()]
    return {**results, "z": torch.cat(parts, 1)}


def make_recurrent(operator, rng):
    def draw(*shape, size=1.0):
        return (size * rng.standard_normal(shape)).astype(np.float32)

    width = len(operator.gates) * HIDDEN
    weights = {
        "w": draw(2, width, INPUTS, size=INPUTS**-0.5),
        "r": draw(2, width, HIDDEN, size=HIDDEN**-0.5),
        "b": draw(2, 2 * width, size=0.3),
    }
    inputs = {"x": draw(STEPS, SEQUENCES, INPUTS)}
    factors = {"factor_y": draw(STEPS, 2, SEQUENCES, HIDDEN)}
    for name in operator.states:
        inputs[f"{name}0"] = draw(2, SEQUENCES, HIDDEN, size=0.5)
        factors[f"factor_{name}"] = draw(2, SEQUENCES, HIDDEN)
    model = make_model(operator)
    add_initializers(model, {**weights, **factors})
    return Case(
        f"{operator.name}, weighted sum",
        make_saver(model),
        inputs,
        weights,
        "z",
        lambda tensors: compute(operator, factors, tensors),
    )
