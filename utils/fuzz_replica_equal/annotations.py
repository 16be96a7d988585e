# Part of ipu-mlir, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares the replica-equal annotations of the compiler with observed values."""

import re

from fuzz_replica_equal.observe import number_ops

OP = re.compile(r"  #(\d+) '(?:\w+\.)*(\w+)':(.*)")
PARTITION = re.compile(r"all|none|(?:\{[\d,]+\})+")
MODIFIED = re.compile(r"operand (\d+) (all|none|(?:\{[\d,]+\})+)")


class Mismatch(Exception):
    """The compiler numbers ops otherwise."""


def parse_partition(text, replicas):
    """The class of each replica by its least member."""
    if text in ("all", "none"):
        return [0 if text == "all" else r for r in range(replicas)]
    classes = [None] * replicas
    for group in re.findall(r"\{([\d,]+)\}", text):
        members = [int(r) for r in group.split(",")]
        for r in members:
            classes[r] = min(members)
    return classes


def parse_annotations(lines, program):
    """{(statement, "result" or "operand", number): classes} of what the pass prints."""
    numbered, annotations, function = number_ops(program), {}, None
    for line in lines:
        if line.startswith("@"):
            function = line[1 : line.index("(")]
        elif found := OP.match(line):
            number, name, rest = int(found.group(1)), found.group(2), found.group(3)
            own = numbered.get((function, number))
            if own is None or own[0] != name:
                raise Mismatch(f"@{function} #{number}: {name}, not {own and own[0]}")
            if own[1] is None:
                continue
            results, _, modified = rest.partition(" from ")[0].partition("modifies")
            for i, text in enumerate(PARTITION.findall(results)):
                annotations[own[1], "result", i] = parse_partition(text, program.replicas)
            for operand, text in MODIFIED.findall(modified):
                annotations[own[1], "operand", int(operand)] = parse_partition(text, program.replicas)
    return annotations


class Figures:
    """Numbers of pairs of replicas, over all values."""

    def __init__(self):
        self.pairs = self.constant = self.annotated = self.missed = self.computed = 0

    def add(self, other):
        for name, count in vars(other).items():
            setattr(self, name, getattr(self, name) + count)

    def count(self, is_claimed, is_equal, is_constant, is_missed):
        """Of a value, what is said of two replicas, and what is."""
        self.pairs += 1
        if is_constant:
            self.constant += 1
        elif is_claimed:
            self.annotated += 1
        elif is_missed:
            self.missed += 1
        elif is_equal:
            self.computed += 1

    def share(self, count):
        return f"{100 * count / max(self.pairs, 1):.1f} %"

    def __str__(self):
        return (f"{self.pairs} pairs of replicas: annotated as equal, not constant {self.share(self.annotated)}, "
                f"constant {self.share(self.constant)}; "
                f"equal in all runs, without annotation {self.share(self.missed)}, "
                f"and {self.share(self.computed)} by what ops compute")


def is_missed(program, key, r, s):
    """Whether a value that is no constant was equal on two replicas in all runs,
    whatever ops compute."""
    seen, mixed = program.seen.get(key), program.seen_mixed.get(key)
    if seen is None or seen.is_constant or not seen.is_equal(r, s):
        return False
    return mixed is None or mixed.is_equal(r, s)


def compare(program, annotations):
    """Figures, and texts of violations."""
    figures, violations = Figures(), []
    for key, annotated in annotations.items():
        seen = program.seen.get(key)
        wrong = []
        for r, s in program.pairs() if seen else []:
            if annotated[r] == annotated[s] and not seen.is_equal(r, s):
                wrong.append((r, s))
            if seen.was_made[r] or seen.was_made[s]:
                figures.count(annotated[r] == annotated[s], seen.is_equal(r, s), seen.is_constant,
                              is_missed(program, key, r, s))
        if wrong:
            statement, kind, number = key
            text = statement.lines()[0].strip()
            violations.append(f"{kind} {number} of '{text}': annotated as equal on replicas "
                              f"{wrong[0][0]} and {wrong[0][1]}")
    return figures, violations
