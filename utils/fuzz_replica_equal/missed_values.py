# Part of ipu-mlir, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Explains why equal values have no annotation: finds the ops at which the
analysis first assumes a difference."""

import collections
import re

from fuzz_replica_equal.annotations import is_missed, parse_annotations
from fuzz_replica_equal.run import PRINT, Done

DIAGNOSTIC = re.compile(r"^\S*?:(\d+):\d+: (remark|note): (.*)")
OF = re.compile(r"(result|operand) #(\d+) has replica partition ")
PAIR = re.compile(r"replicas (\d+) and (\d+)")


class Causes:
    """Pairs of replicas by cause; of each cause a few values."""

    EXAMPLES = 3

    def __init__(self):
        self.counts, self.examples = collections.Counter(), {}

    def add(self, other):
        self.counts.update(other.counts)
        for cause, own in other.examples.items():
            found = self.examples.setdefault(cause, [])
            found += own[: self.EXAMPLES - len(found)]

    def count(self, cause, number, example):
        self.counts[cause] += number
        self.examples.setdefault(cause, [example])

    def lines(self):
        total = max(sum(self.counts.values()), 1)
        for cause, number in self.counts.most_common():
            yield f"{100 * number / total:5.1f} %  {cause}"
            yield from (f"          {example}" for example in self.examples[cause])


def read_paths(done, lines):
    """{(line, "result" or "operand", number): [(line, replicas that differ)]}"""
    paths, path = {}, None
    for text in done.errors.splitlines():
        if not (found := DIAGNOSTIC.match(text)):
            continue
        line, message = lines[int(found.group(1)) - 1].strip(), found.group(3)
        if found.group(2) == "remark":
            of = OF.search(message)
            path = paths[line, of.group(1), int(of.group(2))] = []
        elif path is not None:
            pair = PAIR.search(message)
            path.append((line, tuple(map(int, pair.groups())) if pair else path[-1][1]))
    return paths


def name_of(line):
    """The name of the op of a line."""
    return re.match(r"(?:%.* = )?([\w.]+)", line).group(1)


def find_cause(program, statements, path):
    """The first op of a path that gives what is equal, and what it gets."""
    last = "the start"
    for line, pair in path:
        statement = statements.get(line)
        keys = [key for key in program.seen if key[0] is statement]
        if keys and all(is_missed(program, key, *pair) for key in keys):
            return f"{name_of(line)} of {last}"
        last = name_of(line)
    return f"what is no op, after {last}"


def find_causes(options, seed, program):
    causes = Causes()
    done = Done(options, [program], f"{PRINT}{{explain}}")
    paths = read_paths(done, program.text().splitlines())
    statements = program.find_statements()
    for key, annotated in parse_annotations(done.lines, program).items():
        line = key[0].lines()[0].strip()
        path = paths.get((line, *key[1:]), [])
        missed = [(r, s) for r, s in program.pairs()
                  if annotated[r] != annotated[s] and is_missed(program, key, r, s)]
        if missed:
            # Only one pair of replicas is explained.
            is_explained = path and tuple(sorted(path[-1][1])) in missed
            cause = find_cause(program, statements, path) if is_explained else "not explained"
            causes.count(cause, len(missed), f"{seed}: {line}")
    return causes
