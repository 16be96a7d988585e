# Part of ipu-mlir, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Values that become equal part by part: views that cover a ref, and rows of a buffer in
a loop. Also functions that several calls use for variables of all kinds."""

import numpy as np

from fuzz_graphs import refs, regions, tensors, transfers
from fuzz_graphs.program import Statement, Value
from fuzz_graphs.replicas import all_reduce, draw_groups
from fuzz_graphs.tensors import binary, constant_i32, from_scalar, pick_tensor
from fuzz_graphs.values import I1


def reduce_mostly(block, x):
    """`x`, reduced by groups, or as it is where replicas take different ways."""
    if block.diverges or block.rng.random() < 0.2:
        return x
    kind = "logical_or" if x.type.element is I1 else block.rng.choice(["max", "min", "add"])
    return all_reduce(block, kind, x, draw_groups(block.rng, block.program.replicas))


def draw_cover(block):
    """Replaces a ref part by part, mostly all of it, and reads it."""
    rng = block.rng
    found = [ref for ref in block.refs if ref.type.shape and ref.type.shape[0] > 1]
    if not found:
        return
    ref = tensors.pick(rng, found)
    size, rest = ref.type.shape[0], ref.type.shape[1:]
    if rng.random() < 0.5:
        cuts = sorted({0, size, *(rng.randrange(1, size) for _ in range(rng.randint(1, 3)))})
        parts = [(a, b - a, 1) for a, b in zip(cuts, cuts[1:])]
    else:
        step = rng.randint(2, min(size, 3))
        parts = [(a, len(range(a, size, step)), step) for a in range(step)]
    rng.shuffle(parts)
    if rng.random() < 0.2:
        parts.pop()
    for start, count, step in parts:
        view = refs.slice_ref(block, ref, [start, *[0] * len(rest)], [count, *rest],
                              [step, *[1] * len(rest)])
        x = refs.read_ref(block, view) if rng.random() < 0.5 else pick_tensor(block, view.type)
        refs.copy_to(block, view, reduce_mostly(block, x))
    refs.read_ref(block, ref)


def draw_row(block, number, first, count):
    """The row for an iteration of `count`, from the first row or from the last."""
    rng = block.rng
    if rng.random() < 0.6:
        if first == 0 and rng.random() < 0.7:
            return number
        return binary(block, "add", number, constant_i32(block, first))
    last = constant_i32(block, first + count - 1)
    if rng.random() < 0.7:
        return binary(block, "sub", last, number)
    return binary(block, "add", binary(block, "mul", number, constant_i32(block, -1)), last)


def draw_row_loop(block):
    """Loads rows of a buffer, mostly all, and stores something to each."""
    program, rng = block.program, block.rng
    if not program.buffers or block.depth >= regions.DEPTH:
        return
    buffer = rng.choice(list(program.buffers))
    rows = len(program.buffers[buffer])
    count = rows if rng.random() < 0.7 else rng.randint(1, rows)
    first = rng.randint(0, rows - count)
    bounds = [regions.index(block, number) for number in (0, count, 1)]
    inner, counter = block.inside([]), Value(block.name(), "index")
    row = draw_row(inner, from_scalar(inner, counter), first, count)
    x = transfers.load_row(inner, buffer, row)
    if rng.random() < 0.3:
        regions.fill(inner, 1, 2)
        x = pick_tensor(inner, x.type)
    x = reduce_mostly(inner, x)
    if rng.random() < 0.8:
        transfers.store_row(inner, x, buffer, row)
    if rng.random() < 0.2:
        transfers.draw_remote(inner)
    inner.finish("scf.yield", [])
    inner.terminator = None

    def run(env):
        for i in range(count):
            program.execute(inner, {**env, counter: i}, np.ones(program.replicas, bool))

    text = f"scf.for {counter} = {bounds[0]} to {bounds[1]} step {bounds[2]} {{"
    block.add(Statement("scf.for", text, run, bounds, [], [inner]))
    transfers.load_row(block, buffer, rng.randrange(rows))


def draw_shared(block):
    """Calls a function twice, for variables that may start and end differently."""
    program, rng = block.program, block.rng
    found = [f for f in program.functions
             if any(a.is_ref for a in f.arguments) and not (block.diverges and f.has_collectives())]
    if not found:
        return
    function = rng.choice(found)
    for argument in function.arguments:
        names = [n for n, type in program.variable_types.items()
                 if argument.is_ref and type == argument.type and n not in function.variables]
        for name in rng.sample(names, min(2, len(names))):
            refs.get_variable(block, name, argument.type)
    for _ in "ab":
        regions.call(block, function)


STATEMENTS = {draw_cover: 4, draw_row_loop: 4, draw_shared: 6}
