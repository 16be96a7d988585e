"""Checks relations between the estimated cycles of programs.

FILE is MLIR whose parts are separated by `// -----`. Each part has a comment
`// program: NAME`. Each comment `// expect: EXPRESSION` is a relation between names, which stand
for the cycles of their programs without host copies. Prints the cycles, and fails if a relation
does not hold or if the compiler warns that a program does not fit.
"""

import re
import subprocess
import sys

COST = re.compile(r"cost <cycles = \[([\d, ]+)\]")


def get_cycles(part):
    lines = [line for line in part.splitlines() if "ipu.host_" not in line]
    costs = filter(None, map(COST.search, lines))
    return sum(max(map(int, cost.group(1).split(","))) for cost in costs)


def main():
    tool, path = sys.argv[1:]
    with open(path, encoding="utf-8") as file:
        text = file.read()
    run = subprocess.run(
        [tool, path, "--split-input-file", "--mlir-print-local-scope", "--pop-to-ipu-pipeline=allow-oom"],
        capture_output=True,
        text=True,
    )
    if run.returncode or "does not fit" in run.stderr:
        sys.exit(f"compare-costs: {tool} failed\n{run.stderr}")
    names = re.findall(r"^// program: (\w+)$", text, re.MULTILINE)
    cycles = dict(zip(names, map(get_cycles, run.stdout.split("// -----")), strict=True))
    for name, value in cycles.items():
        print(name, value)
    wrong = [
        relation
        for relation in re.findall(r"^// expect: (.*)$", text, re.MULTILINE)
        if not eval(relation, {"__builtins__": {}}, cycles)
    ]
    if wrong:
        sys.exit("compare-costs: not true: " + "; ".join(wrong))


if __name__ == "__main__":
    main()
