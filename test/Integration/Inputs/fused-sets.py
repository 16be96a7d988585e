"""A program of chains that run block by block, or must not.

usage: fused-sets.py softmax|norm|elementwise|update|apart|gather|random SEED

Rows are reduced and broadcast back, tensors are updated in place, and parts of a tensor
are read elsewhere: shifted, transposed, or all of it. The engines have to agree on all bits.
"""

import random
import sys

ROWS, COLUMNS = 96, 1056


def tensor(*shape, type="f32"):
    return f"tensor<{'x'.join([*map(str, shape), type])}>"


class Program:
    def __init__(self, rows, columns):
        self.rows, self.columns = rows, columns
        self.full, self.ends, self.row = tensor(rows, columns), tensor(rows, 1), tensor(1, columns)
        self.arguments, self.lines, self.results, self.globals = [], [], [], []

    def add(self, line):
        name = f"%v{len(self.lines)}"
        self.lines.append(f"{name} = {line}")
        return name

    def argument(self, type):
        name = f"%a{len(self.arguments)}"
        self.arguments.append((name, type))
        return name

    def unary(self, op, x, type=None):
        return self.add(f"pop.{op} {x} : {type or self.full}")

    def binary(self, op, x, y, other=None):
        other = other or self.full
        types = self.full if other == self.full else f"({self.full}, {other}) -> {self.full}"
        return self.add(f"pop.{op} {x}, {y} : {types}")

    def reduce(self, kind, x, axis):
        result = self.ends if axis == 1 else self.row
        axes = f"{{axes = array<i64: {axis}>, keep_dims}}"
        return self.add(f"pop.reduce {kind} {x} {axes} : {self.full} -> {result}")

    def shift(self, x, axis, by):
        """Rows or columns from `by` on, then the first ones."""
        size = (self.rows, self.columns)[axis]
        shapes, parts = [], []
        for begin, end in (by, size), (0, by):
            shape = [self.rows, self.columns]
            shape[axis] = end - begin
            starts = [begin if dim == axis else 0 for dim in range(2)]
            lists = [f"{key} = array<i64: {a}, {b}>" for key, (a, b) in
                     (("starts", starts), ("sizes", shape), ("steps", (1, 1)))]
            parts.append(self.add(f"pop.slice {x} {{{', '.join(lists)}}} : {self.full} -> {tensor(*shape)}"))
            shapes.append(tensor(*shape))
        return self.add(f"pop.concat {parts[0]}, {parts[1]} {{axis = {axis} : i64}} : "
                        f"({shapes[0]}, {shapes[1]}) -> {self.full}")

    def cast(self, x):
        half = tensor(self.rows, self.columns, type="f16")
        narrow = self.add(f"pop.cast {x} : {self.full} to {half}")
        return self.add(f"pop.cast {narrow} : {half} to {self.full}")

    def result(self, x, type=None):
        self.results.append((x, type or self.full))

    def print(self):
        types = ", ".join(type for _, type in self.results)
        arguments = ", ".join(f"{name}: {type}" for name, type in self.arguments)
        print(*self.globals, sep="\n")
        print(f"func.func @main({arguments}) -> ({types}) {{")
        print(*self.lines, sep="\n")
        print(f"return {', '.join(name for name, _ in self.results)} : {types}\n}}")


def make_softmax(program):
    x = program.argument(program.full)
    program.result(program.add(f"pop.softmax {x} {{axis = 1 : i64}} : {program.full}"))
    # A reduction whose value is a result, too.
    y = program.unary("exp", program.binary("mul", x, x))
    most = program.reduce("max", y, 1)
    program.result(program.binary("div", y, most, program.ends))
    program.result(most, program.ends)


def make_norm(program):
    x, gain, bias = (program.argument(type) for type in (program.full, program.row, program.row))
    centred = program.binary("sub", x, program.reduce("mean", x, 1), program.ends)
    variance = program.reduce("mean", program.binary("mul", centred, centred), 1)
    scale = program.unary("rsqrt", variance, program.ends)
    normal = program.binary("mul", centred, scale, program.ends)
    program.result(program.binary("add", program.binary("mul", normal, gain, program.row), bias, program.row))
    # NaNs, of square roots.
    program.result(program.unary("sqrt", normal))


def make_elementwise(program):
    """Few ops, so that kernels that run as one share codelets, with what is broadcast."""
    types = program.full, program.full, program.row, program.ends, tensor(1, 1)
    arguments = [(program.argument(type), type) for type in types]
    value, older = arguments[0][0], arguments[1][0]
    for _ in range(30):
        kind = random.randrange(8)
        if kind == 0:
            older, value = value, program.unary(random.choice(["exp", "neg", "abs"]), value)
        elif kind == 1:
            older, value = value, program.binary("mul", value, value)
        elif kind == 2:
            reduced = program.reduce(random.choice(["max", "min", "sum"]), value, 1)
            older, value = value, program.binary("div", value, reduced, program.ends)
        elif kind == 3:
            narrow = program.cast(value)
            older, value = value, program.binary("sub", narrow, older)
        else:
            other, type = random.choice([*arguments, (older, program.full)])
            older, value = value, program.binary(random.choice(["add", "mul"]), value, other, type)
        if random.random() < 0.15:
            program.result(value)
    program.result(value)


def make_update(program):
    """Two variables that are updated in place, the second from the first."""
    full = program.full
    ref = f"!pop.ref<{program.rows}x{program.columns}xf32>"
    for name in "m", "w":
        program.globals.append(f"pop.variable @{name} : {full} = dense<0.5> : {full}")
    refs = [program.add(f"pop.get_variable @{name} : {ref}") for name in "mw"]
    grad = program.argument(full)
    for value, scale in zip(refs, ("0.25", "0.125")):
        factor = program.add(f"pop.constant dense<{scale}> : tensor<f32>")
        program.lines.append(f"pop.mul_ {value}, {grad} : {ref}, {full}")
        old = program.add(f"pop.read {value} : {ref}")
        new = program.binary("add", old, program.binary("mul", grad, factor, "tensor<f32>"))
        new = program.binary("mul", new, program.reduce("max", new, 1), program.ends)
        program.lines.append(f"pop.copy_ {value}, {new} : {ref}, {full}")
        program.lines.append(f"pop.add_ {value}, {old} : {ref}, {full}")
        program.result(program.binary("sub", new, grad))
        grad = program.add(f"pop.read {value} : {ref}")
    program.result(grad)


def make_apart(program):
    """What depends on other parts of the tensor, in the middle of a chain."""
    x, y = program.argument(program.full), program.argument(program.full)
    for axis in 0, 1:
        z = program.binary("add", program.binary("mul", x, y), y)
        z = program.binary("sub", z, program.shift(z, axis, 1))
        program.result(program.unary("neg", z))
        # The value of each column, broadcast over rows, and the other way round.
        z = program.binary("mul", x, x)
        z = program.binary("mul", z, program.reduce("sum", z, axis), (program.row, program.ends)[axis])
        program.result(program.binary("add", z, y))


def make_gather(program):
    """Rows, of which some are not there, in the middle of a chain."""
    x = program.argument(program.full)
    indices = tensor(program.rows, type="i32")
    places = program.argument(indices)
    for spread in 1, program.rows // 7:
        # Integers of inputs are small.
        factor = program.add(f"pop.constant dense<{spread}> : tensor<i32>")
        chosen = program.add(f"pop.mul {places}, {factor} : ({indices}, tensor<i32>) -> {indices}")
        y = program.binary("mul", x, x)
        y = program.add(f"pop.gather {y}, {chosen} : ({program.full}, {indices}) -> {program.full}")
        program.result(program.binary("add", y, x))


def make_random(program):
    rows, columns = program.rows, program.columns
    values = [program.argument(program.full) for _ in range(3)]
    for _ in range(14):
        kind = random.choice(["unary", "binary", "binary", "rows", "rows", "columns", "shift", "cast"])
        # The last one mostly, as in a chain.
        x = random.choice(values[-1:] * 3 + values)
        if kind == "unary":
            value = program.unary(random.choice(["neg", "abs", "exp", "tanh", "relu"]), x)
        elif kind == "binary":
            value = program.binary(random.choice(["add", "sub", "mul", "max"]), x, random.choice(values))
        elif kind in ("rows", "columns"):
            axis = 1 if kind == "rows" else 0
            reduced = program.reduce(random.choice(["sum", "max", "mean"]), x, axis)
            value = program.binary(random.choice(["sub", "div"]), random.choice(values[-2:]), reduced,
                                   program.ends if axis == 1 else program.row)
        elif kind == "shift":
            axis = random.randrange(2)
            size = (rows, columns)[axis]
            value = program.shift(x, axis, min(random.choice([1, 16, 47]), size - 1)) if size > 1 else x
        else:
            value = program.cast(x)
        values.append(value)
        if random.random() < 0.2:
            program.result(value)
    program.result(values[-1])


def main():
    kind, seed = sys.argv[1], int(sys.argv[2])
    random.seed(seed)
    rows, columns = ROWS, COLUMNS
    if kind == "random":
        rows, columns = random.choice([(96, 1056), (1, 120000), (1031, 96), (4096, 25), (50000, 2)])
    program = Program(rows, columns)
    globals()[f"make_{kind}"](program)
    program.print()


if __name__ == "__main__":
    main()
