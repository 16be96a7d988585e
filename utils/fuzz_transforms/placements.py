# Part of ipu-mlir, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random placements of ops, symbols and arguments, which do not contradict each other.

All refs to one tensor in memory are on one virtual graph. So are all transfers of the
rows of one buffer, and all ops of one stage.
"""

import re

PARTS = ["vgraph", "stage", "phase", "batch_phase"]
TRANSFERS = {"host_load", "host_store", "remote_load", "remote_load dynamic", "remote_store",
             "remote_store dynamic"}
STAGES = 6


class Tensors:
    """Sets of tensors in memory that have to be on one virtual graph."""

    def __init__(self, program):
        self.parents = {}
        for _, statement in program.walk():
            if statement.callee:
                for argument, operand in zip(statement.callee.arguments, statement.uses):
                    if argument.is_ref:
                        self.unite(self.key(argument), self.key(operand))
            if statement.original:
                for old, new in zip(statement.original.results, statement.results):
                    if new.is_ref:
                        self.unite(self.key(old), self.key(new))

    def key(self, ref):
        return ref.root.variable or ref.root

    def find(self, key):
        while key in self.parents:
            key = self.parents[key]
        return key

    def unite(self, a, b):
        a, b = self.find(a), self.find(b)
        if a is not b and a != b:
            self.parents[a] = b


class Placer:
    """Gives placements to all of a program. `chances` are how often each attribute is
    there: all ops have it, or none, or some."""

    def __init__(self, program):
        rng = program.rng
        self.program, self.rng = program, rng
        self.tensors = Tensors(program)
        self.vgraphs = {}  # of sets of tensors, and buffers
        self.chances = {part: rng.choice([0, 0.3, 1] if part == "vgraph" else [0, 0, 0.3, 1]) for part in PARTS}
        self.chances["recompute"] = rng.choice([0, 0, 0.3])
        self.chances["tile_set"] = rng.choice([0, 0.5]) if program.has_io_tiles else 0
        # What moves into another function is not where its context says.
        self.chances["execution_context"] = rng.choice([0, 0, 0, 0.3])
        # Whether no op uses what a later stage, or a later part of the batch, makes.
        self.is_ordered = rng.random() < 0.5
        # Whether arguments of @main, and ops with regions and calls, are nowhere.
        self.leaves_arguments, self.leaves_regions = rng.random() < 0.4, rng.random() < 0.3
        self.current = {}
        self.exchange_vgraphs = {}  # of transfers of an exchange that has one

    def has(self, part):
        return self.rng.random() < self.chances[part]

    def draw_vgraph(self):
        return self.rng.randrange(self.program.ipus)

    def vgraph_of(self, key):
        """Of a tensor in memory, or a buffer."""
        key = self.tensors.find(key)
        if key not in self.vgraphs:
            self.vgraphs[key] = self.draw_vgraph()
        return self.vgraphs[key]

    def forced_vgraph(self, statement):
        """Where an op has to be, or None."""
        if statement in self.exchange_vgraphs:
            return self.exchange_vgraphs[statement]
        if statement.op not in ("func.call", *TRANSFERS):
            for ref in [*statement.uses, *statement.results]:
                if ref.is_ref:
                    return self.vgraph_of(self.tensors.key(ref))
        if buffer := re.search(r"@(buffer\d+)\b", statement.text):
            return self.vgraph_of(buffer[1])
        return None

    def draw_current(self, last):
        rng = self.rng
        numbers = {"vgraph": self.draw_vgraph(), "phase": rng.randint(-1, 3)}
        if last and self.is_ordered:
            return {**numbers, "stage": last["stage"] + rng.randint(0, 1),
                    "batch_phase": last["batch_phase"] + rng.randint(0, 1)}
        return {**numbers, "stage": rng.randrange(STAGES), "batch_phase": rng.randint(-1, 3)}

    def draw_numbers(self, forced):
        """Mostly those of the op before, so that some ops may be merged."""
        if not self.current or self.rng.random() < 0.15:
            self.current = self.draw_current(self.current)
        numbers = dict(self.current)
        if forced is not None:
            numbers["vgraph"] = forced
        # Stage s is on virtual graph s modulo their number.
        ipus = self.program.ipus
        numbers["stage"] += (numbers["vgraph"] - numbers["stage"]) % ipus
        if self.is_ordered:
            self.current["stage"] = numbers["stage"]
        return [f"pop.{part} = {numbers[part]} : i64" for part in PARTS if self.has(part)]

    def draw_words(self, statement, is_main):
        words = self.draw_numbers(self.forced_vgraph(statement))
        if statement.op in TRANSFERS and self.has("tile_set"):
            words.append("pop.tile_set = #pop<tile_set io>")
        if statement.results and self.has("recompute"):
            words.append(f"pop.recompute = #pop<recompute {self.rng.choice(['checkpoint', 'recompute'])}>")
        if self.has("execution_context"):
            context = self.rng.choice(["normal", "accumulate_outer"]) if is_main else "subgraph"
            words.append(f"pop.execution_context = #pop<execution_context {context}>")
        return words

    def place_transfers(self, exchange):
        """Chooses the virtual graph of an exchange, which is that of its transfers.
        Those of several virtual graphs have an exchange that is nowhere."""
        transfers = [statement for region in exchange.regions for statement in region.statements]
        forced = {self.forced_vgraph(transfer) for transfer in transfers} - {None}
        if len(forced) > 1:
            return False
        vgraph = forced.pop() if forced else self.draw_vgraph()
        self.exchange_vgraphs.update((statement, vgraph) for statement in [exchange, *transfers])
        return True

    def place(self, statement, is_main):
        if self.leaves_regions and (statement.regions or statement.callee):
            return
        if statement.op == "remote_exchange" and not self.place_transfers(statement):
            return
        # Seeds of one function are often of several strands.
        if statement.op == "next_seed" and self.rng.random() < 0.4:
            self.current = self.draw_current(self.current)
        original = None if statement in self.exchange_vgraphs else statement.original
        if original and original.attributes and self.rng.random() < 0.7:
            statement.attributes = list(original.attributes)
        else:
            statement.attributes = self.draw_words(statement, is_main)

    def place_argument(self, argument):
        forced = self.vgraph_of(self.tensors.key(argument)) if argument.is_ref else None
        argument.attributes += self.draw_numbers(forced)

    def place_symbol(self, symbol):
        name = re.match(r"pop\.\w+ @(\w+)", symbol.text)[1]
        if name in self.program.variables or name in self.program.buffers:
            words = [w for w in self.draw_numbers(self.vgraph_of(name)) if w.startswith("pop.vgraph")]
        else:
            words = self.draw_numbers(self.vgraph_of(symbol.name))
        if words:
            symbol.text = add_to_symbol(symbol.text, words)


def add_to_symbol(text, words):
    if text.endswith("}"):
        return f"{text[:-1]}, {', '.join(words)}}}"
    return f"{text} {{{', '.join(words)}}}"


def place(program):
    placer = Placer(program)
    for symbol in program.symbols:
        placer.place_symbol(symbol)
    for function in program.functions:
        placer.current = {}
        if function is not program.main or not placer.leaves_arguments:
            for argument in function.arguments:
                placer.place_argument(argument)
        for _, statement in function.body.walk():
            placer.place(statement, function is program.main)
    program.has_contexts = placer.chances["execution_context"] > 0
