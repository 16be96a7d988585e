"""Runs recurrent networks, and compares results and gradients with recorded ones.

    check-recurrent.py CASES.json FOLDER

The results of onnxruntime are recorded for cases without gradients, and those of PyTorch
for cases with gradients. Gradients are those of the sum of all elements of all results,
each multiplied by a factor.
"""

import json
import subprocess
import sys

import numpy as np
from onnx import TensorProto, helper, numpy_helper, save

STEPS, SEQUENCES, INPUTS, HIDDEN = 3, 2, 2, 2
GATES = {"LSTM": 4, "GRU": 3, "RNN": 1}
STATES = {"LSTM": ["h", "c"], "GRU": ["h"], "RNN": ["h"]}
ELEMENTS = {np.float32: TensorProto.FLOAT, np.float16: TensorProto.FLOAT16}
OPERANDS = ["x", "w", "r", "b", "lengths", "h0", "c0", "p"]


def draw(shape, seed):
    """Numbers from -0.75 to 0.75 that have few digits."""
    return ((np.arange(np.prod(shape)) * 7 + seed * 3) % 13 - 6).astype(np.float32).reshape(shape) / 8


def get_shapes(case):
    directions = 2 if case["attributes"].get("direction") == "bidirectional" else 1
    width = GATES[case["operator"]] * HIDDEN
    batch_first = case["attributes"].get("layout") == 1
    state = [SEQUENCES, directions, HIDDEN] if batch_first else [directions, SEQUENCES, HIDDEN]
    return {
        "x": [SEQUENCES, STEPS, INPUTS] if batch_first else [STEPS, SEQUENCES, INPUTS],
        "w": [directions, width, INPUTS],
        "r": [directions, width, HIDDEN],
        "b": [directions, 2 * width],
        "h0": state,
        "c0": state,
        "p": [directions, 3 * HIDDEN],
        "y": [SEQUENCES, STEPS, directions, HIDDEN] if batch_first else [STEPS, directions, SEQUENCES, HIDDEN],
        "h": state,
        "c": state,
    }


def get_tensors(case):
    shapes = get_shapes(case)
    names = ["x", "w", "r", *case["operands"]]
    tensors = {name: draw(shapes[name], i) for i, name in enumerate(OPERANDS) if name in names and name != "lengths"}
    if "lengths" in names:
        tensors["lengths"] = np.array(case["lengths"], np.int32)
    return tensors


def get_factors(case):
    shapes = get_shapes(case)
    return {name: draw(shapes[name], 5 + i) for i, name in enumerate(["y", *STATES[case["operator"]]])}


def get_results(case):
    """The results that the node has."""
    names = ["y", *STATES[case["operator"]]]
    return [name for name in names if name not in case.get("omitted", [])]


def make_loss(case):
    """The nodes that multiply results by factors and join them as output z."""
    nodes, parts = [], []
    for name in get_results(case):
        nodes.append(helper.make_node("Mul", [name, "factor_" + name], ["scaled_" + name]))
        nodes.append(helper.make_node("Flatten", ["scaled_" + name], ["flat_" + name], axis=0))
        parts.append("flat_" + name)
    return [*nodes, helper.make_node("Concat", parts, ["z"], axis=1)]


def make_model(case, dtype=np.float32):
    """W, R, B and P are initializers, and so are the lengths if the case says so. Also
    returns the names of the inputs."""
    element = ELEMENTS[dtype]
    tensors, shapes = get_tensors(case), get_shapes(case)
    constants = ["w", "r", "b", "p"] + ["lengths"] * case.get("constant_lengths", False)
    names = [name if name in tensors else "" for name in OPERANDS]
    while not names[-1]:
        names.pop()
    results = [name if name in get_results(case) else "" for name in ["y", *STATES[case["operator"]]]]
    nodes = [helper.make_node(case["operator"], names, results, hidden_size=HIDDEN, **case["attributes"])]
    initializers = {name: value for name, value in tensors.items() if name in constants}
    outputs = [helper.make_tensor_value_info(name, element, shapes[name]) for name in get_results(case)]
    if case["reference"] == "torch":
        nodes += make_loss(case)
        initializers.update({"factor_" + name: value for name, value in get_factors(case).items()})
        outputs.append(helper.make_tensor_value_info("z", element, [1, "total"]))

    def get_type(name):
        return TensorProto.INT32 if name == "lengths" else element

    def convert(name, value):
        return numpy_helper.from_array(value if name == "lengths" else value.astype(dtype), name)

    inputs = [name for name in tensors if name not in initializers]
    graph = helper.make_graph(
        nodes,
        case["name"],
        [helper.make_tensor_value_info(name, get_type(name), tensors[name].shape) for name in inputs],
        outputs,
        [convert(name, value) for name, value in initializers.items()],
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 14)], ir_version=8), inputs


def run(case, folder, dtype, tolerance):
    model, inputs = make_model(case, dtype)
    save(model, folder + "/model.onnx")
    command = ["ipu-run", folder + "/model.onnx", "--target", "tiles=4", "--parameters=variables"]
    for name in inputs:
        value = get_tensors(case)[name]
        np.save(f"{folder}/{name}.npy", value if name == "lengths" else value.astype(dtype))
        command.append(f"--input={name}={folder}/{name}.npy")
    gradients = [name.split("___")[1] for name in case["expected"] if name.startswith("Gradient")]
    if gradients:
        command.append("--gradients=z=" + ",".join(gradients))
    subprocess.run([*command, "--output-dir", folder], check=True)
    for name, values in case["expected"].items():
        found = np.load(f"{folder}/{name}.npy").reshape(-1)
        np.testing.assert_allclose(found, values, rtol=tolerance, atol=tolerance / 4, err_msg=f"{case['name']}: {name}")


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        cases = json.load(file)
    for case in cases:
        run(case, sys.argv[2], np.float32, 1e-5)
        if case.get("is_also_f16"):
            run(case, sys.argv[2], np.float16, 1e-2)
    print(len(cases), "cases are equal")


if __name__ == "__main__":
    main()
