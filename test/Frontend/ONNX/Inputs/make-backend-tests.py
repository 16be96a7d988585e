"""Writes a few tests in the form of ONNX's backend tests into a folder."""

import os
import sys

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

FOLDER = sys.argv[1]


def save_tensor(path, values, name):
    tensor = numpy_helper.from_array(np.array(values, np.float32), name)
    with open(path, "wb") as file:
        file.write(tensor.SerializeToString())


def make(name, operator, expected, operands=("x", "w"), **attributes):
    infos = [helper.make_tensor_value_info(i, TensorProto.FLOAT, [2]) for i in ["w", "x"]]
    weights = numpy_helper.from_array(np.array([1, 2], np.float32), "w")
    result = helper.make_tensor_value_info("y", TensorProto.FLOAT, [2])
    node = helper.make_node(operator, operands, ["y"], **attributes)
    # The initializer is the first input of the graph, but has no file.
    graph = helper.make_graph([node], "g", infos, [result], [weights])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)])
    data = f"{FOLDER}/{name}/test_data_set_0"
    os.makedirs(data, exist_ok=True)
    onnx.save(model, f"{FOLDER}/{name}/model.onnx")
    save_tensor(f"{data}/input_0.pb", [3, 4], "x")
    save_tensor(f"{data}/output_0.pb", expected, "y")


make("test_good", "Add", [4, 6])
make("test_wrong", "Sub", [4, 6])
make("test_unknown", "Foo", [4, 6])
make("test_unknown_too", "Foo", [4, 6])
make("test_cast", "Cast", [4, 6], operands=["x"], to=TensorProto.STRING)
make("test_invalid", "Relu", [4, 6])
superseded = "test_averagepool_3d_dilations_large_count_include_pad_is_1_ceil_mode_is_True"
make(superseded, "Sub", [4, 6])
make("test_bernoulli", "Sub", [4, 6])
