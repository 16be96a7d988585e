"""Compares the gradients of losses with differences of numpy's losses in f64.

    loss-gradients.py FOLDER IPU-OPT IPU-RUN
"""

import itertools
import pathlib
import subprocess
import sys

import numpy as np

PASSES = "builtin.module(pop-autodiff{func=f caller=main})"
STEP = 1e-5

# ===----------------------------------------------------------------------=== #
# Losses
# ===----------------------------------------------------------------------=== #


def reduce(losses, reduction, counts=None):
    if reduction == "none":
        return losses
    total = np.sum(losses)
    if reduction == "mean":
        total = total / (losses.size if counts is None else np.sum(counts))
    return total


def weighted_log(factor, x):
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(factor == 0, 0, factor * np.log(x))


ELEMENT_LOSSES = {
    "l1_loss": lambda x, t: np.abs(x - t),
    "l2_loss": lambda x, t: (x - t) ** 2,
    "binary_cross_entropy_loss": lambda x, t: -weighted_log(t, x) - weighted_log(1 - t, 1 - x),
    "binary_cross_entropy_loss of_logits": lambda x, t: np.logaddexp(0, x) - x * t,
    "identity_loss": lambda x: x,
}


def log_softmax(x):
    x = x - np.max(x, 1, keepdims=True)
    return x - np.log(np.sum(np.exp(x), 1, keepdims=True))


LABEL_LOSSES = {
    "nll_loss": lambda x: x,
    "nll_loss of_probabilities": np.log,
    "cross_entropy_loss": log_softmax,
}


def label_loss(kind, reduction, labels, ignored, x, w=None):
    w = np.ones(x.shape[1]) if w is None else w
    is_class = (labels >= 0) & (labels < x.shape[1]) & (labels != ignored)
    place = np.where(is_class, labels, 0)
    logs = np.take_along_axis(LABEL_LOSSES[kind](x), place[:, None], 1)[:, 0]
    weights = np.where(is_class, w[place], 0)
    return reduce(np.where(is_class, -logs * weights, 0), reduction, weights)


# ===----------------------------------------------------------------------=== #
# The program
# ===----------------------------------------------------------------------=== #


def tensor(shape, type):
    return "tensor<" + "".join(f"{size}x" for size in shape) + f"{type}>"


class Program:
    """One function of all losses, each of arguments of its own."""

    def __init__(self):
        self.rng = np.random.default_rng(7)
        self.arguments, self.lines, self.results, self.checks = [], [], [], []

    def argument(self, values, type):
        name = f"a{len(self.arguments)}"
        dtype = np.float16 if type == "f16" else np.float32
        self.arguments.append((name, np.asarray(values, dtype), type))
        return name

    def add(self, kind, reduction, operands, type, forward, labels=None, **attrs):
        """`forward` computes the loss of the values of `operands`."""
        i = len(self.results)
        op, *unit = kind.split()
        names = [self.argument(v, type) for v in operands]
        types = [tensor(np.shape(v), type) for v in operands]
        args = [f"%{name}" for name in names]
        if labels is not None:
            text = tensor(labels.shape, "i32")
            self.lines.append(f"%l{i} = pop.constant dense<{labels.tolist()}> : {text}")
            args.insert(1, f"%l{i}")
            types.insert(1, text)
        if op in ELEMENT_LOSSES:
            types = types[:1]
        text = ", ".join(unit + [f"{k} = {v}" for k, v in attrs.items()])
        values = [v.astype(np.float64) for n, v, _ in self.arguments if n in names]
        shape = np.shape(forward(*values))
        result = tensor(shape, "f32")
        # Not each gradient of a loss is 1.
        factor = np.round(self.rng.uniform(0.5, 2, shape), 2)
        self.lines.append(f"%f{i} = pop.constant dense<{factor.tolist()}> : {result}")
        self.lines.append(
            f"%y{i} = pop.{op} {reduction} {', '.join(args)} {{{text}}} : "
            f"{', '.join(types)} -> {result}"
        )
        self.lines.append(f"%z{i} = pop.mul %y{i}, %f{i} : {result}")
        self.results.append((f"z{i}", result))

        def total(*values):
            return float(np.sum(forward(*values) * factor))

        for k, name in enumerate(names):
            self.checks.append((f"{kind} {reduction} {attrs} {type}", name, total, values, k))

    def write(self):
        arguments = [
            f'%{n}: {tensor(v.shape, t)} {{pop.name = "{n}"}}' for n, v, t in self.arguments
        ]
        results = ", ".join(f'{t} {{pop.name = "{n}"}}' for n, t in self.results)
        body = "\n    ".join(self.lines)
        return f"""
module attributes {{ipu.target = #ipu.target<"gc200", {{tiles = 16 : i64}}>}} {{
  func.func private @f({", ".join(arguments)}) -> ({results}) {{
    {body}
    return {", ".join("%" + n for n, _ in self.results)} : {", ".join(t for _, t in self.results)}
  }}
}}
"""


def differentiate(total, values, k):
    gradient = np.zeros(values[k].shape)
    for index in np.ndindex(*gradient.shape):
        ends = []
        for step in (-STEP, STEP):
            moved = [v.copy() for v in values]
            moved[k][index] += step
            ends.append(total(*moved))
        gradient[index] = (ends[1] - ends[0]) / (2 * STEP)
    return gradient


# ===----------------------------------------------------------------------=== #
# Cases
# ===----------------------------------------------------------------------=== #


def make_program():
    program = Program()
    rng = program.rng
    for kind, reduction, type in itertools.product(
        ELEMENT_LOSSES, ("none", "sum", "mean"), ("f32", "f16")
    ):
        low, high = (0.1, 0.9) if kind == "binary_cross_entropy_loss" else (-2, 2)
        operands = [rng.uniform(low, high, (3, 5)), rng.uniform(0.1, 0.9, (3, 5))]
        if kind == "identity_loss":
            operands.pop()

        def forward(*values, kind=kind, reduction=reduction):
            return reduce(ELEMENT_LOSSES[kind](*values), reduction)

        program.add(kind, reduction, operands, type, forward)
    labels = np.array([[0, 3, 2, 1], [2, 2, -1, 0], [1, 4, 9, 3]], np.int32)
    for kind, reduction, weighted, ignored in itertools.product(
        LABEL_LOSSES, ("none", "sum", "mean"), (False, True), (None, 2)
    ):
        operands = [rng.uniform(0.1, 0.9, (3, 5, 4))]
        if weighted:
            operands.append(rng.uniform(0.5, 2, 5))
        attrs = {} if ignored is None else {"ignore_index": f"{ignored} : i64"}

        def forward(*values, kind=kind, reduction=reduction, ignored=ignored):
            return label_loss(kind, reduction, labels, ignored, *values)

        type = "f16" if weighted and ignored is None else "f32"
        program.add(kind, reduction, operands, type, forward, labels, **attrs)
    return program


def run(program, folder, ipu_opt, ipu_run):
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "f.mlir").write_text(program.write())
    command = [ipu_run, str(folder / "main.mlir"), "--output-dir", str(folder / "out")]
    for name, values, _ in program.arguments:
        np.save(folder / f"{name}.npy", values)
        command += ["--input", f"{name}={folder / name}.npy"]
    subprocess.run(
        [ipu_opt, folder / "f.mlir", f"--pass-pipeline={PASSES}", "-o", folder / "main.mlir"],
        check=True,
    )
    subprocess.run(command, check=True)


def main():
    folder = pathlib.Path(sys.argv[1])
    program = make_program()
    run(program, folder, *sys.argv[2:])
    types = {name: type for name, _, type in program.arguments}
    failures = 0
    for what, name, total, values, k in program.checks:
        expected = differentiate(total, values, k)
        actual = np.load(folder / "out" / f"Gradient___{name}.npy").astype(np.float64)
        rtol, atol = (1e-3, 1e-4) if types[name] == "f16" else (2e-5, 2e-6)
        # What no difference reaches is 0 to the bit.
        if not np.allclose(actual, expected, rtol, atol) or actual[expected == 0].any():
            print(f"gradient of operand {k} of {what}:\n{actual}\nexpected\n{expected}")
            failures += 1
    print(f"{len(program.checks)} gradients, {failures} failures")


main()
