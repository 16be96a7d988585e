# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Streams between the host and the device."""

from typing import Optional, Sequence, Tuple

from popxl import dtypes
from popxl.context import get_current_graph
from popxl.tensor import TensorSpec


class Stream:
    """A stream of tensors of one type."""

    def __init__(self):
        raise RuntimeError("Use 'popxl.h2d_stream' or 'popxl.d2h_stream'.")

    @classmethod
    def _create(cls, shape, dtype, name) -> "Stream":
        graph = get_current_graph().main_graph
        self = cls.__new__(cls)
        self._tensor = graph._new_tensor(shape, dtype, name)
        self._tensor._pb_kind = "Stream"
        return self

    @property
    def dtype(self) -> dtypes.dtype:
        return self._tensor.dtype

    @property
    def shape(self) -> Tuple[int, ...]:
        return self._tensor.shape

    @property
    def spec(self) -> TensorSpec:
        return self._tensor.spec

    @property
    def tensor_id(self) -> str:
        return self._tensor.id

    def __eq__(self, other) -> bool:
        return type(self) is type(other) and self._tensor is other._tensor

    def __hash__(self) -> int:
        return hash(self._tensor)

    def __repr__(self) -> str:
        return f"{type(self).__name__}[{self.tensor_id} {self.dtype} {self.shape}]"


class HostToDeviceStream(Stream):
    """Its tensors are loaded by `ops.host_load`."""


class DeviceToHostStream(Stream):
    """Its tensors are stored by `ops.host_store`."""


def h2d_stream(
    shape: Sequence[int], dtype: dtypes.dtype, name: Optional[str] = None
) -> HostToDeviceStream:
    return HostToDeviceStream._create(shape, dtype, name or "h2d_stream")


def d2h_stream(
    shape: Sequence[int], dtype: dtypes.dtype, name: Optional[str] = None
) -> DeviceToHostStream:
    return DeviceToHostStream._create(shape, dtype, name or "d2h_stream")
