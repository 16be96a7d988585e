# Part of ipu-mlir, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs whose plans are measured, and their cycles and bytes on the device, for
utils/plan-quality, utils/fit-networks, utils/plan-monotonicity and utils/cost-cliffs."""

import json
import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
# What is free where the share of packing in exchanges is found.
FREE_PACKING = ["rearrange_rate"]
# What makes the host as fast as possible, so that its transfers do not count.
FAST_HOST = "host_latency_ns=0,host_bytes_per_second=1000000000000000"


def tensor(shape, element):
    return f"tensor<{'x'.join([*map(str, shape), element])}>"


def array(values):
    return f"array<i64: {', '.join(map(str, values))}>"


def wrap(lines, arguments, result, name="main"):
    """A function of `arguments`, pairs of a name and a type, that returns the last line's value."""
    names = ", ".join(f"{name}: {type}" for name, type in arguments)
    keyword = "func.func" if name == "main" else "func.func private"
    value = lines[-1].split("=")[0].strip()
    return "\n".join([f"{keyword} @{name}({names}) -> {result} {{", *lines, f"  return {value} : {result}", "}", ""])


# ===----------------------------------------------------------------------=== #
# Programs
# ===----------------------------------------------------------------------=== #


class Value(str):
    """The name of a value that knows its shape."""

    def __new__(cls, name, shape):
        value = super().__new__(cls, name)
        value.shape = tuple(shape)
        return value


class Network:
    """Writes a function in pop. Images are [N, C, H, W]; weights are arguments."""

    def __init__(self, element, *shape):
        self.element, self.lines, self.functions = element, [], []
        self.input = Value("%x", shape)
        self.arguments = [("%x", tensor(shape, element))]

    def emit(self, name, operands, shape, attributes="", types=None):
        value = Value(f"%v{len(self.lines)}", shape)
        attributes = f" {{{attributes}}}" if attributes else ""
        types = types or (
            f"({', '.join(tensor(x.shape, self.element) for x in operands)}) -> {tensor(shape, self.element)}"
        )
        self.lines.append(f"  {value} = pop.{name} {', '.join(operands)}{attributes} : {types}")
        return value

    def weights(self, *shape):
        value = Value(f"%w{len(self.arguments)}", shape)
        self.arguments.append((value, tensor(shape, self.element)))
        return value

    def pointwise(self, name, x, *others):
        if others:
            return self.emit(name, [x, *others], x.shape)
        return self.emit(name, [x], x.shape, types=tensor(x.shape, self.element))

    def conv(self, x, channels, kernel, stride=1, pads=None, groups=1, activation="relu"):
        """A convolution with a bias. `kernel` is a size or two of them; without `pads` the field stays."""
        kernel = (kernel, kernel) if isinstance(kernel, int) else kernel
        pads = [size // 2 for size in kernel] if pads is None else [pads, pads]
        kernels = self.weights(channels, x.shape[1] // groups, *kernel)
        field = [(s + 2 * p - k) // stride + 1 for s, p, k in zip(x.shape[2:], pads, kernel)]
        attributes = f"pads = {array(pads * 2)}, strides = {array([stride, stride])}"
        if groups > 1:
            attributes += f", groups = {groups} : i64"
        y = self.emit("conv", [x, kernels], [x.shape[0], channels, *field], attributes)
        y = self.add_bias(y)
        return self.pointwise(activation, y) if activation else y

    def add_bias(self, x):
        return self.pointwise("add", x, self.weights(x.shape[1], 1, 1))

    def pool(self, kind, x, kernel, stride=None, pad=0):
        stride = stride or kernel
        field = [(s + 2 * pad - kernel) // stride + 1 for s in x.shape[2:]]
        attributes = (
            f"kernel = {array([kernel] * 2)}, strides = {array([stride] * 2)}, pads = {array([pad] * 4)}"
        )
        shape = [*x.shape[:2], *field]
        types = f"{tensor(x.shape, self.element)} -> {tensor(shape, self.element)}"
        return self.emit(f"{kind}_pool", [x], shape, attributes, types)

    def concat(self, values, axis=1):
        shape = list(values[0].shape)
        shape[axis] = sum(x.shape[axis] for x in values)
        return self.emit("concat", values, shape, f"axis = {axis} : i64")

    def slice(self, x, axis, start, size):
        starts, sizes = [0] * len(x.shape), list(x.shape)
        starts[axis], sizes[axis] = start, size
        attributes = f"starts = {array(starts)}, sizes = {array(sizes)}, steps = {array([1] * len(sizes))}"
        types = f"{tensor(x.shape, self.element)} -> {tensor(sizes, self.element)}"
        return self.emit("slice", [x], sizes, attributes, types)

    def reshape(self, x, *shape):
        types = f"{tensor(x.shape, self.element)} to {tensor(shape, self.element)}"
        return self.emit("reshape", [x], shape, types=types)

    def transpose(self, x, *permutation):
        shape = [x.shape[dim] for dim in permutation]
        types = f"{tensor(x.shape, self.element)} -> {tensor(shape, self.element)}"
        return self.emit("transpose", [x], shape, f"permutation = {array(permutation)}", types)

    def reduce(self, kind, x, axes, keep=False):
        shape = [1 if dim in axes else s for dim, s in enumerate(x.shape) if keep or dim not in axes]
        types = f"{tensor(x.shape, self.element)} -> {tensor(shape, self.element)}"
        self.lines.append(
            f"  %v{len(self.lines)} = pop.reduce {kind} {x} {{axes = {array(axes)}{', keep_dims' * keep}}} : {types}"
        )
        return Value(f"%v{len(self.lines) - 1}", shape)

    def matmul(self, lhs, rhs):
        return self.emit("matmul", [lhs, rhs], [*lhs.shape[:-1], rhs.shape[-1]])

    def linear(self, x, columns, is_transposed=False):
        """With `is_transposed`, the rows of the weights are the columns of the result, as in PyTorch."""
        rows = x.shape[-1]
        weights = self.transpose(self.weights(columns, rows), 1, 0) if is_transposed else self.weights(rows, columns)
        y = self.matmul(x, weights)
        return self.pointwise("add", y, self.weights(columns))

    def classify(self, x, classes=1000):
        """The mean of each channel, and a linear layer."""
        return self.linear(self.reduce("mean", x, [2, 3]), classes)

    def get_text(self, name="main", resident=False):
        """The function. With `resident`, weights are constants: splats, no two of them equal.

        Parts of one that is split are equal, and computed once; arguments are there from the start to their
        last use only.
        """
        lines, arguments = self.lines, self.arguments
        if resident:
            lines = [
                f"  {value} = pop.constant dense<{(index % 1021 + 1) / 1024}> : {type}"
                for index, (value, type) in enumerate(arguments[1:])
            ]
            lines, arguments = lines + self.lines, arguments[:1]
        result = lines[-1].split(" : ")[-1].split(" -> ")[-1].split(" to ")[-1]
        return "".join(self.functions) + wrap(lines, arguments, result, name)


class TrainedNetwork(Network):
    """A network that learns: weights are variables, and convolutions have norms by the statistics of a batch."""

    def __init__(self, element, *shape):
        super().__init__(element, *shape)
        self.variables = []

    def weights(self, *shape):
        name, type = f"w{len(self.variables)}", tensor(shape, self.element)
        reference = type.replace("tensor", "!pop.ref")
        self.variables.append(name)
        self.functions.append(f"pop.variable @{name} : {type} = dense<{len(self.variables) / 1024}> : {type}\n")
        self.lines.append(f"  %{name}.ref = pop.get_variable @{name} : {reference}")
        self.lines.append(f"  %{name} = pop.read %{name}.ref : {reference}")
        return Value(f"%{name}", shape)

    def add_bias(self, x):
        """The norm: a shift for each channel, and a scale."""
        scale, shift = (self.weights(x.shape[1]) for _ in range(2))
        name = f"%v{len(self.lines)}"
        types = f"{tensor(x.shape, self.element)}, {tensor(scale.shape, self.element)}"
        self.lines.append(f"  {name}, {name}.mean, {name}.variance = pop.batch_norm_training {x}, {scale}, {shift} : "
                          f"{types}")
        return Value(name, x.shape)

    def get_text(self):
        """The forward function, with names for the passes of get_passes()."""
        text = super().get_text()
        return re.sub(r"@main\(%x: (\S+)\) -> (\S+)", r'@main(%x: \1 {pop.name = "x"}) -> (\2 {pop.name = "y"})', text)

    def get_passes(self, *precision):
        """What ipu-train does for a step of stochastic gradient descent; `precision` are passes before autodiff."""
        optimizer = "#pop.optimizer<sgd2,lr=0.1,momentum=0.9>"
        train = f"train=main loss=loss weights={{{','.join(self.variables)}}} optimizer={{{optimizer}}}"
        passes = ["pop-add-loss{loss=cross_entropy output={y} target={target} only-loss}", *precision,
                  f"pop-graph-pipeline{{{train}}}", "pop-to-ipu-pipeline{allow-oom}"]
        return f"builtin.module({','.join(passes)})"


def make_resnet50(element, batch, size=224, blocks=(3, 4, 6, 3), width=64, network=Network):
    net = network(element, batch, 3, size, size)
    x = net.conv(net.input, width, 7, 2)
    x = net.pool("max", x, 3, 2, 1)
    for stage, count in enumerate(blocks):
        for i in range(count):
            stride, inner = 2 if stage and not i else 1, width << stage
            y = net.conv(x, inner, 1)
            y = net.conv(y, inner, 3, stride)
            y = net.conv(y, 4 * inner, 1, activation=None)
            if i == 0:
                x = net.conv(x, 4 * inner, 1, stride, activation=None)
            x = net.pointwise("relu", net.pointwise("add", y, x))
    net.classify(x)
    return net


def write_convolution(element, batch=20, channels=256, size=56, moments=False):
    """A 1 x 1 convolution, and with `moments` the mean and the variance of each channel of its result."""
    net = Network(element, batch, channels, size, size)
    kernels = Value("%w", [channels, channels, 1, 1])
    net.lines.append(f"  %w = pop.constant dense<0.5> : {tensor(kernels.shape, element)}")
    results = [net.emit("conv", [net.input, kernels], net.input.shape)]
    if moments:
        mean = net.reduce("mean", results[0], [0, 2, 3], keep=True)
        centred = net.emit("sub", [results[0], mean], net.input.shape)
        squares = net.emit("mul", [centred, centred], net.input.shape)
        results += [mean, net.reduce("mean", squares, [0, 2, 3], keep=True)]
    types = [tensor(value.shape, element) for value in results]
    return "\n".join([f"func.func @main(%x: {types[0]}) -> ({', '.join(types)}) {{", *net.lines,
                      f"  return {', '.join(results)} : {', '.join(types)}", "}", ""])


def make_vgg(element, batch, counts=(2, 2, 4, 4, 4), size=224, width=64, hidden=4096, is_transposed=False):
    """VGG-19, or VGG-16 with the counts 2, 2, 3, 3, 3."""
    net = Network(element, batch, 3, size, size)
    x = net.input
    for stage, count in enumerate(counts):
        for _ in range(count):
            x = net.conv(x, width << min(stage, 3), 3)
        x = net.pool("max", x, 2)
    x = net.reshape(x, batch, x.shape[1] * x.shape[2] * x.shape[3])
    for _ in range(2):
        x = net.pointwise("relu", net.linear(x, hidden, is_transposed))
    net.linear(x, 1000, is_transposed)
    return net


def make_densenet121(element, batch, size=224, blocks=(6, 12, 24, 16), growth=32):
    """Norms before convolutions are folded into biases, so the rectifier comes first."""
    net = Network(element, batch, 3, size, size)
    x = net.pool("max", net.conv(net.input, 2 * growth, 7, 2), 3, 2, 1)
    for stage, count in enumerate(blocks):
        for _ in range(count):
            y = net.pointwise("add", x, net.weights(x.shape[1], 1, 1))
            y = net.conv(net.pointwise("relu", y), 4 * growth, 1)
            x = net.concat([x, net.conv(y, growth, 3, activation=None)])
        if stage < len(blocks) - 1:
            x = net.conv(net.pointwise("relu", x), x.shape[1] // 2, 1, activation=None)
            x = net.pool("avg", x, 2)
    net.classify(x)
    return net


def make_inception_v3(element, batch, size=299, divisor=1):
    """`divisor` divides all numbers of channels."""
    net = Network(element, batch, 3, size, size)
    concat = net.concat

    def conv(x, channels, *window):
        return net.conv(x, channels // divisor, *window)

    x = conv(conv(net.input, 32, 3, 2, 0), 32, 3, 1, 0)
    x = net.pool("max", conv(x, 64, 3), 3, 2)
    x = net.pool("max", conv(conv(x, 80, 1), 192, 3, 1, 0), 3, 2)

    def pooled(x, channels):
        return conv(net.pool("avg", x, 3, 1, 1), channels, 1)

    for channels in (32, 64, 64):
        double = conv(conv(conv(x, 64, 1), 96, 3), 96, 3)
        x = concat([conv(x, 64, 1), conv(conv(x, 48, 1), 64, 5), double, pooled(x, channels)])
    double = conv(conv(conv(x, 64, 1), 96, 3), 96, 3, 2, 0)
    x = concat([conv(x, 384, 3, 2, 0), double, net.pool("max", x, 3, 2)])
    for inner in (128, 160, 160, 192):
        once = conv(conv(conv(x, inner, 1), inner, (1, 7)), 192, (7, 1))
        twice = conv(x, inner, 1)
        for kernel in ((7, 1), (1, 7), (7, 1)):
            twice = conv(twice, inner, kernel)
        x = concat([conv(x, 192, 1), once, conv(twice, 192, (1, 7)), pooled(x, 192)])
    left = conv(conv(x, 192, 1), 320, 3, 2, 0)
    right = conv(conv(conv(conv(x, 192, 1), 192, (1, 7)), 192, (7, 1)), 192, 3, 2, 0)
    x = concat([left, right, net.pool("max", x, 3, 2)])
    for _ in range(2):
        once = conv(x, 384, 1)
        twice = conv(conv(x, 448, 1), 384, 3)
        parts = [conv(y, 384, kernel) for y in (once, twice) for kernel in ((1, 3), (3, 1))]
        x = concat([conv(x, 320, 1), *parts, pooled(x, 192)])
    net.classify(x)
    return net


def make_shufflenet(element, batch, size=224, counts=(3, 7, 3), widths=(24, 116, 232, 464, 1024)):
    """ShuffleNet v2: half of the channels go through depthwise blocks, then both halves are mixed."""
    net = Network(element, batch, 3, size, size)
    x = net.pool("max", net.conv(net.input, widths[0], 3, 2), 3, 2, 1)

    def branch(x, channels, stride):
        x = net.conv(x, channels, 1)
        x = net.conv(x, channels, 3, stride, groups=channels, activation=None)
        return net.conv(x, channels, 1)

    def shuffle(x):
        n, c, h, w = x.shape
        x = net.transpose(net.reshape(x, n, 2, c // 2, h, w), 0, 2, 1, 3, 4)
        return net.reshape(x, n, c, h, w)

    for count, width in zip(counts, widths[1:]):
        half = width // 2
        left = net.conv(x, x.shape[1], 3, 2, groups=x.shape[1], activation=None)
        x = shuffle(net.concat([net.conv(left, half, 1), branch(x, half, 2)]))
        for _ in range(count):
            kept = net.slice(x, 1, 0, half)
            x = shuffle(net.concat([kept, branch(net.slice(x, 1, half, half), half, 1)]))
    net.classify(net.conv(x, widths[-1], 1))
    return net


def make_mobilenet(element, batch, size=32, widths=(16, 32, 32, 64)):
    """Depthwise and 1 x 1 convolutions in turn."""
    net = Network(element, batch, 3, size, size)
    x = net.conv(net.input, widths[0], 3, 2)
    for i, width in enumerate(widths[1:]):
        x = net.conv(x, x.shape[1], 3, 2 - i % 2, groups=x.shape[1])
        x = net.conv(x, width, 1)
    net.classify(x, 10)
    return net


def make_perceptron(element, batch, widths=(256, 512, 256, 64)):
    net = Network(element, batch, widths[0])
    x = net.input
    for width in widths[1:]:
        x = net.pointwise("tanh", net.linear(x, width))
    return net


def make_recurrence(element, batch, width=128, steps=3):
    """An LSTM without its input's part: four gates of the state, for a few steps."""
    net = Network(element, batch, width)
    weights, bias = net.weights(width, 4 * width), net.weights(4 * width)
    state = cell = net.input
    for _ in range(steps):
        gates = net.pointwise("add", net.matmul(state, weights), bias)
        i, f, o, g = (net.slice(gates, 1, part * width, width) for part in range(4))
        i, f, o = (net.pointwise("sigmoid", gate) for gate in (i, f, o))
        cell = net.pointwise("mul", cell, f)
        cell = net.pointwise("add", cell, net.pointwise("mul", i, net.pointwise("tanh", g)))
        state = net.pointwise("mul", o, net.pointwise("tanh", cell))
    return net


def make_encoder(element, batch, layers=12, tokens=128, width=768, is_called=False):
    """Transformer encoder layers; `is_called`: one function, which is called for each layer."""
    rows, heads = batch * tokens, width // 64
    net = Network(element, rows, width)

    def norm(net, x):
        x = net.pointwise("sub", x, net.reduce("mean", x, [1], keep=True))
        variance = net.reduce("mean", net.pointwise("mul", x, x), [1], keep=True)
        x = net.pointwise("mul", x, net.pointwise("rsqrt", variance))
        x = net.pointwise("mul", x, net.weights(width))
        return net.pointwise("add", x, net.weights(width))

    def split(net, x, *permutation):
        x = net.reshape(x, batch, tokens, heads, width // heads)
        return net.transpose(x, *permutation)

    def layer(net, x):
        q, k, v = (net.linear(x, width) for _ in range(3))
        scores = net.matmul(split(net, q, 0, 2, 1, 3), split(net, k, 0, 2, 3, 1))
        types = tensor(scores.shape, element)
        scores = net.emit("softmax", [scores], scores.shape, "axis = 3 : i64", types)
        y = net.transpose(net.matmul(scores, split(net, v, 0, 2, 1, 3)), 0, 2, 1, 3)
        x = norm(net, net.pointwise("add", x, net.linear(net.reshape(y, rows, width), width)))
        y = net.pointwise("relu", net.linear(x, 4 * width))
        return norm(net, net.pointwise("add", x, net.linear(y, width)))

    x = net.input
    for _ in range(layers):
        if not is_called:
            x = layer(net, x)
            continue
        callee = Network(element, rows, width)
        layer(callee, callee.input)
        net.functions = [callee.get_text("layer")]
        operands = [x]
        operands.extend([net.weights(*name.shape) for name, _ in callee.arguments[1:]])
        types = ", ".join(type for _, type in callee.arguments)
        x = Value(f"%v{len(net.lines)}", x.shape)
        net.lines.append(
            f"  {x} = func.call @layer({', '.join(operands)}) : ({types}) -> {tensor(x.shape, element)}"
        )
    return net


def make_decoder(element, batch, layers=12, tokens=128, width=768, words=50257):
    """GPT-2: masked attention, norms before each part, and one weight for embedding and projection."""
    rows, heads = batch * tokens, width // 64
    net = Network(element, rows)
    net.arguments[0] = ("%x", tensor([rows], "i32"))

    def norm(x):
        x = net.pointwise("sub", x, net.reduce("mean", x, [1], keep=True))
        variance = net.reduce("mean", net.pointwise("mul", x, x), [1], keep=True)
        x = net.pointwise("mul", x, net.pointwise("rsqrt", variance))
        x = net.pointwise("mul", x, net.weights(width))
        return net.pointwise("add", x, net.weights(width))

    def split(x, *permutation):
        return net.transpose(net.reshape(x, batch, tokens, heads, width // heads), *permutation)

    embedding, mask = net.weights(words, width), net.weights(tokens, tokens)
    types = f"({tensor([words, width], element)}, {tensor([rows], 'i32')}) -> {tensor([rows, width], element)}"
    x = net.emit("gather", [embedding, net.input], [rows, width], types=types)
    x = net.pointwise("add", x, net.weights(rows, width))
    for _ in range(layers):
        normed = norm(x)
        q, k, v = (net.linear(normed, width) for _ in range(3))
        scores = net.pointwise("add", net.matmul(split(q, 0, 2, 1, 3), split(k, 0, 2, 3, 1)), mask)
        scores = net.emit("softmax", [scores], scores.shape, "axis = 3 : i64", tensor(scores.shape, element))
        y = net.transpose(net.matmul(scores, split(v, 0, 2, 1, 3)), 0, 2, 1, 3)
        x = net.pointwise("add", x, net.linear(net.reshape(y, rows, width), width))
        y = net.pointwise("gelu", net.linear(norm(x), 4 * width))
        x = net.pointwise("add", x, net.linear(y, width))
    net.matmul(norm(x), net.transpose(embedding, 1, 0))
    return net


# ===----------------------------------------------------------------------=== #
# Measurements
# ===----------------------------------------------------------------------=== #


def get_busy_cycles(clock):
    """The cycles of an IPU without waits and without the host, which a pipeline would hide."""
    return clock["cycles"] - clock["sync_wait"] - clock["host"]


class Measure:
    """What a program takes, by kind, without the host and the syncs with it."""

    def __init__(self, profile):
        self.exchange = self.remote = self.sync = self.matrix = self.vector = self.flops = 0
        self.packing = None
        self.steps = profile["steps"]
        for step in self.steps:
            cycles = max(step["cycles"]) * step["count"]
            if step["kind"] == "exchange":
                self.exchange += cycles
            elif step["kind"] == "remote":
                self.remote += cycles
            elif step["kind"] == "sync" and step["name"] != "external":
                self.sync += cycles
            elif step["kind"] == "compute":
                is_matrix = step["unit"].startswith("matrix")
                self.matrix += cycles if is_matrix else 0
                self.vector += 0 if is_matrix else cycles
                self.flops += step["flops"] * step["count"] if is_matrix else 0
        memory, target = profile["memory"], profile["target"]
        self.bytes = memory["max_tile_bytes"]
        self.code_bytes = memory["max_code_bytes"]
        self.fits = memory["tiles_over_memory"] == 0 and self.code_bytes <= target["code_memory"]
        self.categories = {entry["name"]: entry["tile_bytes"] for entry in memory["categories"]}
        self.peak_flops = profile["peak_flops_per_cycle"]
        self.profile = profile
        self.target = target
        self.tile_memory = target["tile_memory"]

    @property
    def cycles(self):
        return self.exchange + self.remote + self.sync + self.matrix + self.vector


class Device:
    """Plans and estimates programs with ipu-opt and ipu-run. Keeps nothing between programs."""

    def __init__(self, folder, opt=None, run=None, target="c600"):
        self.folder = pathlib.Path(folder)
        self.opt = opt or os.environ.get("IPU_OPT", ROOT / "build/bin/ipu-opt")
        self.run = run or os.environ.get("IPU_RUN", ROOT / "build/bin/ipu-run")
        self.target = target
        self.count = 0

    def call(self, command, text=None):
        result = subprocess.run(list(map(str, command)), input=text, capture_output=True, text=True)
        if result.returncode:
            sys.exit(f"{pathlib.Path(sys.argv[0]).name}: {' '.join(map(str, command))}\n{result.stderr}")
        return result

    def differentiate(self, text, argument):
        """The gradient of a function @main for one of its arguments, as a function @main."""
        passes = f"builtin.module(pop-autodiff{{func=f required=#{argument}}})"
        run = self.call([self.opt, "--pass-pipeline", passes, "-"], text.replace("@main", "private @f"))
        return run.stdout.replace("private @f_backward", "@main")

    def measure(self, source, target="", share=None, packing=False, remarks="", passes="", flags=()):
        """The cost of a program, which is text or the path of a model; with `packing`, that of packing too. Keeps
        remarks whose category matches.

        With `passes`, these lower the program; `flags` are further flags of ipu-run.
        """
        self.count += 1
        files = [self.folder / f"{os.getpid()}-{self.count}.{end}" for end in ("mlir", "ipu.mlir", "json")]
        program, lowered, profile = files
        if isinstance(source, pathlib.Path):
            program = source
        else:
            program.write_text(source)
        name = ",".join(filter(None, [self.target, target]))
        # Without this flag, a target with several IPUs may have layers on each of them.
        options = ["--placement", "spread", *flags] if "ipus=" in name and not passes else list(flags)
        if share is not None:
            options += ["--available-memory-proportion", str(share)]
        command = [self.run, "--engine", "none", "--allow-oom", "--target", name, "--profile", profile]
        if packing:
            emit = [self.run, "--emit", "ipu", "--allow-oom", "--target", name]
            lowered.write_text(self.call([*emit, program, *options]).stdout)
            program = lowered
        if passes:
            options += ["--pass-pipeline", passes]
        if remarks:
            options += ["--remarks", remarks]
        said = self.call([*command, program, *([] if packing else options)])
        measure = Measure(json.loads(profile.read_text()))
        measure.remarks = said.stdout + said.stderr
        if packing:
            free = ",".join([name, *(f"{key}=0" for key in FREE_PACKING)])
            command[command.index(name)] = free
            self.call([*command, program])
            measure.packing = measure.exchange - Measure(json.loads(profile.read_text())).exchange
        for path in files:
            path.unlink(missing_ok=True)
        return measure
