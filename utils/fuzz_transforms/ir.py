# Part of ipu-mlir, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reads modules in generic form, and compares them before and after a transform."""

import collections
import re

OP = re.compile(r'^\s*(?:(%\w+(?::\d+)?(?:, %\w+(?::\d+)?)*) = )?"([\w.$]+)"\(([^)]*)\)(.*)$')
VALUE = re.compile(r"%\w+")
SYMBOL = re.compile(r"@(\w+)")
# Ops of pop that need not be anywhere: what they give is where it is used.
UNPLACED = {"pop.yield", "pop.constant", "pop.get_variable"}
# Ops without regions whose results may be unused though the op is not: they have
# effects, or call something that may.
EFFECTS = {"func.call", "pop.host_load", "pop.remote_load", "pop.next_seed"}
PARTS = ["pop.vgraph", "pop.stage", "pop.phase", "pop.batch_phase"]


class Op:
    def __init__(self, name, parent, text):
        self.name, self.parent, self.text = name, parent, text
        self.operands, self.users, self.results, self.nested = [], [], 0, []
        self.has_regions = False
        self.arguments = 0  # of a function with a body

    def walk(self):
        for op in self.nested:
            yield op
            yield from op.walk()


def define(op, names, scope):
    for name in VALUE.findall(names or ""):
        scope[name] = op


def read_module(text):
    """The module of a text in generic form."""
    top = Op("", None, "")
    # Regions that are open: the op, and what its values are.
    opened, scopes = [(top, None)], [{}]
    for line in text.splitlines():
        stripped = line.strip()
        if stripped.startswith("})"):
            op, names = opened.pop()
            scopes.pop()
            op.text += stripped
            define(op, names, scopes[-1])
        elif stripped == "}, {":
            scopes[-1] = {}
        elif stripped.startswith("^bb0(") and opened[-1][0].name == "func.func":
            opened[-1][0].arguments = stripped.count("%")
        elif match := OP.match(line):
            names, name, operands, rest = match.groups()
            op = Op(name, opened[-1][0], rest)
            op.results = len(VALUE.findall(names or ""))
            op.parent.nested.append(op)
            for operand in VALUE.findall(operands):
                made = next((s[operand] for s in reversed(scopes) if operand in s), None)
                if made:
                    op.operands.append(made)
                    made.users.append(op)
            if rest.endswith("({"):
                op.has_regions = True
                opened.append((op, names))
                scopes.append({})
            else:
                define(op, names, scopes[-1])
    return top.nested[0]


def get_functions(module):
    """{name: function}"""
    return {re.search(r'sym_name = "(\w+)"', op.text)[1]: op for op in module.nested if op.name == "func.func"}


def get_named(function):
    return {name for op in function.walk() for name in SYMBOL.findall(op.text)}


def get_reachable(functions):
    """The names of functions that @main calls, or what it calls."""
    found, todo = set(), ["main"]
    while todo:
        name = todo.pop()
        if name in functions and name not in found:
            found.add(name)
            todo += get_named(functions[name])
    return found


def get_lonely(functions):
    """Private functions that no other names."""
    return {name for name, function in functions.items() if 'sym_visibility = "private"' in function.text
            and not any(name in get_named(other) for other in functions.values() if other is not function)}


def count_dead(module):
    """{op: number of those that nothing uses and that have no effect}"""
    users = {}
    dead, todo = collections.Counter(), []

    def visit(op):
        if not op.has_regions and op.results and not users[id(op)] and op.name not in EFFECTS:
            todo.append(op)

    ops = [op for function in get_functions(module).values() for op in function.walk()]
    for op in ops:
        users[id(op)] = len(op.users)
    for op in ops:
        visit(op)
    while todo:
        op = todo.pop()
        dead[op.name] += 1
        for made in op.operands:
            users[id(made)] -= 1
            visit(made)
    return dead


def get_argument_attributes(function):
    """The text of the attributes of each argument."""
    attributes = re.search(r"arg_attrs = \[(.*?)\], function_type", function.text)
    return re.findall(r"{([^{}]*)}", attributes[1]) if attributes else [""] * function.arguments


def list_placeable(function):
    """Ops that compute or move something."""
    return [op for op in function.walk()
            if op.name.startswith("pop.") and not op.has_regions and op.name not in UNPLACED]


def list_unplaced(module, part):
    """Ops that compute or move something, and arguments of functions that are called,
    without a part of a placement."""
    functions = get_functions(module)
    found = [op.name for function in functions.values() for op in list_placeable(function)
             if f"{part} = " not in op.text]
    return found + [f"argument of @{name}" for name, function in functions.items() if name != "main"
                    for attributes in get_argument_attributes(function) if f"{part} = " not in attributes]


ROLE = 'pop.training_role = "recomputed"'
RECOMPUTED = re.compile(f"{ROLE}, |, {ROLE}|{{{ROLE}}}")


def get_edges(module):
    """Pairs of what an op is and what uses it is, placements and all. A recomputed op is
    merged with the op of the forward pass that computes the same."""
    def describe(op):
        return op.name, RECOMPUTED.sub("", op.text)

    return {(describe(op), describe(user))
            for function in get_functions(module).values() for op in function.walk() for user in op.users}


def find_fault(before, after, transform):
    """What a transform did that it may not, or None; dead ops aside."""
    old, new = get_functions(before), get_functions(after)
    if lonely := get_lonely(new) - get_lonely(old):
        if not transform.erases_calls:
            return f"private functions without callers: {', '.join(sorted(lonely))}"
    lost = get_reachable(old) - get_reachable(new)
    if gone := {name for name in lost if name in new}:
        if not transform.erases_calls:
            return f"functions that @main does not reach any more: {', '.join(sorted(gone))}"
    if lost - set(new) and not transform.erases_functions:
        return f"functions that are lost: {', '.join(sorted(lost))}"
    if transform.keeps_edges and (edges := get_edges(after) - get_edges(before)):
        made, user = min(edges)
        return f"an op uses what none like it used: {' '.join(made)} is used by {' '.join(user)}"
    for part in [part for part in PARTS if part not in transform.unplaced]:
        # Where nothing is placed there is nothing to inherit from.
        is_placed = "main" in old and list_placeable(old["main"]) and not list_unplaced(before, part)
        if is_placed and (unplaced := list_unplaced(after, part)):
            return f"what has no {part}, though all had one: {', '.join(sorted(set(unplaced)))}"
    return None


def find_dead(before, after):
    """Ops that nothing uses, of which there were fewer, or None."""
    more = count_dead(after) - count_dead(before)
    if not more:
        return None
    return "dead ops that were not there: " + ", ".join(f"{count} {name}" for name, count in sorted(more.items()))
