# Part of ipu-mlir, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Statements on floats, which have derivatives, and statements on integers, which have none."""

import numpy as np

import pop_random
from fuzz_autodiff import ops
from fuzz_graphs import tensors
from fuzz_graphs import values as v
from fuzz_graphs.tensors import any_tensor, constant, ints, pick_tensor, reshape
from fuzz_graphs.values import I1, I32, Type
from fuzz_replica_equal.statements import SEED, pick_seed

SMALL = 36  # Elements of what a statement makes.


def is_float(type):
    return type.element.is_float


def any_float(block, accept=lambda type: True):
    return any_tensor(block, lambda type: is_float(type) and accept(type))


def pick_weighted(rng, table):
    """A name, by the last column of the rows of a table."""
    return rng.choices(list(table), [row[-1] for row in table.values()])[0]


# ===----------------------------------------------------------------------=== #
# Elementwise
# ===----------------------------------------------------------------------=== #


def unary(block, name, x):
    return block.tensor(name, x.type, f"pop.{name} {x} : {x.type}", ops.UNARY[name][0], [x])


def binary(block, name, a, b):
    shape = np.broadcast_shapes(a.type.shape, b.type.shape)
    type = Type(shape, a.type.element)
    types = str(type) if a.type == b.type else f"({a.type}, {b.type}) -> {type}"
    compute = ops.BINARY[name][0] if is_float(type) else v.BINARY[name]
    return block.tensor(name, type, f"pop.{name} {a}, {b} : {types}",
                        lambda x, y: compute(v.spread(x, shape), v.spread(y, shape)), [a, b])


def number(block, element, value):
    return constant(block, np.array(value, element.dtype), Type((), element))


def make_positive(block, x):
    """x^2 and a half."""
    return binary(block, "add", binary(block, "mul", x, x), number(block, x.type.element, 0.5))


def calm(block, x):
    """Mostly, keeps what may become large small."""
    if block.rng.random() < 0.5:
        unary(block, block.rng.choice(ops.BOUNDED), x)


def draw_unary(block):
    x, name = any_float(block), pick_weighted(block.rng, ops.UNARY)
    domain = ops.UNARY[name][1]
    y = unary(block, name, make_positive(block, x) if domain == ops.POSITIVE else x)
    if name == "exp":
        calm(block, y)


def draw_other(block, a):
    """An operand for `a`: of its type, or broadcast."""
    rng, other = block.rng, a.type
    if rng.random() < 0.3 and a.type.shape:
        shape = rng.choice([(), a.type.shape[1:], (*a.type.shape[:-1], 1)])
        other = Type(shape, a.type.element)
    return pick_tensor(block, other)


def draw_binary(block):
    rng = block.rng
    a = any_float(block)
    name, b = pick_weighted(rng, ops.BINARY), draw_other(block, a)
    pair = [a, b]
    rng.shuffle(pair)
    if ops.BINARY[name][1] == ops.POSITIVE:
        at = 0 if name == "pow" else 1
        pair[at] = make_positive(block, pair[at])
    y = binary(block, name, *pair)
    if name in ("mul", "pow", "div"):
        calm(block, y)


def draw_integers(block):
    """Beside what is differentiated."""
    a = any_tensor(block, lambda type: not is_float(type))
    kinds = [kind for kind in v.binaries_of(a.type.element) if kind != "mul"]
    binary(block, block.rng.choice(kinds), a, pick_tensor(block, a.type))


def draw_compare(block):
    a = any_tensor(block, lambda type: type.element is not I1)
    tensors.compare(block, block.rng.choice(list(v.COMPARE)), a, pick_tensor(block, a.type))


def add_sum(block, operands, type):
    types = ", ".join(str(x.type) for x in operands)
    block.tensor("sum", type, f"pop.sum {', '.join(map(str, operands))} : ({types}) -> {type}",
                 lambda *xs: sum(v.spread(x, type.shape) for x in xs), operands)


def draw_sum(block):
    """Of several operands, of which some may be one."""
    a = any_float(block)
    operands = [a, *(draw_other(block, a) for _ in range(block.rng.randint(0, 3)))]
    block.rng.shuffle(operands)
    add_sum(block, operands, a.type)


def draw_select(block):
    a = any_float(block)
    condition = pick_tensor(block, Type(a.type.shape, I1))
    b = pick_tensor(block, a.type)
    text = f"pop.select {condition}, {a}, {b} : {condition.type}, {a.type}, {a.type} -> {a.type}"
    block.tensor("select", a.type, text, np.where, [condition, a, b])


def draw_cast(block):
    """Of integers, or between the floats of the program."""
    block.rng.choice([cast_integers, cast_floats])(block)


def cast(block, x, element):
    type = Type(x.type.shape, element)
    return block.tensor("cast", type, f"pop.cast {x} : {x.type} to {type}",
                        lambda values: v.cast(values, element), [x])


def cast_integers(block):
    cast(block, any_tensor(block, lambda type: not is_float(type)), block.program.element)


def cast_floats(block):
    x = any_float(block)
    others = [e for e in block.program.elements if e.is_float and e is not x.type.element]
    if others:
        cast(block, x, block.rng.choice(others))


def draw_stop_gradient(block):
    if not block.program.has_stops:
        return
    x = any_float(block)
    block.tensor("stop_gradient", x.type, f"pop.stop_gradient {x} : {x.type}", np.real, [x])


# ===----------------------------------------------------------------------=== #
# Random numbers
# ===----------------------------------------------------------------------=== #


def draw_random(block):
    rng, seed = block.rng, pick_seed(block)
    x = any_float(block)
    if rng.random() < 0.7:
        ratio = rng.choice([0.25, 0.5])
        block.tensor("dropout", x.type, f"pop.dropout {x}, {seed}, {ratio} : {x.type}, {SEED}",
                     lambda values, seeds: pop_random.dropout(values, seeds, ratio), [x, seed])
    elif x.type.element.dtype.itemsize > 2:
        type, wide = x.type, x.type.element.dtype.type

        def compute(seeds):
            return pop_random.uniform(seeds, type.size, 0, 1, wide).reshape(-1, *type.shape)

        block.tensor("random_uniform", type, f"pop.random_uniform {seed} : {SEED} -> {type}", compute, [seed])


# ===----------------------------------------------------------------------=== #
# Shapes
# ===----------------------------------------------------------------------=== #


def draw_expand(block):
    x = any_float(block, lambda type: type.size * 3 <= SMALL)
    shape = list(x.type.shape)
    at = block.rng.choice([None, *(d for d, n in enumerate(shape) if n == 1)])
    if at is None:
        shape.insert(0, block.rng.randint(1, 3))
    else:
        shape[at] = block.rng.randint(2, 3)
    type = Type(tuple(shape), x.type.element)
    block.tensor("expand", type, f"pop.expand {x} : {x.type} to {type}", lambda values: v.spread(values, shape), [x])


def draw_concat(block):
    x = any_float(block, lambda type: type.shape and type.size * 2 <= SMALL)
    operands = [x, pick_tensor(block, x.type)]
    axis = block.rng.randrange(len(x.type.shape))
    shape = [n * 2 if d == axis else n for d, n in enumerate(x.type.shape)]
    type = Type(tuple(shape), x.type.element)
    text = (f"pop.concat {operands[0]}, {operands[1]} {{axis = {axis} : i64}} : "
            f"({x.type}, {x.type}) -> {type}")
    block.tensor("concat", type, text, lambda *xs: np.concatenate(xs, axis + 1), operands)


def draw_pad(block):
    rng = block.rng
    x = any_float(block, lambda type: type.shape and type.size <= 12)
    pads = [(rng.randint(0, 1), rng.randint(0, 1)) for _ in x.type.shape]
    type = Type(tuple(n + a + b for n, (a, b) in zip(x.type.shape, pads)), x.type.element)
    low, high = (ints(p) for p in zip(*pads))
    text = (f"pop.pad {x} {{high = {high}, low = {low}, value = 0.5 : {x.type.element.name}}} : "
            f"{x.type} -> {type}")
    block.tensor("pad", type, text,
                 lambda values: np.pad(values, [(0, 0), *pads], constant_values=0.5), [x])


def pick_index(block):
    """A number, mostly small: of the iteration, or any."""
    found = [t for t in block.tensors if t.type == v.SCALAR_I32]
    if found and block.rng.random() < 0.6:
        return tensors.pick(block.rng, found)
    return tensors.constant_i32(block, block.rng.randint(-1, 4))


def take(values, indices):
    """Rows of each replica; zeros where there is none."""
    inside = (indices >= 0) & (indices < values.shape[1])
    rows = np.stack([x[np.where(k, i, 0)] for x, i, k in zip(values, indices, inside)])
    return np.where(inside.reshape(inside.shape + (1,) * (rows.ndim - inside.ndim)), rows, 0)


def draw_gather(block):
    rng = block.rng
    x = any_float(block, lambda type: type.shape)
    shape = rng.choice([(2,), (3,), (), (2, 2)])
    if np.prod(shape) * x.type.size // x.type.shape[0] > SMALL:
        return
    if shape or rng.random() < 0.4:
        rows = x.type.shape[0]
        values = np.array([rng.randint(-1, rows) for _ in range(int(np.prod(shape)))], np.int32)
        indices = constant(block, values.reshape(shape), Type(shape, I32))
    else:
        indices = pick_index(block)
    type = Type((*shape, *x.type.shape[1:]), x.type.element)
    block.tensor("gather", type, f"pop.gather {x}, {indices} : ({x.type}, {indices.type}) -> {type}",
                 take, [x, indices])


def start_of(block, axis, shape, size):
    """Where a box starts: a tensor, and where it is for each replica."""
    start = reshape(block, pick_index(block), (1,))
    return start, lambda starts: np.clip(starts[:, 0], 0, shape[axis] - size)


def box_of(axis, first, size, rank):
    return (*[slice(None)] * axis, slice(first, first + size), *[slice(None)] * (rank - axis - 1))


def draw_dynamic_slice(block):
    x = any_float(block, lambda type: type.shape)
    shape, axis = x.type.shape, block.rng.randrange(len(x.type.shape))
    size = block.rng.randint(1, shape[axis])
    start, firsts = start_of(block, axis, shape, size)
    type = Type(tuple(size if d == axis else n for d, n in enumerate(shape)), x.type.element)

    def compute(values, starts):
        return np.stack([x[box_of(axis, n, size, len(shape))] for x, n in zip(values, firsts(starts))])

    text = (f"pop.dynamic_slice {x}[{start}] {{axes = {ints([axis])}, sizes = {ints([size])}}} : "
            f"{x.type}, {start.type} -> {type}")
    block.tensor("dynamic_slice", type, text, compute, [x, start])


def draw_dynamic_update(block):
    x = any_float(block, lambda type: type.shape)
    shape, axis = x.type.shape, block.rng.randrange(len(x.type.shape))
    size = block.rng.randint(1, shape[axis])
    start, firsts = start_of(block, axis, shape, size)
    own = Type(tuple(size if d == axis else n for d, n in enumerate(shape)), x.type.element)
    new = pick_tensor(block, own)

    def compute(values, updates, starts):
        result = values.astype(np.result_type(values, updates))
        for r, first in enumerate(firsts(starts)):
            result[r][box_of(axis, first, size, len(shape))] = updates[r]
        return result

    text = (f"pop.dynamic_update {x}, {new}[{start}] {{axes = {ints([axis])}}} : "
            f"{x.type}, {new.type}, {start.type}")
    block.tensor("dynamic_update", x.type, text, compute, [x, new, start])


# ===----------------------------------------------------------------------=== #
# Reductions and products
# ===----------------------------------------------------------------------=== #


def reduce(block, x, kind, axes):
    shape = tuple(n for d, n in enumerate(x.type.shape) if d not in axes)
    type, at = Type(shape, x.type.element), tuple(a + 1 for a in axes)
    return block.tensor("reduce", type, f"pop.reduce {kind} {x} {{axes = {ints(axes)}}} : {x.type} -> {type}",
                        lambda values: ops.REDUCE[kind][0](values, at), [x])


def draw_reduce(block):
    rng = block.rng
    x = any_float(block, lambda type: type.shape)
    rank = len(x.type.shape)
    kind = pick_weighted(rng, ops.REDUCE)
    y = reduce(block, x, kind, sorted(rng.sample(range(rank), rng.randint(1, rank))))
    if kind in ("sum", "prod"):
        calm(block, y)


def draw_softmax(block):
    x = any_float(block, lambda type: type.shape)
    axis = block.rng.randrange(len(x.type.shape))
    block.tensor("softmax", x.type, f"pop.softmax {x} {{axis = {axis} : i64}} : {x.type}",
                 lambda values: ops.softmax(values, axis + 1), [x])


def draw_matmul(block):
    rng = block.rng
    x = any_float(block)
    depth = rng.choice([d for d in (1, 2, 3, 4, 6) if x.type.size % d == 0])
    if len(x.type.shape) != 2:
        x = reshape(block, x, (x.type.size // depth, depth))
    rows, depth = x.type.shape
    shapes = [(depth, n) for n in range(1, 4) if n * rows <= SMALL]
    if not shapes:
        return
    found = [t.type.shape for t in block.tensors if t.type.element is x.type.element and t.type.shape in shapes]
    y = pick_tensor(block, Type(rng.choice(found or shapes), x.type.element))
    type = Type((rows, y.type.shape[1]), x.type.element)
    calm(block, block.tensor("matmul", type, f"pop.matmul {x}, {y} : ({x.type}, {y.type}) -> {type}",
                             np.matmul, [x, y]))


STATEMENTS = {
    tensors.draw_constant: 1,
    draw_unary: 9,
    draw_binary: 12,
    draw_integers: 2,
    draw_compare: 1,
    draw_sum: 3,
    draw_select: 2,
    draw_cast: 2,
    draw_stop_gradient: 1,
    draw_random: 2,
    tensors.draw_tensor_view: 3,
    draw_expand: 1,
    draw_concat: 1,
    draw_pad: 1,
    draw_gather: 1,
    draw_dynamic_slice: 1,
    draw_dynamic_update: 1,
    draw_reduce: 3,
    draw_softmax: 1,
    draw_matmul: 3,
}
