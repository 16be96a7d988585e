# Part of ipu-mlir, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs a program in ipu-run and onnxruntime, and compares its outputs."""

import dataclasses
import pathlib
import re
import tempfile

import numpy as np

from compare_onnx.compare import find_difference
from compare_onnx.reasons import get_kind
from compare_onnx.runtime import Refused

from .differences import Case, find_explanation
from .program import print_program

# rtol and atol for the narrowest float in a program.
TOLERANCES = {"float16": (2e-2, 4e-3), "float32": (1e-3, 2e-5), "float64": (1e-6, 1e-9)}
EXACT = (0, 0)
SHOWN_LINES = 12
TYPE_NUMBERS = {10: "float16", 1: "float32", 11: "float64"}


@dataclasses.dataclass
class Result:
    """`outcome` is one of OUTCOMES; `kind` says in a few words why, the same for programs that
    have the same cause. `text` has the details of a program that is wrong or crashes."""

    outcome: str
    kind: str = ""
    text: str = ""


OUTCOMES = {
    "equal": "both programs have equal outputs",
    "explained": "the outputs differ for a reason in the table of differences",
    "both refuse": "neither runs the model",
    "unsupported": "onnxruntime runs the model, and ipu-run calls it unsupported",
    "suspicious": "onnxruntime runs the model, and ipu-run calls it invalid",
    "only ipu-run": "ipu-run runs the model, and onnxruntime does not load or run it",
    "wrong": "the outputs differ",
    "crash": "ipu-run crashes or takes too long",
}


@dataclasses.dataclass
class Runs:
    """What both programs did with a model."""

    device: object
    outputs: dict | None
    refusal: Refused | None


def find_floats(program):
    """The names of all float types in a program."""
    names = {values.dtype.name for values in program.values.values()}
    for node in program.nodes:
        if node.op_type.endswith("Window"):
            names.add("float32")
        for attribute in node.attribute:
            if attribute.name in ("to", "dtype"):
                names.add(TYPE_NUMBERS.get(attribute.i, ""))
            if attribute.HasField("t"):
                names.add(TYPE_NUMBERS.get(attribute.t.data_type, ""))
    return names


def get_tolerances(program):
    names = find_floats(program)
    return next((t for name, t in TOLERANCES.items() if name in names), EXACT)


class Checker:
    """Runs programs in `device`, and in `runtime` if it is not None."""

    def __init__(self, device, runtime):
        self.device, self.runtime = device, runtime

    def run(self, program):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "model.onnx"
            path.write_bytes(program.make_model().SerializeToString())
            outputs, refusal = self.run_runtime(path, program.inputs)
            return Runs(self.device.run(path, program.inputs), outputs, refusal)

    def run_runtime(self, path, inputs):
        """The outputs of onnxruntime, or None and its refusal."""
        if not self.runtime:
            return None, Refused("load", "onnxruntime is not used")
        try:
            return self.runtime.run(path, inputs)[0], None
        except Refused as error:
            return None, error

    def check(self, program):
        runs = self.run(program)
        if runs.device.outcome == "crash":
            return Result("crash", runs.device.reasons[0], "\n".join(runs.device.reasons))
        if runs.device.outcome != "ran":
            return self.judge_refusal(runs)
        if runs.refusal:
            return Result("only ipu-run", get_runtime_kind(runs.refusal, program))
        if not find_differences(program, runs):
            return Result("equal")
        return self.explain(program, runs)

    def judge_refusal(self, runs):
        kind = get_kind(runs.device.reasons[0])
        if runs.refusal:
            return Result("both refuse", kind)
        if runs.device.outcome == "unsupported":
            return Result("unsupported", kind)
        return Result("suspicious", kind, "\n".join(runs.device.reasons))

    def explain(self, program, runs):
        program, runs = self.localize(program, runs)
        reason = None
        if len(program.nodes) == 1 or all(node.op_type == "Cast" for node in program.nodes):
            tolerances = get_tolerances(program)
            case = Case(program, runs.device.outputs, runs.outputs, tolerances)
            reason = find_explanation(case)
        if reason:
            return Result("explained", reason)
        return Result("wrong", get_operators(program), describe(program, runs))

    def localize(self, program, runs):
        """The first node of the program that differs on its own, with the inputs that
        onnxruntime computes, or else the whole program."""
        if len(program.nodes) == 1:
            return program, runs
        every = program.copy()
        every.outputs = program.find_outputs()
        values = {**program.values, **(self.run(every).outputs or {})}
        for node in program.nodes:
            if all(name in values for name in node.input if name):
                part = program.extract(node, values)
                part_runs = self.run(part)
                compared = part_runs.outputs and part_runs.device.outcome == "ran"
                if compared and find_differences(part, part_runs):
                    return part, part_runs
        return program, runs


def find_differences(program, runs):
    """What differs in the outputs, by name."""
    rtol, atol = get_tolerances(program)
    differences = {}
    for name, expected in runs.outputs.items():
        difference = find_difference(runs.device.outputs[name], expected, rtol, atol)
        if difference is not None:
            differences[name] = difference
    return differences


def get_runtime_kind(refusal, program):
    """The reason of onnxruntime without the names of nodes and the numbers in it."""
    reason = str(refusal)
    if "NOT_IMPLEMENTED" in reason or "Could not find an implementation" in reason:
        return "no implementation for the types"
    reason = re.sub(r"\(node:|[Nn]ode ?\(.*?\)|[Nn]ode:? ?'.*?'|Name:'.*?'", "", reason)
    reason = re.sub(r"^.*?(Error|Exception|Fail|FAIL|INVALID_\w+)[\]: ]+", "", reason)
    reason = re.sub(r"[-\d]+|/[\w./]+", "N", reason)
    return f"{get_operators(program)}: {reason.strip()[:100]}"


def get_operators(program):
    return " ".join(dict.fromkeys(node.op_type for node in program.nodes))


def print_values(name, values):
    with np.printoptions(threshold=24, edgeitems=2, linewidth=100):
        lines = f"{name} = {values!r}".splitlines()
    return lines[:SHOWN_LINES] + ["..."] * (len(lines) > SHOWN_LINES)


def describe(program, runs):
    lines = [print_program(program, runs.outputs).rstrip()]
    for name, values in program.inputs.items():
        lines += print_values(name, values)
    for name, difference in find_differences(program, runs).items():
        lines.append(f"'{name}' differs at {difference}")
        lines += print_values("  ipu-run", runs.device.outputs[name])
        lines += print_values("  onnxruntime", runs.outputs[name])
    return "\n".join(lines)
