#!/usr/bin/python3
# Part of ipu-mlir, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measures how much faster a run is on several threads of the host.

    benchmark/thread_scaling.py [--threads 2] [--repeats 3]

The time of a run is the difference between a process with many runs and a process with
one run, so figures do not include start-up. The least of the repeats counts. Threads need
idle cores: other load makes the figures worse. IPU_RUN names another ipu-run. If libtorch
(Debian: python3-torch) is installed, its ratio for the same network is also measured;
measurements of both programs alternate.
"""

import argparse
import pathlib
import subprocess
import tempfile
import time

import native_programs
import replica_economy


def network(row):
    program, _, yardstick, _ = row
    return program, yardstick


def convolution(*sizes):
    return network(native_programs.convolution(1, "conv", sizes))


# Programs, the equivalent libtorch function if there is one, and the number of runs that take
# about four seconds, so that the noise of the start-up, which is subtracted, has little effect.
PROGRAMS = {
    "matmul 1024 x 1024 x 1024": (lambda: (native_programs.make_matmul(1024, 1024, 1024, "f32"), None), 320),
    "ResNet-50, batch 1": (lambda: network(native_programs.resnet50(1)), 60),
    "its convolution 7 x 7/2, 3 to 64": (lambda: convolution(224, 3, 64, 7, 2), 800),
    "its convolution 3 x 3, 64 to 64": (lambda: convolution(56, 64, 64, 3, 1), 800),
    "its convolution 1 x 1, 256 to 64": (lambda: convolution(56, 256, 64, 1, 1), 2000),
    "encoder of 6 layers": (lambda: network(native_programs.encoder(6)), 120),
    "step of 8 replicas, 64 rows each": (lambda: (replica_economy.make_program(8, 512, 64, 8), None), 80),
    "step of 8 replicas, 4 rows each": (lambda: (replica_economy.make_program(8, 512, 4, 8), None), 160),
}


def get_seconds(path, runs, threads, directory):
    command = [native_programs.TOOL, path, "--allow-oom", "--input", "*=random:1", "--output-dir", directory,
               "--threads", str(threads), "--runs", str(runs)]
    start = time.perf_counter()
    subprocess.run(list(map(str, command)), check=True)
    return time.perf_counter() - start


def get_torch_seconds(yardstick, runs, threads):
    native_programs.Torch.module.set_num_threads(threads)
    return min(yardstick(time.perf_counter) for _ in range(runs))


def print_table(names, threads, repeats):
    has_torch = native_programs.Torch.load()
    print(f"{'program':34} {'1 thread, ms':>12} {f'{threads} threads, ms':>14} {'ratio':>6} {'libtorch':>8}")
    with tempfile.TemporaryDirectory() as directory:
        path = pathlib.Path(directory, "program.mlir")
        for name in names:
            make, runs = PROGRAMS[name]
            program, yardstick = make()
            path.write_text(program)
            least, torch = {}, {}
            for _ in range(repeats):
                for number in 1, threads:
                    for count in 1, 1 + runs:
                        took = get_seconds(path, count, number, directory)
                        least[number, count] = min(took, least.get((number, count), took))
                    if has_torch and yardstick:
                        took = get_torch_seconds(yardstick, runs, number)
                        torch[number] = min(took, torch.get(number, took))
            one, more = (1e3 * (least[number, 1 + runs] - least[number, 1]) / runs for number in (1, threads))
            theirs = f"{torch[1] / torch[threads]:8.2f}" if torch else ""
            print(f"{name:34} {one:12.2f} {more:14.2f} {one / more:6.2f} {theirs}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--repeats", type=int, default=3)
    args = parser.parse_args()
    print_table(PROGRAMS, args.threads, args.repeats)


if __name__ == "__main__":
    main()
