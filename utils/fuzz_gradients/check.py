# Part of ipu-mlir, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Derivatives on the device, by differentiation and by differences, and in numpy."""

import os
import re
import subprocess

import numpy as np

from .cases import F64, ops

TARGET = (4, 1)
STEP = 1e-3
# Of a derivative, and of the sum of the magnitudes that it is the sum of.
RTOL, ATOL = 1e-6, 1e-8
# Those in numpy are exact but for rounding.
NUMPY_RTOL, NUMPY_ATOL = 1e-9, 1e-11
TINY = 1e-100
TIMEOUT = 300


class Failure(Exception):
    """A program that did not compile or run."""


def run(command, folder):
    try:
        done = subprocess.run(
            command, cwd=folder, capture_output=True, text=True, timeout=TIMEOUT, check=False
        )
    except subprocess.TimeoutExpired:
        raise Failure(f"did not end within {TIMEOUT} s") from None
    if done.returncode:
        lines = [x for x in done.stderr.splitlines() if "error" in x.lower()]
        text = (lines or done.stderr.splitlines()[:1] or ["no message"])[0]
        raise Failure(f"exit status {done.returncode}: {text}")


class Program:
    """Cases as one function, its backward graph, and the one of both together."""

    def __init__(self, cases, folder, ipu_opt, order):
        self.cases, self.folder, self.ipu_opt = cases, folder, ipu_opt
        folder.mkdir(parents=True, exist_ok=True)
        self.floats = [f"c{c}i{i}" for c, case in enumerate(cases) for i in case.floats]
        (folder / "0.mlir").write_text(ops.write_program(cases, TARGET))
        self.losses = [f"c{c}r0" for c in range(len(cases))]
        self.forward = "0.mlir"
        # The loss of a second differentiation is the sum of all first derivatives.
        for i in range(1, order):
            self.losses += self.differentiate(f"{i - 1}.mlir", f"{i}.mlir", i)
            self.forward = f"{i}.mlir"
        self.differentiate(self.forward, "gradients.mlir", order)
        self.last = order

    def differentiate(self, source, target, order):
        """Adds the derivatives of all results; returns their names."""
        passes = f"pop-autodiff{{func=main caller=main required={','.join(self.floats)} unreachable=zero}}"
        command = [self.ipu_opt, source, "-o", target]
        run([*command, f"--pass-pipeline=builtin.module({passes},inline,symbol-dce)"], self.folder)
        path = self.folder / target
        path.write_text(path.read_text().replace("Gradient___", f"d{order}_"))
        return [f"d{order}_{name}" for name in self.floats]

    def execute(self, program, values, names):
        """Results of a program for values of its inputs, by case and number."""
        inputs, out = [], self.folder / "out"
        out.mkdir(exist_ok=True)
        for c, case in enumerate(self.cases):
            for i, (array, type) in enumerate(case.inputs):
                ops.save(self.folder / f"c{c}i{i}.npy", values.get((c, i), array), type)
                inputs.append(f"c{c}i{i}=c{c}i{i}.npy")
        options = f"inputs={','.join(inputs)} results=out engine=interp allow-oom"
        passes = f"builtin.module(pop-to-ipu-pipeline{{allow-oom}},ipu-execute{{{options}}})"
        run([self.ipu_opt, program, "-o", os.devnull, f"--pass-pipeline={passes}"], self.folder)
        return {name: ops.load(out / f"{name}.npy", F64) for name in names}

    def get_losses(self, values):
        """The loss of each case."""
        results = self.execute(self.forward, values, self.losses)
        sums = np.zeros(len(self.cases))
        for name, value in results.items():
            sums[int(re.search(r"c(\d+)[ir]", name)[1])] += value.sum()
        return sums

    def get_gradients(self):
        names = [f"d{self.last}_{name}" for name in self.floats]
        results = self.execute("gradients.mlir", {}, names)
        return [
            {i: results[f"d{self.last}_c{c}i{i}"] for i in case.floats}
            for c, case in enumerate(self.cases)
        ]


def get_differences(program, directions):
    """Central differences of the losses along a direction, without the error of the
    order of the square of the step."""

    def at(factor):
        values = {
            (c, i): program.cases[c].inputs[i][0] + factor * STEP * v
            for c, vectors in enumerate(directions)
            for i, v in vectors.items()
        }
        return program.get_losses(values)

    return (8 * (at(1) - at(-1)) - (at(2) - at(-2))) / (12 * STEP)


def get_numpy_derivative(case, i, vector):
    """That of the function in numpy, by an infinitesimal imaginary part."""
    values = {i: case.inputs[i][0] + 1j * TINY * vector}
    return np.imag(case.evaluate(values)) / TINY


def differs(found, expected, magnitude, rtol, atol):
    return not abs(found - expected) <= rtol * abs(expected) + atol * max(magnitude, 1)


def check(program, rng, directions, second_opinion):
    """What is wrong: pairs of a case and a text."""
    problems, gradients = [], program.get_gradients()
    for _ in range(directions):
        vectors = [
            {i: rng.standard_normal(case.inputs[i][0].shape) for i in case.floats}
            for case in program.cases
        ]
        differences = get_differences(program, vectors)
        for c, case in enumerate(program.cases):
            products = {i: gradients[c][i] * v for i, v in vectors[c].items()}
            found = sum(p.sum() for p in products.values())
            magnitude = sum(np.abs(p).sum() for p in products.values())
            if differs(found, differences[c], magnitude, RTOL, ATOL):
                problems.append((case, f"derivative is {found}, difference {differences[c]}"))
            if not second_opinion:
                continue
            for i, v in vectors[c].items():
                expected = get_numpy_derivative(case, i, v)
                found = products[i].sum()
                magnitude = np.abs(products[i]).sum()
                if differs(found, expected, magnitude, NUMPY_RTOL, NUMPY_ATOL):
                    problems.append(
                        (case, f"derivative of operand {i} is {found}, in numpy {expected}")
                    )
    return problems
