#!/usr/bin/python3
# Part of ipu-mlir, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measures the memory and time of a long training over its course.

    benchmark/steady_training.py [--updates N] [--rows N] [--ipu-train FILE]

Trains the network mnist of examples/training in small batches, with validation, a
checkpoint and a picture after every 100 updates. Divides the training into equal parts.
For each part, prints the resident memory at its end and the mean time of an update,
including validation, checkpoints and pictures. Fails if memory grows by more than 5 %
from the first part to the last. Some growth is expected, because the process keeps the
losses of all updates.
"""

import argparse
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
EXAMPLES = ROOT / "examples" / "training"
BATCH, UPDATES_OF_EPOCH = 8, 100


def read_status(pid):
    """Resident KiB, and seconds of CPU time."""
    status = pathlib.Path(f"/proc/{pid}/status").read_text(encoding="utf-8")
    resident = next(line for line in status.splitlines() if line.startswith("VmRSS"))
    # The fields follow the process name, which is in parentheses. Times are in
    # hundredths of a second.
    fields = pathlib.Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    return int(resident.split()[1]), (int(fields[11]) + int(fields[12])) / 100


def measure(arguments, folder):
    """KiB and CPU seconds at the ends of parts, from the end of the first epoch on."""
    samples = ["--train", str(BATCH * UPDATES_OF_EPOCH), "--test", "64"]
    subprocess.run([sys.executable, EXAMPLES / "glyphs.py", folder, *samples], check=True)
    subprocess.run([sys.executable, EXAMPLES / "mnist.py", folder, "--batch", str(BATCH)], check=True)
    epochs = arguments.updates // UPDATES_OF_EPOCH
    command = [arguments.ipu_train, folder / "mnist.mlir", "--data", folder / "train.npz"]
    command += ["--validate", folder / "test.npz", "--loss", "cross_entropy", "--optimizer", "adam,lr=0.0001"]
    command += ["--batch", str(BATCH), "--epochs", str(epochs), "--threads", "1", "--target", "tiles=16"]
    command += ["--checkpoint", folder / "run", "--log", folder / "log.csv", "--plot", folder / "loss.svg"]
    ends = [1, *(epochs * row // arguments.rows for row in range(1, arguments.rows + 1))]
    found = []
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        for epoch, _ in enumerate(process.stdout, 1):
            if epoch in ends:
                found.append((epoch * UPDATES_OF_EPOCH, *read_status(process.pid)))
        if process.wait() != 0:
            sys.exit(f"steady_training: ipu-train ended with status {process.returncode}")
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--updates", type=int, default=10000, metavar="N")
    parser.add_argument("--rows", type=int, default=5, metavar="N")
    parser.add_argument("--ipu-train", default=str(ROOT / "build/bin/ipu-train"), metavar="FILE")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        found = measure(arguments, pathlib.Path(folder))
    print("| updates | resident MiB | CPU ms of an update |")
    print("| ---: | ---: | ---: |")
    for (before, _, start), (updates, kilobytes, end) in zip(found, found[1:]):
        print(f"| {updates} | {kilobytes / 1024:.1f} | {1e3 * (end - start) / (updates - before):.2f} |")
    first, last = found[1][1], found[-1][1]
    sys.exit(last > 1.05 * first)


if __name__ == "__main__":
    main()
