# Part of ipu-mlir, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Ops that round stochastically with forced rounding methods. If replicas do not execute
such an op equally often, the compiler must refuse the program."""

import zlib

import numpy as np

from fuzz_graphs import tensors
from fuzz_graphs.replicas import draw_groups
from fuzz_graphs.values import F16

ROUNDED = ["add", "sub", "mul"]


def draw_rounded(block):
    """An op that may be rounded at random."""
    found = [t for t in block.tensors if t.type.element is F16]
    if found:
        x = tensors.pick(block.rng, found)
        tensors.binary(block, block.rng.choice(ROUNDED), x, tensors.pick_tensor(block, x.type))


def draw_method(block):
    """The attribute, and the class of each replica by its least member."""
    program, rng = block.program, block.rng
    count = program.replicas
    # Mostly none that may be refused: under a branch or in a function.
    is_free = block.depth == 0 or program.forces_methods or rng.random() < 0.1
    kind = rng.choice(["identical", "differing", "group"]) if is_free else "differing"
    groups = draw_groups(rng, count).members
    if kind == "group" and not 1 < len(groups) < count:
        kind = "differing"
    if kind != "group":
        classes = np.zeros(count, int) if kind == "identical" else np.arange(count)
        return f"{kind}_seeds of {count}", classes
    classes = np.zeros(count, int)
    for group in groups:
        classes[group] = min(group)
    return "group_seeds " + "".join(f"{{{', '.join(map(str, sorted(g)))}}}" for g in groups), classes


class Generators:
    """The state of generators of each method and replica: how often it was drawn
    from."""

    def __init__(self, replicas):
        self.replicas, self.counts, self.classes = replicas, {}, {}

    def draw(self, method, classes, active, shape):
        """A bit for each element; replicas whose generators are equal get the same."""
        counts = self.counts.setdefault(method, np.zeros(self.replicas, int))
        self.classes[method] = classes
        key = zlib.crc32(method.encode())
        bits = [np.random.default_rng([key, of, count]).integers(0, 2, shape)
                for of, count in zip(classes, counts)]
        counts[active] += 1
        return np.array(bits)

    def have_drifted(self):
        """Whether replicas that are to draw the same do not any more."""
        return any((counts != counts[self.classes[method]]).any() for method, counts in self.counts.items())


def set_method(block, statement):
    """Says which replicas draw the same bits for an op of f16, and rounds so: up or
    down whatever the value is."""
    if statement.op not in ROUNDED or statement.results[0].type.element is not F16:
        return
    program, result = block.program, statement.results[0]
    method, classes = draw_method(block)
    program.has_methods = True
    attribute = f"pop.stochastic_rounding_method = #pop.stochastic_rounding_method<{method}>"
    statement.text = statement.text.replace(" : ", f" {{{attribute}}} : ", 1)
    compute = statement.run

    def run(env):
        compute(env)
        bits = program.generators.draw(method, classes, program.active, result.type.shape)
        env[result] = np.where(bits == 1, np.nextafter(env[result], np.float16(np.inf)), env[result])

    statement.run = run
