# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Convolutions."""

import math
from typing import List, Optional, Sequence, Tuple, Union

from popxl import dtypes
from popxl._emit import Emitter, Value, array, i64
from popxl._record import Op, OpKind, Spec, record
from popxl.errors import popart_exception
from popxl.ops.cast import check_log2_scale, power_of_two
from popxl.ops.linear import check_fp8
from popxl.ops.utils import check, check_same_dtype
from popxl.tensor import Tensor

PAD_TYPES = ("not_set", "same_upper", "same_lower", "valid")
#: What the argument `pad_type` may be.
PadType = str


def check_pad_type(pad_type: str) -> None:
    if pad_type not in PAD_TYPES:
        raise ValueError(f"{pad_type!r} is not one of {', '.join(PAD_TYPES)}.")


def per_dimension(values: Optional[Sequence[int]], count: int, default: int) -> List[int]:
    """One value for each dimension: a given list, or the default if the list is that
    of two dimensions and there are others."""
    values = [int(v) for v in values or ()]
    if len(values) == count:
        return values
    if all(v == default for v in values):
        return [default] * count
    raise popart_exception(f"There are {count} values needed, but {values} were given.")


def window_pads(
    pad_type: str,
    pads: Sequence[int],
    size: Sequence[int],
    kernel: Sequence[int],
    strides: Sequence[int],
    dilations: Sequence[int],
) -> List[int]:
    """The pads before all dimensions, then those after them."""
    count = len(size)
    if pad_type == "valid":
        return [0] * (2 * count)
    if pad_type == "not_set":
        return per_dimension(pads, 2 * count, 0)
    low, high = [], []
    for d, k, s, l in zip(size, kernel, strides, dilations):
        total = max((-(-d // s) - 1) * s + (k - 1) * l + 1 - d, 0)
        small, large = total // 2, total - total // 2
        low.append(small if pad_type == "same_upper" else large)
        high.append(large if pad_type == "same_upper" else small)
    return low + high


def windows(size, kernel, strides, pads, dilations, ceil: bool = False) -> List[int]:
    """The number of windows of each dimension."""
    count, result = len(size), []
    for i in range(count):
        space = size[i] + pads[i] + pads[count + i] - (kernel[i] - 1) * dilations[i] - 1
        n = (-(-space // strides[i]) if ceil else space // strides[i]) + 1
        if ceil and (n - 1) * strides[i] >= size[i] + pads[i]:
            n -= 1
        result.append(max(n, 0))
    return result


def _emit_conv(e: Emitter, op: Op, x: Value, w: Value, dtype: dtypes.dtype) -> Value:
    return e.pop(
        "conv",
        (x, w),
        op.outputs[0].shape,
        dtype,
        strides=array(op["strides"]),
        dilations=array(op["dilations"]),
        pads=array(op["pads"]),
        groups=i64(op["groups"]),
    )


def _conv(e: Emitter, op: Op, x: Value, w: Value) -> Value:
    return _emit_conv(e, op, x, w, x.dtype)


def _scaled(emit):
    """Scale the sums before they are rounded."""

    def scaled(e: Emitter, op: Op, x: Value, w: Value, scale: Value) -> Value:
        result = emit(e, op, x, w, dtypes.float32)
        factor = e.reshape(power_of_two(e, op, scale), ())
        return e.cast(result * factor, op.outputs[0].dtype)

    return scaled


CONV = OpKind("Conv", _conv)
CONV_POW2SCALED = OpKind("Conv", _scaled(_emit_conv))


def _conv_attributes(t, weight, stride, padding, dilation, groups, pad_type):
    check_pad_type(pad_type)
    if t.rank != weight.rank or t.rank < 3:
        raise popart_exception(f"{t} and {weight} are not operands of a convolution.")
    if t.shape[1] != weight.shape[1] * groups or weight.shape[0] % groups:
        raise popart_exception(
            f"The channels of {t} and {weight} do not fit {groups} groups."
        )
    count = t.rank - 2
    strides = per_dimension(stride, count, 1)
    dilations = per_dimension(dilation, count, 1)
    size, kernel = t.shape[2:], weight.shape[2:]
    pads = window_pads(pad_type, padding, size, kernel, strides, dilations)
    return {"strides": strides, "dilations": dilations, "pads": pads, "groups": groups}


def _conv_shape(t: Tensor, weight: Tensor, a: dict) -> Tuple[int, ...]:
    spatial = windows(
        t.shape[2:], weight.shape[2:], a["strides"], a["pads"], a["dilations"]
    )
    return (t.shape[0], weight.shape[0], *spatial)


def conv(
    t: Tensor,
    weight: Tensor,
    stride: Sequence[int] = (1, 1),
    padding: Sequence[int] = (0, 0, 0, 0),
    dilation: Sequence[int] = (1, 1),
    groups: int = 1,
    pad_type: PadType = "not_set",
    available_memory_proportions: Optional[Sequence[float]] = None,
    partials_types: Optional[Sequence[str]] = None,
    enable_conv_dithering: Optional[Sequence[int]] = None,
) -> Tensor:
    """Convolve one to three spatial dimensions. `padding` has the pads before all
    dimensions, then those after them."""
    check(t=t, weight=weight)
    check_same_dtype("Conv", t, weight)
    a = _conv_attributes(t, weight, stride, padding, dilation, groups, pad_type)
    return record(CONV, [t, weight], Spec(_conv_shape(t, weight, a), t.dtype, "conv_out"), **a)


def conv_pow2scaled(
    t: Tensor,
    weight: Tensor,
    log2_scale: Union[int, Tensor],
    stride: Sequence[int] = (1, 1),
    padding: Sequence[int] = (0, 0, 0, 0),
    dilation: Sequence[int] = (1, 1),
    groups: int = 1,
    pad_type: PadType = "not_set",
    available_memory_proportions: Optional[Sequence[float]] = None,
    enable_conv_dithering: Optional[Sequence[int]] = None,
) -> Tensor:
    """Convolve fp8, times 2 to the power of `log2_scale`, to float16."""
    check(t=t, weight=weight)
    check_fp8(t, weight)
    scale = check_log2_scale(log2_scale)
    a = _conv_attributes(t, weight, stride, padding, dilation, groups, pad_type)
    spec = Spec(_conv_shape(t, weight, a), dtypes.float16, "conv_pow2scaled_out")
    return record(CONV_POW2SCALED, [t, weight, scale], spec, **a)


# Transposed convolutions.


def _emit_transpose(e: Emitter, op: Op, x: Value, w: Value, dtype) -> Value:
    """A convolution with zeros between the elements, and flipped weights whose
    channels of inputs and outputs are swapped in each group."""
    groups, count = op["groups"], x.rank - 2
    inputs, outputs = w.shape[0] // groups, w.shape[1]
    kernel = w.shape[2:]
    w = e.reshape(w, (groups, inputs, outputs, *kernel))
    w = e.transpose(w, [0, 2, 1, *range(3, 3 + count)])
    w = e.reshape(w, (groups * outputs, inputs, *kernel))
    flip = [0, 0, *(k - 1 for k in kernel)]
    if count and math.prod(kernel) > 1:
        w = e.slice(w, flip, w.shape, [1, 1] + [-1] * count)
    low, high = op["low"], op["high"]
    # Negative pads cut the result.
    result = e.pop(
        "conv",
        (x, w),
        _padded_shape(op, x, w),
        dtype,
        input_dilations=array(op["strides"]),
        dilations=array(op["dilations"]),
        pads=array([max(p, 0) for p in (*low, *high)]),
        groups=i64(groups),
    )
    starts = [0, 0, *(max(-p, 0) for p in low)]
    if tuple(op.outputs[0].shape) != result.shape:
        result = e.slice(result, starts, op.outputs[0].shape)
    return result


def _padded_shape(op: Op, x: Value, w: Value) -> List[int]:
    low, high = op["low"], op["high"]
    spatial = [
        s * (d - 1) + 1 + max(a, 0) + max(b, 0) - l * (k - 1)
        for d, s, a, b, l, k in zip(
            x.shape[2:], op["strides"], low, high, op["dilations"], w.shape[2:]
        )
    ]
    return [x.shape[0], w.shape[0], *spatial]


CONV_TRANSPOSE = OpKind(
    "ConvTranspose", lambda e, op, x, w: _emit_transpose(e, op, x, w, x.dtype)
)
CONV_TRANSPOSE_POW2SCALED = OpKind("ConvTranspose", _scaled(_emit_transpose))


def _transpose_attributes(
    t, weight, stride, padding, dilation, groups, pad_type, output_padding, output_shape
):
    check_pad_type(pad_type)
    if t.rank != weight.rank or t.rank < 3 or t.shape[1] != weight.shape[0]:
        raise popart_exception(f"{t} and {weight} are not operands of ConvTranspose.")
    count = t.rank - 2
    strides = per_dimension(stride, count, 1)
    dilations = per_dimension(dilation, count, 1)
    extra = list(output_padding)[:count] or [0] * count
    extents = [(k - 1) * l + 1 for k, l in zip(weight.shape[2:], dilations)]
    full = [s * (d - 1) + x for s, d, x in zip(strides, t.shape[2:], extents)]
    if output_shape:
        shape = [int(d) for d in output_shape][-count:]
        cut = [f + o - d for f, o, d in zip(full, extra, shape)]
    elif pad_type in ("same_upper", "same_lower"):
        shape = [d * s for d, s in zip(t.shape[2:], strides)]
        cut = [f + o - d for f, o, d in zip(full, extra, shape)]
    else:
        cut = None
    if cut is None:
        pads = window_pads(pad_type, padding, t.shape[2:], (), strides, dilations)
        begin, end = pads[:count], pads[count:]
        shape = [f + o - b - c for f, o, b, c in zip(full, extra, begin, end)]
    else:
        half = [c // 2 for c in cut]
        rest = [c - h for c, h in zip(cut, half)]
        begin, end = (half, rest) if pad_type != "same_lower" else (rest, half)
    return shape, {
        "strides": strides,
        "dilations": dilations,
        "groups": groups,
        "low": [x - 1 - b for x, b in zip(extents, begin)],
        "high": [x - 1 - c + o for x, c, o in zip(extents, end, extra)],
    }


def conv_transpose(
    t: Tensor,
    weight: Tensor,
    stride: Sequence[int] = (1, 1),
    padding: Sequence[int] = (0, 0, 0, 0),
    dilation: Sequence[int] = (1, 1),
    groups: int = 1,
    pad_type: PadType = "not_set",
    output_padding: Sequence[int] = (),
    output_shape: Sequence[int] = (),
    available_memory_proportions: Optional[Sequence[float]] = None,
    partials_types: Optional[Sequence[str]] = None,
    enable_conv_dithering: Optional[Sequence[int]] = None,
) -> Tensor:
    """The transposed convolution: each element of `t` adds a scaled kernel."""
    check(t=t, weight=weight)
    check_same_dtype("ConvTranspose", t, weight)
    return _record_transpose(
        CONV_TRANSPOSE,
        [t, weight],
        t.dtype,
        _transpose_attributes(
            t,
            weight,
            stride,
            padding,
            dilation,
            groups,
            pad_type,
            output_padding,
            output_shape,
        ),
        "conv_transpose_out",
    )


def _record_transpose(kind: OpKind, operands, dtype, attributes, name: str) -> Tensor:
    spatial, a = attributes
    t, weight = operands[:2]
    shape = (t.shape[0], weight.shape[1] * a["groups"], *spatial)
    return record(kind, operands, Spec(shape, dtype, name), **a)


def conv_transpose_pow2scaled(
    t: Tensor,
    weight: Tensor,
    log2_scale: Union[int, Tensor],
    stride: Sequence[int] = (1, 1),
    padding: Sequence[int] = (0, 0, 0, 0),
    dilation: Sequence[int] = (1, 1),
    groups: int = 1,
    pad_type: PadType = "not_set",
    output_padding: Sequence[int] = (),
    output_shape: Sequence[int] = (),
    available_memory_proportions: Optional[Sequence[float]] = None,
    enable_conv_dithering: Optional[Sequence[int]] = None,
) -> Tensor:
    """The transposed convolution of fp8, times 2 to the power of `log2_scale`, to
    float16."""
    check(t=t, weight=weight)
    check_fp8(t, weight)
    scale = check_log2_scale(log2_scale)
    return _record_transpose(
        CONV_TRANSPOSE_POW2SCALED,
        [t, weight, scale],
        dtypes.float16,
        _transpose_attributes(
            t,
            weight,
            stride,
            padding,
            dilation,
            groups,
            pad_type,
            output_padding,
            output_shape,
        ),
        "conv_transpose_pow2scaled_out",
    )
