# Part of ipu-mlir, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs as trees of statements, which have an MLIR text and run on numpy arrays."""

import re

import numpy as np

from fuzz_graphs.values import ELEMENTS, WEIGHTS, combine, literal

COLLECTIVES = {"all_reduce", "all_gather", "reduce_scatter", "all_to_all", "broadcast",
               "collective_permute", "replica_slice"}
STEPS = 1500  # A program that executes more statements is not drawn.


class TooLong(Exception):
    pass


class NotUniform(Exception):
    """Replicas would not do the same."""


class Value:
    """A tensor, a scalar (of a type in text), or a ref.

    What a ref shows are `indices` into the row-major order of its `root`, another
    ref, or itself. At run time, a root is (storage, indices into it)."""

    def __init__(self, name, type, root=None, indices=None):
        self.name, self.type = name, type
        self.root, self.indices = root, indices
        # The variable that it is a view of, as far as the function knows.
        self.variable = root.variable if root and root is not self else None
        # Whether it may differ on replicas, and decides what they do.
        self.diverges = False
        # Of arguments of functions and results of @main: `name = value`.
        self.attributes = []

    def __str__(self):
        return f"%{self.name}"

    @property
    def is_ref(self):
        return self.root is not None


def make_root(name, type):
    value = Value(name, type)
    value.root, value.indices = value, np.arange(type.size).reshape(type.shape)
    return value


class Storage:
    """The mutable tensor behind refs: an element a column, a replica a row."""

    def __init__(self, values):
        self.values = np.array(values).reshape(len(values), -1)


def show(env, ref):
    storage, indices = env[ref.root]
    return storage, indices.reshape(-1)[ref.indices]


def read(env, ref):
    storage, indices = show(env, ref)
    # Of a single index numpy would give a view.
    return storage.values[:, indices].copy()


def write(env, ref, values):
    storage, indices = show(env, ref)
    storage.values[:, indices] = values


# Ops whose attributes stand before all else.
ATTRIBUTES_FIRST = {"constant", "arith.constant"}


def join_attributes(attributes):
    return f" {{{', '.join(attributes)}}}" if attributes else ""


def find_types(line):
    """Where the types of an op's line begin, or its end."""
    depth = 0
    for i, c in enumerate(line):
        depth += (c in "([{<") - (c in ")]}" or c == ">" and line[i - 1] != "-")
        if depth == 0 and line.startswith(" : ", i):
            return i
    return len(line)


def add_attributes(op, line, attributes):
    """Adds `name = value`s to the line of an op without regions."""
    if not attributes:
        return line
    if op in ATTRIBUTES_FIRST:
        first, name, rest = line.partition(f"{op} ")
        return first + name.rstrip() + join_attributes(attributes) + " " + rest
    at = find_types(line)
    if line[at - 1] == "}":
        return f"{line[:at - 1]}, {', '.join(attributes)}{line[at - 1:]}"
    return line[:at] + join_attributes(attributes) + line[at:]


class Statement:
    """`text` is its line, or the first one of an op with regions. `run` takes the
    environment: arrays and roots by value. `attributes` are added to what it says."""

    def __init__(self, op, text, run, uses=(), results=(), regions=(), end="}"):
        self.op, self.text, self.run = op, text, run
        self.uses, self.results = list(uses), list(results)
        self.regions, self.end = list(regions), end
        # The function that it calls; the statement that it repeats.
        self.callee = self.original = None
        self.attributes = []
        # Of programs that are reduced: left out, or zeros instead.
        self.is_off = self.is_zero = False

    def lines(self):
        if self.is_zero:
            return [f"{result} = pop.constant{join_attributes(self.attributes)}"
                    f" dense<{literal(np.zeros((), result.type.element.dtype))}>"
                    f" : {result.type}" for result in self.results]
        if not self.regions:
            return [add_attributes(self.op, line, self.attributes) for line in self.text.split("\n")]
        lines = [self.text]
        for region in self.regions:
            lines += region.header + ["  " + line for line in region.lines()]
        word = " attributes" if self.op == "scf.while" and self.attributes else ""
        end, colon, types = self.end.partition(" : ")
        return [*lines, end + word + join_attributes(self.attributes) + colon + types]

    def execute(self, program, env):
        program.steps += 1
        if program.steps > STEPS:
            raise TooLong
        if self.is_zero:
            for result in self.results:
                shape = (program.replicas, *result.type.shape)
                env[result] = np.zeros(shape, result.type.element.dtype)
        else:
            self.run(env)
        program.observe(self, env)


class Block:
    """Statements in order, and what they can use."""

    def __init__(self, program, tensors=(), refs=(), depth=0, header=()):
        self.program, self.rng = program, program.rng
        self.tensors, self.refs = list(tensors), list(refs)
        self.depth, self.header = depth, list(header)
        # Whether maybe only some replicas execute it.
        self.diverges = False
        self.outer = None
        self.statements = []
        # `condition` is a scalar that the terminator uses as well.
        self.yields, self.terminator, self.condition = [], None, None

    def inside(self, tensors=(), header=(), depth=1, decided_by=None):
        inner = Block(self.program, [*self.tensors, *tensors], self.refs, self.depth + depth, header)
        inner.outer = self
        inner.diverges = self.diverges or decided_by is not None and decided_by.diverges
        return inner

    def name(self):
        self.program.names += 1
        return f"v{self.program.names}"

    def add(self, statement):
        self.statements.append(statement)
        return statement

    def tensor(self, op, type, text, compute, uses=()):
        """A statement with a tensor as result: `compute` takes the arrays of
        what it uses, `text` its line behind the equals sign."""
        result = Value(self.name(), type)

        def run(env):
            env[result] = self.program.compute(op, compute, [env[use] for use in uses])

        self.add(Statement(op, f"{result} = {text}", run, uses, [result]))
        self.tensors.append(result)
        return result

    def finish(self, terminator, yields):
        """`terminator` is the line's beginning."""
        self.yields = list(yields)
        values = ", ".join(map(str, yields))
        types = ", ".join(str(y.type) for y in yields)
        self.terminator = f"{terminator} {values} : {types}" if yields else terminator

    def lines(self):
        lines = [line for s in self.statements if not s.is_off for line in s.lines()]
        return lines + ([self.terminator] if self.terminator else [])

    def run(self, env):
        for statement in self.statements:
            if not statement.is_off:
                statement.execute(self.program, env)
        return [env[value] for value in self.yields]

    def walk(self):
        for statement in self.statements:
            if not statement.is_off:
                yield self, statement
                if not statement.is_zero:
                    for region in statement.regions:
                        yield from region.walk()


class Function:
    def __init__(self, name, arguments, body):
        self.name, self.arguments, self.body = name, arguments, body
        self.is_private, self.is_loaded, self.is_off = True, False, False
        self.variables = set()  # that it or what it calls names
        self.result_attributes = []  # of each result

    def has_collectives(self):
        return any(s.op in COLLECTIVES or s.callee and s.callee.has_collectives()
                   for _, s in self.body.walk())

    @property
    def signature(self):
        arguments = ", ".join(f"{a}: {a.type.ref if a.is_ref else a.type}{join_attributes(a.attributes)}"
                              for a in self.arguments)
        names = self.result_attributes or [[]] * len(self.body.yields)
        results = ", ".join(f"{y.type}{join_attributes(name)}" for y, name in zip(self.body.yields, names))
        return f"({arguments})" + (f" -> ({results})" if results else "")

    def lines(self):
        private = "private " if self.is_private else ""
        attributes = " attributes {no_inline}" if self.is_loaded else ""
        first = f"func.func {private}@{self.name}{self.signature}{attributes} {{"
        return [first, *("  " + line for line in self.body.lines()), "}"]


class Symbol:
    """A line of the module, left out of reduced programs that do not use `name`."""

    def __init__(self, name, text):
        self.name, self.text = name, text


class Program:
    def __init__(self, rng):
        self.rng = rng
        self.names = self.steps = 0
        self.symbols, self.functions = [], []
        self.replicas = self.transfers = self.runs = 1
        # By stream, and whether any are drawn.
        self.own_transfers, self.draws_own_transfers = {}, False
        self.is_reduced = self.may_be_refused = False
        self.target = ""
        # First values of variables; (type, values) of inputs; types of outputs;
        # first rows of buffers.
        self.variables, self.inputs, self.outputs, self.buffers = {}, {}, {}, {}
        self.variable_types, self.buffer_types = {}, {}
        self.types = []  # of most values
        # Of types that are drawn, and how often.
        self.elements, self.element_weights = ELEMENTS, WEIGHTS
        # Of reductions of floats over replicas, and how often (default: any).
        self.operators = {}
        self.broadcasts = set()  # inputs that all replicas get alike
        # Makes of a tensor one that decides what replicas do (default: the
        # greatest of all replicas).
        self.decide = None
        # Whether replicas may take different ways, and what is not drawn there.
        self.may_diverge, self.together = False, []
        self.nested = []  # what else is not drawn far inside of regions
        self.draw_yields = None  # what else says what iterations pass on
        # By variable or (buffer, row): the shape of what its groups hold, and what
        # makes of that what replicas hold.
        self.spreads = {}
        # Makes a tensor of a type of which there is none (default: a constant).
        self.make_tensor = None
        self.named = set()  # variables that the function being drawn names

    def add_symbol(self, name, text, owner=None):
        self.symbols.append(Symbol(owner or name, text))

    @property
    def main(self):
        return self.functions[-1]

    def text(self):
        functions = [line for f in self.functions if not f.is_off for line in f.lines()]
        names = set(re.findall(r"@(\w+)", "\n".join(functions)))
        symbols = [s.text for s in self.symbols if not self.is_reduced or s.name in names]
        lines = ["  " + line for line in [*symbols, *functions]]
        transfers = f"pop.host_transfers = {self.transfers} : i64, " if self.transfers > 1 else ""
        head = f"module attributes {{{transfers}{self.target}}} {{"
        return "\n".join([head, *lines, "}", ""])

    def start(self):
        """Gives variables and rows their first values."""
        self.storages = {name: Storage(first) for name, first in self.variables.items()}
        self.rows = {name: [np.array(row) for row in rows] for name, rows in self.buffers.items()}

    def run_once(self):
        self.steps = 0
        self.active = np.ones(self.replicas, bool)
        self.counters = {name: np.zeros(self.replicas, int) for name in [*self.inputs, *self.outputs]}
        self.stored = {
            name: np.zeros((self.count_transfers(name), self.replicas, *type.shape), type.element.dtype)
            for name, type in self.outputs.items()
        }
        self.finish_run(self.main.body.run(self.take_arguments()))

    def take_arguments(self):
        """The values of the arguments of @main."""
        return {}

    def finish_run(self, results):
        """Takes the results of @main."""

    def run(self):
        """{output: its values on the host in the last run}"""
        self.start()
        for _ in range(self.runs):
            self.run_once()
        results = {}
        for name, values in self.stored.items():
            dims = [d for d in values.shape[:2] if d > 1]
            results[name] = values.reshape((*dims, *values.shape[2:]))
        return results

    def count_transfers(self, stream):
        """How many tensors of a stream a run has."""
        return self.own_transfers.get(stream, self.transfers)

    def next(self, stream):
        """Where the next tensor of a stream lies for each replica: indices."""
        places = self.counters[stream] % self.count_transfers(stream)
        self.counters[stream] += 1
        return places, np.arange(self.replicas)

    # What a program computes, for those who let it compute something else.

    def compute(self, op, compute, arrays):
        """What an op gives for its operands."""
        return compute(*arrays)

    def combine(self, kind, members):
        return combine(kind, members)

    def take(self, stream):
        """The next tensor of a stream for each replica."""
        return self.inputs[stream][1][self.next(stream)]

    def meet_difference(self):
        """Replicas would not do the same, though they have to."""
        raise NotUniform

    def bound(self, numbers, most):
        """Numbers that are from 0 to `most`: iterations or rows."""
        return numbers

    def observe(self, statement, env):
        """Called when a statement was executed."""

    # What only some replicas execute is executed for all; then the others get
    # back what they held.

    def save(self, env):
        """Arrays that statements change, each with its axis of replicas."""
        storages = [x[0] for x in env.values() if isinstance(x, tuple)]
        arrays = [(s.values, 0) for s in [*storages, *self.storages.values()]]
        arrays += [(row, 0) for rows in self.rows.values() for row in rows]
        arrays += [(counter, 0) for counter in self.counters.values()]
        arrays += [(values, 1) for values in self.stored.values()]
        return [(array, axis, array.copy()) for array, axis in arrays]

    def execute(self, region, env, who):
        """What a region yields to the replicas of which `who` is true."""
        if who.all():
            return region.run(env)
        outer, saved = self.active, self.save(env)
        self.active = outer & who
        yields = region.run(env)
        self.active = outer
        for array, axis, old in saved:
            if axis:
                array[:, ~who] = old[:, ~who]
            else:
                array[~who] = old[~who]
        return yields

    def walk(self):
        for function in self.functions:
            if not function.is_off:
                yield from function.body.walk()
