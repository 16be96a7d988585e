#!/usr/bin/python3
# Part of ipu-mlir, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measures how much faster a run is on several threads of the host.

    benchmark/thread_scaling.py [--threads 2] [--repeats 3]

The time of a run is the difference between processes with many runs and with one, so
that start-up is in no figure; the least of the repeats counts. Threads need idle cores:
other load makes the figures worse. IPU_RUN names another program.
"""

import argparse
import pathlib
import subprocess
import tempfile
import time

import native_speed
import replica_economy

# Programs, and how many runs of them take about a second.
PROGRAMS = {
    "matmul 1024 x 1024 x 1024": (lambda: native_speed.make_matmul(1024, 1024, 1024, "f32"), 80),
    "ResNet-50, batch 1": (lambda: native_speed.print_network("resnet.py", 3, 4, 6, 3), 15),
    "step of 8 replicas, 64 rows each": (lambda: replica_economy.make_program(8, 512, 64, 8), 20),
    "step of 8 replicas, 4 rows each": (lambda: replica_economy.make_program(8, 512, 4, 8), 40),
}


def get_seconds(path, runs, threads, directory):
    command = [native_speed.TOOL, path, "--allow-oom", "--input", "*=random:1", "--output-dir", directory,
               "--threads", str(threads), "--runs", str(runs)]
    start = time.perf_counter()
    subprocess.run(list(map(str, command)), check=True)
    return time.perf_counter() - start


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--repeats", type=int, default=3)
    args = parser.parse_args()
    print(f"{'program':34} {'1 thread, ms':>12} {f'{args.threads} threads, ms':>14} {'ratio':>6}")
    with tempfile.TemporaryDirectory() as directory:
        path = pathlib.Path(directory, "program.mlir")
        for name, (make, runs) in PROGRAMS.items():
            path.write_text(make())
            least = {}
            for _ in range(args.repeats):
                for threads in 1, args.threads:
                    for count in 1, 1 + runs:
                        took = get_seconds(path, count, threads, directory)
                        least[threads, count] = min(took, least.get((threads, count), took))
            one, more = (1e3 * (least[threads, 1 + runs] - least[threads, 1]) / runs for threads in (1, args.threads))
            print(f"{name:34} {one:12.2f} {more:14.2f} {one / more:6.2f}", flush=True)


if __name__ == "__main__":
    main()
