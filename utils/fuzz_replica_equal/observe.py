# Part of ipu-mlir, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""On which replicas values are equal when programs are run, on numpy arrays.

A program is run a few times in a row, so that it starts with what it left, with
several sets of inputs and first values of variables.
"""

import re

import numpy as np

from fuzz_graphs.program import COLLECTIVES, NotUniform, Program, Storage, TooLong, read

SETS, RUNS = 3, 3
MOST_STEPS = 500  # of all replicas, in one run
NAME = re.compile(r"^\s*(?:%[^=]*= )?(?:func\.)?(\w+\.)?(\w+)")


class Seen:
    """What was seen of a value, all times that it was made: class of each replica
    by its least member, and whether it was always the same."""

    def __init__(self, replicas):
        self.classes = [0] * replicas
        self.first, self.is_constant = None, True

    def add(self, texts, active):
        numbers, classes = {}, []
        for own, (text, is_active) in enumerate(zip(texts, active)):
            key = text if is_active else None
            # Who does the same so far, and now.
            classes.append(numbers.setdefault((self.classes[own], key), own))
        self.classes = classes
        if self.first is None:
            self.first = texts[0]
        self.is_constant = self.is_constant and all(text == self.first for text in texts)


def get_texts(values, replicas):
    values = np.ascontiguousarray(values)
    if values.ndim == 0 or len(values) != replicas:
        return [values.tobytes()] * replicas
    return [row.tobytes() for row in values]


class ObservedProgram(Program):
    def __init__(self, rng):
        super().__init__(rng)
        self.seen = {}  # {(statement, "result" or "operand", number): Seen}
        self.draws = 0  # of bits to round with

    def observe(self, statement, env):
        if self.steps > MOST_STEPS:
            raise TooLong
        if statement.op in COLLECTIVES and not self.active.all():
            raise NotUniform
        for number, result in enumerate(statement.results):
            if not result.is_ref:
                self.see(statement, ("result", number), env[result])
            elif self.active.all():
                # To make a handle is to do nothing.
                self.see(statement, ("result", number), read(env, result))
        if statement.results and statement.op != "func.call":
            return
        for number, use in enumerate(statement.uses):
            if use.is_ref:
                self.see(statement, ("operand", number), read(env, use))

    def see(self, statement, key, values):
        seen = self.seen.get((statement, *key))
        if seen is None:
            seen = self.seen[statement, *key] = Seen(self.replicas)
        seen.add(get_texts(values, self.replicas), self.active)

    def draw_inputs(self, rng, is_alike):
        """Values of all streams for a run; `is_alike`: of many replicas the same."""
        for name, (type, _) in self.drawn_inputs.items():
            replicas = 1 if name in self.broadcasts else self.replicas
            shape = (self.transfers, replicas, *type.shape)
            low = 0 if type.element.dtype.kind in "bu" else -9
            values = rng.integers(low, 2 if type.element.is_bool else 10, shape)
            values = (values / 4 if type.element.is_float else values).astype(type.element.dtype)
            if is_alike:
                values = values[:, rng.integers(0, 2, replicas) % replicas]
            self.inputs[name] = (type, np.broadcast_to(values, (self.transfers, self.replicas, *type.shape)))

    def change_state(self, number):
        """Other first values, equal on the same replicas."""

        def change(values):
            if values.dtype.kind == "b":
                return values ^ bool(number % 2)
            return (values + number).astype(values.dtype)

        self.storages = {name: Storage(change(s.values)) for name, s in self.storages.items()}
        self.rows = {name: [change(row) for row in rows] for name, rows in self.rows.items()}

    def run(self):
        return self.observe_runs()

    def observe_runs(self):
        self.seen = {}
        self.drawn_inputs = dict(self.inputs)
        self.draws = 0
        with np.errstate(all="ignore"):
            for number in range(SETS):
                self.start()
                self.change_state(number)
                for run in range(RUNS):
                    rng = np.random.default_rng([number, run, self.input_seed])
                    self.draw_inputs(rng, is_alike=number == SETS - 1)
                    self.run_once()
        self.inputs = self.drawn_inputs


def number_ops(program):
    """{(function, number in its body): (name of the op, statement)}"""
    numbered = {}

    def visit(block, name, number):
        for statement in block.statements:
            if statement.is_off:
                continue
            lines, is_nest = statement.lines(), statement.regions and not statement.is_zero
            for i in range(1 if is_nest else len(lines)):
                numbered[name, number + i] = (NAME.match(lines[i]).group(2), statement if not i else None)
            number += 1 if is_nest else len(lines)
            for region in statement.regions if is_nest else []:
                # One more for what ends it.
                number = visit(region, name, number) + 1
        return number

    for function in program.functions:
        if not function.is_off:
            visit(function.body, function.name, 0)
    return numbered
