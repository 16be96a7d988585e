# Part of ipu-mlir, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks the arguments and results of @main after a transform: each is transferred once in
a run, at its former position or as near to it as is known."""

import re

from fuzz_transforms.ir import PARTS, get_argument_attributes, get_functions


def get_parts(text):
    """{part of a placement: number}"""
    return {part: int(match[1]) for part in PARTS if (match := re.search(rf"{part} = (-?\d+)", text))}


def get_arguments(main):
    """{name of an argument for the host: parts of its placement}"""
    return {name[1]: get_parts(text) for text in get_argument_attributes(main)
            if (name := re.search(r'pop.name = "(\w+)"', text))}


def get_new_streams(before, after):
    named = [{op.text.split('sym_name = "')[1].split('"')[0] for op in module.nested if op.name == "pop.stream"}
             for module in (before, after)]
    return named[1] - named[0]


def find_stages(ops):
    return [stage for op in ops if (stage := get_parts(op.text).get("pop.stage")) is not None]


def is_load_placed(load, argument):
    """Where the argument was, or where an op of the first stage is that uses it."""
    parts, users = get_parts(load.text), [user for user in load.users if get_parts(user.text)]
    if argument or not users:
        return not argument or parts == argument
    is_first = "pop.stage" not in parts or parts["pop.stage"] <= min(find_stages(users), default=0)
    return is_first and any(parts == get_parts(user.text) for user in users)


def is_store_placed(store, old):
    """Where the value is, or in the last stage of what is there, but for constants."""
    parts = get_parts(store.text)
    for made in store.operands:
        if placed := get_parts(made.text):
            return placed.items() <= parts.items()
    vgraph = parts.get("pop.vgraph")
    stages = find_stages(op for op in old.walk() if op.name != "pop.constant"
                         and (vgraph is None or get_parts(op.text).get("pop.vgraph") == vgraph))
    return parts.get("pop.stage") == max(stages, default=None)


def find_fault(before, after):
    """What is wrong with the transfers of new streams, or None."""
    old, new = get_functions(before)["main"], get_functions(after)["main"]
    arguments = get_arguments(old)
    for name in sorted(get_new_streams(before, after)):
        transfers = [op for op in new.walk() if f"<{{stream = @{name}}}>" in op.text]
        if len(transfers) != 1 or transfers[0].parent is not new:
            return f"what is not transferred once in a run: {name}"
        transfer = transfers[0]
        if transfer.name == "pop.host_store":
            is_placed = is_store_placed(transfer, old)
        else:
            is_placed = name not in arguments or is_load_placed(transfer, arguments[name])
        if not is_placed:
            return f"what is transferred elsewhere: {name} by {transfer.name}{transfer.text}"
    return None
