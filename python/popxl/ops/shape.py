# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Ops that change the shape of a tensor, and views."""

import builtins
import math
from typing import Iterable, List, Optional, Sequence, Tuple, Union

import numpy as np

from popxl import dtypes
from popxl._emit import Emitter, Value, array
from popxl._record import Op, OpKind, Spec, View, record
from popxl.errors import popart_exception
from popxl.ops.utils import check, check_all, check_axis, handle_negative_axis
from popxl.tensor import Tensor

IntOrList = Optional[Union[int, List[Optional[int]]]]


def _view(kind: OpKind, view: View) -> OpKind:
    return OpKind(f"{kind.type}Inplace", kind.emit, view=view)


# Reshape.


def _reshape(e: Emitter, op: Op, x: Value) -> Value:
    return e.reshape(x, op.outputs[0].shape)


RESHAPE = OpKind("Reshape", _reshape)
RESHAPE_ = _view(
    RESHAPE,
    View(
        "ref_reshape",
        lambda op: {},
        lambda e, op, whole, part: e.reshape(part, whole.shape),
        keeps_order=True,
    ),
)


def _reshaped(t: Tensor, shape: Sequence[int]) -> Tuple[int, ...]:
    """Check a shape and replace -1."""
    shape = tuple(int(d) for d in shape)
    known = math.prod(d for d in shape if d != -1)
    if any(d == 0 or d < -1 for d in shape) and t.nelms:
        raise ValueError(f"The shape {shape} has a size that is not positive.")
    if shape.count(-1) > 1:
        raise ValueError(f"The shape {shape} has more than one size of -1.")
    if -1 in shape and known and t.nelms % known == 0:
        shape = tuple(t.nelms // known if d == -1 else d for d in shape)
    if math.prod(shape) != t.nelms:
        raise ValueError(f"Cannot reshape {t} to {shape}.")
    return shape


def reshape(t: Tensor, shape: Iterable[int]) -> Tensor:
    check(t=t)
    return record(RESHAPE, [t], Spec(_reshaped(t, shape), t.dtype, f"{t.name}_reshaped"))


def reshape_(t: Tensor, shape: Iterable[int]) -> Tensor:
    """A view of the tensor in another shape."""
    check(t=t)
    return record(RESHAPE_, [t], Spec(_reshaped(t, shape), t.dtype, f"{t.name}_reshaped"))


def flatten(t: Tensor) -> Tensor:
    return reshape(t, (t.nelms,))


def flatten_(t: Tensor) -> Tensor:
    return reshape_(t, (t.nelms,))


def squeeze(t: Tensor, axes: Optional[Iterable[int]] = None) -> Tensor:
    """Drop dimensions of size 1: all, or those of `axes`."""
    check(t=t)
    if axes is None:
        axes = [i for i, d in enumerate(t.shape) if d == 1]
    else:
        axes = [handle_negative_axis(t, a) for a in axes]
        if len(set(axes)) != len(axes):
            raise ValueError(f"The axes {axes} repeat a dimension.")
        for axis in axes:
            if not 0 <= axis < t.rank or t.shape[axis] != 1:
                raise ValueError(f"The dimension {axis} of {t} does not have size 1.")
    return reshape(t, [d for i, d in enumerate(t.shape) if i not in axes])


# Transpose.


def _transpose(e: Emitter, op: Op, x: Value) -> Value:
    return e.transpose(x, op["permutation"])


TRANSPOSE = OpKind("Transpose", _transpose)
TRANSPOSE_ = _view(
    TRANSPOSE,
    View(
        "ref_transpose",
        lambda op: {"permutation": array(op["permutation"])},
        lambda e, op, whole, part: e.transpose(
            part, [op["permutation"].index(i) for i in range(whole.rank)]
        ),
    ),
)


def _record_transpose(kind: OpKind, t: Tensor, permutation) -> Tensor:
    check(t=t)
    if permutation is None:
        permutation = reversed(range(t.rank))
    permutation = tuple(handle_negative_axis(t, int(p)) for p in permutation)
    if any(p >= t.rank for p in permutation):
        raise ValueError(f"{permutation} has a dimension that {t} does not have.")
    if sorted(permutation) != list(range(t.rank)):
        raise popart_exception(f"{permutation} does not permute the dimensions of {t}.")
    shape = [t.shape[p] for p in permutation]
    return record(
        kind, [t], Spec(shape, t.dtype, f"{t.name}_T"), permutation=permutation
    )


def transpose(t: Tensor, permutation: Optional[Iterable[int]] = None) -> Tensor:
    return _record_transpose(TRANSPOSE, t, permutation)


def transpose_(t: Tensor, permutation: Optional[Iterable[int]] = None) -> Tensor:
    """A view of the tensor with permuted dimensions."""
    return _record_transpose(TRANSPOSE_, t, permutation)


# Slices.


def _slice_arrays(op: Op) -> Tuple[List[int], List[int], List[int]]:
    """The starts, sizes and steps of all dimensions."""
    t = op.inputs[0]
    starts, sizes, steps = [0] * t.rank, list(t.shape), [1] * t.rank
    for axis, (start, size, step) in op["slices"].items():
        starts[axis], sizes[axis], steps[axis] = start, size, step
    return starts, sizes, steps


def _slice(e: Emitter, op: Op, x: Value) -> Value:
    return e.slice(x, *_slice_arrays(op))


def _slice_attributes(op: Op):
    return dict(zip(("starts", "sizes", "steps"), map(array, _slice_arrays(op))))


SLICE = OpKind("Slice", _slice)


def _insert_slice(e: Emitter, op: Op, whole: Value, part: Value) -> Value:
    starts, sizes, steps = _slice_arrays(op)
    if 0 in sizes:
        return whole
    first = [d - 1 if s < 0 else 0 for d, s in zip(sizes, steps)]
    part = e.slice(part, first, sizes, steps)
    low = [a - d + 1 if s < 0 else a for a, d, s in zip(starts, sizes, steps)]
    start = e.constant(low, dtypes.int32)
    axes = array(range(whole.rank))
    operands = (whole, part, start)
    return e.pop("dynamic_update", operands, whole.shape, whole.dtype, axes=axes)


SLICE_ = _view(SLICE, View("ref_slice", _slice_attributes, _insert_slice))


def _as_list(value: IntOrList, size: int) -> List[Optional[int]]:
    if value is None:
        return [None] * size
    return list(value) if isinstance(value, (list, tuple)) else [value]


def _record_slice(kind: OpKind, t: Tensor, start, stop, step, axis, name) -> Tensor:
    check(t=t)
    given = [v for v in (start, stop, step, axis) if v is not None]
    if start is None and stop is None and step is None:
        return t
    size = max(len(_as_list(v, 1)) for v in given)
    starts, stops, steps, axes = (_as_list(v, size) for v in (start, stop, step, axis))
    if axis is None:
        axes = list(range(size))
    if len({len(starts), len(stops), len(steps), len(axes)}) > 1:
        raise ValueError(
            "The lists 'start', 'stop', 'step' and 'axis' have different lengths: "
            f"{start}, {stop}, {step}, {axis}."
        )
    slices = {}
    shape = list(t.shape)
    for start, stop, step, axis in zip(starts, stops, steps, axes):
        axis = check_axis("Slice", t, axis)
        step = 1 if step is None else int(step)
        if step not in (1, -1):
            raise popart_exception(f"The step of a slice is 1 or -1, not {step}.")
        first, last, step = builtins.slice(start, stop, step).indices(t.shape[axis])
        count = len(range(first, last, step))
        slices[axis] = (first if count else 0, count, step)
        shape[axis] = count
    if all(s is None for s in starts + stops) and all(s in (None, 1) for s in steps):
        return t
    return record(kind, [t], Spec(shape, t.dtype, name), slices=slices)


def slice(
    t: Tensor,
    start: IntOrList = None,
    stop: IntOrList = None,
    step: IntOrList = None,
    axis: IntOrList = None,
) -> Tensor:
    """The positions `start:stop:step` of the dimensions `axis`; steps are 1 or -1."""
    return _record_slice(SLICE, t, start, stop, step, axis, "slice_out")


def slice_(
    t: Tensor,
    start: IntOrList = None,
    stop: IntOrList = None,
    step: IntOrList = None,
    axis: IntOrList = None,
) -> Tensor:
    """A view of a slice."""
    return _record_slice(SLICE_, t, start, stop, step, axis, "slice_inplace_out")


def _subsample(e: Emitter, op: Op, x: Value) -> Value:
    return e.slice(x, [0] * x.rank, op.outputs[0].shape, op["strides"])


SUBSAMPLE = OpKind("Subsample", _subsample)


def subsample(t: Tensor, strides: Union[int, Sequence[int]]) -> Tensor:
    """Each `strides`-th position of the first dimensions, from position 0."""
    check(t=t)
    if isinstance(strides, (int, np.integer)):
        strides = [strides]
    strides = [int(s) for s in strides]
    if len(strides) > t.rank:
        raise ValueError(f"{t} has fewer dimensions than strides: {strides}.")
    strides += [1] * (t.rank - len(strides))
    if any(s <= 0 for s in strides):
        raise popart_exception(f"The strides {strides} of Subsample are not positive.")
    shape = [-(-d // s) for d, s in zip(t.shape, strides)]
    return record(SUBSAMPLE, [t], Spec(shape, t.dtype, "subsample_out"), strides=strides)


def _split(e: Emitter, op: Op, x: Value) -> List[Value]:
    result, start = [], 0
    for t in op.outputs:
        size = t.shape[op["axis"]]
        result.append(e.take(x, op["axis"], start, size))
        start += size
    return result


SPLIT = OpKind("Split", _split)


def split(t: Tensor, splits: Union[int, List[int]], axis: int = 0) -> List[Tensor]:
    """Parts of a dimension: a number of equal parts, or parts of given sizes."""
    check(t=t)
    axis = check_axis("Split", t, axis)
    size = t.shape[axis]
    if isinstance(splits, (int, np.integer)):
        if splits <= 0 or size % splits:
            raise ValueError(f"The size {size} of {t} has no {splits} equal parts.")
        splits = [size // splits] * splits
    if sum(splits) != size:
        raise popart_exception(f"The parts {splits} do not add up to the size {size}.")
    specs = []
    for i, part in enumerate(splits):
        shape = list(t.shape)
        shape[axis] = part
        specs.append(Spec(shape, t.dtype, f"{t.name}_split_{i}"))
    result = record(SPLIT, [t], *specs, axis=axis)
    return [result] if isinstance(result, Tensor) else list(result)


# Concatenation.


def _concat(e: Emitter, op: Op, *values: Value) -> Value:
    return e.concat(values, op["axis"])


CONCAT = OpKind("Concat", _concat)
CONCAT_ = OpKind("ConcatInplace", _concat, view=View("concat", lambda op: {}))


def _record_concat(kind: OpKind, ts, axis: int, name: str) -> Tensor:
    ts = check_all(ts)
    if not ts:
        raise ValueError("A concatenation needs an operand.")
    first = ts[0]
    if any(t.dtype != first.dtype for t in ts):
        raise TypeError(
            "All inputs to a concat operation must have the same type: "
            f"{', '.join(repr(t.dtype) for t in ts)}."
        )
    axis = check_axis("Concat", first, axis)
    for t in ts:
        if t.rank != first.rank or any(
            i != axis and a != b for i, (a, b) in enumerate(zip(t.shape, first.shape))
        ):
            raise popart_exception(f"Cannot concatenate {first} and {t} along {axis}.")
    shape = list(first.shape)
    shape[axis] = sum(t.shape[axis] for t in ts)
    return record(kind, ts, Spec(shape, first.dtype, name), axis=axis)


def concat(ts: Iterable[Tensor], axis: int = 0) -> Tensor:
    return _record_concat(CONCAT, ts, axis, "concat_out")


def concat_(ts: Iterable[Tensor], axis: int = 0) -> Tensor:
    """A view of several tensors."""
    return _record_concat(CONCAT_, ts, axis, "concat_inplace_out")


# A view that stops gradients.

DETACH_ = OpKind(
    "DetachInplace",
    lambda e, op, x: e.unary("stop_gradient", x),
    view=View("", lambda op: {}),
)


def detach_(t: Tensor) -> Tensor:
    check(t=t)
    return record(DETACH_, [t], Spec(t.shape, t.dtype, "detach_inplace_out"))


# New tensors.

INIT = OpKind(
    "Init", lambda e, op: e.full(0, op.outputs[0].shape, op.outputs[0].dtype)
)


def init(
    shape: Iterable[int],
    dtype: dtypes.dtype,
    name: Optional[str] = None,
    init_type: str = "zero",
    meta_shape: Optional[Iterable[int]] = None,
) -> Tensor:
    """A tensor of zeros, or, with "undef", of anything."""
    if init_type not in ("zero", "undef"):
        raise ValueError(f"The init type is 'zero' or 'undef', but not {init_type!r}.")
    shape = [shape] if isinstance(shape, (int, np.integer)) else shape
    return record(INIT, [], Spec(tuple(shape), dtype, name or "t", meta_shape or ()))
