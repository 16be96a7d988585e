# Part of ipu-mlir, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Contractions, reductions, windows and norms."""

import math

import numpy as np

from .cases import (
    WIDE,
    Case,
    add_accumulated,
    draw_apart,
    draw_away,
    draw_positive,
    draw_usual,
    ops,
    pick,
    tensors,
)


def add_contraction(case, rng, values, text, y):
    """Adds a contraction of `values` which may start from another tensor."""
    args, types = [case.float(x) for x in values], tensors(*values)
    has_acc = rng.random() < 0.3
    if has_acc:
        args.append(case.float(draw_usual(rng, y.shape), type=WIDE))
        types += f", {tensors(y, type=WIDE)}"
    add_accumulated(
        case, rng, f"{case.name} {', '.join(args)}{text} : ({types})", y, has_acc or None
    )


def make_matmul(rng, name):
    case = Case(name)
    m, k, n = (int(pick(rng, [1, 2, 3, 5, 8])) for _ in range(3))
    batches = [(), ()]
    if rng.random() < 0.6:
        batches = [b if math.prod(b) <= 12 else b[-1:] for b in ops.draw_operands(rng, 2)]
        try:
            if math.prod(np.broadcast_shapes(*batches)) > 40:
                batches = [(), (2,)]
        except ValueError:
            batches = [(3,), ()]
    values = [draw_usual(rng, (*batches[0], m, k)), draw_usual(rng, (*batches[1], k, n))]
    y = np.matmul(*values)
    add_contraction(case, rng, values, "", y)

    def function(a, b, acc=0):
        return [np.matmul(a, b) + acc]

    return case.finish(rng, ["%y"], function)


def slices(kernel, strides, dilations, counts):
    for q, index in ops.windows(None, kernel, strides, dilations, counts):
        yield q, (slice(None), slice(None), *index)


def make_conv(rng, name):
    case = Case(name)
    groups = int(pick(rng, [1, 1, 1, 2, 3]))
    channels, outputs = int(rng.integers(1, 4)), int(rng.integers(1, 4))
    batch, spatial = int(rng.integers(1, 4)), ops.draw_spatial(rng)
    zeros = [1] * len(spatial)
    if rng.random() < 0.3:
        zeros = [int(v) for v in rng.integers(1, 4, len(spatial))]
    spread = [z * (size - 1) + 1 for z, size in zip(zeros, spatial)]
    kernel, strides, dilations, pads = ops.draw_window(rng, spread, rng.random() < 0.6)
    if rng.random() < 0.2:
        # Pads that are as large as the kernel, or larger.
        pads = [p + int(rng.integers(0, 5)) for p in pads]
    values = [
        draw_usual(rng, (batch, groups * channels, *spatial)),
        draw_usual(rng, (groups * outputs, channels, *kernel)),
    ]
    rank = len(spatial)
    border = [(0, 0), (0, 0), *zip(pads[:rank], pads[rank:])]

    def function(x, w, acc=0):
        wide = np.zeros((batch, groups * channels, *spread), x.dtype)
        wide[(slice(None), slice(None), *(slice(None, None, z) for z in zeros))] = x
        wide = np.pad(wide, border)
        counts = [
            (size - (d * (k - 1) + 1)) // s + 1
            for size, k, s, d in zip(wide.shape[2:], kernel, strides, dilations)
        ]
        y = 0
        for q, index in slices(kernel, strides, dilations, counts):
            patch = wide[index].reshape(batch, groups, channels, *counts)
            weights = w[(slice(None), slice(None), *q)].reshape(groups, outputs, channels)
            y = y + np.einsum("ngi...,goi->ngo...", patch, weights)
        return [y.reshape(batch, groups * outputs, *counts) + acc]

    (y,) = function(*values)
    text = ops.attributes(
        strides=ops.optional(rng, strides, 1),
        dilations=ops.optional(rng, dilations, 1),
        input_dilations=ops.optional(rng, zeros, 1),
        pads=ops.optional(rng, pads, 0),
        groups=None if groups == 1 else groups,
    )
    add_contraction(case, rng, values, text, y)
    return case.finish(rng, ["%y"], function)


# ===----------------------------------------------------------------------=== #
# Reductions
# ===----------------------------------------------------------------------=== #


def extreme(x, axes, keep, sign):
    """The greatest element by real parts, or the least one."""
    kept = [i for i in range(x.ndim) if i not in axes]
    rows = x.transpose(kept + axes).reshape([x.shape[i] for i in kept] + [-1])
    place = np.argmax(sign * rows.real, -1)
    y = np.take_along_axis(rows, place[..., None], -1)[..., 0]
    return y.reshape([1 if i in axes else s for i, s in enumerate(x.shape)]) if keep else y


def combine(x, kind, axes, keep):
    if kind in ("max", "min"):
        return extreme(x, axes, keep, 1 if kind == "max" else -1)
    function = {"sum": np.sum, "mean": np.mean, "prod": np.prod}[kind]
    return function(x, axis=tuple(axes), keepdims=keep)


def draw_reduced(rng, kind, shape):
    if kind in ("max", "min"):
        return draw_apart(rng, shape)[0]
    if kind != "prod":
        return draw_usual(rng, shape)
    # Some zeros: one alone, or several.
    values = draw_away(rng, shape, 0.7, 1.4)
    zeros = rng.random(shape) < pick(rng, [0, 0, 0.05, 0.3])
    return np.where(zeros, 0.0, values)


def make_reduce(rng, name):
    case = Case(name)
    kind = pick(rng, ["sum", "mean", "prod", "prod", "max", "min"])
    shape = ops.draw_shape(rng)
    shape = shape if math.prod(shape) <= 300 else (300,)
    axes = [i for i in range(len(shape)) if rng.random() < 0.5]
    if 0 in shape and kind in ("max", "min", "mean"):
        kind = "sum"
    keep, x = bool(rng.integers(2)), draw_reduced(rng, kind, shape)
    y = np.asarray(combine(x, kind, axes, keep))
    text = ops.attributes(axes=ops.ints(axes), keep_dims=keep)
    add_accumulated(
        case,
        rng,
        f"reduce {kind} {case.float(x)}{text} : {tensors(x)}",
        y,
        False if kind in ("max", "min") else None,
    )
    return case.finish(rng, ["%y"], lambda x: [combine(x, kind, axes, keep)])


def make_reduce_window(rng, name):
    case = Case(name)
    kind = pick(rng, ["sum", "mean", "prod", "prod", "max", "min"])
    spatial = ops.draw_spatial(rng)
    kernel, strides, dilations, _ = ops.draw_window(rng, spatial, False)
    x = draw_reduced(rng, kind, (*(int(v) for v in rng.integers(1, 4, 2)), *spatial))
    counts = [
        (size - (d * (k - 1) + 1)) // s + 1
        for size, k, s, d in zip(spatial, kernel, strides, dilations)
    ]

    def function(x):
        stacked = [x[index] for _, index in slices(kernel, strides, dilations, counts)]
        return [combine(np.stack(stacked), kind, [0], False)]

    (y,) = function(x)
    text = ops.attributes(
        kernel=ops.ints(kernel),
        strides=ops.optional(rng, strides, 1),
        dilations=ops.optional(rng, dilations, 1),
    )
    add_accumulated(
        case,
        rng,
        f"reduce_window {kind} {case.float(x)}{text} : {tensors(x)}",
        y,
        False if kind in ("max", "min") else None,
    )
    return case.finish(rng, ["%y"], function)


class Pool:
    """A pool: the elements of a tensor that its windows have at each position."""

    def __init__(self, rng):
        while True:
            drawn = ops.draw_pool(rng)
            if 0 not in drawn[0]:
                break
        self.spatial, *self.window, self.counts, self.after = drawn
        self.kernel, self.strides, self.dilations, self.pads, _ = self.window
        self.lead = [int(v) for v in rng.integers(1, 4, 2)]
        self.shape = (*self.lead, *self.spatial)

    def stack(self, x, fill):
        low = self.pads[: len(self.spatial)]
        x = np.pad(x, [(0, 0), (0, 0), *zip(low, self.after)], constant_values=fill)
        positions = slices(self.kernel, self.strides, self.dilations, self.counts)
        return np.stack([x[index] for _, index in positions])

    def select(self, x, values, sign):
        """Of `values`, those where windows select of x; 0 if there is nothing."""
        stacked = self.stack(x.real, np.nan)
        is_empty = np.isnan(stacked).all(0)
        stacked = np.where(np.isnan(stacked), -np.inf, sign * stacked)
        place = np.argmax(stacked, 0)[None]
        selected = np.take_along_axis(self.stack(values, 0), place, 0)[0]
        return np.where(is_empty, 0, selected), is_empty


def make_max_pool(rng, name):
    case, pool = Case(name), Pool(rng)
    x = draw_apart(rng, pool.shape)[0]

    def function(x):
        selected, is_empty = pool.select(x, x, 1)
        return [np.where(is_empty, -np.inf, selected)]

    (y,) = function(x)
    if not np.isfinite(y).all():
        return make_max_pool(rng, name)
    text = ops.pool_attributes(rng, *pool.window)
    case.op(f"%y = pop.max_pool {case.float(x)}{text} : {tensors(x)} -> {tensors(y)}")
    return case.finish(rng, ["%y"], function)


def make_avg_pool(rng, name):
    case, pool = Case(name), Pool(rng)
    include, rank = bool(rng.integers(2)), len(pool.spatial)
    counted = np.ones(pool.shape)
    if include:
        # What ceil_mode needs beyond the pads does not count.
        pads = list(zip(pool.pads[:rank], pool.pads[rank:]))
        ones = np.pad(counted, [(0, 0), (0, 0), *pads], constant_values=1)
        need = [l + s + a for l, s, a in zip(pool.pads, pool.spatial, pool.after)]
        ones = ones[(..., *(slice(size) for size in need))]
        ones = np.pad(ones, [(0, 0), (0, 0)] + [(0, n - s) for n, s in zip(need, ones.shape[2:])])
        positions = slices(pool.kernel, pool.strides, pool.dilations, pool.counts)
        number = sum(ones[index] for _, index in positions)
    else:
        number = pool.stack(counted, 0).sum(0)
    if (number == 0).any():
        return make_avg_pool(rng, name)
    x = draw_usual(rng, pool.shape)

    def function(x):
        return [pool.stack(x, 0).sum(0) / number]

    (y,) = function(x)
    text = ops.pool_attributes(rng, *pool.window, count_include_pad=include)
    case.op(f"%y = pop.avg_pool {case.float(x)}{text} : {tensors(x)} -> {tensors(y)}")
    return case.finish(rng, ["%y"], function)


def make_select_and_scatter(rng, name):
    case, pool = Case(name), Pool(rng)
    kind = pick(rng, ["max", "min"])
    x = draw_apart(rng, pool.shape)[0]
    if rng.random() < 0.3:
        # Equal elements.
        x = rng.integers(0, 3, pool.shape).astype(np.float64)
    source = draw_usual(rng, (*pool.lead, *pool.counts))
    # The op is the transpose of a selection of the numbers of elements.
    numbers = np.arange(1.0, x.size + 1).reshape(x.shape)
    chosen, _ = pool.select(x, numbers, 1 if kind == "max" else -1)
    places = chosen.astype(np.int64).ravel()

    def function(x, source):
        y = np.zeros(x.size + 1, source.dtype)
        np.add.at(y, places, source.ravel())
        return [y[1:].reshape(x.shape)]

    args = [case.float(x, is_required=False), case.float(source)]
    case.op(
        f"%y = pop.select_and_scatter {kind} {', '.join(args)}"
        f"{ops.pool_attributes(rng, *pool.window)} : {tensors(x, source)} -> {tensors(x)}"
    )
    return case.finish(rng, ["%y"], function)


# ===----------------------------------------------------------------------=== #
# Norms
# ===----------------------------------------------------------------------=== #


def make_softmax(rng, name):
    case = Case(name)
    shape = ops.draw_shape(rng, 1, 4)
    axis, x = int(rng.integers(len(shape))), draw_usual(rng, shape)

    def function(x):
        power = np.exp(x)
        return [power / power.sum(axis, keepdims=True)]

    case.op(f"%y = pop.softmax {case.float(x)}{ops.attributes(axis=axis)} : {tensors(x)}")
    return case.finish(rng, ["%y"], function)


def draw_epsilon(rng):
    epsilon = pick(rng, [0.0, 1e-5, 1e-3, 0.1])
    text = ops.attributes(epsilon=None if epsilon == 1e-5 else f"{epsilon:e} : f32")
    return np.float64(np.float32(epsilon)), text


def make_batch_norm(rng, name):
    case = Case(name)
    shape, (epsilon, text) = ops.draw_shape(rng, 2, 4), draw_epsilon(rng)
    values = [draw_usual(rng, shape)] + [draw_usual(rng, shape[1:2]) for _ in range(3)]
    values.append(draw_positive(rng, shape[1:2]))

    def function(x, *channels):
        scale, bias, mean, variance = (
            c.reshape([-1] + [1] * (x.ndim - 2)) if c.size else c for c in channels
        )
        if x.size == 0:
            return [x]
        return [(x - mean) * (scale / np.sqrt(variance + epsilon)) + bias]

    args = ", ".join(case.float(x) for x in values)
    case.op(f"%y = pop.batch_norm {args}{text} : {tensors(values[0], values[1])}")
    return case.finish(rng, ["%y"], function)


def make_batch_norm_training(rng, name):
    case = Case(name)
    shape, (epsilon, text) = ops.draw_shape(rng, 2, 4), draw_epsilon(rng)
    if 0 in shape or math.prod(shape) // shape[1] < 4:
        shape = (4, 3, 2)
    values = [draw_usual(rng, shape)] + [draw_usual(rng, shape[1:2]) for _ in range(2)]

    def function(x, scale, bias):
        axes = tuple(i for i in range(x.ndim) if i != 1)
        wide = [-1] + [1] * (x.ndim - 2)
        mean = x.mean(axes)
        centred = x - mean.reshape(wide)
        variance = (centred * centred).mean(axes)
        factor = scale / np.sqrt(variance + epsilon)
        return [centred * factor.reshape(wide) + bias.reshape(wide), mean, variance]

    args = ", ".join(case.float(x) for x in values)
    case.op(
        f"%y, %m, %v = pop.batch_norm_training {args}{text} : {tensors(values[0], values[1])}"
    )
    names = ["%y", "%m", "%v"]
    used = [i for i in range(3) if rng.random() < 0.7] or [0]
    return case.finish(
        rng,
        [names[i] for i in used],
        lambda *x: [function(*x)[i] for i in used],
    )


def make_arg_reduce(rng, name):
    """The extremes along one axis."""
    case = Case(name)
    kind = pick(rng, ["max", "min"])
    shape = tuple(max(size, 1) for size in ops.draw_shape(rng, 1, 3))
    axis, keep = int(rng.integers(len(shape))), bool(rng.integers(2))
    x = draw_apart(rng, shape)[0]
    i32 = next(type for type in ops.INTS if type.name == "i32")
    sizes = [-1 if i == axis else 1 for i in range(len(shape))]
    positions = np.arange(shape[axis], dtype=np.int32).reshape(sizes)

    def function(x, indices):
        find = np.argmax if kind == "max" else np.argmin
        places = np.expand_dims(find(x.real, axis=axis), axis)
        y = np.take_along_axis(x, places, axis)
        return [y if keep else y.squeeze(axis)]

    (y,) = function(x, positions)
    args = [case.float(x), case.input(np.broadcast_to(positions, shape), i32)]
    case.op(
        f"%y, %index = pop.arg_reduce {kind} {', '.join(args)}"
        f"{ops.attributes(axes=ops.ints([axis]), keep_dims=keep)} : {tensors(x)}, {ops.tensor(shape, i32)} -> "
        f"{tensors(y)}, {ops.tensor(y.shape, i32)}"
    )
    return case.finish(rng, ["%y"], function)


MAKERS = {
    "arg_reduce": make_arg_reduce,
    "matmul": make_matmul,
    "conv": make_conv,
    "reduce": make_reduce,
    "reduce_window": make_reduce_window,
    "max_pool": make_max_pool,
    "avg_pool": make_avg_pool,
    "select_and_scatter": make_select_and_scatter,
    "softmax": make_softmax,
    "batch_norm": make_batch_norm,
    "batch_norm_training": make_batch_norm_training,
}
