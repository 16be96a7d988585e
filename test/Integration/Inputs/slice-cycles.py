"""Fails if the device takes LIMIT times as long in the second profile, or longer,
as in the first; what the host copies does not count."""

import json
import sys


def count_cycles(path):
    with open(path) as file:
        steps = json.load(file)["steps"]
    return sum(max(step["cycles"]) for step in steps if step["kind"] in ("compute", "exchange"))


few, many = map(count_cycles, sys.argv[1:3])
if not 0 < many < float(sys.argv[3]) * few:
    sys.exit(f"{few} cycles for few rows, {many} for many")
