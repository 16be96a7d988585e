# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sessions: compiled programs on the simulated device."""

import threading
from typing import Any, Dict, Iterable, List, Mapping, Optional, Set, Union

import numpy as np

from popxl import _device
from popxl.ir import Ir
from popxl.streams import DeviceToHostStream, HostToDeviceStream
from popxl.tensor import Constant, HostScalarTensor, Tensor, Variable
from popxl.utils import to_numpy

HostArrays = Mapping[HostToDeviceStream, HostScalarTensor]


class Session:
    """Compiles an `Ir`, and runs it while `with session:` has it on the device.

    The host has an array for each variable. They are updated when the host reads
    variables from the device, so that arrays that the session returned are updated,
    too.
    """

    def __init__(
        self,
        ir: Ir,
        device_desc: Any = "cpu",
        weights_to_host_on_exit: bool = True,
        **options: Any,
    ):
        self._ir = ir
        self._lock = threading.RLock()
        self._depth: List[bool] = []
        printer, self.text, self._native = _device.compile(ir, device_desc, options)
        self._inputs, self._outputs = printer.streams("HostLoad"), printer.streams("HostStore")
        ir._prepared = True
        self._weights_to_host_on_exit = weights_to_host_on_exit
        self._variables = ir.main_graph.variables
        self._host = {v: _host_array(v) for v in self._variables}
        self._stale = False

    @property
    def ir(self) -> Ir:
        return self._ir

    @property
    def is_attached(self) -> bool:
        return self._native.is_attached

    @property
    def weights_to_host_on_exit(self) -> bool:
        return self._weights_to_host_on_exit and not self._has_read_only_data()

    def _has_read_only_data(self) -> bool:
        return any(
            isinstance(v._data, np.memmap) and not v._data.flags.writeable
            for v in self._variables
        )

    # Contexts.

    def __enter__(self) -> "Session":
        attach = not self.is_attached
        if attach:
            with _device.errors():
                self._native.attach()
        self._depth.append(attach)
        return self

    def __exit__(self, exc_type, exc_value, traceback) -> None:
        if not self._depth.pop():
            return
        copies = exc_type is None and self.weights_to_host_on_exit
        try:
            with _device.errors():
                self._native.detach(weights_to_host=copies)
        finally:
            if copies:
                self._update_host(self._variables)
            self._set_stale(False)

    # Runs.

    def run(
        self, inputs: Optional[HostArrays] = None, downcast_inputs: bool = True
    ) -> Dict[DeviceToHostStream, np.ndarray]:
        """Run the program. Returns an array for each stream to the host."""
        results = self._run(inputs, downcast_inputs)
        return {s: results[s._tensor._symbol] for s in self._outputs}

    def run_with_outputs(
        self,
        inputs: Optional[HostArrays] = None,
        outputs: Optional[Mapping[DeviceToHostStream, np.ndarray]] = None,
        downcast_inputs: bool = True,
    ) -> None:
        """Run the program, and write its outputs to the arrays of the caller."""
        outputs = outputs or {}
        _check_streams("output", outputs, self._outputs)
        for stream, array in outputs.items():
            shape = self._io_shape(stream)
            if array.shape != shape or array.dtype != stream.dtype._np:
                raise ValueError(
                    f"The array of {stream} has to be of the type {stream.dtype} and "
                    f"the shape {shape}, but it is {array.dtype} {array.shape}."
                )
        results = self._run(inputs, downcast_inputs)
        for stream, array in outputs.items():
            array[...] = results[stream._tensor._symbol]

    def create_host_outputs(self) -> Dict[DeviceToHostStream, np.ndarray]:
        """Uninitialized arrays for `run_with_outputs`."""
        return {
            s: np.empty(self._io_shape(s), s.dtype._np)
            for s in self._outputs
        }

    def expected_inputs(self) -> Set[HostToDeviceStream]:
        """The streams for which `run` needs arrays."""
        return set(self._inputs)

    def _run(self, inputs, downcast: bool) -> Dict[str, np.ndarray]:
        if not self.is_attached:
            raise ValueError("Run the session inside of 'with session:'.")
        inputs = inputs or {}
        _check_streams("input", inputs, self.expected_inputs())
        arrays = {
            s._tensor._symbol: self._input(s, x, downcast) for s, x in inputs.items()
        }
        with self._lock, _device.errors():
            try:
                results = self._native.run(arrays)
            finally:
                self._set_stale(True)
        _device.print_tensors(self._ir, results)
        return results

    def _input(self, stream, data: HostScalarTensor, downcast: bool) -> np.ndarray:
        dtype = stream.dtype
        array = to_numpy(data, dtype if dtype.is_fp8 else None, downcast, copy=False)
        shape = self._io_shape(stream)
        transfers = self._ir.num_host_transfers
        given = array.shape
        if transfers > 1 and given and given[0] > transfers and given[1:] == shape[1:]:
            array = array[:transfers]
        elif given != shape:
            if _squeezed(given) != _squeezed(shape):
                raise ValueError(
                    f"The data of {stream} has the shape {given}, but {shape} is "
                    f"expected: {_shape_words(self._ir)}."
                )
            array = array.reshape(shape)
        if array.dtype == dtype._np:
            return np.ascontiguousarray(array)
        if array.size and not np.can_cast(array.dtype, dtype._np, "same_kind"):
            if not (array.dtype.kind in "bui" and dtype._np.kind in "uif"):
                raise ValueError(
                    f"The data of {stream} has the type {array.dtype}, not {dtype}."
                )
        return np.ascontiguousarray(array, dtype._np)

    def _io_shape(self, stream):
        factors = (self._ir.num_host_transfers, self._ir.instance_replication_factor)
        return (*(f for f in factors if f > 1), *stream.shape)

    # Variables.

    def weights_to_host(self) -> None:
        """Copy all variables from the device."""
        self._check_attached()
        if self._has_read_only_data():
            raise Exception(
                "A variable is a read-only memory map, so that variables cannot be "
                "copied from the device."
            )
        with _device.errors():
            self._native.weights_to_host()
        self._update_host(self._variables)
        self._set_stale(False)

    def weights_from_host(self) -> None:
        """Copy all variables to the device."""
        self._check_attached()
        with _device.errors():
            self._native.weights_from_host()
        self._set_stale(False)

    def get_tensor_data(self, tensor: Union[Variable, Constant]) -> np.ndarray:
        return self.get_tensors_data([tensor])[tensor]

    def get_tensors_data(
        self, tensors: Iterable[Union[Variable, Constant]]
    ) -> Dict[Tensor, np.ndarray]:
        """The values of variables and constants. Values that the device has changed
        are copied from it, all at once."""
        tensors = list(tensors)
        for t in tensors:
            if not isinstance(t, (Variable, Constant)):
                raise TypeError(f"Tensor {t} is not of type Constant or Variable.")
        if self._stale and any(isinstance(t, Variable) for t in tensors):
            self._update_host(self._variables)
            self._set_stale(False)
        return {t: self._host[t] if t in self._host else t._data for t in tensors}

    def write_variable_data(self, tensor: Variable, data: HostScalarTensor) -> None:
        self.write_variables_data({tensor: data})

    def write_variables_data(
        self, tensors: Mapping[Variable, HostScalarTensor]
    ) -> None:
        """Write variables on the host and, if the session is attached, on the
        device."""
        arrays = {t: _written_data(t, data) for t, data in tensors.items()}
        if self._stale:
            self._update_host(self._variables)
            self._set_stale(False)
        with _device.errors():
            self._native.write(
                {t._symbol: t._grouping._expand(data) for t, data in arrays.items()}
            )
        for t, data in arrays.items():
            if self._host[t].flags.writeable:
                self._host[t][...] = data

    def _update_host(self, variables: Iterable[Variable]) -> None:
        """Copy values from the copy of the extension, which reads the device if its
        values are old."""
        variables = [v for v in variables if self._host[v].flags.writeable]
        with _device.errors():
            values = self._native.get([v._symbol for v in variables])
        for v in variables:
            value = values[v._symbol]
            if not v._grouping.is_const and v._retrieval == "one_per_group":
                value = value[v._grouping.to_host_map]
            self._host[v][...] = value
            if isinstance(self._host[v], np.memmap):
                self._host[v].flush()

    def _set_stale(self, stale: bool) -> None:
        self._stale = stale
        for v in self._variables:
            v._stale = stale

    def _check_attached(self) -> None:
        if not self.is_attached:
            raise ValueError("The session is not attached: use 'with session:'.")

    # Profiles.

    def profile(self) -> Dict[str, Any]:
        """The profile of the last run (docs/profile.md)."""
        import json

        return json.loads(self._native.profile())

    def report(self, path: str, title: str = "") -> None:
        """Write the report of the last run as an HTML page."""
        with open(path, "w", encoding="utf-8") as file:
            file.write(self._native.report(title))


def _host_array(v: Variable) -> np.ndarray:
    """The array for a variable: its initial data, or one value for each replica."""
    if v._retrieval == "all_replicas" and v._grouping.group_size > 1:
        groups = v._grouping.assignment
        data = v._data if v._grouping.num_groups > 1 else v._data[None]
        return data[groups]
    return v._data


def _check_streams(what: str, given: Mapping, expected: Set) -> None:
    unexpected, missing = set(given) - expected, expected - set(given)
    for word, streams in (("Unexpected", unexpected), ("Missing", missing)):
        if streams:
            raise ValueError(
                f"{word} {what} streams: {', '.join(sorted(map(repr, streams)))}."
            )


def _squeezed(shape) -> tuple:
    return tuple(d for d in shape if d != 1)


def _shape_words(ir: Ir) -> str:
    return (
        f"{ir.num_host_transfers} host transfers, {ir.instance_replication_factor} "
        "replicas, and the shape of the stream"
    )


def _written_data(t: Variable, data: HostScalarTensor) -> np.ndarray:
    if not isinstance(t, Variable):
        name = t.id if isinstance(t, Tensor) else t
        raise TypeError(f"Tensor {name} is not of type Variable.")
    if t._retrieval == "all_replicas" and t._grouping.group_size > 1:
        raise NotImplementedError(
            f"The host reads the values of all replicas of {t}, so that it cannot "
            "write one value for each group."
        )
    if isinstance(data, (int, float, bool)):
        if t.dtype.is_fp8:
            raise TypeError(f"A number cannot be written to the fp8 variable {t}.")
        data = np.asarray(data, t.dtype.as_numpy())
    array = to_numpy(data, None, downcast=True)
    if array.dtype != t.dtype._np:
        raise TypeError(f"The data for {t} has the type {array.dtype}.")
    if array.shape != t.shape_on_host:
        raise ValueError(
            f"The data for {t} has the shape {array.shape}, not {t.shape_on_host}."
        )
    return array
