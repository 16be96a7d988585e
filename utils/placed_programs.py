# Part of ipu-mlir, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random placed programs for `fuzz-placement` and `fuzz-pipeline`."""

import random
import subprocess

UNARY = ["exp", "sin", "cos", "tanh", "relu", "neg", "abs"]
BINARY = ["add", "sub", "mul", "max", "min"]


OPTIMIZERS = [
    "sgd0, lr = 0.125", "sgd0, lr = #pop.schedule<linear, initial = 0.125, steps = 4>", "sgd0, lr = @lr, weight_decay = 0.25",
    "sgd2, momentum = 0.5, lr = 0.125, loss_scale = 8.0", "adam, lr = 0.0625", "adam, lr = @lr, loss_scale = @scale",
    "adamax, lr = 0.0625", "rmsprop, lr = 0.0625",
]


class Program:
    def __init__(self, seed, plants=False):
        self.rng = rng = random.Random(f"placement {seed}")
        self.ipus, self.io_tiles = rng.randint(1, 8), rng.choice([0, 1, 2])
        self.tiles = rng.choice([4, 7, 16])
        self.copies = rng.random() < 0.5 or plants  # or pop-inter-ipu-copy inserts them
        size = rng.choice([3, 8])
        self.rounds = rng.random() < 0.3  # stochastically
        self.element = "f16" if self.rounds else "f32"
        self.type = f"tensor<{size}x{size}x{self.element}>"
        self.scalar = f"tensor<{self.element}>"
        rounding = "stochastic-rounding=counter" if self.rounds else ""
        self.passes = f"pop-graph-pipeline{{{rounding}}},"  # that come before the lowering
        self.count, self.lines, self.depth = 0, [], 1
        self.values = {}  # the virtual graph of each value in scope
        self.functions = [f"f{i}" for i in range(rng.randint(0, 2))]
        self.variables = {f"v{i}": rng.randrange(self.ipus) for i in range(rng.randint(0, 2))}

    def name(self):
        self.count += 1
        return f"%x{self.count}"

    def add(self, text):
        self.lines.append("  " * (self.depth + 1) + text)

    def define(self, vgraph, text):
        name = self.name()
        self.add(f"{name} = {text}")
        self.values[name] = vgraph
        return name

    def at(self, vgraph, more=""):
        if not self.copies and self.rng.random() < 0.3:
            return f"{{{more.rstrip(', ')}}}"
        return f"{{{more}pop.vgraph = {vgraph} : i64}}"

    def pick(self, vgraph):
        """A value on a virtual graph, which may have to be copied to it."""
        name = self.rng.choice(list(self.values))
        source = self.values[name]
        if source == vgraph or not self.copies:
            return name
        return self.define(vgraph, f"pop.ipu_copy {name} from {source} to {vgraph} : {self.type}")

    def constant(self):
        name, value = self.name(), self.rng.randint(-8, 8) / 8
        self.add(f"{name} = pop.constant dense<{value}> : {self.type}")
        return name

    def make_dropout(self, x, at):
        seed = self.name()
        self.add(f"{seed} = pop.next_seed {self.at(at)}")
        return f"pop.dropout {x}, {seed}, 0.25 {self.at(at)} : {self.type}, tensor<2xui32>"

    def make_op(self):
        at = self.rng.randrange(self.ipus)
        kind = self.rng.choice(["unary", "binary", "binary", "constant", "matmul", "transpose", "call", "io", "variable",
                                "dropout"])
        t, pair = self.type, f"({self.type}, {self.type}) -> {self.type}"
        if kind == "unary":
            self.define(at, f"pop.{self.rng.choice(UNARY)} {self.pick(at)} {self.at(at)} : {t}")
        elif kind == "constant":
            self.define(at, f"pop.add {self.pick(at)}, {self.constant()} {self.at(at)} : {t}")
        elif kind == "matmul":
            self.define(at, f"pop.matmul {self.pick(at)}, {self.pick(at)} {self.at(at)} : {pair}")
        elif kind == "transpose":
            order = "permutation = array<i64: 1, 0>, "
            self.define(at, f"pop.transpose {self.pick(at)} {self.at(at, order)} : {t} -> {t}")
        elif kind == "dropout":
            self.define(at, self.make_dropout(self.pick(at), at))
        elif kind == "call" and self.functions:
            call = f"func.call @{self.rng.choice(self.functions)}({self.pick(at)}) {self.at(at)}"
            self.define(at, f"{call} : ({t}) -> {t}")
        elif kind == "io" and self.io_tiles:
            io = self.name()
            self.add(f"{io} = pop.io_tile_copy {self.pick(at)} to io {self.at(at)} : {t}")
            other = self.name()
            self.add(f"{other} = pop.neg {io} {self.at(at, 'pop.tile_set = #pop<tile_set io>, ')} : {t}")
            self.define(at, f"pop.io_tile_copy {other} to compute {self.at(at)} : {t}")
        elif kind == "variable" and self.variables:
            variable, at = self.rng.choice(list(self.variables.items()))
            ref = self.name()
            self.add(f"{ref} = pop.get_variable @{variable} : !pop.ref<{t[7:-1]}>")
            if self.rng.random() < 0.5:
                self.define(at, f"pop.read {ref} {self.at(at)} : !pop.ref<{t[7:-1]}>")
            else:
                self.add(f"pop.add_ {ref}, {self.pick(at)} {self.at(at)} : !pop.ref<{t[7:-1]}>, {t}")
        else:
            self.define(at, f"pop.{self.rng.choice(BINARY)} {self.pick(at)}, {self.pick(at)} {self.at(at)} : {t}")

    def make_body(self, results):
        """A region that yields a value on each of the virtual graphs `results`."""
        outside, self.depth = dict(self.values), self.depth + 1
        self.make_ops(self.rng.randint(1, 4))
        yielded = [self.pick(at) for at in results]
        self.add(f"scf.yield {', '.join(yielded)} : {', '.join([self.type] * len(results))}")
        self.values, self.depth = outside, self.depth - 1

    def finish_region(self, names, results):
        self.add("}")
        self.values.update((f"{names}#{i}", at) for i, at in enumerate(results))

    def make_loop(self):
        results = [self.rng.randrange(self.ipus) for _ in range(self.rng.randint(1, 3))]
        starts, names, index = [self.pick(at) for at in results], self.name(), self.name()
        arguments = [self.name() for _ in results]
        types = ", ".join([self.type] * len(results))
        carried = ", ".join(f"{a} = {s}" for a, s in zip(arguments, starts))
        self.add(f"{names}:{len(results)} = scf.for {index} = %c0 to %c{self.rng.choice([1, 3])} step %c1 "
                 f"iter_args({carried}) -> ({types}) {{")
        outside = dict(self.values)
        self.values.update(zip(arguments, results))
        self.depth += 1
        for at in self.rng.sample(range(self.ipus), self.rng.randint(0, min(2, self.ipus))):
            number, scalar = self.name(), self.name()
            self.add(f"{number} = pop.from_scalar {index} {self.at(at)} : index to tensor<i32>")
            self.add(f"{scalar} = pop.cast {number} {self.at(at)} : tensor<i32> to {self.scalar}")
            types = f"({self.type}, {self.scalar}) -> {self.type}"
            self.define(at, f"pop.add {self.pick(at)}, {scalar} {self.at(at)} : {types}")
        self.depth -= 1
        self.make_body(results)
        self.values = outside
        self.finish_region(names, results)

    def make_branch(self):
        at = self.rng.randrange(self.ipus)
        results = [self.rng.randrange(self.ipus) for _ in range(self.rng.randint(1, 2))]
        total, zero, less, condition, names = (self.name() for _ in range(5))
        axes = "axes = array<i64: 0, 1>, "
        self.add(f"{total} = pop.reduce sum {self.pick(at)} {self.at(at, axes)} : {self.type} -> {self.scalar}")
        self.add(f"{zero} = pop.constant dense<0.0> : {self.scalar}")
        self.add(f"{less} = pop.less {total}, {zero} {self.at(at)} : ({self.scalar}, {self.scalar}) -> tensor<i1>")
        self.add(f"{condition} = tensor.extract {less}[] : tensor<i1>")
        types = ", ".join([self.type] * len(results))
        self.add(f"{names}:{len(results)} = scf.if {condition} -> ({types}) {{")
        self.make_body(results)
        self.add("} else {")
        self.make_body(results)
        self.finish_region(names, results)

    def make_ops(self, number):
        for _ in range(number):
            kind = self.rng.random() if self.depth < 3 else 1
            (self.make_loop if kind < 0.12 else self.make_branch if kind < 0.2 else self.make_op)()

    def text(self):
        t, inputs = self.type, range(self.rng.randint(1, 3))
        self.values = {f"%in{i}": self.rng.randrange(self.ipus) for i in inputs}
        arguments = ", ".join(f'{n}: {t} {{pop.name = "{n[1:]}", pop.vgraph = {v} : i64}}'
                              for n, v in self.values.items())
        self.make_ops(self.rng.randint(3, 14))
        results = self.rng.sample(list(self.values), min(3, len(self.values)))
        names = ", ".join(f'{t} {{pop.name = "out{i}"}}' for i in range(len(results)))
        constants = {"tiles": self.tiles, "ipus": self.ipus, "io_tiles": self.io_tiles}
        constants = ", ".join(f"{k} = {v} : i64" for k, v in constants.items())
        lines = [f'module attributes {{ipu.target = #ipu.target<"gc200", {{{constants}}}>}} {{']
        lines += [f"  pop.variable @{v} : {t} = dense<0.5> : {t} {{pop.vgraph = {at} : i64}}"
                  for v, at in self.variables.items()]
        # In a placed program, a function without calls is on no IPU.
        called = [name for name in self.functions if any(f"@{name}(" in line for line in self.lines)]
        for name in called:
            lines += [f"  func.func private @{name}(%x: {t}) -> {t} attributes {{no_inline}} {{",
                      f"    %c = pop.constant dense<0.25> : {t}",
                      f"    %0 = pop.{self.rng.choice(BINARY)} %x, %c : {t}"]
            if self.rng.random() < 0.5:
                lines += ["    %seed = pop.next_seed",
                          f"    %1 = pop.dropout %0, %seed, 0.25 : {t}, tensor<2xui32>"]
            else:
                lines += [f"    %1 = pop.{self.rng.choice(UNARY)} %0 : {t}"]
            lines += [f"    return %1 : {t}", "  }"]
        lines += [f"  func.func @main({arguments}) -> ({names}) {{"]
        lines += [f"    %c{i} = arith.constant {i} : index" for i in (0, 1, 3)]
        lines += self.lines
        lines += [f"    return {', '.join(results)} : {', '.join([t] * len(results))}", "  }", "}"]
        return "\n".join(lines) + "\n"


class Training(Program):
    """A stack of layers, whose weights are trained."""

    def __init__(self, seed, plants=False):
        super().__init__(seed, plants)
        self.functions, self.variables = [], {}
        self.updates, self.parts = self.rng.randint(1, 3), self.rng.choice([1, 1, 2])

    def get_weight(self, at):
        """A weight on an IPU, which earlier layers may use, too."""
        own = [name for name, vgraph in self.variables.items() if vgraph == at]
        if own and self.rng.random() < 0.3:
            name = self.rng.choice(own)
        else:
            name = f"w{len(self.variables)}"
            self.variables[name] = at
        ref, size = self.name(), self.type[7:-1]
        self.add(f"{ref} = pop.get_variable @{name} : !pop.ref<{size}>")
        return self.define(at, f"pop.read {ref} {self.at(at)} : !pop.ref<{size}>")

    def make_layer(self, x):
        at, t = self.rng.randrange(self.ipus), self.type
        given, source = x, self.values[x]
        if source != at:
            x = self.define(at, f"pop.ipu_copy {x} from {source} to {at} : {t}")
        kind = self.rng.choice(["matmul", "matmul", "product", "unary", "residual", "call", "dropout", "several"]
                               + ["io"] * (self.io_tiles > 0))
        if kind == "unary":
            return self.define(at, f"pop.{self.rng.choice(UNARY)} {x} {self.at(at)} : {t}")
        if kind == "product":
            return self.define(at, f"pop.mul {x}, {self.get_weight(at)} {self.at(at)} : {t}")
        if kind == "residual":
            return self.define(at, f"pop.add {x}, {self.pick(at)} {self.at(at)} : {t}")
        if kind == "call":
            name = f"f{len(self.functions)}" if len(self.functions) < 2 else self.rng.choice(self.functions)
            self.functions += [name] if name not in self.functions else []
            return self.define(at, f"func.call @{name}({x}) {self.at(at)} : ({t}) -> {t}")
        if kind == "dropout":
            return self.define(at, self.make_dropout(x, at))
        if kind == "io":
            io, parts = self.name(), []
            self.add(f"{io} = pop.io_tile_copy {x} to io {self.at(at)} : {t}")
            for text in (f"sin {io}", f"tanh {io}", "mul {}, {}"):
                parts.append(self.name())
                self.add(f"{parts[-1]} = pop.{text.format(*parts)} {self.at(at, 'pop.tile_set = #pop<tile_set io>, ')} : {t}")
            back = self.define(at, f"pop.io_tile_copy {parts[-1]} to compute {self.at(at)} : {t}")
            return self.define(at, f"pop.add {back}, {x} {self.at(at)} : {t}")
        if kind == "several":
            # Ops on two IPUs read one value.
            parts = [self.define(at, f"pop.{self.rng.choice(UNARY)} {x} {self.at(at)} : {t}") for _ in range(2)]
            product = self.define(at, f"pop.mul {parts[0]}, {parts[1]} {self.at(at)} : {t}")
            if source != at:
                product = self.define(source, f"pop.ipu_copy {product} from {at} to {source} : {t}")
            total = self.define(source, f"pop.add {product}, {given} {self.at(source)} : {t}")
            return self.define(source, f"pop.mul {total}, {given} {self.at(source)} : {t}")
        pair = f"({t}, {t}) -> {t}"
        return self.define(at, f"pop.matmul {x}, {self.get_weight(at)} {self.at(at)} : {pair}")

    def make_ops(self, number):
        x = next(iter(self.values))
        for _ in range(number):
            x = self.make_layer(x)
        at = self.values[x]
        x = self.define(at, f"pop.mul {x}, {self.get_weight(at)} {self.at(at)} : {self.type}")
        loss, axes = self.name(), "axes = array<i64: 0, 1>, "
        self.add(f"{loss} = pop.reduce sum {x} {self.at(at, axes)} : {self.type} -> {self.scalar}")
        self.results = [loss]
        # What the weights are after each update, but the last one, which has no further batch.
        for name, vgraph in self.variables.items():
            ref, size = self.name(), self.type[7:-1]
            self.add(f"{ref} = pop.get_variable @{name} : !pop.ref<{size}>")
            self.results.append(self.define(vgraph, f"pop.read {ref} {self.at(vgraph)} : !pop.ref<{size}>"))

    def text(self):
        t, self.values = self.type, {"%in0": self.rng.randrange(self.ipus)}
        self.make_ops(self.rng.randint(2, 8))
        used = [name for name in self.variables if any(f"@{name} " in line for line in self.lines)]
        optimizer = self.rng.choice(OPTIMIZERS)
        rounding = "stochastic-rounding=counter " if self.rounds else ""
        self.passes = (f"pop-graph-pipeline{{{rounding}train=main loss=loss weights={','.join(used)} optimizer={{#pop.optimizer<{optimizer}>}} "
                       f"batches-per-step={self.updates + 1} accumulation-factor={self.parts}}},")
        names = ["loss"] + [f"after_{name}" for name in self.variables]
        types = [self.scalar] + [t] * len(self.variables)
        results = ", ".join(f'{kind} {{pop.name = "{name}", pop.anchor = #pop.anchor<all>}}' for kind, name in zip(types, names))
        constants = f"tiles = {self.tiles} : i64, ipus = {self.ipus} : i64, io_tiles = {self.io_tiles} : i64"
        lines = [f'module attributes {{ipu.target = #ipu.target<"gc200", {{{constants}}}>}} {{']
        for name, at in self.variables.items():
            size = int(t[7])
            rows = [[self.rng.randint(-8, 8) / 16 for _ in range(size)] for _ in range(size)]
            lines.append(f"  pop.variable @{name} : {t} = dense<{rows}> : {t} {{pop.vgraph = {at} : i64}}")
        for name in self.functions:
            lines += [f"  func.func private @{name}(%x: {t}) -> {t} {{", f"    %0 = pop.{self.rng.choice(UNARY)} %x : {t}",
                      f"    %1 = pop.mul %0, %x : {t}", f"    return %1 : {t}", "  }"]
        at = self.values["%in0"]
        lines += [f'  func.func @main(%in0: {t} {{pop.name = "in0", pop.vgraph = {at} : i64}}) -> ({results}) {{']
        lines += self.lines
        lines += [f"    return {', '.join(self.results)} : {', '.join(types)}", "  }", "}"]
        return "\n".join(lines) + "\n"


def run(ipu_opt, folder, text, passes, execute, flags=()):
    """The results of a program, by name, or a description of the failure.

    `passes` lower the program, and `execute` has options of ipu-execute.
    """
    path, results = folder / "program.mlir", folder / "results"
    path.write_text(text)
    results.mkdir(exist_ok=True)
    for old in results.iterdir():
        old.unlink()
    execute = f'ipu-execute{{inputs="*=ramp" results={results} {execute} allow-oom}}'
    command = [ipu_opt, str(path), "-o", "/dev/null", *flags, f"--pass-pipeline=builtin.module({passes},{execute})"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        errors = [line for line in done.stderr.splitlines() if "error" in line or "Assertion" in line]
        return f"exit status {done.returncode}: {(errors or ['no message'])[0]}"
    return {path.name: path.read_bytes() for path in results.iterdir()}
