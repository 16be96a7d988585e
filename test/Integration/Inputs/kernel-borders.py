"""A program of products, reductions and sums whose sizes are around every border of a kernel.

usage: kernel-borders.py matmul|conv|elementwise [type...]

Borders are those of vectors, register tiles, panels and blocks of all of them: one less,
one more, and a remainder of one or of all but one. The engines have to agree on all bits.
"""

import random
import sys


def tensor(shape, type):
    return f"tensor<{'x'.join([*map(str, shape), type])}>"


class Program:
    def __init__(self):
        self.arguments, self.lines, self.results = [], [], []

    def argument(self, shape, type):
        name = f"%a{len(self.arguments)}"
        self.arguments.append(f"{name}: {tensor(shape, type)}")
        return name

    def result(self, line, type):
        name = f"%r{len(self.results)}"
        self.lines.append(f"{name} = {line}")
        self.results.append((name, type))

    def print(self):
        types = [type for _, type in self.results]
        print(f"func.func @main({', '.join(self.arguments)}) -> ({', '.join(types)}) {{")
        print(*self.lines, sep="\n")
        print(f"return {', '.join(name for name, _ in self.results)} : {', '.join(types)}\n}}")


def add_matmul(program, m, k, n, type, batch=()):
    lhs, rhs, result = (tensor([*batch, *shape], type) for shape in ((m, k), (k, n), (m, n)))
    a, b = program.argument([*batch, m, k], type), program.argument([*batch, k, n], type)
    program.result(f"pop.matmul {a}, {b} {{accum = #pop.accum<blocked, block = {k}, lanes = 1>}} : "
                   f"({lhs}, {rhs}) -> {result}", result)


def make_matmuls(program, types):
    for type in types:
        # Rows of a tile and of the loops that do not pack, lanes of one vector and of tiles.
        for m in (1, 3, 4, 5, 7, 8, 9, 11, 13, 16, 17):
            for n in (1, 7, 15, 16, 17, 31, 33):
                add_matmul(program, m, random.choice((1, 7, 8, 9)), n, type)
        for n in (47, 49, 63, 64, 65, 95, 97):
            add_matmul(program, random.choice((6, 7)), 8, n, type)
        # Blocks of reductions, rows and lanes.
        for k in (255, 256, 257, 511, 513):
            add_matmul(program, 5, k, 17, type)
        for m in (95, 96, 97, 191, 193):
            add_matmul(program, m, 9, 17, type)
        for n in (511, 513, 1023, 1024, 1025):
            add_matmul(program, 4, 8, n, type)
        add_matmul(program, 9, 257, 33, type, [2])
        add_matmul(program, 7, 8, 17, type, [3])


def make_convolutions(program, types):
    """Reductions over channels and both dimensions of windows."""
    for type in types:
        for channels, size, filters, kernel in ((3, 17, 7, 3), (29, 9, 9, 3), (28, 6, 8, 3), (257, 5, 5, 1),
                                                (5, 34, 4, 2), (16, 18, 17, 3)):
            shapes = [1, channels, size, size], [filters, channels, kernel, kernel]
            out = size - kernel + 1
            result = tensor([1, filters, out, out], type)
            x, w = (program.argument(shape, type) for shape in shapes)
            program.result(f"pop.conv {x}, {w} : ({tensor(shapes[0], type)}, {tensor(shapes[1], type)}) -> {result}",
                           result)


def make_elementwise(program, types):
    for type in types:
        for size in (1, 7, 15, 16, 17, 31, 33, 63, 65, 127, 129, 1023, 1025, 4099):
            shape = tensor([size], type)
            a, b = program.argument([size], type), program.argument([size], type)
            program.result(f"pop.add {a}, {b} : {shape}", shape)
        for rows, columns in ((3, 17), (17, 3), (65, 33), (5, 129)):
            shape, row = tensor([rows, columns], type), tensor([columns], type)
            column = tensor([rows, 1], type)
            a, b, c = (program.argument(s, type) for s in ([rows, columns], [columns], [rows, 1]))
            program.result(f"pop.mul {a}, {b} : ({shape}, {row}) -> {shape}", shape)
            program.result(f"pop.sub {a}, {c} : ({shape}, {column}) -> {shape}", shape)
            for axis, size in ((0, columns), (1, rows)):
                for kind in "sum", "max":
                    program.result(f"pop.reduce {kind} {a} {{axes = array<i64: {axis}>}} : {shape} -> "
                                   f"{tensor([size], type)}", tensor([size], type))
        # Lanes of blocked reductions.
        for columns in (2, 15, 16, 31, 32, 47, 127, 128, 255, 257):
            shape, sums = tensor([3, columns], type), tensor([3], type)
            a = program.argument([3, columns], type)
            for kind in "sum", "min", "max", "prod":
                program.result(f"pop.reduce {kind} {a} {{axes = array<i64: 1>}} : {shape} -> {sums}", sums)


def main():
    random.seed(1)
    program = Program()
    makers = {"matmul": make_matmuls, "conv": make_convolutions, "elementwise": make_elementwise}
    makers[sys.argv[1]](program, sys.argv[2:] or ["f32"])
    program.print()


main()
