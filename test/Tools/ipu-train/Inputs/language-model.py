"""Writes a language model with an LSTM, model.onnx, and texts for its training, train.npz.

    language-model.py FOLDER
"""

import sys

import numpy as np
from onnx import TensorProto, helper, numpy_helper, save

CLASSES, WIDTH, HIDDEN, LENGTH, TEXTS = 5, 3, 4, 6, 32
SHAPES = {
    "table": [CLASSES, WIDTH],
    "w": [1, 4 * HIDDEN, WIDTH],
    "r": [1, 4 * HIDDEN, HIDDEN],
    "b": [1, 8 * HIDDEN],
    "head": [HIDDEN, CLASSES],
    "bias": [CLASSES],
}


def make_weights():
    """Numbers from -0.75 to 0.75 that have few digits."""
    return {
        name: ((np.arange(np.prod(shape)) * 7 + 3 * i) % 13 - 6).astype(np.float32).reshape(shape) / 8
        for i, (name, shape) in enumerate(SHAPES.items())
    }


def make_texts():
    """Texts in which the difference of two characters is that of the two before them."""
    first, step = np.arange(TEXTS) % CLASSES, 1 + np.arange(TEXTS) // CLASSES % 2
    text = (first[:, None] + step[:, None] * np.arange(LENGTH + 1)).astype(np.int32) % CLASSES
    return {"text": text[:, :-1], "next": text[:, 1:]}


def make_model():
    nodes = [
        helper.make_node("Gather", ["table", "text"], ["embedded"], "embedding"),
        helper.make_node("Transpose", ["embedded"], ["steps"], "steps", perm=[1, 0, 2]),
        helper.make_node("LSTM", ["steps", "w", "r", "b"], ["y", "h", "c"], "lstm", hidden_size=HIDDEN),
        helper.make_node("Squeeze", ["y", "direction"], ["hidden"], "squeeze"),
        helper.make_node("MatMul", ["hidden", "head"], ["product"], "head"),
        helper.make_node("Add", ["product", "bias"], ["scores"], "bias"),
        # The loss takes classes in dimension 1.
        helper.make_node("Transpose", ["scores"], ["logits"], "order", perm=[1, 2, 0]),
    ]
    constants = {**make_weights(), "direction": np.array([1])}
    graph = helper.make_graph(
        nodes,
        "language",
        [helper.make_tensor_value_info("text", TensorProto.INT32, ["batch", LENGTH])],
        [helper.make_tensor_value_info("logits", TensorProto.FLOAT, ["batch", CLASSES, LENGTH])],
        [numpy_helper.from_array(value, name) for name, value in constants.items()],
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


if __name__ == "__main__":
    save(make_model(), sys.argv[1] + "/model.onnx")
    np.savez(sys.argv[1] + "/train.npz", **make_texts())
