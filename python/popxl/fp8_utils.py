# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Conversions between fp8 and other types on the host."""

from functools import lru_cache
from typing import Any, Tuple

import numpy as np

from popxl import dtypes

#: Bits of the mantissa, bias of the exponent.
_FORMATS = {"float8_143": (3, 8), "float8_152": (2, 16)}
_FLOATS = (np.float16, np.float32, np.float64)


def _array(src: Any) -> np.ndarray:
    return src.detach().numpy() if hasattr(src, "detach") else np.asarray(src)


@lru_cache(maxsize=None)
def _values(name: str) -> np.ndarray:
    """The values of all 256 bytes. The byte 0x80 is NaN, and there is no infinity."""
    mantissa, bias = _FORMATS[name]
    code = np.arange(256)
    exponent = (code & 0x7F) >> mantissa
    fraction = code & ((1 << mantissa) - 1)
    value = np.where(
        exponent == 0,
        np.ldexp(fraction.astype(np.float64), 1 - bias - mantissa),
        np.ldexp((1 << mantissa) + fraction.astype(np.float64), exponent - bias - mantissa),
    )
    value = np.where(code & 0x80, -value, value)
    value[0x80] = np.nan
    return value


def _fp8(dtype: dtypes.dtype) -> dtypes.dtype:
    if not isinstance(dtype, dtypes.dtype) or not dtype.is_fp8:
        raise RuntimeError(f"The dtype {dtype} is not an fp8 type.")
    return dtype


def host_pow2scale_cast_to_fp8(
    src: Any,
    dtype: dtypes.dtype = None,
    log2_scale: int = 0,
    nan_on_overflow: bool = True,
) -> np.ndarray:
    """Multiply `src` by 2 to the power of `log2_scale` and round it to nearest even.

    Without `nan_on_overflow`, values that are too large become the largest value.
    """
    src = _array(src)
    if src.dtype not in _FLOATS:
        raise RuntimeError(f"Cannot convert data of {src.dtype} to fp8.")
    positive = _values(_fp8(dtype).name)[:0x80]
    scaled = np.ldexp(src.astype(np.float64), log2_scale)
    magnitude = np.abs(scaled)
    # Two neighbours have codes whose lowest bits differ, and the even code wins a tie.
    upper = np.clip(np.searchsorted(positive, magnitude), 1, 0x7F)
    middle = (positive[upper - 1] + positive[upper]) / 2
    code = upper - (
        (magnitude < middle) | ((magnitude == middle) & (upper % 2 == 1))
    )
    # A value overflows if it would round to the value after the largest one.
    limit = positive[-1] + (positive[-1] - positive[-2]) / 2
    overflow = magnitude >= limit
    code = np.where(overflow, 0x80 if nan_on_overflow else 0x7F, code)
    negative = (scaled < 0) & (code > 0) & (code < 0x80)
    code = np.where(np.isnan(scaled), 0x80, np.where(negative, code | 0x80, code))
    return code.astype(np.uint8).view(dtype._np).reshape(src.shape)


def host_pow2scale_cast_from_fp8(
    src: np.ndarray, dtype: dtypes.dtype = None, log2_scale: int = 0
) -> np.ndarray:
    """Convert `src` from fp8 and multiply it by 2 to the power of `log2_scale`."""
    if src.dtype not in (dtypes.np_dtype_float8_143, dtypes.np_dtype_float8_152):
        raise RuntimeError(f"The data of {src.dtype} is not fp8.")
    if dtype is None or dtype.is_fp8 or not dtype.is_floating_point:
        raise RuntimeError(f"Cannot convert fp8 to {dtype}.")
    (name,) = src.dtype.names
    return np.ldexp(_values(name)[src[name]], log2_scale).astype(dtype.as_numpy())


def host_fp8_mse_scale(src: Any, dtype: dtypes.dtype) -> Tuple[float, int]:
    """Return the least mean square error of conversions to fp8 with a scale, and the
    logarithm of the scale. Of several scales with this error, the middle one leaves
    most room for other data."""
    src = _array(src).astype(np.float64)
    _fp8(dtype)

    def error(scale: int) -> float:
        code = host_pow2scale_cast_to_fp8(src, dtype, scale, nan_on_overflow=False)
        back = host_pow2scale_cast_from_fp8(code, dtypes.float64, -scale)
        return float(np.mean((back - src) ** 2))

    errors = {scale: error(scale) for scale in range(-31, 32)}
    least = min(errors.values())
    best = [scale for scale, e in errors.items() if e <= least * (1 + 1e-9)]
    return least, best[len(best) // 2]


def host_fp8_mse_scale_pb(src: Any, dtype: dtypes.dtype) -> int:
    """Return the scale of `host_fp8_mse_scale`."""
    return host_fp8_mse_scale(src, dtype)[1]
