#!/usr/bin/python3
# Part of ipu-mlir, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares the time of a run on the simulated device with libraries of the host.

    benchmark/native_speed.py [--rows matmul-512,add,start] [--seconds 0.5] [--repeats 3]

Runs `ipu-run --threads 1` with random inputs on a pseudo-terminal. ipu-run prints a line
when a run begins, and the script then reads the CPU time of the process. Figures do not
include start-up and the first runs. The clock has a low resolution, so a figure is the
mean of several runs, which together take the given time. Yardsticks alternate with these
runs, on one thread. For matmuls, the yardstick is numpy's matmul on OpenBLAS, which numpy
has to use (Debian: libopenblas0-pthread, or LD_LIBRARY_PATH with its folder). For the
addition, it is numpy's loop over memory. For rows that are bound by memory, it is the time
to move the bytes of arguments and results at the speed of a copy of 64 MiB. The least of
all measurements counts. IPU_RUN and IPU_OPT name other programs; --options are options of
ipu-run.

Convolutions of ResNet-50 (conv-*), their gradients (dinput-*, dweights-*) and networks
(resnet50-*, encoder-6) are compared with libtorch (Debian: python3-torch), in its faster
layout; without libtorch, these rows are omitted. Each group of rows ends with a line that
summarizes the ratios.

Other rows have other measures:

- start-*: the real time and the CPU time from the start of a process until it runs the
  program ("ready") and until its end, on all threads of the host. In the "cold" process, the
  folder of --cache-dir is empty; in the "warm" process, it has all kernels.
- memory-*: the peak of the resident memory of a process (ru_maxrss), the same without the
  peak of a process with --engine none, which computes no tensor, and both divided by the
  bytes of the tensors that are live at once.
- threads-*: the programs of thread_scaling.py, on one thread and on two.
- replicas: the measurement of replica_economy.py.

--rows selects rows by parts of their names, separated by commas.
"""

import argparse
import itertools
import json
import os
import pathlib
import pty
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import time

import native_programs
import numpy as np
import replica_economy
import thread_scaling
from native_programs import GROUPS, ROWS, TOOL, Torch

# The number of runs at the start in which the process still allocates more
# memory.
WARM_UP = 3
# Programs whose start is measured, and the greatest acceptable seconds: to the
# result of a cold and a warm start, or until a cold start is ready.
STARTS = {
    "start-resnet50": (lambda: native_programs.resnet50(1)[0], "result 2.5 cold, 1.5 warm"),
    "start-encoder-24": (lambda: native_programs.encoder(24)[0], "ready 10 cold"),
}
MEMORIES = {"memory-resnet50": lambda: native_programs.resnet50(1)[0]}
THREADS = "threads-"
REPLICAS = "replicas"
ALL = [*ROWS, *STARTS, *MEMORIES, *(THREADS + name for name in thread_scaling.PROGRAMS), REPLICAS]


def needs_torch(row):
    return row.startswith((*GROUPS, "resnet50", "encoder", "scatter"))


def cpu_time(pid):
    """Seconds of a process, by the clock that Linux has for it."""
    return time.clock_gettime((~pid << 3) | 2)


def run_time(program, runs, directory, options):
    """Mean CPU seconds of a run, without the first ones and the last, which has no end."""
    own, terminal = pty.openpty()
    command = [str(TOOL), str(program), "--threads", "1", "--runs", str(runs + WARM_UP + 1), "--allow-oom",
               "--input", "*=random:1", "--output-dir", str(directory), *options]
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
    # Short runs may all end before the first one is reported.
    if first == last:
        return run_time(program, 4 * runs, directory, options)
    return (end - start) / (last - first)


def start_time(program, cache, directory, options):
    """Real seconds until the process runs the program, until its end, and its CPU seconds."""
    own, terminal = pty.openpty()
    command = [str(TOOL), str(program), "--allow-oom", "--input", "*=random:1", "--output-dir", str(directory),
               "--cache-dir", str(cache), *options]
    begin, ready, text = time.perf_counter(), None, ""
    child = os.posix_spawn(command[0], command, os.environ,
                           file_actions=[(os.POSIX_SPAWN_DUP2, terminal, 2), (os.POSIX_SPAWN_CLOSE, own)])
    os.close(terminal)
    while True:
        try:
            data = os.read(own, 1 << 16)
        except OSError:
            break
        if not data:
            break
        text += data.decode(errors="replace")
        if ready is None and "running" in text:
            ready = time.perf_counter() - begin
    _, status, usage = os.wait4(child, 0)
    end = time.perf_counter() - begin
    os.close(own)
    if status or ready is None:
        raise SystemExit(text + f"{program}: exit status {os.waitstatus_to_exitcode(status)}")
    return ready, end, usage.ru_utime + usage.ru_stime


def print_starts(rows, args, directory):
    print(f"\n| {'start':18} | {'cache':5} | {'ready, s':>8} | {'result, s':>9} | {'CPU, s':>7} | aims, s")
    path, cache = pathlib.Path(directory, "program.mlir"), pathlib.Path(directory, "cache")
    for row in rows:
        make, aims = STARTS[row]
        path.write_text(make())
        least = {}
        for _ in range(args.repeats):
            shutil.rmtree(cache, ignore_errors=True)
            for kind in "cold", "warm":
                took = start_time(path, cache, directory, shlex.split(args.options))
                least[kind] = tuple(map(min, took, least.get(kind, took)))
        for kind, (ready, end, cpu) in least.items():
            print(f"| {row:18} | {kind:5} | {ready:8.2f} | {end:9.2f} | {cpu:7.2f} | {aims}", flush=True)


def get_live_bytes(profile):
    """The most bytes of variables that are live at once, without copies of their elements on several tiles."""
    changes = [0] * (len(profile["steps"]) + 1)
    for variable in profile["variables"]:
        ranges = variable["ranges"]
        if variable["always_live"]:
            ranges = [(0, len(profile["steps"]) - 1)]
        for first, last in ranges:
            changes[first] += variable["unique_bytes"]
            changes[last + 1] -= variable["unique_bytes"]
    return max(itertools.accumulate(changes))


def print_memories(rows, args, directory):
    """Peaks of processes that have all kernels in their cache."""
    print(f"\n| {'memory':18} | {'tensors, MiB':>12} | {'peak, MiB':>9} | {'none, MiB':>9} | {'difference, MiB':>15} | "
          f"{'peak / tensors':>14} | {'difference / tensors':>20} |")
    path, profile = pathlib.Path(directory, "program.mlir"), pathlib.Path(directory, "profile.json")
    for row in rows:
        path.write_text(MEMORIES[row]())
        options = ["--allow-oom", "--cache-dir", pathlib.Path(directory, "memory-cache"), *shlex.split(args.options)]
        subprocess.run([TOOL, path, "--engine", "none", "--profile", profile, *options], check=True)
        tensors = get_live_bytes(json.loads(profile.read_text())) / 2**20
        command = [TOOL, path, *options]
        values = ["--input", "*=random:1", "--output-dir", directory]
        replica_economy.run([*command, *values], 1)
        peak = replica_economy.run([*command, *values], args.repeats)[1]
        none = replica_economy.run([*command, "--engine", "none"], args.repeats)[1]
        print(f"| {row:18} | {tensors:12.0f} | {peak:9.0f} | {none:9.0f} | {peak - none:15.0f} | "
              f"{peak / tensors:14.2f} | {(peak - none) / tensors:20.2f} |", flush=True)


def print_ratios(rows, args, directory):
    ratios = {}
    print(f"| {'row':34} | {'run, ms':>8} | {'yardstick':10} | {'ms':>8} | {'ratio':>6} |")
    print(f"| {'-' * 34} | {'-' * 7}: | {'-' * 10} | {'-' * 7}: | {'-' * 5}: |")
    path = pathlib.Path(directory, "program.mlir")
    for row in rows:
        program, name, yardstick, factor = ROWS[row]()
        path.write_text(program)
        options = shlex.split(args.options)
        took, bound = float("inf"), float("inf")
        runs = int(args.seconds / max(run_time(path, 5 if needs_torch(row) else 20, directory, options), 1e-3)) + 1
        for _ in range(args.repeats):
            # The first calls load libraries and memory pages, so that they
            # are not measured.
            start, count = time.perf_counter(), 0
            while time.perf_counter() < start + args.seconds or count < 3:
                bound, count = min(bound, factor * yardstick()), count + 1
            took = min(took, run_time(path, max(runs, 3), directory, options))
        ratios[row] = took / bound
        print(f"| {row:34} | {took * 1e3:8.2f} | {name:10} | {bound * 1e3:8.2f} | {took / bound:6.2f} |", flush=True)
    for group in GROUPS:
        values = sorted(value for row, value in ratios.items() if row.startswith(group))
        if values:
            mean = np.exp(np.mean(np.log(values)))
            print(f"{group}*: best {values[0]:.2f}, geometric mean {mean:.2f}, worst {values[-1]:.2f}")


def prepare_libraries(rows):
    """The rows without those whose library is missing."""
    if any(map(needs_torch, rows)) and not Torch.load():
        print("without libtorch (python3-torch), rows that need it are left out", file=sys.stderr)
        rows = [row for row in rows if not needs_torch(row)]
    np.matmul(np.ones((2, 2), np.float32), np.ones((2, 2), np.float32))
    libraries = pathlib.Path("/proc/self/maps").read_text()
    if "openblas" not in libraries and any(row.startswith(("matmul", "resnet50", "encoder")) for row in rows):
        raise SystemExit("numpy and libtorch do not use OpenBLAS here: install libopenblas0-pthread, or name its folder "
                         "in LD_LIBRARY_PATH")
    return rows


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", default="all",
                        help="of " + ", ".join([row for row in ALL if not row.startswith(GROUPS)] + list(GROUPS)) +
                        "; a part of a name means all that have it")
    parser.add_argument("--seconds", type=float, default=0.5, help="least time of all runs of a process")
    parser.add_argument("--repeats", type=int, default=3, help="processes of the row and of its yardstick, which take turns")
    parser.add_argument("--options", default="", help="more options of ipu-run")
    args = parser.parse_args()
    parts = args.rows.split(",")
    for part in parts:
        if part != "all" and not any(part in row for row in ALL):
            parser.error(f"no row is called {part}")
    chosen = [row for row in ALL if args.rows == "all" or any(part in row for part in parts)]
    with tempfile.TemporaryDirectory() as directory:
        if rows := prepare_libraries([row for row in chosen if row in ROWS]):
            print_ratios(rows, args, directory)
        if rows := [row for row in chosen if row in STARTS]:
            print_starts(rows, args, directory)
        if rows := [row for row in chosen if row in MEMORIES]:
            print_memories(rows, args, directory)
    if rows := [row for row in chosen if row.startswith(THREADS)]:
        print()
        thread_scaling.print_table([row.removeprefix(THREADS) for row in rows], 2, args.repeats)
    if REPLICAS in chosen:
        print()
        replica_economy.print_table(replica_economy.parse_arguments([f"--runs={args.repeats}"]))


if __name__ == "__main__":
    sys.exit(main())
