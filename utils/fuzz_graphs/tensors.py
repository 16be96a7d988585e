# Part of ipu-mlir, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Statements on tensors."""

import numpy as np

from fuzz_graphs import values as v
from fuzz_graphs.program import Statement, Value
from fuzz_graphs.values import I1, I32, Type

SHAPES = [(4,), (2, 3), (3, 2), (2, 2), (6,), (), (1, 4), (4, 1), (24,), (5,), (2, 2, 2), (3, 8)]


def ints(numbers):
    return "array<i64: " + ", ".join(map(str, numbers)) + ">"


# ===----------------------------------------------------------------------=== #
# Choice of types and values
# ===----------------------------------------------------------------------=== #


def draw_new_type(block):
    """Mostly one of a few, so that values meet."""
    program, rng = block.program, block.rng
    def draw():
        return Type(rng.choice(SHAPES), rng.choices(program.elements, program.element_weights)[0])

    while len(program.types) < 3:
        program.types.append(draw())
    return rng.choice(program.types) if rng.random() < 0.9 else draw()


def draw_type(block):
    """Mostly one of which there is a value."""
    if block.tensors and block.rng.random() < 0.6:
        return pick(block.rng, block.tensors).type
    return draw_new_type(block)


def pick(rng, found):
    """Prefers what came last: longer chains."""
    return rng.choice(found[-3:] if rng.random() < 0.4 else found)


def pick_tensor(block, type):
    """A value of the type: mostly one that is there."""
    found = [t for t in block.tensors if t.type == type]
    if found and block.rng.random() < 0.9:
        return pick(block.rng, found)
    make = block.program.make_tensor or draw_constant_of
    return make(block, type)


def draw_constant_of(block, type):
    return constant(block, v.draw_values(block.rng, type.shape, type.element), type)


def any_tensor(block, accept=lambda type: True):
    found = [t for t in block.tensors if accept(t.type)]
    if found:
        return pick(block.rng, found)
    while not accept(type := draw_type(block)):
        pass
    return pick_tensor(block, type)


# ===----------------------------------------------------------------------=== #
# Tensors
# ===----------------------------------------------------------------------=== #


def constant(block, values, type):
    everywhere = np.broadcast_to(values, (block.program.replicas, *type.shape))
    text = f"pop.constant dense<{v.literal(values)}> : {type}"
    return block.tensor("constant", type, text, lambda: everywhere)


def constant_i32(block, number):
    return constant(block, np.array(number, np.int32), v.SCALAR_I32)


def binary(block, op, a, b):
    shape = np.broadcast_shapes(a.type.shape, b.type.shape)
    type = Type(shape, a.type.element)
    types = str(type) if a.type == b.type else f"({a.type}, {b.type}) -> {type}"
    compute = lambda x, y: v.BINARY[op](v.spread(x, shape), v.spread(y, shape))  # noqa: E731
    return block.tensor(op, type, f"pop.{op} {a}, {b} : {types}", compute, [a, b])


def compare(block, op, a, b):
    shape = np.broadcast_shapes(a.type.shape, b.type.shape)
    type = Type(shape, I1)
    compute = lambda x, y: v.COMPARE[op](v.spread(x, shape), v.spread(y, shape))  # noqa: E731
    return block.tensor(op, type, f"pop.{op} {a}, {b} : ({a.type}, {b.type}) -> {type}", compute, [a, b])


def cast(block, x, element):
    type = Type(x.type.shape, element)
    return block.tensor("cast", type, f"pop.cast {x} : {x.type} to {type}",
                        lambda values: v.cast(values, element), [x])


def reshape(block, x, shape):
    type = Type(tuple(shape), x.type.element)
    return block.tensor("reshape", type, f"pop.reshape {x} : {x.type} to {type}",
                        lambda values: values.reshape(len(values), *shape), [x])


def slice_tensor(block, x, starts, sizes, steps):
    type = Type(tuple(sizes), x.type.element)
    text = f"{{starts = {ints(starts)}, sizes = {ints(sizes)}, steps = {ints(steps)}}}"
    indices = [[a + i * s for i in range(n)] for a, n, s in zip(starts, sizes, steps)]
    return block.tensor("slice", type, f"pop.slice {x} {text} : {x.type} -> {type}",
                        lambda values: values[np.ix_(range(len(values)), *indices)], [x])


def draw_constant(block):
    draw_constant_of(block, draw_type(block))


def draw_binary(block):
    rng = block.rng
    a = any_tensor(block)
    other = a.type
    if rng.random() < 0.2 and a.type.shape:
        other = Type(rng.choice([(), a.type.shape[1:]]), a.type.element)
    pair = [a, pick_tensor(block, other)]
    rng.shuffle(pair)
    binary(block, rng.choice(v.binaries_of(a.type.element)), *pair)


def draw_unary(block):
    x = any_tensor(block)
    op = block.rng.choice(v.unaries_of(x.type.element))
    block.tensor(op, x.type, f"pop.{op} {x} : {x.type}", v.UNARY[op], [x])


def draw_compare(block):
    a = any_tensor(block, lambda type: type.element is not I1)
    compare(block, block.rng.choice(list(v.COMPARE)), a, pick_tensor(block, a.type))


def draw_select(block):
    a = any_tensor(block)
    condition = pick_tensor(block, Type(a.type.shape, I1))
    b = pick_tensor(block, a.type)
    text = f"pop.select {condition}, {a}, {b} : {condition.type}, {a.type}, {a.type} -> {a.type}"
    block.tensor("select", a.type, text, np.where, [condition, a, b])


def draw_cast(block):
    x = any_tensor(block)
    cast(block, x, block.rng.choice([e for e in v.ELEMENTS if e is not x.type.element]))


def draw_shapes_of(rng, size):
    shapes = [(size,), (1, size), (size, 1)]
    return rng.choice(shapes + [(n, size // n) for n in (2, 3, 4) if size % n == 0 and size > n])


def draw_box(rng, shape):
    """Starts, sizes and steps of a slice that is not empty."""
    starts, sizes, steps = [], [], []
    for d in shape:
        start, step = rng.randrange(d), rng.choice([1, 1, 2, -1, -2])
        most = (d - 1 - start) // step + 1 if step > 0 else start // -step + 1
        starts.append(start)
        steps.append(step)
        sizes.append(rng.choice([most, rng.randint(1, most)]))
    return starts, sizes, steps


def draw_tensor_view(block):
    rng = block.rng
    x = any_tensor(block)
    rank = len(x.type.shape)
    kind = rng.choice(["reshape", "slice", "transpose"]) if rank else "reshape"
    if kind == "reshape":
        reshape(block, x, draw_shapes_of(rng, x.type.size))
    elif kind == "slice":
        slice_tensor(block, x, *draw_box(rng, x.type.shape))
    else:
        order = rng.sample(range(rank), rank)
        type = Type(tuple(x.type.shape[d] for d in order), x.type.element)
        text = f"pop.transpose {x} {{permutation = {ints(order)}}} : {x.type} -> {type}"
        axes = [0, *(d + 1 for d in order)]
        block.tensor("transpose", type, text, lambda values: values.transpose(axes), [x])


def draw_from_scalar(block):
    number = block.rng.randint(-3, 3)
    scalar = Value(block.name(), "i32")
    block.add(Statement("arith.constant", f"{scalar} = arith.constant {number} : i32",
                        lambda env: env.__setitem__(scalar, number), [], [scalar]))
    from_scalar(block, scalar)


def from_scalar(block, scalar):
    shape = (block.program.replicas,)
    text = f"pop.from_scalar {scalar} : {scalar.type} to tensor<i32>"
    return block.tensor("from_scalar", Type((), I32), text,
                        lambda number: np.full(shape, number, np.int32), [scalar])


STATEMENTS = {
    draw_constant: 1,
    draw_binary: 6,
    draw_unary: 2,
    draw_compare: 2,
    draw_select: 2,
    draw_cast: 3,
    draw_tensor_view: 4,
    draw_from_scalar: 1,
}
