"""Writes a program of two IPUs with DEPTH functions that call each other, or with DEPTH
nested loops:

    nested-program.py calls|loops|mixed DEPTH

calls: each function calls the next one twice. loops: each loop has two rounds. mixed: each
function calls the next one in a loop and once more. The IPUs work for different times. The
innermost part loads from a stream with a buffer, and waits for the other IPU.
"""

import sys


def cost(a, b):
    return f"cost <cycles = [{a}, {b}], total = {2 * (a + b)}, tile = {0 if a >= b else 2}, flops = 0, bytes = 0>"


def work(name, a, b):
    return f'ipu.compute_set "{name}" {{\n}} {cost(a, b)}\n'


def loop(count, body):
    return f"ipu.repeat {count} {{\n{body}}} {cost(1, 1)}\n"


INNERMOST = (
    '%x = ipu.var "x" : memref<400xf32, #m>\n'
    f"ipu.sync ipus {cost(4, 4)}\n"
    f"ipu.host_load @x to %x : memref<400xf32, #m> {cost(2600, 2600)}\n"
    f"{work('inner', 50, 900)}"
    "ipu.write_undef %x : memref<400xf32, #m>\n"
)

kind, depth = sys.argv[1], int(sys.argv[2])
main, functions = "", []
if kind == "loops":
    main = INNERMOST
    for i in range(depth):
        main = loop(2, work(f"w{i}", 3 + i % 5, 7) + main)
else:
    for i in range(depth):
        call = f"ipu.call @f{i + 1} {cost(2, 2)}\n"
        again = loop(3, call) if kind == "mixed" else call
        body = work(f"w{i}", 3 + i % 5, 7) + again + work(f"v{i}", 11, i % 3) + call
        functions.append(f"func.func @f{i}() {{\n{body}return\n}}\n")
    functions.append(f"func.func @f{depth}() {{\n{INNERMOST}return\n}}\n")
    main = f"ipu.call @f0 {cost(2, 2)}\n"
print(
    "#m = #ipu.map<[400], grid = [4], blocks = [p0 * 100 : 100]>\n"
    '#target = #ipu.target<"gc200", {tiles = 2 : i64, ipus = 2 : i64, clock_hz = 1000000000 : i64,\n'
    "  host_latency_ns = 1000 : i64, host_bytes_per_second = 1000000000 : i64}>\n"
    f"module attributes {{ipu.target = #target, ipu.host_transfers = {(4 if kind == 'mixed' else 2) ** depth} : i64}} {{\n"
    "ipu.stream @x host_to_device : tensor<400xf32> {depth = 3 : i64, default_value = dense<0.0> : tensor<400xf32>}\n"
    f"{''.join(functions)}func.func @main() {{\n{main}return\n}}\n}}"
)
