# Part of ipu-mlir, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks seeds that a transform chooses (`pop.next_seed`): no two seeds are equal, for all
ops, replicas and iterations.

The program stores each seed to the stream @seeds, and the results of random ops to
@draws. These results are numbers of 48 bits, so equal results cannot be a coincidence.
"""

import numpy as np

from fuzz_graphs import tensors, transfers
from fuzz_graphs.program import Statement, Value
from fuzz_graphs.values import F32, Type
from fuzz_replica_equal.statements import SEED

TRANSFERS = 48
HOST = "random_seed"  # the stream of what the host gives
DRAWN = Type((6,), F32)
STREAMS = {"seeds": SEED, "draws": DRAWN}


class OwnType(Type):
    """The type of a stream that nothing else is stored to: it equals no other."""

    def __eq__(self, other):
        return self is other

    __hash__ = None


def add_streams(program):
    for name, type in STREAMS.items():
        program.outputs[name] = OwnType(*type)
        program.add_symbol(name, f"pop.stream @{name} device_to_host : {type}")


def is_unknown(statement):
    """Whether it makes or stores what numpy does not know."""
    return (statement.op == "next_seed" or any(getattr(x, "is_drawn", False) for x in statement.results)
            or any(f"@{name} " in statement.text for name in STREAMS))


def draw_next_seed(block):
    """numpy takes any seed: nothing that is checked depends on it."""
    if block.diverges:
        return
    program, seed = block.program, Value(block.name(), SEED)
    shape = (program.replicas, 2)
    block.add(Statement("next_seed", f"{seed} = pop.next_seed",
                        lambda env: env.__setitem__(seed, np.ones(shape, np.uint32)), [], [seed]))
    transfers.store_to_host(block, seed, "seeds")
    drawn = block.tensor("random_uniform", DRAWN, f"pop.random_uniform {seed} : {SEED} -> {DRAWN}",
                         lambda values: np.ones((len(values), *DRAWN.shape), np.float32), [seed])
    drawn.is_drawn = True
    transfers.store_to_host(block, drawn, "draws")
    block.tensors.remove(drawn)


def make_host_seeds(program):
    """What the host gives: a seed for each transfer, which all replicas share."""
    shape = (program.transfers, 2) if program.transfers > 1 else (2,)
    return np.random.default_rng(program.input_seed).integers(0, 1 << 32, shape, np.uint32)


def find_repeated(results):
    """What is wrong with the seeds and draws of a run, or None."""
    for name, type in STREAMS.items():
        if name not in results:
            continue
        rows = results[name].reshape(-1, *type.shape)
        # Transfers that a run does not make are zeros.
        rows = rows[rows.any(axis=1)]
        if len(np.unique(rows, axis=0)) < len(rows):
            return f"{name}: {len(rows) - len(np.unique(rows, axis=0))} of {len(rows)} are there twice"
    return None


STATEMENTS = {draw_next_seed: 24, tensors.draw_constant: 1}
