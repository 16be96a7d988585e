# Part of ipu-mlir, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Modules with several copies of a program, each differentiated with other options, and a
function that calls all copies."""

import itertools
import re

STITCH = ["recompute_all_non_inputs", "recompute_minimal", "safe_add_fwd_outputs", "add_fwd_outputs"]
REGIONS = ["stash", "recompute"]

SYMBOL = re.compile(r"@(\w+)")
VALUE = re.compile(r"(tensor<[^>]*>)(?: \{([^}]*)\})?")


# Callers are not entry functions where there is another one.
EMPTY_MAIN = ["  func.func @main() {", "    return", "  }"]


class Copy:
    """`kind` is "full", "required" or "provided" (with `names`, some of the inputs or the
    results), or "second"."""

    def __init__(self, number, kind, stitch, regions, names=()):
        self.number, self.kind, self.names = number, kind, list(names)
        self.stitch, self.regions = stitch, regions

    @property
    def caller(self):
        return f"call_{self.number}"

    @property
    def recomputes(self):
        return self.stitch.startswith("recompute") or self.kind == "second"

    def computes_again(self, other):
        """Whether it does so in a way of another copy."""
        return self.recomputes and other.recomputes or self.regions == other.regions == "recompute"

    @property
    def description(self):
        names = f" {self.kind}={','.join(self.names)}" if self.names else ""
        return f"{self.kind} stitch={self.stitch} regions={self.regions}{names}"

    def passes(self, variables):
        how = f"stitch={self.stitch} regions={self.regions} caller={self.caller}"
        function = f"f_{self.number}"
        if self.kind == "second":
            return f"pop-autodiff{{func={function}}},pop-autodiff{{func={function}_backward {how}}}"
        names = ",".join(f"@{name}_{self.number}" if name in variables else name for name in self.names)
        words = f" {self.kind}={names}" if names else ""
        words += " unreachable=zero" if self.kind == "required" else ""
        return f"pop-autodiff{{func={function} {how}{words}}}"


def make_copies(program, expected, rng):
    """All strategies, some of the required and of the provided gradients, and perhaps
    second derivatives."""
    number = itertools.count()
    copies = [Copy(next(number), "full", *how) for how in itertools.product(STITCH, REGIONS)]
    reached = [name for name, of in expected.slopes.items() if any(of.values())]
    needed = [rng.choice(reached)]
    needed += [name for name in expected.slopes if name not in needed and rng.random() < 0.4]
    copies.append(Copy(next(number), "required", rng.choice(STITCH), rng.choice(REGIONS), needed))
    results = [name for name in program.result_names if any(of.get(name) for of in expected.slopes.values())]
    given = [rng.choice(results)]
    copies.append(Copy(next(number), "provided", rng.choice(STITCH), rng.choice(REGIONS), given))
    if expected.curvature is not None:
        copies.append(Copy(next(number), "second", rng.choice(STITCH), rng.choice(REGIONS)))
    return copies


def make_module(program, copies):
    """The text of all copies of a program. Symbols end in their numbers."""
    first, *lines = program.text().splitlines()
    body = "\n".join(lines[:-1])
    return "\n".join([first, *(SYMBOL.sub(rf"@\1_{copy.number}", body) for copy in copies), *EMPTY_MAIN, "}", ""])


def join_passes(program, copies):
    return ",".join(copy.passes(program.variables) for copy in copies)


# ===----------------------------------------------------------------------=== #
# What calls the copies
# ===----------------------------------------------------------------------=== #


class Signature:
    """(type, attributes) of the arguments and the results of a function."""

    def __init__(self, module, name):
        line = re.search(rf"^ *func\.func (?:private )?@{name}\((.*)$", module, re.MULTILINE)[1]
        arguments, _, results = line.partition(") -> ")
        self.arguments = [match.groups("") for match in VALUE.finditer(arguments)]
        self.results = [match.groups("") for match in VALUE.finditer(results)]


def name_of(attributes):
    match = re.search(r'pop\.name = "([^"]*)"', attributes)
    return match and match[1]


def graph_value_of(attributes):
    """What a gradient is of, or a value is: its kind, and its number or name."""
    match = re.search(r"#pop\.graph_value<(\w+) @?(\w+)>", attributes)
    return match and match.groups()


class Main:
    """Text of a function that calls all copies, and stores what they give."""

    def __init__(self, program):
        self.program = program
        self.streams, self.lines = [], []
        self.numbers = itertools.count()
        # By argument: what is loaded.
        self.loaded = {}
        for x in program.arguments:
            self.streams.append(f"pop.stream @{x.label} host_to_device : {x.type}")
            self.loaded[x.label] = self.add(f"pop.host_load @{x.label} : {x.type}")

    def add(self, text):
        name = f"%{next(self.numbers)}"
        self.lines.append(f"  {name} = {text}")
        return name

    def store(self, value, type, stream):
        self.streams.append(f"pop.stream @{stream} device_to_host : {type}")
        self.lines.append(f"  pop.host_store {value}, @{stream} : {type}")

    def ones(self, type):
        one = "1.0" if type.endswith(("f64>", "f32>", "f16>")) else "1"
        return self.add(f"pop.constant dense<{one}> : {type}")

    def call(self, name, operands, signature):
        types = [type for type, _ in signature.results]
        self.lines.append(f"  %r{name}:{len(types)} = call @{name}({', '.join(operands)}) : "
                          f"({', '.join(type for type, _ in signature.arguments)}) -> ({', '.join(types)})")
        return [(f"%r{name}#{i}", *result) for i, result in enumerate(signature.results)]

    def add_copy(self, copy, module):
        signature = Signature(module, copy.caller)
        if copy.kind == "second":
            return self.add_second(copy, module, signature)
        results = self.call(copy.caller, self.loaded.values(), signature)
        for value, type, attributes in results:
            name = name_of(attributes).removesuffix(f"_{copy.number}").replace("Gradient___", "d")
            self.store(value, type, f"c{copy.number}_{name}")
        for name in self.program.written:
            type = self.program.variable_types[name]
            ref = self.add(f"pop.get_variable @{name}_{copy.number} : {type.ref}")
            self.store(self.add(f"pop.read {ref} : {type.ref}"), type, f"c{copy.number}_{name}")
        return None

    def add_second(self, copy, module, signature):
        operands = []
        for type, attributes in signature.arguments:
            kind, number = graph_value_of(attributes)
            is_given = "gradient_of" in attributes or kind != "argument"
            operands.append(self.ones(type) if is_given else list(self.loaded.values())[int(number)])
        results = self.call(copy.caller, operands, signature)
        backward = Signature(module, f"f_{copy.number}_backward_backward")
        outer = [graph_value_of(attributes) for _, attributes in signature.arguments]
        is_value = ["forward_value" in attributes for _, attributes in signature.arguments]
        names = [x.label for x in self.program.arguments]
        for (value, type, _), (_, attributes) in zip(results[-len(backward.results):], backward.results):
            kind, which = graph_value_of(attributes)
            if kind == "variable":
                self.store(value, type, f"c{copy.number}_d{which.removesuffix(f'_{copy.number}')}")
            elif is_value[int(which)]:
                self.store(value, type, f"c{copy.number}_d{names[int(outer[int(which)][1])]}")

    def text(self, module):
        """The module with it."""
        lines = [f"  {line}" for line in [*self.streams, "func.func @main() {", *self.lines, "  return", "}"]]
        return module.replace("\n".join(EMPTY_MAIN), "\n".join(lines))


def add_main(program, copies, module):
    main = Main(program)
    for copy in copies:
        main.add_copy(copy, module)
    return main.text(module)
