# Part of ipu-mlir, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs programs with ipu-opt, and compares the stored values."""

import collections
import os
import pathlib
import re
import shlex
import subprocess
import tempfile

import numpy as np

ENGINES = {"jit": "engine=jit", "interp": "engine=interp", "check": "check"}
PASSES = ["", "", "canonicalize,cse,", "inline,canonicalize,", "cse,loop-invariant-code-motion,",
          "canonicalize,sccp,symbol-dce,"]
# What the generator cannot tell: such programs may be refused.
REFUSED = re.compile(r"passes .* modifies the elements|to be equal on all replicas, because they execute .* together")

Config = collections.namedtuple("Config", "passes pipeline engine threads")


def draw_configs(rng, options):
    """As many as asked for, each with another engine as far as there are some."""
    engines = rng.sample(options.engines, len(options.engines))
    configs = []
    for i in range(options.configs):
        words = [f"planner={rng.choice(['program', 'generic'])}",
                 f"merge-steps={rng.choice(['true', 'false'])}",
                 f"cost-level={rng.choice(['fast', 'detailed'])}"]
        pipeline = " ".join(words) if options.pipeline is None else options.pipeline
        passes = rng.choice(PASSES) if options.passes is None else options.passes
        configs.append(Config(passes, pipeline, engines[i % len(engines)], rng.randint(1, 3)))
    return configs


def get_command(options, config, seed, program, results):
    execute = f"inputs=*=random:{seed} results={results} {ENGINES[config.engine]} threads={config.threads}"
    passes = f"builtin.module({config.passes}pop-to-ipu-pipeline{{{config.pipeline}}},ipu-execute{{{execute}}})"
    return [options.ipu_opt, str(program), "-o", os.devnull, "--mlir-print-op-on-diagnostic=false",
            f"--pass-pipeline={passes}"]


def differ(actual, expected):
    """What is wrong with the values of an output, or None."""
    if actual.shape != expected.shape:
        return f"has shape {actual.shape}, not {expected.shape}"
    wrong = actual != expected
    if expected.dtype.kind == "f":
        wrong &= ~(np.isnan(actual) & np.isnan(expected))
    if not wrong.any():
        return None
    at = tuple(int(i) for i in np.argwhere(wrong)[0])
    return (f"{int(wrong.sum())} of {wrong.size} elements differ, first at {list(at)}: "
            f"got {actual[at]!r}, expected {expected[at]!r}")


class Problem:
    """`kind` is equal for what has probably the same cause."""

    def __init__(self, kind, text):
        self.kind, self.text = kind, text


def check(options, program, expected, config):
    """The problem of a run, or None."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "program.mlir"
        path.write_text(program.text())
        results = pathlib.Path(folder) / "results"
        results.mkdir()
        command = get_command(options, config, program.input_seed, path, results)
        try:
            done = subprocess.run(command, capture_output=True, text=True, errors="replace",
                                  timeout=options.timeout, check=False)
        except subprocess.TimeoutExpired:
            return Problem("time", f"did not end within {options.timeout:g} s")
        if done.returncode:
            lines = [x for x in done.stderr.splitlines() if "error: " in x or "Assertion" in x]
            if done.returncode < 0:
                # Of a stack trace, what is the project's.
                lines += re.findall(r"(\S*/lib/\w+/\S+\.cpp:\d+)", done.stderr)
            text = (lines or done.stderr.splitlines()[:1] or ["no message"])[0].replace(folder + "/", "")
            if done.returncode == 1 and REFUSED.search(text):
                return Problem("refused", text)
            kind = re.sub(r"[\d%@#]\S*|'[^']*'", "", text.split("error: ")[-1])
            return Problem(kind, f"exit status {done.returncode}: {text}")
        for name, values in expected.items():
            path = results / f"{name}.npy"
            if not path.exists():
                # No store is left in the program.
                if values.any():
                    return Problem("missing", f"{name}: no result")
            elif problem := differ(np.load(path), values):
                return Problem("values", f"{name}: {problem}")
    return None


def keep(options, folder, name, program, expected, config):
    """Keeps a program, what it has to store, and how to run it."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{name}.mlir").write_text(program.text())
    for output, values in expected.items():
        if f"@{output} " not in program.text():
            continue
        (folder / f"expected-{name}").mkdir(exist_ok=True)
        np.save(folder / f"expected-{name}" / f"{output}.npy", values)
    command = get_command(options, config, program.input_seed, f"{name}.mlir", f"results-{name}")
    lines = ["#!/bin/sh", 'cd "$(dirname "$0")" || exit 1', f"mkdir -p results-{name}", shlex.join(command)]
    (folder / f"run-{name}").write_text("\n".join(lines) + "\n")
    (folder / f"run-{name}").chmod(0o755)
