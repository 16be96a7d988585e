"""Compares the profile of N layers with that of one, without the host: `N.json 1.json N`."""

import json
import sys


def get_cycles(path):
    with open(path) as file:
        profile = json.load(file)
    return profile["cycles"] - sum(clock["host"] for clock in profile["clocks"])


layers, one, count = get_cycles(sys.argv[1]), get_cycles(sys.argv[2]), int(sys.argv[3])
print("a call takes at most 12220 cycles more than a layer:", layers - count * one <= 12220 * count)
