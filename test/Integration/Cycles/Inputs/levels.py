"""Compares the cycles of programs at both levels of estimation.

Runs ipu-run on each program given, and prints those whose compute cycles differ
by more than 15 %; then the greatest difference in thousandths.
"""

import json
import pathlib
import subprocess
import sys

directory, *programs = sys.argv[1:]
greatest = 0
for program in programs:
    cycles = []
    for level in ("fast", "detailed"):
        path = pathlib.Path(directory, level + ".json")
        subprocess.run(
            ["ipu-run", program, "--engine=none", "--cost", level]
            + ["--profile", path],
            check=True,
        )
        with open(path) as file:
            clock = json.load(file)["clocks"][0]
        cycles.append(clock["compute"])
    fast, detailed = cycles
    difference = 1000 * abs(fast - detailed) // max(detailed, 1)
    greatest = max(greatest, difference)
    if difference > 150:
        print(program, "differs:", fast, detailed)
print(len(programs), "programs, greatest difference in thousandths:", greatest)
