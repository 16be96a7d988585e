# Part of ipu-mlir, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What is differentiated: an op on random operands, and its function in numpy."""

import importlib.machinery
import importlib.util
import pathlib

import numpy as np

UTILS = pathlib.Path(__file__).resolve().parent.parent


def load_fuzz_ops():
    """utils/fuzz-ops as a module, for what it draws shapes and attributes with."""
    loader = importlib.machinery.SourceFileLoader("fuzz_ops", str(UTILS / "fuzz-ops"))
    spec = importlib.util.spec_from_loader("fuzz_ops", loader)
    module = importlib.util.module_from_spec(spec)
    loader.exec_module(module)
    return module


ops = load_fuzz_ops()
F64 = ops.F64
pick = ops.pick


class Case(ops.Case):
    """Ops with inputs, of which floats have gradients, and their function in numpy.

    `function` takes arrays of floats, real ones or complex ones whose imaginary
    parts are infinitesimal (a derivative), and returns one array for each result. A
    function with kinks looks at real parts.
    """

    def __init__(self, name):
        super().__init__(name)
        self.function = None
        # Numbers of inputs that gradients are required of.
        self.floats = []
        # The loss is the sum of results times these.
        self.weights = []

    def float(self, values, is_required=True):
        """An input that is differentiated, unless it is said not to be."""
        if is_required:
            self.floats.append(len(self.inputs))
        return self.input(np.asarray(values, np.float64), F64)

    def evaluate(self, values):
        """The loss, for values of the float inputs."""
        arrays = [np.asarray(values.get(i, x)) for i, (x, _) in enumerate(self.inputs)]
        results = self.function(*arrays)
        return sum((w * y).sum() for w, y in zip(self.weights, results))

    def finish(self, rng, names, function):
        """Makes a loss of results; `names` are those that text of ops gives them."""
        self.function = function
        terms = []
        for name, y in zip(names, function(*(x for x, _ in self.inputs))):
            y = np.asarray(y)
            weights = rng.uniform(0.5, 1.5, y.shape) * rng.choice([-1, 1], y.shape)
            self.weights.append(weights)
            text, stem = ops.tensor(y.shape, F64), f"{name}_w"
            self.op(f"{stem} = pop.constant {ops.dense(weights, F64)} : {text}")
            self.op(f"{stem}y = pop.mul {name}, {stem} : {text}")
            axes = ops.attributes(axes=ops.ints(range(y.ndim)))
            self.op(f"{stem}s = pop.reduce sum {stem}y{axes} : {text} -> tensor<f64>")
            terms.append(f"{stem}s")
        types = ", ".join(["tensor<f64>"] * len(terms))
        self.op(f"%loss = pop.sum {', '.join(terms)} : ({types}) -> tensor<f64>")
        self.result("%loss", np.zeros(()), F64)
        return self


# ===----------------------------------------------------------------------=== #
# Values
# ===----------------------------------------------------------------------=== #


def draw_usual(rng, shape):
    return rng.standard_normal(shape)


def draw_away(rng, shape, low=0.4, high=2.5):
    """Values that are not close to 0."""
    return rng.uniform(low, high, shape) * rng.choice([-1, 1], shape)


def draw_positive(rng, shape):
    return rng.uniform(0.4, 2.5, shape)


def draw_apart(rng, *shapes):
    """Values of which no two, and none and a multiple of 0.1, are close."""
    sizes = [int(np.prod(shape)) for shape in shapes]
    order = rng.permutation(sum(sizes)) - sum(sizes) // 2
    parts = np.split(order * 0.1 + 0.05, np.cumsum(sizes)[:-1])
    return [part.reshape(shape) for part, shape in zip(parts, shapes)]


def tensors(*values):
    return ", ".join(ops.tensor(np.shape(x), F64) for x in values)
