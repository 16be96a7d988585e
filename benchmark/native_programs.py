# Part of ipu-mlir, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The programs that native_speed.py measures, and their yardsticks.

Each entry of ROWS is a function that returns the text of a program, the name of its
yardstick, a function that returns the seconds of the yardstick, and the factor by which
these seconds are multiplied. IPU_RUN and IPU_OPT name other programs than those of the
build folder.
"""

import functools
import os
import pathlib
import subprocess
import sys
import time

for library in "OPENBLAS", "OMP":
    os.environ[library + "_NUM_THREADS"] = "1"
import numpy as np

ROOT = pathlib.Path(__file__).resolve().parent.parent
TOOL = os.environ.get("IPU_RUN", ROOT / "build/bin/ipu-run")
OPT = os.environ.get("IPU_OPT", ROOT / "build/bin/ipu-opt")
COPIED = 64 << 20


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


def make_sqrt(size):
    type = tensor(size)
    return function([("a", type)], type, [f"%r = pop.sqrt %a : {type}"])


def make_scatter(rows, columns, updates):
    type, indices, values = tensor(rows, columns), tensor(updates, element="ui32"), tensor(updates, columns)
    return function([("a", type), ("i", indices), ("u", values)], type,
                    [f"%r = pop.scatter add %a, %i, %u : {type}, {indices}, {values}"])


def make_reduce(kind, rows, columns, axis):
    type, result = tensor(rows, columns), tensor(columns if axis == 0 else rows)
    return function([("a", type)], result,
                    [f"%r = pop.reduce {kind} %a {{axes = array<i64: {axis}>}} : {type} -> {result}"])


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


def scatter(rows, columns, updates):
    def prepare(torch, layout):
        # Random indices of ipu-run are small, too.
        a, i, u = torch.rand(rows, columns), torch.randint(16, (updates,)), torch.rand(updates, columns)
        return lambda: a.index_add(0, i, u)
    return make_scatter(rows, columns, updates), "libtorch", Torch(prepare), 1


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
    "matmul-2048x2048x1": lambda: matmul(2048, 2048, 1),
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
    "sum-of-rows-4096x4096": lambda: (make_reduce("sum", 4096, 4096, 1), "numpy", Arrays(
        lambda a, c: np.sum(a, axis=1, out=c), (4096, 4096), 4096), 1),
    "sum-of-columns-4096x4096": lambda: (make_reduce("sum", 4096, 4096, 0), "numpy", Arrays(
        lambda a, c: np.sum(a, axis=0, out=c), (4096, 4096), 4096), 1),
    "max-of-columns-2048x2048": lambda: (make_reduce("max", 2048, 2048, 0), "numpy", Arrays(
        lambda a, c: np.max(a, axis=0, out=c), (2048, 2048), 2048), 1),
    # Half of the arguments are negative, so half of the results are NaNs.
    "sqrt-4Mi": lambda: (make_sqrt(1 << 22), "numpy", Arrays(
        lambda a, c: np.sqrt(a, out=c), 1 << 22, 1 << 22), 1),
    "scatter-add-8192x64": lambda: scatter(50000, 64, 8192),
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
