#!/usr/bin/python3
# Part of ipu-mlir, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measures the simulator's time and memory for replicas with the same weights.

    benchmark/replica_economy.py [--layers 8] [--width 512] [--batch 4] [--replicas 1,8,64]

The program is a data-parallel training step of a multi-layer perceptron. Each replica has
its own inputs and gradients. Gradients are reduced over all replicas, and Adam updates
weights and moments, which stay equal on all replicas. CPU seconds and MiB are measured for
a process that runs the lowered program. `shared` stores and computes equal values once.
`apart` stores and computes them on each replica, like --check-replica-equal, but compares
no values. `checked` also compares values. The time of a run with --engine none, which
computes no values, is subtracted. Each time is the least of the runs. IPU_OPT names
another ipu-opt.

The last column of `shared` is a ratio. Its numerator is the time of a further run of the
loaded program. Its denominator is the time of one replica and, for each other replica, the
time of the work that cannot be shared: the matrix products and one addition for each
element of a gradient. IPU_RUN names another ipu-run.
"""

import argparse
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
TOOL = os.environ.get("IPU_OPT", ROOT / "build/bin/ipu-opt")
RUNNER = os.environ.get("IPU_RUN", ROOT / "build/bin/ipu-run")
ANNOTATION = re.compile(r",? ?ipu\.replica_equal = #pop\.replica_partition<[^>]*>")


def make_program(layers, width, batch, replicas, is_shared=True):
    """Without what is shared gradients are only added to the first moments."""
    weight, ref = f"tensor<{width}x{width}xf32>", f"!pop.ref<{width}x{width}xf32>"
    data = f"tensor<{batch}x{width}xf32>"
    turned = f"tensor<{width}x{batch}xf32>"
    lines = [f'module attributes {{ipu.target = #ipu.target<"gc200", {{replicas = {replicas} : i64}}>}} {{',
             f"pop.stream @x host_to_device : {data}", f"pop.stream @y host_to_device : {data}"]
    for i in range(layers):
        for name, value in ("w", 0.001), ("m", 0.0), ("v", 0.01):
            lines.append(f"pop.variable @{name}{i} : {weight} = dense<{value}> : {weight}")
    lines += ["func.func @main() {", f"%a0 = pop.host_load @x : {data}", f"%y = pop.host_load @y : {data}"]
    for i in range(layers):
        lines += [f"%{name}{i} = pop.get_variable @{name}{i} : {ref}" for name in "wmv"]
        lines += [f"%W{i} = pop.read %w{i} : {ref}",
                  f"%z{i} = pop.matmul %a{i}, %W{i} : ({data}, {weight}) -> {data}",
                  f"%a{i + 1} = pop.relu %z{i} : {data}"]
    lines.append(f"%d{layers} = pop.sub %a{layers}, %y : {data}")
    for i in reversed(range(layers)):
        lines += [f"%e{i} = pop.mul %d{i + 1}, %a{i + 1} : {data}",
                  f"%t{i} = pop.transpose %a{i} {{permutation = array<i64: 1, 0>}} : {data} -> {turned}",
                  f"%g{i} = pop.matmul %t{i}, %e{i} : ({turned}, {data}) -> {weight}"]
        if not is_shared:
            lines += [f"%d{i} = pop.matmul %e{i}, %W{i} : ({data}, {weight}) -> {data}",
                      f"pop.add_ %m{i}, %g{i} : {ref}, {weight}"]
            continue
        lines += [f"%T{i} = pop.transpose %W{i} {{permutation = array<i64: 1, 0>}} : {weight} -> {weight}",
                  f"%d{i} = pop.matmul %e{i}, %T{i} : ({data}, {weight}) -> {data}",
                  f"%r{i} = pop.all_reduce mean %g{i} : {weight}",
                  f"%q{i} = pop.mul %r{i}, %r{i} : {weight}",
                  f"pop.scaled_add_ %m{i}, %r{i} {{a = 0.9, b = 0.1}} : {ref}, {weight}",
                  f"pop.scaled_add_ %v{i}, %q{i} {{a = 0.99, b = 0.01}} : {ref}, {weight}",
                  f"%M{i} = pop.read %m{i} : {ref}", f"%V{i} = pop.read %v{i} : {ref}",
                  f"%s{i} = pop.sqrt %V{i} : {weight}", f"%u{i} = pop.div %M{i}, %s{i} : {weight}",
                  f"pop.scaled_add_ %w{i}, %u{i} {{b = -0.001}} : {ref}, {weight}"]
    return "\n".join([*lines, "return", "}", "}", ""])


# Runs a command and prints its CPU seconds and its greatest memory in KiB. A process of its own does this, because Linux
# counts the memory of the process that starts a command as memory of the command.
MEASURE = """
import os, sys
child = os.posix_spawn(sys.argv[1], sys.argv[1:], os.environ)
_, status, usage = os.wait4(child, 0)
os.write(2, f"\\n{usage.ru_utime + usage.ru_stime} {usage.ru_maxrss}\\n".encode())
sys.exit(os.waitstatus_to_exitcode(status))
"""


def run(command, runs):
    """CPU seconds and MiB of the cheapest process of `runs`."""
    best = None
    for _ in range(runs):
        child = subprocess.run([sys.executable, "-S", "-c", MEASURE, *map(str, command)], stdout=subprocess.DEVNULL,
                               stderr=subprocess.PIPE, text=True)
        if child.returncode:
            raise SystemExit(f"{' '.join(map(str, command))}: exit status {child.returncode}\n{child.stderr}")
        seconds, memory = map(float, child.stderr.splitlines()[-1].split())
        figures = seconds, memory / 1024
        best = figures if best is None else tuple(map(min, best, figures))
    return best


def execute(path, options, runs):
    return run([TOOL, path, f"--ipu-execute={options}", "-o", os.devnull], runs)


def get_further_run(path, count, args, directory):
    """CPU seconds of a run of a loaded program, the mean of `count`."""
    first, more = (run([RUNNER, path, "--input", "*=random:1", "--threads", args.threads, "--output-dir", directory,
                        "--runs", number], args.runs)[0] for number in (1, 1 + count))
    return (more - first) / count


def parse_arguments(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--layers", type=int, default=8)
    parser.add_argument("--width", type=int, default=512)
    parser.add_argument("--batch", type=int, default=4)
    parser.add_argument("--replicas", default="1,8,64")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--runs", type=int, default=3)
    return parser.parse_args(arguments)


def print_table(args):
    weights = 3 * args.layers * args.width ** 2 * 4 / 2 ** 20
    print(f"weights and moments: {weights:.0f} MiB on a replica, a gradient {weights / args.layers / 3:.1f} MiB")
    print(f"{'replicas':>8} {'':8} {'s':>8} {'MiB':>8} {'s / shared':>11} {'MiB / shared':>13} {'run / sum':>10}")
    with tempfile.TemporaryDirectory() as directory:
        one, own = pathlib.Path(directory, "one.mlir"), pathlib.Path(directory, "own.mlir")
        one.write_text(make_program(args.layers, args.width, args.batch, 1))
        own.write_text(make_program(args.layers, args.width, args.batch, 1, is_shared=False))
        for replicas in map(int, args.replicas.split(",")):
            source = pathlib.Path(directory, "source.mlir")
            source.write_text(make_program(args.layers, args.width, args.batch, replicas))
            annotations, plain = pathlib.Path(directory, "annotations.mlir"), pathlib.Path(directory, "plain.mlir")
            subprocess.run([TOOL, source, "--pop-to-ipu-pipeline", "-o", annotations], check=True)
            plain.write_text(ANNOTATION.sub("", annotations.read_text()))
            values = f"inputs=*=random:1 threads={args.threads}"
            base = execute(plain, "engine=none", args.runs)
            first = None
            for name, path, options in (("shared", annotations, values),
                                        ("apart", plain, values + " check-replica-equal"),
                                        ("checked", annotations, values + " check-replica-equal")):
                took = [a - b for a, b in zip(execute(path, options, args.runs), base)]
                first = first or took
                ratio = ""
                if name == "shared":
                    parts = [get_further_run(path, count, args, directory)
                             for path, count in ((source, 200 // replicas + 10), (one, 200), (own, 200))]
                    ratio = f"{parts[0] / (parts[1] + (replicas - 1) * parts[2]):10.2f}"
                print(f"{replicas:8} {name:8} {took[0]:8.2f} {took[1]:8.0f} {took[0] / first[0]:11.1f} "
                      f"{took[1] / first[1]:13.1f} {ratio}", flush=True)


if __name__ == "__main__":
    print_table(parse_arguments())
