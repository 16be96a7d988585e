# Part of ipu-mlir, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Collectives: arrays have the values of all replicas, one after the other."""

import numpy as np

from .cases import F64, Case, draw_apart, draw_usual, ops, pick


def draw_groups(rng, replicas):
    """Groups of replicas, and the text of the attribute, which may be absent."""
    if rng.random() < 0.3:
        return [list(range(replicas))], None
    size = int(pick(rng, [n for n in range(1, replicas + 1) if replicas % n == 0]))
    if rng.random() < 0.5:
        stride = int(pick(rng, [n for n in range(1, replicas + 1) if replicas % (n * size) == 0]))
        first = [i for i in range(replicas) if i // stride % size == 0]
        groups = [[i + k * stride for k in range(size)] for i in first]
        return groups, f"#pop.replica_groups<stride = {stride}, size = {size}>"
    order = [int(i) for i in rng.permutation(replicas)]
    groups = [order[i : i + size] for i in range(0, replicas, size)]
    return groups, f"#pop.replica_groups<{groups}>"


def draw_shape(rng):
    return tuple(int(v) for v in rng.integers(1, 8, rng.integers(1, 4)))


def greatest(x, sign):
    place = np.argmax(sign * x.real, 0)[None]
    return np.take_along_axis(x, place, 0)[0]


COMBINE = {
    "add": lambda x: x.sum(0),
    "mean": lambda x: x.mean(0),
    "square_add": lambda x: (x * x).sum(0),
    "max": lambda x: greatest(x, 1),
    "min": lambda x: greatest(x, -1),
}


def combine(x, kind, groups):
    """What `pop.all_reduce` gives each replica."""
    if kind == "local":
        return x
    y = np.empty_like(x)
    for group in groups:
        y[group] = COMBINE[kind](x[group])
    return y


def draw_values(rng, kind, shape):
    return draw_apart(rng, shape)[0] if kind in ("max", "min") else draw_usual(rng, shape)


def take_parts(x, axis, groups):
    """Part i of the value of each replica of index i in its group."""
    size = len(groups[0])
    part = -(-x.shape[axis + 1] // size)
    border = [(0, 0)] * x.ndim
    border[axis + 1] = (0, part * size - x.shape[axis + 1])
    padded = np.pad(x, border)
    rows = [None] * len(x)
    for group in groups:
        for i, replica in enumerate(group):
            rows[replica] = np.take(padded[replica], range(i * part, (i + 1) * part), axis)
    return np.stack(rows)


def finish(case, rng, text, x, function, to=None, **attributes):
    """A case of the one op `text`; `to` is between its types, if there are two."""
    y = function(x)
    types = ops.tensor(x.shape[1:], F64)
    if to:
        types += f" {to} {ops.tensor(y.shape[1:], F64)}"
    case.op(f"%y = pop.{text} {case.float(x)}{ops.attributes(**attributes)} : {types}")
    return case.finish(rng, ["%y"], lambda x: [function(x)])


def make_all_reduce(rng, name, replicas):
    case, kind = Case(name, replicas), pick(rng, [*COMBINE, "local"])
    groups, text = draw_groups(rng, replicas)
    x = draw_values(rng, kind, (replicas, *draw_shape(rng)))
    return finish(
        case, rng, f"all_reduce {kind}", x, lambda x: combine(x, kind, groups), groups=text
    )


def make_part(rng, name, replicas):
    case, kind = Case(name, replicas), pick(rng, [*COMBINE, "local"])
    kind = "local" if name == "replica_slice" else kind
    groups, text = draw_groups(rng, replicas)
    x = draw_values(rng, kind, (replicas, *draw_shape(rng)))
    axis = int(rng.integers(x.ndim - 1))

    def function(x):
        return take_parts(combine(x, kind, groups), axis, groups)

    op = name if name == "replica_slice" else f"{name} {kind}"
    return finish(case, rng, op, x, function, "to", axis=axis, groups=text)


def make_all_gather(rng, name, replicas):
    case = Case(name, replicas)
    groups, text = draw_groups(rng, replicas)
    whole = list(draw_shape(rng))
    axis = int(rng.integers(len(whole)))
    part = list(whole)
    part[axis] = -(-whole[axis] // len(groups[0]))

    def function(x):
        y = np.empty((replicas, *whole), x.dtype)
        for group in groups:
            joined = np.concatenate([x[i] for i in group], axis)
            y[group] = np.take(joined, range(whole[axis]), axis)
        return y

    x = draw_usual(rng, (replicas, *part))
    return finish(case, rng, name, x, function, "to", axis=axis, groups=text)


def make_all_to_all(rng, name, replicas):
    case = Case(name, replicas)
    groups, text = draw_groups(rng, replicas)
    shape, size = list(draw_shape(rng)), len(groups[0])
    split, concat = (int(v) for v in rng.integers(len(shape), size=2))
    shape[split] *= size

    def function(x):
        rows = [None] * replicas
        for group in groups:
            parts = [np.split(x[i], size, split) for i in group]
            for i, replica in enumerate(group):
                rows[replica] = np.concatenate([p[i] for p in parts], concat)
        return np.stack(rows)

    x = draw_usual(rng, (replicas, *shape))
    return finish(
        case, rng, name, x, function, "to", split_axis=split, concat_axis=concat, groups=text
    )


def make_broadcast(rng, name, replicas):
    case = Case(name, replicas)
    groups, text = draw_groups(rng, replicas)
    root = int(rng.integers(len(groups[0])))

    def function(x):
        y = np.empty_like(x)
        for group in groups:
            y[group] = x[group[root]]
        return y

    x = draw_usual(rng, (replicas, *draw_shape(rng)))
    return finish(case, rng, name, x, function, root=root, groups=text)


def make_permute(rng, name, replicas):
    case = Case(name, replicas)
    sources, targets = rng.permutation(replicas), rng.permutation(replicas)
    count = int(rng.integers(1, replicas + 1))
    pairs = [[int(s), int(t)] for s, t in zip(sources[:count], targets[:count])]

    def function(x):
        y = np.zeros_like(x)
        for source, target in pairs:
            y[target] = x[source]
        return y

    x = draw_usual(rng, (replicas, *draw_shape(rng)))
    return finish(case, rng, name, x, function, pairs=pairs)


MAKERS = {
    "all_reduce": make_all_reduce,
    "all_gather": make_all_gather,
    "reduce_scatter": make_part,
    "replica_slice": make_part,
    "all_to_all": make_all_to_all,
    "broadcast": make_broadcast,
    "collective_permute": make_permute,
}
