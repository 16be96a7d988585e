# Part of ipu-mlir, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Networks in ONNX and in PyTorch."""

import importlib.util
import pathlib

import numpy as np
import onnx
import onnx.numpy_helper
import onnx.parser
import torch
import torch.nn.functional as F

from .case import Case

try:
    from torch.func import functional_call
except ImportError:  # Before PyTorch 2.0.
    from torch.nn.utils.stateless import functional_call

EXAMPLES = pathlib.Path(__file__).resolve().parent.parent.parent / "examples"


def add_initializers(model, values):
    for name, value in values.items():
        model.graph.initializer.append(onnx.numpy_helper.from_array(value, name))


def make_saver(model):
    def save(folder):
        onnx.save(model, folder / "model.onnx")
        return folder / "model.onnx"

    return save


# ===----------------------------------------------------------------------=== #
# ResNet-8
# ===----------------------------------------------------------------------=== #


def load_example():
    """examples/resnet8.py as a module."""
    spec = importlib.util.spec_from_file_location("resnet8", EXAMPLES / "resnet8.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def make_resnet8_model(weights, labels):
    """The example's network on as many pictures as there are labels, with weights as
    initializers, and cross entropy in place of the softmax."""
    model = onnx.parser.parse_model((EXAMPLES / "resnet8.onnxtxt").read_text())
    graph = model.graph
    nodes, known = [], {"x"}
    for node in graph.node:
        if known.intersection(node.input):
            nodes.append(node)
            known.update(node.output)
    del graph.node[:]
    del graph.initializer[:]
    softmax = nodes.pop()
    logits = softmax.input[0]
    graph.node.extend(nodes)
    loss = onnx.helper.make_node("SoftmaxCrossEntropyLoss", [logits, "labels"], ["loss"])
    graph.node.append(loss)
    add_initializers(model, {**weights, "labels": labels})
    graph.input[0].type.tensor_type.shape.dim[0].dim_value = len(labels)
    del graph.output[:]
    for name, shape in ((logits, [len(labels), 10]), ("loss", [])):
        type = onnx.TensorProto.FLOAT
        graph.output.append(onnx.helper.make_tensor_value_info(name, type, shape))
    return model


def compute_resnet8(labels, tensors):
    def conv(x, name, pads=(0, 0), stride=1):
        """`pads` before and after."""
        x = F.pad(x, (*pads, *pads))
        return F.conv2d(x, tensors[f"{name}_w"], tensors[f"{name}_b"], stride)

    x = F.relu(conv(tensors["x"], "conv0", (1, 1)))
    for stage in (1, 2, 3):
        pads, stride = ((1, 1), 1) if stage == 1 else ((0, 1), 2)
        y = F.relu(conv(x, f"conv{stage}a", pads, stride))
        y = conv(y, f"conv{stage}b", (1, 1))
        if stage > 1:
            x = conv(x, f"short{stage}", stride=stride)
        x = F.relu(y + x)
    dense = F.linear(x.mean((2, 3)), tensors["dense_w"], tensors["dense_b"])
    return {"dense": dense, "loss": F.cross_entropy(dense, torch.tensor(labels))}


def make_resnet8(rng):
    example = load_example()
    weights = {}
    for name, (w, b) in example.make_parameters().items():
        weights[f"{name}_w"] = w.astype(np.float32)
        weights[f"{name}_b"] = b.astype(np.float32)
    picture = example.make_picture()
    pictures = np.stack([picture, 1 - picture[:, ::-1]])
    pictures += rng.uniform(0, 0.1, pictures.shape).astype(np.float32)
    labels = np.array([3, 7], np.int64)
    return Case(
        "ResNet-8, cross entropy",
        make_saver(make_resnet8_model(weights, labels)),
        {"x": pictures},
        weights,
        "loss",
        lambda tensors: compute_resnet8(labels, tensors),
    )


# ===----------------------------------------------------------------------=== #
# Encoder layer
# ===----------------------------------------------------------------------=== #

SEQUENCES, LENGTH, WIDTH, HEADS, HIDDEN = 2, 64, 128, 4, 512

# The names of weights are those of torch.nn.TransformerEncoderLayer. Its GELU is
# written out, as ONNX has an operator from opset 20 on only.
ENCODER = f"""
<ir_version: 8, opset_import: ["" : 17]>
encoder (float[{SEQUENCES}, {LENGTH}, {WIDTH}] x) =>
    (float[{SEQUENCES}, {LENGTH}, {WIDTH}] y, float[{SEQUENCES}, {LENGTH}, {WIDTH}] z)
{{
  heads_shape = Constant <value_ints = [{SEQUENCES}, {LENGTH}, {HEADS}, {WIDTH // HEADS}]> ()
  in_w_t = Transpose <perm = [1, 0]> (in_w)
  in_product = MatMul (x, in_w_t)
  in_sum = Add (in_product, in_b)
  q, k, v = Split <axis = 2> (in_sum)
  q_heads = Reshape (q, heads_shape)
  k_heads = Reshape (k, heads_shape)
  v_heads = Reshape (v, heads_shape)
  q_t = Transpose <perm = [0, 2, 1, 3]> (q_heads)
  k_t = Transpose <perm = [0, 2, 3, 1]> (k_heads)
  v_t = Transpose <perm = [0, 2, 1, 3]> (v_heads)
  root = Constant <value_float = {(WIDTH // HEADS) ** 0.5}> ()
  products = MatMul (q_t, k_t)
  scores = Div (products, root)
  attention = Softmax <axis = -1> (scores)
  mixed = MatMul (attention, v_t)
  mixed_t = Transpose <perm = [0, 2, 1, 3]> (mixed)
  row_shape = Constant <value_ints = [{SEQUENCES}, {LENGTH}, {WIDTH}]> ()
  rows = Reshape (mixed_t, row_shape)
  out_w_t = Transpose <perm = [1, 0]> (out_w)
  out_product = MatMul (rows, out_w_t)
  out_sum = Add (out_product, out_b)
  residual1 = Add (x, out_sum)
  norm1 = LayerNormalization <axis = -1, epsilon = 1e-05> (residual1, norm1_w, norm1_b)

  linear1_w_t = Transpose <perm = [1, 0]> (linear1_w)
  linear1_product = MatMul (norm1, linear1_w_t)
  hidden = Add (linear1_product, linear1_b)
  sqrt2 = Constant <value_float = {2**0.5}> ()
  one = Constant <value_float = 1.0> ()
  half = Constant <value_float = 0.5> ()
  quotient = Div (hidden, sqrt2)
  erf = Erf (quotient)
  erf1 = Add (erf, one)
  twice = Mul (hidden, erf1)
  gelu = Mul (twice, half)
  linear2_w_t = Transpose <perm = [1, 0]> (linear2_w)
  linear2_product = MatMul (gelu, linear2_w_t)
  linear2 = Add (linear2_product, linear2_b)
  residual2 = Add (norm1, linear2)
  y = LayerNormalization <axis = -1, epsilon = 1e-05> (residual2, norm2_w, norm2_b)
  z = Mul (y, factor)
}}
"""


def make_encoder(rng):
    layer = torch.nn.TransformerEncoderLayer(
        WIDTH, HEADS, HIDDEN, dropout=0, activation="gelu", batch_first=True
    )
    names = {
        name: name.replace("self_attn.", "").replace("_proj", "").replace(".", "_")
        .replace("weight", "w").replace("bias", "b")
        for name, _ in layer.named_parameters()
    }  # fmt: skip
    weights = {}
    for name, parameter in layer.named_parameters():
        size = WIDTH**-0.5 if parameter.dim() == 2 else 0.2
        values = rng.uniform(-size, size, parameter.shape)
        if name.startswith("norm") and name.endswith("weight"):
            values += 1
        weights[names[name]] = values.astype(np.float32)
    x, factor = rng.standard_normal((2, SEQUENCES, LENGTH, WIDTH)).astype(np.float32)

    def compute(tensors):
        parameters = {name: tensors[names[name]] for name in names}
        y = functional_call(layer, parameters, (tensors["x"],))
        return {"y": y, "z": y * torch.tensor(factor)}

    model = onnx.parser.parse_model(ENCODER)
    add_initializers(model, {**weights, "factor": factor})
    return Case("encoder layer, weighted sum", make_saver(model), {"x": x}, weights, "z", compute)
