"""Runs `mlir-opt ARGUMENTS` with each --pass-pipeline of a table in a page, and
with the flag of ipu-opt that the page names; prints the pipelines. Those of
linalg run on a model of their own."""

import re
import shlex
import subprocess
import sys

page, model, linalg, *command = sys.argv[1:]
with open(page, encoding="utf-8") as file:
    text = file.read()
pipelines = re.findall(r"\| `('builtin\.module\(.*\)')` \|$", text, re.M)
flags = re.findall(r"such as `(--fuse-pipeline=.*?)`", text)
calls = [command + ["--pass-pipeline=" + shlex.split(p)[0]] for p in pipelines]
calls += [["ipu-opt"] + shlex.split(flag) for flag in flags]
for call in calls:
    print("run:", call[-1], flush=True)
    source = linalg if "fuse-pipeline" in call[-1] else model
    subprocess.run(call + [source, "-o", "/dev/null"], check=True)
