# Part of ipu-mlir, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Small random programs for each kind of operator."""

import functools

import numpy as np
from onnx import helper

from . import sampling, signals
from .microsoft import MICROSOFT_MAKERS
from .mutate import INTEGERS, OPSETS, SPECIAL_FLOATS
from .program import Program
from .quantized import QUANTIZED_MAKERS


class Builder:
    """Builds a program node by node; `choose` and `roll` are the random choices."""

    def __init__(self, rng):
        self.choose, self.roll = rng.choice, rng.random
        self.between = rng.randint
        self.numpy = np.random.default_rng(rng.getrandbits(32))
        self.opset = rng.choice(OPSETS)
        self.nodes, self.inputs, self.constants = [], {}, {}

    def shape(self, low=1, high=4, sizes=(1, 2, 3, 4, 5, 7)):
        return [self.choose(sizes) for _ in range(self.between(low, high))]

    def floats(self, shape, dtype=None):
        dtype = dtype or self.choose(("float32", "float32", "float32", "float64", "float16"))
        return self.numpy.standard_normal(shape).astype(dtype)

    def sprinkle(self, values):
        """Sometimes puts special values into floats."""
        if values.dtype.kind == "f" and values.size and self.roll() < 0.2:
            for _ in range(2):
                with np.errstate(over="ignore"):
                    values.flat[self.between(0, values.size - 1)] = self.choose(SPECIAL_FLOATS)
        return values

    def integers(self, shape, dtype=None, low=-5, high=6):
        dtype = np.dtype(dtype or self.choose(INTEGERS))
        return self.numpy.integers(max(low, 0) if dtype.kind == "u" else low, high, shape).astype(dtype)

    def input(self, values):
        return self.add(self.inputs, "x", values)

    def constant(self, values, dtype=np.int64):
        return self.add(self.constants, "c", np.asarray(values, dtype))

    def add(self, holder, prefix, values):
        name = f"{prefix}{len(holder)}"
        holder[name] = np.asarray(values)
        return name

    def node(self, op, *inputs, outputs=1, **attributes):
        attributes = {name: value for name, value in attributes.items() if value is not None}
        names = [f"y{len(self.nodes)}_{i}" if outputs > 1 else f"y{len(self.nodes)}" for i in range(outputs)]
        self.nodes.append(helper.make_node(op, list(inputs), names, **attributes))
        return names if outputs > 1 else names[0]

    def maybe(self, value, chance=0.5):
        return value if self.roll() < chance else None

    def axis(self, rank):
        return self.between(-rank, rank - 1)

    def axes(self, rank):
        count = self.between(1, rank)
        axes = self.numpy.permutation(rank)[:count]
        return [int(axis) - rank * int(self.roll() < 0.3) for axis in axes]


# Elementwise

UNARY = (
    "Abs Acosh Asinh Atanh Acos Asin Atan Ceil Celu Cos Cosh Elu Erf Exp Floor Gelu HardSigmoid "
    "HardSwish Identity IsInf IsNaN LeakyRelu Log Mish Neg Reciprocal Relu Round Selu Shrink "
    "Sigmoid Sign Sin Sinh Softplus Softsign Sqrt Tan Tanh ThresholdedRelu"
).split()
BINARY = "Add Sub Mul Div Pow Mod Max Min Sum Mean Equal Less LessOrEqual Greater GreaterOrEqual PRelu".split()


def broadcast(b, shape):
    """A shape that broadcasts to `shape`."""
    kept = [size if b.roll() < 0.7 else 1 for size in shape]
    return kept[b.between(0, len(kept)) if b.roll() < 0.3 else 0 :]


def make_unary(b):
    op = b.choose(UNARY)
    integers = op in ("Abs", "Neg", "Sign", "Relu", "Identity", "Shrink") and b.roll() < 0.3
    values = b.integers(b.shape()) if integers else b.sprinkle(b.floats(b.shape(0)))
    b.node(op, b.input(values))


def make_binary(b):
    op, shape = b.choose(BINARY), b.shape(0)
    if b.roll() < 0.35 and op not in ("PRelu", "Mean"):
        first = b.integers(shape)
        divides = op in ("Div", "Mod")
        low = 0 if op == "Pow" else 1 if divides else -5
        second = b.integers(broadcast(b, shape), first.dtype, low, 6)
        if divides and b.roll() < 0.5 and first.dtype.kind == "i":
            second = -second
        fmod = b.maybe(b.between(0, 1)) if op == "Mod" else None
    else:
        first = b.sprinkle(b.floats(shape))
        second, fmod = b.floats(broadcast(b, shape), first.dtype), 1 if op == "Mod" else None
    inputs = [b.input(first), b.input(second)]
    if op not in ("PRelu", "Pow", "Div", "Mod") and b.roll() < 0.3:
        inputs.reverse()
    b.node(op, *inputs, fmod=fmod)


def make_logic(b):
    op, shape = b.choose(("And", "Or", "Xor", "Not", "Where", "BitwiseAnd", "BitwiseXor", "BitShift")), b.shape()
    bools = [b.numpy.integers(0, 2, s).astype(bool) for s in (shape, broadcast(b, shape))]
    if op == "Not":
        b.node(op, b.input(bools[0]))
    elif op == "Where":
        values = b.floats(broadcast(b, shape))
        b.node(op, *map(b.input, (bools[0], values, b.floats(broadcast(b, shape), values.dtype))))
    elif op == "BitShift":
        values = b.integers(shape, b.choose(("uint8", "uint32", "uint64")))
        b.node(op, b.input(values), b.input(b.integers(shape, values.dtype)), direction=b.choose(("LEFT", "RIGHT")))
    else:
        if op.startswith("Bitwise"):
            bools[0] = b.integers(shape)
            bools[1] = b.integers(broadcast(b, shape), bools[0].dtype)
        b.node(op, *map(b.input, bools))


NARROW_FLOATS = {13: (16,), 19: (16, 17, 18, 19, 20)}


def make_cast(b):
    """A cast, or a cast to a type that has no values in numpy, and back."""
    values = b.choose((lambda: b.floats(b.shape()) * 10, lambda: b.integers(b.shape(), None, -100, 100)))()
    x = b.input(b.sprinkle(values))
    if b.opset < 13 or b.roll() < 0.6:
        b.node("Cast", x, to=b.choose((1, 2, 3, 5, 6, 7, 9, 10, 11, 12, 13)))
        return
    narrow = b.choose(NARROW_FLOATS[19 if b.opset >= 19 else 13])
    saturate = b.maybe(b.between(0, 1)) if narrow > 16 else None
    b.node("Cast", b.node("Cast", x, to=narrow, saturate=saturate), to=1)


def make_clip(b):
    values = b.sprinkle(b.floats(b.shape())) if b.roll() < 0.7 else b.integers(b.shape())
    low, high = (-1, 1) if values.dtype.kind == "f" else (1, 3)
    if b.opset < 11:
        b.node("Clip", b.input(values), min=b.maybe(float(low)), max=b.maybe(float(high)))
    else:
        bounds = [b.constant(bound, values.dtype) if b.roll() < 0.7 else "" for bound in (low, high)]
        b.node("Clip", b.input(values), *bounds)


# Reductions

REDUCTIONS = "L1 L2 LogSum LogSumExp Max Mean Min Prod Sum SumSquare".split()


def make_reduction(b):
    op = "Reduce" + b.choose(REDUCTIONS)
    values = b.floats(b.shape()) if b.roll() < 0.8 else b.integers(b.shape(), b.choose(("int32", "int64")))
    axes, keepdims = b.maybe(b.axes(values.ndim), 0.8), b.maybe(b.between(0, 1))
    if b.opset >= (13 if op == "ReduceSum" else 18):
        empty = b.constant([]) if b.roll() < 0.2 else None
        second = [b.constant(axes)] if axes else [empty] if empty else []
        b.node(op, b.input(values), *second, keepdims=keepdims, noop_with_empty_axes=b.maybe(b.between(0, 1), 0.3))
    else:
        b.node(op, b.input(values), axes=axes, keepdims=keepdims)


def make_arg(b):
    values = b.choose((b.floats, b.integers))(b.shape())
    if b.roll() < 0.4:
        values = np.round(values)
    last = b.maybe(b.between(0, 1)) if b.opset >= 12 else None
    b.node(b.choose(("ArgMax", "ArgMin")), b.input(values), axis=b.maybe(b.axis(values.ndim), 0.8),
           keepdims=b.maybe(b.between(0, 1)), select_last_index=last)  # fmt: skip


def make_softmax(b):
    values = b.floats(b.shape())
    op = b.choose(("Softmax", "LogSoftmax", "Hardmax", "LpNormalization"))
    axis = b.maybe(b.axis(values.ndim), 0.8) if b.opset >= 11 else b.between(0, values.ndim - 1)
    b.node(op, b.input(values), axis=axis, p=b.choose((1, 2)) if op == "LpNormalization" else None)


def make_scan(b):
    values = b.choose((b.floats, b.integers))(b.shape())
    if b.roll() < 0.5:
        b.node("CumSum", b.input(values), b.constant(b.axis(values.ndim)),
               exclusive=b.maybe(b.between(0, 1)), reverse=b.maybe(b.between(0, 1)))  # fmt: skip
        return
    axis = b.axis(values.ndim)
    count = b.between(1, values.shape[axis])
    b.node("TopK", b.input(values), b.constant([count]), outputs=2, axis=axis, largest=b.maybe(b.between(0, 1)))


# Products and windows


def make_product(b):
    batch, (m, k, n) = b.shape(0, 2), (b.between(1, 6) for _ in range(3))
    first = b.floats([*batch, m, k])
    if b.roll() < 0.15:
        vector, matrix = b.floats([k], first.dtype), b.floats([*batch, k, n], first.dtype)
        b.node("MatMul", *map(b.input, b.choose(((vector, matrix), (first, vector), (vector, vector)))))
        return
    if b.roll() < 0.5:
        b.node("MatMul", b.input(first), b.input(b.floats([*broadcast(b, batch), k, n], first.dtype)))
        return
    turned = [b.between(0, 1), b.between(0, 1)]
    shapes = [[k, m] if turned[0] else [m, k], [n, k] if turned[1] else [k, n]]
    inputs = [b.input(b.floats(shape, first.dtype)) for shape in shapes]
    if b.opset < 11 or b.roll() < 0.7:
        inputs.append(b.input(b.floats(b.choose(([m, n], [1, n], [n], [m, 1], [])), first.dtype)))
    b.node("Gemm", *inputs, transA=turned[0], transB=turned[1],
           alpha=b.maybe(b.choose((0.5, 2.0))), beta=b.maybe(b.choose((0.0, 0.25))))  # fmt: skip


def draw_window(b, rank, kernel):
    """Attributes of a convolution or pool."""
    automatic = b.choose((None, None, None, "SAME_UPPER", "SAME_LOWER", "VALID"))
    pads = [b.between(0, size - 1) for size in kernel * 2]
    return {
        "strides": b.maybe([b.between(1, 3) for _ in range(rank)]),
        "dilations": b.maybe([b.between(1, 2) for _ in range(rank)]),
        "auto_pad": automatic,
        "pads": None if automatic else b.maybe(pads),
    }


def make_convolution(b):
    rank = b.choose((1, 2, 2, 2, 3))
    kernel = [b.between(1, 3) for _ in range(rank)]
    groups, inner, outer = b.choose((1, 1, 2, 3)), b.between(1, 2), b.between(1, 3)
    image = b.floats([b.between(1, 2), groups * inner, *(b.between(5, 8) for _ in range(rank))])
    transposed = b.roll() < 0.4
    shape = [groups * inner, outer, *kernel] if transposed else [groups * outer, inner, *kernel]
    inputs = [b.input(image), b.input(b.floats(shape, image.dtype))]
    if b.roll() < 0.5:
        inputs.append(b.input(b.floats([groups * outer], image.dtype)))
    attributes = draw_window(b, rank, kernel)
    if transposed:
        attributes["output_padding"] = b.maybe([b.between(0, 1) for _ in range(rank)], 0.3)
    b.node("ConvTranspose" if transposed else "Conv", *inputs, group=groups,
           kernel_shape=b.maybe(kernel), **attributes)  # fmt: skip


def make_pool(b):
    rank = b.choose((1, 2, 2, 2, 3))
    op = b.choose(("MaxPool", "AveragePool", "LpPool", "GlobalAveragePool", "GlobalMaxPool"))
    image = b.floats([b.between(1, 2), b.between(1, 3), *(b.between(5, 9) for _ in range(rank))])
    if op.startswith("Global"):
        b.node(op, b.input(image))
        return
    kernel = [b.between(1, 3) for _ in range(rank)]
    attributes = draw_window(b, rank, kernel)
    if b.opset < {"MaxPool": 10, "AveragePool": 19, "LpPool": 18}[op]:
        del attributes["dilations"]
    if b.opset >= {"MaxPool": 10, "AveragePool": 10, "LpPool": 18}[op]:
        attributes["ceil_mode"] = b.maybe(b.between(0, 1))
    if op == "AveragePool":
        attributes["count_include_pad"] = b.maybe(b.between(0, 1))
    if op == "LpPool":
        attributes["p"] = b.choose((1, 2, 3))
    b.node(op, b.input(image), kernel_shape=kernel, **attributes)


def make_normalization(b):
    channels = b.choose((2, 4, 6))
    values = b.floats([b.between(1, 3), channels, *b.shape(1, 2)])
    vectors = [b.floats([channels], values.dtype) for _ in range(3)]
    vectors.append(np.abs(b.floats([channels], values.dtype)) + np.ones(1, values.dtype))
    op = b.choose(("BatchNormalization", "InstanceNormalization", "LayerNormalization", "LRN", "GroupNormalization"))
    x, epsilon = b.input(values), b.maybe(1e-3)
    if op == "LRN":
        b.node(op, x, size=b.between(1, 5), alpha=b.maybe(0.01), beta=b.maybe(0.5), bias=b.maybe(2.0))
    elif op == "LayerNormalization":
        axis = b.axis(values.ndim)
        scale = b.floats(values.shape[axis:], values.dtype)
        b.node(op, x, *map(b.input, [scale] + [scale] * b.between(0, 1)), axis=axis, epsilon=epsilon)
    elif op == "GroupNormalization":
        groups = b.choose([g for g in (1, 2, channels) if channels % g == 0])
        count = channels if b.opset >= 21 else groups
        b.node(op, x, b.input(vectors[0][:count]), b.input(vectors[1][:count]), num_groups=groups, epsilon=epsilon)
    else:
        count = 4 if op == "BatchNormalization" else 2
        b.node(op, x, *map(b.input, vectors[:count]), epsilon=epsilon)


# Movement


def make_movement(b):
    values = b.choose((b.floats, b.integers))(b.shape())
    rank, x = values.ndim, b.input(values)
    op = b.choose(("Transpose", "Flatten", "Unsqueeze", "Squeeze", "Tile", "Expand", "Shape", "Size", "Reshape"))
    if op == "Transpose":
        b.node(op, x, perm=b.maybe([int(i) for i in b.numpy.permutation(rank)], 0.8))
    elif op == "Flatten":
        b.node(op, x, axis=b.maybe(b.between(0 if b.opset < 11 else -rank, rank)))
    elif op in ("Unsqueeze", "Squeeze"):
        axes = b.axes(rank + 1 if op == "Unsqueeze" else rank)
        if b.opset < 13:
            b.node(op, x, axes=[abs(axis) for axis in axes] if b.opset < 11 else axes)
        else:
            b.node(op, x, b.constant(axes))
    elif op == "Tile":
        b.node(op, x, b.constant([b.between(0 if b.roll() < 0.2 else 1, 3) for _ in range(rank)]))
    elif op == "Expand":
        b.node(op, x, b.constant([b.choose((1, size, 3 if size == 1 else size)) for size in values.shape]))
    elif op == "Reshape":
        shape = b.choose(([-1], [0, -1], [values.size, 1], [1, -1], [*values.shape[1:], values.shape[0]]))
        b.node(op, x, b.constant(shape), allowzero=b.maybe(0, 0.2) if b.opset >= 14 else None)
    else:
        b.node(op, x, start=b.maybe(b.between(-2, 2), 0.3) if op == "Shape" and b.opset >= 15 else None)


def make_slice(b):
    values = b.choose((b.floats, b.integers))(b.shape())
    axes = b.axes(values.ndim)
    limits = np.iinfo(np.int64)
    far = (limits.min, limits.min + 1, limits.max, 2**31 - 1, -(2**31))
    bounds = [[b.choose((b.between(-6, 8), b.between(-6, 8), b.choose(far))) for _ in axes] for _ in range(2)]
    if b.opset < 10:
        b.node("Slice", b.input(values), starts=bounds[0], ends=bounds[1], axes=[abs(axis) for axis in axes])
        return
    inputs = [b.constant(bound) for bound in bounds]
    inputs += [b.constant(axes), b.constant([b.choose((1, 1, 2, 3, -1, -2)) for _ in axes])][: b.between(1, 2)]
    b.node("Slice", b.input(values), *inputs)


def make_pad(b):
    values = b.floats(b.shape(sizes=(2, 3, 4, 5)))
    mode = b.maybe(b.choose(("constant", "reflect", "edge", "wrap")), 0.8)
    pads = [b.between(-1 if b.roll() < 0.2 else 0, 2) for _ in range(2 * values.ndim)]
    if b.opset < 11:
        b.node("Pad", b.input(values), pads=pads, mode=mode, value=b.maybe(1.5))
        return
    value = b.constant(1.5, values.dtype) if b.roll() < 0.5 else ""
    if b.opset >= 18 and b.roll() < 0.4:
        axes = b.axes(values.ndim)
        some = [b.between(0, 2) for _ in range(2 * len(axes))]
        inputs = [b.constant(some), value, b.constant(axes)]
    else:
        inputs = [b.constant(pads), value]
    b.node("Pad", b.input(values), *inputs, mode=mode)


def make_gather(b):
    values = b.floats(b.shape(1, 3))
    axis = b.axis(values.ndim)
    size = values.shape[axis]
    op = b.choose(("Gather", "GatherElements", "OneHot"))
    low = -size if b.opset >= 11 else 0
    kind = b.choose(("int32", "int64"))
    if op == "Gather":
        b.node(op, b.input(values), b.input(b.integers(b.shape(0, 2), kind, low, size)), axis=axis)
    elif op == "OneHot":
        indices = b.integers(b.shape(1, 2), kind, -3, 5)
        b.node(op, b.input(indices), b.constant(4, indices.dtype), b.constant([0, 2], values.dtype), axis=b.choose((-1, 0, 1)))
    else:
        shape = [b.between(1, n) for n in values.shape]
        b.node(op, b.input(values), b.input(b.integers(shape, kind, low, size)), axis=axis)


def make_scatter(b):
    """Without a reduction, several updates of one element are in the order of the updates."""
    op = b.choose(("Scatter", "ScatterElements", "ScatterND"))
    b.opset = b.choose((9, 10)) if op == "Scatter" else max(b.opset, 11)
    values = b.choose((b.floats, b.integers))(b.shape(1, 3))
    kinds = ("none", "add", "mul") + ("max", "min") * (b.opset >= 18)
    reduction = b.maybe(b.choose(kinds), 0.8) if b.opset >= 16 else None
    draw = functools.partial(b.floats if values.dtype.kind == "f" else b.integers, dtype=values.dtype)
    if op == "ScatterND":
        depth, count = b.between(1, values.ndim), b.shape(0, 2)
        indices = [b.integers(count, "int64", -n, n) for n in values.shape[:depth]]
        updates = draw([*count, *values.shape[depth:]])
        b.node(op, b.input(values), b.input(np.stack(indices, -1)), b.input(updates), reduction=reduction)
        return
    axis = b.axis(values.ndim)
    shape = [b.between(1, n) for n in values.shape]
    low = -values.shape[axis] if b.opset >= 11 else 0
    indices = b.integers(shape, b.choose(("int32", "int64")), low, values.shape[axis])
    b.node(op, b.input(values), b.input(indices), b.input(draw(shape)), axis=axis,
           reduction=reduction)  # fmt: skip


def make_einsum(b):
    """A random equation, with diagonals, ellipses, sums and up to four operands."""
    b.opset = max(b.opset, 12)
    sizes = {letter: b.choose((1, 2, 3)) for letter in "abcdeB"}
    wide, terms, operands = b.shape(0, 2, (2, 3)) if b.roll() < 0.3 else None, [], []
    kind = b.choose(("float32", "float32", "float64"))
    for _ in range(b.choose((1, 2, 2, 2, 3, 4))):
        letters = [b.choose(sorted(sizes)) for _ in range(b.between(0, 3))]
        shape = [sizes[letter] for letter in letters]
        term = "".join(letters)
        if wide is not None and b.roll() < 0.7:
            at = b.between(0, len(letters))
            kept = wide[b.between(0, len(wide)) :]
            shape[at:at] = kept
            term = term[:at] + "..." + term[at:]
        terms.append(term)
        operands.append(b.input(b.floats(shape, kind)))
    equation = ",".join(terms)
    if b.roll() < 0.8:
        used = sorted(set(equation) & set(sizes))
        result = [letter for letter in b.numpy.permutation(used) if b.roll() < 0.5] if used else []
        result = "".join(result)
        equation += "->" + ("..." if "..." in equation else "") + result
    b.node("Einsum", *operands, equation=equation)


def make_parts(b):
    values = b.choose((b.floats, b.integers))(b.shape(1, 3, (2, 4, 6)))
    axis = b.axis(values.ndim)
    if b.roll() < 0.5:
        shape = list(values.shape)
        shape[axis] = b.between(0 if b.roll() < 0.1 else 1, 3)
        other = np.resize(values, shape).astype(values.dtype)
        b.node("Concat", *map(b.input, (values, other, values)), axis=axis)
        return
    count = b.choose([n for n in (1, 2, 3) if values.shape[axis] % n == 0])
    sizes = [1, values.shape[axis] - 1]
    if b.roll() < 0.5:
        if b.opset >= 18:
            count = b.between(1, values.shape[axis])
        b.node("Split", b.input(values), outputs=count, axis=axis,
               num_outputs=count if b.opset >= 18 else None)  # fmt: skip
    elif b.opset < 13:
        b.node("Split", b.input(values), outputs=2, axis=axis, split=sizes)
    else:
        b.node("Split", b.input(values), b.constant(sizes), outputs=2, axis=axis)


def make_depth(b):
    values = b.floats([b.between(1, 2), 4 * b.between(1, 2), 2 * b.between(1, 3), 4])
    if b.roll() < 0.5:
        b.node("SpaceToDepth", b.input(values), blocksize=2)
    else:
        mode = b.maybe(b.choose(("DCR", "CRD"))) if b.opset >= 11 else None
        b.node("DepthToSpace", b.input(values), blocksize=2, mode=mode)


def make_triangle(b):
    values = b.floats(b.shape(2, 3))
    b.node("Trilu", b.input(values), *[b.constant(b.between(-3, 3))] * b.between(0, 1), upper=b.maybe(b.between(0, 1)))


def make_resize(b):
    values = b.floats([1, b.between(1, 2), b.between(2, 5), b.between(2, 5)], "float32")
    mode = b.choose(("nearest", "linear", "cubic"))
    coordinates = ["half_pixel", "align_corners", "asymmetric", "pytorch_half_pixel"]
    coordinates += ["half_pixel_symmetric"] if b.opset >= 19 else []
    attributes = {"mode": mode, "coordinate_transformation_mode": b.maybe(b.choose(coordinates), 0.8)}
    if mode == "nearest":
        attributes["nearest_mode"] = b.maybe(b.choose(("round_prefer_floor", "round_prefer_ceil", "floor", "ceil")))
    scales = b.constant([1, 1, b.choose((0.5, 1.5, 2)), b.choose((0.6, 1, 2.5))], np.float32)
    if b.opset < 11:
        op = "Upsample" if b.opset < 10 else "Resize"
        b.node(op, b.input(values), scales, mode=b.choose(("nearest", "linear")))
    elif b.roll() < 0.5:
        b.node("Resize", b.input(values), "", scales, **attributes)
    else:
        sizes = b.constant([*values.shape[:2], b.between(1, 7), b.between(1, 7)])
        b.node("Resize", b.input(values), "", "", sizes, **attributes)


def make_recurrent(b):
    op, gates = b.choose((("LSTM", 4), ("GRU", 3), ("RNN", 1)))
    steps, batch, width, hidden = (b.between(1, 4) for _ in range(4))
    direction = b.maybe(b.choose(("forward", "reverse", "bidirectional")))
    count = 2 if direction == "bidirectional" else 1
    shapes = [[steps, batch, width], [count, gates * hidden, width], [count, gates * hidden, hidden],
              [count, 2 * gates * hidden]]  # fmt: skip
    inputs = [b.input(b.floats(shape, "float32")) for shape in shapes[: b.between(3, 4)]]
    if len(inputs) == 4 and b.roll() < 0.5:
        inputs.append(b.constant([b.between(1, steps) for _ in range(batch)], np.int32) if b.roll() < 0.5 else "")
        inputs.append(b.input(b.floats([count, batch, hidden], "float32")))
    b.node(op, *inputs, outputs=3 if op == "LSTM" else 2, hidden_size=hidden, direction=direction,
           linear_before_reset=b.maybe(1) if op == "GRU" else None,
           input_forget=b.maybe(1, 0.2) if op == "LSTM" else None)  # fmt: skip


def make_shape_arithmetic(b):
    """A reshape to a shape that a chain of nodes computes from the input's shape."""
    values = b.floats([b.between(1, 3), b.between(2, 4), b.between(2, 4)], "float32")
    x = b.input(values)
    shape = b.node("Shape", x)
    first = b.node("Gather", shape, b.constant([0]), axis=0)
    if b.roll() < 0.5:
        total = b.node("ReduceProd", shape) if b.opset < 18 else b.node("Size", x)
        total = b.node("Reshape", total, b.constant([1]))
        second = b.node("Div", total, first)
    else:
        second = b.constant([-1])
    parts = b.node("Concat", first, second, axis=0)
    if b.roll() < 0.3:
        parts = b.node("Cast", b.node("Cast", parts, to=1), to=7)
    b.node("Relu", b.node("Reshape", x, parts))


def make_chain(b):
    """Several nodes with one result, which the compiler may combine."""
    x = b.input(b.floats(b.shape(1, 3), "float32"))
    y = x
    for _ in range(b.between(2, 5)):
        op = b.choose(("Relu", "Neg", "Add", "Mul", "Tanh", "Transpose", "Softmax", "Sub", "Max"))
        if op in ("Add", "Mul", "Sub", "Max"):
            y = b.node(op, y, b.choose((y, b.constant(0.5, np.float32))))
        else:
            y = b.node(op, y)


def make_sequence(b):
    """Values that depend on shapes only."""
    op = b.choose(("Range", "ConstantOfShape", "EyeLike"))
    if op == "Range":
        start, step = b.between(-3, 3), b.choose((1, 2, -1, -2, 3))
        kind = b.choose((np.int32, np.int64, np.float32, np.float64))
        b.node(op, *(b.constant(value, kind) for value in (start, start + b.between(-3, 8), step)))
    elif op == "ConstantOfShape":
        value = b.choose((None, helper.make_tensor("v", 1, [1], [0.5]), helper.make_tensor("v", 7, [1], [-3])))
        b.node(op, b.constant(b.shape(0, 3)), value=value)
    else:
        b.node(op, b.input(b.floats(b.shape(2, 2))), k=b.maybe(b.between(-2, 2)), dtype=b.maybe(6))


def make_branch(b):
    """An If whose branches use a value outside of it."""
    shape = b.shape(1, 3)
    x, condition = b.input(b.floats(shape, "float32")), np.array(b.roll() < 0.5)
    condition = b.constant(condition, bool) if b.roll() < 0.5 else b.input(condition)
    branches = []
    for i in range(2):
        op = b.choose(("Relu", "Neg", "Exp", "Identity"))
        result = helper.make_tensor_value_info(f"b{i}", 1, shape)
        branches.append(helper.make_graph([helper.make_node(op, [x], [f"b{i}"])], f"g{i}", [], [result]))
    b.node("If", condition, then_branch=branches[0], else_branch=branches[1])


def make_attention(b):
    b.opset = max(b.opset, b.choose((23, 24, 25)))
    batch, heads, queries, keys = b.between(1, 2), b.choose((1, 2)), b.between(1, 4), b.between(1, 5)
    op, size = b.choose(("Attention", "RMSNormalization", "RotaryEmbedding")), 2 * b.between(1, 3)
    kind = b.choose(("float32", "float32", "float16"))
    if op == "RMSNormalization":
        values = b.floats(b.shape(2, 3), kind)
        axis = b.axis(values.ndim)
        scale = b.floats(values.shape[axis:], kind)
        b.node(op, b.input(values), b.input(scale), axis=axis, epsilon=b.maybe(1e-3))
    elif op == "RotaryEmbedding":
        tables = [b.input(b.floats([batch, queries, size // 2], kind)) for _ in range(2)]
        x = b.input(b.floats([batch, heads, queries, size], kind))
        b.node(op, x, *tables, interleaved=b.maybe(b.between(0, 1)))
    else:
        shapes = [[batch, heads, count, size] for count in (queries, keys, keys)]
        inputs = [b.input(b.floats(shape, kind)) for shape in shapes]
        if b.roll() < 0.3:
            inputs.append(b.input(b.floats([queries, keys], kind)))
        b.node(op, *inputs, is_causal=b.maybe(b.between(0, 1)), scale=b.maybe(0.3, 0.3),
               softcap=b.maybe(2.0, 0.2))  # fmt: skip


MAKERS = {
    make_unary: 4,
    make_binary: 4,
    make_logic: 2,
    make_cast: 2,
    make_clip: 1,
    make_reduction: 4,
    make_arg: 1,
    make_softmax: 1,
    make_scan: 1,
    make_product: 2,
    make_convolution: 4,
    make_pool: 4,
    make_normalization: 2,
    make_movement: 3,
    make_slice: 2,
    make_pad: 2,
    make_gather: 3,
    make_scatter: 2,
    make_einsum: 2,
    make_parts: 2,
    make_depth: 1,
    make_triangle: 1,
    make_resize: 2,
    make_recurrent: 2,
    make_shape_arithmetic: 2,
    make_chain: 1,
    make_sequence: 1,
    make_branch: 1,
    make_attention: 1,
    **sampling.MAKERS,
    **signals.MAKERS,
    **QUANTIZED_MAKERS,
    **MICROSOFT_MAKERS,
}


def generate(rng):
    b = Builder(rng)
    make = rng.choices(list(MAKERS), list(MAKERS.values()))[0]
    make(b)
    outputs = list(b.nodes[-1].output)
    name = make.__name__.removeprefix("make_")
    return Program(f"generated {name}", b.opset, b.nodes, b.inputs, b.constants, outputs)
