# Part of ipu-mlir, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A computation for ipu-run and PyTorch, and the functions that run it on both."""

import dataclasses
import pathlib
import subprocess
import time
from typing import Callable

import numpy as np
import torch


@dataclasses.dataclass
class Case:
    """A model, and the same one in PyTorch: a function from tensors by name to
    outputs by name. Gradients are those of the sum of the elements of `output`, of
    all inputs and weights."""

    name: str
    save: Callable[[pathlib.Path], pathlib.Path]
    inputs: dict[str, np.ndarray]
    # What the model holds itself, of initial values.
    weights: dict[str, np.ndarray]
    output: str
    compute: Callable[[dict[str, torch.Tensor]], dict[str, torch.Tensor]]

    @property
    def tensors(self):
        return {**self.inputs, **self.weights}


def run_device(case, folder, command):
    """Outputs and gradients by name, and the seconds of the whole run."""
    out = folder / "out"
    command = [*command, case.save(folder), "--output-dir", out]
    command += ["--gradients", f"{case.output}={','.join(case.tensors)}"]
    for name, values in case.inputs.items():
        np.save(folder / f"{name}.npy", values)
        command += ["--input", f"{name}={folder / name}.npy"]
    start = time.monotonic()
    subprocess.run(command, check=True)
    seconds = time.monotonic() - start
    return {file.stem: np.load(file) for file in out.glob("*.npy")}, seconds


def run_torch(case, dtype):
    """The same of PyTorch, in a type of its own."""
    tensors = {
        name: torch.tensor(values, dtype=dtype, requires_grad=True)
        for name, values in case.tensors.items()
    }
    start = time.monotonic()
    outputs = case.compute(tensors)
    outputs[case.output].sum().backward()
    seconds = time.monotonic() - start
    values = {name: tensor.detach().numpy() for name, tensor in outputs.items()}
    for name, tensor in tensors.items():
        values[f"Gradient___{name}"] = tensor.grad.numpy()
    return values, seconds
