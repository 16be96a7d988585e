# Part of ipu-mlir, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Differentiates programs with all strategies and options, and reports wrong results."""

import os
import pathlib
import random
import re
import shlex
import tempfile

import numpy as np

from fuzz_autodiff import modules
from fuzz_transforms.check import GENERIC, LOWER, Failure, differ, get_passes, opt_command, run_tool

# What says that values cannot be computed again.
UNREPEATABLE = re.compile(r"is needed for gradients of @\w+?_(\d+)(?:_\w+)? but cannot be recomputed; "
                          r"expects stitching strategy 'add_fwd_outputs'")
# By size in bytes of the narrowest float: of values and derivatives; of second ones.
TOLERANCES = {8: 1e-9, 4: 1e-4, 2: 5e-2}
SECOND = 1e-6


class Subject:
    """A program, and where its texts are."""

    def __init__(self, options, program, expected, path, seed):
        self.options, self.program, self.expected = options, program, expected
        self.path, self.seed = pathlib.Path(path), seed
        self.tolerance = TOLERANCES[min(e.dtype.itemsize for e in program.elements if e.is_float)]
        self.rng = random.Random(f"copies {seed}")
        self.copies = modules.make_copies(program, expected, self.rng)
        self.has_refused = False

    def write(self, name, text):
        path = self.path / f"{name}.mlir"
        path.write_text(text)
        return path

    def opt(self, what, text, passes, *flags):
        path = self.write(what.replace(" ", "-"), text)
        return run_tool(self.options, what, opt_command(self.options, path, passes, *flags))

    # What differentiates.

    def differentiate(self):
        """The module; it leaves out what would compute again what cannot be."""
        while True:
            try:
                return self.run_passes()
            except Failure as failure:
                if not (refused := UNREPEATABLE.search(failure.problem.text)) or not self.program.is_unrepeatable():
                    raise
                copy = next(c for c in self.copies if str(c.number) == refused[1])
                rest = [c for c in self.copies if not c.computes_again(copy)]
                if copy in rest or not rest:
                    raise
                self.copies, self.has_refused = rest, True

    def run_passes(self):
        self.source = modules.make_module(self.program, self.copies)
        self.passes = modules.join_passes(self.program, self.copies)
        contracts = ["--verify-contracts"] if "verify-contracts" in get_passes(self.options.ipu_opt) else []
        return self.opt("differentiate", self.source, self.passes, *contracts)

    def check_text(self, module):
        """The same text of a program whose ops are elsewhere in memory, after it was printed
        and parsed as well."""
        shuffle = f"test-shuffle-clone{{seed={self.seed}}}," if "test-shuffle-clone" in self.known else ""
        generic = self.opt("twice", self.source, shuffle + self.passes, GENERIC)
        if self.opt("parse", generic, "") != module:
            raise Failure("twice", "gives another text for a copy elsewhere in memory, or after printing it")

    @property
    def known(self):
        return get_passes(self.options.ipu_opt)

    # What runs.

    def execute(self, module):
        """{copy: {name: values with a dimension of replicas}}"""
        path = self.write("run", modules.add_main(self.program, self.copies, module))
        results = self.path / "results"
        results.mkdir(exist_ok=True)
        run_tool(self.options, "run", self.run_command(path, results))
        found = {copy.number: {} for copy in self.copies}
        for file in results.glob("*.npy"):
            number, _, name = file.stem[1:].partition("_")
            values = np.load(file)
            found[int(number)][name] = values if self.program.replicas > 1 else values[None]
        return found

    def run_command(self, path, results):
        inputs = []
        for x, values in self.program.arguments.items():
            np.save(self.path / x.label, values if self.program.replicas > 1 else values[0])
            inputs.append(f"{x.label}={self.path / x.label}.npy")
        execute = f"inputs={','.join(inputs)} results={results} engine={self.get_engine()} allow-oom"
        return opt_command(self.options, path, f"{LOWER}ipu-execute{{{execute}}}", "-o", os.devnull)

    def get_engine(self):
        return "jit" if self.seed % 8 == 0 else "interp"

    # What it gives.

    def fail(self, copy, kind, text):
        raise Failure(f"{copy.kind}: {kind}", f"{copy.description}: {text}")

    def check_close(self, copy, name, found, expected, magnitude, tolerance):
        if not abs(found - expected) <= tolerance * max(1, magnitude):
            self.fail(copy, "values", f"{name} is {found:.17g}, not {expected:.17g}")

    def check_forward(self, copy, found):
        """Results, and what is written."""
        expected = {**self.expected.results, **self.expected.written}
        for name, values in expected.items():
            actual = found.get(name)
            if actual is None:
                self.fail(copy, "missing", f"{name} is missing")
            elif values.dtype.kind not in "fc":
                if problem := differ(actual, values.astype(actual.dtype)):
                    self.fail(copy, "values", f"{name}: {problem}")
            else:
                error = np.abs(actual.astype(np.float64) - values.real).max(initial=0)
                self.check_close(copy, f"the largest error of {name}", error, 0,
                                 np.abs(values).max(initial=0), self.tolerance)

    def check_slopes(self, copy, found, results):
        """Gradients against derivatives of some results."""
        for name, tangent in self.program.tangents.items():
            expected = sum(self.expected.slopes[name].get(result, 0) for result in results)
            self.check_derivative(copy, found, name, tangent, expected, self.tolerance)

    def check_derivative(self, copy, found, name, tangent, expected, tolerance):
        if f"d{name}" not in found:
            if expected:
                self.fail(copy, "missing", f"the gradient of {name} is missing; the derivative is {expected}")
            return
        products = found[f"d{name}"].astype(np.float64) * tangent
        self.check_close(copy, f"the derivative of {name}", products.sum(), expected,
                         np.abs(products).sum() + np.abs(found[f'd{name}']).max(initial=0), tolerance)

    def check_second(self, copy, found):
        """The sum of the first gradients, along one direction."""
        products = [found[f"d{name}"] * tangent for name, tangent in self.program.tangents.items()
                    if f"d{name}" in found]
        value, magnitude = sum(p.sum() for p in products), sum(np.abs(p).sum() for p in products)
        self.check_close(copy, "the second derivative", value, self.expected.curvature, magnitude, SECOND)

    def check_same(self, copy, found, first, names):
        """The same bits as another copy; what that does not have is zero."""
        for name in names:
            expected = first.get(name, np.zeros_like(found[name]) if name in found else None)
            if name not in found:
                self.fail(copy, "missing", f"{name} is missing")
            if problem := differ(found[name], expected):
                self.fail(copy, "bits", f"{name} differs from {self.copies[0].description}: {problem}")

    def check_values(self, found):
        first = found[self.copies[0].number]
        self.check_forward(self.copies[0], first)
        self.check_slopes(self.copies[0], first, self.program.result_names)
        for copy in self.copies:
            own = found[copy.number]
            if copy.kind == "full":
                if set(own) != set(first):
                    self.fail(copy, "missing", f"gives {sorted(own)}, not {sorted(first)}")
                self.check_same(copy, own, first, first)
            elif copy.kind == "required":
                names = [*self.expected.results, *self.expected.written, *(f"d{name}" for name in copy.names)]
                self.check_same(copy, own, first, names)
            elif copy.kind == "provided":
                self.check_slopes(copy, own, copy.names)
            else:
                self.check_second(copy, own)

    def run(self):
        module = self.differentiate()
        self.check_text(module)
        self.check_values(self.execute(module))


def check(options, program, expected, seed):
    """How many copies there were, whether some were refused, and the problem or None."""
    with tempfile.TemporaryDirectory() as folder:
        subject = Subject(options, program, expected, folder, seed)
        try:
            subject.run()
        except Failure as failure:
            return subject.copies, subject.has_refused, failure.problem
    return subject.copies, subject.has_refused, None


def keep(options, folder, name, program, seed):
    """Keeps a program, its copies, and how they are differentiated and run."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{name}.mlir").write_text(program.text())
    subject = Subject(options, program, program.run(), folder / name, seed)
    subject.path.mkdir(exist_ok=True)
    source = subject.write("copies", modules.make_module(program, subject.copies))
    steps = [opt_command(options, source, modules.join_passes(program, subject.copies))]
    try:
        module = subject.differentiate()
        path = subject.write("run", modules.add_main(program, subject.copies, module))
        (subject.path / "results").mkdir(exist_ok=True)
        steps.append(subject.run_command(path, subject.path / "results"))
    except Failure:
        pass
    (folder / f"run-{name}").write_text("\n".join(["#!/bin/sh -x", *map(shlex.join, steps)]) + "\n")
    (folder / f"run-{name}").chmod(0o755)
