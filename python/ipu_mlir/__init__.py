# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles tensor programs, and runs them on the simulated device.

    import ipu_mlir
    model = ipu_mlir.load("model.onnx", dims={"batch": 4})
    result = model.run({"x": x})
    result["y"], result.profile["cycles"]

docs/python.md is a tutorial.
"""

from ipu_mlir._native import (
    CompileError,
    Diagnostic,
    Error,
    ExpectationError,
    RunError,
    Stopped,
    TensorInfo,
    __version__,
)
from ipu_mlir.model import Model, Result, compile, load, run_pipeline

__all__ = [
    "CompileError",
    "Diagnostic",
    "Error",
    "ExpectationError",
    "Model",
    "Result",
    "RunError",
    "Stopped",
    "TensorInfo",
    "__version__",
    "compile",
    "load",
    "run_pipeline",
]
