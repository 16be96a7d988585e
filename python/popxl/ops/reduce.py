# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reductions, extremes and sorts."""

import math
from typing import Callable, List, Optional, Sequence, Tuple, Union

import numpy as np

from popxl import dtypes
from popxl._emit import Emitter, Value, array, enum, i64
from popxl._record import Op, OpKind, Spec, record
from popxl.errors import popart_exception
from popxl.ops.utils import axes_of, check, check_axis
from popxl.tensor import Tensor, constant

Axis = Optional[Union[int, Sequence[int]]]
Formula = Callable[[Emitter, Value, List[int], bool], Value]


def _reduction(type: str, formula: Formula) -> OpKind:
    def emit(e: Emitter, op: Op, x: Value) -> Value:
        return formula(e, x, op["axes"], op["keepdims"])

    return OpKind(type, emit)


def _builtin(kind: str) -> Formula:
    return lambda e, x, axes, keep: e.reduce(kind, x, axes, keep)


def _mean(e: Emitter, x: Value, axes, keep) -> Value:
    if x.dtype.is_floating_point:
        return e.reduce("mean", x, axes, keep)
    return e.reduce("sum", x, axes, keep) / math.prod(x.shape[a] for a in axes)


def _logsumexp(e: Emitter, x: Value, axes, keep) -> Value:
    """The greatest element is subtracted, so that no power overflows."""
    top = e.reduce("max", x, axes, True)
    top = e.select(e.unary("is_inf", top), 0, top)
    top = e.unary("stop_gradient", top)
    total = e.reduce("sum", e.unary("exp", x - top), axes, True)
    result = e.unary("log", total) + top
    shape = [d for i, d in enumerate(x.shape) if i not in axes]
    return result if keep else e.reshape(result, shape)


SUM = _reduction("ReduceSum", _builtin("sum"))
MEAN = _reduction("ReduceMean", _mean)
MAX = _reduction("ReduceMax", _builtin("max"))
MIN = _reduction("ReduceMin", _builtin("min"))
PROD = _reduction("ReduceProd", _builtin("prod"))
L1 = _reduction("ReduceL1", lambda e, x, a, k: e.reduce("sum", e.unary("abs", x), a, k))
L2 = _reduction(
    "ReduceL2", lambda e, x, a, k: e.unary("sqrt", e.reduce("sum", x * x, a, k))
)
SUM_SQUARE = _reduction("ReduceSumSquare", lambda e, x, a, k: e.reduce("sum", x * x, a, k))
LOG_SUM = _reduction(
    "ReduceLogSum", lambda e, x, a, k: e.unary("log", e.reduce("sum", x, a, k))
)
LOG_SUM_EXP = _reduction("ReduceLogSumExp", _logsumexp)


def _reduced_shape(t: Tensor, axes: Sequence[int], keepdims: bool) -> List[int]:
    if keepdims:
        return [1 if i in axes else d for i, d in enumerate(t.shape)]
    return [d for i, d in enumerate(t.shape) if i not in axes]


def _record(kind: OpKind, t: Tensor, axis: Axis, keepdims: bool, name: str) -> Tensor:
    check(t=t)
    axes = axes_of(kind.type, t, axis)
    spec = Spec(_reduced_shape(t, axes, keepdims), t.dtype, name)
    return record(kind, [t], spec, axes=axes, keepdims=keepdims)


def sum(t: Tensor, axis: Axis = None, keepdims: bool = False) -> Tensor:
    return _record(SUM, t, axis, keepdims, "sum_out")


def mean(t: Tensor, axis: Axis = None, keepdims: bool = False) -> Tensor:
    return _record(MEAN, t, axis, keepdims, "mean_out")


def max(t: Tensor, axis: Axis = None, keepdims: bool = False) -> Tensor:
    return _record(MAX, t, axis, keepdims, "max_out")


def min(t: Tensor, axis: Axis = None, keepdims: bool = False) -> Tensor:
    return _record(MIN, t, axis, keepdims, "min_out")


def prod(t: Tensor, axis: Axis = None, keepdims: bool = False) -> Tensor:
    return _record(PROD, t, axis, keepdims, "prod_out")


def l1(t: Tensor, axis: Axis = None, keepdims: bool = False) -> Tensor:
    """The sum of magnitudes."""
    return _record(L1, t, axis, keepdims, "l1_out")


def l2(t: Tensor, axis: Axis = None, keepdims: bool = False) -> Tensor:
    """The root of the sum of squares."""
    return _record(L2, t, axis, keepdims, "l2_out")


def sumsquare(t: Tensor, axis: Axis = None, keepdims: bool = False) -> Tensor:
    return _record(SUM_SQUARE, t, axis, keepdims, "sumsquare_out")


def logsum(t: Tensor, axis: Axis = None, keepdims: bool = False) -> Tensor:
    return _record(LOG_SUM, t, axis, keepdims, "logsum_out")


def logsumexp(t: Tensor, axis: Axis = None, keepdims: bool = False) -> Tensor:
    return _record(LOG_SUM_EXP, t, axis, keepdims, "logsumexp_out")



def _lamb_square(e: Emitter, op: Op, x: Value) -> Value:
    x = e.cast(x, dtypes.float32)
    return e.reduce("sum", x * x, range(x.rank))


LAMB_SQUARE = OpKind("LambSquare", _lamb_square)


def lamb_square(t: Tensor) -> Tensor:
    """The sum of squares in float32."""
    check(t=t)
    return record(LAMB_SQUARE, [t], Spec((), dtypes.float32, "lamb_square_out"))


# Sorts.


def sort_along(
    e: Emitter, x: Value, axis: int, descending: bool
) -> Tuple[Value, Value]:
    """Sorted values, and their positions. Equal values keep their order."""
    indices = e.expand(e.iota(x.shape, axis), x.shape)
    order = "descending" if descending else "ascending"
    return e.op(
        "pop.sort",
        (x, indices),
        [(x.shape, x.dtype), (x.shape, dtypes.int32)],
        {"orders": f"[{enum('sort_order', order)}]", "axis": i64(axis)},
    )


def _extreme(kind: str):
    def emit(e: Emitter, op: Op, x: Value) -> Value:
        axis = op["axis"]
        # Of equal values, the first wins.
        indices = e.expand(e.iota(x.shape, axis), x.shape)
        shape = [d for i, d in enumerate(x.shape) if i != axis]
        _, index = e.op(
            "pop.arg_reduce",
            (x, indices),
            [(shape, x.dtype), (shape, dtypes.int32)],
            {"kind": enum("reduce_kind", kind), "axes": array([axis])},
        )
        return e.reshape(index, op.outputs[0].shape)

    return emit


ARG_MAX = OpKind("ArgMax", _extreme("max"))
ARG_MIN = OpKind("ArgMin", _extreme("min"))


def _record_extreme(kind: OpKind, t: Tensor, dim: int, keepdim: bool, name) -> Tensor:
    check(t=t)
    axis = check_axis(kind.type, t, dim)
    spec = Spec(_reduced_shape(t, [axis], keepdim), dtypes.int32, name)
    return record(kind, [t], spec, axis=axis)


def argmax(t: Tensor, dim: int = 0, keepdim: bool = False) -> Tensor:
    """The position of the first greatest element of a dimension."""
    return _record_extreme(ARG_MAX, t, dim, keepdim, "argmax_out")


def argmin(t: Tensor, dim: int = 0, keepdim: bool = False) -> Tensor:
    """The position of the first least element of a dimension."""
    return _record_extreme(ARG_MIN, t, dim, keepdim, "argmin_out")


def _median(e: Emitter, op: Op, x: Value) -> Tuple[Value, Value]:
    axes = op["axes"]
    kept = [i for i in range(x.rank) if i not in axes]
    moved = e.transpose(x, [*kept, *axes])
    outer = [x.shape[i] for i in kept]
    size = math.prod(x.shape[i] for i in axes)
    values, indices = sort_along(e, e.reshape(moved, (*outer, size)), len(outer), False)

    def middle(v: Value) -> Value:
        v = e.take(v, len(outer), (size - 1) // 2, 1)
        return e.reshape(v, op.outputs[0].shape)

    return middle(values), middle(indices)


MEDIAN = OpKind("ReduceMedian", _median)


def median(t: Tensor, axis: Axis = None, keepdims: bool = False) -> Tensor:
    """The element in the middle, or, of two such elements, the lower one."""
    check(t=t)
    axes = axes_of("ReduceMedian", t, axis)
    shape = _reduced_shape(t, axes, keepdims)
    values, _ = record(
        MEDIAN,
        [t],
        Spec(shape, t.dtype, "median_out"),
        Spec(shape, dtypes.int32, "median_indices"),
        axes=axes,
    )
    return values


def _topk(e: Emitter, op: Op, x: Value) -> List[Value]:
    axis = op["axis"]
    values, indices = sort_along(e, x, axis, op["largest"])
    k = op.outputs[0].shape[axis]
    return [e.take(v, axis, 0, k) for v in (values, indices)]


TOPK = OpKind("TopK", _topk)


def topk(
    t: Tensor,
    k: int,
    axis: int,
    largest: bool,
    sorted: bool,
    available_memory_proportion: Optional[float] = None,
) -> Tuple[Tensor, Tensor]:
    """The k greatest, or least, elements of a dimension, and their positions."""
    check(t=t)
    axis = check_axis("TopK", t, axis)
    if not 0 <= k <= t.shape[axis]:
        raise popart_exception(f"The dimension {axis} of {t} has no {k} elements.")
    shape = list(t.shape)
    shape[axis] = k
    return record(
        TOPK,
        [t],
        Spec(shape, t.dtype, "topk_values"),
        Spec(shape, dtypes.int32, "topk_indices"),
        axis=axis,
        largest=largest,
    )


# Other sums.


def _cumsum(e: Emitter, op: Op, x: Value, axis: Value) -> Value:
    """A product with a triangle of ones."""
    dim = op["axis"]
    n = x.shape[dim]
    moved = e.move_axis(x, dim, x.rank - 1)
    rows = e.reshape(moved, (math.prod(moved.shape[:-1]), n))
    triangle = e.constant(np.triu(np.ones((n, n))), x.dtype)
    total = e.reshape(e.matmul(rows, triangle), moved.shape)
    return e.move_axis(total, x.rank - 1, dim)


CUMSUM = OpKind("CumSum", _cumsum)


def cumsum(t: Tensor, dim: int = 0) -> Tensor:
    """The sums of all elements up to each position of a dimension."""
    check(t=t)
    axis = check_axis("CumSum", t, dim)
    position = constant(axis, dtypes.int32, name="axis")
    return record(CUMSUM, [t, position], Spec(t.shape, t.dtype, "cumsum_out"), axis=axis)


def _histogram(e: Emitter, op: Op, x: Value) -> Value:
    x = e.reshape(x, (1, math.prod(x.shape)))
    if op["absolute"]:
        x = e.unary("abs", x)
    levels = np.asarray(op["levels"], x.dtype.as_numpy()).reshape(-1, 1)
    n = levels.size
    # The number of elements that are at least as great as each level.
    reached = e.binary("greater_equal", x, e.constant(levels, x.dtype))
    counts = e.reduce("sum", e.cast(reached, dtypes.uint32), [1])
    total = e.full(x.shape[1], (1,), dtypes.uint32)
    zero = e.full(0, (1,), dtypes.uint32)
    return e.concat([total, counts], 0) - e.concat([counts, zero], 0)


HISTOGRAM = OpKind("Histogram", _histogram)


def histogram(t: Tensor, levels: Sequence[float], absolute_of_input: bool) -> Tensor:
    """The numbers of elements below the first level, between the levels, and from the
    last level."""
    check(t=t)
    levels = [float(v) for v in levels]
    if any(a > b for a, b in zip(levels, levels[1:])):
        raise ValueError(f"The levels {levels} do not ascend.")
    spec = Spec((len(levels) + 1,), dtypes.uint32, "histogram_out")
    return record(HISTOGRAM, [t], spec, levels=levels, absolute=absolute_of_input)
