# Part of ipu-mlir, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random programs."""

import random

from fuzz_graphs import refs, regions, replicas, tensors, transfers
from fuzz_graphs.program import Block, Function, Program, TooLong, Value, make_root

for module in (tensors, refs, replicas, transfers, regions):
    regions.ALL.update(module.STATEMENTS)

REPLICAS = [1, 1, 1, 1, 2, 3, 4, 6, 8]


# What all replicas do at once.
TOGETHER = [replicas.draw_collective, *transfers.STATEMENTS]


def draw_symbols(program):
    rng = program.rng
    scratch = Block(program)
    for i in range(rng.randint(1, 3)):
        type, is_sharded = tensors.draw_type(scratch), rng.random() < 0.3
        held, values = replicas.draw_variable(program, f"w{i}", type, None, is_sharded)
        program.variables[f"w{i}"], program.variable_types[f"w{i}"] = values, held
    for _ in range(rng.choice([0, 1, 1, 2])):
        transfers.add_buffer(program, tensors.draw_type(scratch), rng.random() < 0.3)
    for _ in range(rng.randint(1, 2)):
        transfers.add_input(program, tensors.draw_type(scratch))


def draw_function(program, number):
    rng = program.rng
    scratch = Block(program)
    arguments = []
    for _ in range(rng.randint(0, 3)):
        name, type = scratch.name(), tensors.draw_type(scratch)
        if rng.random() < 0.4:
            type = rng.choice(list(program.variable_types.values()))
        arguments.append(make_root(name, type) if rng.random() < 0.5 else Value(name, type))
    body = Block(program, [a for a in arguments if not a.is_ref], [a for a in arguments if a.is_ref], 1)
    program.named = set()
    regions.fill(body, 2, 7)
    for x in rng.sample(body.tensors, min(rng.randint(0, 2), len(body.tensors))):
        transfers.store_to_host(body, x)
    body.finish("return", [tensors.pick_tensor(body, tensors.draw_type(body))
                           for _ in range(rng.randint(0, 2))])
    function = Function(f"f{number}", arguments, body)
    function.variables = program.named
    function.is_private = rng.random() < 0.7
    function.is_loaded = rng.random() < 0.2
    program.functions.append(function)


def draw_main(program):
    """Ends with stores of all refs and rows, and some tensors."""
    rng = program.rng
    body = Block(program)
    for name in program.inputs:
        transfers.load_from_host(body, name)
    for name, type in program.variable_types.items():
        refs.get_variable(body, name, type)
    regions.fill(body, 4, 14)
    stored = rng.sample(body.tensors, min(5, len(body.tensors)))
    for ref in body.refs:
        stored.append(refs.read_ref(body, ref))
    for buffer, rows in program.buffers.items():
        stored += [transfers.load_row(body, buffer, row) for row in range(len(rows))]
    for x in stored:
        transfers.store_to_host(body, x)
    body.finish("return", [])
    main = Function("main", [], body)
    main.is_private = False
    program.functions.append(main)


def draw_once(rng):
    program = Program(rng)
    program.replicas = rng.choice(REPLICAS)
    program.transfers = rng.choice([1, 1, 2, 3])
    program.draws_own_transfers = True
    program.input_seed = rng.randrange(1000)
    tiles = rng.choice([1, 2, 3, 4, 8, 16])
    words = [f"tiles = {tiles} : i64"]
    if program.replicas > 1:
        program.may_diverge = program.may_be_refused = rng.random() < 0.25
        program.together = TOGETHER
        words.append(f"replicas = {program.replicas} : i64")
    if tiles > 1 and rng.random() < 0.25:
        words.append(f"io_tiles = {rng.randint(1, tiles // 2)} : i64")
    program.target = f'ipu.target = #ipu.target<"gc200", {{{", ".join(words)}}}>'
    draw_symbols(program)
    for number in range(rng.randint(0, 3)):
        draw_function(program, number)
    draw_main(program)
    return program


def draw_program(seed):
    """A program that ends soon, and its results."""
    rng = random.Random(seed)
    while True:
        program = draw_once(rng)
        try:
            return program, program.run()
        except TooLong:
            continue
