# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Losses."""

import math
from typing import List, Optional, Tuple, Union

from popxl import dtypes
from popxl._emit import Emitter, Value, enum, i64
from popxl._record import Op, OpKind, Spec, record
from popxl.errors import popart_exception
from popxl.ops.utils import check
from popxl.tensor import Tensor, constant

_REDUCTIONS = ("mean", "sum", "none")


def _rows(e: Emitter, x: Value, labels: Value) -> Tuple[Value, Value]:
    """Probabilities [positions, classes] and labels [positions]."""
    n = math.prod(x.shape[:-1])
    labels = e.cast(labels, dtypes.int32) if not labels.dtype.is_int else labels
    return e.reshape(x, (n, x.shape[-1])), e.reshape(labels, (n,))


def _counted(e: Emitter, op: Op, labels: Value) -> Optional[Value]:
    """The number of positions that count, as a float, but at least 1."""
    ignored = op["ignore_index"]
    if ignored is None:
        return None
    counts = e.cast(e.binary("not_equal", labels, ignored), dtypes.float32)
    return e.binary("max", e.reduce("sum", counts, [0]), 1.0)


def _nll(e: Emitter, op: Op, x: Value, labels: Value) -> Value:
    rows, flat = _rows(e, x, labels)
    reduction = op["reduction"]
    attributes = {}
    if not op["log_prob"]:
        attributes["of_probabilities"] = "unit"
    if op["ignore_index"] is not None:
        attributes["ignore_index"] = i64(op["ignore_index"])
    counted = _counted(e, op, flat) if reduction == "mean" else None
    # The mean of no positions is 0, so that it is a sum here.
    kind = "sum" if counted is not None else reduction
    loss = e.pop(
        "nll_loss",
        (rows, flat),
        flat.shape if reduction == "none" else (),
        x.dtype,
        reduction=enum("loss_reduction", kind),
        **attributes,
    )
    if counted is not None:
        loss = e.cast(e.cast(loss, dtypes.float32) / counted, x.dtype)
    return e.reshape(loss, op.outputs[0].shape)


NLL = OpKind("Nll", _nll)


def _check_loss(probs: Tensor, labels: Tensor, reduction: str) -> None:
    check(probs=probs, labels=labels)
    if reduction not in _REDUCTIONS:
        raise ValueError(f"{reduction!r} is not one of {', '.join(_REDUCTIONS)}.")
    if not probs.rank or labels.shape != probs.shape[:-1]:
        raise popart_exception(
            f"The labels {labels} do not have the shape of {probs} without classes."
        )


def nll_loss(
    probs: Tensor,
    labels: Tensor,
    ignore_index: Optional[int] = None,
    reduction: str = "mean",
    log_prob: bool = False,
) -> Tensor:
    """The negative logarithms of the probabilities of labels; classes are the last
    dimension. With `log_prob`, `probs` are logarithms of probabilities."""
    _check_loss(probs, labels, reduction)
    shape = labels.shape if reduction == "none" else ()
    return record(
        NLL,
        [probs, labels],
        Spec(shape, probs.dtype, "nll_loss_out"),
        ignore_index=ignore_index,
        reduction=reduction,
        log_prob=log_prob,
    )


def _nll_with_grad(
    e: Emitter, op: Op, x: Value, labels: Value, loss_grad: Value
) -> List[Value]:
    loss = _nll(e, op, x, labels)
    rows, flat = _rows(e, x, labels)
    n, classes = rows.shape
    column = e.reshape(e.cast(flat, dtypes.int32), (n, 1))
    hit = e.binary("equal", column, e.iota((n, classes), 1))
    wide = e.cast(rows, dtypes.float32)
    gradient = wide - e.cast(hit, dtypes.float32)
    if op["ignore_index"] is not None:
        counts = e.binary("not_equal", column, op["ignore_index"])
        gradient = e.select(counts, gradient, 0.0)
    factor = e.cast(loss_grad, dtypes.float32)
    if op["reduction"] == "mean":
        counted = _counted(e, op, flat)
        factor = factor / (float(n) if counted is None else counted)
    if factor.shape:
        factor = e.reshape(factor, (math.prod(factor.shape), 1))
    gradient = e.cast(gradient * factor, x.dtype)
    return [loss, e.reshape(gradient, x.shape)]


NLL_WITH_GRAD = OpKind("NlllWithSoftmaxGradDirect", _nll_with_grad)


def nll_loss_with_softmax_grad(
    probs: Tensor,
    labels: Tensor,
    loss_grad: Union[float, Tensor] = 1,
    ignore_index: Optional[int] = None,
    reduction: str = "mean",
) -> Tuple[Tensor, Tensor]:
    """The loss, and its gradient with respect to the operand of the softmax that
    computed `probs`."""
    _check_loss(probs, labels, reduction)
    if not isinstance(loss_grad, Tensor):
        loss_grad = constant(loss_grad, dtypes.float32, name="loss_grad")
    check(probs=probs, loss_grad=loss_grad)
    shape = labels.shape if reduction == "none" else ()
    return record(
        NLL_WITH_GRAD,
        [probs, labels, loss_grad],
        Spec(shape, probs.dtype, "loss"),
        Spec(probs.shape, probs.dtype, "dx"),
        ignore_index=ignore_index,
        reduction=reduction,
        log_prob=False,
    )
