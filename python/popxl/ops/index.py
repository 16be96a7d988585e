# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Gathers, scatters and slices at positions that tensors have."""

import math
from typing import List, Optional, Sequence

import numpy as np

from popxl import dtypes
from popxl._emit import Emitter, Value, array
from popxl._record import Op, OpKind, Spec, record
from popxl.errors import popart_exception
from popxl.ops.utils import broadcast, check, check_axis, check_same_dtype
from popxl.tensor import Tensor

# Gathers.


def _gather(e: Emitter, op: Op, table: Value, indices: Value) -> Value:
    """Rows of a dimension, as `numpy.take`. Rows that do not exist are zeros."""
    axis, batch = op["axis"], op["batch"]
    rows = e.gather(e.move_axis(table, axis, batch), indices, batch)
    # The dimensions of the indices move to the place of the axis.
    moved = list(range(indices.rank, indices.rank + axis - batch))
    order = [*range(batch), *moved, *range(batch, indices.rank)]
    order += range(len(order), rows.rank)
    return e.transpose(rows, order)


GATHER = OpKind("Gather", _gather)
TIED_GATHER = OpKind("PopartTiedGather", _gather, cls="TiedGatherOp")
GROUPED_GATHER = OpKind("GroupedGather", _gather, cls="GatherOp")


def _record_gather(kind: OpKind, t: Tensor, indices: Tensor, axis: int, batch=0) -> Tensor:
    check(t=t, indices=indices)
    if not indices.dtype.is_int:
        raise popart_exception(f"The indices {indices} of {kind.type} are no integers.")
    axis = check_axis(kind.type, t, axis)
    shape = t.shape[:axis] + indices.shape[batch:] + t.shape[axis + 1 :]
    spec = Spec(shape, t.dtype, "gather_out")
    return record(kind, [t, indices], spec, axis=axis, batch=batch)


def gather(
    t: Tensor,
    indices: Tensor,
    axis: int = 0,
    available_memory_proportion: Optional[float] = None,
    zero_OOR: bool = False,
) -> Tensor:
    """The rows `indices` of a dimension; rows that do not exist are zeros."""
    return _record_gather(GATHER, t, indices, axis)


def tied_gather(
    t: Tensor,
    indices: Tensor,
    axis: int = 0,
    available_memory_proportion: Optional[float] = None,
    zero_OOR: bool = False,
) -> Tensor:
    """`gather` of a table that a product of matrices also has."""
    return _record_gather(TIED_GATHER, t, indices, axis)


def groupedgather(
    t: Tensor,
    indices: Tensor,
    axis: int = 0,
    group_size: int = 1,
    available_memory_proportion: Optional[float] = None,
    zero_OOR: bool = False,
) -> Tensor:
    """`gather` for each group, which is a position of the first dimension."""
    check(t=t, indices=indices)
    if group_size > 1 and check_axis("GroupedGather", t, axis) == 0:
        raise popart_exception("The axis 0 of GroupedGather is that of the groups.")
    if group_size <= 1:
        return _record_gather(GROUPED_GATHER, t, indices, axis)
    if t.shape[0] != group_size or indices.shape[:1] != (group_size,):
        raise popart_exception(f"{t} and {indices} do not have {group_size} groups.")
    return _record_gather(GROUPED_GATHER, t, indices, axis, batch=1)


# Scatters.


def _scatter(e: Emitter, op: Op, x: Value, indices: Value, values: Value) -> Value:
    """Each element has its own index along the axis, so that all elements of the
    tensor are the rows."""
    flat_indices = _linear_indices(e, indices, x.shape, op["axis"])
    flat = e.reshape(x, (math.prod(x.shape),))
    updates = e.reshape(values, (math.prod(values.shape),))
    return e.reshape(e.scatter(op["kind"], flat, flat_indices, updates), x.shape)


def _linear_indices(e: Emitter, indices: Value, shape, axis: int) -> Value:
    strides = [math.prod(shape[i + 1 :]) for i in range(len(shape))]
    grid = np.indices(indices.shape, np.int32)
    others = np.zeros(indices.shape, np.int32)
    for i, stride in enumerate(strides):
        if i != axis:
            others += grid[i] * stride
    index = e.cast(indices, dtypes.int32)
    # As in ONNX, negative indices count from the end.
    negative = e.binary("less", index, 0)
    index = e.select(negative, index + shape[axis], index)
    linear = index * strides[axis] + e.constant(others)
    return e.reshape(linear, (math.prod(indices.shape),))


SCATTER = OpKind("Scatter", _scatter)


def scatter(
    t: Tensor,
    indices: Tensor,
    values: Tensor,
    axis: int = 0,
    available_memory_proportion: Optional[float] = None,
) -> Tensor:
    """Replace elements: `values[i, j]` is the new element `[indices[i, j], j]`, for
    axis 0."""
    check(t=t, indices=indices, values=values)
    check_same_dtype("Scatter", t, values)
    axis = check_axis("Scatter", t, axis)
    if indices.shape != values.shape or indices.rank != t.rank:
        raise popart_exception(
            f"The operands {t}, {indices} and {values} of Scatter do not have fitting "
            "shapes."
        )
    return record(
        SCATTER,
        [t, indices, values],
        Spec(t.shape, t.dtype, "scatter_out"),
        axis=axis,
        kind="replace",
    )


_REDUCTIONS = {"sum": "add", "max": "max", "min": "min", "mul": "mul", "none": "replace"}
_NEUTRAL = {"sum": 0, "mul": 1, "none": 0}


def _scatter_reduce(
    e: Emitter, op: Op, data: Value, indices: Value, *initial: Value
) -> Value:
    out, axis, kind = op.outputs[0], op["axis"], op["reduction"]
    target = initial[0] if initial else e.full(_neutral(kind, out.dtype), out.shape, out.dtype)
    if indices.shape != data.shape or not op["broadcast"]:
        if indices.rank == 1 or math.prod(indices.shape) == data.shape[axis]:
            # A vector of indices has rows.
            rows = e.move_axis(data, axis, 0)
            table = e.move_axis(target, axis, 0)
            flat = e.reshape(indices, (data.shape[axis],))
            result = e.scatter(_REDUCTIONS[kind], table, flat, rows)
            return e.move_axis(result, 0, axis)
        indices = e.expand(indices, data.shape)
    linear = _linear_indices(e, indices, out.shape, axis)
    flat = e.reshape(target, (out.nelms,))
    updates = e.reshape(data, (math.prod(data.shape),))
    return e.reshape(e.scatter(_REDUCTIONS[kind], flat, linear, updates), out.shape)


def _neutral(kind: str, dtype: dtypes.dtype):
    if kind in _NEUTRAL:
        return _NEUTRAL[kind]
    if dtype.is_floating_point:
        return -np.inf if kind == "max" else np.inf
    limits = np.iinfo(dtype.as_numpy())
    return limits.min if kind == "max" else limits.max


SCATTER_REDUCE = OpKind("ScatterReduce", _scatter_reduce)


def scatter_reduce(
    data: Tensor,
    indices: Tensor,
    reduction: str = "sum",
    initial_values: Optional[Tensor] = None,
    axis: int = 0,
    axis_size: Optional[int] = None,
    enable_index_broadcast: bool = True,
    available_memory_proportion: Optional[float] = None,
) -> Tensor:
    """Combine the elements of `data` that have equal indices, and the initial values.
    """
    check(data=data, indices=indices)
    if reduction not in _REDUCTIONS:
        raise ValueError(f"{reduction!r} is not one of {', '.join(_REDUCTIONS)}.")
    axis = check_axis("ScatterReduce", data, axis)
    if initial_values is None and axis_size is None:
        raise ValueError("ScatterReduce needs 'initial_values' or 'axis_size'.")
    operands = [data, indices]
    if initial_values is not None:
        check(data=data, initial_values=initial_values)
        operands.append(initial_values)
        shape, dtype = initial_values.shape, initial_values.dtype
        check_same_dtype("ScatterReduce", data, initial_values)
    else:
        shape, dtype = list(data.shape), data.dtype
        shape[axis] = axis_size
    return record(
        SCATTER_REDUCE,
        operands,
        Spec(shape, dtype, "scatter_reduce_out"),
        axis=axis,
        reduction=reduction,
        broadcast=enable_index_broadcast,
    )


def _onehot(e: Emitter, op: Op, indices: Value, classes: Value, values: Value) -> Value:
    out, axis = op.outputs[0], op["axis"]
    shape = list(indices.shape)
    shape.insert(axis, 1)
    index = e.reshape(e.cast(indices, dtypes.int32), shape)
    index = e.select(e.binary("less", index, 0), index + out.shape[axis], index)
    hit = e.binary("equal", index, e.iota(out.shape, axis))
    off, on = (e.reshape(e.take(values, 0, i, 1), ()) for i in (0, 1))
    return e.expand(e.select(hit, on, off), out.shape)


ONEHOT = OpKind("OneHot", _onehot, cls="OnehotOp")


def onehot(t: Tensor, num_classes: Tensor, values: Tensor, axis: int = -1) -> Tensor:
    """For each index, a vector that has `values[1]` at the index and otherwise
    `values[0]`."""
    check(t=t, num_classes=num_classes, values=values)
    if not hasattr(num_classes, "_data"):
        raise popart_exception(f"The number of classes {num_classes} is not a constant.")
    axis = axis + t.rank + 1 if axis < 0 else axis
    shape = list(t.shape)
    shape.insert(axis, int(num_classes._data.reshape(())))
    spec = Spec(shape, values.dtype, "onehot_out")
    return record(ONEHOT, [t, num_classes, values], spec, axis=axis)


# Slices at dynamic positions.


def _start(e: Emitter, index: Value, axes: Sequence[int]) -> Value:
    return e.reshape(e.cast(index, dtypes.int32), (len(axes),))


def _dynamic_slice(e: Emitter, op: Op, x: Value, index: Value) -> Value:
    axes = op["axes"]
    return e.pop(
        "dynamic_slice",
        (x, _start(e, index, axes)),
        op.outputs[0].shape,
        x.dtype,
        axes=array(axes),
        sizes=array(op["sizes"]),
    )


def _dynamic_update(e: Emitter, op: Op, x: Value, index: Value, update: Value) -> Value:
    axes = op["axes"]
    return e.pop(
        "dynamic_update",
        (x, update, _start(e, index, axes)),
        x.shape,
        x.dtype,
        axes=array(axes),
    )


DYNAMIC_SLICE = OpKind("DynamicSlice", _dynamic_slice)
DYNAMIC_UPDATE = OpKind("DynamicUpdate", _dynamic_update)
DYNAMIC_UPDATE_ = OpKind("DynamicUpdateInplace", _dynamic_update, inplace=0)


def _check_region(t: Tensor, index: Tensor, axes, sizes):
    axes = [check_axis("DynamicSlice", t, a) for a in axes]
    sizes = [int(s) for s in sizes]
    if len(axes) != len(sizes) or index.nelms != len(axes):
        raise popart_exception(
            f"The axes {axes}, the sizes {sizes} and the index {index} do not fit."
        )
    for axis, size in zip(axes, sizes):
        if not 0 <= size <= t.shape[axis]:
            raise popart_exception(f"The dimension {axis} of {t} has no slice of {size}.")
    return axes, sizes


def dynamic_slice(
    t: Tensor, index: Tensor, axes: List[int], sizes: List[int], no_overlap: bool
) -> Tensor:
    """The slice of `sizes` of the dimensions `axes` at the position `index`."""
    check(t=t, index=index)
    axes, sizes = _check_region(t, index, axes, sizes)
    shape = list(t.shape)
    for axis, size in zip(axes, sizes):
        shape[axis] = size
    spec = Spec(shape, t.dtype, "dynamic_slice_out")
    return record(DYNAMIC_SLICE, [t, index], spec, axes=axes, sizes=sizes)


def _record_update(kind: OpKind, t, index, t_update, axes, sizes, name) -> Tensor:
    check(t=t, index=index, t_update=t_update)
    check_same_dtype("DynamicUpdate", t, t_update)
    axes, sizes = _check_region(t, index, axes, sizes)
    spec = Spec(t.shape, t.dtype, name)
    return record(kind, [t, index, t_update], spec, axes=axes, sizes=sizes)


def dynamic_update(
    t: Tensor,
    index: Tensor,
    t_update: Tensor,
    axes: List[int],
    sizes: List[int],
    no_overlap: bool,
) -> Tensor:
    """The tensor with another slice at the position `index`."""
    return _record_update(
        DYNAMIC_UPDATE, t, index, t_update, axes, sizes, "dynamic_update_out"
    )


def dynamic_update_(
    t: Tensor,
    index: Tensor,
    t_update: Tensor,
    axes: List[int],
    sizes: List[int],
    no_overlap: bool,
) -> Tensor:
    return _record_update(
        DYNAMIC_UPDATE_, t, index, t_update, axes, sizes, "dynamic_update__out"
    )
