# Part of ipu-mlir, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Finds on which replicas values are equal in runs on numpy arrays.

A program runs a few times in a row, so that a run starts with the variables of the
previous run, with several sets of inputs and initial values of variables. It runs first
with the functions of its ops, and then with random functions (see mixed.py).
"""

import contextlib
import random
import re
import zlib

import numpy as np

from fuzz_graphs import values as v
from fuzz_graphs.program import COLLECTIVES, NotUniform, Program, Storage, TooLong, read
from fuzz_replica_equal import mixed
from fuzz_replica_equal.rounding import Generators

SETS, MIXED_SETS, RUNS = 3, 4, 3
MOST_STEPS = 500  # of all replicas, in one run
NAME = re.compile(r"^\s*(?:%[^=]*= )?(?:func\.)?(\w+\.)?(\w+)")


class Seen:
    """What was seen of a value, all times that it was made: class of each replica
    by its least member, and whether it was always the same."""

    def __init__(self, replicas):
        self.classes = [0] * replicas
        self.was_made = [False] * replicas
        self.first, self.is_constant = None, True

    def add(self, texts, active):
        numbers, classes = {}, []
        for own, (text, is_active) in enumerate(zip(texts, active)):
            key = text if is_active else None
            # Who does the same so far, and now.
            classes.append(numbers.setdefault((self.classes[own], key), own))
        self.classes = classes
        self.was_made = [a or bool(b) for a, b in zip(self.was_made, active)]
        if self.first is None:
            self.first = texts[0]
        self.is_constant = self.is_constant and all(text == self.first for text in texts)

    def is_equal(self, r, s):
        return self.classes[r] == self.classes[s]


def get_texts(values, replicas):
    values = np.ascontiguousarray(values)
    if values.ndim == 0 or len(values) != replicas:
        return [values.tobytes()] * replicas
    return [row.tobytes() for row in values]


class ObservedProgram(Program):
    def __init__(self, rng):
        super().__init__(rng)
        # {(statement, "result" or "operand", number): Seen}, and of mixed runs
        self.seen, self.seen_mixed = {}, {}
        # The set and the run, if ops compute something else.
        self.mixed = None
        self.may_diverge = self.has_methods = self.forces_methods = False
        self.mixed_sets = MIXED_SETS
        # Whether replicas came to draw other bits that are to draw the same, and
        # whether the compiler refuses a method.
        self.has_drifted = self.is_refused = False

    def observe(self, statement, env):
        if self.steps > MOST_STEPS:
            raise TooLong
        if statement.op in COLLECTIVES and not self.active.all():
            self.meet_difference()
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

    def pairs(self):
        return [(r, s) for s in range(self.replicas) for r in range(s)]

    def find_statements(self):
        """{first line of a statement: it}"""
        found = {}
        for _, statement in self.walk():
            found.setdefault(statement.lines()[0].strip(), statement)
        return found

    def see(self, statement, key, values):
        all_seen = self.seen_mixed if self.mixed else self.seen
        seen = all_seen.get((statement, *key))
        if seen is None:
            seen = all_seen[statement, *key] = Seen(self.replicas)
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

        def redraw(key, values):
            shape, spread = self.spreads[key]
            return spread(self.draw_first((number, key), shape, values.dtype))

        self.storages = {name: Storage(redraw(name, first)) for name, first in self.variables.items()}
        self.rows = {name: [redraw((name, i), row) for i, row in enumerate(rows)]
                     for name, rows in self.rows.items()}

    def draw_first(self, key, shape, dtype):
        if self.mixed:
            return mixed.draw(self.key_of(key), shape, dtype)
        element = next(e for e in v.ELEMENTS if e.dtype == dtype)
        return v.draw_values(random.Random(str(key)), shape, element)

    def key_of(self, key):
        return [zlib.crc32(str(key).encode()), *(self.mixed or ())]

    # What is different in mixed runs.

    def compute(self, op, compute, arrays):
        values = compute(*arrays)
        return mixed.mix((op, self.steps, self.mixed), arrays, values) if self.mixed and op in mixed.MIXED else values

    def combine(self, kind, members):
        if not self.mixed:
            return super().combine(kind, members)
        return mixed.combine((kind, self.steps, self.mixed), kind, members)

    def take(self, stream):
        """Of mixed runs, each tensor of a stream is another one."""
        if not self.mixed:
            return super().take(stream)
        self.next(stream)
        type, _ = self.inputs[stream]
        return np.stack([
            mixed.draw(self.key_of((stream, 0 if stream in self.broadcasts else r, count)), type.shape,
                       type.element.dtype)
            for r, count in enumerate(self.counters[stream])])

    def meet_difference(self):
        if not self.mixed:
            raise NotUniform

    def bound(self, numbers, most):
        is_data = self.mixed and np.ndim(numbers)
        return np.asarray(numbers, np.int64) % (most + 1) if is_data else numbers

    def run(self):
        return self.observe_runs()

    def observe_runs(self):
        self.seen, self.seen_mixed = {}, {}
        self.drawn_inputs = dict(self.inputs)
        self.mixed, self.has_drifted = None, False
        with np.errstate(all="ignore"):
            for number in range(SETS):
                self.observe_set(number)
            for number in range(self.mixed_sets):
                # What takes long was seen long enough.
                with contextlib.suppress(TooLong):
                    self.observe_set(SETS + number)
        self.inputs, self.mixed = self.drawn_inputs, None

    def observe_set(self, number):
        """Runs, each of which starts with what the last one left."""
        for run in range(RUNS):
            self.mixed = (number, run) if number >= SETS else None
            if not run:
                self.start()
                self.generators = Generators(self.replicas)
                if number:
                    self.change_state(number)
            rng = np.random.default_rng([number, run, self.input_seed])
            self.draw_inputs(rng, is_alike=number == SETS - 1)
            self.run_once()
            self.has_drifted |= not self.mixed and self.generators.have_drifted()


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
