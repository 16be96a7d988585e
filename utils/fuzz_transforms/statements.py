# Part of ipu-mlir, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Statements for transforms that merge, move or erase ops. A correct transform changes some
of these statements and keeps the others."""

import re

import numpy as np

from fuzz_graphs import refs, regions, tensors, transfers
from fuzz_graphs import values as v
from fuzz_graphs.program import COLLECTIVES, Statement, Storage, Value, make_root
from fuzz_graphs.tensors import any_tensor, binary, cast, constant, pick_tensor, reshape
from fuzz_graphs.values import F32, I32, Type
from fuzz_replica_equal import statements as random_ops
from fuzz_transforms import seeds

# What may go where only some replicas are.
LOCAL = {"read", "select", "cast", "reshape", "slice", "transpose", *v.BINARY, *v.COMPARE, *v.UNARY}


# ===----------------------------------------------------------------------=== #
# Duplicates
# ===----------------------------------------------------------------------=== #


def clone_value(block, old):
    """A value for what a second op makes that equals the one that made `old`."""
    name = block.name()
    if not old.is_ref:
        new = Value(name, old.type)
    elif old.root is old:
        new = make_root(name, old.type)
        new.variable = old.variable
    else:
        new = Value(name, old.type, old.root, old.indices)
    new.diverges = old.diverges
    return new


def clone(block, original):
    """The same statement again, with results of its own."""
    results = {old: clone_value(block, old) for old in original.results}
    text = original.text
    for old, new in results.items():
        text = re.sub(rf"{old}\b", str(new), text)

    def run(env):
        inner = dict(env)
        original.run(inner)
        env.update({new: inner[old] for old, new in results.items() if old in inner})

    statement = block.add(Statement(original.op, text, run, original.uses, results.values()))
    statement.callee, statement.original = original.callee, original
    for new in results.values():
        if new.is_ref:
            block.refs.append(new)
        elif isinstance(new.type, Type):
            block.tensors.append(new)
    return statement


def can_clone(block, statement):
    if statement.regions or "\n" in statement.text or seeds.is_unknown(statement):
        return False
    if statement.op == "rough sum":  # Bounds are only known of where one is stored.
        return False
    return not block.diverges or statement.op in LOCAL


def draw_duplicate(block):
    """Something of this region or one around it, once more."""
    found, around = [], block
    while around:
        found += [s for s in around.statements if can_clone(block, s)]
        around = around.outer
    if found:
        first = clone(block, block.rng.choice(found))
        if block.rng.random() < 0.3:
            clone(block, first)
        if first.results and first.results[0] in block.tensors and block.rng.random() < 0.3:
            show(block, first)


def draw_reads(block):
    """A ref is read before and after a write, of itself or of another one."""
    rng = block.rng
    if (ref := refs.any_ref(block)) is None:
        return
    refs.read_ref(block, ref)
    first = block.statements[-1]
    if rng.random() < 0.8:
        target = ref if rng.random() < 0.6 else refs.any_ref(block)
        refs.copy_to(block, target, pick_tensor(block, target.type))
    show(block, clone(block, first))


def draw_slot_update(block):
    """A slice of what a ref holds is replaced, and the ref gets the result, mostly later."""
    rng = block.rng
    if (ref := refs.any_ref(block, lambda type: type.shape)) is None:
        return
    refs.read_ref(block, ref)
    first, shape = block.statements[-1], ref.type.shape
    axis = rng.randrange(len(shape))
    size = rng.randint(1, shape[axis])
    new = pick_tensor(block, Type((*shape[:axis], size, *shape[axis + 1:]), ref.type.element))
    number = np.array([rng.randint(-2, shape[axis] + 1)], np.int32)
    start = constant(block, number, Type((1,), I32))

    def compute(values, updates, starts):
        result = values.copy()
        for part, update, at in zip(result, updates, np.clip(starts[:, 0], 0, shape[axis] - size)):
            part[(*[slice(None)] * axis, slice(at, at + size))] = update
        return result

    text = (f"pop.dynamic_update {first.results[0]}, {new}[{start}] {{axes = {tensors.ints([axis])}}} : "
            f"{ref.type}, {new.type}, {start.type}")
    result = block.tensor("dynamic_update", ref.type, text, compute, [first.results[0], new, start])
    if rng.random() < 0.7:
        show(block, block.statements[-1])
    if rng.random() < 0.3:
        draw_reads(block)
    refs.copy_to(block, ref, result)
    if rng.random() < 0.3:
        show(block, clone(block, first))


def draw_stores(block):
    """Two stores one after the other, mostly to one row or stream."""
    program, rng = block.program, block.rng
    if program.buffers and rng.random() < 0.5:
        buffer = rng.choice(list(program.buffers))
        type, rows = program.buffer_types[buffer], len(program.buffers[buffer])
        values = [pick_tensor(block, type), tensors.draw_constant_of(block, type)]
        row = rng.randrange(rows)
        for x in rng.sample(values, 2):
            transfers.store_row(block, x, buffer, row if rng.random() < 0.8 else rng.randrange(rows))
        transfers.load_row(block, buffer, row)
        show(block, block.statements[-1])
        return
    x = any_tensor(block)
    y = tensors.draw_constant_of(block, x.type)
    transfers.store_to_host(block, x)
    transfers.store_to_host(block, y, list(program.outputs)[-1] if rng.random() < 0.8 else None)


def draw_loads(block):
    """Two loads of one stream: they come in their order."""
    program, rng = block.program, block.rng
    if not program.inputs:
        transfers.add_input(program, tensors.draw_type(block))
    name = rng.choice(list(program.inputs))
    first = transfers.load_from_host(block, name)
    show(block, clone(block, block.statements[-1]))
    transfers.store_to_host(block, first)


def draw_almost_equal(block):
    """Two ops with one operand in common."""
    x = any_tensor(block)
    op = block.rng.choice(v.binaries_of(x.type.element))
    for y in (pick_tensor(block, x.type), tensors.draw_constant_of(block, x.type)):
        binary(block, op, x, y)
        show(block, block.statements[-1])


def draw_argument_use(block):
    """Something made of an argument of @main."""
    if found := [x for x in block.tensors if x in block.program.arguments]:
        x = block.rng.choice(found)
        binary(block, block.rng.choice(v.binaries_of(x.type.element)), x, pick_tensor(block, x.type))
        show(block, block.statements[-1])


def draw_calls(block):
    """A call and the same again: it may change what it reads."""
    regions.draw_call(block)
    original = block.statements[-1] if block.statements else None
    if original and original.callee and can_clone(block, original):
        if original.results:
            show(block, original)
            show(block, clone(block, original))


def draw_twins(block):
    """Two tensors in memory that begin equal, of which one is written."""
    rng, type = block.rng, tensors.draw_type(block)
    if rng.random() < 0.5:
        ref = refs.alloc(block, type)
    else:
        x = pick_tensor(block, type)
        ref = refs.origin(block, "from_tensor", f"pop.from_tensor {x} : {type}", type,
                          lambda env: Storage(env[x]), [x])
    pair = [ref, clone(block, block.statements[-1]).results[0]]
    rng.shuffle(pair)
    refs.copy_to(block, pair[0], pick_tensor(block, type))
    refs.read_ref(block, pair[1])
    show(block, block.statements[-1])


def show(block, statement):
    """Mostly, the host sees what a statement gives."""
    if not block.diverges and block.rng.random() < 0.7:
        transfers.store_to_host(block, statement.results[0])


def draw_rows(block):
    """A row is loaded before and after a store, mostly to the same row."""
    program, rng = block.program, block.rng
    if not program.buffers:
        return
    buffer = rng.choice(list(program.buffers))
    rows = len(program.buffers[buffer])
    row = transfers.draw_row(block, rows) if rng.random() < 0.3 else rng.randrange(rows)
    transfers.load_row(block, buffer, row)
    first = block.statements[-1]
    if rng.random() < 0.8:
        target = row if rng.random() < 0.7 else rng.randrange(rows)
        transfers.store_row(block, pick_tensor(block, program.buffer_types[buffer]), buffer, target)
    show(block, clone(block, first))


# ===----------------------------------------------------------------------=== #
# What is not used
# ===----------------------------------------------------------------------=== #


def hide(block, draw):
    """Whatever `draw` makes is not used outside."""
    known, shown = list(block.tensors), list(block.refs)
    draw()
    block.tensors, block.refs = known, shown


def draw_dead(block):
    hide(block, lambda: regions.fill(block, 1, 3))


def draw_dead_call(block):
    hide(block, lambda: regions.draw_call(block))


UPDATES = [refs.draw_binary_update, refs.draw_unary_update, refs.draw_copy, refs.draw_view,
           refs.draw_accumulate]


def draw_dead_stores(block):
    """Writes to what is allocated here and, mostly, not read."""
    rng, type, shown = block.rng, tensors.draw_type(block), block.refs

    def draw():
        block.refs = []
        ref = refs.alloc(block, type)
        for _ in range(rng.randint(1, 3)):
            rng.choice(UPDATES)(block)
        kind = rng.random()
        if kind < 0.15:
            rng.choice([regions.draw_for, regions.draw_if])(block)
        elif kind < 0.3:
            regions.draw_call(block)
        return rng.choice([ref, block.refs[-1]])

    ref = draw()
    block.refs = shown
    if rng.random() < 0.3:
        refs.read_ref(block, ref)


# ===----------------------------------------------------------------------=== #
# Transfers in a row
# ===----------------------------------------------------------------------=== #


def pick_stored(block, type, loaded):
    """Often what was loaded just now."""
    found = [x for x in loaded if x.type == type]
    return block.rng.choice(found) if found and block.rng.random() < 0.5 else pick_tensor(block, type)


def draw_transfer(block, rows, loaded):
    """One transfer; `rows` are those that data says, by buffer."""
    program, rng = block.program, block.rng
    kind = rng.choice(["row", "row", "row", "host load", "host store"])
    if kind == "host load" or not program.buffers and kind == "row":
        if not program.inputs:
            transfers.add_input(program, tensors.draw_type(block))
        loaded.append(transfers.load_from_host(block, rng.choice(list(program.inputs))))
    elif kind == "host store":
        x = pick_stored(block, rng.choice(block.tensors or [any_tensor(block)]).type, loaded)
        names = [name for name, type in program.outputs.items() if type == x.type]
        transfers.store_to_host(block, x, rng.choice(names) if names and rng.random() < 0.5 else None)
    else:
        buffer = rng.choice(list(rows))
        row = rows[buffer] if rng.random() < 0.25 else rng.randrange(len(program.buffers[buffer]))
        if rng.random() < 0.5:
            loaded.append(transfers.load_row(block, buffer, row))
        else:
            transfers.store_row(block, pick_stored(block, program.buffer_types[buffer], loaded), buffer, row)


def draw_transfers(block):
    """Transfers one after the other, with a few other ops between them."""
    program, rng = block.program, block.rng
    rows = {name: transfers.draw_row(block, len(held)) for name, held in program.buffers.items()}
    loaded = []
    for _ in range(rng.randint(2, 6)):
        draw_transfer(block, rows, loaded)
        kind = rng.random()
        if kind < 0.15:
            refs.alloc(block, tensors.draw_type(block))
        elif kind < 0.25:
            rng.choice([tensors.draw_unary, tensors.draw_tensor_view, refs.draw_read, refs.draw_copy])(block)


def draw_code_loads(block):
    """Loads of code one after the other, of which some may be one."""
    for _ in range(block.rng.randint(2, 3)):
        transfers.draw_code_load(block, destinations=["executable"])
        if block.rng.random() < 0.2:
            block.rng.choice([tensors.draw_unary, refs.draw_read, refs.draw_copy])(block)


# ===----------------------------------------------------------------------=== #
# Sums
# ===----------------------------------------------------------------------=== #


def make_small(block, x):
    """Whole numbers from 0 to 15 in f32: sums are exact in any order."""
    x = x if x.type.element is I32 else cast(block, x, I32)
    return cast(block, binary(block, "and", x, constant(block, np.array(15, np.int32), v.SCALAR_I32)), F32)


def reduce_sum(block, x, axes):
    shape = tuple(d for i, d in enumerate(x.type.shape) if i not in axes)
    type, at = Type(shape, x.type.element), tuple(a + 1 for a in axes)
    text = f"pop.reduce sum {x} {{axes = {tensors.ints(axes)}}} : {x.type} -> {type}"
    return block.tensor("reduce", type, text, lambda values: values.sum(at, dtype=values.dtype), [x])


def matmul(block, x, y):
    type = Type((x.type.shape[0], y.type.shape[1]), x.type.element)
    text = f"pop.matmul {x}, {y} : ({x.type}, {y.type}) -> {type}"
    return block.tensor("matmul", type, text, np.matmul, [x, y])


def draw_sum(block):
    """Exact: of whole numbers."""
    rng = block.rng
    x = make_small(block, any_tensor(block, lambda type: type.size <= 64 and type.shape))
    if rng.random() < 0.5:
        rank = len(x.type.shape)
        reduce_sum(block, x, sorted(rng.sample(range(rank), rng.randint(1, rank))))
        return
    depth = rng.choice([d for d in (1, 2, 3, 4, 6) if x.type.size % d == 0])
    x = reshape(block, x, (x.type.size // depth, depth))
    matmul(block, x, make_small(block, pick_tensor(block, Type((depth, rng.randint(1, 4)), I32))))


def add_all(block, operands, compute):
    """The variadic sum, of which operands may be broadcast."""
    type = Type(np.broadcast_shapes(*(x.type.shape for x in operands)), operands[0].type.element)
    text = f"pop.sum {', '.join(map(str, operands))} : ({', '.join(str(x.type) for x in operands)}) -> {type}"
    return type, text, lambda env: compute([v.spread(env[x], type.shape) for x in operands])


def draw_variadic_sum(block):
    """Exact: of whole numbers, of which some may be one or broadcast."""
    rng = block.rng
    first = any_tensor(block, lambda type: type.size <= 64)
    shapes = [first.type.shape] * 2 + ([first.type.shape[1:], ()] if first.type.shape else [])
    operands = [make_small(block, first)]
    for _ in range(rng.randint(1, 5)):
        if rng.random() < 0.2:
            operands.append(rng.choice(operands))
        else:
            operands.append(make_small(block, pick_tensor(block, Type(rng.choice(shapes), I32))))
    if rng.random() < 0.4:
        operands = [cast(block, x, v.F16) for x in operands]
    rng.shuffle(operands)
    type, text, _ = add_all(block, operands, sum)
    block.tensor("sum", type, text, lambda *xs: sum(v.spread(x, type.shape) for x in xs), operands)


def store_rough(block, type, text, operands, compute, terms):
    """Stores a sum whose bits depend on its order. Only the host gets it, with how far
    it may be off: two orders differ by at most the roundings of both. `compute` gives
    the sum, or that of the magnitudes."""
    program = block.program
    name, result = f"out{len(program.outputs)}", Value(block.name(), type)
    program.outputs[name] = type
    program.add_symbol(name, f"pop.stream @{name} device_to_host : {type}")

    def run(env):
        at = program.next(name)
        program.stored[name][at] = env[result]
        program.bounds.setdefault(name, np.zeros_like(program.stored[name]))
        magnitudes = {x: np.abs(env[x]).astype(np.float64) for x in operands}
        program.bounds[name][at] = terms * 2.0**-24 * compute(magnitudes)

    block.add(Statement("rough sum", f"{result} = {text}",
                        lambda env: env.__setitem__(result, compute(env)), operands, [result]))
    block.add(Statement("host_store", f"pop.host_store {result}, @{name} : {type}", run, [*operands, result]))


def load_new(block, type):
    return transfers.load_from_host(block, transfers.add_input(block.program, type))


def draw_rough_sum(block):
    rng = block.rng
    terms, count = rng.choice([5, 40, 300, 1100]), rng.randint(1, 3)
    x, type = load_new(block, Type((count, terms), F32)), Type((count,), F32)
    text = f"pop.reduce sum {x} {{axes = array<i64: 1>}} : {x.type} -> {type}"
    store_rough(block, type, text, [x], lambda env: env[x].sum(-1, dtype=np.float64), terms)
    if rng.random() < 0.5:
        block.tensors.remove(x)


def draw_rough_variadic_sum(block):
    count = block.rng.randint(1, 6)
    operands = [load_new(block, Type((count,), F32)) for _ in range(block.rng.randint(3, 6))]
    type, text, compute = add_all(block, operands, lambda xs: sum(x.astype(np.float64) for x in xs))
    store_rough(block, type, text, operands, compute, len(operands))


STATEMENTS = {
    draw_duplicate: 14,
    draw_reads: 5,
    draw_slot_update: 4,
    draw_rows: 6,
    draw_twins: 4,
    draw_stores: 4,
    draw_loads: 3,
    draw_almost_equal: 3,
    draw_calls: 5,
    draw_dead: 3,
    draw_dead_call: 3,
    draw_dead_stores: 5,
    draw_transfers: 6,
    draw_code_loads: 3,
    draw_sum: 3,
    draw_variadic_sum: 3,
    draw_rough_sum: 1,
    draw_rough_variadic_sum: 1,
    random_ops.draw_random: 5,
}
# What all replicas do at once.
TOGETHER = [draw_rows, draw_stores, draw_loads, draw_transfers, draw_code_loads, draw_rough_sum,
            draw_rough_variadic_sum]
assert not LOCAL & COLLECTIVES
