"""Runs a command several times at once with one --cache-dir that is empty at first,
kills some of the processes after random times, and compares what others print with a
file. Then nothing in the folder may be wrong."""

import random
import subprocess
import sys

folder, expected, command = sys.argv[1], open(sys.argv[2], "rb").read(), sys.argv[3:]
command += ["--cache-dir", folder]
generator = random.Random(1)
for _ in range(3):
    processes = [
        subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) for _ in range(4)
    ]
    for process in processes[:2]:
        try:
            process.wait(generator.random() / 4)
        except subprocess.TimeoutExpired:
            process.kill()
    for number, process in enumerate(processes):
        output = process.communicate()[0]
        if number >= 2:
            assert process.returncode == 0 and output == expected
assert subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout == expected
remarks = subprocess.run(command + ["--remarks", "ipu-jit"], stderr=subprocess.PIPE, check=True).stderr
assert b"compiled=0" in remarks, remarks
