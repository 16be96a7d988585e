# Part of ipu-mlir, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Derivatives on the device (by differentiation and by differences) and in numpy."""

import os
import re
import subprocess

import numpy as np

from .cases import F64, get_type, ops

TARGET = (4, 1)
STEP = 1e-3
# Of a derivative, and of the sum of the magnitudes that it is the sum of.
RTOL, ATOL = 1e-6, 1e-8
# Those in numpy are exact but for rounding, that of the device above all.
NUMPY_TOLERANCES = {"f64": (1e-9, 1e-11), "f32": (1e-4, 1e-5), "f16": (1e-2, 1e-2)}
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


def add_replicas(text):
    """A program whose results are the sums of those of all replicas."""

    def replace(match):
        names, types = (group.split(", ") for group in match.groups())
        lines = [
            f"    %sum{i} = pop.all_reduce add {name} : {type}"
            for i, (name, type) in enumerate(zip(names, types))
        ]
        sums = ", ".join(f"%sum{i}" for i in range(len(names)))
        return "\n".join([*lines, f"    return {sums} : {', '.join(types)}"])

    text, count = re.subn(r"^ *return (.*?)\s+: (.*)$", replace, text, flags=re.M)
    assert count == 1, text
    return text


class Program:
    """Cases as one function, and a function of it and its backward graph."""

    def __init__(self, cases, folder, ipu_opt, order, type):
        self.cases, self.folder, self.ipu_opt = cases, folder, ipu_opt
        self.type = type
        folder.mkdir(parents=True, exist_ok=True)
        self.floats = [f"c{c}i{i}" for c, case in enumerate(cases) for i in case.floats]
        text = ops.write_program(cases, TARGET)
        if cases[0].replicas is not None:
            text = text.replace("{tiles", f"{{replicas = {cases[0].replicas} : i64, tiles", 1)
        # Other element types have the same text but for their name.
        text = text.replace("wide_f64", type.wide.name).replace("f64", type.name)
        (folder / "0.mlir").write_text(text)
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
                array, type = values.get((c, i), array), get_type(type, self.type)
                ops.save(self.folder / f"c{c}i{i}.npy", array.astype(type.dtype), type)
                inputs.append(f"c{c}i{i}=c{c}i{i}.npy")
        if self.cases[0].replicas is not None:
            text = add_replicas((self.folder / program).read_text())
            program = f"sum-{program}"
            (self.folder / program).write_text(text)
        options = f"inputs={','.join(inputs)} results=out engine=interp allow-oom"
        # Cases have no placement, so that copies between placements are removed.
        passes = f"builtin.module(pop-remove-vgraphs{{tile-sets}},pop-to-ipu-pipeline{{allow-oom}},ipu-execute{{{options}}})"
        run([self.ipu_opt, program, "-o", os.devnull, f"--pass-pipeline={passes}"], self.folder)
        return {name: np.load(out / f"{name}.npy").astype(np.float64) for name in names}

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


def check_differences(program, vectors, products):
    """Compares derivatives, the sums of products, with differences."""
    differences = get_differences(program, vectors)
    for case, difference, of_case in zip(program.cases, differences, products):
        found = sum(p.sum() for p in of_case.values())
        magnitude = sum(np.abs(p).sum() for p in of_case.values())
        if differs(found, difference, magnitude, RTOL, ATOL):
            yield case, f"derivative is {found}, difference {difference}"


def check_numpy(program, vectors, products):
    """Compares derivatives by each operand with those in numpy."""
    tolerances = NUMPY_TOLERANCES[program.type.name]
    for case, of_case, directions in zip(program.cases, products, vectors):
        for i, v in directions.items():
            found, expected = of_case[i].sum(), get_numpy_derivative(case, i, v)
            if differs(found, expected, np.abs(of_case[i]).sum(), *tolerances):
                yield case, f"derivative of operand {i} is {found}, in numpy {expected}"


def check(program, rng, directions, second):
    """What is wrong: pairs of a case and a text."""
    gradients = program.get_gradients()
    for _ in range(directions):
        vectors = [
            {i: rng.standard_normal(case.inputs[i][0].shape) for i in case.floats}
            for case in program.cases
        ]
        products = [
            {i: of_case[i] * v for i, v in directions_of_case.items()}
            for of_case, directions_of_case in zip(gradients, vectors)
        ]
        if program.type is F64:
            yield from check_differences(program, vectors, products)
        if not second:
            yield from check_numpy(program, vectors, products)
