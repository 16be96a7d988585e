# Part of ipu-mlir, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Statements whose values are equal on replicas for different reasons: by their values,
by groups, or by seeds."""

import numpy as np

import pop_random
from fuzz_graphs import refs, tensors, values as v
from fuzz_graphs.replicas import all_reduce, draw_groups, list_groups, make_uniform
from fuzz_graphs.tensors import any_tensor, binary, constant, constant_i32, pick_tensor
from fuzz_graphs.values import F16, F32, I1, I32, Element, Type

UI32 = Element("ui32", np.dtype(np.uint32))
SEED = Type((2,), UI32)


# ===----------------------------------------------------------------------=== #
# Equal in fact
# ===----------------------------------------------------------------------=== #


def hide(block, x, uniform):
    """`uniform`, in an op with `x`, which does not matter. No analysis of what is
    equal can tell."""
    if uniform.type.element is I1:
        none = binary(block, "and", x, not_(block, x))
        return binary(block, "or", uniform, none)
    most = 0 if uniform.type.element.dtype.kind == "u" else -10
    low = binary(block, "min", x, constant_of(block, uniform.type, most))
    return binary(block, "max", low, binary(block, "max", uniform, constant_of(block, uniform.type, most + 1)))


def not_(block, x):
    return block.tensor("not", x.type, f"pop.not {x} : {x.type}", v.UNARY["not"], [x])


def constant_of(block, type, number):
    return constant(block, np.full(type.shape, number, type.element.dtype), type)


def decide(block, x):
    """A scalar that decides what is executed, made of `x`: equal on all replicas,
    in fact or as can be told."""
    rng = block.rng
    other = pick_tensor(block, x.type)
    uniform = make_uniform(block, x)
    if rng.random() < 0.5:
        return uniform
    hidden = hide(block, other, uniform)
    if x.type.element is I1:
        return hidden
    return binary(block, "and", hidden, constant_i32(block, 3)) if x.type == v.SCALAR_I32 else hidden


def draw_hidden(block):
    """What is equal on all replicas, or on those of groups, and does not look so."""
    found = [t for t in block.tensors if t.type.element in (I32, F32, I1)]
    if not found:
        return
    x = tensors.pick(block.rng, found)
    groups = draw_groups(block.rng, block.program.replicas)
    uniform = all_reduce(block, "logical_or" if x.type.element is I1 else "max", x, groups)
    hide(block, pick_tensor(block, x.type), uniform)


def draw_regroup(block):
    """Reductions over the rows, then the columns of a grid of replicas: equal on
    all."""
    rng, count = block.rng, block.program.replicas
    x = any_tensor(block)
    size = rng.choice([d for d in range(1, count + 1) if count % d == 0])
    order = list(range(count))
    if rng.random() < 0.5:
        rng.shuffle(order)
    rows = [order[i : i + size] for i in range(0, count, size)]
    kind = "logical_and" if x.type.element is I1 else rng.choice(["add", "max", "min"])
    y = all_reduce(block, kind, x, list_groups(rows))
    if rng.random() < 0.8:
        # Groups and members have an order of their own: not always provable.
        all_reduce(block, kind, y, list_groups([list(column) for column in zip(*rows)]))


# ===----------------------------------------------------------------------=== #
# Random numbers
# ===----------------------------------------------------------------------=== #


def pick_seed(block):
    found = [t for t in block.tensors if t.type == SEED]
    if found and block.rng.random() < 0.8:
        return tensors.pick(block.rng, found)
    values = np.array([block.rng.randrange(1 << 16) for _ in "ab"], np.uint32)
    return constant(block, values, SEED)


def draw_random(block):
    rng = block.rng
    seed, type = pick_seed(block), tensors.draw_type(block)
    kind = rng.choice(["uniform", "bernoulli", "dropout", "split"])
    if kind == "split":
        return split_seed(block, seed)
    if kind == "uniform" and not type.element.is_float or type.element is UI32:
        type = Type(type.shape, rng.choice([F32, F16]))
    result = f"{seed.type} -> {type}"

    def spread(values):
        return values.astype(type.element.dtype).reshape(*values.shape[:-1], *type.shape)

    if kind == "uniform":
        block.tensor("random_uniform", type, f"pop.random_uniform {seed} : {result}",
                     lambda seeds: spread(pop_random.uniform(seeds, type.size, 0, 1)), [seed])
    elif kind == "bernoulli":
        block.tensor("random_bernoulli", type, f"pop.random_bernoulli {seed}, 5.0e-01 : {result}",
                     lambda seeds: spread(pop_random.bernoulli(seeds, type.size, 0.5)), [seed])
    else:
        x = any_tensor(block, lambda type: type.element.is_float)

        def compute(values, seeds):
            wide = pop_random.dropout(values.astype(np.float32), seeds, 0.5)
            return wide.astype(values.dtype)

        block.tensor("dropout", x.type, f"pop.dropout {x}, {seed}, 5.0e-01 : {x.type}, {SEED}",
                     compute, [x, seed])


def split_seed(block, seed):
    rows = block.rng.randint(1, 3)
    type = Type((rows, 2), UI32)
    seeds = block.tensor("split_seed", type, f"pop.split_seed {seed} : {SEED} -> {type}",
                         lambda seeds: pop_random.split_seed(seeds, rows), [seed])
    row = tensors.slice_tensor(block, seeds, [block.rng.randrange(rows), 0], [1, 2], [1, 1])
    tensors.reshape(block, row, (2,))


# ===----------------------------------------------------------------------=== #
# Views that overlap
# ===----------------------------------------------------------------------=== #


def draw_overlap(block):
    """Writes a part of a ref and reads another one that has some of it."""
    rng = block.rng
    found = [ref for ref in block.refs if ref.type.shape and ref.type.shape[0] > 2]
    if not found:
        return
    ref = tensors.pick(rng, found)
    size = ref.type.shape[0]
    at = rng.randrange(1, size - 1)
    parts = [(rng.randrange(at + 1), rng.randint(at + 1, size)) for _ in "ab"]
    views = [refs.slice_ref(block, ref, [a, *[0] * (len(ref.type.shape) - 1)],
                            [b - a, *ref.type.shape[1:]], [1] * len(ref.type.shape)) for a, b in parts]
    refs.copy_to(block, views[0], pick_tensor(block, views[0].type))
    if rng.random() < 0.7:
        refs.read_ref(block, views[1])


STATEMENTS = {draw_hidden: 2, draw_regroup: 3, draw_overlap: 5}
RANDOM = {draw_random: 3}
