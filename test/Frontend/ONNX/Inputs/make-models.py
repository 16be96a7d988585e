"""Writes binary ONNX models, most of them broken, into a folder."""

import hashlib
import os
import sys

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

FOLDER = sys.argv[1]
os.makedirs(FOLDER, exist_ok=True)


def info(name, shape, kind=TensorProto.FLOAT):
    return helper.make_tensor_value_info(name, kind, shape)


def save(name, nodes, inputs, outputs, initializers=(), edit=None):
    graph = helper.make_graph(nodes, "g", inputs, outputs, list(initializers))
    model = helper.make_model(
        graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8
    )
    if edit:
        edit(model)
    data = model.SerializeToString()
    with open(f"{FOLDER}/{name}.onnx", "wb") as file:
        file.write(data)
    return data


def add(name, tensor, shape, inputs=None, **options):
    """y = x + a tensor."""
    nodes = [helper.make_node("Add", ["x", tensor.name], ["y"], name="add")]
    return save(
        name, nodes, inputs or [info("x", shape)], [info("y", shape)], [tensor], **options
    )


def external(name, more=(), **entries):
    tensor = TensorProto(
        name="w", dims=[4], data_type=TensorProto.FLOAT, data_location=1
    )
    for key, value in [*entries.items(), *more]:
        tensor.external_data.add(key=key, value=str(value))
    add(name, tensor, [4])


def write_external_data():
    with open(f"{FOLDER}/weights.bin", "wb") as file:
        file.write(np.arange(8, dtype=np.float32).tobytes())
    os.makedirs(f"{FOLDER}/sub", exist_ok=True)
    for link in ("up", "sub/out"):
        if not os.path.lexists(f"{FOLDER}/{link}"):
            os.symlink("/etc", f"{FOLDER}/{link}")
    external("external", location="weights.bin", offset=8, length=16)
    external("external-short", location="weights.bin", offset=24)
    external("external-length", location="weights.bin", length=12)
    external("external-offset", location="weights.bin", offset="8x")
    external("external-huge", location="weights.bin", offset=2**64 - 8)
    external("external-missing", location="nowhere.bin")
    external("external-folder", location="sub")
    external("external-none")
    external("external-up", location="../weights.bin")
    external("external-inner-up", location="sub/../../weights.bin")
    external("external-absolute", location="/etc/passwd")
    external("external-link", location="up/passwd")
    external("external-twice", [("offset", 8)], location="weights.bin", offset=0)
    external("external-unknown", [("ofset", 8), ("x\x1b[2J", 1)], location="weights.bin")
    with open(f"{FOLDER}/weights.bin", "rb") as file:
        digest = hashlib.sha1(file.read()).hexdigest()
    external("external-checksum", location="weights.bin", offset=8, checksum=digest.upper())
    external("external-other", location="weights.bin", offset=8, checksum=digest[::-1])


def write_tensors():
    def tensor(kind, dims, **fields):
        return TensorProto(name="w", data_type=kind, dims=dims, **fields)

    x = [info("x", [4])]
    data = add("good", numpy_helper.from_array(np.ones(4, np.float32), "w"), [4])
    with open(f"{FOLDER}/truncated.onnx", "wb") as file:
        file.write(data[: len(data) // 2])
    with open(f"{FOLDER}/empty.onnx", "wb"):
        pass
    with open(f"{FOLDER}/garbage.onnx", "wb") as file:
        file.write(bytes(range(256)))
    add("raw-size", tensor(TensorProto.FLOAT, [4], raw_data=b"1234"), [4])
    add("typed-size", tensor(TensorProto.FLOAT, [4], float_data=[1, 2]), [4])
    add("no-data", tensor(TensorProto.FLOAT, [4]), [4])
    add("range", tensor(TensorProto.INT8, [1], int32_data=[300]), [4])
    add("negative-dim", tensor(TensorProto.FLOAT, [-1], float_data=[1]), [4])
    add("huge-dims", tensor(TensorProto.FLOAT, [1 << 40] * 2, raw_data=b""), [4])
    add("string", tensor(TensorProto.STRING, [1], string_data=[b"a"]), [4])
    add("int4", tensor(22, [3], int32_data=[1]), [4])
    weights = numpy_helper.from_array(np.arange(4, dtype=np.float32), "w")
    add("constant-input", weights, [4], inputs=x + [info("w", [4])])
    add("no-type", weights, [4], inputs=[onnx.ValueInfoProto(name="x")])

    add("name", numpy_helper.from_array(np.arange(4, dtype=np.float32), "a/b:0 \"c"), [4])

    def repeat(model):
        model.graph.initializer.append(weights)

    add("twice", weights, [4], edit=repeat)
    add("no-graph", weights, [4], edit=lambda model: model.ClearField("graph"))
    big = np.arange(1 << 19, dtype=np.float32)
    add("big", numpy_helper.from_array(big, "w"), [1 << 19])
    half = TensorProto(
        name="w", data_type=TensorProto.FLOAT16, dims=[2], int32_data=[0x3C00, 0x4000]
    )
    save(
        "half",
        [helper.make_node("Identity", ["w"], ["y"])],
        [],
        [info("y", [2], TensorProto.FLOAT16)],
        [half],
    )


def write_nodes():
    x, y = [info("x", [2])], [info("y", [2])]
    inner = helper.make_graph(
        [helper.make_node("Identity", ["x"], ["z"])], "then", [], [info("z", [2])]
    )
    branch = helper.make_node("If", ["x"], ["y"], then_branch=inner, else_branch=inner)
    save("subgraph", [branch], x, y)
    save("no-outputs", [helper.make_node("Relu", ["x"], [], name="n")], x, y)
    save("no-operator", [onnx.NodeProto(input=["x"], output=["y"])], x, y)
    strange = helper.make_node("Elu", ["x"], ["y"], name="n")
    strange.attribute.add(name="alpha", type=onnx.AttributeProto.GRAPH)
    save("attribute-kind", [strange], x, y)
    reference = helper.make_node("Elu", ["x"], ["y"], name="n")
    reference.attribute.add(name="alpha", type=1, ref_attr_name="a")
    save("attribute-reference", [reference], x, y)
    nodes = [helper.make_node("Relu", [f"v{i}"], [f"v{i + 1}"]) for i in range(3000)]
    save("deep", nodes, [info("v0", [2])], [info("v3000", [2])])
    save("unnamed-dim", [helper.make_node("Relu", ["x"], ["y"])], [info("x", [None])], y)


write_external_data()
write_tensors()
write_nodes()
