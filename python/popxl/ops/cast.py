# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Conversions of element types."""

from typing import Union

import numpy as np

from popxl import dtypes
from popxl._emit import Emitter, Value
from popxl._record import Op, OpKind, Spec, record
from popxl.ops.utils import check
from popxl.tensor import Tensor, constant


def _cast(e: Emitter, op: Op, x: Value) -> Value:
    dtype = op.outputs[0].dtype
    return e.truth(x) if dtype == dtypes.bool else e.cast(x, dtype)


def power_of_two(e: Emitter, op: Op, scale: Value) -> Value:
    """2 to the power of the tensor `scale`, in f32. A run fails if the power is not one
    of fp8's scales, unless the program does not want to."""
    if op.graph.ir._options.throwIfLog2ScaleTensorNotInRange:
        limited = e.binary("max", e.binary("min", scale, 31), -32)
        valid = e.binary("equal", limited, scale)
        e.op("pop.expect_eq", (valid,), (), {"expected": e.module.elements(
            np.broadcast_to(np.True_, scale.shape), dtypes.bool
        )})
    return e.binary("pow", 2.0, e.cast(scale, dtypes.float32))


def _to_fp8(e: Emitter, op: Op, x: Value, scale: Value) -> Value:
    scaled = e.cast(x, dtypes.float32) * power_of_two(e, op, scale)
    return e.cast(scaled, op.outputs[0].dtype)


def _from_fp8(e: Emitter, op: Op, x: Value, scale: Value) -> Value:
    scaled = e.cast(x, dtypes.float32) * power_of_two(e, op, scale)
    return e.cast(scaled, op.outputs[0].dtype)


CAST = OpKind("Cast", _cast)
TO_FP8 = OpKind("Pow2ScaleThenCast", _to_fp8)
FROM_FP8 = OpKind("CastThenPow2Scale", _from_fp8)


def cast(t: Tensor, data_type: dtypes.dtype) -> Tensor:
    check(t=t)
    if t.dtype.is_fp8 or data_type.is_fp8:
        raise TypeError(
            "Use 'pow2scale_cast_to_fp8' and 'pow2scale_cast_from_fp8' for fp8, "
            f"not 'cast' of {t} to {data_type}."
        )
    return record(CAST, [t], Spec(t.shape, data_type, f"{t.name}_{data_type.name}"))


def check_log2_scale(log2_scale: Union[int, Tensor]) -> Tensor:
    """The exponent of a scale as a tensor."""
    if not isinstance(log2_scale, Tensor):
        return constant(log2_scale, dtypes.int32)
    if log2_scale.dtype != dtypes.int32:
        raise TypeError(f"The scale {log2_scale} must be of type popxl.int32.")
    if log2_scale.shape not in ((), (1,)):
        raise ValueError(f"The scale {log2_scale} must be a scalar tensor.")
    return log2_scale


def pow2scale_cast_to_fp8(
    t: Tensor,
    log2_scale: Union[int, Tensor] = 0,
    data_type: dtypes.dtype = dtypes.float8_143,
) -> Tensor:
    """Multiply by 2 to the power of `log2_scale` and convert to fp8."""
    check(t=t)
    if not data_type.is_fp8:
        raise TypeError(f"{data_type} is not an fp8 type.")
    scale = check_log2_scale(log2_scale)
    return record(
        TO_FP8, [t, scale], Spec(t.shape, data_type, f"{t.name}_{data_type.name}")
    )


def pow2scale_cast_from_fp8(
    t: Tensor,
    log2_scale: Union[int, Tensor] = 0,
    data_type: dtypes.dtype = dtypes.float16,
) -> Tensor:
    """Convert from fp8 and multiply by 2 to the power of `log2_scale`."""
    check(t=t)
    if not t.dtype.is_fp8:
        raise TypeError(f"{t} is not a tensor of fp8.")
    if data_type not in (dtypes.float16, dtypes.float32):
        raise TypeError(f"fp8 is converted to float16 or float32, not to {data_type}.")
    scale = check_log2_scale(log2_scale)
    return record(
        FROM_FP8, [t, scale], Spec(t.shape, data_type, f"{t.name}_{data_type.name}")
    )
