# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs and the results of their runs."""

from __future__ import annotations

import functools
import json
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Optional, Union

import numpy as np

from ipu_mlir import _native
from ipu_mlir.picture import draw_result

Path = Union[str, "os.PathLike[str]"]
#: Whatever numpy makes an array of.
Value = Any


class Result(Mapping[str, np.ndarray]):
    """The outputs of a run, by name, and its profile."""

    def __init__(
        self, name: str, outputs: dict[str, np.ndarray], profile: _native.Profile
    ) -> None:
        self._name = name
        self._outputs = outputs
        self._profile = profile

    def __getitem__(self, name: str) -> np.ndarray:
        return self._outputs[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._outputs)

    def __len__(self) -> int:
        return len(self._outputs)

    @functools.cached_property
    def profile(self) -> dict[str, Any]:
        """The profile of the run, which docs/profile.md describes."""
        return json.loads(self._profile.json())

    def summary(self) -> str:
        """Return the summary of the profile as text."""
        return self._profile.summary()

    def report(self, path: Path) -> None:
        """Write the profile as an HTML page."""
        _write(path, self._profile.report(self._name))

    def trace(self, path: Path) -> None:
        """Write a timeline for viewers of Chrome's trace events."""
        _write(path, self._profile.trace())

    def __repr__(self) -> str:
        outputs = ", ".join(
            f"{name}: {array.dtype}{list(array.shape)}"
            for name, array in self._outputs.items()
        )
        return f"<Result {outputs}>"

    def _repr_html_(self) -> str:
        return draw_result(self._outputs, self.profile)


class Model:
    """A compiled program, and its variables on the simulated device.

    The first run puts the program on the device, where its variables stay until
    `close`. A model is a context manager that closes itself.
    """

    def __init__(self, session: _native.Session, name: str) -> None:
        self.session = session
        self.name = name

    @property
    def inputs(self) -> list[_native.TensorInfo]:
        return self.session.inputs

    @property
    def outputs(self) -> list[_native.TensorInfo]:
        return self.session.outputs

    @property
    def variables(self) -> list[_native.TensorInfo]:
        return self.session.variables

    @property
    def diagnostics(self) -> list[_native.Diagnostic]:
        """Warnings and remarks of the compilation."""
        return self.session.diagnostics

    def run(
        self,
        inputs: Optional[Mapping[str, Value]] = None,
        *,
        count: int = 1,
        progress: Optional[Callable[[float, str], None]] = None,
    ) -> Result:
        """Run the program `count` times with the same inputs.

        Values that numpy can convert without a change of their kind become
        arrays of the inputs' dtypes. Variables keep their values from one run to
        the next.
        """
        values = _convert(inputs or {}, self.inputs)
        self.session.attach()
        outputs = self.session.run(values, count=count, progress=progress)
        return Result(self.name, outputs, self.session.last_profile())

    def stop(self) -> None:
        """End the run of another thread at its next step."""
        self.session.stop()

    def read(self, names: Optional[Sequence[str]] = None) -> dict[str, np.ndarray]:
        """Return the values of variables and constants; by default, of all
        variables."""
        if names is None:
            names = [variable.name for variable in self.variables]
        return self.session.get(names)

    def write(self, values: Mapping[str, Value]) -> None:
        """Write variables. Accepts what `read` returns."""
        self.session.restore(_convert(values, self.variables))

    @property
    def profile(self) -> dict[str, Any]:
        """The profile of the last run or, with the engine "none", the estimate."""
        return json.loads(self.session.profile())

    def summary(self) -> str:
        """Return the summary of the last run as text."""
        return self.session.summary()

    def report(self, path: Path) -> None:
        """Write the profile of the last run as an HTML page."""
        _write(path, self.session.report(self.name))

    def trace(self, path: Path) -> None:
        """Write a timeline of the last run for viewers of Chrome's trace events."""
        _write(path, self.session.trace())

    def text(self) -> str:
        """Return the lowered program, which `compile` accepts."""
        return self.session.text()

    def close(self) -> None:
        """Take the program off the device. The next run starts with the values
        that variables have now."""
        self.session.detach()

    def __enter__(self) -> Model:
        self.session.attach()
        return self

    def __exit__(self, kind: object, error: object, trace: object) -> None:
        self.session.detach(weights_to_host=kind is None)

    def __repr__(self) -> str:
        def describe(tensors: list[_native.TensorInfo]) -> str:
            return ", ".join(
                f"{t.name}: {t.element_type}{list(t.shape)}" for t in tensors
            )

        return f"<Model ({describe(self.inputs)}) -> ({describe(self.outputs)})>"


def _write(path: Path, text: str) -> None:
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def _convert(
    values: Mapping[str, Value], infos: list[_native.TensorInfo]
) -> dict[str, np.ndarray]:
    dtypes = {info.name: info.dtype for info in infos}
    return {
        name: _convert_value(name, value, dtypes.get(name))
        for name, value in values.items()
    }


def _convert_value(
    name: str, value: Value, dtype: Optional[np.dtype[Any]]
) -> np.ndarray:
    """Return an array of `dtype`, or of another dtype that the session refuses."""
    array = np.asarray(value)
    if dtype is None or array.dtype == dtype:
        return array
    if dtype.fields or array.dtype.fields:
        return array
    if not np.can_cast(array.dtype, dtype, "same_kind") and not (
        array.dtype.kind == "i" and dtype.kind == "u"
    ):
        return array
    if array.size and dtype.kind in "iu":
        limits = np.iinfo(dtype)
        if array.min() < limits.min or array.max() > limits.max:
            raise ValueError(f"'{name}' has values that {dtype} cannot represent")
    return array.astype(dtype)


def load(path: Path, **options: Any) -> Model:
    """Load an ONNX or MLIR file and compile it.

    `dims` are sizes of symbolic dimensions, `constants` the values of inputs
    that become constants, and `parameters` says what the weights of an ONNX
    model become ("constants", "arguments" or "variables"). _native.pyi lists the
    other options.
    """
    path = os.fspath(path)
    return Model(_native.load(path, **options), os.path.basename(path))


def compile(text: str, *, filename: str = "", **options: Any) -> Model:
    """Compile MLIR text. _native.pyi lists the options."""
    session = _native.compile(text, filename=filename, **options)
    return Model(session, os.path.basename(filename) or "program")


def run_pipeline(text: str, pipeline: str, **options: Any) -> str:
    """Return `text` after the passes of `pipeline`, such as
    "pop-decompose,canonicalize"."""
    options.setdefault("debug_info", False)
    return _native.run_passes(text, pipeline, **options)
