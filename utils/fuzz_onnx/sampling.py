# Part of ipu-mlir, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random programs that sample at computed positions, and less usual pools."""

import numpy as np


def at_least(b, opset):
    b.opset = max(b.opset, opset)


def image(b, rank, low=2, high=6, dtype=None):
    sizes = [b.between(low, high) for _ in range(rank)]
    return b.floats([b.between(1, 2), b.between(1, 3), *sizes], dtype)


def make_grid_sample(b):
    at_least(b, 16)
    rank = 2 if b.opset < 20 else b.choose((2, 2, 3))
    values = image(b, rank, 1, 6, "float32")
    shape = [values.shape[0], *(b.between(1, 4) for _ in range(rank)), rank]
    grid = b.numpy.uniform(-1.6, 1.6, shape).astype(np.float32)
    modes = ("bilinear", "bicubic", "nearest") if b.opset < 20 else ("linear", "cubic", "nearest")
    mode = b.choose(modes if rank == 2 else ("linear", "nearest"))
    b.node("GridSample", b.input(values), b.input(grid), mode=mode, align_corners=b.maybe(b.between(0, 1)),
           padding_mode=b.maybe(b.choose(("zeros", "border", "reflection")), 0.8))  # fmt: skip


def make_affine_grid(b):
    at_least(b, 20)
    rank = b.choose((2, 3))
    batch = b.between(1, 3)
    theta = b.floats([batch, rank, rank + 1], b.choose(("float32", "float64")))
    size = [batch, 2, *(b.between(2, 5) for _ in range(rank))]
    b.node("AffineGrid", b.input(theta), b.constant(size), align_corners=b.maybe(b.between(0, 1)))


def draw_regions(b, values, count):
    """Corners of regions, some of which are beyond the image."""
    height, width = values.shape[2:]
    low = b.numpy.uniform(-1, 0.8, (count, 2)) * [width, height]
    size = b.numpy.uniform(0.1, 1, (count, 2)) * [width, height]
    return np.concatenate([low, low + size], axis=1)


def make_roi_align(b):
    at_least(b, 10)
    values = image(b, 2, 3, 8, "float32")
    count = b.between(1, 3)
    regions = draw_regions(b, values, count).astype(np.float32)
    ratio = b.choose((0, 1, 2, 3))
    rois = b.constant(regions, np.float32) if ratio == 0 else b.input(regions)
    batches = b.input(b.numpy.integers(0, values.shape[0], count))
    half = b.maybe(b.choose(("half_pixel", "output_half_pixel"))) if b.opset >= 16 else None
    b.node("RoiAlign", b.input(values), rois, batches, coordinate_transformation_mode=half,
           mode=b.maybe(b.choose(("avg", "max"))), output_height=b.maybe(b.between(1, 4)),
           output_width=b.maybe(b.between(1, 4)), sampling_ratio=ratio, spatial_scale=b.maybe(0.5))  # fmt: skip


def make_max_roi_pool(b):
    values = image(b, 2, 3, 8, "float32")
    count = b.between(1, 3)
    batches = b.numpy.integers(0, values.shape[0], (count, 1))
    corners = np.maximum(np.round(draw_regions(b, values, count)), 0)
    rois = np.concatenate([batches, corners], axis=1).astype(np.float32)
    b.node("MaxRoiPool", b.input(values), b.input(rois), spatial_scale=b.maybe(0.75),
           pooled_shape=[b.between(1, 4), b.between(1, 4)])  # fmt: skip


def make_deform_conv(b):
    at_least(b, 19)
    groups, parts = b.choose((1, 2)), b.choose((1, 2))
    batch, kernel = b.between(1, 2), [b.between(1, 3), b.between(1, 3)]
    values = b.floats([batch, 4, b.between(4, 7), b.between(4, 7)], "float32")
    strides, dilations = ([b.between(1, 2) for _ in range(2)] for _ in range(2))
    pads = [b.between(0, 1) for _ in range(4)]
    output = [(values.shape[2 + i] + pads[i] + pads[2 + i] - dilations[i] * (kernel[i] - 1) - 1) // strides[i] + 1
              for i in range(2)]  # fmt: skip
    if min(output) < 1:
        return make_affine_grid(b)
    outer, count = 2 * b.between(1, 2), kernel[0] * kernel[1] * parts
    inputs = [values, b.floats([outer, 4 // groups, *kernel], "float32"),
              b.floats([batch, 2 * count, *output], "float32")]  # fmt: skip
    names = [b.input(value) for value in inputs]
    if b.roll() < 0.5:
        names.append(b.input(b.floats([outer], "float32")) if b.roll() < 0.5 else "")
        names.append(b.input(b.floats([batch, count, *output], "float32")))
    return b.node("DeformConv", *names, group=groups, offset_group=parts, strides=strides,
                  dilations=dilations, pads=pads, kernel_shape=b.maybe(kernel))  # fmt: skip


def make_indexed_pool(b):
    at_least(b, 8)
    rank = b.choose((1, 2, 2, 3))
    values = image(b, rank, 4, 7, "float32")
    if b.roll() < 0.3:
        values = np.round(values)
    kernel = [b.between(1, 3) for _ in range(rank)]
    attributes = {"pads": b.maybe([b.between(0, size - 1) for size in kernel * 2])}
    if b.opset >= 10:
        attributes |= {"ceil_mode": b.maybe(b.between(0, 1)), "dilations": b.maybe([b.between(1, 2)] * rank)}
    b.node("MaxPool", b.input(values), outputs=2, kernel_shape=kernel, storage_order=b.maybe(b.between(0, 1)),
           strides=b.maybe([b.between(1, 3) for _ in range(rank)]), **attributes)  # fmt: skip
    return list(b.nodes[-1].output)


def make_unpool(b):
    at_least(b, 9)
    rank = b.choose((1, 2, 3))
    values = image(b, rank, 1, 4, "float32")
    kernel = [b.between(1, 3) for _ in range(rank)]
    strides = [b.between(1, 2) for _ in range(rank)]
    sizes = [(size - 1) * stride + k for size, stride, k in zip(values.shape[2:], strides, kernel)]
    total = values.shape[0] * values.shape[1] * int(np.prod(sizes))
    if total < values.size:
        return make_indexed_pool(b)
    indices = b.numpy.permutation(total)[: values.size].reshape(values.shape)
    return b.node("MaxUnpool", b.input(values), b.input(indices), kernel_shape=kernel, strides=strides)


def make_power_pool(b):
    values = image(b, b.choose((1, 2, 3)))
    b.node("GlobalLpPool", b.input(values), p=b.maybe(b.between(1, 3)) if b.opset >= 2 else None)


def make_columns(b):
    at_least(b, 18)
    rank = b.choose((1, 2, 2, 3))
    block = [b.between(1, 3) for _ in range(rank)]
    size = [b.between(4, 7) for _ in range(rank)]
    strides, dilations = ([b.between(1, 2) for _ in range(rank)] for _ in range(2))
    pads = [b.between(0, 1) for _ in range(2 * rank)]
    counts = [(size[i] + pads[i] + pads[rank + i] - dilations[i] * (block[i] - 1) - 1) // strides[i] + 1
              for i in range(rank)]  # fmt: skip
    if min(counts) < 1:
        return make_power_pool(b)
    values = b.floats([b.between(1, 2), b.between(1, 2) * int(np.prod(block)), int(np.prod(counts))], "float32")
    return b.node("Col2Im", b.input(values), b.constant(size), b.constant(block), strides=strides,
                  dilations=dilations, pads=pads)  # fmt: skip


MAKERS = {
    make_grid_sample: 3,
    make_affine_grid: 1,
    make_roi_align: 2,
    make_max_roi_pool: 1,
    make_deform_conv: 2,
    make_indexed_pool: 2,
    make_unpool: 1,
    make_power_pool: 1,
    make_columns: 2,
}
