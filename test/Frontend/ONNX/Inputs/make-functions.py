"""Writes models with functions whose fields are newer than the onnx module."""

import pathlib
import sys

import onnx
from onnx import helper

folder = pathlib.Path(sys.argv[1])
folder.mkdir(parents=True, exist_ok=True)


def add_field(message, number, value):
    """Adds a field of bytes that the module does not know."""
    message.MergeFromString(bytes([number << 3 | 2, len(value)]) + value)


def make_function(overload, defaults):
    node = helper.make_node("LeakyRelu", ["a"], ["b"])
    node.attribute.add(
        name="alpha", type=onnx.AttributeProto.FLOAT, ref_attr_name="slope"
    )
    opset = helper.make_opsetid("", 17)
    function = helper.make_function("local", "leak", ["a"], ["b"], [node], [opset])
    for default in defaults:
        add_field(function, 11, default)
    if overload is not None:
        add_field(function, 13, overload)
    return function


def make_default(slope):
    return helper.make_attribute("slope", slope).SerializeToString()


def save(name, nodes, functions):
    info = [helper.make_tensor_value_info(n, 1, [2]) for n in ("x", "y")]
    graph = helper.make_graph(nodes, name, info[:1], info[1:])
    opsets = [helper.make_opsetid("", 17), helper.make_opsetid("local", 1)]
    model = helper.make_model(graph, opset_imports=opsets, functions=functions)
    (folder / f"{name}.onnx").write_bytes(model.SerializeToString())


def call(x, y, overload=None, **attributes):
    node = helper.make_node("leak", [x], [y], domain="local", **attributes)
    if overload is not None:
        add_field(node, 8, overload)
    return node


save(
    "defaults",
    [call("x", "a"), call("a", "y", slope=0.5)],
    [make_function(None, [make_default(0.25)])],
)
save(
    "overloads",
    [call("x", "a", b"one"), call("a", "y", b"two")],
    [make_function(b"one", [make_default(0.125)]), make_function(b"two", [])],
)
save("missing", [call("x", "y", b"three")], [make_function(b"one", [])])
save("malformed", [call("x", "y")], [make_function(None, [b"\xff\xff"])])
unknown = make_function(None, [])
add_field(unknown, 15, b"a")
save("unknown", [call("x", "y")], [unknown])
save("empty-overload", [call("x", "a", b""), call("a", "y")], [make_function(b"", [])])
unsupported = helper.make_function(
    "local", "leak", ["a"], ["b"], [helper.make_node("Bar", ["a"], ["b"])], [helper.make_opsetid("", 17)]
)
save("body", [helper.make_node("Foo", ["x"], ["a"]), call("a", "y")], [unsupported])
