"""Runs the commands of a page's section about examples, and has FileCheck compare
what they print with what the examples' own RUN lines expect for these inputs.
Every example that the page names has a command."""

import pathlib
import re
import shlex
import subprocess
import sys

page, root = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
FOLDER = "test/Integration/PopXL"


def get_prefix(text, inputs):
    """The prefix of checks of a RUN line with these inputs; none if there is none,
    as where the program itself expects values."""
    for line in re.findall(r"// RUN: ipu-opt %s .*ipu-execute\{.*", text):
        found = re.search(r"inputs=(\S+?)[ }]", line)
        if inputs == (set(found.group(1).split(",")) if found else set()):
            check = re.search(r"FileCheck %s( --check-prefix=(\S+))?", line)
            return check and (check.group(2) or "CHECK")
    return None


def run(command):
    """Runs a command and checks its output; returns the example's name."""
    program, file, *options = shlex.split(command)
    assert program == "build/bin/ipu-run", command
    output = subprocess.run(
        ["ipu-run", root / file, *options], check=True, stdout=subprocess.PIPE
    ).stdout
    inputs = {value for value in options if value != "--input"}
    prefix = get_prefix((root / file).read_text(), inputs)
    if prefix:
        check = ["FileCheck", root / file, f"--check-prefix={prefix}"]
        subprocess.run(check, input=output, check=True)
    print("checked" if prefix else "ran", pathlib.Path(file).name, flush=True)
    return pathlib.Path(file).name


text = page.read_text()
done = {run(line) for line in re.findall(r"^build/bin/ipu-run .*", text, re.M)}
names = set(re.findall(r"`([a-z0-9-]+\.mlir)`", text))
missing = {
    name
    for name in names - done - {"invalid-programs.mlir"}
    if (root / FOLDER / name).exists()
}
if missing:
    sys.exit(f"{page}: no command for {', '.join(sorted(missing))}")
