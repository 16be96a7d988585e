# Part of ipu-mlir, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Loops, branches, functions with custom gradients, and writes that are not
differentiated."""

import numpy as np

from fuzz_autodiff import ops
from fuzz_autodiff.statements import (
    any_float, binary, cast, is_float, number, pick_index, unary)
from fuzz_graphs import refs, regions, tensors
from fuzz_graphs import values as v
from fuzz_graphs.program import Block, Function, Statement, Value
from fuzz_graphs.values import I32, Type

# ===----------------------------------------------------------------------=== #
# Loops
# ===----------------------------------------------------------------------=== #


def draw_counted_for(block):
    """With constant bounds."""
    rng = block.rng
    low, step, count = rng.choice([0, 0, 1, 2, 5]), rng.choice([1, 1, 2, 3]), rng.choice([0, 1, 2, 2, 3, 4])
    end = low + count * step - rng.randint(0, step - 1)
    regions.draw_loop(block, [regions.index(block, n) for n in (low, end, step)])


def to_index(block, x):
    """An integer of rank 0 as an index."""
    scalar = regions.extract(block, x)
    return regions.scalar(block, "arith.index_cast", "index", f"arith.index_cast {scalar} : i32 to index",
                          lambda values: values, [scalar])


def scale(block, x):
    """A product with an integer, perhaps of the iteration."""
    factor = cast(block, pick_index(block), x.type.element)
    return unary(block, "sin", binary(block, "mul", x, factor))


def draw_scaled(block):
    scale(block, any_float(block))


def draw_yields(rng, inner, types, arguments):
    """Mostly, what an iteration passes on depends on what it gets."""
    if rng.random() < 0.3 or not arguments:
        return regions.draw_yields(rng, inner, types, arguments)
    yields = []
    for type, argument in zip(types, arguments):
        other = tensors.pick_tensor(inner, type)
        if is_float(type):
            other = binary(inner, rng.choice(["mul", "mul", "add", "sub"]), argument, other)
            other = scale(inner, other) if rng.random() < 0.4 else unary(inner, rng.choice(ops.BOUNDED), other)
        yields.append(other)
    return yields


def draw_small(block, most):
    """A number from 0 to `most`, one less than a power of two, that all replicas have."""
    x = binary(block, "and", pick_index(block), tensors.constant_i32(block, most))
    return regions.make_uniform(block, x)


def draw_bounded_for(block):
    """As often as data says."""
    most = block.rng.choice([1, 3])
    bounds = [regions.index(block, 0), to_index(block, draw_small(block, most)), regions.index(block, 1)]
    loop = regions.draw_loop(block, bounds)
    loop.attributes = [f"pop.max_trip_count = {most + block.rng.randint(0, 1)} : i64"]


def draw_while(block):
    """As often as data says, at most three times."""
    regions.draw_while(block)
    block.statements[-1].attributes = [f"pop.max_trip_count = {block.rng.choice([3, 3, 4])} : i64"]


# ===----------------------------------------------------------------------=== #
# Branches
# ===----------------------------------------------------------------------=== #


def draw_switch(block):
    rng = block.rng
    which = to_index(block, draw_small(block, 3))
    types = [tensors.draw_type(block) for _ in range(rng.randint(1, 2))]
    results = regions.values_of(block, types)
    cases = sorted(rng.sample(range(4), rng.randint(1, 2)))
    headers = [[f"case {cases[0]} {{"], *(["}", f"case {n} {{"] for n in cases[1:]), ["}", "default {"]]
    branches = []
    for header in headers:
        branch = block.inside(header=header)
        regions.fill(branch, 1, 3)
        branch.finish("scf.yield", [tensors.pick_tensor(branch, type) for type in types])
        branches.append(branch)

    def run(env):
        chosen = int(env[which][0])
        branch = branches[cases.index(chosen) if chosen in cases else -1]
        env.update(zip(results, branch.run(dict(env))))

    text = f"{regions.results_text(results)}scf.index_switch {which} -> {', '.join(map(str, types))}"
    block.add(Statement("scf.index_switch", text, run, [which], results, branches))
    block.tensors += results


def draw_call(block):
    if block.program.functions:
        regions.call(block, block.rng.choice(block.program.functions))


# ===----------------------------------------------------------------------=== #
# Gradients that a user gives
# ===----------------------------------------------------------------------=== #


class CustomFunction(Function):
    """Of two arguments; `slopes` are what the gradient of the result is multiplied by for
    those of the arguments, whatever its derivatives are."""

    def lines(self):
        first, *rest = super().lines()
        return [f"{first[:-2]} attributes {{pop.custom_gradient = @{self.name}_gradient}} {{", *rest]


class CustomBody(Block):
    def run(self, env):
        arguments = self.arguments
        real = {x: np.real(env[x]) for x in arguments}
        result, = super().run(dict(real))
        slopes = [f(*real.values(), result) for f in self.slopes]
        return [result + 1j * sum(s * np.imag(env[x]) for s, x in zip(slopes, arguments))]


# Of gradient, arguments and result: the text of a factor, and its value.
SLOPES = {
    "%x": lambda x, y, result: x,
    "%y": lambda x, y, result: y,
    "%result": lambda x, y, result: result,
}


def add_custom_function(program, number):
    """tanh(x) * y, with gradients that are products of what its backward graph gets."""
    rng = program.rng
    type = tensors.draw_type(Block(program))
    while not is_float(type):
        type = Type(type.shape, program.element)
    body = CustomBody(program, depth=1)
    body.arguments = [Value(body.name(), type) for _ in "xy"]
    x, y = body.arguments
    result = binary(body, "mul", unary(body, "tanh", x), y)
    body.finish("return", [result])
    factors = [rng.choice(list(SLOPES)) for _ in "xy"]
    body.slopes = [SLOPES[factor] for factor in factors]
    name = f"f{number}"
    program.functions.append(CustomFunction(name, body.arguments, body))
    arguments = ", ".join(f"{x}: {type}" for x in ("%dy", "%x", "%y", "%result"))
    program.add_symbol(f"{name}_gradient", "\n".join([
        f"func.func private @{name}_gradient({arguments}) -> ({type}, {type}) {{",
        *(f"    %{i} = pop.mul %dy, {factor} : {type}" for i, factor in enumerate(factors)),
        f"    return %0, %1 : {type}, {type}", "  }"]))
    program.has_custom = True


# ===----------------------------------------------------------------------=== #
# What is written beside
# ===----------------------------------------------------------------------=== #


def add_counter(program, type):
    """A variable that no gradient is of, for its writes."""
    name = f"n{len(program.written)}"
    first = v.draw_values(program.rng, type.shape, type.element)
    program.variables[name] = np.broadcast_to(first, (program.replicas, *type.shape))
    program.variable_types[name] = type
    program.written.append(name)
    program.add_symbol(name, f"pop.variable @{name} : {type} = dense<{v.literal(first)}> : {type}")
    return name


def pick_counter(program, type):
    """Mostly one that nothing else writes."""
    known = [name for name in program.written if program.variable_types[name] == type]
    return program.rng.choice(known) if known and program.rng.random() < 0.4 else add_counter(program, type)


def draw_counter(block):
    """Counts, or keeps a statistic of what is differentiated; perhaps reads it."""
    program, rng = block.program, block.rng
    if not program.has_counters:
        return
    refs_before, tensors_before = list(block.refs), list(block.tensors)
    x = any_float(block)
    type = v.SCALAR_I32 if rng.random() < 0.5 else x.type
    ref = refs.get_variable(block, pick_counter(program, type), type)
    if type.element is I32:
        update(block, "add", ref, tensors.constant_i32(block, 1))
    elif rng.random() < 0.8:
        update(block, "mul", ref, number(block, type.element, 0.5))
        update(block, "add", ref, x)
    read = refs.read_ref(block, ref) if program.reads_counters and rng.random() < 0.5 else None
    if read and type.element is I32:
        read = cast(block, read, program.element)
    block.refs, block.tensors = refs_before, tensors_before
    if read:
        block.tensor("stop_gradient", read.type, f"pop.stop_gradient {read} : {read.type}", np.real, [read])


def update(block, op, ref, x):
    refs.update(block, f"{op}_", ref, f"pop.{op}_ {ref}, {x} : {ref.type.ref}, {x.type}",
                lambda now, other: v.BINARY[op](now, v.spread(other, ref.type.shape)), [x])


def draw_get_variable(block):
    """One that may be on a differentiated path."""
    program = block.program
    names = [name for name in program.variables if name not in program.written]
    if names:
        name = block.rng.choice(names)
        refs.get_variable(block, name, program.variable_types[name])


STATEMENTS = {
    draw_counted_for: 5,
    draw_bounded_for: 2,
    draw_while: 2,
    regions.draw_if: 4,
    draw_switch: 2,
    draw_scaled: 6,
    regions.draw_sequence: 2,
    draw_call: 8,
    draw_get_variable: 1,
    refs.draw_read: 5,
    refs.draw_view: 4,
    draw_counter: 2,
}
NESTED = [draw_counted_for, draw_bounded_for, draw_while, draw_switch]
