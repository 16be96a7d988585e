# Part of ipu-mlir, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs of many functions, each of an input of its own, and runs of them.

The sum of all results is an output, of which the gradients of all inputs are computed.
"""

import pathlib
import subprocess

import numpy as np

from .rows import COLUMNS, LABEL, WEIGHTS


class Type:
    def __init__(self, name, onnx, code, precision, least_exponent, greatest_exponent):
        self.name, self.onnx, self.code = name, onnx, code
        self.precision, self.least_exponent = precision, least_exponent
        self.most = (2 - 2.0 ** (1 - precision)) * 2.0**greatest_exponent
        self.least = 2.0 ** (least_exponent - precision + 1)

    def unit(self, x):
        """The unit in the last place of numbers of the magnitude of `x`."""
        _, exponents = np.frexp(np.abs(x))
        return np.ldexp(1.0, np.maximum(exponents - 1, self.least_exponent) - self.precision + 1)

    def encode(self, x):
        """Numbers of the type as numpy has them in files."""
        if self.name == "bf16":
            return (x.astype(np.float32).view(np.uint32) >> 16).astype(np.uint16).view("V2")
        return x.astype(np.float16 if self.name == "f16" else np.float32)

    def decode(self, x):
        if x.dtype.kind == "V":
            x = (np.ascontiguousarray(x).view(np.uint16).astype(np.uint32) << 16).view(np.float32)
        return x.astype(np.float64)

    def round(self, x):
        """Numbers of the type near `x`, in f64."""
        if self.name != "bf16":
            return self.decode(self.encode(x))
        bits = x.astype(np.float32).view(np.uint32) & np.uint32(0xFFFF0000)
        return bits.view(np.float32).astype(np.float64)


TYPES = [
    Type("f32", "float", 1, 24, -126, 127),
    Type("f16", "float16", 10, 11, -14, 15),
    Type("bf16", "bfloat16", 16, 8, -126, 127),
]


def get_onnx_program(functions, count, type):
    inputs = [f"{type.onnx}[{count}] x{i}" for i in range(len(functions))]
    outputs = [f"{type.onnx}[{count}] y{i}" for i in range(len(functions))] + [f"{type.onnx} total"]
    constants, body = [], []
    for i, function in enumerate(functions):
        operands = f"x{i}"
        if function.more is not None:
            constants.append(f"float c{i} = {{{function.more!r}}}")
            body.append(f"t{i} = Cast <to = {type.code}> (c{i})")
            operands += f", t{i}"
        body.append(f"y{i} = {function.text} ({operands})")
        body.append(f"s{i} = ReduceSum <keepdims = 0> (y{i})")
    return assemble_onnx(inputs, outputs, constants, body, len(functions))


def assemble_onnx(inputs, outputs, constants, body, count):
    body.append(f"total = Sum ({', '.join(f's{i}' for i in range(count))})")
    listed = f"<{', '.join(constants)}>\n" if constants else ""
    return (
        '<ir_version: 9, opset_import: ["" : 20]>\n'
        f"errors ({', '.join(inputs)}) => ({', '.join(outputs)})\n{listed}"
        "{\n" + "".join(f"  {line}\n" for line in body) + "}\n"
    )


def get_onnx_rows(functions, count, type):
    shape = f"[{count}, {COLUMNS}]"
    inputs, outputs, body = [], [], [f"weights = Cast <to = {type.code}> (w)", f"ones = Cast <to = {type.code}> (o)"]
    for i, function in enumerate(functions):
        inputs.append(f"{type.onnx}{shape} x{i}")
        outputs.append(f"{type.onnx}[{count}, {1 if function.is_whole else COLUMNS}] y{i}")
        body.append(f"y{i} = " + function.text.replace("(x", f"(x{i}"))
        weighted = f"y{i}"
        if not function.is_whole:
            weighted = f"m{i}"
            body.append(f"m{i} = Mul (y{i}, weights)")
        body.append(f"s{i} = ReduceSum <keepdims = 0> ({weighted})")
    outputs.append(f"{type.onnx} total")
    constants = [
        f"float[{COLUMNS}] w = {{{', '.join(map(repr, WEIGHTS.tolist()))}}}",
        f"float[{COLUMNS}] o = {{{', '.join(['1.0'] * COLUMNS)}}}",
        "int64[1] axes = {1}",
    ]
    return assemble_onnx(inputs, outputs, constants, body, len(functions))


def assemble_pop(params, results, body, type, outputs):
    """`results` are names and types of values of rank 1, whose sums are added."""
    sums = []
    for name, shape in results:
        body.append(
            f"%s_{name} = pop.reduce sum %{name} {{axes = array<i64: 0>}} : {shape} -> tensor<{type.name}>")  # fmt: skip
        sums.append(f"%s_{name}")
    scalar = f"tensor<{type.name}>"
    body.append(f"%total = pop.sum {', '.join(sums)} : ({', '.join([scalar] * len(sums))}) -> {scalar}")
    outputs = outputs + [("total", scalar)]
    types = ", ".join(f'{shape} {{pop.name = "{name}"}}' for name, shape in outputs)
    return (
        f"func.func @main({', '.join(params)}) -> ({types}) {{\n"
        + "".join(f"  {line}\n" for line in body)
        + f"  return {', '.join('%' + name for name, _ in outputs)} : {', '.join(shape for _, shape in outputs)}\n}}\n"
    )


def get_pop_program(functions, count, type):
    shape = f"tensor<{count}x{type.name}>"
    params = [f'%x{i}: {shape} {{pop.name = "x{i}"}}' for i in range(len(functions))]
    body = [f"%y{i} = pop.{function.text} %x{i} : {shape}" for i, function in enumerate(functions)]
    results = [(f"y{i}", shape) for i in range(len(functions))]
    return assemble_pop(params, results, body, type, results)


def get_pop_rows(functions, count, type):
    shape = f"tensor<{count}x{COLUMNS}x{type.name}>"
    params, body, results = [], [], []
    body.append(f"%labels = pop.constant dense<{LABEL}> : tensor<{count}xi32>")
    for i, function in enumerate(functions):
        params.append(f'%x{i}: {shape} {{pop.name = "x{i}"}}')
        body.append(f"%p{i} = pop.softmax %x{i} {{axis = 1 : i64}} : {shape}")
        text = function.text.replace(" sum ", " none ").replace("%x", f"%x{i}").replace("%y", f"%p{i}")
        body.append(f"%y{i} = {text} : {shape}, tensor<{count}xi32> -> tensor<{count}x{type.name}>")
        results.append((f"y{i}", f"tensor<{count}x{type.name}>"))
    return assemble_pop(params, results, body, type, results)


def run(tool, folder, program, suffix, inputs, type, flags=()):
    """The results and the gradients of a program, as pairs of arrays of f64."""
    folder = pathlib.Path(folder)
    path = folder / f"program.{suffix}"
    path.write_text(program)
    names = [f"x{i}" for i in range(len(inputs))]
    command = [tool, path, "--output-dir", folder, "--allow-oom", "--planner", "generic", "--target", "gc200,tiles=16"]
    command += ["--no-memory-advice", "--gradients", f"total={','.join(names)}", *flags]
    for name, values in zip(names, inputs):
        np.save(folder / f"{name}.npy", type.encode(values))
        command += ["--input", f"{name}={folder / name}.npy"]
    result = subprocess.run(command, capture_output=True, text=True)
    if result.returncode:
        raise RuntimeError(f"{tool} failed on {path}\n{result.stderr}")
    load = lambda name: type.decode(np.load(folder / f"{name}.npy"))  # noqa: E731
    return [(load(f"y{i}"), load(f"Gradient___x{i}")) for i in range(len(inputs))]
