# Part of ipu-mlir, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random programs for transforms."""

import random

import numpy as np

from fuzz_graphs import draw, refs, regions, replicas, tensors, transfers
from fuzz_graphs import values as v
from fuzz_graphs.program import Block, Function, NotUniform, Program, TooLong, Value
from fuzz_transforms import placements, seeds, statements

REPLICAS = [1, 1, 1, 1, 2, 3, 4]
RUNS = 2


class TransformProgram(Program):
    """A program whose @main may have arguments and results."""

    def __init__(self, rng):
        super().__init__(rng)
        self.runs = RUNS
        # The values of arguments, and the names of results.
        self.arguments, self.result_names = {}, []
        # By output: how far sums of other orders may be off.
        self.bounds = {}
        self.has_next_seed = self.has_io = False

    def start(self):
        super().start()
        self.bounds = {}

    def take_arguments(self):
        return {value: values for value, values in self.arguments.items()}

    def finish_run(self, results):
        self.results = dict(zip(self.result_names, results))

    def run(self):
        """The host reads the results of the first replica."""
        stored = super().run()
        return {**stored, **{name: values[0] for name, values in self.results.items()}}

    def bounds_of(self):
        """{output: bounds of the shape of its values}"""
        found = {}
        for name, values in self.bounds.items():
            dims = [d for d in values.shape[:2] if d > 1]
            found[name] = values.reshape((*dims, *values.shape[2:]))
        return found


def add_argument(program, block, number):
    """All replicas get one value."""
    name, type = f"x{number}", tensors.draw_type(block)
    value = Value(block.name(), type)
    value.attributes = [f'pop.name = "{name}"']
    values = v.make_input(name, program.input_seed, type.shape, type.element)
    program.arguments[value] = np.broadcast_to(values, (program.replicas, *type.shape))
    block.tensors.append(value)


def add_ticker(program):
    """A function without arguments that gives something else each time."""
    body = Block(program, depth=1)
    program.named = set()
    name = program.rng.choice(list(program.variables))
    type = program.variable_types[name]
    ref = refs.get_variable(body, name, type)
    x = refs.read_ref(body, ref)
    one = tensors.constant(body, np.ones(type.shape, type.element.dtype), type)
    refs.copy_to(body, ref, tensors.binary(body, "xor" if type.element.is_bool else "add", x, one))
    body.finish("return", [x])
    function = Function(f"f{len(program.functions)}", [], body)
    function.variables = program.named
    program.functions.append(function)


def finish_main(program, body):
    """Some of the last values are results; the host reads one replica."""
    yields = [tensors.pick_tensor(body, tensors.draw_type(body)) for _ in range(program.rng.randint(0, 3))]
    attributes = []
    for number, _ in enumerate(yields):
        is_named = program.rng.random() < 0.8
        program.result_names.append(f"y{number}" if is_named else f"result{number}")
        attributes.append([f'pop.name = "y{number}"'] if is_named else [])
    body.finish("return", yields)
    return attributes


def draw_main(program, has_io):
    """Ends with stores of most refs and rows, and some tensors."""
    rng, body = program.rng, Block(program)
    if has_io:
        for number in range(rng.randint(0, 3)):
            add_argument(program, body, number)
    for name in program.inputs:
        transfers.load_from_host(body, name)
    for name, type in program.variable_types.items():
        refs.get_variable(body, name, type)
    regions.fill(body, 5, 16)
    # What variables hold in the end is seen in the next run as well.
    stored = rng.sample(body.tensors, min(5, len(body.tensors)))
    stored += [refs.read_ref(body, ref) for ref in body.refs if rng.random() < 0.8]
    for buffer, rows in program.buffers.items():
        stored += [transfers.load_row(body, buffer, row) for row in range(len(rows)) if rng.random() < 0.8]
    for x in stored:
        transfers.store_to_host(body, x)
    main = Function("main", list(program.arguments), body)
    main.result_attributes = finish_main(program, body) if has_io else body.finish("return", []) or []
    main.is_private = False
    program.functions.append(main)


def get_statements(program):
    kinds = {}
    for group in (tensors, refs, replicas, transfers, regions, statements):
        kinds.update(group.STATEMENTS)
    kinds[regions.draw_call] = 8
    if program.has_next_seed:
        kinds.update(seeds.STATEMENTS)
    if program.has_io:
        kinds[statements.draw_argument_use] = 12
    return kinds


def draw_target(program):
    rng = program.rng
    tiles = rng.choice([1, 2, 3, 4, 8])
    words = [f"tiles = {tiles} : i64"]
    if program.replicas > 1:
        program.may_diverge = program.may_be_refused = rng.random() < 0.25 and not program.has_next_seed
        words.append(f"replicas = {program.replicas} : i64")
    program.ipus = rng.choice([1, 2, 2, 3])
    if program.ipus > 1:
        words.append(f"ipus = {program.ipus} : i64")
    program.has_io_tiles = tiles > 1 and rng.random() < 0.4
    if program.has_io_tiles:
        words.append(f"io_tiles = {rng.randint(1, tiles // 2)} : i64")
    program.target = f'ipu.target = #ipu.target<"gc200", {{{", ".join(words)}}}>'


def draw_once(rng, needs):
    program = TransformProgram(rng)
    program.replicas = rng.choice(REPLICAS)
    has_io = rng.random() < 0.4 or "io" in needs
    program.transfers = 1 if has_io else rng.choice([1, 1, 2])
    program.has_next_seed = rng.random() < 0.1 or "next_seed" in needs
    if program.has_next_seed:
        program.transfers = seeds.TRANSFERS
        has_io = False
    program.has_io = has_io
    program.input_seed = rng.randrange(1000)
    program.together = draw.TOGETHER + statements.TOGETHER
    draw_target(program)
    regions.ALL.clear()
    regions.ALL.update(get_statements(program))
    draw.draw_symbols(program)
    if program.has_next_seed:
        seeds.add_streams(program)
    for number in range(rng.randint(0, 4)):
        if rng.random() < 0.25:
            add_ticker(program)
        else:
            draw.draw_function(program, number)
    draw_main(program, has_io)
    placements.place(program)
    return program


def draw_program(seed, needs=(), runs=RUNS):
    """A program that ends soon, and its results after so many runs."""
    rng = random.Random(f"transforms {seed}")
    while True:
        program = draw_once(rng, needs)
        try:
            program.run()
        except (TooLong, NotUniform):
            continue
        program.runs = runs
        return program, program.run()
