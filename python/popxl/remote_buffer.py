# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Buffers in streaming memory."""

import math
from typing import Optional, Sequence, Tuple

from popxl import dtypes
from popxl.context import get_current_graph
from popxl.tensor import Tensor, _shards


class RemoteBuffer:
    """Rows of one type in streaming memory, for each replica."""

    def __init__(
        self,
        tensor_shape: Sequence[int],
        tensor_dtype: dtypes.dtype,
        entries: int = 1,
    ):
        self._current_ir = get_current_graph().ir
        self.meta_shape = ()
        self.set_remote_buffer_info(tensor_dtype, tensor_shape, entries)
        self._current_ir._remote_buffers.append(self)
        self._id = len(self._current_ir._remote_buffers)

    @property
    def remote_buffer_id(self) -> int:
        return self._id

    @property
    def tensor_shape(self) -> Tuple[int, ...]:
        return self._shape

    @property
    def tensor_dtype(self) -> dtypes.dtype:
        return self._dtype

    @property
    def entries(self) -> int:
        """The number of rows."""
        return self._entries

    @entries.setter
    def entries(self, value: int) -> None:
        if value < 1:
            raise ValueError(
                f"Entries must be a non-zero, positive integer, but not {value}."
            )
        self._entries = value

    @property
    def meta_shape(self) -> Tuple[int, ...]:
        """The shape of the tensor of which rows are shards, or ()."""
        return self._meta_shape

    @meta_shape.setter
    def meta_shape(self, value: Sequence[int]) -> None:
        self._meta_shape = tuple(value or ())

    def set_remote_buffer_info(
        self, tensor_dtype: dtypes.dtype, tensor_shape: Sequence[int], entries: int
    ) -> None:
        """Change the type of the rows and their number."""
        self.entries = entries
        self._shape = tuple(int(d) for d in tensor_shape)
        self._dtype = tensor_dtype

    def validate_tensor_matches_buffer(self, t: Tensor) -> None:
        if t.shape != self.tensor_shape or t.dtype != self.tensor_dtype:
            raise ValueError(
                f"Tensor {t} does not match buffer. The buffer has rows of "
                f"{self.tensor_dtype} {self.tensor_shape}."
            )

    def __eq__(self, other) -> bool:
        return self is other

    def __hash__(self) -> int:
        return hash((self._current_ir.id, self._id))

    def __repr__(self) -> str:
        return (
            f"RemoteBuffer[id={self._id} {self.tensor_dtype} {self.tensor_shape} "
            f"entries={self.entries}]"
        )


def remote_buffer(
    tensor_shape: Sequence[int], tensor_dtype: dtypes.dtype, entries: int = 1
) -> RemoteBuffer:
    return RemoteBuffer(tensor_shape, tensor_dtype, entries)


def replica_sharded_buffer(
    shape: Sequence[int],
    dtype: dtypes.dtype,
    replica_grouping=None,
    shard_over: Optional[int] = None,
    entries: int = 1,
) -> RemoteBuffer:
    """A buffer whose rows are shards of tensors. With several groups, `shape` begins
    with their number."""
    grouping = replica_grouping or get_current_graph().ir.replica_grouping()
    shape = tuple(shape)
    if grouping.num_groups > 1:
        if not shape or shape[0] != grouping.num_groups:
            raise ValueError(
                f"The shape {shape} does not begin with the number of groups, "
                f"{grouping.num_groups}."
            )
        shape = shape[1:]
    shards, _ = _shards(grouping, shard_over)
    buffer = RemoteBuffer((math.ceil(math.prod(shape) / shards),), dtype, entries)
    buffer.meta_shape = shape
    return buffer
