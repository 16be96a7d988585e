# Part of ipu-mlir, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Applies transforms to programs, and reports errors in the results."""

import functools
import os
import pathlib
import re
import shlex
import subprocess
import tempfile

import numpy as np

from fuzz_graphs.run import REFUSED, Problem
from fuzz_transforms import host_io, ir, seeds
from fuzz_transforms.programs import RUNS
from fuzz_transforms.transforms import DRAWS, REASSOCIATES

GENERIC = "--mlir-print-op-generic"
# The device runs only complete placements, but those of programs are random.
UNPLACE = "pop-remove-vgraphs{tile-sets}"
LOWER = f"{UNPLACE},pop-to-ipu-pipeline{{allow-oom}},"


class Failure(Exception):
    """`kind` is equal for what has probably the same cause."""

    def __init__(self, kind, text):
        super().__init__(text)
        self.problem = Problem(kind, text)


@functools.lru_cache(None)
def get_passes(tool):
    """The names of the passes that a tool has."""
    text = subprocess.run([tool, "--help"], capture_output=True, text=True, check=True).stdout
    return frozenset(re.findall(r"^ *--([\w-]+)", text, re.MULTILINE))


# ===----------------------------------------------------------------------=== #
# Processes
# ===----------------------------------------------------------------------=== #


def run_tool(options, what, command):
    """What a process prints; raises what is wrong."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, errors="replace",
                              timeout=options.timeout, check=False)
    except subprocess.TimeoutExpired:
        raise Failure(f"{what}: time", f"{what}: did not end within {options.timeout:g} s") from None
    if not done.returncode:
        return done.stdout
    lines = [x for x in done.stderr.splitlines() if "error: " in x or "Assertion" in x]
    if done.returncode < 0:
        # Of a stack trace, what is the project's.
        lines += re.findall(r"(\S*/lib/\w+/\S+\.cpp:\d+)", done.stderr)
    text = (lines or done.stderr.splitlines()[:1] or ["no message"])[0].split("error: ")[-1]
    if done.returncode > 0 and REFUSED.search(text):
        raise Failure("refused", text)
    kind = f"{what}: " + re.sub(r"[\d%@#]\S*|'[^']*'", "", text)
    raise Failure(kind, f"{what}: exit status {done.returncode}: {text}")


def opt_command(options, path, passes="", *flags):
    return [options.ipu_opt, str(path), "--mlir-print-op-on-diagnostic=false", *flags,
            *([f"--pass-pipeline=builtin.module({passes})"] if passes else [])]


def get_runs(options):
    """How often programs run: with ipu-run, from what the last run left."""
    return RUNS if options.ipu_run else 1


def run_command(options, path, seed, results, engine="jit"):
    """Also writes what variables hold in the end, with ipu-run."""
    text = pathlib.Path(path).read_text()
    inputs = [f"*=random:{seed}"]
    if f"@{seeds.HOST} " in text:
        inputs.append(f"{seeds.HOST}={pathlib.Path(path).parent / seeds.HOST}.npy")
    if options.ipu_run:
        weights = ["--save-weights", f"{results}/weights.npz"] if "pop.variable @" in text else []
        return [options.ipu_run, str(path), "--runs", str(get_runs(options)), "--allow-oom", "--threads", "1",
                "--engine", engine, "--output-dir", str(results), *weights,
                *(f"--input={value}" for value in inputs)]
    execute = f"ipu-execute{{inputs={','.join(inputs)} results={results} engine={engine} allow-oom}}"
    return opt_command(options, path, LOWER + execute, "-o", os.devnull)


def remove_vgraphs(folder, what, text):
    """The program without placement on IPUs, which ipu-run executes."""
    is_placed = any(word in text for word in ("pop.vgraph", "pop.ipu_copy", "pop.tile_set", "pop.io_tile_copy"))
    return folder.opt(f"{what}: remove virtual graphs", text, UNPLACE) if is_placed else text


class Folder:
    """Where the texts of one program are."""

    def __init__(self, options, program, path):
        self.options, self.program, self.path = options, program, pathlib.Path(path)
        self.count = 0
        if program.has_next_seed:
            np.save(self.path / seeds.HOST, seeds.make_host_seeds(program))

    def write(self, text):
        self.count += 1
        path = self.path / f"{self.count}.mlir"
        path.write_text(text)
        return path

    def opt(self, what, text, passes="", *flags):
        return run_tool(self.options, what, opt_command(self.options, self.write(text), passes, *flags))

    def execute(self, what, text):
        """{name of an output or a variable: its values}"""
        path = self.write(remove_vgraphs(self, what, text))
        results = path.with_suffix(".results")
        results.mkdir()
        run_tool(self.options, what, run_command(self.options, path, self.program.input_seed, results))
        values = {p.stem: np.load(p) for p in results.glob("*.npy")}
        if (weights := results / "weights.npz").exists():
            values.update({f"variable {name}": value for name, value in np.load(weights).items()})
        return values


# ===----------------------------------------------------------------------=== #
# Values
# ===----------------------------------------------------------------------=== #


def differ(actual, expected, bound=None):
    """What is wrong with the values of an output, or None. NaNs are equal."""
    if actual.shape != expected.shape:
        return f"has shape {list(actual.shape)}, not {list(expected.shape)}"
    if actual.dtype.kind != "f":
        wrong = actual != expected
    else:
        wrong = (actual != expected) | (np.signbit(actual) != np.signbit(expected))
        wrong &= ~(np.isnan(actual) & np.isnan(expected))
    if bound is not None:
        wrong &= ~(np.abs(actual.astype(np.float64) - expected) <= bound)
    if not wrong.any():
        return None
    at = tuple(int(i) for i in np.argwhere(wrong)[0])
    return (f"{int(wrong.sum())} of {wrong.size} elements differ, first at {list(at)}: "
            f"{actual[at]!r}, not {expected[at]!r}")


def drop_replicas(program, name, values, expected):
    """Of what became a stream, that of the replica of which a result is."""
    if name in program.result_names and values.ndim == expected.ndim + 1:
        return values[0]
    return values


def compare(program, what, actual, expected, bounds):
    """Raises the first difference. What nothing stores is missing, or zeros."""
    for name in sorted({*actual, *expected}):
        if name.startswith("variable ") and (name not in actual or name not in expected):
            continue
        if name not in actual or name not in expected:
            values = actual.get(name, expected.get(name))
            problem = "is missing" if values.any() else None
        else:
            values = drop_replicas(program, name, actual[name], expected[name])
            problem = differ(values, expected[name], bounds.get(name))
        if problem:
            raise Failure(f"{what}: values", f"{what}: {name}: {problem}")


def compare_with_numpy(program, actual, expected):
    """Signs of zeros aside."""
    expected = {name: values for name, values in expected.items() if name not in seeds.STREAMS}
    positive = {name: values + values.dtype.type(0) if values.dtype.kind == "f" else values
                for name, values in actual.items() if name in expected}
    expected = {name: values + values.dtype.type(0) if values.dtype.kind == "f" else values
                for name, values in expected.items()}
    compare(program, "numpy", positive, expected, program.bounds_of())


# ===----------------------------------------------------------------------=== #
# Transforms
# ===----------------------------------------------------------------------=== #


class Subject:
    """A program that transforms change step by step."""

    def __init__(self, options, folder, program):
        self.options, self.folder, self.program = options, folder, program
        self.passes = get_passes(options.ipu_opt)
        self.verify = "pop-verify-placement" if "pop-verify-placement" in self.passes else ""
        # What passes say that they keep.
        self.contracts = ["--verify-contracts"] if "verify-contracts" in self.passes else []
        self.text = folder.opt("input", program.text(), self.verify)
        self.values = None
        self.last_read = None, None

    def join(self, *passes):
        return ",".join(p for p in passes if p)

    def read(self, what, text):
        """The module, after a check that it is valid and that its generic form prints the
        same. The input of a transform is mostly the output of the one before."""
        last, module = self.last_read
        if last == text:
            return module
        generic = self.folder.opt(f"{what}: verify and print", text, self.verify, GENERIC)
        if self.folder.opt(f"{what}: parse", generic) != text:
            raise Failure(f"{what}: print", f"{what}: changes when printed, parsed and printed")
        module = ir.read_module(generic)
        self.last_read = text, module
        return module

    def transform(self, row, text, passes=""):
        return self.folder.opt(row.name, text, self.join(passes, row.passes), *self.contracts)

    def check_again(self, row, text, seed):
        """The same text once more, of a program whose ops lie elsewhere in memory."""
        shuffle = f"test-shuffle-clone{{seed={seed}}}" if "test-shuffle-clone" in self.passes else ""
        if self.transform(row, self.text, shuffle) != text:
            raise Failure(f"{row.name}: twice", f"{row.name}: does not give the same text twice")

    def check_dead(self, row, before, after):
        """Dead ops may be made of dead ops: there must be none of a program without."""
        if row.leaves_dead or not ir.find_dead(before, after):
            return
        clean, text = self.text, ""
        # One cse leaves what only dead ops used.
        while text != clean:
            clean, text = self.folder.opt("cse", clean, "cse"), clean
        text = self.transform(row, clean)
        read = lambda text: ir.read_module(self.folder.opt("print", text, "", GENERIC))  # noqa: E731
        if problem := ir.find_dead(read(clean), read(text)):
            raise Failure(f"{row.name}: dead", f"{row.name}: {problem}")

    def check_values(self, row, text):
        values = self.folder.execute(f"{row.name}: run", text)
        if row.bits == DRAWS or self.values is None:
            if problem := seeds.find_repeated(values):
                raise Failure(f"{row.name}: seeds", f"{row.name}: {problem}")
            compare(self.program, f"{row.name}: run again", self.folder.execute("run", text), values, {})
            self.compare_with_numpy(values)
        else:
            bounds = self.program.bounds_of() if row.bits == REASSOCIATES else {}
            bounds = {name: 2 * bound for name, bound in bounds.items()}
            compare(self.program, row.name, values, self.values, bounds)
        self.values = values

    def compare_with_numpy(self, values):
        compare_with_numpy(self.program, values, self.expected)

    def start(self, expected):
        self.expected = expected
        if not self.program.has_next_seed:
            self.values = self.folder.execute("input", self.text)
            self.compare_with_numpy(self.values)

    def find_fault(self, row, before, after):
        return ir.find_fault(before, after, row) or host_io.find_fault(before, after)

    def apply(self, row, seed):
        """Whether the row changes the program."""
        try:
            text = self.transform(row, self.text)
        except Failure as failure:
            if row.refusal and re.search(row.refusal, failure.problem.text):
                return False
            raise
        self.check_again(row, text, seed)
        if text == self.text:
            return False
        before, after = self.read("input", self.text), self.read(row.name, text)
        if fault := self.find_fault(row, before, after):
            raise Failure(f"{row.name}: {fault.split(':')[0]}", f"{row.name}: {fault}")
        self.check_dead(row, before, after)
        self.check_values(row, text)
        self.text = text
        return True


def check(options, program, expected, sequence, seed=0):
    """[(row, whether it changed the program)], and the problem or None."""
    changed = []
    if not sequence:
        return changed, None
    with tempfile.TemporaryDirectory() as folder:
        try:
            subject = Subject(options, Folder(options, program, folder), program)
            subject.start(expected)
            for row in sequence:
                changed.append((row, subject.apply(row, seed)))
        except Failure as failure:
            return changed, failure.problem
    return changed, None


def keep(options, folder, name, program, sequence):
    """Keeps a program, and how to transform and run it."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{name}.mlir").write_text(program.text())
    if program.has_next_seed:
        np.save(folder / seeds.HOST, seeds.make_host_seeds(program))
    lines = ["#!/bin/sh -x", 'cd "$(dirname "$0")" || exit 1']
    source, passes = f"{name}.mlir", ",".join(row.passes for row in sequence)
    after = f"after-{name}.mlir"
    steps = [opt_command(options, source, passes, "-o", after)]
    for path in (source, after):
        results = f"results-{path.removesuffix('.mlir')}"
        lines.append(f"mkdir -p {results}")
        steps.append(run_command(options, folder / source, program.input_seed, results))
        steps[-1] = [path if word == str(folder / source) else word for word in steps[-1]]
    lines += map(shlex.join, steps)
    (folder / f"run-{name}").write_text("\n".join(lines) + "\n")
    (folder / f"run-{name}").chmod(0o755)
