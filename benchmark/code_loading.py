#!/usr/bin/python3
# Part of ipu-mlir, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Prints the tile memory of a transformer if the code of its layers is loaded.

    benchmark/code_loading.py [--sequence 128] [--width 128] [--layers 6] [--tiles 64] [--words 8192]

Each layer is a function: one attention head, and a perceptron whose hidden width is
the width times the number of the layer. The code and weights of a layer are loaded
before the layer is executed. A classifier of --words words follows the layers. Bytes
are the bytes of the fullest tile. IPU_OPT names another ipu-opt; --print prints the
MLIR program.
"""

import argparse
import os
import pathlib
import re
import subprocess

ROOT = pathlib.Path(__file__).resolve().parent.parent
TOOL = os.environ.get("IPU_OPT", ROOT / "build/bin/ipu-opt")
ACTIVATIONS = ["relu", "tanh", "sigmoid", "erf"]


def tensor(*shape):
    return f"tensor<{'x'.join(map(str, shape))}xf32>"


def get_weights(number, width):
    inner = width * (number + 1)
    square, up, down = tensor(width, width), tensor(width, inner), tensor(inner, width)
    return {"q": square, "k": square, "v": square, "o": square, "up": up, "down": down}


def make_layer(number, length, width):
    x, scores, turned = tensor(length, width), tensor(length, length), tensor(width, length)
    weights = get_weights(number, width)
    hidden = tensor(length, width * (number + 1))
    lines = [f"%w{n} = pop.remote_load @b.{n}{number}[0] : {t}" for n, t in weights.items()]
    lines += [f"%{n} = pop.matmul %x, %w{n} : ({x}, {weights[n]}) -> {x}" for n in "qkv"]
    lines += [f"%t = pop.transpose %k {{permutation = array<i64: 1, 0>}} : {x} -> {turned}",
              f"%s = pop.matmul %q, %t : ({x}, {turned}) -> {scores}",
              f"%p = pop.softmax %s {{axis = 1 : i64}} : {scores}",
              f"%a = pop.matmul %p, %v : ({scores}, {x}) -> {x}",
              f"%o = pop.matmul %a, %wo : ({x}, {weights['o']}) -> {x}",
              f"%r = pop.add %o, %x : {x}",
              f"%h = pop.matmul %r, %wup : ({x}, {weights['up']}) -> {hidden}",
              f"%g = pop.{ACTIVATIONS[number % len(ACTIVATIONS)]} %h : {hidden}",
              f"%f = pop.matmul %g, %wdown : ({hidden}, {weights['down']}) -> {x}",
              f"%y = pop.add %f, %r : {x}",
              f"return %y : {x}"]
    first = f"func.func private @layer{number}(%x: {x}) -> {x} attributes {{no_inline}} {{"
    return [first, *("  " + line for line in lines), "}"]


def make_program(options):
    length, width, words = options.sequence, options.width, options.words
    x, head, y = tensor(length, width), tensor(width, words), tensor(length, words)
    lines = [f"pop.stream @x host_to_device : {x}", f"pop.stream @head host_to_device : {head}",
             f"pop.stream @y device_to_host : {y}"]
    for i in range(options.layers):
        for name, type in get_weights(i, width).items():
            lines += [f"pop.remote_buffer @b.{name}{i} : 1 x {type}",
                      f"pop.variable @{name}{i} : {type} = dense<{(i + 1) / 100}> : {type}"
                      f" {{buffer = @b.{name}{i}, row = 0 : i64}}"]
    for i in range(options.layers):
        lines += make_layer(i, length, width)
    lines += ["func.func @main() {", f"  %x0 = pop.host_load @x : {x}"]
    for i in range(options.layers):
        lines += [f"  pop.remote_code_load @layer{i} to executable",
                  f"  %x{i + 1} = func.call @layer{i}(%x{i}) : ({x}) -> {x}"]
    lines += [f"  %head = pop.host_load @head : {head}",
              f"  %z = pop.matmul %x{options.layers}, %head : ({x}, {head}) -> {y}",
              f"  %y = pop.softmax %z {{axis = 1 : i64}} : {y}",
              f"  pop.host_store %y, @y : {y}", "  return", "}"]
    target = f'#ipu.target<"gc200", {{tiles = {options.tiles} : i64}}>'
    return "\n".join([f"module attributes {{ipu.target = {target}}} {{", *("  " + x for x in lines), "}", ""])


def measure(program):
    """{key: bytes} of the memory summary."""
    done = subprocess.run([TOOL, "--pop-to-ipu-pipeline=allow-oom=true"], input=program, capture_output=True,
                          text=True, check=True)
    summary = re.search(r"#ipu.memory_summary<([^>]*)>", done.stdout).group(1)
    return {key: int(value) for key, value in re.findall(r"(\w+) = (\d+)", summary)}


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)  # fmt: skip
    for name, value in ("sequence", 128), ("width", 128), ("layers", 6), ("tiles", 64), ("words", 8192):
        parser.add_argument(f"--{name}", type=int, default=value)
    parser.add_argument("--print", action="store_true")
    options = parser.parse_args()
    program = make_program(options)
    if options.print:
        print(program, end="")
        return
    print(f"{'':16}{'code':>10}{'variables':>12}{'in all':>10}{'room left':>12}")
    plain = re.sub(r".*pop\.remote_code_load.*\n", "", program)
    for name, text in ("without loads", plain), ("with loads", program):
        found = measure(text)
        code = sum(found[key] for key in ("stack", "vertex_code", "exchange_code", "control_code"))
        print(f"{name:16}{code:10}{found['not_always_live']:12}{found['bytes']:10}{624 * 1024 - found['bytes']:12}")


if __name__ == "__main__":
    main()
