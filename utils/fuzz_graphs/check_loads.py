# Part of ipu-mlir, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares the results of ipu-opt for programs that load code with the oracle."""

import os
import pathlib
import re
import subprocess
import tempfile

import numpy as np

from fuzz_graphs.loads import draw_load_program

NEVER = "but no path to this op moves the code to that memory"
ABSENT = re.compile(r"expects the code of '\w+' to be in")


def run_opt(options, path, results):
    """Prints where code is live, plans and runs: most of a program's time is the start of
    ipu-opt."""
    passes = ("builtin.module(pop-print-code-liveness,pop-to-ipu-pipeline,"
              f"ipu-execute{{check results={results} threads=1}})")
    command = [options.ipu_opt, str(path), "-o", os.devnull, "--mlir-print-op-on-diagnostic=false",
               f"--pass-pipeline={passes}"]
    return subprocess.run(command, capture_output=True, text=True, errors="replace",
                          timeout=options.timeout, check=False)


def parse_liveness(text):
    """{title: (state, ranges)} of what pop-print-code-liveness prints; not of code that no
    load names."""
    found, ranges = {}, None
    for line in text.splitlines():
        if line.startswith("  "):
            if ranges is not None:
                ranges.add(line.strip())
            continue
        title, state = line.split(": ")
        ranges = None
        if state != "always live":
            ranges = set()
            found[title] = (state, ranges)
    return found


def check_liveness(program, text):
    actual, expected = parse_liveness(text), program.liveness()
    for title in sorted({*actual, *expected}):
        if actual.get(title) != expected.get(title):
            return f"{title}: got {actual.get(title)}, expected {expected.get(title)}"
    return None


def check_run(program, done, results):
    """Plans are proved by ipu-allocate; a checked run finds variables over code."""
    _, never = program.find_unloaded()
    if never:
        if done.returncode == 1 and NEVER in done.stderr:
            return None
        return f"expected '{NEVER}' but got {done.returncode}: {done.stderr[:400]}"
    if NEVER in done.stderr:
        return "refuses a copy that a path has loaded"
    expected = program.run()
    if expected is None:
        if done.returncode == 1 and ABSENT.search(done.stderr):
            return None
        return f"expected code to be missing but got {done.returncode}: {done.stderr[:400]}"
    if done.returncode:
        lines = [line for line in done.stderr.splitlines() if "error" in line]
        return f"exit status {done.returncode}: {(lines or [done.stderr[:400]])[0]}"
    actual = np.load(pathlib.Path(results) / "out.npy")
    return None if actual == expected else f"got {actual}, expected {expected}"


def run_load_seed(seed, options):
    """The coverage, and a report of a failure or None."""
    program = draw_load_program(seed)
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "program.mlir"
        path.write_text(program.text())
        done = run_opt(options, path, folder)
        problem = (f"exit status {done.returncode}: {done.stderr[:400]}" if done.returncode not in (0, 1)
                   else check_liveness(program, done.stdout) or check_run(program, done, folder))
    if problem and options.keep:
        pathlib.Path(options.keep).mkdir(parents=True, exist_ok=True)
        (pathlib.Path(options.keep) / f"loads-{seed}.mlir").write_text(program.text())
    return program.count(), problem and f"{seed}: {problem}"
