# Part of ipu-mlir, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random programs on several replicas."""

import random

from fuzz_graphs import draw, refs, regions, replicas, tensors, transfers
from fuzz_graphs.program import Block, NotUniform, TooLong
from fuzz_graphs.values import F16, Type
from fuzz_replica_equal import rounding, statements, unions
from fuzz_replica_equal.observe import ObservedProgram

REPLICAS = [2, 2, 3, 4, 4, 4, 6, 8, 8]


def get_statements(program):
    kinds = dict(tensors.STATEMENTS)
    for group in (refs.STATEMENTS, transfers.STATEMENTS, regions.STATEMENTS, statements.STATEMENTS,
                  unions.STATEMENTS):
        kinds.update(group)
    kinds[replicas.draw_collective] = 14
    kinds[tensors.draw_constant] = kinds[tensors.draw_from_scalar] = 0
    # Each of these reads less of what is equal than it writes of what is not.
    kinds[tensors.draw_select] = kinds[transfers.draw_host_store] = 1
    kinds[transfers.draw_code_load] = 0
    kinds[transfers.draw_remote] = 8
    kinds[transfers.draw_exchange] = 2
    kinds[tensors.draw_binary] = 8
    if program.has_rounding:
        kinds[rounding.draw_rounded] = 80 if program.forces_methods else 16
    if program.has_random:
        kinds.update(statements.RANDOM)
    if program.may_diverge:
        for kind in regions.NESTED[:3]:
            kinds[kind] *= 4 if program.forces_methods else 2
    return kinds


def draw_symbols(program):
    """Streams of both kinds, variables of groups, remote buffers."""
    rng, scratch = program.rng, Block(program)
    for i in range(rng.randint(1, 3)):
        type = tensors.draw_new_type(scratch)
        held, values = replicas.draw_variable(program, f"w{i}", type, None, rng.random() < 0.3)
        program.variables[f"w{i}"], program.variable_types[f"w{i}"] = values, held
    for _ in range(rng.choice([0, 1, 1])):
        transfers.add_buffer(program, tensors.draw_new_type(scratch), rng.random() < 0.3)
    for _ in range(rng.randint(2, 3)):
        transfers.add_input(program, tensors.draw_new_type(scratch), rng.random() < 0.6)
    if program.has_random and rng.random() < 0.7:
        transfers.add_input(program, statements.SEED, rng.random() < 0.6)


def make_tensor(block, type):
    """What is stored or comes from the host, mostly: constants say little."""
    program, rng = block.program, block.rng
    if rng.random() < 0.1:
        return tensors.draw_constant_of(block, type)
    found = [ref for ref in block.refs if ref.type == type]
    if found:
        return refs.read_ref(block, rng.choice(found))
    names = [name for name, (own, _) in program.inputs.items() if own == type]
    if not names:
        names = [transfers.add_input(program, type, rng.random() < 0.6)]
    return transfers.load_from_host(block, rng.choice(names))


def draw_once(rng, options):
    program = ObservedProgram(rng)
    program.replicas = rng.choice(REPLICAS)
    program.transfers = rng.choice([1, 1, 1, 2])
    program.input_seed = 1
    if options.mutations:
        program.mixed_sets = 0
    program.has_random = options.random and rng.random() < 0.4
    program.has_rounding = options.rounding and rng.random() < 0.4
    program.forces_methods = rng.random() < 0.3
    # The device may refuse a program whose replicas take different ways.
    program.may_diverge = program.may_be_refused = rng.random() < (0.5 if program.forces_methods else 0.2)
    program.together = [replicas.draw_collective]
    program.decide, program.make_tensor = statements.decide, make_tensor
    words = [f"tiles = {rng.choice([1, 2, 4])} : i64", f"replicas = {program.replicas} : i64"]
    program.target = f'ipu.target = #ipu.target<"gc200", {{{", ".join(words)}}}>'
    if program.has_rounding:
        generator = rng.choice(["counter", "counter", "stream"])
        method = f"#pop.stochastic_rounding<{generator}>"
        program.target = f"pop.stochastic_rounding = {method}, {program.target}"
        # Mostly f16.
        program.types = [Type(rng.choice(tensors.SHAPES), F16) for _ in "ab"]
    regions.ALL.clear()
    regions.ALL.update(get_statements(program))
    draw_symbols(program)
    for number in range(rng.randint(0, 2)):
        draw.draw_function(program, number)
    draw.draw_main(program)
    if program.has_rounding:
        for block, statement in program.walk():
            if rng.random() < (0.9 if program.forces_methods else 0.4):
                rounding.set_method(block, statement)
    return program


def draw_program(seed, options):
    """A program that ends soon, and what its values were on replicas."""
    rng = random.Random(f"replica-equal {seed}")
    while True:
        program = draw_once(rng, options)
        try:
            program.observe_runs()
            return program
        except (TooLong, NotUniform):
            continue
