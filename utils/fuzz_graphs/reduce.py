# Part of ipu-mlir, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reduces failing programs.

Removes statements and all users of their results, or replaces results by zeros.
"""

from fuzz_graphs.program import NotUniform, TooLong


def get_users(program):
    """{value: statements, or None for the end of a region}"""
    users = {}
    blocks = {id(f.body): f.body for f in program.functions if not f.is_off}
    for _, statement in program.walk():
        for use in statement.uses:
            users.setdefault(use, []).append(statement)
        if not statement.is_zero:
            blocks.update((id(region), region) for region in statement.regions)
    for block in blocks.values():
        for value in [*block.yields, *([block.condition] if block.condition else [])]:
            users.setdefault(value, []).append(None)
    return users


def get_dependents(program, statement):
    """It and what uses its results, or None if that includes the end of a region."""
    users, found, todo = get_users(program), {}, [statement]
    while todo:
        current = todo.pop()
        if current is None:
            return None
        if id(current) in found:
            continue
        found[id(current)] = current
        for result in current.results:
            todo += users.get(result, [])
    return list(found.values())


def get_trials(program):
    """(flag, what to set it on), greatest first."""
    named = program.text()
    for function in program.functions[:-1]:
        if not function.is_off and named.count(f"@{function.name}") == 1:
            yield "is_off", [function]
    statements = [s for _, s in program.walk()]
    for statement in reversed(statements):
        if statement.is_off:
            continue
        dependents = get_dependents(program, statement)
        if dependents:
            yield "is_off", dependents
        is_tensor = statement.results and not any(r.is_ref or isinstance(r.type, str) for r in statement.results)
        if is_tensor and statement.op != "constant" and not statement.is_zero:
            yield "is_zero", [statement]


def reduce_program(program, fails, limit):
    """`fails` takes what the program stores and says whether it fails still."""
    program.is_reduced = True
    runs, is_smaller = 0, True
    while is_smaller and runs < limit:
        is_smaller = False
        for flag, items in get_trials(program):
            items = [item for item in items if not getattr(item, flag)]
            if not items or runs >= limit:
                continue
            for item in items:
                setattr(item, flag, True)
            runs += 1
            try:
                is_fine = not fails(program.run())
            except (TooLong, NotUniform):
                is_fine = True
            is_smaller |= not is_fine
            if is_fine:
                for item in items:
                    setattr(item, flag, False)
    return program.run()
