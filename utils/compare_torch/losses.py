# Part of ipu-mlir, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The losses of pop, each with separate arguments, and the corresponding losses of PyTorch."""

import itertools

import numpy as np
import torch
import torch.nn.functional as F

from .case import Case

REDUCTIONS = ("none", "sum", "mean")
ELEMENT_LOSSES = {
    "l1_loss": F.l1_loss,
    "l2_loss": F.mse_loss,
    "binary_cross_entropy_loss": F.binary_cross_entropy,
    "binary_cross_entropy_loss of_logits": F.binary_cross_entropy_with_logits,
}
LABEL_LOSSES = {
    "nll_loss": F.nll_loss,
    "nll_loss of_probabilities": lambda x, t, w, **options: F.nll_loss(x.log(), t, w, **options),
    "cross_entropy_loss": F.cross_entropy,
}
# Logarithms of probabilities, probabilities, logits.
RANGES = {
    "nll_loss": (-3, -0.05),
    "nll_loss of_probabilities": (0.05, 0.95),
    "cross_entropy_loss": (-3, 3),
}


def tensor_type(values, type="f32"):
    return "tensor<" + "".join(f"{size}x" for size in values.shape) + f"{type}>"


class Program:
    """A function whose results are the losses, and the sum of their elements, each
    times a factor of its own."""

    def __init__(self, rng):
        self.rng = rng
        self.inputs, self.lines = {}, []
        self.functions, self.factors = {}, {}

    def draw(self, name, shape, low, high):
        values = self.rng.uniform(low, high, shape).astype(np.float32)
        self.inputs[name] = values
        return values

    def constant(self, name, values, type="f32"):
        text = tensor_type(values, type)
        self.lines.append(f"%{name} = pop.constant dense<{values.tolist()}> : {text}")
        return text

    def add(self, name, kind, reduction, operands, types, shape, function, **attrs):
        """`function` is that of PyTorch, of all tensors by name; `shape` that of its
        result."""
        op, *unit = kind.split()
        attrs = ", ".join(unit + [f"{key} = {value}" for key, value in attrs.items()])
        factor = self.rng.uniform(0.5, 2, shape).astype(np.float32)
        result = self.constant(f"f_{name}", factor)
        operands = ", ".join(f"%{operand}" for operand in operands)
        self.lines += [
            f"%{name} = pop.{op} {reduction} {operands} {{{attrs}}} : "
            f"{', '.join(types)} -> {result}",
            f"%p_{name} = pop.mul %{name}, %f_{name} : {result}",
            f"%s_{name} = pop.identity_loss sum %p_{name} : {result} -> tensor<f32>",
        ]
        self.functions[name] = function
        self.factors[name] = factor

    def save(self, folder):
        arguments = ", ".join(
            f'%{name}: {tensor_type(values)} {{pop.name = "{name}"}}'
            for name, values in self.inputs.items()
        )
        results = {name: tensor_type(f) for name, f in self.factors.items()}
        addends = ", ".join(f"%s_{name}" for name in results)
        sum_types = ", ".join("tensor<f32>" for _ in results)
        results["total"] = "tensor<f32>"
        types = ", ".join(f'{text} {{pop.name = "{name}"}}' for name, text in results.items())
        body = "\n  ".join(self.lines)
        path = folder / "losses.mlir"
        path.write_text(
            f"func.func @main({arguments}) -> ({types}) {{\n  {body}\n"
            f"  %total = pop.sum {addends} : ({sum_types}) -> tensor<f32>\n"
            f"  return {', '.join(f'%{name}' for name in results)} : "
            f"{', '.join(results.values())}\n}}\n"
        )
        return path

    def compute(self, tensors):
        outputs = {name: function(tensors) for name, function in self.functions.items()}
        outputs["total"] = sum(
            (outputs[name] * torch.tensor(factor)).sum() for name, factor in self.factors.items()
        )
        return outputs


def add_element_losses(program):
    shape = (6, 7)
    for kind, reduction in itertools.product(ELEMENT_LOSSES, REDUCTIONS):
        name = f"{kind.replace(' ', '_')}_{reduction}"
        x, t = f"{name}_x", f"{name}_t"
        low, high = (0.1, 0.9) if kind == "binary_cross_entropy_loss" else (-3, 3)
        text = tensor_type(program.draw(x, shape, low, high))
        program.draw(t, shape, 0.1, 0.9)

        def function(tensors, x=x, t=t, kind=kind, reduction=reduction):
            return ELEMENT_LOSSES[kind](tensors[x], tensors[t], reduction=reduction)

        result = shape if reduction == "none" else ()
        program.add(name, kind, reduction, [x, t], [text], result, function)


def add_label_losses(program):
    """Of 5 classes at 8 x 3 positions."""
    cases = itertools.product(LABEL_LOSSES, REDUCTIONS, (False, True), (None, 2))
    for kind, reduction, weighted, ignored in cases:
        words = [kind.replace(" ", "_"), reduction]
        words += ["weights"] * weighted + [f"ignore{ignored}"] * (ignored is not None)
        name = "_".join(words)
        low, high = RANGES[kind]
        operands = [f"{name}_x", f"{name}_l"]
        types = [tensor_type(program.draw(operands[0], (8, 5, 3), low, high))]
        labels = program.rng.integers(0, 5, (8, 3))
        types.append(program.constant(operands[1], labels, "i64"))
        attrs, weights = {}, None
        if weighted:
            # PyTorch has no gradients of these.
            weights = program.rng.uniform(0.5, 2, 5).astype(np.float32)
            operands.append(f"{name}_w")
            types.append(program.constant(operands[-1], weights))
        options = {"reduction": reduction}
        if ignored is not None:
            options["ignore_index"] = ignored
            attrs["ignore_index"] = f"{ignored} : i64"

        def function(tensors, kind=kind, x=operands[0], t=labels, w=weights, options=options):
            x, t = tensors[x], torch.tensor(t)
            w = None if w is None else torch.tensor(w, dtype=x.dtype)
            return LABEL_LOSSES[kind](x, t, w, **options)

        result = labels.shape if reduction == "none" else ()
        program.add(name, kind, reduction, operands, types, result, function, **attrs)


def make_losses(rng):
    program = Program(rng)
    add_element_losses(program)
    add_label_losses(program)
    return Case("losses", program.save, program.inputs, {}, "total", program.compute)
