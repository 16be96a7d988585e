"""Compares the gradients of losses, and the second derivatives of those that are
smooth, with differences of numpy's losses in f64.

    loss-gradients.py FOLDER IPU-OPT IPU-RUN
"""

import itertools
import pathlib
import subprocess
import sys

import numpy as np

ONCE = "pop-autodiff{func=f caller=main}"
TWICE = "pop-autodiff{func=f},pop-autodiff{func=f_backward caller=main}"
DTYPES = {"f16": np.float16, "f32": np.float32, "f64": np.float64}
# Of gradients; second derivatives are by larger steps.
TOLERANCES = {"f16": (1e-3, 1e-4), "f32": (2e-5, 2e-6), "f64": (1e-6, 1e-8)}

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

    def __init__(self, seed):
        self.rng = np.random.default_rng(seed)
        self.arguments, self.lines, self.results, self.checks = [], [], [], []

    def argument(self, values, type):
        name = f"a{len(self.arguments)}"
        self.arguments.append((name, np.asarray(values, DTYPES[type]), type))
        return name

    def constant(self, name, values, type):
        text = tensor(np.shape(values), type)
        self.lines.append(f"{name} = pop.constant dense<{values.tolist()}> : {text}")
        return text

    def add(self, kind, reduction, operands, type, forward, labels=None, **attrs):
        """`forward` computes the loss of the values of `operands`, the first of
        which the program scales."""
        i, first = len(self.results), len(self.arguments)
        op, *unit = kind.split()
        args = [f"%{self.argument(v, type)}" for v in operands]
        values = [v.astype(np.float64) for _, v, _ in self.arguments[first:]]
        types = [tensor(np.shape(v), type) for v in operands]
        # A softmax has no second derivative in the direction of ones; powers of two
        # are not rounded.
        scale = 2.0 ** -self.rng.integers(0, 3, np.shape(operands[0]))
        text = self.constant(f"%s{i}", scale, type)
        self.lines.append(f"%x{i} = pop.mul {args[0]}, %s{i} : {text}")
        args[0] = f"%x{i}"
        if labels is not None:
            args.insert(1, f"%l{i}")
            types.insert(1, self.constant(args[1], labels, "i32"))
        else:
            types = types[:1]
        text = ", ".join(unit + [f"{k} = {v}" for k, v in attrs.items()])
        shape = np.shape(forward(*values))
        wide = "f64" if type == "f64" else "f32"
        # Not each gradient of a loss is 1.
        factor = np.round(self.rng.uniform(0.5, 2, shape), 2)
        result = self.constant(f"%f{i}", factor, wide)
        self.lines.append(
            f"%y{i} = pop.{op} {reduction} {', '.join(args)} {{{text}}} : "
            f"{', '.join(types)} -> {result}"
        )
        self.lines.append(f"%z{i} = pop.mul %y{i}, %f{i} : {result}")
        self.results.append((f"z{i}", result))

        def total(x, *others):
            return float(np.sum(forward(x * scale, *others) * factor))

        self.checks.append((f"{kind} {reduction} {attrs}", type, first, total, values))

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


def move(values, k, index, step, all_step):
    """`total`'s operands with one element and all elements moved."""
    moved = [v + all_step for v in values]
    moved[k][index] += step
    return moved


def differentiate(total, values, k, twice):
    """Differences in each element of operand `k`; `twice` in all elements as well."""
    gradient = np.zeros(values[k].shape)
    step = 2e-4 if twice else 1e-5
    for index in np.ndindex(*gradient.shape):
        for sign, all_sign in itertools.product((-1, 1), (-1, 1) if twice else (0,)):
            value = total(*move(values, k, index, sign * step, all_sign * step))
            gradient[index] += sign * (all_sign or 1) * value
    return gradient / ((2 * step) ** (2 if twice else 1))


# ===----------------------------------------------------------------------=== #
# Cases
# ===----------------------------------------------------------------------=== #

REDUCTIONS = ("none", "sum", "mean")


def add_element_losses(program, kinds, types):
    rng = program.rng
    for kind, reduction, type in itertools.product(kinds, REDUCTIONS, types):
        low, high = (0.1, 0.9) if kind == "binary_cross_entropy_loss" else (-2, 2)
        operands = [rng.uniform(low, high, (3, 5)), rng.uniform(0.1, 0.9, (3, 5))]
        if kind == "identity_loss":
            operands.pop()

        def forward(*values, kind=kind, reduction=reduction):
            return reduce(ELEMENT_LOSSES[kind](*values), reduction)

        program.add(kind, reduction, operands, type, forward)


def add_label_losses(program, kinds, types):
    """Types in turn."""
    rng = program.rng
    labels = np.array([[0, 3, 2, 1], [2, 2, -1, 0], [1, 4, 9, 3]], np.int32)
    cases = itertools.product(kinds, REDUCTIONS, (False, True), (None, 2))
    for (kind, reduction, weighted, ignored), type in zip(cases, itertools.cycle(types)):
        operands = [rng.uniform(0.1, 0.9, (3, 5, 4))]
        if weighted:
            operands.append(rng.uniform(0.5, 2, 5))
        attrs = {} if ignored is None else {"ignore_index": f"{ignored} : i64"}

        def forward(*values, kind=kind, reduction=reduction, ignored=ignored):
            return label_loss(kind, reduction, labels, ignored, *values)

        program.add(kind, reduction, operands, type, forward, labels, **attrs)


def run(program, passes, inputs, folder, ipu_opt, ipu_run):
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "f.mlir").write_text(program.write())
    command = [ipu_run, folder / "main.mlir", "--output-dir", folder / "out"]
    for name, values in inputs:
        np.save(folder / f"{name}.npy", values)
        command += ["--input", f"{name}={folder / name}.npy"]
    pipeline = f"--pass-pipeline=builtin.module({passes})"
    subprocess.run(
        [ipu_opt, folder / "f.mlir", pipeline, "-o", folder / "main.mlir"], check=True
    )
    subprocess.run(command, check=True)


def compare(program, twice, get_path):
    """`get_path` is the file of the result for an argument."""
    count = failures = 0
    for what, type, first, total, values in program.checks:
        rtol, atol = (1e-4, 1e-4) if twice else TOLERANCES[type]
        for k in range(len(values)):
            expected = differentiate(total, values, k, twice)
            actual = np.load(get_path(first + k)).astype(np.float64)
            good = np.allclose(actual, expected, rtol, atol)
            # What no difference reaches is 0 to the bit.
            if not good or (actual[expected == 0].any() and not twice):
                print(f"operand {k} of {what} {type}:\n{actual}\nexpected\n{expected}")
                failures += 1
            count += 1
    print(f"{count} {'second derivatives' if twice else 'gradients'}, {failures} failures")


def check_gradients(folder, *programs):
    program = Program(7)
    add_element_losses(program, ELEMENT_LOSSES, DTYPES)
    add_label_losses(program, LABEL_LOSSES, ["f32", "f64", "f32", "f16", "f64"])
    inputs = [(name, values) for name, values, _ in program.arguments]
    run(program, ONCE, inputs, folder, *programs)
    compare(program, False, lambda i: folder / "out" / f"Gradient___a{i}.npy")


def check_second_derivatives(folder, *programs):
    """The backward graph takes gradients of all results and then all arguments; the
    results of its caller are its own and then the gradients of these arguments."""
    program = Program(8)
    kinds = [k for k in ELEMENT_LOSSES if k not in ("l1_loss", "identity_loss")]
    add_element_losses(program, kinds, ["f32"])
    add_label_losses(program, ["nll_loss of_probabilities", "cross_entropy_loss"], ["f32"])
    results = [np.ones(parse_shape(text), np.float32) for _, text in program.results]
    values = results + [values for _, values, _ in program.arguments]
    inputs = [(f"arg{i}", value) for i, value in enumerate(values)]
    run(program, TWICE, inputs, folder, *programs)
    skipped = len(program.arguments) + len(results)
    compare(program, True, lambda i: folder / "out" / f"result{skipped + i}.npy")


def parse_shape(text):
    return [int(size) for size in text.removeprefix("tensor<").split("x")[:-1]]


def main():
    folder = pathlib.Path(sys.argv[1])
    check_gradients(folder / "gradients", *sys.argv[2:])
    check_second_derivatives(folder / "second", *sys.argv[2:])


main()
