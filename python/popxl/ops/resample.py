# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Resampling of pictures."""

import math
from typing import Optional, Sequence, Tuple

import numpy as np

from popxl import dtypes
from popxl._emit import Emitter, Value
from popxl._record import Op, OpKind, Spec, record
from popxl.errors import popart_exception
from popxl.ops.utils import check
from popxl.tensor import Tensor

_MODES = ("nearest", "linear", "cubic")
_NEAREST_MODES = ("round_prefer_floor", "round_prefer_ceil", "floor", "ceil", "pytorch")
_COORDINATES = (
    "half_pixel",
    "pytorch_half_pixel",
    "align_corners",
    "asymmetric",
)


def _coordinates(mode: str, size: int, out: int, scale: float) -> np.ndarray:
    """The positions in the input of all positions of the output, as in ONNX."""
    x = np.arange(out, dtype=np.float64)
    if mode == "align_corners":
        return x * (size - 1) / (out - 1) if out > 1 else np.zeros(1)
    if mode == "asymmetric":
        return x / scale
    if mode == "pytorch_half_pixel" and out <= 1:
        return np.zeros(out)
    return (x + 0.5) / scale - 0.5


def _nearest(mode: str, x: np.ndarray, scale: float) -> np.ndarray:
    if mode == "pytorch":
        return np.floor((np.arange(x.size)) / scale)
    if mode == "floor":
        return np.floor(x)
    if mode == "ceil":
        return np.ceil(x)
    if mode == "round_prefer_ceil":
        return np.floor(x + 0.5)
    return np.ceil(x - 0.5)


def _weights(op: Op, size: int, out: int, scale: float) -> np.ndarray:
    """The matrix [out, size] that resamples a dimension."""
    x = _coordinates(op["coordinates"], size, out, scale)
    if op["mode"] == "nearest":
        taps = _nearest(op["nearest_mode"], x, scale)[:, None]
        factors = np.ones_like(taps)
    elif op["mode"] == "linear":
        base = np.floor(x)
        fraction = x - base
        taps = base[:, None] + np.arange(2)
        factors = np.stack([1 - fraction, fraction], 1)
    else:
        base = np.floor(x)
        taps = base[:, None] + np.arange(-1, 3)
        factors = _cubic(np.abs(x[:, None] - taps))
    taps = np.clip(taps, 0, size - 1).astype(int)
    matrix = np.zeros((out, size))
    for column in range(taps.shape[1]):
        np.add.at(matrix, (np.arange(out), taps[:, column]), factors[:, column])
    return matrix


def _cubic(distance: np.ndarray, a: float = -0.75) -> np.ndarray:
    """Keys's kernel."""
    near = ((a + 2) * distance - (a + 3)) * distance**2 + 1
    far = ((a * distance - 5 * a) * distance + 8 * a) * distance - 4 * a
    return np.where(distance <= 1, near, np.where(distance < 2, far, 0))


def _interpolate(e: Emitter, op: Op, x: Value) -> Value:
    for axis, scale in enumerate(op["scales"]):
        size, out = x.shape[axis], op.outputs[0].shape[axis]
        if scale == 1 and size == out:
            continue
        if op["mode"] == "nearest":
            taps = _weights(op, size, out, scale).argmax(1)
            rows = e.gather(e.move_axis(x, axis, 0), e.constant(taps, dtypes.int32))
            x = e.move_axis(rows, 0, axis)
        else:
            matrix = e.constant(_weights(op, size, out, scale).T, x.dtype)
            moved = e.move_axis(x, axis, x.rank - 1)
            rows = e.reshape(moved, (math.prod(moved.shape[:-1]), size))
            result = e.reshape(e.matmul(rows, matrix), (*moved.shape[:-1], out))
            x = e.move_axis(result, x.rank - 1, axis)
    return x


RESIZE = OpKind("Resize", _interpolate)


def interpolate(
    t: Tensor,
    scale_factor: Optional[Tuple[float, ...]] = (1.0, 1.0, 1.0, 1.0),
    mode: str = "nearest",
    nearest_mode: str = "round_prefer_floor",
    coordinate_transformation_mode: str = "half_pixel",
) -> Tensor:
    """Resample a tensor; `scale_factor` has a factor for each dimension."""
    check(t=t)
    for value, known in (
        (mode, _MODES),
        (nearest_mode, _NEAREST_MODES),
        (coordinate_transformation_mode, _COORDINATES),
    ):
        if value not in known:
            raise ValueError(f"{value!r} is not one of {', '.join(known)}.")
    scales = [float(s) for s in scale_factor]
    if len(scales) != t.rank:
        raise popart_exception(f"{t} has no {len(scales)} dimensions to resample.")
    shape = [math.floor(d * s) for d, s in zip(t.shape, scales)]
    return record(
        RESIZE,
        [t],
        Spec(shape, t.dtype, "interpolate_out"),
        scales=scales,
        mode=mode,
        nearest_mode=nearest_mode,
        coordinates=coordinate_transformation_mode,
    )


# Regions of interest.


def _axis_weights(e: Emitter, op: Op, start: Value, length: Value, bins: int, size: int):
    """The factors [rois, bins, size] by which the positions of a dimension contribute
    to the bins: means of linearly interpolated samples."""
    samples = op["sampling_ratio"]
    steps = (np.arange(bins * samples) + 0.5) / samples
    # [rois, samples of all bins]
    x = start + (length / float(bins)) * e.constant(steps[None, :], dtypes.float32)
    outside = e.binary(
        "or",
        e.binary("less", x, -1.0),
        e.binary("greater", x, float(size)),
    )
    x = e.binary("min", e.binary("max", x, 0.0), float(size - 1))
    x = e.reshape(x, (*x.shape, 1))
    outside = e.reshape(outside, x.shape)
    positions = e.constant(np.arange(size)[None, None, :], dtypes.float32)
    factor = e.binary("max", 1.0 - e.unary("abs", x - positions), 0.0)
    factor = e.select(outside, 0.0, factor)
    rois = factor.shape[0]
    return e.reduce("mean", e.reshape(factor, (rois, bins, samples, size)), [2])


def _roi_align(e: Emitter, op: Op, x: Value, rois: Value, batch_index: Value) -> Value:
    count, (height, width) = rois.shape[0], x.shape[2:]
    scaled = e.cast(rois, dtypes.float32) * op["spatial_scale"]
    x1, y1, x2, y2 = (e.take(scaled, 1, i, 1) for i in range(4))
    rows = _axis_weights(
        e, op, y1, e.binary("max", y2 - y1, 1.0), op["output_size"][0], height
    )
    columns = _axis_weights(
        e, op, x1, e.binary("max", x2 - x1, 1.0), op["output_size"][1], width
    )
    pictures = e.gather(e.cast(x, dtypes.float32), batch_index)
    # rows [n, 1, h, H], pictures [n, c, H, W], columns [n, 1, W, w]
    rows = e.reshape(rows, (count, 1, *rows.shape[1:]))
    columns = e.transpose(columns, [0, 2, 1])
    columns = e.reshape(columns, (count, 1, *columns.shape[1:]))
    channels = x.shape[1]
    rows = e.expand(rows, (count, channels, *rows.shape[2:]))
    columns = e.expand(columns, (count, channels, *columns.shape[2:]))
    return e.cast(e.matmul(e.matmul(rows, pictures), columns), x.dtype)


ROI_ALIGN = OpKind("RoiAlign", _roi_align)


def roi_align(
    t: Tensor,
    rois: Tensor,
    batch_index: Tensor,
    output_size: Sequence[int],
    spatial_scale: float,
    sampling_ratio: int,
) -> Tensor:
    """Pool regions (x1, y1, x2, y2) of pictures to bins, each of which is a mean of
    interpolated samples."""
    check(t=t, rois=rois, batch_index=batch_index)
    if t.rank != 4 or rois.rank != 2 or rois.shape[1] != 4:
        raise popart_exception(f"{t} and {rois} are not operands of RoiAlign.")
    if batch_index.shape != rois.shape[:1]:
        raise popart_exception(f"{batch_index} does not have the regions of {rois}.")
    sampling = int(sampling_ratio)
    if sampling < 1:
        raise popart_exception("The sampling ratio of RoiAlign has to be positive.")
    shape = (rois.shape[0], t.shape[1], *(int(d) for d in output_size))
    return record(
        ROI_ALIGN,
        [t, rois, batch_index],
        Spec(shape, t.dtype, "roi_align_out"),
        output_size=tuple(int(d) for d in output_size),
        spatial_scale=float(spatial_scale),
        sampling_ratio=sampling,
    )
