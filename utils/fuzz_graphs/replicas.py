# Part of ipu-mlir, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Groups of replicas, variables that they share, and collectives."""

import numpy as np

from fuzz_graphs import values as v
from fuzz_graphs.tensors import any_tensor
from fuzz_graphs.values import I1, Type

# ===----------------------------------------------------------------------=== #
# Groups
# ===----------------------------------------------------------------------=== #


class Groups:
    """`members` has the groups in order, `text` the attribute, or nothing."""

    def __init__(self, members, text):
        self.members, self.text = sorted(members, key=min), text

    @property
    def size(self):
        return len(self.members[0])

    @property
    def attribute(self):
        return f"groups = #pop.replica_groups<{self.text}>" if self.text else ""


def list_groups(members):
    return Groups(members, "[" + ", ".join(str(list(m)) for m in members) + "]")


def draw_chain(rng, count):
    """Strides and sizes of a mixed radix of the count."""
    chain, stride = [], 1
    while stride < count:
        rest = count // stride
        size = rng.choice([d for d in range(2, rest + 1) if rest % d == 0])
        chain.append((stride, size))
        stride *= size
    return chain


def make_nested(pairs, count):
    """Groups by pairs of stride and size, the slowest first."""
    offsets = [0]
    for stride, size in pairs:
        offsets = [o + i * stride for o in offsets for i in range(size)]
    left, members = set(range(count)), []
    while left:
        base = min(left)
        members.append([base + o for o in offsets])
        left -= set(members[-1])
    if len(pairs) == 1:
        return Groups(members, f"stride = {pairs[0][0]}, size = {pairs[0][1]}")
    return Groups(members, "[" + ", ".join(f"({s}, {g})" for s, g in pairs) + "]")


def draw_groups(rng, count):
    kind = rng.choice(["all", "strided", "nested", "nested", "listed"])
    if kind == "all":
        return Groups([list(range(count))], "")
    if kind == "listed":
        size = rng.choice([d for d in range(1, count + 1) if count % d == 0])
        order = rng.sample(range(count), count)
        return list_groups([order[i : i + size] for i in range(0, count, size)])
    chain = draw_chain(rng, count)
    few = 1 if kind == "strided" else len(chain)
    pairs = rng.sample(chain, rng.randint(0, min(few, len(chain))))
    return make_nested(pairs or [(1, 1)], count)


def draw_sharding(rng, groups):
    """Groups each in one of others."""
    if rng.random() < 0.4 and groups.text:
        return groups
    size = rng.choice([d for d in range(1, groups.size + 1) if groups.size % d == 0])
    members = []
    for group in groups.members:
        order = rng.sample(group, len(group))
        members += [order[i : i + size] for i in range(0, len(order), size)]
    return list_groups(members)


def cut(flat, count, index):
    """Part of a flat array, with zeros after its end."""
    part = -(-flat.size // count)
    padded = np.concatenate([flat, np.zeros(part * count - flat.size, flat.dtype)])
    return padded[index * part : (index + 1) * part]


# ===----------------------------------------------------------------------=== #
# Variables
# ===----------------------------------------------------------------------=== #


def shard(values, sharding, held):
    """What replicas hold of `values`, which their groups share."""
    parts = np.zeros((len(values), *held.shape), held.element.dtype)
    for group in sharding.members:
        for index, replica in enumerate(group):
            parts[replica] = cut(values[replica].reshape(-1), len(group), index)
    return parts


def draw_variable(program, name, type, row=None, is_sharded=False):
    """Declares a variable. Returns the type and the values of what replicas hold;
    `row` is a buffer and a row of it."""
    rng, count = program.rng, program.replicas
    groups = draw_groups(rng, count)
    first = v.draw_values(rng, (len(groups.members), *type.shape), type.element)
    attributes = [groups.attribute] if groups.text else []
    if rng.random() < 0.2:
        attributes.append("retrieval = #pop<retrieval all_replicas>")
    if row:
        attributes.append(f"buffer = @{row[0]}, row = {row[1]} : i64")
    held, sharding = type, None
    if is_sharded:
        sharding = draw_sharding(rng, groups)
        attributes.append(f"sharding = #pop.replica_groups<{sharding.text}>")
        held = Type((-(-type.size // sharding.size),), type.element)

    def spread(first):
        values = np.zeros((count, *type.shape), type.element.dtype)
        for group, own in zip(groups.members, first):
            values[group] = own
        return values if sharding is None else shard(values, sharding, held)

    values = spread(first)
    program.spreads[row or name] = (first.shape, spread)
    first = first if len(groups.members) > 1 else first[0]
    own = Type(first.shape, type.element)
    braces = f" {{{', '.join(attributes)}}}" if attributes else ""
    program.add_symbol(name, f"pop.variable @{name} : {type} = dense<{v.literal(first)}> : {own}{braces}",
                       row and row[0])
    return held, values


# ===----------------------------------------------------------------------=== #
# Collectives
# ===----------------------------------------------------------------------=== #


def draw_operator(program, element):
    rng = program.rng
    if element.is_float and program.operators:
        return rng.choices(list(program.operators), list(program.operators.values()))[0]
    if element.is_bool:
        return rng.choice(["logical_and", "logical_or", "local"])
    kinds = ["add", "mul", "min", "max", "square_add", "local"]
    return rng.choice(kinds + (["mean"] if element.is_float else ["logical_and", "logical_or"]))


def reduce_groups(program, kind, groups, values):
    """What all_reduce gives."""
    if kind == "local":
        return values
    result = np.zeros_like(values)
    for group in groups.members:
        result[group] = program.combine(kind, [values[r] for r in group])
    return result


def all_reduce(block, kind, x, groups):
    braces = f" {{{groups.attribute}}}" if groups.text else ""
    return block.tensor("all_reduce", x.type, f"pop.all_reduce {kind} {x}{braces} : {x.type}",
                        lambda values: reduce_groups(block.program, kind, groups, values), [x])


def make_uniform(block, x):
    """The greatest of the values of all replicas."""
    if block.program.replicas == 1:
        return x
    everyone = Groups([list(range(block.program.replicas))], "")
    return all_reduce(block, "logical_or" if x.type.element is I1 else "max", x, everyone)


def on_groups(block, op, x, groups, shape, attributes, compute, kind=""):
    """A collective with the results `compute(values of the group, index)`."""
    type = Type(tuple(shape), x.type.element)

    def run(values):
        result = np.zeros((len(values), *type.shape), values.dtype)
        for group in groups.members:
            for index, replica in enumerate(group):
                result[replica] = compute(values[group], index)
        return result

    attributes = attributes + ([groups.attribute] if groups.text else [])
    braces = f" {{{', '.join(attributes)}}}" if attributes else ""
    types = str(type) if op == "broadcast" else f"{x.type} to {type}"
    text = f"pop.{op} {kind}{x}{braces} : {types}"
    return block.tensor(op, type, text, run, [x])


def part_of(values, axis, count, index):
    """Part `index` of `count` along an axis, padded with zeros."""
    return np.apply_along_axis(lambda line: cut(line, count, index), axis, values)


def draw_replica_index(block):
    count = block.program.replicas
    block.tensor("replica_index", v.SCALAR_I32, "pop.replica_index : tensor<i32>",
                 lambda: np.arange(count, dtype=np.int32))


def draw_all_reduce(block):
    x = any_tensor(block)
    kind = draw_operator(block.program, x.type.element)
    all_reduce(block, kind, x, draw_groups(block.rng, block.program.replicas))


def draw_scatter_and_gather(block):
    """A part for each replica, which may be gathered again."""
    rng = block.rng
    x = any_tensor(block, lambda type: type.shape)
    groups = draw_groups(rng, block.program.replicas)
    axis = rng.randrange(len(x.type.shape))
    n, size = x.type.shape[axis], groups.size
    shape = list(x.type.shape)
    shape[axis] = -(-n // size)
    at = [f"axis = {axis} : i64"]
    if rng.random() < 0.4:
        part = on_groups(block, "replica_slice", x, groups, shape, at,
                         lambda values, i: part_of(values[i], axis, size, i))
    else:
        kind = draw_operator(block.program, x.type.element)

        def unite(values, i):
            return values[i] if kind == "local" else block.program.combine(kind, list(values))

        part = on_groups(block, "reduce_scatter", x, groups, shape, at,
                         lambda values, i: part_of(unite(values, i), axis, size, i), f"{kind} ")
    if rng.random() < 0.7:
        on_groups(block, "all_gather", part, groups, x.type.shape, at,
                  lambda values, i: np.take(np.concatenate(list(values), axis), range(n), axis))


def draw_all_to_all(block):
    rng = block.rng
    groups = draw_groups(rng, block.program.replicas)
    g = groups.size

    def fits(type):
        return any(d % g == 0 for d in type.shape) and type.size * g <= 256

    found = [t for t in block.tensors if fits(t.type)]
    if not found:
        return
    x = rng.choice(found)
    split = rng.choice([d for d, n in enumerate(x.type.shape) if n % g == 0])
    concat = rng.randrange(len(x.type.shape))
    shape = list(x.type.shape)
    shape[split] //= g
    shape[concat] *= g
    axes = [f"split_axis = {split} : i64", f"concat_axis = {concat} : i64"]
    on_groups(block, "all_to_all", x, groups, shape, axes,
              lambda values, i: np.concatenate([np.split(own, g, split)[i] for own in values], concat))


def draw_broadcast(block):
    x = any_tensor(block)
    groups = draw_groups(block.rng, block.program.replicas)
    root = block.rng.randrange(groups.size)
    on_groups(block, "broadcast", x, groups, x.type.shape, [f"root = {root} : i64"],
              lambda values, i: values[root])


def draw_permute(block):
    rng, count = block.rng, block.program.replicas
    x = any_tensor(block)
    number = rng.randint(1, count)
    pairs = list(zip(rng.sample(range(count), number), rng.sample(range(count), number)))

    def run(values):
        result = np.zeros_like(values)
        for source, target in pairs:
            result[target] = values[source]
        return result

    text = f"pop.collective_permute {x} {{pairs = {[list(p) for p in pairs]}}} : {x.type}"
    block.tensor("collective_permute", x.type, text, run, [x])


def draw_collective(block):
    if block.program.replicas == 1 and block.rng.random() < 0.7:
        return
    block.rng.choice([draw_replica_index, draw_all_reduce, draw_all_reduce, draw_scatter_and_gather,
                      draw_scatter_and_gather, draw_all_to_all, draw_broadcast, draw_permute])(block)


STATEMENTS = {draw_collective: 7}
