"""Prints a program whose report is easy to get wrong. Arguments: its name, and, for
some, a number."""

import sys

SCALARS = """
pop.stream @x host_to_device : tensor<400xf32>
pop.stream @y device_to_host : tensor<400xf32>
"""


def step(name, cycles, where=""):
    return (
        f'    ipu.compute_set "{name}" {{\n    }} cost <cycles = [{cycles}], total = {cycles}, '
        f"tile = 0, flops = 0, bytes = 0>{where}\n"
    )


def module(body, functions="", target="tiles = 2 : i64"):
    return (
        f'module attributes {{ipu.target = #ipu.target<"gc200", {{{target}}}>}} {{\n{functions}'
        f"  func.func @main() {{\n{body}    return\n  }}\n}}\n"
    )


def io():
    """A load on I/O tiles, beside which others load, compute and wait."""
    small = "tensor<16x16xf32>"
    return module(
        f"""
    %x = pop.host_load @x {{pop.tile_set = #pop<tile_set io>}} : tensor<150000xf32>
    %w = pop.host_load @w : {small}
    %0 = pop.matmul %w, %w : ({small}, {small}) -> {small} loc("first")
    %1 = pop.matmul %0, %w : ({small}, {small}) -> {small} loc("second")
    %s = pop.reduce sum %1 {{axes = array<i64: 0, 1>}} : {small} -> tensor<f32> loc("small")
    %3 = pop.reduce sum %x {{axes = array<i64: 0>}} : tensor<150000xf32> -> tensor<f32> loc("big")
    %4 = pop.add %s, %3 : (tensor<f32>, tensor<f32>) -> tensor<f32> loc("last")
    pop.host_store %4, @z : tensor<f32>
""",
        f"""
  pop.stream @x host_to_device : tensor<150000xf32>
  pop.stream @w host_to_device : {small}
  pop.stream @z device_to_host : tensor<f32>
""",
        "tiles = 8 : i64, io_tiles = 2 : i64",
    )


def loops():
    """Loops in a loop and in a function that is called twice."""
    function = f"  func.func @f() {{\n    ipu.repeat 5 {{\n{step('in_f', 700)}    }}\n    return\n  }}\n"
    inner = f"    ipu.repeat 3 {{\n    ipu.repeat 4 {{\n{step('inner', 700)}    }}\n    }}\n"
    calls = "    ipu.call @f\n"
    body = step("first", 300) + calls + inner + step("between", 300) + calls + step("after", 300)
    return module(body, function)


def calls():
    """A function that calls another one, with a name to look for."""
    type_ = "tensor<400xf32>"
    return f"""{SCALARS}
func.func private @inner(%x: {type_}) -> {type_} attributes {{no_inline}} {{
  %0 = pop.tanh %x : {type_} loc("needle")
  return %0 : {type_}
}}
func.func private @outer(%x: {type_}) -> {type_} attributes {{no_inline}} {{
  %0 = call @inner(%x) : ({type_}) -> {type_}
  %1 = pop.exp %0 : {type_} loc("other")
  return %1 : {type_}
}}
func.func @main() {{
  %x = pop.host_load @x : {type_}
  %y = call @outer(%x) : ({type_}) -> {type_}
  %z = call @outer(%y) : ({type_}) -> {type_}
  %u = call @inner(%z) : ({type_}) -> {type_}
  pop.host_store %u, @y : {type_}
  return
}}
"""


def ipus(count):
    """An array on many IPUs, whose parts are summed."""
    type_ = f"tensor<{count * 8}xf32>"
    return module(
        f"""
    %w = pop.host_load @x : {type_}
    %0 = pop.sin %w : {type_}
    %1 = pop.reduce sum %0 {{axes = array<i64: 0>}} : {type_} -> tensor<f32>
    pop.host_store %1, @z : tensor<f32>
""",
        f"  pop.stream @x host_to_device : {type_}\n  pop.stream @z device_to_host : tensor<f32>\n",
        f"tiles = 2 : i64, ipus = {count} : i64",
    )


def reads(count):
    """A variable that many steps read."""
    stores = "  pop.host_store %x, @y : tensor<400xf32>\n" * count
    return f"{SCALARS}func.func @main() {{\n  %x = pop.host_load @x : tensor<400xf32>\n{stores}  return\n}}\n"


def long(count):
    return module("".join(step(f"c{i}", 7 + i % 3, f' loc("op{i}")') for i in range(count)))


def edited(after):
    """Ops without a name, before and after an edit that moves all lines and adds an op."""
    body = step("pop.add", 1000) + step("pop.mul", 2000)
    body += step("pop.add", 500) if after else ""
    body += step("pop.exp", 4000) + step("pop.add", 5000)
    # Another step takes most of it.
    body += step("pop.sin" if after else "pop.tanh", 6000, ' loc("named")')
    return "// A comment.\n" * after + module(body)


programs = {f.__name__: f for f in (io, loops, calls, ipus, reads, long, edited)}
print(programs[sys.argv[1]](*map(int, sys.argv[2:])), end="")
