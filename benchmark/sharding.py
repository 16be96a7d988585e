#!/usr/bin/python3
# Part of ipu-mlir, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares the time of the propagation of shardings with the time to parse and print.

    benchmark/sharding.py [--runs N] [--sizes 10000,50000,200000]

Programs: a chain of alternating dot_general and add ops, one argument with many
users, and nested loops. Wall time is the least of the runs; memory is the peak.
Use a release build; IPU_OPT names another ipu-opt.
"""

import argparse
import os
import pathlib
import subprocess
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
TOOL = os.environ.get("IPU_OPT", ROOT / "build/bin/ipu-opt")
TYPE = "tensor<64x64xf32>"


def wrap(lines, result):
    sharded = lambda dims: f"{TYPE} {{sdy.sharding = #sdy.sharding<@mesh, [{dims}]>}}"
    arguments = [sharded('{"x", ?}, {?}'), sharded('{?}, {"y", ?}'), sharded('{?}, {"y", ?}')]
    signature = ", ".join(f"%a{i}: {a}" for i, a in enumerate(arguments))
    return "\n".join(['sdy.mesh @mesh = <["x"=4, "y"=2]>',
                      f"func.func @main({signature}, %n: tensor<i32>) -> {TYPE} {{",
                      *lines, f"return {result} : {TYPE}", "}", ""])


def dot(name, lhs, rhs):
    return (f"{name} = stablehlo.dot_general {lhs}, {rhs}, contracting_dims = [1] x [0] : "
            f"({TYPE}, {TYPE}) -> {TYPE}")


def chain(count):
    lines, last = [], "%a0"
    for i in range(count):
        lines.append(f"%v{i} = stablehlo.add {last}, %a2 : {TYPE}" if i % 2
                     else dot(f"%v{i}", last, "%a1"))
        last = f"%v{i}"
    return wrap(lines, last)


def wide(count):
    lines = [dot(f"%v{i}", "%a0", "%a1") for i in range(count // 2)]
    last = "%v0"
    for i in range(1, count // 2):
        lines.append(f"%s{i} = stablehlo.add {last}, %v{i} : {TYPE}")
        last = f"%s{i}"
    return wrap(lines, last)


def deep(depth):
    lines, last = [], "%a0"
    for i in range(depth):
        lines += [f"%w{i}:2 = stablehlo.while(%i{i} = %n, %b{i} = {last}) : tensor<i32>, {TYPE}",
                  "cond {",
                  f"%c{i} = stablehlo.compare LT, %i{i}, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>",
                  f"stablehlo.return %c{i} : tensor<i1>", "} do {"]
        last = f"%b{i}"
    lines.append(dot("%d", last, "%a1"))
    last = "%d"
    for i in reversed(range(depth)):
        lines += [f"stablehlo.return %i{i}, {last} : tensor<i32>, {TYPE}", "}"]
        last = f"%w{i}#1"
    return wrap(lines, last)


def measure(flags, path, runs):
    best, memory = None, 0
    for _ in range(runs):
        start = time.perf_counter()
        process = subprocess.Popen([TOOL, *flags, path, "-o", os.devnull])
        _, status, usage = os.wait4(process.pid, 0)
        seconds = time.perf_counter() - start
        if status:
            raise SystemExit(f"{TOOL} {' '.join(flags)} fails on {path}")
        best = min(best or seconds, seconds)
        memory = max(memory, usage.ru_maxrss)
    return best, memory / 1024


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--sizes", default="10000,50000,200000")
    args = parser.parse_args()
    programs = [(f"chain of {n}", chain(int(n))) for n in args.sizes.split(",")]
    programs += [("10000 users of one argument", wide(20000)), ("100 nested loops", deep(100))]
    print(f"{'program':30} {'text s':>8} {'all s':>8} {'ratio':>6} {'unverified':>10} {'memory':>7}")
    with tempfile.TemporaryDirectory() as directory:
        for name, text in programs:
            path = os.path.join(directory, "program.mlir")
            pathlib.Path(path).write_text(text)
            plain, plain_memory = measure([], path, args.runs)
            full, memory = measure(["--sdy-propagation-pipeline"], path, args.runs)
            quick, _ = measure(["--sdy-propagation-pipeline", "--verify-each=0"], path, args.runs)
            print(f"{name:30} {plain:8.2f} {full:8.2f} {full / plain:6.1f} "
                  f"{quick / plain:10.1f} {memory / plain_memory:7.1f}", flush=True)


if __name__ == "__main__":
    main()
