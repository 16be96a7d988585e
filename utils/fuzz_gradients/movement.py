# Part of ipu-mlir, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Ops that move elements, by shape or by index."""

import itertools
import math

import numpy as np

from .cases import Case, draw_apart, draw_usual, ops, pick, tensors


def make_view(rng, name):
    case = Case(name)
    shape = ops.draw_shape(rng)
    if name == "expand":
        shape = ops.draw_part(rng, shape)
    x, seed = draw_usual(rng, shape), int(rng.integers(2**31))

    def draw(x):
        return ops.draw_view(np.random.default_rng(seed), name, np.asarray(x))

    text, to, y = draw(x)
    case.op(f"%y = pop.{name} {case.float(x)}{text} : {tensors(x)} {to} {tensors(y)}")
    return case.finish(rng, ["%y"], lambda x: [draw(x)[2]])


def make_ref(rng, name):
    """Views of a ref to a copy of the operand."""
    case = Case(name)
    shape = ops.draw_shape(rng, 1)
    x, seed = draw_usual(rng, shape), int(rng.integers(2**31))

    def ref(values):
        return "!pop.ref" + tensors(values).removeprefix("tensor")

    def draw(x):
        if name != "ref_row":
            return ops.draw_view(np.random.default_rng(seed), name[4:], x)
        other = np.random.default_rng(seed)
        indices = [int(other.integers(size)) for size in x.shape[: other.integers(1, x.ndim + 1)]]
        return f"[{', '.join(map(str, indices))}]", "->", x[tuple(indices)]

    if name == "ref_row" and 0 in shape:
        x = draw_usual(rng, (2, 3))
    text, to, y = draw(x)
    y = np.asarray(y)
    case.op(f"%r = pop.from_tensor {case.float(x)} : {tensors(x)}")
    case.op(f"%v = pop.{name} %r{text} : {ref(x)} {to} {ref(y)}")
    case.op(f"%y = pop.read %v : {ref(y)}")
    return case.finish(rng, ["%y"], lambda x: [np.asarray(draw(x)[2])])


def make_concat(rng, name):
    case = Case(name)
    shape = ops.draw_shape(rng, 1)
    axis = int(rng.integers(len(shape)))
    parts = []
    for _ in range(rng.integers(1, 5)):
        part = list(shape)
        part[axis] = int(rng.integers(0 if rng.random() < 0.2 else 1, 9))
        parts.append(draw_usual(rng, part))
    args = ", ".join(case.float(part) for part in parts)
    y = np.concatenate(parts, axis)
    case.op(
        f"%y = pop.concat {args}{ops.attributes(axis=axis)} : ({tensors(*parts)}) -> {tensors(y)}"
    )
    return case.finish(rng, ["%y"], lambda *x: [np.concatenate(x, axis)])


def make_pad(rng, name):
    case = Case(name)
    shape = ops.draw_shape(rng)
    low, high = (
        [int(v) for v in rng.integers(0, 4, len(shape)) * rng.integers(0, 2, len(shape))]
        for _ in range(2)
    )
    x, value = draw_usual(rng, shape), float(f"{rng.standard_normal():e}")

    def function(x):
        border = list(zip(low, high))
        return [np.pad(x, border, constant_values=value) if shape else x]

    text = ops.attributes(low=ops.ints(low), high=ops.ints(high), value=f"{value:e} : f64")
    (y,) = function(x)
    case.op(f"%y = pop.pad {case.float(x)}{text} : {tensors(x)} -> {tensors(y)}")
    return case.finish(rng, ["%y"], function)


def make_copy(rng, name):
    case = Case(name)
    if name != "ipu_copy":
        x = draw_usual(rng, ops.draw_shape(rng))
        to = f" to {pick(rng, ['io', 'compute'])}" if name == "io_tile_copy" else ""
        case.op(f"%y = pop.{name} {case.float(x)}{to} : {tensors(x)}")
        return case.finish(rng, ["%y"], lambda x: [x])
    destination = int(rng.integers(4))
    values = [draw_usual(rng, ops.draw_shape(rng)) for _ in range(rng.integers(1, 4))]
    sources = [(destination + int(rng.integers(1, 4))) % 4 for _ in values]
    args, names = [case.float(x) for x in values], [f"%y{i}" for i in range(len(values))]
    case.op(
        f"{', '.join(names)} = pop.ipu_copy {', '.join(args)} from {sources} to {destination} : "
        f"{tensors(*values)}"
    )
    return case.finish(rng, names, lambda *x: x)


# ===----------------------------------------------------------------------=== #
# Rows and boxes
# ===----------------------------------------------------------------------=== #


def draw_rows(rng):
    """Batch dimensions, those of indices and of rows, and a number of rows, which is
    often less than that of indices."""
    batch = ops.draw_dims(rng, 4) if rng.random() < 0.3 else ()
    inner = ops.draw_dims(rng, 6) or (int(rng.integers(2, 9)),)
    return batch, inner, ops.draw_dims(rng, 5), int(pick(rng, [0, 1, 2, 2, 3, 3, 7]))


def make_gather(rng, name):
    case = Case(name)
    index = pick(rng, ops.INTS)
    batch, inner, rest, rows = draw_rows(rng)
    table = draw_usual(rng, (*batch, rows, *rest))
    indices = ops.draw_indices(rng, index, (*batch, *inner), rows)
    count = math.prod(batch)

    def function(table, indices):
        full = np.zeros((count, rows + 1, *rest), table.dtype)
        full[:, :rows] = table.reshape(count, rows, *rest)
        inside = (indices >= 0) & (indices < rows)
        place = np.where(inside, indices, rows).astype(np.int64)
        y = full[np.arange(count)[:, None], place.reshape(count, math.prod(inner))]
        return [y.reshape((*batch, *inner, *rest))]

    (y,) = function(table, indices)
    args = [case.float(table), case.input(indices, index)]
    text = ops.attributes(batch_dims=len(batch) or None)
    case.op(
        f"%y = pop.gather {args[0]}, {args[1]}{text} : ({tensors(table)}, "
        f"{ops.tensor(indices.shape, index)}) -> {tensors(y)}"
    )
    return case.finish(rng, ["%y"], function)


def make_sort(rng, name):
    """A key of floats that are not close to each other, a key of integers, and floats."""
    case = Case(name)
    shape = ops.draw_shape(rng, 1, 3)
    axis = int(rng.integers(len(shape)))
    order = pick(rng, ["ascending", "descending"])
    count = math.prod(shape)
    key = rng.permutation(count).reshape(shape) / max(count, 1) - 0.5
    first = rng.integers(0, 3, shape).astype(np.int32)
    values = draw_usual(rng, shape)
    i32 = next(type for type in ops.INTS if type.name == "i32")

    def function(first, key, values):
        second = key.real if order == "ascending" else -key.real
        places = np.lexsort((second, first), axis=axis)
        return [np.take_along_axis(x, places, axis) for x in (key, values)]

    args = [case.input(first, i32), case.float(key), case.float(values)]
    types = f"{ops.tensor(shape, i32)}, {tensors(key, values)}"
    case.op(
        f"%first, %y0, %y1 = pop.sort {', '.join(args)} by [ascending, {order}]"
        f"{ops.attributes(axis=f'{axis} : i64')} : ({types}) -> ({types})"
    )
    return case.finish(rng, ["%y0", "%y1"], function)


SCATTER = {
    "replace": lambda x, y: y,
    "add": lambda x, y: x + y,
    "mul": lambda x, y: x * y,
    "max": lambda x, y: np.where(x.real > y.real, x, y),
    "min": lambda x, y: np.where(x.real < y.real, x, y),
}


def make_scatter(rng, name):
    case = Case(name)
    kind, index = pick(rng, list(SCATTER)), pick(rng, ops.INTS)
    batch, inner, rest, rows = draw_rows(rng)
    shapes = (*batch, rows, *rest), (*batch, *inner, *rest)
    x, updates = draw_apart(rng, *shapes)
    if kind == "mul":
        x, updates = (draw_usual(rng, shape) for shape in shapes)
    indices = ops.draw_indices(rng, index, (*batch, *inner), rows)
    count, number = math.prod(batch), math.prod(inner)

    def function(x, indices, updates):
        y = x.reshape(count, rows, *rest).astype(np.result_type(x, updates))
        steps = updates.reshape(count, number, *rest)
        places = indices.reshape(count, number)
        for b, i in itertools.product(range(count), range(number)):
            row = int(places[b, i])
            if 0 <= row < rows:
                y[b, row] = SCATTER[kind](y[b, row], steps[b, i])
        return [y.reshape(x.shape)]

    args = [case.float(x), case.input(indices, index)]
    args.append(case.float(updates, is_required=kind != "mul"))
    text = ops.attributes(batch_dims=len(batch) or None)
    case.op(
        f"%y = pop.scatter {kind} {', '.join(args)}{text} : {tensors(x)}, "
        f"{ops.tensor(indices.shape, index)}, {tensors(updates)}"
    )
    return case.finish(rng, ["%y"], function)


def make_dynamic(rng, name):
    case = Case(name)
    index, shape = pick(rng, ops.INTS), ops.draw_shape(rng)
    axes = [int(i) for i in rng.permutation(len(shape)) if rng.random() < 0.6]
    sizes = [int(rng.integers(1, shape[i] + 1)) if shape[i] else 0 for i in axes]
    # Two boxes, which may overlap.
    info = np.iinfo(index.dtype)
    starts = [
        np.clip([rng.integers(-2, shape[i] + 2) for i in axes], info.min, info.max).astype(index.dtype)
        for _ in range(2)
    ]
    x = draw_usual(rng, shape)

    def box(start):
        places = [slice(None)] * len(shape)
        for axis, size, first in zip(axes, sizes, start):
            first = max(0, min(int(first), shape[axis] - size))
            places[axis] = slice(first, first + size)
        return tuple(places)

    arg, text = case.float(x), ops.tensor((len(axes),), index)
    part = x[box(starts[0])]
    if name == "dynamic_slice":
        for i, start in enumerate(starts):
            attributes = ops.attributes(axes=ops.ints(axes), sizes=ops.ints(sizes))
            case.op(
                f"%y{i} = pop.dynamic_slice {arg}[{case.input(start, index)}]{attributes} : "
                f"{tensors(x)}, {text} -> {tensors(part)}"
            )
        return case.finish(
            rng, ["%y0", "%y1"], lambda x, *starts: [x[box(start)] for start in starts]
        )

    def function(x, update, start):
        y = x.astype(np.result_type(x, update))
        y[box(start)] = update
        return [y]

    update = draw_usual(rng, part.shape)
    args = [case.float(update), case.input(starts[0], index)]
    case.op(
        f"%y = pop.dynamic_update {arg}, {args[0]}[{args[1]}]{ops.attributes(axes=ops.ints(axes))} : "
        f"{tensors(x, update)}, {text}"
    )
    return case.finish(rng, ["%y"], function)


MAKERS = {
    **{name: make_view for name in ("reshape", "transpose", "slice", "expand")},
    **{name: make_ref for name in ("ref_reshape", "ref_transpose", "ref_slice", "ref_row")},
    **{name: make_copy for name in ("copy", "ipu_copy", "io_tile_copy")},
    "concat": make_concat,
    "pad": make_pad,
    "gather": make_gather,
    "scatter": make_scatter,
    "sort": make_sort,
    **{name: make_dynamic for name in ("dynamic_slice", "dynamic_update")},
}
