"""Prints a transformer encoder in pop; the arguments are layers, length of the
sequence and width. Attention of width / 64 heads, then a perceptron of four times
the width, each with the sum and the layer norm after it. Weights are splats, or
arguments. --called: layers are calls of one function on their weights."""

import argparse

parser = argparse.ArgumentParser(description=__doc__)
for name in "layers", "sequence", "width":
    parser.add_argument(name, type=int)
parser.add_argument("--batch", type=int, default=1)
parser.add_argument("--element", default="f32")
parser.add_argument("--weights-arguments", action="store_true")
parser.add_argument("--called", action="store_true")
options = parser.parse_args()
layers, sequence, width = options.layers, options.sequence, options.width
heads, hidden = max(width // 64, 1), 4 * width
head, rows = width // heads, options.batch * sequence
# Dimensions of a batch of one are left out.
batch = (options.batch,) if options.batch > 1 else ()
# Of main; with --called, those of the layer are in `layer`.
lines, arguments = [], []
layer = main = (lines, arguments)


def tensor(*dims):
    return f"tensor<{'x'.join([*map(str, dims), options.element])}>"


values = tensor(rows, width)


def emit(text):
    name = f"%v{len(lines)}"
    lines.append(f"  {name} = {text}")
    return name


def constant(*dims, value=None):
    if dims and (options.weights_arguments or arguments is not main[1]):
        arguments.append((f"%w{len(arguments)}", dims))
        return arguments[-1][0]
    # No two are one tensor.
    value = value or (len(lines) % 1021 + 1) / 1024
    return emit(f"pop.constant dense<{value:.9f}> : {tensor(*dims)}")


def binary(op, a, b, type, other):
    return emit(f"pop.{op} {a}, {b} : ({type}, {other}) -> {type}")


def matmul(a, b, types, result):
    return emit(f"pop.matmul {a}, {b} : ({', '.join(types)}) -> {result}")


def linear(x, inner, outer):
    result = tensor(rows, outer)
    y = matmul(x, constant(inner, outer), (tensor(rows, inner), tensor(inner, outer)), result)
    return binary("add", y, constant(outer), result, tensor(outer))


def norm(x):
    ends, mean = tensor(rows, 1), "{axes = array<i64: 1>, keep_dims}"
    m = emit(f"pop.reduce mean {x} {mean} : {values} -> {ends}")
    c = binary("sub", x, m, values, ends)
    squares = emit(f"pop.mul {c}, {c} : {values}")
    v = emit(f"pop.reduce mean {squares} {mean} : {values} -> {ends}")
    v = binary("add", v, constant(value=1e-5), ends, tensor())
    n = binary("mul", c, emit(f"pop.rsqrt {v} : {ends}"), values, ends)
    n = binary("mul", n, constant(width), values, tensor(width))
    return binary("add", n, constant(width), values, tensor(width))


def permute(x, order, type, *dims):
    """Permutes all dimensions but that of the batch."""
    order = [*range(len(batch)), *(dim + len(batch) for dim in order)]
    order = ", ".join(map(str, order))
    result = tensor(*batch, *dims)
    return emit(f"pop.transpose {x} {{permutation = array<i64: {order}>}} : {type} -> {result}")


def split(x, order, *dims):
    parts = tensor(*batch, sequence, heads, head)
    y = emit(f"pop.reshape {x} : {values} to {parts}")
    return permute(y, order, parts, *dims)


def attention(x):
    q, k, v = (linear(x, width, width) for _ in range(3))
    q = split(q, (1, 0, 2), heads, sequence, head)
    k = split(k, (1, 2, 0), heads, head, sequence)
    v = split(v, (1, 0, 2), heads, sequence, head)
    parts, scores = tensor(*batch, heads, sequence, head), tensor(*batch, heads, sequence, sequence)
    s = matmul(q, k, (parts, tensor(*batch, heads, head, sequence)), scores)
    s = binary("mul", s, constant(value=head**-0.5), scores, tensor())
    s = emit(f"pop.softmax {s} {{axis = {len(batch) + 2} : i64}} : {scores}")
    y = permute(matmul(s, v, (scores, parts), parts), (1, 0, 2), parts, sequence, heads, head)
    joined = tensor(*batch, sequence, heads, head)
    return linear(emit(f"pop.reshape {y} : {joined} to {values}"), width, width)


def add_layer(x):
    x = norm(emit(f"pop.add {x}, {attention(x)} : {values}"))
    y = linear(x, width, hidden)
    y = linear(emit(f"pop.relu {y} : {tensor(rows, hidden)}"), hidden, width)
    return norm(emit(f"pop.add {x}, {y} : {values}"))


def write(function, result):
    lines, arguments = function[1]
    arguments = ", ".join([f"%x: {values}", *(f"{name}: {tensor(*dims)}" for name, dims in arguments)])
    print(f"{function[0]}({arguments}) -> {values} {{")
    print("\n".join(lines))
    print(f"  return {result} : {values}\n}}")


print(f"// family: encoder of {layers} layers, sequence {sequence}, width {width}")
if options.called:
    lines, arguments = layer = [], []
    write(("func.func private @layer", layer), add_layer("%x"))
    lines, arguments = main
x = "%x"
for _ in range(layers):
    if not options.called:
        x = add_layer(x)
        continue
    weights = [constant(*dims) for _, dims in layer[1]]
    types = ", ".join([values, *(tensor(*dims) for _, dims in layer[1])])
    x = emit(f"func.call @layer({', '.join([x, *weights])}) : ({types}) -> {values}")
write(("func.func @main", main), x)
