"""Writes the tensors of onnx-shapes.test to a folder."""

import pathlib
import sys

import numpy as np
from onnx import helper, numpy_helper

folder = pathlib.Path(sys.argv[1])
shape = np.array([2, -1])
np.save(folder / "s.npy", shape)
(folder / "s.pb").write_bytes(numpy_helper.from_array(shape).SerializeToString())
np.save(folder / "x.npy", np.arange(6, dtype=np.float32).reshape(3, 2))
np.save(folder / "four.npy", np.zeros((4, 2), np.float32))
np.save(folder / "large.npy", np.arange(2048))
np.save(folder / "true.npy", np.array(True))


def save_model(name, node, inputs, initializers=()):
    output = helper.make_tensor_value_info("y", 1, inputs[0][1])
    inputs = [helper.make_tensor_value_info(name, 1, shape) for name, shape in inputs]
    graph = helper.make_graph([node], "g", inputs, [output], initializers)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)])
    (folder / name).write_bytes(model.SerializeToString())


save_model("negative.onnx", helper.make_node("Relu", ["x"], ["y"]), [("x", [-1, 2])])
weights = numpy_helper.from_array(np.array([1, 2], np.float32), "w")
product = helper.make_node("Mul", ["x", "w"], ["y"])
save_model("default.onnx", product, [("x", [2]), ("w", [2])], [weights])
