# Part of ipu-mlir, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs of one op with one size as a parameter, for utils/cost-cliffs.

In texts of programs, n is the parameter, and `$[n + 1]` is a number. `T[512, n]` is the
type of a tensor of the element type that is measured, and `F[n]`, `I[n]` and `B[n]` are
those of tensors of f32, i32 and i1.
"""

import dataclasses
import math
import re
from typing import Callable

import plan_programs

BYTES = {"f32": 4, "f16": 2, "i8": 1, "i32": 4, "i1": 1}
FLOATS = ("f16", "f32")
ALL = ("f16", "f32", "i8")


@dataclasses.dataclass
class Op:
    """An op, and the least and the greatest size of its parameter.

    `flops` are those of the matrix unit, and `bytes` the least number of bytes that the op reads and writes,
    both as expressions of n; without `bytes`, those of the arguments and the result.
    """

    parameter: str
    sizes: tuple
    arguments: str = ""
    result: str = ""
    body: str = ""
    elements: tuple = FLOATS
    flops: str = "0"
    bytes: str = None
    write: Callable = None

    def get_text(self, n, element):
        """The program. `write(n, element)` makes those that are more than a function of pop."""
        if self.write:
            return self.write(n, element)
        *lines, last = self.body.strip().splitlines()
        lines = [f"  {line.strip()}" for line in lines]
        body = "\n".join([*lines, f"  %result = {last.strip()}", f"  return %result : {self.result}"])
        return self.fill(f"func.func @main({self.arguments}) -> {self.result} {{\n{body}\n}}\n", n, element)

    def fill(self, text, n, element):
        def write_type(match):
            kind = {"T": element, "I": "i32", "B": "i1", "F": "f32"}[match[1]]
            return plan_programs.tensor(eval(f"[{match[2]}]", {"n": n}), kind)

        text = re.sub(r"\$\[(.*?)\]", lambda match: str(eval(match[1], {"n": n})), text)
        return re.sub(r"\b([TIBF])\[(.*?)\]", write_type, text).replace("@element@", element)

    def get_ideal(self, n, element, target, peak):
        """Cycles of the op if only the peak of the matrix unit and the bandwidth of memory limit it."""
        if self.bytes:
            moved = eval(self.bytes, {"n": n}) * BYTES[element]
        else:
            types = self.fill(f"{self.arguments} {self.result}", n, element)
            moved = sum(map(count_bytes, re.findall(r"tensor<(.*?)>", types)))
        bandwidth = target["vector_bytes"] * target["tiles"]
        return max(eval(self.flops, {"n": n}) / peak, moved / bandwidth)


def count_bytes(type):
    *shape, element = type.split("x")
    return math.prod(map(int, shape)) * BYTES[element]


def matmul(parameter, sizes, m, k, n, groups=""):
    """`m`, `k` and `n` are expressions."""
    groups = f"{groups}, " if groups else ""
    a, b, c = (f"T[{groups}{x}, {y}]" for x, y in ((m, k), (k, n), (m, n)))
    flops = " * ".join(f"({x})" for x in (2, m, k, n, *filter(None, [groups.strip(", ")])))
    return Op(parameter, sizes, f"%a: {a}, %b: {b}", c, f"pop.matmul %a, %b : ({a}, {b}) -> {c}", flops=flops)


def conv(parameter, sizes, image, outputs, kernel, stride=1, groups="1"):
    """`image` is [N, C, H, W], as expressions, and keeps its field or a part of it."""
    batch, channels, *field = image
    depth = f"({channels}) // ({groups})"
    field = [f"({size} + {kernel // 2 * 2 - kernel}) // {stride} + 1" for size in field]
    x, w = f"T[{', '.join(image)}]", f"T[{outputs}, {depth}, {kernel}, {kernel}]"
    y = f"T[{batch}, {outputs}, {', '.join(field)}]"
    pads = plan_programs.array([kernel // 2] * 4)
    attributes = f"pads = {pads}, strides = {plan_programs.array([stride] * 2)}, groups = $[{groups}] : i64"
    factors = (2, batch, outputs, depth, kernel**2, *field)
    return Op(parameter, sizes, f"%x: {x}, %w: {w}", y, f"pop.conv %x, %w {{{attributes}}} : ({x}, {w}) -> {y}",
              flops=" * ".join(f"({size})" for size in factors))


def unary(parameter, sizes, shape, op, elements=FLOATS, attributes=""):
    return Op(parameter, sizes, f"%x: {shape}", shape, f"pop.{op} %x{attributes} : {shape}", elements)


def change(parameter, sizes, source, result, op, attributes, elements=FLOATS, bytes=None):
    """An op whose result has another shape."""
    return Op(parameter, sizes, f"%x: {source}", result, f"pop.{op} %x {{{attributes}}} : {source} -> {result}",
              elements, bytes=bytes)


def write_move(size, source, target, row, element):
    """`size` elements of a row on one tile go to a row on the next tile, from and to these offsets."""
    memref = f"memref<2x{row}x{element}, #rows>"
    lines, views = [], []
    for name, offset in ("x", source), ("y", row + target):
        views.append(f"memref<{size}x{element}, strided<[1], offset: {offset}>, #rows>")
        lines += [f'  %{name} = ipu.var "{name}" : {memref}',
                  f"  %{name}_part = memref.reinterpret_cast %{name} to offset: [{offset}], sizes: [{size}], "
                  f"strides: [1] : {memref} to {views[-1]}"]
    return "\n".join([
        f"#rows = #ipu.map<[2, {row}], grid = [2], blocks = [p0 * 1 : 1, all]>", "func.func @main() {", *lines,
        '  ipu.exchange "move" {', f"    ipu.move %x_part to %y_part : {' to '.join(views)}", "  }", "  return", "}",
        ""])


MATRIX = {
    "matmul rows": matmul("n x 512 x 512", (16, 8192), "n", "512", "512"),
    "matmul depth": matmul("1024 x n x 1024", (16, 4096), "1024", "n", "1024"),
    "matmul columns": matmul("512 x 512 x n", (16, 8192), "512", "512", "n"),
    "matmul vector": matmul("1 x n x 1024", (64, 8192), "1", "n", "1024"),
    "matmul groups": matmul("n * 64 x 64 x 64", (16, 4096), "64", "64", "64", "n"),
    "conv channels": conv("4 x n x 28 x 28 to 64, 3 x 3", (16, 1024), ["4", "n", "28", "28"], "64", 3),
    "conv outputs": conv("4 x 64 x 28 x 28 to n, 3 x 3", (16, 1024), ["4", "64", "28", "28"], "n", 3),
    "conv rows": conv("4 x 64 x n x 56 to 64, 3 x 3", (21, 512), ["4", "64", "n", "56"], "64", 3),
    "conv stride": conv("4 x 64 x 56 x n to 128, 3 x 3, stride 2", (21, 512), ["4", "64", "56", "n"], "128", 3, 2),
    "conv 1 x 1": conv("n x 256 x 14 x 14 to 256", (21, 256), ["n", "256", "14", "14"], "256", 1),
    "conv depthwise": conv("4 x n x 28 x 28, 3 x 3", (16, 1024), ["4", "n", "28", "28"], "n", 3, groups="n"),
}

WIDE = "T[512, n]"
IMAGE = "T[4, n, 28, 28]"
ELEMENTWISE = {
    "add": Op("n elements", (1024, 1 << 23), "%x: T[n], %y: T[n]", "T[n]", "pop.add %x, %y : T[n]", ALL),
    "bias of rows": Op("512 x n", (24, 8192), f"%x: {WIDE}, %y: T[n]", WIDE,
                       f"pop.add %x, %y : ({WIDE}, T[n]) -> {WIDE}"),
    "bias of channels": Op("4 x n x 28 x 28", (24, 2048), f"%x: {IMAGE}, %y: T[n, 1, 1]", IMAGE,
                           f"pop.add %x, %y : ({IMAGE}, T[n, 1, 1]) -> {IMAGE}"),
    "scale of rows": Op("n x 512", (24, 8192), "%x: T[n, 512], %y: T[n, 1]", "T[n, 512]",
                        "pop.mul %x, %y : (T[n, 512], T[n, 1]) -> T[n, 512]"),
    "exp": unary("n elements", (1024, 1 << 23), "T[n]", "exp"),
    "gelu": unary("512 x n", (24, 8192), WIDE, "gelu"),
    "cast": Op("n elements to f32", (1024, 1 << 23), "%x: T[n]", "F[n]", "pop.cast %x : T[n] to F[n]", ("f16", "i8")),
    "select": Op("512 x n", (24, 8192), f"%c: B[512, n], %x: {WIDE}, %y: {WIDE}", WIDE,
                 f"pop.select %c, %x, %y : B[512, n], {WIDE}, {WIDE} -> {WIDE}", ALL),
}


STATISTICS = """
    %m = pop.reduce mean %x {axes = array<i64: 1>, keep_dims} : T[512, n] -> T[512, 1]
    %d = pop.sub %x, %m : (T[512, n], T[512, 1]) -> T[512, n]
    %s = pop.mul %d, %d : T[512, n]
    %v = pop.reduce mean %s {axes = array<i64: 1>, keep_dims} : T[512, n] -> T[512, 1]
    %r = pop.rsqrt %v : T[512, 1]
    pop.mul %d, %r : (T[512, n], T[512, 1]) -> T[512, n]
"""
BATCH_NORM = """
    %y, %m, %v = pop.batch_norm_training %x, %s, %b : T[4, n, 28, 28], T[n]
    pop.relu %y : T[4, n, 28, 28]
"""
TOP = """
    %s = pop.sort %x by [descending] {axis = 1 : i64} : (T[64, n]) -> T[64, n]
    pop.slice %s {starts = array<i64: 0, 0>, sizes = array<i64: 64, 16>, steps = array<i64: 1, 1>} : T[64, n] -> T[64, 16]
"""
ARG_MAX = """
    %v, %p = pop.arg_reduce max %x, %i {axes = array<i64: 1>} : T[512, n], I[512, n] -> T[512], I[512]
    pop.abs %p : I[512]
"""


def reduce(parameter, sizes, source, result, axes, kind="sum", elements=FLOATS):
    return change(parameter, sizes, source, result, f"reduce {kind}", f"axes = {plan_programs.array(axes)}", elements)


REDUCTIONS = {
    "sum of rows": reduce("512 x n", (24, 16384), WIDE, "T[512]", [1]),
    "sum of columns": reduce("n x 512", (24, 16384), "T[n, 512]", "T[512]", [0]),
    "sum of few columns": reduce("n x 24", (64, 65536), "T[n, 24]", "T[24]", [0]),
    "sum of all": reduce("n elements", (1024, 1 << 22), "T[n]", "T[]", [0]),
    "max of all": reduce("n x 512", (24, 4096), "T[n, 512]", "T[]", [0, 1], "max", ALL),
    "mean of channels": reduce("4 x n x 28 x 28", (24, 2048), IMAGE, "T[n]", [0, 2, 3], "mean"),
    "mean of fields": reduce("4 x n x 28 x 28", (24, 2048), IMAGE, "T[4, n]", [2, 3], "mean"),
    "softmax columns": unary("512 x n", (24, 8192), WIDE, "softmax", attributes=" {axis = 1 : i64}"),
    "softmax rows": unary("n x 512", (24, 8192), "T[n, 512]", "softmax", attributes=" {axis = 1 : i64}"),
    "layer norm": Op("512 x n", (24, 8192), f"%x: {WIDE}", WIDE, STATISTICS),
    "batch norm": Op("4 x n x 28 x 28", (24, 1024), f"%x: {IMAGE}, %s: T[n], %b: T[n]", IMAGE, BATCH_NORM),
    "arg max": Op("512 x n", (24, 8192), f"%x: {WIDE}, %i: I[512, n]", "I[512]", ARG_MAX),
    "sort": Op("64 x n", (24, 512), "%x: T[64, n]", "T[64, n]",
               "pop.sort %x by [ascending] {axis = 1 : i64} : (T[64, n]) -> T[64, n]", ALL),
    "top 16": Op("64 x n", (24, 512), "%x: T[64, n]", "T[64, 16]", TOP),
}


def write_window(kernel, stride):
    arrays = {"kernel": [kernel] * 2, "pads": [kernel // 2] * 4, "strides": [stride] * 2}
    return ", ".join(f"{name} = {plan_programs.array(values)}" for name, values in arrays.items())


def pool(kind, result, kernel, stride):
    return change("4 x 64 x n x 56", (21, 512), FIELD, result, f"{kind}_pool", write_window(kernel, stride))


def take_slice(parameter, sizes, source, starts, result, elements=ALL, bytes=None):
    steps = ", ".join(["1"] * len(starts.split(",")))
    attributes = f"starts = array<i64: {starts}>, sizes = array<i64: {result}>, steps = array<i64: {steps}>"
    return change(parameter, sizes, source, f"T[{result.replace('$[n]', 'n')}]", "slice", attributes, elements, bytes)


def pad(parameter, sizes, low, high, result):
    value = "value = 0.0 : @element@"
    return change(parameter, sizes, "T[1000, 300]", result, "pad",
                  f"low = array<i64: {low}>, high = array<i64: {high}>, {value}")


def gather(parameter, sizes, rows, width, indices, elements=FLOATS):
    table, result = f"T[{rows}, {width}]", f"T[{indices}, {width}]"
    return Op(parameter, sizes, f"%x: {table}, %i: I[{indices}]", result,
              f"pop.gather %x, %i : ({table}, I[{indices}]) -> {result}", elements,
              bytes=f"2 * ({indices}) * ({width})")


def scatter(parameter, sizes, rows, width, indices):
    table, updates = f"T[{rows}, {width}]", f"T[{indices}, {width}]"
    return Op(parameter, sizes, f"%x: {table}, %i: I[{indices}], %u: {updates}", table,
              f"pop.scatter add %x, %i, %u : {table}, I[{indices}], {updates}")


SLICED = "axes = array<i64: 0>, sizes = array<i64: 64>"
FIELD, HALVES = "T[4, 64, n, 56]", "T[4, 64, (n + 1) // 2, 28]"
MOVEMENT = {
    "move": Op("n elements from tile to tile", (64, 65536), elements=ALL, bytes="n",
               write=lambda n, element: write_move(n, 0, 0, n, element)),
    "move from offset": Op("4,096 elements from offset n to n", (16, 256), elements=ALL, bytes="4096",
                           write=lambda n, element: write_move(4096, n, n, 8192, element)),
    "move to offset": Op("4,096 elements from offset 0 to n", (16, 256), elements=ALL, bytes="4096",
                         write=lambda n, element: write_move(4096, 0, n, 8192, element)),
    "transpose": change("n x n", (41, 4096), "T[n, n]", "T[n, n]", "transpose", "permutation = array<i64: 1, 0>", ALL),
    "transpose rows": change("n x 512", (21, 16384), "T[n, 512]", "T[512, n]", "transpose",
                             "permutation = array<i64: 1, 0>"),
    "transpose heads": change("n x 12 x 64", (21, 4096), "T[n, 12, 64]", "T[12, n, 64]", "transpose",
                              "permutation = array<i64: 1, 0, 2>"),
    "slice offset": take_slice("10,000 elements at n of 20,000", (16, 8192), "T[20000]", "$[n]", "10000"),
    "slice columns": take_slice("512 columns at n of 512 x 2,048", (16, 1024), "T[512, 2048]", "0, $[n]", "512, 512"),
    "slice size": take_slice("n elements at 3 of 1,048,576", (1024, 1 << 19), "T[1048576]", "3", "$[n]", bytes="2 * n"),
    "concat": Op("n and 999 elements", (1024, 1 << 22), "%x: T[n], %y: T[999]", "T[n + 999]",
                 "pop.concat %x, %y {axis = 0 : i64} : (T[n], T[999]) -> T[n + 999]", ALL),
    "concat columns": Op("512 x n and 64", (24, 4096), "%x: T[512, n], %y: T[512, 64]", "T[512, n + 64]",
                         "pop.concat %x, %y {axis = 1 : i64} : (T[512, n], T[512, 64]) -> T[512, n + 64]"),
    "pad rows": pad("n rows before 1,000 x 300", (16, 1024), "$[n], 0", "0, 0", "T[n + 1000, 300]"),
    "pad columns": pad("n columns before 1,000 x 300", (16, 1024), "0, $[n]", "0, 0", "T[1000, n + 300]"),
    "reverse": change("n elements", (1024, 1 << 20), "T[n]", "T[n]", "slice",
                      "starts = array<i64: $[n - 1]>, sizes = array<i64: $[n]>, steps = array<i64: -1>"),
    "gather rows": gather("1,024 rows of n x 256", (64, 440000), "n", "256", "1024"),
    "gather indices": gather("n rows of 4,096 x 64", (64, 65536), "4096", "64", "n", ALL),
    "gather width": gather("256 rows of 1,000 x n", (24, 4096), "1000", "n", "256"),
    "scatter rows": scatter("1,024 rows to n x 64", (64, 65536), "n", "64", "1024"),
    "scatter indices": scatter("n rows to 4,096 x 64", (64, 65536), "4096", "64", "n"),
    "scatter width": scatter("256 rows to 1,000 x n", (24, 2048), "1000", "n", "256"),
    "dynamic slice": Op("64 x n of 1,024 x n", (24, 4096), "%x: T[1024, n], %i: I[1]", "T[64, n]",
                        f"pop.dynamic_slice %x[%i] {{{SLICED}}} : T[1024, n], I[1] -> T[64, n]", bytes="2 * 64 * n"),
    "max pool": pool("max", HALVES, 3, 2),
    "average pool": pool("avg", FIELD, 3, 1),
    "select and scatter": Op("4 x 64 x n x 56", (21, 512), f"%x: {FIELD}, %y: {HALVES}", FIELD,
                             f"pop.select_and_scatter max %x, %y {{{write_window(3, 2)}}} : {FIELD}, {HALVES} -> {FIELD}"),
}

NETWORKS = {
    "encoder": Op("4 x n tokens of width 768", (41, 512), elements=("f16",), bytes="4 * n * 12 * 768",
                  flops="4 * (n * 24 * 768 * 768 + 4 * n * n * 768)",
                  write=lambda n, element: plan_programs.make_encoder(element, 4, 1, n).get_text(resident=True)),
}
OPS = {**MATRIX, **ELEMENTWISE, **REDUCTIONS, **MOVEMENT, **NETWORKS}
