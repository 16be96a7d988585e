# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Pools."""

from typing import Optional, Sequence

from popxl._emit import Emitter, Value, array
from popxl._record import Op, OpKind, Spec, record
from popxl.errors import popart_exception
from popxl.ops.conv import check_pad_type, per_dimension, window_pads, windows
from popxl.ops.utils import check
from popxl.tensor import Tensor


def _pool(name: str):
    def emit(e: Emitter, op: Op, x: Value) -> Value:
        keys = ("kernel", "strides", "dilations", "pads")
        attributes = {key: array(op[key]) for key in keys}
        if op["ceil_mode"]:
            attributes["ceil_mode"] = "unit"
        return e.pop(name, (x,), op.outputs[0].shape, x.dtype, **attributes)

    return emit


AVERAGE_POOL = OpKind("AveragePool", _pool("avg_pool"))
MAX_POOL = OpKind("MaxPool", _pool("max_pool"))


def _record(
    kind: OpKind,
    t: Tensor,
    kernel_size,
    stride,
    padding,
    out_pads,
    dilation,
    in_dilations,
    auto_pad: str,
    ceil_mode: bool,
    name: str,
) -> Tensor:
    check(t=t)
    check_pad_type(auto_pad)
    if t.rank < 3:
        raise popart_exception(f"{t} has no spatial dimensions for {kind.type}.")
    if any(p for p in out_pads or ()) or any(d != 1 for d in in_dilations or ()):
        raise popart_exception(
            f"{kind.type} has neither 'out_pads' nor 'in_dilations' other than 0 and 1."
        )
    count = t.rank - 2
    kernel = per_dimension(kernel_size, count, -1)
    strides = per_dimension(stride, count, 1)
    dilations = per_dimension(dilation, count, 1)
    size = t.shape[2:]
    pads = window_pads(auto_pad, padding or (), size, kernel, strides, dilations)
    spatial = windows(size, kernel, strides, pads, dilations, ceil_mode)
    return record(
        kind,
        [t],
        Spec((*t.shape[:2], *spatial), t.dtype, name),
        kernel=kernel,
        strides=strides,
        dilations=dilations,
        pads=pads,
        ceil_mode=ceil_mode,
    )


def average_pool(
    t: Tensor,
    kernel_size: Sequence[int],
    stride: Optional[Sequence[int]] = None,
    padding: Optional[Sequence[int]] = None,
    out_pads: Optional[Sequence[int]] = None,
    dilation: Optional[Sequence[int]] = None,
    in_dilations: Optional[Sequence[int]] = None,
    auto_pad: str = "not_set",
    ceil_mode: bool = False,
) -> Tensor:
    """The means of windows; pads do not count."""
    return _record(
        AVERAGE_POOL,
        t,
        kernel_size,
        stride,
        padding,
        out_pads,
        dilation,
        in_dilations,
        auto_pad,
        ceil_mode,
        "average_pool_out",
    )


def max_pool(
    t: Tensor,
    kernel_size: Sequence[int],
    stride: Optional[Sequence[int]] = None,
    padding: Optional[Sequence[int]] = None,
    out_pads: Optional[Sequence[int]] = None,
    dilation: Optional[Sequence[int]] = None,
    in_dilations: Optional[Sequence[int]] = None,
    auto_pad: str = "not_set",
    ceil_mode: bool = False,
    storage_order: str = "row",
) -> Tensor:
    """The greatest elements of windows."""
    return _record(
        MAX_POOL,
        t,
        kernel_size,
        stride,
        padding,
        out_pads,
        dilation,
        in_dilations,
        auto_pad,
        ceil_mode,
        "max_pool_out",
    )
