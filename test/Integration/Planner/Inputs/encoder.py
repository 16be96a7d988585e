"""Prints a transformer encoder in pop; the arguments are layers, length of the
sequence and width. Attention of width / 64 heads, then a perceptron of four times
the width, each with the sum and the layer norm after it. Weights are splats, or
arguments."""

import argparse

parser = argparse.ArgumentParser(description=__doc__)
for name in "layers", "sequence", "width":
    parser.add_argument(name, type=int)
parser.add_argument("--weights-arguments", action="store_true")
options = parser.parse_args()
layers, sequence, width = options.layers, options.sequence, options.width
heads, hidden = max(width // 64, 1), 4 * width
head = width // heads
lines, arguments = [], []


def tensor(*dims):
    return f"tensor<{'x'.join([*map(str, dims), 'f32'])}>"


values = tensor(sequence, width)


def emit(text):
    name = f"%v{len(lines)}"
    lines.append(f"  {name} = {text}")
    return name


def constant(*dims, value=None):
    if options.weights_arguments and dims:
        arguments.append(f"%w{len(arguments)}: {tensor(*dims)}")
        return f"%w{len(arguments) - 1}"
    # No two are one tensor.
    value = value or (len(lines) % 97 + 1) / 1024
    return emit(f"pop.constant dense<{value:.9f}> : {tensor(*dims)}")


def binary(op, a, b, type, other):
    return emit(f"pop.{op} {a}, {b} : ({type}, {other}) -> {type}")


def matmul(a, b, types, result):
    return emit(f"pop.matmul {a}, {b} : ({', '.join(types)}) -> {result}")


def linear(x, inner, outer):
    result = tensor(sequence, outer)
    y = matmul(x, constant(inner, outer), (tensor(sequence, inner), tensor(inner, outer)), result)
    return binary("add", y, constant(outer), result, tensor(outer))


def norm(x):
    ends, mean = tensor(sequence, 1), "{axes = array<i64: 1>, keep_dims}"
    m = emit(f"pop.reduce mean {x} {mean} : {values} -> {ends}")
    c = binary("sub", x, m, values, ends)
    squares = emit(f"pop.mul {c}, {c} : {values}")
    v = emit(f"pop.reduce mean {squares} {mean} : {values} -> {ends}")
    v = binary("add", v, constant(value=1e-5), ends, tensor())
    n = binary("mul", c, emit(f"pop.rsqrt {v} : {ends}"), values, ends)
    n = binary("mul", n, constant(width), values, tensor(width))
    return binary("add", n, constant(width), values, tensor(width))


def split(x, permutation, *dims):
    parts = tensor(sequence, heads, head)
    y = emit(f"pop.reshape {x} : {values} to {parts}")
    return emit(f"pop.transpose {y} {{permutation = array<i64: {permutation}>}} : {parts} -> {tensor(*dims)}")


def attention(x):
    q, k, v = (linear(x, width, width) for _ in range(3))
    q = split(q, "1, 0, 2", heads, sequence, head)
    k = split(k, "1, 2, 0", heads, head, sequence)
    v = split(v, "1, 0, 2", heads, sequence, head)
    parts, scores = tensor(heads, sequence, head), tensor(heads, sequence, sequence)
    s = matmul(q, k, (parts, tensor(heads, head, sequence)), scores)
    s = binary("mul", s, constant(value=head**-0.5), scores, tensor())
    s = emit(f"pop.softmax {s} {{axis = 2 : i64}} : {scores}")
    y = matmul(s, v, (scores, parts), parts)
    joined = tensor(sequence, heads, head)
    y = emit(f"pop.transpose {y} {{permutation = array<i64: 1, 0, 2>}} : {parts} -> {joined}")
    return linear(emit(f"pop.reshape {y} : {joined} to {values}"), width, width)


x = "%x"
for _ in range(layers):
    x = norm(emit(f"pop.add {x}, {attention(x)} : {values}"))
    y = linear(x, width, hidden)
    y = linear(emit(f"pop.relu {y} : {tensor(sequence, hidden)}"), hidden, width)
    x = norm(emit(f"pop.add {x}, {y} : {values}"))
print(f"// family: encoder of {layers} layers, sequence {sequence}, width {width}")
print(f"func.func @main({', '.join([f'%x: {values}', *arguments])}) -> {values} {{")
print("\n".join(lines))
print(f"  return {x} : {values}\n}}")
