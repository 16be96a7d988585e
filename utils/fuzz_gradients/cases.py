# Part of ipu-mlir, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A case for differentiation: an op on random operands, and its function in numpy."""

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
# What texts say; a program may be made of them for another element type.
F64 = ops.F64
# The type that floats of this element type are accumulated in.
WIDE = ops.Type("wide_f64", np.float64)
pick = ops.pick


def get_type(type, element):
    """What a type is if `element` takes the place of f64."""
    return {F64: element, WIDE: element.wide}.get(type, type)


class Case(ops.Case):
    """Ops with inputs, of which floats have gradients, and their function in numpy.

    `function` takes arrays of floats, real ones or complex ones whose imaginary
    parts are infinitesimal (a derivative), and returns one array for each result. A
    function with kinks looks at real parts. In a case of several replicas all arrays
    have one dimension more, in front.
    """

    def __init__(self, name, replicas=None):
        super().__init__(name)
        self.replicas = replicas
        self.function = None
        # Numbers of inputs that gradients are required of.
        self.floats = []
        # How many inputs are operands; the others are weights of results.
        self.arity = 0

    def float(self, values, is_required=True, type=F64):
        """An input that is differentiated, unless it is said not to be."""
        if is_required:
            self.floats.append(len(self.inputs))
        return self.input(np.asarray(values, np.float64), type)

    def get_shape(self, values):
        """The shape that one replica has."""
        return np.shape(values)[0 if self.replicas is None else 1 :]

    def input(self, values, type):
        """An input; of all replicas, each takes its own row."""
        arg = super().input(values, type)
        if self.replicas is None:
            return arg
        number = len(self.inputs) - 1
        if number == 0:
            self.op("%replica = pop.replica_index : tensor<i32>")
        self.op(
            f"%row{number} = pop.gather {arg}, %replica : ({ops.tensor(values.shape, type)}, "
            f"tensor<i32>) -> {ops.tensor(values.shape[1:], type)}"
        )
        return f"%row{number}"

    def round(self, type):
        """Rounds floats to what they are if `type` takes the place of f64."""
        self.inputs = [(get_type(t, type).round(x).astype(x.dtype), t) for x, t in self.inputs]

    def evaluate(self, values):
        """The loss, for values of the float inputs."""
        arrays = [np.asarray(values.get(i, x)) for i, (x, _) in enumerate(self.inputs)]
        results = self.function(*arrays[: self.arity])
        return sum((w * y).sum() for w, y in zip(arrays[self.arity :], results))

    def finish(self, rng, names, function):
        """Makes a loss of results; `names` are those that text of ops gives them."""
        self.function, self.arity = function, len(self.inputs)
        terms = []
        for name, y in zip(names, function(*(x for x, _ in self.inputs))):
            weights = rng.uniform(0.5, 1.5, np.shape(y)) * rng.choice([-1, 1], np.shape(y))
            shape, arg = self.get_shape(y), self.input(weights, F64)
            text = ops.tensor(shape, F64)
            self.op(f"{name}_w = pop.mul {name}, {arg} : {text}")
            axes = ops.attributes(axes=ops.ints(range(len(shape))))
            terms.append(f"{name}_s")
            self.op(f"{name}_s = pop.reduce sum {name}_w{axes} : {text} -> tensor<f64>")
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


def tensors(*values, type=F64):
    return ", ".join(ops.tensor(np.shape(x), type) for x in values)


def add_accumulated(case, rng, text, y, is_wide=None):
    """Adds an op whose result `y` may be wider than its operands; `text` is that of the
    op but for the result's type."""
    if rng.random() < 0.6 if is_wide is None else not is_wide:
        case.op(f"%y = pop.{text} -> {tensors(y)}")
        return
    case.op(f"%wide = pop.{text} -> {tensors(y, type=WIDE)}")
    case.op(f"%y = pop.cast %wide : {tensors(y, type=WIDE)} to {tensors(y)}")
