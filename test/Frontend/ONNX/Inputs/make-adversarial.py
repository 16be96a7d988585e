#===- make-adversarial.py - Binary ONNX models that attack an importer -----===//
#
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""Writes models to the folder argv[1]."""

import os
import sys

from onnx import TensorProto, helper

FLOAT, INT64, BOOL = TensorProto.FLOAT, TensorProto.INT64, TensorProto.BOOL
folder = sys.argv[1]
os.makedirs(folder, exist_ok=True)


def value(name, shape=(2,), kind=FLOAT):
    return helper.make_tensor_value_info(name, kind, shape)


def write(name, nodes, initializers=(), opsets=(("", 17),), inputs=None, outputs=None, replace=None):
    graph = helper.make_graph(nodes, "g", inputs or [value("x")], outputs or [value("y")], list(initializers))
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid(*opset) for opset in opsets])
    model.ir_version = 8
    data = model.SerializeToString()
    if replace:
        data = data.replace(*replace)
    with open(f"{folder}/{name}.onnx", "wb") as file:
        file.write(data)


def node(kind, inputs, outputs, **attributes):
    return helper.make_node(kind, inputs, outputs, **attributes)


def body(nodes, outputs=("d", "w")):
    return helper.make_graph(nodes, "body", [value("n", (), INT64), value("c", (), BOOL), value("v")],
                             [value(outputs[0], (), BOOL), value(outputs[1])])


def tensor(name, dims, **fields):
    result = TensorProto(name=name, data_type=FLOAT, dims=dims)
    for key, text in fields.items():
        result.data_location = TensorProto.EXTERNAL
        result.external_data.add(key=key, value=text)
    return result


# A cycle of the main graph, of a body, and one through the values that a body uses; a node that uses itself.
write("cycle", [node("Add", ["x", "b"], ["a"]), node("Relu", ["a"], ["b"]), node("Neg", ["b"], ["y"])])
write("self", [node("Add", ["x", "y"], ["y"])])
three = helper.make_tensor("m", INT64, (), [3])
write("cycle-body", [node("Loop", ["m", "", "x"], ["y"], body=body(
    [node("Identity", ["c"], ["d"]), node("Add", ["v", "u"], ["w"]), node("Neg", ["w"], ["u"])]))], [three])
write("cycle-capture", [node("Loop", ["m", "", "x"], ["y"], body=body(
    [node("Identity", ["c"], ["d"]), node("Add", ["v", "z"], ["w"])])), node("Neg", ["y"], ["z"])], [three])
# Parts of the graph that no output depends on, with and without errors, have no effect.
write("disconnected", [node("Relu", ["x"], ["y"]), node("Foo", ["nowhere"], ["p"]), node("Add", ["q", "q"], ["q2"]),
                       node("Neg", ["r"], ["r"])])
# Names that nothing defines.
write("dangling-body", [node("Loop", ["m", "", "x"], ["y"], body=body(
    [node("Identity", ["c"], ["d"]), node("Add", ["v", "nowhere"], ["w"])]))], [three])
write("dangling-output", [node("Loop", ["m", "", "x"], ["y"], body=body([node("Identity", ["c"], ["d"])]))], [three])
# The values of a body are not visible outside of it.
write("dangling-inner", [node("Loop", ["m", "", "x"], ["p"], body=body(
    [node("Identity", ["c"], ["d"]), node("Neg", ["v"], ["w"])])), node("Add", ["p", "w"], ["y"])], [three])
# Tensors of 2 GiB and more, without data.
huge = 1 << 29
write("huge", [node("Relu", ["t"], ["y"])], [tensor("t", [huge])])
write("huge-external", [node("Relu", ["t"], ["y"])], [tensor("t", [huge], location="weights.bin", length=str(4 * huge))])
write("huge-overflow", [node("Relu", ["t"], ["y"])], [tensor("t", [1 << 62, 4])])
write("huge-offset", [node("Relu", ["t"], ["y"])],
      [tensor("t", [2], location="weights.bin", offset=str(2**64 - 4), length="8")])
with open(f"{folder}/weights.bin", "wb") as file:
    file.write(bytes(8))
write("opset", [node("Relu", ["x"], ["y"])], opsets=[("", 99)])
write("domains", [node("Relu", ["x"], ["a"], domain="ai.onnx"), node("Relu", ["a"], ["b"], domain="ai.onnx.ml"),
                  node("Relu", ["b"], ["y"], domain="com.example")],
      opsets=[("", 17), ("ai.onnx.ml", 3), ("com.example", 99)])
# Names that are not UTF-8: of a node, of values, and of an output.
write("utf8", [node("Add", ["x", "WWWW"], ["AAAA"], name="NNNN"), node("Neg", ["AAAA"], ["YYYY"])],
      [helper.make_tensor("WWWW", FLOAT, (2,), [1, 2])], outputs=[value("YYYY")], replace=(b"YYYY", b"Y\xff\xc0\x01"))
write("utf8-error", [node("Foo", ["x"], ["y"], name="NNNN")], replace=(b"NNNN", b"N\xff\xfe\x1b"))
