# Part of ipu-mlir, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs ipu-opt on many programs at once."""

import os
import pathlib
import re
import subprocess
import tempfile

from fuzz_graphs.run import PASSES, REFUSED
from fuzz_replica_equal.annotations import Figures, Mismatch, compare, parse_annotations

PRINT = "pop-print-replica-equal"
VERIFY = "pop-stochastic-rounding,pop-verify-stochastic-rounding"
UNEQUAL = re.compile(r"expects a rounding method (?:that is at least as fine as|with) the classes of replicas that execute the op equally often")
ANNOTATION = re.compile(r"\S*?:(\d+):\d+ \S+ (constant|computed) (\d+) ([\d,]+) ([\d,]+)$")
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
    if UNEQUAL.search(text):
        return Problem("method", text)
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


def judge_methods(options, programs):
    """For each program a problem or None; sets whether it is refused for a method of
    rounding."""
    done = Done(options, programs, VERIFY)
    problems, results = done.problems(), []
    if -1 in problems and len(programs) > 1:
        return one_by_one(judge_methods, options, programs)
    for number, program in enumerate(programs):
        problem = make_problem(problems.get(number, problems.get(-1, "")))
        program.is_refused = problem.kind == "method"
        if program.is_refused or not problem.text:
            problem = None
        if program.has_drifted and not program.is_refused:
            problem = Problem("drift", "replicas of one method execute ops not equally often")
        results.append(problem)
    return results


def analyse(options, programs, fault=None):
    """For each program, figures and a problem or None. `fault` is of
    test-replica-equal-faults."""
    if not programs:
        return []
    if not fault:
        rounded = [program for program in programs if program.has_methods]
        drifts = dict(zip(rounded, judge_methods(options, rounded) if rounded else []))
    done = Done(options, programs, f"test-replica-equal-faults{{fault={fault}}}" if fault else PRINT)
    chunks = split(done.lines)
    if done.status or len(chunks) != len(programs):
        if len(programs) > 1:
            return one_by_one(analyse, options, programs, fault)
        return [(Figures(), make_problem(next(iter(done.problems().values()))))]
    results = []
    for program, lines in zip(programs, chunks):
        try:
            figures, violations = compare(program, parse_annotations(lines, program))
        except Mismatch as mismatch:
            figures, violations = Figures(), [str(mismatch)]
        problem = Problem("violation", f"violation: {violations[0]}") if violations else None
        if program.is_refused:
            # These have no annotations.
            figures, problem = Figures(), None
        results.append((figures, problem or (not fault and drifts.get(program)) or None))
    return results


REPLICA_EQUAL = re.compile(r"pop\.replica_equal(?:_operands|_modified)? = \[[^\]]*\]")


def list_answers(text):
    """What is said of each op of @main, by its name.

    Ops that only make refs are left out: no function is cloned for what no op reads of them."""
    lines = [line for line in text[text.index("func.func @main(") :].splitlines()
             if not re.search(r" = pop\.(ref_|get_variable)", line)]
    return [(re.sub(r"^\s*(?:%.* = )?(\S+).*", r"\1", line), sorted(REPLICA_EQUAL.findall(line)))
            for line in lines]


def annotate_after(options, program, passes):
    """What is said after some passes, or what they complain of."""
    done = subprocess.run(
        [options.ipu_opt, "--mlir-disable-threading", f"--pass-pipeline=builtin.module({passes})"],
        input=program.text(), capture_output=True, text=True, timeout=options.timeout, check=False)
    return list_answers(done.stdout) if not done.returncode else done.stderr


def clone(options, programs):
    """As analyse(): whether a function of its own for each kind of call is as good as
    inlining all calls. Of a program that is refused, because its calls do something
    else where refs are the same, less is known before."""
    # Of what ops fold to, more is known when their operands are inlined.
    annotate, inline = "pop-annotate-replica-equal{clone-callees fold=false}", "inline{default-pipeline=}"
    results = []
    for program in programs:
        # What is never called counts as called, and the inliner deletes it.
        first = "pop-verify-graphs,symbol-dce"
        answers = [annotate_after(options, program, f"{first},{annotate},{inline}")]
        problem = None
        if isinstance(answers[0], list) or not REFUSED.search(answers[0]):
            answers.append(annotate_after(options, program, f"{first},{inline},{annotate}"))
            differ = [one for one in zip(*answers) if one[0] != one[1]]
            text = f"clones: {differ[0][0]}, inlined: {differ[0][1]}" if differ else "another number of ops"
            if answers[0] != answers[1] or not isinstance(answers[0], list):
                problem = Problem("clones", text)
        results.append((Figures(), problem))
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
            program = programs[passed[at]]
            lines, statements = program.text().splitlines(), program.find_statements()
        elif (annotation := ANNOTATION.match(line)) and int(annotation.group(3)):
            statement = statements.get(lines[int(annotation.group(1)) - done.first_lines[passed[at]]].strip())
            annotated, observed = (text.split(",") for text in annotation.group(4, 5))
            add_annotation(figures[passed[at]], program, statement, annotation.group(2) == "constant", annotated, observed)
    return [(own, make_problem(problems[n]) if n in problems else None) for n, own in enumerate(figures)]


def add_annotation(figures, program, statement, is_constant, annotated, observed):
    """Counts what the device saw of an op of a statement. Which of several values the
    op writes is not known: it is missed if one of them is."""
    mixed = [seen for key, seen in program.seen_mixed.items() if key[0] is statement]
    for r, s in program.pairs():
        is_equal = observed[r] == observed[s]
        is_missed = is_equal and (not mixed or any(seen.is_equal(r, s) for seen in mixed))
        figures.count(annotated[r] == annotated[s], is_equal, is_constant, is_missed)
