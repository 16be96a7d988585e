# Part of ipu-mlir, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random programs that load code, and a slow oracle for the location of code.

The oracle uses no transfer functions: it walks all paths through a graph of program
points, with a stack of calls. If a path leaves the function in which it started, it
continues after any call of this function. Programs are small, and a function calls only
later functions, so that there are few stacks.
"""

import collections
import random

MEMORIES = ["executable", "compute_buffer", "io_buffer"]
COUNTS = [1, 2, 3]


class Op:
    """`kind` is load, copy, call, compute, if, for, while, or end."""

    def __init__(self, kind, **fields):
        self.kind = kind
        self.regions = []
        self.graphs, self.source, self.destination, self.callee, self.count = [], None, None, None, None
        self.__dict__.update(fields)
        self.number = None
        self.function = self.block = None

    def written(self, memory):
        return self.graphs if self.destination == memory else []

    def read(self, memory):
        return self.graphs if self.kind == "copy" and self.source == memory else []

    @property
    def name(self):
        names = {"load": "pop.remote_code_load", "copy": "pop.code_copy", "call": "func.call",
                 "if": "scf.if", "for": "scf.for", "compute": "pop.neg_"}
        callee = f" @{self.callee}" if self.callee else ""
        return f"#{self.number} '{names[self.kind]}'{callee}"

    def is_event(self):
        return (self.kind in ("load", "copy", "call")
                or any(op.is_event() for region in self.regions for op in region))

    def lines(self):
        if self.kind == "compute":
            return ["pop.neg_ %r : !pop.ref<f32>"]
        graphs = self.graphs and ("@" + self.graphs[0] if len(self.graphs) == 1
                                  else "[" + ", ".join("@" + g for g in self.graphs) + "]")
        if self.kind == "load":
            return [f"pop.remote_code_load {graphs} to {self.destination}"]
        if self.kind == "copy":
            return [f"pop.code_copy {graphs} from {self.source} to {self.destination}"]
        if self.kind == "call":
            return [f"func.call @{self.callee}() : () -> ()"]
        inside = [["  " + line for op in region for line in op.lines()] for region in self.regions]
        if self.kind == "for":
            return [f"scf.for %i{self.number} = %c0 to {self.count} step %c1 {{", *inside[0], "}"]
        return ["scf.if %p {", *inside[0], *(["} else {", *inside[1]] if len(inside) > 1 else []), "}"]


HEADER = ["%r = pop.get_variable @r : !pop.ref<f32>"]
INPUTS = ["%0 = pop.get_variable @p : !pop.ref<i32>", "%1 = pop.read %0 : !pop.ref<i32>",
          "%zero = pop.constant dense<0> : tensor<i32>",
          "%2 = pop.greater %1, %zero : (tensor<i32>, tensor<i32>) -> tensor<i1>",
          "%p = tensor.extract %2[] : tensor<i1>",
          "%3 = tensor.extract %1[] : tensor<i32>", "%n = arith.index_cast %3 : i32 to index",
          "%c0 = arith.constant 0 : index", "%c1 = arith.constant 1 : index",
          "%c2 = arith.constant 2 : index", "%c3 = arith.constant 3 : index"]


class LoadProgram:
    """Functions f0 (main) to fN; each calls later ones only."""

    def __init__(self, seed):
        self.rng = random.Random(f"loads {seed}")
        count = self.rng.randint(2, 5)
        self.names = ["main", *(f"f{i}" for i in range(1, count))]
        self.input = self.rng.randint(0, 2)
        self.bodies = {name: self.draw_block(i, 0) for i, name in enumerate(self.names)}
        for name in self.names:
            self.number(name)

    # ===------------------------------------------------------------------=== #
    # Drawing and text
    # ===------------------------------------------------------------------=== #

    def draw_block(self, index, depth):
        length = self.rng.randint(1, 6 if index == 0 and depth == 0 else 3)
        return [op for _ in range(length) for op in self.draw_ops(index, depth)]

    def draw_ops(self, index, depth):
        rng, later = self.rng, self.names[index + 1:]
        kinds = ["compute"] + ["load", "load", "call", "call", "call", "copy"] * bool(later)
        kind = rng.choice(kinds + ["if", "for"] * (depth < 2))
        if kind == "compute":
            return [Op(kind)]
        if kind == "call":
            return [Op(kind, callee=rng.choice(later))]
        if kind == "load":
            graphs = rng.sample(later, rng.randint(1, min(2, len(later))))
            return [Op(kind, graphs=graphs, destination=rng.choice(MEMORIES + MEMORIES[:1]))]
        if kind == "copy":
            source, destination = rng.sample(MEMORIES, 2)
            graph = [rng.choice(later)]
            copy = Op(kind, graphs=graph, source=source, destination=destination)
            if source != "executable" and rng.random() < 0.85:
                return [Op("load", graphs=graph, destination=source), copy]
            return [copy]
        op = Op(kind)
        op.regions = [self.draw_block(index, depth + 1)]
        if kind == "for":
            op.count = rng.choice(["%c1", "%c2", "%c3", "%n", "%n"])
        elif rng.random() < 0.6:
            op.regions.append(self.draw_block(index, depth + 1))
        return [op]

    def number(self, name):
        """As ops are walked, terminators included."""
        number = len(HEADER) + len(INPUTS)

        def visit(block):
            nonlocal number
            for op in block:
                op.number, op.function, op.block = number, name, block
                number += 1
                for region in op.regions:
                    visit(region)
                    number += 1

        visit(self.bodies[name])

    def text(self):
        lines = ["module attributes {ipu.target = #ipu.target<\"gc200\", {tiles = 4 : i64, io_tiles = 1 : i64}>} {",
                 "  pop.variable @r : tensor<f32> = dense<1.0> : tensor<f32>",
                 f"  pop.variable @p : tensor<i32> = dense<{self.input}> : tensor<i32>",
                 "  pop.stream @out device_to_host : tensor<f32>"]
        for name in self.names:
            private, attributes = ("", "") if name == "main" else ("private ", " attributes {no_inline}")
            lines.append(f"  func.func {private}@{name}(){attributes} {{")
            body = [line for op in self.bodies[name] for line in op.lines()]
            if name == "main":
                body += ["%y = pop.read %r : !pop.ref<f32>", "pop.host_store %y, @out : tensor<f32>"]
            lines += ["    " + line for line in [*HEADER, *INPUTS, *body, "return"]]
            lines.append("  }")
        return "\n".join([*lines, "}", ""])

    def count(self):
        counts = collections.Counter()

        def visit(block):
            for op in block:
                counts[op.kind + (f" from {op.source}" if op.source else "")
                       + (f" to {op.destination}" if op.destination else "")] += 1
                for region in op.regions:
                    visit(region)

        for name in self.names:
            visit(self.bodies[name])
        unloaded, never = self.find_unloaded()
        counts["program that copies what no path loads"] += bool(never)
        counts["program that copies what some paths do not load"] += bool(unloaded - never)
        return counts

    # ===------------------------------------------------------------------=== #
    # Paths
    # ===------------------------------------------------------------------=== #

    # A point is (block, index): before the op of that index, or at the block's end.

    def prepare(self):
        self.parent, self.block_function = {}, {}
        self.calls_of = collections.defaultdict(list)
        self.reached = self.find_reached("main")

        def visit(name, block, parent):
            self.parent[id(block)], self.block_function[id(block)] = parent, name
            for index, op in enumerate(block):
                if op.kind == "call" and name in self.reached:
                    self.calls_of[op.callee].append((block, index + 1))
                for region in op.regions:
                    visit(name, region, (block, index, op))

        for name in self.names:
            visit(name, self.bodies[name], None)

    def find_reached(self, name):
        """What a run that starts with `name` enters, itself included."""
        found, pending = set(), [name]

        def visit(block):
            for op in block:
                if op.kind == "call":
                    pending.append(op.callee)
                for region in op.regions:
                    visit(region)

        while pending:
            at = pending.pop()
            if at not in found:
                found.add(at)
                visit(self.bodies[at])
        return found

    def enter(self, block, index, op):
        """Points that may follow where `op` begins."""
        after = (block, index + 1)
        if op.kind == "for":
            return [(op.regions[0], 0)] + ([after] if op.count == "%n" else [])
        return [(region, 0) for region in op.regions] + ([after] if len(op.regions) < 2 else [])

    def leave(self, block, stack):
        """(point, stack)s that may follow the end of `block`."""
        parent = self.parent[id(block)]
        if parent:
            outer, index, op = parent
            again = [(op.regions[0], 0)] if op.kind == "for" else []
            return [(point, stack) for point in [(outer, index + 1), *again]]
        if stack:
            return [(stack[-1], stack[:-1])]
        name = self.block_function[id(block)]
        follow = [(point, ()) for point in self.calls_of[name]]
        if name == "main":
            # A run follows another one.
            follow.append(((self.bodies["main"], 0), ()))
        return follow

    def is_live(self, block, index, graph, memory):
        """Whether a path from here needs the code before it is brought."""
        name = self.block_function[id(block)]
        if name not in self.reached:
            return False
        if memory == "executable" and graph in self.reached and name in self.find_reached(graph):
            return True  # While it runs, and what it calls.
        seen, pending = set(), [((block, index), ())]
        while pending:
            (block, index), stack = pending.pop()
            key = (id(block), index, tuple((id(b), i) for b, i in stack))
            if key in seen:
                continue
            seen.add(key)
            if index == len(block):
                pending += self.leave(block, stack)
                continue
            op, after = block[index], (block, index + 1)
            if graph in op.read(memory) or memory == "executable" and op.callee == graph:
                return True
            if graph in op.written(memory):
                continue
            if op.kind == "call":
                pending.append(((self.bodies[op.callee], 0), (*stack, after)))
            elif op.regions:
                pending += [(point, stack) for point in self.enter(block, index, op)]
            else:
                pending.append((after, stack))
        return False

    def moved(self, memory):
        """Graphs of which the liveness in `memory` is printed."""
        found = set()

        def visit(block):
            for op in block:
                found.update(op.written(memory))
                if memory != "executable":
                    found.update(op.read(memory))
                for region in op.regions:
                    visit(region)

        for name in self.names:
            visit(self.bodies[name])
        return [name for name in self.names if name in found]

    def liveness(self):
        """{title of a graph: the set of its ranges}, as pop-print-code-liveness has it."""
        self.prepare()
        result = {}
        for memory in MEMORIES:
            for graph in self.moved(memory):
                title = f"code of @{graph}" + (f" in {memory}" if memory != "executable" else "")
                ranges = set()
                for name in self.names:
                    if name in self.reached:
                        self.add_ranges(ranges, self.bodies[name], f"@{name}", graph, memory, False)
                in_image = self.is_live(self.bodies["main"], 0, graph, memory)
                result[title] = ("in the image" if in_image else "loaded", ranges)
        return result

    def add_ranges(self, ranges, block, where, graph, memory, is_around):
        live = self.is_live(block, 0, graph, memory)
        is_whole, start, own = live, "start" if live else None, []
        for index, op in enumerate(block):
            if not op.is_event():
                continue
            was, live = live, self.is_live(block, index + 1, graph, memory)
            is_whole = is_whole and live
            is_load = graph in op.written(memory)
            if was and (not live or is_load):
                own.append((start, op.name))
            if live and (not was or is_load):
                start = op.name
        if live:
            own.append((start, "end"))
        if not is_whole or not is_around:
            ranges.update(f"{where}: {first} to {last}" for first, last in own)
        for index, op in enumerate(block):
            if not op.is_event():
                continue
            around = (self.is_live(block, index, graph, memory)
                      and self.is_live(block, index + 1, graph, memory))
            for number, region in enumerate(op.regions):
                self.add_ranges(ranges, region, f"@{op.function}, {op.name} region {number}",
                                graph, memory, around)

    # ===------------------------------------------------------------------=== #
    # Running
    # ===------------------------------------------------------------------=== #

    def find_unloaded(self):
        """Copies from buffers, of (graph, source), that a path reaches unloaded, and those
        that no path reaches loaded."""
        self.prepare()
        loaded, unloaded = set(), set()
        for memory in MEMORIES[1:]:
            for graph in self.moved(memory):
                seen, pending = set(), [((self.bodies["main"], 0), (), False)]
                while pending:
                    (block, index), stack, is_there = pending.pop()
                    key = (id(block), index, tuple((id(b), i) for b, i in stack), is_there)
                    if key in seen:
                        continue
                    seen.add(key)
                    if index == len(block):
                        if self.parent[id(block)] or stack:
                            pending += [(*next, is_there) for next in self.leave(block, stack)]
                        continue
                    op, after = block[index], (block, index + 1)
                    if graph in op.read(memory):
                        (loaded if is_there else unloaded).add((op, graph))
                    if graph in op.written(memory):
                        is_there = True
                    if op.kind == "call":
                        pending.append(((self.bodies[op.callee], 0), (*stack, after), is_there))
                    elif op.regions:
                        pending += [(point, stack, is_there) for point in self.enter(block, index, op)]
                    else:
                        pending.append((after, stack, is_there))
        return unloaded, unloaded - loaded

    def run(self):
        """The result, or None if code is copied from where it is not; raises TooLong."""
        places, steps, value = {memory: set() for memory in MEMORIES}, 0, 1.0

        class Unloaded(Exception):
            pass

        def execute(block):
            nonlocal steps, value
            for op in block:
                steps += 1
                if steps > 500:
                    raise TooLong
                if op.kind == "compute":
                    value = -value
                elif op.kind == "call":
                    execute(self.bodies[op.callee])
                elif op.kind == "for":
                    for _ in range(self.input if op.count == "%n" else int(op.count[2:])):
                        execute(op.regions[0])
                elif op.kind == "if":
                    if self.input > 0:
                        execute(op.regions[0])
                    elif len(op.regions) > 1:
                        execute(op.regions[1])
                else:
                    if op.kind == "copy" and op.source != "executable" and not places[op.source] >= set(op.graphs):
                        raise Unloaded
                    places[op.destination].update(op.graphs)

        try:
            execute(self.bodies["main"])
        except Unloaded:
            return None
        return value


class TooLong(Exception):
    pass


def draw_load_program(seed):
    for trial in range(1000):
        program = LoadProgram(f"{seed} {trial}")
        try:
            program.run()
            return program
        except TooLong:
            continue
    raise AssertionError("no short program")
