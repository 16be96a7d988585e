# Part of ipu-mlir, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Evaluates ONNX graphs by PyTorch.

Each operator is a Python function of its inputs. Its keyword arguments are the operator's
attributes, so Python raises an error for an unknown attribute.
"""

import onnx
import torch
import torch.nn.functional as F
from onnx import numpy_helper


def halve(pads):
    """Pads of both ends of each dimension, which have to be equal."""
    middle = len(pads) // 2
    if pads[:middle] != pads[middle:]:
        raise ValueError(f"expects equal pads at both ends but got {pads}")
    return pads[:middle]


def conv(x, weight, bias=None, *, pads, strides=1):
    return F.conv2d(x, weight, bias, strides, halve(pads))


def flatten(x, *, axis=1):
    return x.reshape(x.shape[:axis].numel(), -1)


def gather(table, index):
    return F.embedding(index, table)


def gemm(x, y, bias):
    return torch.addmm(bias, x, y)


def layer_normalization(x, scale, bias, *, axis=-1, epsilon=1e-5):
    return F.layer_norm(x, x.shape[axis:], scale, bias, epsilon)


def max_pool(x, *, kernel_shape, strides):
    return F.max_pool2d(x, kernel_shape, strides)


def reshape(x, shape):
    # A size of 0 is that of the operand.
    return x.reshape([size or x.shape[i] for i, size in enumerate(shape.tolist())])


def softmax(x, *, axis=-1):
    return x.softmax(axis)


def transpose(x, *, perm):
    return x.permute(perm)


OPERATORS = {
    "Add": torch.add,
    "Conv": conv,
    "Flatten": flatten,
    "Gather": gather,
    "Gemm": gemm,
    "LayerNormalization": layer_normalization,
    "MatMul": torch.matmul,
    "MaxPool": max_pool,
    "Mul": torch.mul,
    "Relu": torch.relu,
    "Reshape": reshape,
    "Softmax": softmax,
    "Transpose": transpose,
}


def read_attributes(node):
    return {each.name: onnx.helper.get_attribute_value(each) for each in node.attribute}


class Graph:
    """The graph of a model with one output. Its `weights` are the initializers that are
    floats, as ipu-train has it; all floats are of `dtype`."""

    def __init__(self, path, dtype):
        graph = onnx.load(str(path)).graph
        self.dtype = dtype
        self.nodes = [(node, read_attributes(node)) for node in graph.node]
        (self.output,) = (output.name for output in graph.output)
        self.weights, self.constants = {}, {}
        for tensor in graph.initializer:
            value = self.convert(numpy_helper.to_array(tensor))
            if value.is_floating_point():
                self.weights[tensor.name] = value.requires_grad_()
            else:
                self.constants[tensor.name] = value
        for node, attributes in self.nodes:
            if node.op_type == "Constant":
                self.constants[node.output[0]] = self.convert(numpy_helper.to_array(attributes["value"]))

    def convert(self, array):
        value = torch.tensor(array)
        return value.to(self.dtype) if value.is_floating_point() else value

    def evaluate(self, inputs):
        values = {**self.weights, **self.constants, **inputs}
        for node, attributes in self.nodes:
            if node.op_type == "Constant":
                continue
            operands = [values[name] for name in node.input]
            values[node.output[0]] = OPERATORS[node.op_type](*operands, **attributes)
        return values[self.output]
