# Part of ipu-mlir, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random programs for differentiation, and their derivatives."""

import itertools
import random

import numpy as np

from fuzz_autodiff import ops, statements, structure
from fuzz_autodiff.ops import Unsuitable
from fuzz_autodiff.statements import is_float
from fuzz_graphs import refs, regions, replicas, tensors
from fuzz_graphs import values as v
from fuzz_graphs.program import Block, Function, NotUniform, Program, Storage, TooLong, Value, make_root
from fuzz_graphs.values import F16, F32, I1, I32, Element, Type

F64 = Element("f64", np.dtype(np.float64))
REPLICAS = [1, 1, 1, 1, 2, 2, 4]
TINY = 1e-100  # An infinitesimal imaginary part.
LARGEST, STEEPEST = 1e3, 1e5  # Of values, and of their derivatives.
STEP = 1e-3  # Of differences.


class AutodiffProgram(Program):
    """The last function is differentiated. Values of floats are those of f64."""

    def __init__(self, rng, element):
        super().__init__(rng)
        self.element = element
        # The values of arguments.
        self.arguments = {}
        self.result_names, self.written = [], []
        self.has_custom = False
        # By argument or variable: what is added to its values.
        self.added = {}

    # What it computes.

    def move(self, name, values):
        return values + self.added[name] if name in self.added else values

    def start(self):
        self.storages = {name: Storage(self.move(name, first)) for name, first in self.variables.items()}
        self.rows = {}

    def take_arguments(self):
        return {x: self.move(x.label, values) for x, values in self.arguments.items()}

    def finish_run(self, results):
        self.results = dict(zip(self.result_names, results))

    def compute(self, op, compute, arrays):
        arrays = [a.astype(np.float64) if a.dtype.kind == "f" else a for a in map(np.asarray, arrays)]
        if op.endswith("_"):
            # Nothing that is differentiated is written.
            arrays = [np.real(a) for a in arrays]
        if op in v.COMPARE:
            return ops.compare(compute)(*arrays)
        if op == "cast":
            return ops.cast(compute)(*arrays)
        return compute(*arrays)

    def combine(self, kind, members):
        return ops.combine(kind, members) if members[0].dtype.kind in "fc" else super().combine(kind, members)

    def observe(self, statement, env):
        for value in statement.results:
            array = env.get(value)
            if isinstance(array, np.ndarray) and array.dtype.kind in "fc":
                if not (np.abs(array.real) <= LARGEST).all() or not (np.abs(array.imag) <= STEEPEST * TINY).all():
                    raise Unsuitable

    def is_unrepeatable(self):
        """Whether it may have ops that do not give the same twice."""
        return bool(self.written) or any(s.op == "alloc" for _, s in self.walk())

    # Its derivatives.

    def get_inputs(self):
        """{name: shape with replicas} of arguments and variables of floats that have a
        gradient."""
        found = {x.label: x.type for x in self.arguments if is_float(x.type)}
        found.update((name, type) for name, type in self.variable_types.items()
                     if is_float(type) and name not in self.written)
        return {name: (self.replicas, *type.shape) for name, type in found.items()}

    def evaluate(self, added):
        """{name of a result: its values}"""
        self.added = added
        self.start()
        self.run_once()
        return self.results

    def derive(self, tangents, moved=None):
        """{name of a result: sum of its derivatives along tangents}"""
        added = {name: 1j * TINY * values for name, values in tangents.items()}
        for name, values in (moved or {}).items():
            added[name] = added.get(name, 0) + values
        return {name: float(np.imag(x).sum()) / TINY for name, x in self.evaluate(added).items()
                if x.dtype.kind in "fc"}

    def derive_twice(self, tangents, direction):
        """The sum of the derivatives along both, or None if it is not smooth here."""

        def at(step):
            moved = {name: step * values for name, values in direction.items()}
            return sum(self.derive(tangents, moved).values())

        rough, fine = ((8 * (at(s) - at(-s)) - (at(2 * s) - at(-2 * s))) / (12 * s) for s in (STEP, STEP / 2))
        return fine if abs(rough - fine) <= 1e-8 * max(1, abs(fine)) else None

    def run(self):
        """What is expected: results, variables that are written, and derivatives."""
        inputs = self.get_inputs()
        draw = np.random.default_rng(self.input_seed)
        self.tangents = {name: draw.uniform(-1, 1, shape) for name, shape in inputs.items()}
        expected = Expected(dict(self.evaluate({})))
        expected.written = {n: self.storages[n].values.reshape(self.replicas, *self.variable_types[n].shape)
                             for n in self.written}
        expected.slopes = {name: self.derive({name: values}) for name, values in self.tangents.items()}
        if self.is_smooth:
            ones = {name: np.ones(shape) for name, shape in inputs.items()}
            expected.curvature = self.derive_twice(ones, self.tangents)
        return expected


class Expected:
    def __init__(self, results):
        self.results = results
        # Variables at the end; by input and result, derivatives; the second one.
        self.written, self.slopes, self.curvature = {}, {}, None


# ===----------------------------------------------------------------------=== #
# Drawing
# ===----------------------------------------------------------------------=== #


def draw_function(program, number):
    """Tensors and refs to results; what it is called with is read only."""
    rng = program.rng
    scratch = Block(program)
    arguments = []
    for _ in range(rng.randint(1, 3)):
        types = [type for name, type in program.variable_types.items() if name not in program.written]
        if types and rng.random() < 0.3:
            type = rng.choice(types)
            arguments.append(make_root(scratch.name(), type))
        else:
            arguments.append(Value(scratch.name(), tensors.draw_type(scratch)))
    body = Block(program, [a for a in arguments if not a.is_ref], [a for a in arguments if a.is_ref], 1)
    program.named = set()
    names = [name for name in program.variables if name not in program.written]
    if names and rng.random() < 0.5:
        name = rng.choice(names)
        refs.read_ref(body, refs.get_variable(body, name, program.variable_types[name]))
    regions.fill(body, 2, 6)
    if rng.random() < 0.4:
        structure.draw_counter(body)
    if rng.random() < 0.5:
        join(body)
    body.finish("return", draw_results(body, rng.choice([1, 1, 1, 2, 3])))
    function = Function(f"f{number}", arguments, body)
    function.variables = program.named
    program.functions.append(function)


def get_unused(block):
    """Floats that nothing uses."""
    used = set()
    for _, statement in block.walk():
        used.update(statement.uses)
        for region in statement.regions:
            used.update(region.yields)
    own = {result for statement in block.statements for result in statement.results}
    return [x for x in block.tensors if x in own - used and x.type.element is block.program.element]


def join(block):
    """One of all floats that nothing uses, so that most of a program is differentiated."""
    parts = get_unused(block)
    sums = [statements.reduce(block, x, block.rng.choice(["sum", "mean"]), range(len(x.type.shape)))
            if x.type.shape else x for x in parts[-6:]]
    if len(sums) > 1:
        statements.add_sum(block, sums, sums[0].type)


def draw_results(block, count):
    """Mostly floats that came last, sometimes one twice."""
    found = []
    for _ in range(count):
        if found and block.rng.random() < 0.1:
            found.append(found[0])
        elif block.rng.random() < 0.9:
            found.append(statements.any_float(block))
        else:
            found.append(tensors.any_tensor(block))
    return found


def draw_argument(program, block, number, type):
    value = Value(block.name(), type)
    value.label = f"x{number}"
    value.attributes = [f'pop.name = "{value.label}"']
    shape, draw = (program.replicas, *type.shape), np.random.default_rng(program.rng.randrange(1 << 32))
    if is_float(type):
        values = draw.uniform(-1.5, 1.5, shape)
    else:
        values = draw.integers(0, 2 if type.element is I1 else 5, shape)
    program.arguments[value] = values.astype(type.element.dtype)
    block.tensors.append(value)


def draw_main(program):
    """What is differentiated. It uses all of its arguments and variables, as far as it is
    not short."""
    rng, body = program.rng, Block(program)
    types = [rng.choice([t for t in program.types if is_float(t)]) for _ in range(rng.randint(1, 3))]
    if rng.random() < 0.4:
        types.append(rng.choice([v.SCALAR_I32, Type((2, 3), I32), Type((), I1)]))
    for number, type in enumerate(types):
        draw_argument(program, body, number, type)
    for name, type in program.variable_types.items():
        if name not in program.written:
            refs.read_ref(body, refs.get_variable(body, name, type))
    regions.fill(body, 4, 12)
    if rng.random() < 0.6:
        structure.draw_counter(body)
    yields = draw_results(body, rng.choice([0, 1, 2]))
    join(body)
    yields.append(body.tensors[-1] if is_float(body.tensors[-1].type) else statements.any_float(body))
    rng.shuffle(yields)
    body.finish("return", yields)
    main = Function("f", list(program.arguments), body)
    program.result_names = [f"y{number}" for number, _ in enumerate(yields)]
    main.result_attributes = [[f'pop.name = "{name}"'] for name in program.result_names]
    program.functions.append(main)


def draw_target(program):
    words = [f"tiles = {program.rng.choice([1, 2, 3, 4])} : i64"]
    if program.replicas > 1:
        words.append(f"replicas = {program.replicas} : i64")
    program.target = f'ipu.target = #ipu.target<"gc200", {{{", ".join(words)}}}>'


def draw_variables(program):
    scratch = Block(program)
    for number in range(program.rng.choice([0, 0, 1, 1, 2])):
        type, name = statements.any_float(scratch).type, f"w{number}"
        held, values = replicas.draw_variable(program, name, type, None, program.rng.random() < 0.2)
        program.variables[name], program.variable_types[name] = values, held


def draw_elements(rng):
    """The floats of a program, the first of which are most."""
    kind = rng.random()
    if kind < 0.85:
        return [F64]
    return rng.choice([[F32], [F32], [F16], [F32, F64], [F32, F16]])


def draw_once(rng):
    floats = draw_elements(rng)
    program = AutodiffProgram(rng, floats[0])
    program.elements, program.element_weights = [*floats, I32, I1], [8, *[2] * (len(floats) - 1), 3, 1]
    program.replicas = rng.choice(REPLICAS)
    program.operators, program.nested = ops.COLLECTIVE, structure.NESTED
    program.draw_yields = structure.draw_yields
    program.input_seed = rng.randrange(1 << 32)
    # First derivatives of what stops gradients are not those of what is left.
    program.is_smooth = floats == [F64] and rng.random() < 0.25
    program.has_stops = not program.is_smooth
    program.has_counters = not program.is_smooth and rng.random() < 0.3
    program.reads_counters = program.has_counters and rng.random() < 0.5
    draw_target(program)
    program.types = [Type(rng.choice(tensors.SHAPES), floats[0]) for _ in range(2)]
    program.types.append(Type(rng.choice(tensors.SHAPES), rng.choice(program.elements)))
    regions.ALL.clear()
    regions.ALL.update({**statements.STATEMENTS, **structure.STATEMENTS, **replicas.STATEMENTS})
    draw_variables(program)
    for number in range(rng.randint(0, 3)):
        if not program.is_smooth and rng.random() < 0.15:
            structure.add_custom_function(program, number)
        else:
            draw_function(program, number)
    draw_main(program)
    return program


def draw_program(seed):
    """A program that ends soon, has small values and some derivative; and what is
    expected of it."""
    rng = random.Random(f"autodiff {seed}")
    for program in (draw_once(rng) for _ in itertools.count()):
        try:
            expected = program.run()
        except (TooLong, NotUniform):
            continue
        if any(any(of.values()) for of in expected.slopes.values()):
            return program, expected
