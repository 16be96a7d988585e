# Part of ipu-mlir, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Loops, branches, sequences and calls."""

import numpy as np

from fuzz_graphs import values as v
from fuzz_graphs.program import Statement, Value, show
from fuzz_graphs.refs import alloc
from fuzz_graphs.replicas import make_uniform
from fuzz_graphs.tensors import (
    any_tensor, binary, cast, compare, constant_i32, draw_type, from_scalar, pick_tensor,
    reshape, slice_tensor)
from fuzz_graphs.transfers import close_region, draw_code_load
from fuzz_graphs.values import I1, I32

DEPTH = 3
MOST = 4  # iterations that data says


# ===----------------------------------------------------------------------=== #
# Scalars
# ===----------------------------------------------------------------------=== #


def scalar(block, op, type, text, compute, uses=()):
    result = Value(block.name(), type)
    block.add(Statement(op, f"{result} = {text}",
                        lambda env: env.__setitem__(result, compute(*(env[use] for use in uses))),
                        uses, [result]))
    return result


def extract(block, x):
    """A scalar: of those that diverge, one for each replica."""

    def compute(values):
        if not x.diverges and (values != values[0]).any():
            block.program.meet_difference()
        return values

    result = scalar(block, "tensor.extract", x.type.element.name,
                    f"tensor.extract {x}[] : {x.type}", compute, [x])
    result.diverges = x.diverges
    return result


def index(block, number):
    return scalar(block, "arith.constant", "index", f"arith.constant {number} : index", lambda: number)


def pick_element(block, accept):
    """An element of some tensor, of rank 0."""
    x = any_tensor(block, accept)
    at = block.rng.randrange(x.type.size)
    flat = reshape(block, x, (x.type.size,))
    return reshape(block, slice_tensor(block, flat, [at], [1], [1]), ())


def differ(block, x):
    """What decides differently on replicas, made of `x`."""
    x = binary(block, "add" if x.type.element is not I1 else "or", x, pick_tensor(block, x.type))
    x.diverges = True
    return x


def decide(block, x):
    program = block.program
    if block.diverges or program.may_diverge and block.rng.random() < 0.5:
        return differ(block, x)
    return (program.decide or make_uniform)(block, x)


def draw_count(block, most):
    """A number from 0 to `most` that data says."""
    x = pick_element(block, lambda type: type.element is not I1)
    x = decide(block, cast(block, x, I32) if x.type.element is not I32 else x)
    low = binary(block, "max", x, constant_i32(block, 0))
    count = binary(block, "min", low, constant_i32(block, most))
    count.diverges = x.diverges
    return count


def draw_condition(block):
    x = pick_element(block, lambda type: True)
    if x.type.element is not I1:
        other = pick_tensor(block, x.type)
        x = compare(block, block.rng.choice(list(v.COMPARE)), x, other)
    return extract(block, decide(block, x))


def choose(who, new, old):
    """For each value, that of `new` on the replicas of which `who` is true."""
    if who.all():
        return new
    return [np.where(who.reshape(-1, *[1] * (n.ndim - 1)), n, o) for n, o in zip(new, old)]


# ===----------------------------------------------------------------------=== #
# Loops and branches
# ===----------------------------------------------------------------------=== #


def values_of(block, types):
    return [Value(block.name(), type) for type in types]


def assign(names, values, word=" = "):
    return ", ".join(f"{n}{word}{x}" for n, x in zip(names, values))


def fill(block, least, most):
    for _ in range(block.rng.randint(least, most)):
        draw_statement(block)


def results_text(results):
    return ", ".join(map(str, results)) + " = " if results else ""


def draw_yields(rng, inner, types, arguments):
    """Sometimes what the loop carries changes places."""
    if len(types) == 2 and types[0] == types[1] and rng.random() < 0.5:
        return arguments[::-1]
    return [pick_tensor(inner, type) for type in types]


def draw_bounds(block):
    """Of a loop: the first index, the end and the step."""
    rng = block.rng
    low, step = rng.randint(0, 2), rng.choice([1, 1, 2])
    bounds = [index(block, low), None, index(block, step)]
    if rng.random() < 0.35:
        count = extract(block, draw_count(block, MOST))
        bounds[1] = scalar(block, "arith.index_cast", "index",
                           f"arith.index_cast {count} : i32 to index", lambda number: number, [count])
        bounds[1].diverges = count.diverges
    else:
        bounds[1] = index(block, low + rng.choice([0, 1, 2, 2, 3]) * step - rng.randint(0, step - 1))
    return bounds


def draw_for(block):
    draw_loop(block, draw_bounds(block))


def draw_loop(block, bounds):
    """The statement of a loop."""
    rng = block.rng
    types = [draw_type(block) for _ in range(rng.randint(0, 2))]
    if len(types) == 2 and rng.random() < 0.4:
        types[1] = types[0]
    initial = [pick_tensor(block, type) for type in types]
    arguments, results = values_of(block, types), values_of(block, types)
    inner, counter = block.inside(arguments, decided_by=bounds[1]), Value(block.name(), "index")
    if rng.random() < 0.6:
        from_scalar(inner, counter)
    fill(inner, 1, 5)
    inner.finish("scf.yield", (block.program.draw_yields or draw_yields)(rng, inner, types, arguments))
    if not types:
        inner.terminator = None

    def run(env):
        current = [env[x] for x in initial]
        first, ends, by = (env[b] for b in bounds)
        ends = np.broadcast_to(block.program.bound(ends, MOST), block.program.replicas)
        for i in range(first, ends.max(initial=0, where=block.program.active), by):
            own = {**env, counter: i, **dict(zip(arguments, current))}
            who = (i < ends) | ~block.program.active
            current = choose(who, block.program.execute(inner, own, who), current)
        env.update(zip(results, current))

    carried = f" iter_args({assign(arguments, initial)}) -> ({', '.join(map(str, types))})" if types else ""
    text = f"{results_text(results)}scf.for {counter} = {bounds[0]} to {bounds[1]} step {bounds[2]}{carried} {{"
    block.tensors += results
    return block.add(Statement("scf.for", text, run, [*bounds, *initial], results, [inner]))


def draw_while(block):
    """Counts up to what data says; both regions may do more than that."""
    rng = block.rng
    types = [v.SCALAR_I32, draw_type(block)]
    limit = draw_count(block, 3)
    initial = [constant_i32(block, rng.randint(0, 1)), pick_tensor(block, types[1])]
    carried, arguments, results = (values_of(block, types) for _ in range(3))
    before = block.inside(carried, decided_by=limit)
    if rng.random() < 0.4:
        fill(before, 1, 2)
    is_less = compare(before, "less", carried[0], limit)
    is_less.diverges = before.diverges
    goes_on = extract(before, is_less)
    passed = [carried[0], pick_tensor(before, types[1])]
    before.finish(f"scf.condition({goes_on})", passed)
    before.condition = goes_on
    words = assign(arguments, types, ": ")
    after = block.inside(arguments, ["} do {", f"^bb0({words}):"], decided_by=limit)
    fill(after, 1, 4)
    number = binary(after, "add", arguments[0], constant_i32(after, 1))
    after.finish("scf.yield", [number, pick_tensor(after, types[1])])

    def run(env):
        program, outer = block.program, block.program.active
        passed, current = None, [env[x] for x in initial]
        who = np.ones(program.replicas, bool)
        while True:
            inner = {**env, **dict(zip(carried, current))}
            given = program.execute(before, inner, who)
            passed = choose(who, given, passed)
            # Who does not execute the loop goes on with it as long as the others.
            who = who & (inner[goes_on] | ~outer)
            if not (who & outer).any():
                break
            own = {**env, **dict(zip(arguments, passed))}
            current = choose(who, program.execute(after, own, who), current)
        env.update(zip(results, passed))

    pair = ", ".join(map(str, types))
    text = f"{results_text(results)}scf.while ({assign(carried, initial)}) : ({pair}) -> ({pair}) {{"
    block.add(Statement("scf.while", text, run, [*initial, limit], results, [before, after]))
    block.tensors += results


def draw_if(block):
    rng = block.rng
    condition = draw_condition(block)
    types = [draw_type(block) for _ in range(rng.randint(0, 2))]
    results = values_of(block, types)
    branches = [block.inside(decided_by=condition)]
    if types or rng.random() < 0.5:
        branches.append(block.inside(header=["} else {"], decided_by=condition))
    for branch in branches:
        fill(branch, 1, 4)
        branch.finish("scf.yield", [pick_tensor(branch, type) for type in types])
        if not types:
            branch.terminator = None

    def run(env):
        program, given = block.program, None
        for branch, who in zip(branches, (env[condition], ~env[condition])):
            if (who & program.active).any():
                # Who does not execute it may as well do what the others do.
                who = who if (~who & program.active).any() else np.ones_like(who)
                new = program.execute(branch, dict(env), who)
                given = choose(who, new, given) if given else new
        env.update(zip(results, given or []))

    arrow = f" -> ({', '.join(map(str, types))})" if types else ""
    block.add(Statement("scf.if", f"{results_text(results)}scf.if {condition}{arrow} {{", run,
                        [condition], results, branches))
    block.tensors += results


def draw_sequence(block):
    inner = block.inside(depth=DEPTH)
    fill(inner, 1, 4)
    yields = [pick_tensor(inner, draw_type(block)) for _ in range(block.rng.randint(0, 2))]
    close_region(block, "in_sequence", inner, yields)


# ===----------------------------------------------------------------------=== #
# Calls
# ===----------------------------------------------------------------------=== #


def pick_operands(block, function):
    """Refs that show the same elements, or those of a variable that the function
    names, are mostly left out: if it modifies them, the program is refused."""
    rng, operands, taken = block.rng, [], []
    is_strict = rng.random() < 0.9
    block.program.may_be_refused |= not is_strict
    for argument in function.arguments:
        if not argument.is_ref:
            operands.append(pick_tensor(block, argument.type))
            continue
        found = [r for r in block.refs if r.type == argument.type]
        if is_strict:
            found = [r for r in found if (r.variable or r.root) not in taken
                     and r.variable not in function.variables]
        operands.append(rng.choice(found) if found else alloc(block, argument.type))
        taken.append(operands[-1].variable or operands[-1].root)
    return operands


def draw_call(block):
    program, rng = block.program, block.rng
    found = [f for f in program.functions if not (block.diverges and f.has_collectives())]
    if not found:
        return
    function = rng.choice(found)
    if rng.random() < 0.15:
        draw_code_load(block)
    call(block, function)


def call(block, function):
    program = block.program
    operands = pick_operands(block, function)
    program.named |= function.variables
    results = values_of(block, [y.type for y in function.body.yields])

    def run(env):
        inner = {a: show(env, o) if a.is_ref else env[o] for a, o in zip(function.arguments, operands)}
        env.update(zip(results, function.body.run(inner)))

    types = ", ".join(o.type.ref if o.is_ref else str(o.type) for o in operands)
    text = (f"{results_text(results)}func.call @{function.name}({', '.join(map(str, operands))})"
            f" : ({types}) -> ({', '.join(str(r.type) for r in results)})")
    block.add(Statement("func.call", text, run, operands, results)).callee = function
    block.tensors += results


STATEMENTS = {draw_for: 5, draw_while: 4, draw_if: 5, draw_sequence: 2, draw_call: 12}
NESTED = [draw_for, draw_while, draw_if, draw_sequence]


def draw_statement(block):
    left_out = [*NESTED, *block.program.nested] if block.depth >= DEPTH else []
    left_out += block.program.together if block.diverges else []
    kinds = {k: w for k, w in ALL.items() if k not in left_out}
    block.rng.choices(list(kinds), list(kinds.values()))[0](block)


ALL = {}
