# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Accumulators."""

from typing import Callable, Optional, Union

from popxl import dtypes
from popxl._emit import Emitter, Value
from popxl._record import Op, OpKind, Spec, record
from popxl.errors import popart_exception
from popxl.ops.utils import check, check_axis
from popxl.tensor import Tensor

Factor = Optional[Union[float, Tensor]]


def wide(dtype: dtypes.dtype) -> dtypes.dtype:
    """The type in which updates are computed, to round only once."""
    narrow = dtype.is_floating_point and dtype != dtypes.float64
    return dtypes.float32 if narrow else dtype


def _update(formula: Callable) -> Callable:
    def emit(e: Emitter, op: Op, r: Value, x: Value, *factor: Value) -> Value:
        to = wide(r.dtype)
        f = e.cast(factor[0], to) if factor else op["factor"]
        return e.cast(formula(e, e.cast(r, to), e.cast(x, to), f), r.dtype)

    return emit


def _scaled(x: Value, f) -> Value:
    return x if f is None or (not isinstance(f, Value) and f == 1) else x * f


def _mean(e: Emitter, r: Value, x: Value, step) -> Value:
    step = e.scalar(step, r.dtype)
    return r * (step / (step + 1)) + x * (1 / (step + 1))


def _moving_average(e: Emitter, r: Value, x: Value, f) -> Value:
    return r * f + x * (1 - f)


def _kind(formula: Callable, cls: str = "AccumulateOp") -> OpKind:
    return OpKind("Accumulate", _update(formula), cls=cls, inplace=0)


ACCUMULATE = _kind(lambda e, r, x, f: r + _scaled(x, f))
ACCUMULATE_SQUARE = _kind(lambda e, r, x, f: r + _scaled(x * x, f))
ACCUMULATE_MEAN = _kind(_mean)
MOVING_AVERAGE = _kind(_moving_average)
MOVING_AVERAGE_SQUARE = _kind(lambda e, r, x, f: _moving_average(e, r, x * x, f))


def _record(kind: OpKind, t: Tensor, X: Tensor, f: Factor) -> Tensor:
    tensors = {"t": t, "X": X}
    if isinstance(f, Tensor):
        tensors["f"] = f
    check(**tensors)
    if t.shape != X.shape:
        raise popart_exception(f"{X} does not have the shape of the accumulator {t}.")
    return record(
        kind,
        list(tensors.values()),
        Spec(t.shape, t.dtype, f"accumulate__{t.name}", t.meta_shape),
        factor=None if isinstance(f, Tensor) else f,
    )


def accumulate_(t: Tensor, X: Tensor, f: Factor = None) -> Tensor:
    """`t += f * X`."""
    return _record(ACCUMULATE, t, X, f)


def accumulate_square_(t: Tensor, X: Tensor, f: Union[float, Tensor] = 1.0) -> Tensor:
    """`t += f * X**2`."""
    return _record(ACCUMULATE_SQUARE, t, X, f)


def accumulate_mean_(t: Tensor, X: Tensor, step: Union[float, Tensor]) -> Tensor:
    """`t = step / (step + 1) * t + 1 / (step + 1) * X`."""
    return _record(ACCUMULATE_MEAN, t, X, step)


def accumulate_moving_average_(
    t: Tensor, X: Tensor, f: Union[float, Tensor]
) -> Tensor:
    """`t = f * t + (1 - f) * X`."""
    return _record(MOVING_AVERAGE, t, X, f)


def accumulate_moving_average_square_(
    t: Tensor, X: Tensor, f: Union[float, Tensor]
) -> Tensor:
    """`t = f * t + (1 - f) * X**2`."""
    return _record(MOVING_AVERAGE_SQUARE, t, X, f)


def _scale(e: Emitter, op: Op, r: Value, *factor: Value) -> Value:
    to = wide(r.dtype)
    f = e.cast(factor[0], to) if factor else op["factor"]
    return e.cast(e.cast(r, to) * f, r.dtype)


ACCUMULATOR_SCALE = OpKind("AccumulatorScale", _scale, inplace=0)
ACCUMULATOR_ZERO = OpKind(
    "AccumulatorZero",
    lambda e, op, r: e.full(0, r.shape, r.dtype),
    cls="AccumulatorScaleOp",
    inplace=0,
)


def accumulator_scale_(t: Tensor, f: Union[float, Tensor]) -> Tensor:
    """`t *= f`."""
    tensors = {"t": t, "f": f} if isinstance(f, Tensor) else {"t": t}
    check(**tensors)
    return record(
        ACCUMULATOR_SCALE,
        list(tensors.values()),
        Spec(t.shape, t.dtype, f"updated__{t.name}", t.meta_shape),
        factor=None if isinstance(f, Tensor) else f,
    )


def accumulator_zero_(t: Tensor) -> Tensor:
    """`t = 0`."""
    check(t=t)
    spec = Spec(t.shape, t.dtype, f"updated__{t.name}", t.meta_shape)
    return record(ACCUMULATOR_ZERO, [t], spec)


def _sparse(e: Emitter, op: Op, r: Value, x: Value, indices: Value, *factor: Value):
    to, axis = wide(r.dtype), op["axis"]
    x = e.cast(x, to)
    f = e.cast(factor[0], to) if factor else op["factor"]
    rows = e.move_axis(_scaled(x, f), axis, 0)
    table = e.move_axis(e.cast(r, to), axis, 0)
    flat = e.reshape(indices, (rows.shape[0],))
    return e.cast(e.move_axis(e.scatter("add", table, flat, rows), 0, axis), r.dtype)


SPARSE_ACCUMULATE = OpKind("SparseAccumulate", _sparse, inplace=0)


def sparse_accumulate_(
    t: Tensor,
    X: Tensor,
    indices: Tensor,
    axis: int = 0,
    f: Factor = None,
    W: Optional[Tensor] = None,
) -> Tensor:
    """Add the rows `f * X` to the rows `indices` of `t`."""
    tensors = {"t": t, "X": X, "indices": indices}
    if isinstance(f, Tensor):
        tensors["f"] = f
    check(**tensors)
    axis = check_axis("SparseAccumulate", t, axis)
    return record(
        SPARSE_ACCUMULATE,
        list(tensors.values()),
        Spec(t.shape, t.dtype, f"updated__{t.name}", t.meta_shape),
        axis=axis,
        factor=None if isinstance(f, Tensor) else f,
    )
