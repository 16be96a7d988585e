# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Conversion of host data."""

from typing import Any, Iterable, Optional, Sequence

import numpy as np

from popxl import dtypes
from popxl.fp8_utils import (
    host_fp8_mse_scale,
    host_pow2scale_cast_from_fp8,
    host_pow2scale_cast_to_fp8,
)

#: What 64-bit data becomes if no dtype is given.
downcast_np_dtypes = {
    np.dtype("int64"): np.dtype("int32"),
    np.dtype("uint64"): np.dtype("uint32"),
    np.dtype("float64"): np.dtype("float32"),
}


def to_numpy(
    x: Any,
    dtype: Optional[dtypes.dtype] = None,
    downcast: bool = True,
    copy: bool = True,
    log2_scale: Optional[int] = None,
    nan_on_overflow: Optional[bool] = None,
) -> np.ndarray:
    """Convert host data to an array in C order.

    A given `dtype` wins. Without it, `downcast` makes 64-bit data 32-bit data. With
    `copy`, the result never shares memory with `x`. `log2_scale` and
    `nan_on_overflow` are those of `host_pow2scale_cast_to_fp8`.
    """
    if hasattr(x, "detach") and hasattr(x, "numpy"):
        x = x.detach().numpy()
    if dtype is not None and dtype.is_fp8:
        return _to_fp8(x, dtype, copy, log2_scale, nan_on_overflow)
    if log2_scale is not None or nan_on_overflow is not None:
        raise RuntimeError(
            "Only fp8 data has the arguments 'log2_scale' and 'nan_on_overflow', "
            f"but the dtype is {dtype}."
        )
    if dtype is not None:
        to = np.dtype(dtype.as_numpy())
    else:
        from_dtype = np.asarray(x).dtype
        to = downcast_np_dtypes.get(from_dtype, from_dtype) if downcast else from_dtype
    return np.array(x, to, order="C") if copy else np.asarray(x, to, order="C")


def _to_fp8(x, dtype, copy, log2_scale, nan_on_overflow) -> np.ndarray:
    x = np.asarray(x, order="C")
    if x.dtype == dtype._np:
        return x.copy() if copy else x
    if x.dtype.kind != "f":
        raise TypeError(f"Cannot convert data of {x.dtype} to {dtype}.")
    return host_pow2scale_cast_to_fp8(
        x,
        dtype,
        0 if log2_scale is None else log2_scale,
        True if nan_on_overflow is None else nan_on_overflow,
    )


def table_to_string(rows: Iterable[Sequence[Any]], delimiter: str = " | ") -> str:
    """Align the columns of a table. The second line separates the header."""
    rows = [[str(cell) for cell in row] for row in rows]
    widths = [max(map(len, column)) for column in zip(*rows)]
    lines = [delimiter.join(c.ljust(w) for c, w in zip(row, widths)) for row in rows]
    if lines:
        lines.insert(1, "-" * len(lines[0]))
    return "\n".join(lines) + "\n"
