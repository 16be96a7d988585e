# Part of ipu-mlir, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the compiler claims to be equal on replicas, against what was seen."""

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


def parse_claims(lines, program):
    """{(statement, "result" or "operand", number): classes} of what the pass prints."""
    numbered, claims, function = number_ops(program), {}, None
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
                claims[own[1], "result", i] = parse_partition(text, program.replicas)
            for operand, text in MODIFIED.findall(modified):
                claims[own[1], "operand", int(operand)] = parse_partition(text, program.replicas)
    return claims


class Figures:
    """Numbers of pairs of replicas, over all values."""

    def __init__(self):
        self.pairs = self.constant = self.claimed = self.missed = 0

    def add(self, other):
        for name, count in vars(other).items():
            setattr(self, name, getattr(self, name) + count)

    def share(self, count):
        return f"{100 * count / max(self.pairs, 1):.1f} %"

    def __str__(self):
        return (f"{self.pairs} pairs of replicas: claimed equal, not constant {self.share(self.claimed)}, "
                f"constant {self.share(self.constant)}; "
                f"equal in all runs, not claimed {self.share(self.missed)}")


def compare(program, claims):
    """Figures, and texts of violations."""
    figures, violations = Figures(), []
    pairs = [(r, s) for s in range(program.replicas) for r in range(s)]
    for key, claimed in claims.items():
        seen = program.seen.get(key)
        if seen is None:
            continue
        figures.pairs += len(pairs)
        wrong = []
        for r, s in pairs:
            is_equal, is_claimed = seen.classes[r] == seen.classes[s], claimed[r] == claimed[s]
            if is_claimed and not is_equal:
                wrong.append((r, s))
            elif seen.is_constant:
                figures.constant += 1
            elif is_claimed:
                figures.claimed += 1
            elif is_equal:
                figures.missed += 1
        if wrong:
            statement, kind, number = key
            text = statement.lines()[0].strip()
            violations.append(f"{kind} {number} of '{text}': claimed equal on replicas "
                              f"{wrong[0][0]} and {wrong[0][1]}")
    return figures, violations
