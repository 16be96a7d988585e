#!/usr/bin/python3
# Part of ipu-mlir, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares the time of a run on the simulated device with libraries of the host.

    benchmark/native_speed.py [--rows matmul-512,add] [--seconds 0.5] [--repeats 3]

Runs `ipu-run --threads 1` with random inputs on a pseudo-terminal. ipu-run prints a line
when a run begins, and the script then reads the CPU time of the process. Figures do not
include start-up and the first runs. The clock has a low resolution, so a figure is the
mean of several runs, which together take the given time. Yardsticks alternate with these
runs, on one thread. For matmuls, the yardstick is numpy's matmul on OpenBLAS, which numpy
has to use (Debian: libopenblas0-pthread, or LD_LIBRARY_PATH with its folder). For the
addition, it is numpy's loop over memory. For rows that are bound by memory, it is the time
to move the bytes of arguments and results at the speed of a copy of 64 MiB. The least of
all measurements counts. IPU_RUN and IPU_OPT name other programs; --options are options of
ipu-run.

Convolutions of ResNet-50 (conv-*), their gradients (dinput-*, dweights-*) and networks
(resnet50-*, encoder-6) are compared with libtorch (Debian: python3-torch), in its faster
layout; without libtorch, these rows are omitted. Each group of rows ends with a line that
summarizes the ratios.
"""

import argparse
import functools
import os
import pathlib
import pty
import re
import shlex
import subprocess
import sys
import tempfile
import time

for library in "OPENBLAS", "OMP":
    os.environ[library + "_NUM_THREADS"] = "1"
import numpy as np

ROOT = pathlib.Path(__file__).resolve().parent.parent
TOOL = os.environ.get("IPU_RUN", ROOT / "build/bin/ipu-run")
OPT = os.environ.get("IPU_OPT", ROOT / "build/bin/ipu-opt")
COPIED = 64 << 20
# The number of runs at the start in which the process still allocates more
# memory.
WARM_UP = 3


def tensor(*shape, element="f32"):
    return f"tensor<{'x'.join([*map(str, shape), element])}>"


def function(arguments, result, lines):
    names = ", ".join(f"%{name}: {type}" for name, type in arguments)
    return "\n".join([f"func.func @main({names}) -> {result} {{", *lines, f"return %r : {result}", "}", ""])


def make_matmul(m, k, n, element):
    lhs, rhs, result = (tensor(*shape, element=element) for shape in ((m, k), (k, n), (m, n)))
    return function([("a", lhs), ("b", rhs)], result,
                    [f"%r = pop.matmul %a, %b : ({lhs}, {rhs}) -> {result}"])


def make_add(size):
    type = tensor(size)
    return function([("a", type), ("b", type)], type, [f"%r = pop.add %a, %b : {type}"])


def make_softmax(rows, columns):
    type = tensor(rows, columns)
    return function([("a", type)], type, [f"%r = pop.softmax %a {{axis = 1 : i64}} : {type}"])


def make_layer_norm(rows, columns):
    type, row, ends = tensor(rows, columns), tensor(columns), tensor(rows, 1)
    mean = "{axes = array<i64: 1>, keep_dims}"
    return function([("a", type), ("g", row), ("b", row)], type, [
        f"%m = pop.reduce mean %a {mean} : {type} -> {ends}",
        f"%c = pop.sub %a, %m : ({type}, {ends}) -> {type}",
        f"%s = pop.mul %c, %c : {type}",
        f"%v = pop.reduce mean %s {mean} : {type} -> {ends}",
        f"%e = pop.constant dense<1.0e-5> : {tensor()}",
        f"%w = pop.add %v, %e : ({ends}, {tensor()}) -> {ends}",
        f"%i = pop.rsqrt %w : {ends}",
        f"%n = pop.mul %c, %i : ({type}, {ends}) -> {type}",
        f"%x = pop.mul %n, %g : ({type}, {row}) -> {type}",
        f"%r = pop.add %x, %b : ({type}, {row}) -> {type}"])


def make_transpose(rows, columns):
    type, result = tensor(rows, columns), tensor(columns, rows)
    # The negation writes the transposed tensor. Without it, the transposition
    # would be a view, which moves no data.
    return function([("a", type)], result, [
        f"%t = pop.transpose %a {{permutation = array<i64: 1, 0>}} : {type} -> {result}",
        f"%r = pop.neg %t : {result}"])


def make_gather(rows, columns):
    """As many rows as there are, in blocks of 256 at 16 places at random."""
    type, indices, scalar = tensor(rows, columns), tensor(rows, element="ui32"), tensor(element="ui32")
    places = ", ".join(str(place % 256) for place in range(rows))
    return function([("a", type), ("i", indices)], type, [
        f"%s = pop.constant dense<{rows // 16}> : {scalar}",
        f"%p = pop.constant dense<[{places}]> : {indices}",
        f"%m = pop.mul %i, %s : ({indices}, {scalar}) -> {indices}",
        f"%j = pop.add %m, %p : {indices}",
        f"%r = pop.gather %a, %j : ({type}, {indices}) -> {type}"])


def make_cast(size, source, target):
    source, target = tensor(size, element=source), tensor(size, element=target)
    return function([("a", source)], target, [f"%r = pop.cast %a : {source} to {target}"])


def make_sum(rows, columns, axis):
    type, result = tensor(rows, columns), tensor(columns if axis == 0 else rows)
    return function([("a", type)], result,
                    [f"%r = pop.reduce sum %a {{axes = array<i64: {axis}>}} : {type} -> {result}"])


class Arrays:
    """Operands of a yardstick, made when it is measured first."""

    def __init__(self, run, *shapes):
        self.run, self.shapes, self.arrays = run, shapes, None

    def __call__(self):
        if self.arrays is None:
            random = np.random.default_rng(1)
            self.arrays = [shape if isinstance(shape, np.ndarray) else random.random(shape, np.float32)
                           for shape in self.shapes]
        start = time.process_time()
        self.run(*self.arrays)
        return time.process_time() - start


def matmul(m, k, n, element="f32"):
    return (make_matmul(m, k, n, element), "OpenBLAS",
            Arrays(lambda a, b, c: np.matmul(a, b, out=c), (m, k), (k, n), (m, n)), 1)


# The size of the image, the number of channels, the number of filters, the size of the kernel and the stride of each
# convolution of ResNet-50.
CONVOLUTIONS = [
    (224, 3, 64, 7, 2), (56, 64, 64, 1, 1), (56, 64, 64, 3, 1), (56, 64, 256, 1, 1), (56, 256, 64, 1, 1),
    (56, 256, 128, 1, 1), (56, 128, 128, 3, 2), (28, 128, 512, 1, 1), (56, 256, 512, 1, 2), (28, 512, 128, 1, 1),
    (28, 128, 128, 3, 1), (28, 512, 256, 1, 1), (28, 256, 256, 3, 2), (14, 256, 1024, 1, 1), (28, 512, 1024, 1, 2),
    (14, 1024, 256, 1, 1), (14, 256, 256, 3, 1), (14, 1024, 512, 1, 1), (14, 512, 512, 3, 2), (7, 512, 2048, 1, 1),
    (14, 1024, 2048, 1, 2), (7, 2048, 512, 1, 1), (7, 512, 512, 3, 1)]


class Convolution:
    """A convolution and its gradients, as pop-autodiff makes them."""

    def __init__(self, batch, size, channels, filters, kernel, stride):
        self.stride, self.pad = stride, kernel // 2
        out = (size + 2 * self.pad - kernel) // stride + 1
        self.input = batch, channels, size, size
        self.weights = filters, channels, kernel, kernel
        self.output = batch, filters, out, out

    def forward(self):
        pads = ", ".join([str(self.pad)] * 4)
        attributes = f"strides = array<i64: {self.stride}, {self.stride}>, pads = array<i64: {pads}>"
        x, w, y = map(lambda shape: tensor(*shape), (self.input, self.weights, self.output))
        return function([("x", x), ("w", w)], y, [f"%r = pop.conv %x, %w {{{attributes}}} : ({x}, {w}) -> {y}"])

    def gradient(self, argument):
        """The function that gives the gradient of one of both arguments."""
        private = self.forward().replace("@main", "private @f")
        passes = f"builtin.module(pop-autodiff{{func=f required={argument}}})"
        command = [str(OPT), "--pass-pipeline", passes]
        text = subprocess.run(command, input=private, check=True, stdout=subprocess.PIPE, text=True).stdout
        return text.replace("private @f_backward", "@main")

    def yardstick(self, kind):
        def prepare(torch, layout):
            x, w, dy = (torch.rand(*shape).to(memory_format=layout)
                        for shape in (self.input, self.weights, self.output))
            if kind == "conv":
                return lambda: torch.conv2d(x, w, stride=self.stride, padding=self.pad)
            mask = [kind == "dinput", kind == "dweights", False]
            pair = [self.stride] * 2, [self.pad] * 2
            return lambda: torch.ops.aten.convolution_backward(dy, x, w, None, *pair, [1, 1], False, [0, 0], 1, mask)
        return Torch(prepare)


class Torch:
    """A function of libtorch in the faster one of its layouts."""

    module = None

    def __init__(self, prepare):
        self.prepare, self.calls = prepare, None

    @classmethod
    def load(cls):
        try:
            import torch
        except ImportError:
            return False
        torch.set_num_threads(1)
        torch.manual_seed(1)
        torch.set_grad_enabled(False)
        cls.module = torch
        return True

    def __call__(self, clock=time.process_time):
        layouts = self.module.contiguous_format, self.module.channels_last
        if self.calls is None:
            self.calls = [self.prepare(self.module, layout) for layout in layouts]
        times = []
        for call in self.calls:
            start = clock()
            call()
            times.append(clock() - start)
        return min(times)


def convolution(batch, kind, sizes):
    conv = Convolution(batch, *sizes)
    program = conv.forward() if kind == "conv" else conv.gradient({"dinput": 0, "dweights": 1}[kind])
    return program, "libtorch", conv.yardstick(kind), 1


def print_network(script, *arguments):
    """What a script that the tests of the planner have prints."""
    command = [sys.executable, ROOT / "test/Integration/Planner/Inputs" / script, *map(str, arguments)]
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout


def resnet50(batch):
    program = print_network("resnet.py", 3, 4, 6, 3, "--batch", batch, "--weights-arguments")

    def prepare(torch, layout):
        nn = torch.nn

        def conv(channels, filters, kernel, stride=1):
            return [nn.Conv2d(channels, filters, kernel, stride, kernel // 2, bias=False), nn.BatchNorm2d(filters)]

        class Block(nn.Module):
            def __init__(self, channels, width, stride):
                super().__init__()
                self.main = nn.Sequential(*conv(channels, width, 1), nn.ReLU(True), *conv(width, width, 3, stride),
                                          nn.ReLU(True), *conv(width, 4 * width, 1))
                self.shortcut = nn.Sequential(*(conv(channels, 4 * width, 1, stride) if channels != 4 * width else []))

            def forward(self, x):
                return torch.relu_(self.main(x) + self.shortcut(x))

        layers, channels = [*conv(3, 64, 7, 2), nn.ReLU(True), nn.MaxPool2d(3, 2, 1)], 64
        for stage, count in enumerate((3, 4, 6, 3)):
            for i in range(count):
                layers.append(Block(channels, 64 << stage, 2 if stage and not i else 1))
                channels = 256 << stage
        layers += [nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(channels, 1000)]
        model = nn.Sequential(*layers).eval().to(memory_format=layout)
        x = torch.rand(batch, 3, 224, 224).to(memory_format=layout)
        return lambda: model(x)
    return program, "libtorch", Torch(prepare), 1


def encoder(layers, sequence=128, width=512, heads=8, hidden=2048):
    def prepare(torch, layout):
        layer = torch.nn.TransformerEncoderLayer(width, heads, hidden, dropout=0, batch_first=True)
        model = torch.nn.TransformerEncoder(layer, layers).eval()
        x = torch.rand(1, sequence, width)
        return lambda: model(x)
    program = print_network("encoder.py", layers, sequence, width, "--weights-arguments")
    return program, "libtorch", Torch(prepare), 1


def copy_bound(program, elements):
    """`elements` are read or written."""
    copy = Arrays(lambda a, b: np.copyto(b, a), COPIED // 4, COPIED // 4)
    return program, "copy bound", copy, 4 * elements / (2 * COPIED)


def gather(rows, columns):
    indices = np.random.default_rng(1).integers(rows, size=rows)
    return (make_gather(rows, columns), "numpy",
            Arrays(lambda a, c: np.take(a, indices, axis=0, out=c, mode="clip"),
                   (rows, columns), (rows, columns)), 1)


ROWS = {
    "matmul-512": lambda: matmul(512, 512, 512),
    "matmul-1024": lambda: matmul(1024, 1024, 1024),
    "matmul-512x768x3072": lambda: matmul(512, 768, 3072),
    # Libraries have no matrix products in f16; they are measured in f32.
    "matmul-f16-512": lambda: matmul(512, 512, 512, "f16"),
    "matmul-f16-1024": lambda: matmul(1024, 1024, 1024, "f16"),
    "add-16Mi": lambda: (make_add(1 << 24), "plain loop", Arrays(
        lambda a, b, c: np.add(a, b, out=c), 1 << 24, 1 << 24, 1 << 24), 1),
    "softmax-4096x1024": lambda: copy_bound(make_softmax(4096, 1024), 2 * 4096 * 1024),
    "layer-norm-4096x1024": lambda: copy_bound(make_layer_norm(4096, 1024), 2 * 4096 * 1024),
    "transpose-4096x4096": lambda: (make_transpose(4096, 4096), "numpy", Arrays(
        lambda a, c: np.negative(a.T, out=c), (4096, 4096), (4096, 4096)), 1),
    "gather-4096x1024": lambda: gather(4096, 1024),
    "cast-f32-f16-16Mi": lambda: (make_cast(1 << 24, "f32", "f16"), "numpy", Arrays(
        lambda a, c: np.copyto(c, a, casting="same_kind"), 1 << 24, np.ones(1 << 24, np.float16)), 1),
    "cast-f16-f32-16Mi": lambda: (make_cast(1 << 24, "f16", "f32"), "numpy", Arrays(
        lambda a, c: np.copyto(c, a), np.ones(1 << 24, np.float16), 1 << 24), 1),
    "sum-of-rows-4096x4096": lambda: (make_sum(4096, 4096, 1), "numpy", Arrays(
        lambda a, c: np.sum(a, axis=1, out=c), (4096, 4096), 4096), 1),
    "sum-of-columns-4096x4096": lambda: (make_sum(4096, 4096, 0), "numpy", Arrays(
        lambda a, c: np.sum(a, axis=0, out=c), (4096, 4096), 4096), 1),
    "resnet50-batch1": lambda: resnet50(1),
    "resnet50-batch16": lambda: resnet50(16),
    "encoder-6": lambda: encoder(6),
}
for _batch, _kind in (1, "conv"), (16, "conv"), (16, "dinput"), (16, "dweights"):
    for _sizes in CONVOLUTIONS:
        _size, _channels, _filters, _kernel, _stride = _sizes
        _name = f"{_kind}-b{_batch}-{_kernel}x{_kernel}{'/2' if _stride > 1 else ''}-{_channels}-{_filters}@{_size}"
        ROWS[_name] = functools.partial(convolution, _batch, _kind, _sizes)
GROUPS = "conv-b1-", "conv-b16-", "dinput-b16-", "dweights-b16-"


def needs_torch(row):
    return row.startswith((*GROUPS, "resnet50", "encoder"))


def cpu_time(pid):
    """Seconds of a process, by the clock that Linux has for it."""
    return time.clock_gettime((~pid << 3) | 2)


def run_time(program, runs, directory, options):
    """Mean CPU seconds of a run, without the first ones and the last, which has no end."""
    own, terminal = pty.openpty()
    command = [str(TOOL), str(program), "--threads", "1", "--runs", str(runs + WARM_UP + 1), "--allow-oom",
               "--input", "*=random:1", "--output-dir", str(directory), *options]
    with subprocess.Popen(command, stderr=terminal) as child:
        os.close(terminal)
        marks, text = [], ""
        while True:
            try:
                data = os.read(own, 1 << 16)
            except OSError:
                break
            if not data:
                break
            text += data.decode(errors="replace")
            begun = len(set(re.findall(r"run (\d+) of", text)))
            if begun > WARM_UP and (not marks or begun > marks[-1][0]):
                marks.append((begun, cpu_time(child.pid)))
    os.close(own)
    if child.returncode:
        raise SystemExit(text + f"{program}: exit status {child.returncode}")
    (first, start), (last, end) = marks[0], marks[-1]
    # Short runs may all end before the first one is reported.
    if first == last:
        return run_time(program, 4 * runs, directory, options)
    return (end - start) / (last - first)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", default="all",
                        help="of " + ", ".join([row for row in ROWS if not row.startswith(GROUPS)] + list(GROUPS)) +
                        "; a part of a name means all that have it")
    parser.add_argument("--seconds", type=float, default=0.5, help="least time of all runs of a process")
    parser.add_argument("--repeats", type=int, default=3, help="processes of the row and of its yardstick, which take turns")
    parser.add_argument("--options", default="", help="more options of ipu-run")
    args = parser.parse_args()
    rows = [row for row in ROWS if args.rows == "all" or any(part in row for part in args.rows.split(","))]
    if not rows:
        parser.error(f"no row is called {args.rows}")
    if any(map(needs_torch, rows)) and not Torch.load():
        print("without libtorch (python3-torch), rows that need it are left out", file=sys.stderr)
        rows = [row for row in rows if not needs_torch(row)]
    np.matmul(np.ones((2, 2), np.float32), np.ones((2, 2), np.float32))
    libraries = pathlib.Path("/proc/self/maps").read_text()
    if "openblas" not in libraries and any(row.startswith(("matmul", "resnet50", "encoder")) for row in rows):
        raise SystemExit("numpy and libtorch do not use OpenBLAS here: install libopenblas0-pthread, or name its folder "
                         "in LD_LIBRARY_PATH")
    ratios = {}
    print(f"| {'row':34} | {'run, ms':>8} | {'yardstick':10} | {'ms':>8} | {'ratio':>6} |")
    print(f"| {'-' * 34} | {'-' * 7}: | {'-' * 10} | {'-' * 7}: | {'-' * 5}: |")
    with tempfile.TemporaryDirectory() as directory:
        path = pathlib.Path(directory, "program.mlir")
        for row in rows:
            program, name, yardstick, factor = ROWS[row]()
            path.write_text(program)
            options = shlex.split(args.options)
            took, bound = float("inf"), float("inf")
            runs = int(args.seconds / max(run_time(path, 5 if needs_torch(row) else 20, directory, options), 1e-3)) + 1
            for _ in range(args.repeats):
                # The first calls load libraries and memory pages, so that they
                # are not measured.
                start, count = time.perf_counter(), 0
                while time.perf_counter() < start + args.seconds or count < 3:
                    bound, count = min(bound, factor * yardstick()), count + 1
                took = min(took, run_time(path, max(runs, 3), directory, options))
            ratios[row] = took / bound
            print(f"| {row:34} | {took * 1e3:8.2f} | {name:10} | {bound * 1e3:8.2f} | {took / bound:6.2f} |",
                  flush=True)
    for group in GROUPS:
        values = sorted(value for row, value in ratios.items() if row.startswith(group))
        if values:
            mean = np.exp(np.mean(np.log(values)))
            print(f"{group}*: best {values[0]:.2f}, geometric mean {mean:.2f}, worst {values[-1]:.2f}")


if __name__ == "__main__":
    sys.exit(main())
