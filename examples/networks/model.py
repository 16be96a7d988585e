# Part of ipu-mlir, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Models in ONNX that are written node by node, and layers that several networks share."""

import contextlib
import math

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

ELEMENTS = {"f32": (np.float32, TensorProto.FLOAT), "f16": (np.float16, TensorProto.FLOAT16)}
# The opset that introduced RMSNormalization and RotaryEmbedding, and its version of the file format.
OPSET, IR_VERSION = 23, 10


class Value(str):
    """The name of a value, which knows its shape."""

    def __new__(cls, name, shape):
        value = super().__new__(cls, name)
        value.shape = tuple(map(int, shape))
        return value


class Model:
    """A graph with its weights, which go to a file beside the model. `path` is that of the model.

    Without `has_weights`, there is no such file, and the weights only have shapes.
    """

    def __init__(self, path, element="f32", seed=1, has_weights=True):
        self.path, (self.dtype, self.element) = path, ELEMENTS[element]
        self.random = np.random.default_rng(seed)
        self.data = open(path.with_suffix(".weights"), "wb") if has_weights else None
        self.nodes, self.initializers, self.prefix, self.names = [], [], "", {}
        self.inputs, self.outputs, self.size = {}, {}, 0

    @contextlib.contextmanager
    def scope(self, name):
        """Nodes and weights in the scope have names that start with `name/`."""
        outer, self.prefix = self.prefix, f"{self.prefix}{name}/"
        yield
        self.prefix = outer

    def make_name(self, name):
        """The name in the scope, with a number if it is not the first of its kind."""
        name = self.prefix + name
        self.names[name] = count = self.names.get(name, -1) + 1
        return f"{name}_{count}" if count else name

    def input(self, name, *shape, below=None):
        """An input of floats or, with `below`, of integers from 0 to `below` - 1."""
        self.inputs[name] = (shape, below)
        return Value(name, shape)

    def output(self, name, value):
        self.outputs[name] = value

    def constant(self, values, name="constant"):
        """A constant in the model itself. Values in f64 get the element type of the model."""
        values = np.asarray(values)
        values = values.astype(self.dtype) if values.dtype == np.float64 else values
        self.initializers.append(numpy_helper.from_array(values, self.make_name(name)))
        return Value(self.initializers[-1].name, values.shape)

    def weight(self, name, *shape, mean=0.0, deviation=0.1):
        """A weight with normally distributed values."""
        tensor = TensorProto(name=self.make_name(name), dims=shape)
        tensor.data_type, tensor.data_location = self.element, TensorProto.EXTERNAL
        length = math.prod(shape) * np.dtype(self.dtype).itemsize
        entries = {"location": self.path.with_suffix(".weights").name, "offset": self.size, "length": length}
        for key, value in entries.items():
            tensor.external_data.add(key=key, value=str(value))
        if self.data:
            values = self.random.standard_normal(shape, dtype=np.float32) * np.float32(deviation) + np.float32(mean)
            self.data.write(values.astype(self.dtype).tobytes())
        self.size += length
        self.initializers.append(tensor)
        return Value(tensor.name, shape)

    def op(self, kind, *operands, name=None, shape=None, shapes=None, **attributes):
        """A node with one result or, with `shapes`, with several. Without both, the result has the shape to which the
        operands broadcast."""
        name = self.make_name(name or kind.lower())
        shape = np.broadcast_shapes(*(x.shape for x in operands)) if shape is None and shapes is None else shape
        results = [Value(f"{name}:{i}", size) for i, size in enumerate(shapes or [shape])]
        self.nodes.append(helper.make_node(kind, operands, results, name=name, **attributes))
        return results if shapes else results[0]

    def save(self):
        renamed = {value: name for name, value in self.outputs.items()}
        for node in self.nodes:
            node.input[:] = [renamed.get(x, x) for x in node.input]
            node.output[:] = [renamed.get(x, x) for x in node.output]
        info = helper.make_tensor_value_info
        inputs = [info(name, self.element if below is None else TensorProto.INT32, shape)
                  for name, (shape, below) in self.inputs.items()]
        outputs = [info(name, self.element, value.shape) for name, value in self.outputs.items()]
        graph = helper.make_graph(self.nodes, self.path.stem, inputs, outputs, self.initializers)
        onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", OPSET)], ir_version=IR_VERSION),
                  self.path)
        if self.data:
            self.data.close()

    # Data movement

    def reshape(self, x, *shape, name=None):
        return self.op("Reshape", x, self.constant(np.array(shape, np.int64), "shape"), name=name, shape=shape)

    def transpose(self, x, *order, name=None):
        return self.op("Transpose", x, name=name, shape=[x.shape[i] for i in order], perm=order)

    def concat(self, values, axis, name=None):
        shape = list(values[0].shape)
        shape[axis] = sum(x.shape[axis] for x in values)
        return self.op("Concat", *values, name=name, shape=shape, axis=axis)

    def slice(self, x, axis, start, end, name=None):
        shape = list(x.shape)
        shape[axis] = len(range(shape[axis])[start:end])
        bounds = (self.constant(np.array([value], np.int64), "bound") for value in (start, end, axis))
        return self.op("Slice", x, *bounds, name=name, shape=shape)

    def gather(self, table, indices, name=None):
        return self.op("Gather", table, indices, name=name, shape=[*indices.shape, *table.shape[1:]])

    def double_size(self, x, name=None):
        """Nearest neighbours in twice as many rows and columns."""
        scales = self.constant(np.array([1, 1, 2, 2], np.float32), "scales")
        n, c, h, w = x.shape
        return self.op("Resize", x, "", scales, name=name, shape=[n, c, 2 * h, 2 * w], mode="nearest",
                       coordinate_transformation_mode="asymmetric", nearest_mode="floor")

    # Layers

    def matmul(self, x, y, name=None):
        shape = [*np.broadcast_shapes(x.shape[:-2], y.shape[:-2]), x.shape[-2], y.shape[-1]]
        return self.op("MatMul", x, y, name=name, shape=shape)

    def linear(self, name, x, outputs, has_bias=True):
        weight = self.weight(f"{name}.weight", x.shape[-1], outputs, deviation=x.shape[-1] ** -0.5)
        y = self.matmul(x, weight, name)
        return self.op("Add", y, self.weight(f"{name}.bias", outputs), name=f"{name}_bias") if has_bias else y

    def conv(self, name, x, channels, kernel, stride=1, groups=1, has_bias=True, pad=None):
        """A convolution of one or two dimensions. By default, it keeps the size if the stride is 1."""
        rank, inputs = len(x.shape) - 2, x.shape[1] // groups
        pad, fan_in = kernel // 2 if pad is None else pad, inputs * kernel**rank
        operands = [self.weight(f"{name}.weight", channels, inputs, *[kernel] * rank, deviation=(2 / fan_in) ** 0.5)]
        operands += [self.weight(f"{name}.bias", channels)] if has_bias else []
        sizes = [(size + 2 * pad - kernel) // stride + 1 for size in x.shape[2:]]
        return self.op("Conv", x, *operands, name=name, shape=[x.shape[0], channels, *sizes], group=groups,
                       kernel_shape=[kernel] * rank, strides=[stride] * rank, pads=[pad] * (2 * rank))

    def batch_norm(self, name, x, scale=1):
        """Scales have the mean `scale`."""
        statistics = {"scale": (scale, 0.1), "bias": (0, 0.1), "mean": (0, 0.1), "variance": (1, 0.1)}
        operands = [self.weight(f"{name}.{key}", x.shape[1], mean=mean, deviation=deviation)
                    for key, (mean, deviation) in statistics.items()]
        return self.op("BatchNormalization", x, *operands, name=name, shape=x.shape, epsilon=1e-5)

    def group_norm(self, name, x, groups):
        scale, bias = self.weight(f"{name}.scale", x.shape[1], mean=1), self.weight(f"{name}.bias", x.shape[1])
        return self.op("GroupNormalization", x, scale, bias, name=name, shape=x.shape, num_groups=groups, epsilon=1e-5)

    def layer_norm(self, name, x, epsilon=1e-5):
        scale, bias = self.weight(f"{name}.scale", x.shape[-1], mean=1), self.weight(f"{name}.bias", x.shape[-1])
        return self.op("LayerNormalization", x, scale, bias, name=name, axis=-1, epsilon=epsilon)

    def rms_norm(self, name, x, epsilon=1e-5):
        scale = self.weight(f"{name}.scale", x.shape[-1], mean=1)
        return self.op("RMSNormalization", x, scale, name=name, axis=-1, epsilon=epsilon)

    def silu(self, x):
        return self.op("Mul", x, self.op("Sigmoid", x))

    def max_pool(self, x, kernel, stride):
        pad = kernel // 2
        sizes = [(size + 2 * pad - kernel) // stride + 1 for size in x.shape[2:]]
        return self.op("MaxPool", x, shape=[*x.shape[:2], *sizes], kernel_shape=[kernel] * 2, strides=[stride] * 2,
                       pads=[pad] * 4)

    def mean_of_channels(self, x):
        """The mean of each channel, as an image of one pixel."""
        return self.op("GlobalAveragePool", x, shape=[*x.shape[:2], 1, 1])

    # Attention

    def split_heads(self, x, heads):
        """[batch, tokens, width] to [batch, heads, tokens, width / heads]."""
        batch, tokens, width = x.shape
        return self.transpose(self.reshape(x, batch, tokens, heads, width // heads), 0, 2, 1, 3)

    def join_heads(self, x):
        batch, heads, tokens, width = x.shape
        return self.reshape(self.transpose(x, 0, 2, 1, 3), batch, tokens, heads * width)

    def regroup(self, x, heads):
        """The rows of successive heads in one matrix, or the reverse."""
        batch, parts, rows, width = x.shape
        return x if parts == heads else self.reshape(x, batch, heads, parts * rows // heads, width)

    def attend(self, query, key, value, mask=None):
        """softmax(Q K^T / sqrt(d) + mask) V for each head (Vaswani et al., "Attention is all you need", 2017, section
        3.2.1). If there are fewer heads of keys, successive heads of queries share one (Ainslie et al., "GQA", 2023)."""
        heads, groups = query.shape[1], key.shape[1]
        scaled = self.op("Mul", query, self.constant(query.shape[-1] ** -0.5, "scale"), name="scaled")
        scores = self.matmul(self.regroup(scaled, groups), self.transpose(key, 0, 1, 3, 2), "scores")
        scores = self.regroup(scores, heads)
        scores = self.op("Add", scores, mask, name="masked") if mask else scores
        shares = self.op("Softmax", scores, name="shares", axis=-1)
        return self.regroup(self.matmul(self.regroup(shares, groups), value, "context"), heads)

    def self_attention(self, x, heads, mask=None, key_has_bias=True):
        query, key, value = (self.split_heads(self.linear(name, x, x.shape[-1], has_bias), heads)
                             for name, has_bias in (("query", True), ("key", key_has_bias), ("value", True)))
        return self.linear("output", self.join_heads(self.attend(query, key, value, mask)), x.shape[-1])

    def feed_forward(self, x, hidden, approximate="none"):
        y = self.op("Gelu", self.linear("up", x, hidden), name="gelu", approximate=approximate)
        return self.linear("down", y, x.shape[-1])
