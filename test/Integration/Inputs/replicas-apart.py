#!/usr/bin/env python3
"""Replicas that take different ways through a program.

  replicas-apart.py weights FILE.npz N...   writes what each replica decides by.
  replicas-apart.py compare PREFIX   compares the run whose replicas decide by their
      number, PREFIX.apart, with runs PREFIX.N all of whose replicas decide by N.
"""

import json
import sys

import numpy as np

KINDS = ("compute", "exchange", "sync", "host")


def load(prefix, name):
    with open(f"{prefix}.{name}.json") as file:
        return dict(np.load(f"{prefix}.{name}.out.npz")), json.load(file)


def compare_weights(apart, others):
    """Returns the names of what differs on replicas."""
    differing = []
    for name, values in apart.items():
        if all(np.array_equal(values, other[name]) for other in others):
            continue
        differing.append(name)
        for replica, other in enumerate(others):
            assert np.array_equal(values[replica], other[name][replica]), (
                name,
                replica,
            )
    return differing


def compare_profiles(apart, others):
    slowest = max(others, key=lambda profile: profile["cycles"])
    assert apart["cycles"] == slowest["cycles"], apart["cycles"]
    assert apart["totals"] == slowest["totals"]
    assert apart["steps"] == slowest["steps"]
    for replica, other in enumerate(others):
        own, same = apart["clocks"][replica], other["clocks"][replica]
        assert own["replica"] == same["replica"] == replica
        for kind in KINDS:
            assert own[kind] == same[kind], (replica, kind)


def main():
    if sys.argv[1] == "weights":
        np.savez(sys.argv[2], n=np.array(sys.argv[3:], dtype=np.int32))
        return
    prefix = sys.argv[2]
    weights, profile = load(prefix, "apart")
    others = [load(prefix, number) for number in range(4)]
    differing = compare_weights(weights, [other[0] for other in others])
    # The comparison is of what the decisions change.
    assert {"n", "if", "switch", "for", "while", "nested"} <= set(differing)
    assert any(name.startswith("rng.") for name in differing)
    assert "equal" not in differing
    cycles = [other[1]["cycles"] for other in others]
    assert cycles == sorted(set(cycles)), cycles
    compare_profiles(profile, [other[1] for other in others])


if __name__ == "__main__":
    main()
