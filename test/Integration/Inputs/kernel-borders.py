"""A program of products, reductions and sums whose sizes are around every border of a kernel.

usage: kernel-borders.py matmul|conv|packed|gradients|partials|elementwise|scatter [type...]

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


def add_matmul(program, m, k, n, type, batch=(), block=None):
    lhs, rhs, result = (tensor([*batch, *shape], type) for shape in ((m, k), (k, n), (m, n)))
    a, b = program.argument([*batch, m, k], type), program.argument([*batch, k, n], type)
    program.result(f"pop.matmul {a}, {b} {{accum = #pop.accum<blocked, block = {block or k}, lanes = 1>}} : "
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
        for batch, channels, size, filters, kernel, stride in (
                (1, 3, 17, 7, 3, 1), (1, 29, 9, 9, 3, 1), (1, 28, 6, 8, 3, 1), (1, 257, 5, 5, 1, 1), (1, 5, 34, 4, 2, 1),
                (1, 16, 18, 17, 3, 1), (2, 4, 21, 5, 3, 2), (1, 9, 33, 9, 1, 2), (3, 9, 32, 6, 2, 2), (1, 2, 67, 8, 3, 2),
                (2, 3, 34, 5, 2, 3)):
            shapes = [batch, channels, size, size], [filters, channels, kernel, kernel]
            out = (size - kernel) // stride + 1
            result = tensor([batch, filters, out, out], type)
            x, w = (program.argument(shape, type) for shape in shapes)
            program.result(f"pop.conv {x}, {w} {{strides = array<i64: {stride}, {stride}>}} : ({tensor(shapes[0], type)}, "
                           f"{tensor(shapes[1], type)}) -> {result}", result)


def make_packed(program, types):
    """Products that are large enough to be packed, and of operands that are transposed."""
    for type in types:
        # Rows, lanes and reductions around those of vectors, panels and blocks.
        for m, k, n in ((4, 33, 65), (7, 63, 31), (8, 31, 33), (9, 65, 17), (15, 17, 47), (17, 16, 49), (23, 129, 16),
                        (25, 257, 15), (5, 511, 33), (6, 513, 32), (31, 255, 63), (33, 127, 97), (3, 300, 64),
                        (2, 257, 129), (1, 513, 65)):
            add_matmul(program, m, k, n, type)
        # A few columns, whose rows become lanes.
        for m, k, n in ((16, 600, 1), (17, 513, 1), (31, 300, 1), (33, 257, 2), (65, 130, 3), (97, 64, 7), (47, 65, 15),
                        (1025, 9, 1), (2049, 8, 2), (129, 2561, 1)):
            add_matmul(program, m, k, n, type)
        # More than one box of reductions, block of rows and block of lanes.
        for m, k, n in ((5, 2559, 33), (9, 2561, 31), (257, 2600, 17), (7, 2560, 211), (2049, 9, 17), (4, 9, 2049)):
            add_matmul(program, m, k, n, type)
        for m, k, n in ((9, 33, 47), (31, 17, 33), (65, 64, 31)):
            for left, right in (True, False), (False, True), (True, True):
                shapes = [(k, m) if left else (m, k), (n, k) if right else (k, n)]
                names = []
                for shape, is_turned in zip(shapes, (left, right)):
                    name, turned = program.argument(shape, type), shape[::-1]
                    if is_turned:
                        program.lines.append(
                            f"{name}t = pop.transpose {name} {{permutation = array<i64: 1, 0>}} : "
                            f"{tensor(shape, type)} -> {tensor(turned, type)}")
                        name += "t"
                    names.append(name)
                result = tensor((m, n), type)
                program.result(f"pop.matmul {names[0]}, {names[1]} : ({tensor((m, k), type)}, "
                               f"{tensor((k, n), type)}) -> {result}", result)


def make_gradients(program, types):
    """Convolutions as those of input gradients, with zeros between elements and flipped weights, and as those of
    weight gradients, which reduce over batch and image."""
    random.seed(2)
    for type in types:
        for _ in range(6):
            batch, groups = random.choice((1, 2, 3, 5)), random.choice((1, 1, 2))
            channels, filters = (groups * random.choice((1, 3, 4, 7, 8, 9, 16, 17)) for _ in range(2))
            kernel, stride, dilation = random.choice((1, 2, 3)), random.choice((1, 1, 2, 3)), random.choice((1, 1, 2))
            size = random.choice((7, 8, 9, 14, 15, 16, 17, 31, 33))
            reach = (kernel - 1) * dilation + 1
            out, rest = (size - reach) // stride + 1, (size - reach) % stride
            x, dy = [batch, channels, size, size], [batch, filters, out, out]
            w = [filters, channels // groups, kernel, kernel]
            types_of = {name: tensor(shape, type) for name, shape in (("x", x), ("w", w), ("dy", dy))}
            a, b, c = (program.argument(shape, type) for shape in (x, w, dy))
            program.result(f"pop.conv {a}, {b} {{strides = array<i64: {stride}, {stride}>, dilations = array<i64: "
                           f"{dilation}, {dilation}>, groups = {groups} : i64}} : ({types_of['x']}, {types_of['w']}) -> "
                           f"{types_of['dy']}", types_of["dy"])
            if groups > 1:
                continue
            # The input gradient.
            flipped, turned = f"{b}f", [w[1], w[0], kernel, kernel]
            program.lines.append(
                f"{flipped} = pop.slice {b} {{starts = array<i64: 0, 0, {kernel - 1}, {kernel - 1}>, sizes = array<i64: "
                f"{', '.join(map(str, w))}>, steps = array<i64: 1, 1, -1, -1>}} : {types_of['w']} -> {types_of['w']}")
            program.lines.append(f"{b}t = pop.transpose {flipped} {{permutation = array<i64: 1, 0, 2, 3>}} : "
                                 f"{types_of['w']} -> {tensor(turned, type)}")
            program.result(
                f"pop.conv {c}, {b}t {{input_dilations = array<i64: {stride}, {stride}>, dilations = array<i64: "
                f"{dilation}, {dilation}>, pads = array<i64: {reach - 1}, {reach - 1}, {reach - 1 + rest}, "
                f"{reach - 1 + rest}>}} : ({types_of['dy']}, {tensor(turned, type)}) -> {types_of['x']}",
                types_of["x"])
            # The weight gradient.
            shapes = [[x[1], x[0], *x[2:]], [dy[1], dy[0], *dy[2:]]]
            for name, kind, shape in ((a, "x", shapes[0]), (c, "dy", shapes[1])):
                program.lines.append(f"{name}t = pop.transpose {name} {{permutation = array<i64: 1, 0, 2, 3>}} : "
                                     f"{types_of[kind]} -> {tensor(shape, type)}")
            result = tensor(turned, type)
            if rest:
                continue
            program.result(
                f"pop.conv {a}t, {c}t {{strides = array<i64: {dilation}, {dilation}>, dilations = array<i64: {stride}, "
                f"{stride}>}} : ({tensor(shapes[0], type)}, {tensor(shapes[1], type)}) -> {result}", result)


def make_partials(program, types):
    """Weight gradients in partial sums of a few neighbouring positions of an image, whose rows or lanes are next to
    each other in the output."""
    for type in types:
        for channels, filters, batch, height, width, kernel, box in [
                (17, 33, 3, 4, 12, 1, (1, 4)), (33, 16, 16, 3, 9, 1, (1, 3)), (40, 9, 2, 5, 14, 3, (1, 2)),
                (16, 47, 1, 6, 30, 1, (2, 5)), (8, 48, 16, 2, 8, 1, (1, 1)), (17, 20, 16, 2, 105, 1, (1, 15)),
                (31, 18, 5, 2, 34, 2, (1, 3)), (9, 17, 16, 14, 19, 1, (14, 1)), (17, 16, 16, 9, 33, 1, (9, 1)),
                (8, 18, 5, 26, 17, 2, (5, 1)), (16, 33, 16, 16, 17, 1, (16, 1)),
                (8, 65, 16, 2, 65, 1, (2, 1))]:
            shapes = ((channels, batch, height, width), (filters, batch, height - kernel + 1, width - kernel + 1))
            x, dy = (program.argument(shape, type) for shape in shapes)
            result = tensor((channels, filters, kernel, kernel), type)
            order = f"#pop.accum<blocked, block = 16, lanes = 1, kernel = [{', '.join(map(str, box))}]>"
            program.result(f"pop.conv {x}, {dy} {{accum = {order}}} : ({tensor(shapes[0], type)}, "
                           f"{tensor(shapes[1], type)}) -> {result}", result)


    # Products with a few columns, whose rows become lanes.
    for type in types:
        for m, k, n, block in ((64, 256, 1, 16), (33, 80, 2, 8), (2049, 48, 1, 16), (40, 1040, 7, 130)):
            add_matmul(program, m, k, n, type, block=block)


def make_scatters(program, types):
    """Rows that are combined with updates; tiles have parts of the rows and of the columns."""
    for type in types:
        for rows, columns, updates in ((9, 16, 5), (17, 33, 40), (15, 1, 20), (20, 64, 7), (3, 100, 50)):
            shape, indices, values = tensor([rows, columns], type), tensor([updates], "ui32"), tensor([updates, columns], type)
            a, i, u = (program.argument(*argument) for argument in (
                ([rows, columns], type), ([updates], "ui32"), ([updates, columns], type)))
            for kind in "add", "max", "replace":
                program.result(f"pop.scatter {kind} {a}, {i}, {u} : {shape}, {indices}, {values}", shape)
        # Several batches of rows.
        shape, indices, values = tensor([3, 7, 12], type), tensor([3, 9], "ui32"), tensor([3, 9, 12], type)
        a, i, u = (program.argument(*argument) for argument in (
            ([3, 7, 12], type), ([3, 9], "ui32"), ([3, 9, 12], type)))
        program.result(f"pop.scatter add {a}, {i}, {u} {{batch_dims = 1 : i64}} : {shape}, {indices}, {values}", shape)


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
        # Dimensions after the reduced one, of which the last are short.
        for last in ((17, 1, 1), (5, 3), (33, 2, 1), (1, 31)):
            shape, sums = tensor([2, 9, *last], type), tensor([2, *last], type)
            a = program.argument([2, 9, *last], type)
            program.result(f"pop.reduce sum {a} {{axes = array<i64: 1>}} : {shape} -> {sums}", sums)


def make_logical(program, types):
    """Reductions of booleans, of which a vector has a bit for each and memory a byte."""
    for type in types:
        for columns in (2, 5, 8, 13, 16, 17, 31, 32, 33):
            shape, results = tensor([64, columns], type), tensor([64], type)
            a = program.argument([64, columns], type)
            for kind in "and", "or":
                program.result(f"pop.reduce {kind} {a} {{axes = array<i64: 1>}} : {shape} -> {results}", results)


def main():
    random.seed(1)
    program = Program()
    makers = {"matmul": make_matmuls, "conv": make_convolutions, "packed": make_packed,
              "gradients": make_gradients, "partials": make_partials, "elementwise": make_elementwise,
              "logical": make_logical, "scatter": make_scatters}
    makers[sys.argv[1]](program, sys.argv[2:] or ["f32"])
    program.print()


main()
