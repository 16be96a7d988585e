# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Normalizations and softmax."""

import math
from typing import List

from popxl import dtypes
from popxl._emit import Emitter, Value, float_literal, i64
from popxl._record import Op, OpKind, Spec, record
from popxl.errors import popart_exception
from popxl.ops.utils import check, check_axis
from popxl.tensor import Tensor


def _batch_norm(e: Emitter, op: Op, x: Value, *statistics: Value) -> Value:
    epsilon = f"{float_literal(op['epsilon'], dtypes.float32)} : f32"
    return e.pop("batch_norm", (x, *statistics), x.shape, x.dtype, epsilon=epsilon)


BATCH_NORM = OpKind("BatchNormalization", _batch_norm, cls="BatchNormOp")


def batch_norm_inference(
    t: Tensor,
    scale: Tensor,
    bias: Tensor,
    mean: Tensor,
    var: Tensor,
    epsilon: float = 1e-5,
    momentum: float = 0.9,
) -> Tensor:
    """Normalize channels with given statistics."""
    check(t=t, scale=scale, bias=bias, mean=mean, var=var)
    if t.rank < 3:
        raise popart_exception(f"{t} has fewer than three dimensions.")
    spec = Spec(t.shape, t.dtype, "batch_norm_inference_out")
    return record(BATCH_NORM, [t, scale, bias, mean, var], spec, epsilon=epsilon)


def _group_norm(e: Emitter, op: Op, x: Value, weight: Value, bias: Value) -> List[Value]:
    """The results, the means, and the inverses of the standard deviations."""
    batch, channels, groups = x.shape[0], x.shape[1], op["num_groups"]
    wide = dtypes.float64 if x.dtype == dtypes.float64 else dtypes.float32
    grouped = e.reshape(e.cast(x, wide), (batch * groups, math.prod(x.shape[1:]) // groups))
    mean = e.reduce("mean", grouped, [1], True)
    centred = grouped - mean
    variance = e.reduce("mean", centred * centred, [1], True)
    inverse = e.unary("rsqrt", variance + op["epsilon"])
    normal = e.reshape(centred * inverse, x.shape)
    per_channel = (channels,) + (1,) * (x.rank - 2)
    weight, bias = (e.reshape(e.cast(v, wide), per_channel) for v in (weight, bias))
    flat = (batch * groups,)
    return [
        e.cast(normal * weight + bias, x.dtype),
        e.reshape(mean, flat),
        e.reshape(inverse, flat),
    ]


GROUP_NORM = OpKind("GroupNormalization", _group_norm, cls="GroupNormOp")


def group_norm(
    t: Tensor, weight: Tensor, bias: Tensor, num_groups: int, eps: float = 1e-5
) -> Tensor:
    """Normalize groups of channels of each sample; channels are dimension 1."""
    check(t=t, weight=weight, bias=bias)
    if t.rank < 2 or num_groups < 1 or t.shape[1] % num_groups:
        raise popart_exception(f"The channels of {t} have no {num_groups} groups.")
    if {weight.shape, bias.shape} != {t.shape[1:2]}:
        raise popart_exception(f"{weight} or {bias} do not have the channels of {t}.")
    statistics = (t.shape[0] * num_groups,)
    result, _, _ = record(
        GROUP_NORM,
        [t, weight, bias],
        Spec(t.shape, t.dtype, "group_norm_out"),
        Spec(statistics, dtypes.float32, "group_norm_mean"),
        Spec(statistics, dtypes.float32, "group_norm_inv_std_dev"),
        num_groups=num_groups,
        epsilon=eps,
    )
    return result


def layer_norm(t: Tensor, weight: Tensor, bias: Tensor, eps: float = 1e-5) -> Tensor:
    """Normalize each sample."""
    return group_norm(t, weight, bias, 1, eps)


SOFTMAX = OpKind(
    "Softmax", lambda e, op, x: e.unary("softmax", x, axis=i64(op["axis"]))
)


def softmax(t: Tensor, axis: int) -> Tensor:
    """Powers of e, divided by their sum along an axis."""
    check(t=t)
    axis = check_axis("Softmax", t, axis)
    return record(SOFTMAX, [t], Spec(t.shape, t.dtype, "softmax_out"), axis=axis)
