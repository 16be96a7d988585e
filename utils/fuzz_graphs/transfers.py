# Part of ipu-mlir, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Transfers: streams of the host, rows of remote buffers, code."""

import numpy as np

from fuzz_graphs import values as v
from fuzz_graphs.program import Statement, Value
from fuzz_graphs.replicas import draw_variable
from fuzz_graphs.tensors import any_tensor, binary, constant_i32, draw_type, pick_tensor

# ===----------------------------------------------------------------------=== #
# Host
# ===----------------------------------------------------------------------=== #


def draw_own_transfers(program, name):
    """The attributes that give a stream a number of tensors; none if the module says how many."""
    if not program.draws_own_transfers or program.rng.random() < 0.7:
        return []
    program.own_transfers[name] = program.rng.randint(1, 4)
    return [f"transfers = {program.own_transfers[name]} : i64"]


def in_braces(attributes):
    return f" {{{', '.join(attributes)}}}" if attributes else ""


def add_input(program, type, is_broadcast=None):
    rng, name = program.rng, f"in{len(program.inputs)}"
    if is_broadcast is None:
        is_broadcast = rng.random() < 0.25
    if is_broadcast:
        program.broadcasts.add(name)
    replicas = 1 if is_broadcast else program.replicas
    attributes = draw_own_transfers(program, name)
    transfers = program.count_transfers(name)
    shape = (transfers, replicas, *type.shape)
    values = v.make_input(name, program.input_seed, shape, type.element)
    values = np.broadcast_to(values, (transfers, program.replicas, *type.shape))
    program.inputs[name] = (type, values)
    word = " broadcast" if is_broadcast else ""
    if rng.random() < 0.2:
        attributes.append(f"depth = {rng.randint(1, 3)} : i64")
    program.add_symbol(name, f"pop.stream @{name} host_to_device{word} : {type}{in_braces(attributes)}")
    return name


def load_from_host(block, name):
    program = block.program
    type = program.inputs[name][0]
    return block.tensor("host_load", type, f"pop.host_load @{name} : {type}",
                        lambda: program.take(name))


def store_to_host(block, x, name=None):
    """To a stream that is there, or a new one."""
    program = block.program
    if name is None:
        name = f"out{len(program.outputs)}"
        program.outputs[name] = x.type
        attributes = draw_own_transfers(program, name)
        program.add_symbol(name, f"pop.stream @{name} device_to_host : {x.type}{in_braces(attributes)}")

    def run(env):
        program.stored[name][program.next(name)] = env[x]

    block.add(Statement("host_store", f"pop.host_store {x}, @{name} : {x.type}", run, [x]))


def draw_host_load(block, outer=None):
    program, rng = block.program, block.rng
    if not program.inputs or rng.random() < 0.2:
        add_input(program, draw_type(outer or block))
    load_from_host(block, rng.choice(list(program.inputs)))


def draw_host_store(block, outer=None):
    x = any_tensor(outer or block)
    names = [name for name, type in block.program.outputs.items() if type == x.type]
    store_to_host(block, x, block.rng.choice(names) if names and block.rng.random() < 0.5 else None)


# ===----------------------------------------------------------------------=== #
# Remote buffers
# ===----------------------------------------------------------------------=== #


def add_buffer(program, type, is_sharded):
    """All rows have first values: a checked run does not load others."""
    rng, name = program.rng, f"buffer{len(program.buffers)}"
    place, rows, held = len(program.symbols), [], None
    for row in range(rng.randint(1, 4)):
        arguments = (program, f"{name}_row{row}")
        own, values = draw_variable(*arguments, type, (name, row), is_sharded)
        if held not in (None, own):
            # Groups of another size would make another type.
            program.symbols.pop()
            own, values = draw_variable(*arguments, held, (name, row))
        held = own
        rows.append(values)
    program.buffers[name], program.buffer_types[name] = rows, held
    program.add_symbol(name, f"pop.remote_buffer @{name} : {len(rows)} x {held}")
    program.symbols.insert(place, program.symbols.pop())


def draw_row(block, rows):
    """A row that data says: its text, and the value."""
    found = [t for t in block.tensors if t.type == v.SCALAR_I32]
    x = block.rng.choice(found) if found else pick_tensor(block, v.SCALAR_I32)
    row = binary(block, "max", x, constant_i32(block, 0))
    return binary(block, "min", row, constant_i32(block, rows - 1))


def load_row(block, buffer, row):
    """`row` is a number or a tensor."""
    program = block.program
    type = program.buffer_types[buffer]

    def compute(*numbers):
        rows = program.rows[buffer]
        if not numbers:
            return rows[row].copy()
        found = program.bound(numbers[0], len(rows) - 1)
        return np.stack([rows[n][r] for r, n in enumerate(found)])

    uses = [row] if isinstance(row, Value) else []
    return block.tensor("remote_load" + " dynamic" * len(uses), type,
                        f"pop.remote_load @{buffer}[{row}] : {type}", compute, uses)


def store_row(block, x, buffer, row):
    program = block.program
    uses = [row] if isinstance(row, Value) else []

    def run(env):
        rows = program.rows[buffer]
        numbers = program.bound(env[row], len(rows) - 1) if uses else [row] * program.replicas
        for r, n in enumerate(numbers):
            rows[n][r] = env[x][r]

    text = f"pop.remote_store {x}, @{buffer}[{row}] : {x.type}"
    block.add(Statement("remote_store" + " dynamic" * len(uses), text, run, [x, *uses]))


def draw_remote(block):
    program, rng = block.program, block.rng
    if not program.buffers:
        return
    buffer = rng.choice(list(program.buffers))
    rows = len(program.buffers[buffer])
    row = draw_row(block, rows) if rng.random() < 0.3 else rng.randrange(rows)
    if rng.random() < 0.6:
        load_row(block, buffer, row)
    else:
        store_row(block, pick_tensor(block, program.buffer_types[buffer]), buffer, row)


# ===----------------------------------------------------------------------=== #
# Exchanges
# ===----------------------------------------------------------------------=== #


def add_rows(block, inner, buffer):
    """Transfers of a buffer that do not meet in a row."""
    program, rng = block.program, block.rng
    rows, type = len(program.buffers[buffer]), program.buffer_types[buffer]
    kind = rng.random()
    if kind < 0.15:
        store_row(inner, pick_tensor(block, type), buffer, draw_row(block, rows))
        return
    if kind < 0.3:
        for _ in range(rng.randint(1, 3)):
            load_row(inner, buffer, draw_row(block, rows))
        return
    for row in rng.sample(range(rows), rng.randint(1, rows)):
        if rng.random() < 0.6:
            load_row(inner, buffer, row)
        else:
            store_row(inner, pick_tensor(block, type), buffer, row)


def draw_exchange(block):
    program, rng = block.program, block.rng
    if not program.buffers:
        return
    inner = block.inside(depth=9)
    inner.tensors = []
    for buffer in rng.sample(list(program.buffers), rng.randint(1, len(program.buffers))):
        add_rows(block, inner, buffer)
    if rng.random() < 0.4:
        draw_host_store(inner, block)
    if rng.random() < 0.4:
        draw_host_load(inner, block)
    if rng.random() < 0.15:
        draw_code_load(inner, destinations=["executable"])
    rng.shuffle(inner.statements)
    close_region(block, "remote_exchange", inner, inner.tensors)


def close_region(block, op, inner, yields):
    """An op of pop with one region, which is executed once."""
    inner.finish("pop.yield", yields)
    if not yields:
        inner.terminator = None
    results = [Value(block.name(), y.type) for y in yields]

    def run(env):
        env.update(zip(results, inner.run(dict(env))))

    types = ", ".join(str(r.type) for r in results)
    first = (", ".join(map(str, results)) + " = " if results else "") + f"pop.{op} {{"
    block.add(Statement(op, first, run, [], results, [inner], "}" + (f" : {types}" if results else "")))
    block.tensors += results


# ===----------------------------------------------------------------------=== #
# Code
# ===----------------------------------------------------------------------=== #


def draw_code_load(block, destinations=("executable", "executable", "io_buffer", "compute_buffer")):
    """Code that is there or not: results do not change."""
    program, rng = block.program, block.rng
    if not program.functions:
        return
    functions = rng.sample(program.functions, rng.choice([1, 1, 1, min(2, len(program.functions))]))
    for function in functions:
        function.is_loaded = True
    names = [f"@{function.name}" for function in functions]
    graphs = names[0] if len(names) == 1 else f"[{', '.join(names)}]"
    destination = rng.choice(destinations)
    text, at = f"pop.remote_code_load {graphs} to {destination}", destination
    # On its way, it may go to the other places as well.
    while len(destinations) > 1 and (at != "executable" or rng.random() < 0.2):
        target = rng.choice([place for place in sorted(set(destinations)) if place != at])
        text += f"\npop.code_copy {graphs} from {at} to {target}"
        at = target
    block.add(Statement(f"remote_code_load {destination}", text, lambda env: None))


STATEMENTS = {
    draw_host_load: 3,
    draw_host_store: 3,
    draw_remote: 6,
    draw_exchange: 4,
    draw_code_load: 3,
}
