#!/usr/bin/python3
# Part of ipu-mlir, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares the time of the replica-equal analysis with the time to parse the file.

    benchmark/replica_equal.py [--runs N] [--sizes 10000,100000] [--replicas 64,1024]

Programs: a chain of elementwise ops and collectives over several groupings; steps
on many variables, each of which differs only because of the next one; many calls of
a few functions; nested loops that write refs. Times are the times of --mlir-timing,
the least of the runs. Needs a release build; IPU_OPT names another ipu-opt.
"""

import argparse
import os
import pathlib
import re
import subprocess
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
TOOL = os.environ.get("IPU_OPT", ROOT / "build/bin/ipu-opt")
TYPE = "tensor<64xf32>"
REF = "!pop.ref<64xf32>"


def groups(stride, size):
    return f"{{groups = #pop.replica_groups<stride = {stride}, size = {size}>}}"


def chain(count):
    """Every fourth op is a collective; the others mix two values."""
    lines = ["func.func @main() {", f"%v0 = pop.host_load @x : {TYPE}"]
    for i in range(1, count):
        last, other = f"%v{i - 1}", f"%v{max(0, i - 7)}"
        if i % 4 == 0:
            lines.append(f"%v{i} = pop.all_reduce add {last} {groups(2 ** (i // 4 % 3), 4)} : {TYPE}")
        elif i % 64 == 1:
            lines.append(f"%v{i} = pop.host_load @x : {TYPE}")
        else:
            lines.append(f"%v{i} = pop.add {last}, {other} : {TYPE}")
    return lines + ["return", "}"]


def variables(count):
    """Each run makes one more variable differ, from the last one on."""
    count //= 4
    read = "{retrieval = #pop<retrieval all_replicas>}"  # No warnings.
    lines = [f"pop.variable @w{i} : {TYPE} = dense<1.0> : {TYPE} {read}" for i in range(count)]
    lines.append("func.func @main() {")
    for i in range(count):
        lines += [f"%r{i} = pop.get_variable @w{i} : {REF}"]
    for i in range(count - 1):
        lines += [f"%t{i} = pop.read %r{i + 1} : {REF}", f"pop.add_ %r{i}, %t{i} : {REF}, {TYPE}"]
    return lines + [f"%x = pop.host_load @x : {TYPE}",
                    f"pop.add_ %r{count - 1}, %x : {REF}, {TYPE}", "return", "}"]


def calls(count):
    lines = []
    for i in range(100):
        lines += [f"func.func private @f{i}(%r: {REF}, %x: {TYPE}) -> {TYPE} {{",
                  f"%0 = pop.relu %x : {TYPE}", f"pop.add_ %r, %0 : {REF}, {TYPE}",
                  f"return %0 : {TYPE}", "}"]
    lines += ["func.func @main() {", f"%v0 = pop.host_load @x : {TYPE}"]
    for i in range(1, count // 2):
        lines += [f"%r{i} = pop.alloc zero : {REF}",
                  f"%v{i} = func.call @f{i % 100}(%r{i}, %v{i - 1}) : ({REF}, {TYPE}) -> {TYPE}"]
    return lines + ["return", "}"]


def loops(count):
    """Nests of eight loops, each of which carries a value and writes a ref."""
    depth = 8
    lines = ["func.func @main() {", f"%x = pop.host_load @x : {TYPE}",
             "%c0 = arith.constant 0 : index", "%c1 = arith.constant 1 : index"]
    for i in range(count // (4 * depth)):
        last = "%x"
        for d in range(depth):
            n = f"{i}_{d}"
            lines += [f"%r{n} = pop.alloc zero : {REF}",
                      f"%l{n} = scf.for %i{n} = %c0 to %c1 step %c1 iter_args(%a{n} = {last}) -> ({TYPE}) {{",
                      f"pop.add_ %r{n}, %a{n} : {REF}, {TYPE}"]
            last = f"%a{n}"
        for d in reversed(range(depth)):
            n = f"{i}_{d}"
            lines += [f"scf.yield {last} : {TYPE}", "}"]
            last = f"%l{n}"
    return lines + ["return", "}"]


def measure(path, replicas, runs):
    """Seconds of the parser and of the pass."""
    best = None
    for _ in range(runs):
        text = subprocess.run(
            [TOOL, f"--pop-annotate-replica-equal=replicas={replicas}", "--mlir-timing",
             "--mlir-timing-display=list", "--verify-each=0", path, "-o", os.devnull],
            check=True, capture_output=True, text=True).stderr
        def seconds(name):
            return sum(float(t) for t in re.findall(rf"^\s*([\d.]+) \([^)]*\)\s+{name}\s*$", text, re.M))
        times = seconds("Parser"), seconds("AnnotateReplicaEqualPass")
        best = times if best is None else tuple(map(min, best, times))
    return best


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--sizes", default="10000,100000")
    parser.add_argument("--replicas", default="64,1024")
    args = parser.parse_args()
    print(f"{'program':12} {'ops':>8} {'replicas':>8} {'parse s':>8} {'pass s':>8} {'ratio':>6}")
    with tempfile.TemporaryDirectory() as directory:
        for make in (chain, variables, calls, loops):
            for size in map(int, args.sizes.split(",")):
                path = os.path.join(directory, "program.mlir")
                lines = [f"pop.stream @x host_to_device : {TYPE}", *make(size), ""]
                pathlib.Path(path).write_text("\n".join(lines))
                for replicas in map(int, args.replicas.split(",")):
                    parse, seconds = measure(path, replicas, args.runs)
                    print(f"{make.__name__:12} {size:8} {replicas:8} {parse:8.3f} {seconds:8.3f} "
                          f"{seconds / parse:6.2f}", flush=True)


if __name__ == "__main__":
    main()
