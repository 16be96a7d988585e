"""Prints a ResNet of bottleneck blocks in pop; the arguments are the number of
blocks of each stage: `3 4 6 3` is ResNet-50. Weights are splats, or arguments."""

import argparse

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("blocks", type=int, nargs="+")
parser.add_argument("--batch", type=int, default=1)
parser.add_argument("--weights-arguments", action="store_true")
options = parser.parse_args()
lines, arguments = [], []


def shape(dims, element="f32"):
    return f"tensor<{'x'.join(str(d) for d in dims)}x{element}>"


def emit(text):
    name = f"%v{len(lines)}"
    lines.append(f"  {name} = {text}")
    return name


def constant(dims):
    if options.weights_arguments and len(dims) != 3:
        arguments.append(f"%w{len(arguments)}: {shape(dims)}")
        return f"%w{len(arguments) - 1}"
    # No two are one tensor.
    value = (len(lines) % 97 + 1) / 1024
    return emit(f"pop.constant dense<{value}> : {shape(dims)}")


def conv(x, dims, channels, kernel, stride=1, relu=True):
    """A convolution, scale and shift for each channel, and relu."""
    pad = kernel // 2
    weights = (channels, dims[1], kernel, kernel)
    size = (dims[2] + 2 * pad - kernel) // stride + 1
    out = (dims[0], channels, size, size)
    x = emit(
        f"pop.conv {x}, {constant(weights)} {{pads = array<i64: {pad}, {pad}, {pad}, {pad}>, "
        f"strides = array<i64: {stride}, {stride}>}} : ({shape(dims)}, {shape(weights)}) -> {shape(out)}")
    each = (channels, 1, 1)
    for op in ("mul", "add"):
        x = emit(f"pop.{op} {x}, {constant(each)} : ({shape(out)}, {shape(each)}) -> {shape(out)}")
    return (emit(f"pop.relu {x} : {shape(out)}") if relu else x), out


def block(x, dims, width, stride):
    y, out = conv(x, dims, width, 1)
    y, out = conv(y, out, width, 3, stride)
    y, out = conv(y, out, 4 * width, 1, relu=False)
    if dims != out:
        x, _ = conv(x, dims, 4 * width, 1, stride, relu=False)
    y = emit(f"pop.add {y}, {x} : {shape(out)}")
    return emit(f"pop.relu {y} : {shape(out)}"), out


image = (options.batch, 3, 224, 224)
x, dims = conv("%x", image, 64, 7, 2)
pooled = (options.batch, 64, 56, 56)
x = emit(f"pop.max_pool {x} {{kernel = array<i64: 3, 3>, strides = array<i64: 2, 2>, "
         f"pads = array<i64: 1, 1, 1, 1>}} : {shape(dims)} -> {shape(pooled)}")
dims = pooled
for stage, count in enumerate(options.blocks):
    for i in range(count):
        x, dims = block(x, dims, 64 << stage, 2 if stage and not i else 1)
rows = (dims[0], dims[1])
x = emit(f"pop.reduce sum {x} {{axes = array<i64: 2, 3>}} : {shape(dims)} -> {shape(rows)}")
weights, result = (dims[1], 1000), shape((options.batch, 1000))
x = emit(f"pop.matmul {x}, {constant(weights)} : ({shape(rows)}, {shape(weights)}) -> {result}")
print(f"// family: ResNet of {'-'.join(map(str, options.blocks))} bottleneck blocks, 224 x 224")
print(f"func.func @main({', '.join([f'%x: {shape(image)}', *arguments])}) -> {result} {{")
print("\n".join(lines))
print(f"  return {x} : {result}\n}}")
