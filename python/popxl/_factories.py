# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The functions that create tensors without ops: variables, constants, and inputs and
outputs of graphs."""

import math
import sys
from typing import Any, Optional, Sequence, Tuple

import numpy as np

from popxl import dtypes
from popxl.context import get_current_graph
from popxl.tensor import Constant, HostScalarTensor, Tensor, Variable
from popxl.utils import downcast_np_dtypes, to_numpy


def _host_data(data, dtype, downcast, log2_scale=None, nan_on_overflow=None):
    """Check and convert initial values. A memory map is used as it is."""
    if isinstance(data, np.memmap):
        return _memory_mapped(data, dtype)
    return to_numpy(data, dtype, downcast, True, log2_scale, nan_on_overflow)


def _memory_mapped(data: np.memmap, dtype) -> np.memmap:
    prefix = "When passing a memory-mapped NumPy array"
    if data.dtype in downcast_np_dtypes:
        raise ValueError(
            f"{prefix}, the dtype {dtype} is not supported, as it requires downcasting: "
            f"the array has the dtype {data.dtype}."
        )
    if dtype is not None and np.dtype(dtype.as_numpy()) != data.dtype:
        raise ValueError(
            f"{prefix}, the `dtype` parameter must be None or that of the array, "
            f"{data.dtype}, but not {dtype}."
        )
    if not data.flags.c_contiguous or not data.flags.aligned:
        raise ValueError(f"{prefix}, it must already be in C-ordered, aligned form.")
    return data


def _new_variable(
    data, dtype, name, downcast, grouping, retrieval, log2_scale, nan_on_overflow
) -> Variable:
    graph = get_current_graph()
    if graph is not graph.main_graph:
        raise ValueError("Only the main graph has variables.")
    if retrieval not in (None, "one_per_group", "all_replicas"):
        raise ValueError(
            "The retrieval mode is 'one_per_group' or 'all_replicas', but it is "
            f"{retrieval!r}."
        )
    grouping = grouping or graph.ir.replica_grouping()
    value = _host_data(data, dtype, downcast, log2_scale, nan_on_overflow)
    if isinstance(data, np.memmap) and not grouping.is_const:
        print(
            f"Warning: you have passed np.memmap data and the non-const replica grouping "
            f"`{grouping}`: the data is copied to the groups of the device.",
            file=sys.stderr,
        )
    shape = value.shape
    if grouping.num_groups > 1:
        if not shape or shape[0] != grouping.num_groups:
            raise ValueError(
                f"The data of {grouping.num_groups} groups has the shape {shape}, whose "
                "first dimension is not the number of groups."
            )
        shape = shape[1:]
    variable = graph._new_tensor(
        shape, dtype or dtypes.dtype.as_dtype(value.dtype), name, (), Variable
    )
    variable._pb_kind = "Variable"
    variable._data = value
    variable._grouping = grouping
    variable._retrieval = retrieval or "one_per_group"
    return variable


def variable(
    data: HostScalarTensor,
    dtype: Optional[dtypes.dtype] = None,
    name: Optional[str] = None,
    downcast: bool = True,
    replica_grouping=None,
    retrieval_mode: Optional[str] = None,
    log2_scale: Optional[int] = None,
    nan_on_overflow: Optional[bool] = None,
) -> Variable:
    """A variable on the chip. With several groups of replicas, the first dimension of
    `data` has one value for each group."""
    return _new_variable(
        data,
        dtype,
        name,
        downcast,
        replica_grouping,
        retrieval_mode,
        log2_scale,
        nan_on_overflow,
    )


def remote_variable(
    data: HostScalarTensor,
    remote_buffer,
    offset: int = 0,
    dtype: Optional[dtypes.dtype] = None,
    name: Optional[str] = None,
    downcast: bool = True,
    replica_grouping=None,
    retrieval_mode: Optional[str] = "one_per_group",
    log2_scale: Optional[int] = None,
    nan_on_overflow: Optional[bool] = None,
) -> Variable:
    """A variable in the row `offset` of a remote buffer."""
    result = _new_variable(
        data,
        dtype,
        name,
        downcast,
        replica_grouping,
        retrieval_mode,
        log2_scale,
        nan_on_overflow,
    )
    remote_buffer.validate_tensor_matches_buffer(result)
    result._buffer, result._row = remote_buffer, offset
    return result


def _shards(grouping, shard_over: Optional[int]) -> Tuple[int, Any]:
    """The number of shards, and the groups of replicas that have one tensor."""
    shards = grouping.group_size if shard_over is None else shard_over
    if shards > grouping.group_size or shards < 1 or grouping.group_size % shards:
        raise ValueError(
            f"Groups of {grouping.group_size} replicas cannot have {shards} shards."
        )
    return shards, grouping._ir.replica_grouping(grouping.stride, shards)


def remote_replica_sharded_variable(
    data: HostScalarTensor,
    remote_buffer,
    offset: int = 0,
    dtype: Optional[dtypes.dtype] = None,
    name: Optional[str] = None,
    downcast: bool = True,
    replica_grouping=None,
    retrieval_mode: Optional[str] = "one_per_group",
    log2_scale: Optional[int] = None,
    nan_on_overflow: Optional[bool] = None,
) -> Variable:
    """A variable of which each replica has a shard in the row `offset` of a buffer."""
    ir = get_current_graph().ir
    if ir.replication_factor <= 1:
        raise ValueError("Sharding over replicas needs more than one replica.")
    result = _new_variable(
        data,
        dtype,
        name,
        downcast,
        replica_grouping,
        retrieval_mode,
        log2_scale,
        nan_on_overflow,
    )
    if not remote_buffer.meta_shape:
        remote_buffer.meta_shape = result.shape
    elif remote_buffer.meta_shape != result.shape:
        raise ValueError(
            f"The shards of {remote_buffer} belong to a tensor of the shape "
            f"{remote_buffer.meta_shape}, not of {result.shape}."
        )
    grouping, row = result._grouping, math.prod(remote_buffer.tensor_shape)
    # A row of the shape of the whole tensor holds a shard, too.
    shards = next(
        (
            s
            for s in range(2, grouping.group_size + 1)
            if grouping.group_size % s == 0 and math.ceil(result.nelms / s) == row
        ),
        grouping.group_size,
    )
    result._sharding = _shards(grouping, shards)[1]
    result._buffer, result._row = remote_buffer, offset
    return result


def replica_sharded_variable(
    data: HostScalarTensor,
    dtype: Optional[dtypes.dtype] = None,
    name: Optional[str] = None,
    downcast: bool = True,
    replica_grouping=None,
    shard_over: Optional[int] = None,
    retrieval_mode: Optional[str] = "one_per_group",
    log2_scale: Optional[int] = None,
    nan_on_overflow: Optional[bool] = None,
) -> Tuple[Variable, Tensor]:
    """A variable of which each replica has a shard on the chip. Returns the variable,
    which sessions read and write, and the shard, which ops use."""
    result = _new_variable(
        data,
        dtype,
        name,
        downcast,
        replica_grouping,
        retrieval_mode,
        log2_scale,
        nan_on_overflow,
    )
    shards, result._sharding = _shards(result._grouping, shard_over)
    shard = result._graph._new_tensor(
        (math.ceil(result.nelms / shards),),
        result.dtype,
        f"{result.name}_rts",
        result.shape,
    )
    shard._variable = result
    return result, shard


def constant(
    data: HostScalarTensor,
    dtype: Optional[dtypes.dtype] = None,
    name: Optional[str] = None,
    downcast: bool = True,
    log2_scale: Optional[int] = None,
    nan_on_overflow: Optional[bool] = None,
) -> Constant:
    """A constant of the current graph."""
    graph = get_current_graph()
    if dtype is None and isinstance(data, np.ndarray) and data.dtype.names:
        raise TypeError("A constant in fp8 needs the argument 'dtype'.")
    value = _host_data(data, dtype, downcast, log2_scale, nan_on_overflow)
    result = graph._new_tensor(
        value.shape, dtype or dtypes.dtype.as_dtype(value.dtype), name, (), Constant
    )
    result._pb_kind = "Const"
    result._data = value
    return result


def graph_input(
    shape: Sequence[int],
    dtype: dtypes.dtype,
    name: Optional[str] = None,
    by_ref: bool = False,
    meta_shape: Optional[Sequence[int]] = None,
) -> Tensor:
    """A new input of the current graph. With `by_ref`, the graph may write the tensor
    of its caller."""
    graph = get_current_graph()
    result = graph._new_tensor(shape, dtype, name, meta_shape)
    graph._inputs.append(result)
    if by_ref:
        graph._by_ref_inputs.add(result)
    return result


def graph_output(t: Tensor) -> None:
    """Make a tensor the next output of the current graph."""
    graph = get_current_graph()
    if t not in graph:
        raise ValueError(f"{t} is not a tensor of the current graph {graph.id}.")
    graph._outputs.append(t)
