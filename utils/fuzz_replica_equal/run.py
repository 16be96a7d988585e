# Part of ipu-mlir, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs ipu-opt on many programs at once."""

import os
import pathlib
import re
import subprocess
import tempfile

from fuzz_graphs.run import PASSES, REFUSED
from fuzz_replica_equal.claims import Figures, Mismatch, compare, parse_claims

PRINT = "pop-print-replica-equal"
CLAIM = re.compile(r"(\S+) \S+ (constant|computed) (\d+) ([\d,]+) ([\d,]+)$")
ERROR = re.compile(r"^\S*?:(\d+):\d+: error: (.*)")


class Problem:
    """`kind` is equal for what has probably the same cause."""

    def __init__(self, kind, text):
        self.kind, self.text = kind, text


class Done:
    """What a process printed, and errors by line."""

    def __init__(self, options, programs, passes):
        self.first_lines, line, texts = [], 1, []
        for program in programs:
            self.first_lines.append(line)
            texts.append(program.text() + "// -----\n")
            line += texts[-1].count("\n")
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "programs.mlir"
            path.write_text("".join(texts)[: -len("// -----\n")])
            command = [options.ipu_opt, str(path), "--split-input-file", "-o", os.devnull,
                       "--mlir-print-op-on-diagnostic=false", "--mlir-disable-threading",
                       f"--pass-pipeline=builtin.module({passes})"]
            try:
                done = subprocess.run(command, capture_output=True, text=True, errors="replace",
                                      timeout=options.timeout * max(len(programs) // 5, 1), check=False)
                self.status, self.lines, self.errors = done.returncode, done.stdout.splitlines(), done.stderr
            except subprocess.TimeoutExpired:
                self.status, self.lines, self.errors = -1, [], "did not end"

    def which(self, line):
        """The number of the program of a line."""
        return max(n for n, first in enumerate(self.first_lines) if first <= int(line))

    def problems(self):
        """{number of a program: first error}; of -1 what has no place."""
        found = {}
        for text in self.errors.splitlines():
            if error := ERROR.match(text):
                found.setdefault(self.which(error.group(1)), error.group(2))
        if self.status and not found:
            lines = [x for x in self.errors.splitlines() if "error: " in x or "Assertion" in x]
            lines += re.findall(r"(\S*/lib/\w+/\S+\.cpp:\d+)", self.errors)
            found[-1] = (lines or self.errors.splitlines()[:1] or ["no message"])[0]
        return found


def draw_config(rng):
    """Passes that lower and run programs."""
    options = [f"planner={rng.choice(['program', 'generic'])}", f"merge-steps={rng.choice(['true', 'false'])}"]
    # Mostly what compiles fast.
    engine = rng.choices(["interp", "jit"], [9, 1])[0]
    return (f"{rng.choice(PASSES)}pop-to-ipu-pipeline{{{' '.join(options)}}},"
            f"test-replica-equal-runs{{runs=3 engine={engine}}}")


def make_problem(text):
    if REFUSED.search(text):
        return Problem("refused", text)
    return Problem(re.sub(r"[\d%@#]\S*|'[^']*'", "", text.split("error: ")[-1])[:60], text)


def split(lines):
    """What is printed of each program; the last function is @main."""
    chunks, is_done = [[]], False
    for line in lines:
        if line.startswith("@"):
            if is_done:
                chunks.append([])
            is_done = line.startswith("@main(")
        chunks[-1].append(line)
    return chunks


def one_by_one(function, options, programs, *rest):
    return [result for program in programs for result in function(options, [program], *rest)]


def analyse(options, programs, fault=None):
    """For each program, figures and a problem or None. `fault` is of
    test-replica-equal-faults."""
    if not programs:
        return []
    done = Done(options, programs, f"test-replica-equal-faults{{fault={fault}}}" if fault else PRINT)
    chunks = split(done.lines)
    if done.status or len(chunks) != len(programs):
        if len(programs) > 1:
            return one_by_one(analyse, options, programs, fault)
        return [(Figures(), make_problem(next(iter(done.problems().values()))))]
    results = []
    for program, lines in zip(programs, chunks):
        try:
            figures, violations = compare(program, parse_claims(lines, program))
        except Mismatch as mismatch:
            figures, violations = Figures(), [str(mismatch)]
        problem = Problem("violation", f"violation: {violations[0]}") if violations else None
        results.append((figures, problem))
    return results


REPLICA_EQUAL = re.compile(r"pop\.replica_equal(?:_modified)? = \[[^\]]*\]")


def list_answers(text):
    """What is said of each op of @main, by its name.

    Ops that only make refs are left out: no function is cloned for what no op reads of them."""
    lines = [line for line in text[text.index("func.func @main(") :].splitlines()
             if not re.search(r" = pop\.(ref_|get_variable)", line)]
    return [(re.sub(r"^\s*(?:%.* = )?(\S+).*", r"\1", line), sorted(REPLICA_EQUAL.findall(line)))
            for line in lines]


def passes_ref_twice(text):
    """Whether a call has two operands that show one ref: the analysis then takes the
    callee to modify any memory, which it does not once the call is inlined."""
    roots = {}
    for line in text.splitlines():
        made, _, rest = line.strip().partition(" = ")
        names = re.findall(r"%\w+", rest or made)
        shown = [roots[name] for name in names if name in roots]
        if "call @" in line and len(shown) != len(set(shown)):
            return True
        if rest and re.search(r"-> !pop\.ref|: !pop\.ref<[^>]*>$| to !pop\.ref", line):
            roots[made] = shown[0] if shown else made
    return False


def clone(options, programs):
    """As analyse(): whether a function of its own for each kind of call is as good as
    inlining all calls."""
    annotate, inline = "pop-annotate-replica-equal{clone-callees}", "inline{default-pipeline=}"
    results = []
    for program in programs:
        if passes_ref_twice(program.text()):
            results.append((Figures(), None))
            continue
        answers = []
        for passes in (f"{annotate},{inline}", f"{inline},{annotate}"):
            done = subprocess.run(
                [options.ipu_opt, "--mlir-disable-threading", f"--pass-pipeline=builtin.module({passes})"],
                input=program.text(), capture_output=True, text=True, timeout=options.timeout, check=False)
            answers.append(list_answers(done.stdout) if not done.returncode else done.stderr)
        differ = [one for one in zip(*answers) if one[0] != one[1]]
        text = f"clones: {differ[0][0]}, inlined: {differ[0][1]}" if differ else "another number of ops"
        is_same = answers[0] == answers[1] and isinstance(answers[0], list)
        results.append((Figures(), None if is_same else Problem("clones", text)))
    return results


def execute(options, programs, config):
    """As analyse(), of what the device checks and reports."""
    if not programs:
        return []
    done = Done(options, programs, config)
    problems = done.problems()
    if -1 in problems:
        if len(programs) > 1:
            return one_by_one(execute, options, programs, config)
        return [(Figures(), make_problem(problems[-1]))]
    figures = [Figures() for _ in programs]
    at = -1
    passed = [n for n in range(len(programs)) if n not in problems]
    for line in done.lines:
        if line.startswith("program of "):
            at += 1
        elif (claim := CLAIM.match(line)) and int(claim.group(3)):
            claimed, observed = (text.split(",") for text in claim.group(4, 5))
            add_claim(figures[passed[at]], claimed, observed, claim.group(2) == "constant")
    return [(own, make_problem(problems[n]) if n in problems else None) for n, own in enumerate(figures)]


def add_claim(figures, claimed, observed, is_constant):
    for s in range(len(claimed)):
        for r in range(s):
            figures.pairs += 1
            if is_constant:
                figures.constant += 1
            elif claimed[r] == claimed[s]:
                figures.claimed += 1
            elif observed[r] == observed[s]:
                figures.missed += 1
