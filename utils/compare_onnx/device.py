# Part of ipu-mlir, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs ONNX models with ipu-run."""

import dataclasses
import pathlib
import re
import shutil
import subprocess
import tempfile

import numpy as np
from onnx import numpy_helper

from .reasons import get_errors, is_unsupported

DIFFERENT, UNREADABLE, NOT_COMPILED = 1, 2, 3
RENAMED = re.compile(r"^output '(.*)' is in '(.*)'$", re.M)


@dataclasses.dataclass
class DeviceRun:
    """`outcome` is "ran", "unsupported", "invalid" or "crash". The reasons are the errors
    of a run with another outcome than "ran"."""

    outcome: str
    reasons: list[str] = dataclasses.field(default_factory=list)
    outputs: dict[str, np.ndarray] = dataclasses.field(default_factory=dict)
    text: str = ""


class Device:
    """`program` is the path of ipu-run, and `flags` are its options for all models."""

    def __init__(self, program, flags, timeout=600):
        self.program, self.flags, self.timeout = program, flags, timeout

    def run(self, model, inputs, flags=()):
        with tempfile.TemporaryDirectory() as folder:
            command = [str(self.program), str(model), *self.flags, *flags]
            command += ["--output-dir", f"{folder}/outputs"]
            for number, (name, values) in enumerate(inputs.items()):
                path = f"{folder}/{number}.pb"
                with open(path, "wb") as file:
                    file.write(numpy_helper.from_array(np.asarray(values)).SerializeToString())
                command += ["--input", f"{name}={path}"]
            return self.execute(command, pathlib.Path(folder) / "outputs")

    def execute(self, command, folder):
        try:
            result = subprocess.run(
                command, capture_output=True, text=True, errors="replace", timeout=self.timeout
            )
        except subprocess.TimeoutExpired:
            return DeviceRun("crash", [f"takes more than {self.timeout:g} s"])
        errors = get_errors(result.stderr)
        if result.returncode == 0:
            text = result.stdout + result.stderr
            return DeviceRun("ran", [], read_outputs(folder, text), text)
        if result.returncode not in (UNREADABLE, NOT_COMPILED) or not errors:
            last = result.stderr.strip().splitlines()[-1:]
            return DeviceRun("crash", [f"status {result.returncode}", *errors, *last])
        return DeviceRun("unsupported" if is_unsupported(errors) else "invalid", errors)


def read_outputs(folder, text):
    """The outputs by name. ipu-run prints the file of an output whose name is no file name."""
    names = {pathlib.Path(path): name for name, path in RENAMED.findall(text)}
    return {names.get(path, path.stem): np.load(path) for path in folder.glob("*.npy")}


def find_program(built):
    return shutil.which("ipu-run") or built
