#!/usr/bin/python3
# Part of ipu-mlir, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measures a run on the simulated device against what the host's own libraries take.

    benchmark/native_speed.py [--rows matmul-512,add] [--seconds 0.5] [--repeats 3]

Runs `ipu-run --threads 1` with random inputs on a pseudo-terminal, where it says when
each run begins, and reads the CPU time of its process then: start-up and the first runs
are in no figure. As that clock ticks slowly, a figure is the mean of runs that take the
given time together. Yardsticks take turns with it, on one thread: numpy's matmul on
OpenBLAS, which numpy has to use (Debian: libopenblas0-pthread, or LD_LIBRARY_PATH with
its folder); numpy's loop over memory for the addition; for rows that are bound by
memory, bytes of arguments and results at the speed of a copy of 64 MiB. The least of
all turns counts. IPU_RUN names another program, --options are for it.
"""

import argparse
import os
import pathlib
import pty
import re
import shlex
import subprocess
import sys
import tempfile
import time

for library in "OPENBLAS", "OMP":
    os.environ[library + "_NUM_THREADS"] = "1"
import numpy as np

ROOT = pathlib.Path(__file__).resolve().parent.parent
TOOL = os.environ.get("IPU_RUN", ROOT / "build/bin/ipu-run")
COPIED = 64 << 20
# Runs in which the process still gets more memory.
WARM_UP = 3


def tensor(*shape):
    return f"tensor<{'x'.join([*map(str, shape), 'f32'])}>"


def function(arguments, result, lines):
    names = ", ".join(f"%{name}: {type}" for name, type in arguments)
    return "\n".join([f"func.func @main({names}) -> {result} {{", *lines, f"return %r : {result}", "}", ""])


def make_matmul(m, k, n):
    lhs, rhs, result = tensor(m, k), tensor(k, n), tensor(m, n)
    return function([("a", lhs), ("b", rhs)], result,
                    [f"%r = pop.matmul %a, %b : ({lhs}, {rhs}) -> {result}"])


def make_add(size):
    type = tensor(size)
    return function([("a", type), ("b", type)], type, [f"%r = pop.add %a, %b : {type}"])


def make_softmax(rows, columns):
    type = tensor(rows, columns)
    return function([("a", type)], type, [f"%r = pop.softmax %a {{axis = 1 : i64}} : {type}"])


def make_layer_norm(rows, columns):
    type, row, ends = tensor(rows, columns), tensor(columns), tensor(rows, 1)
    mean = "{axes = array<i64: 1>, keep_dims}"
    return function([("a", type), ("g", row), ("b", row)], type, [
        f"%m = pop.reduce mean %a {mean} : {type} -> {ends}",
        f"%c = pop.sub %a, %m : ({type}, {ends}) -> {type}",
        f"%s = pop.mul %c, %c : {type}",
        f"%v = pop.reduce mean %s {mean} : {type} -> {ends}",
        f"%e = pop.constant dense<1.0e-5> : {tensor()}",
        f"%w = pop.add %v, %e : ({ends}, {tensor()}) -> {ends}",
        f"%i = pop.rsqrt %w : {ends}",
        f"%n = pop.mul %c, %i : ({type}, {ends}) -> {type}",
        f"%x = pop.mul %n, %g : ({type}, {row}) -> {type}",
        f"%r = pop.add %x, %b : ({type}, {row}) -> {type}"])


class Arrays:
    """Operands of a yardstick, made when it is measured first."""

    def __init__(self, run, *shapes):
        self.run, self.shapes, self.arrays = run, shapes, None

    def __call__(self):
        if self.arrays is None:
            random = np.random.default_rng(1)
            self.arrays = [random.random(shape, np.float32) for shape in self.shapes]
        start = time.process_time()
        self.run(*self.arrays)
        return time.process_time() - start


def matmul(m, k, n):
    return (make_matmul(m, k, n), "OpenBLAS",
            Arrays(lambda a, b, c: np.matmul(a, b, out=c), (m, k), (k, n), (m, n)), 1)


def copy_bound(program, elements):
    """`elements` are read or written."""
    copy = Arrays(lambda a, b: np.copyto(b, a), COPIED // 4, COPIED // 4)
    return program, "copy bound", copy, 4 * elements / (2 * COPIED)


ROWS = {
    "matmul-512": lambda: matmul(512, 512, 512),
    "matmul-1024": lambda: matmul(1024, 1024, 1024),
    "matmul-512x768x3072": lambda: matmul(512, 768, 3072),
    "add-16Mi": lambda: (make_add(1 << 24), "plain loop", Arrays(
        lambda a, b, c: np.add(a, b, out=c), 1 << 24, 1 << 24, 1 << 24), 1),
    "softmax-4096x1024": lambda: copy_bound(make_softmax(4096, 1024), 2 * 4096 * 1024),
    "layer-norm-4096x1024": lambda: copy_bound(make_layer_norm(4096, 1024), 2 * 4096 * 1024),
}


def cpu_time(pid):
    """Seconds of a process, by the clock that Linux has for it."""
    return time.clock_gettime((~pid << 3) | 2)


def run_time(program, runs, directory, options):
    """Mean CPU seconds of a run, without the first ones and the last, which has no end."""
    own, terminal = pty.openpty()
    command = [str(TOOL), str(program), "--threads", "1", "--runs", str(runs + WARM_UP + 1), "--input", "*=random:1",
               "--output-dir", str(directory), *options]
    with subprocess.Popen(command, stderr=terminal) as child:
        os.close(terminal)
        marks, text = [], ""
        while True:
            try:
                data = os.read(own, 1 << 16)
            except OSError:
                break
            if not data:
                break
            text += data.decode(errors="replace")
            begun = len(set(re.findall(r"run (\d+) of", text)))
            if begun > WARM_UP and (not marks or begun > marks[-1][0]):
                marks.append((begun, cpu_time(child.pid)))
    os.close(own)
    if child.returncode:
        raise SystemExit(text + f"{program}: exit status {child.returncode}")
    (first, start), (last, end) = marks[0], marks[-1]
    return (end - start) / (last - first)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", default="all",
                        help="of " + ", ".join(ROWS) + "; a part of a name means all that have it")
    parser.add_argument("--seconds", type=float, default=0.5, help="of all runs of a process, at least")
    parser.add_argument("--repeats", type=int, default=3, help="processes and yardsticks that take turns")
    parser.add_argument("--options", default="", help="more options of ipu-run")
    args = parser.parse_args()
    rows = [row for row in ROWS if args.rows == "all" or any(part in row for part in args.rows.split(","))]
    if not rows:
        parser.error(f"no row is called {args.rows}")
    np.matmul(np.ones((2, 2), np.float32), np.ones((2, 2), np.float32))
    libraries = pathlib.Path("/proc/self/maps").read_text()
    if any(row.startswith("matmul") for row in rows) and "openblas" not in libraries:
        raise SystemExit("numpy does not use OpenBLAS here: install libopenblas0-pthread, or name its folder "
                         "in LD_LIBRARY_PATH")
    print(f"| {'row':22} | {'run, ms':>8} | {'yardstick':10} | {'ms':>8} | {'ratio':>6} |")
    print(f"| {'-' * 22} | {'-' * 7}: | {'-' * 10} | {'-' * 7}: | {'-' * 5}: |")
    with tempfile.TemporaryDirectory() as directory:
        path = pathlib.Path(directory, "program.mlir")
        for row in rows:
            program, name, yardstick, factor = ROWS[row]()
            path.write_text(program)
            options = shlex.split(args.options)
            took, bound = float("inf"), float("inf")
            runs = int(args.seconds / max(run_time(path, 20, directory, options), 1e-3)) + 1
            for _ in range(args.repeats):
                # The first calls bring libraries and pages into memory.
                start, count = time.perf_counter(), 0
                while time.perf_counter() < start + args.seconds or count < 5:
                    bound, count = min(bound, factor * yardstick()), count + 1
                took = min(took, run_time(path, max(runs, 10), directory, options))
            print(f"| {row:22} | {took * 1e3:8.2f} | {name:10} | {bound * 1e3:8.2f} | {took / bound:6.2f} |",
                  flush=True)


if __name__ == "__main__":
    sys.exit(main())
