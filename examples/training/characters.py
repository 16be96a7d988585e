#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Creates a transformer that predicts the next character, and text for its training.

    examples/training/characters.py DIR [--text FOLDER] [--train N] [--test N] [--layers N] [--seed N]

The script writes these files to DIR:

- train.npz and test.npz: arrays `text` and `next` [N, 64] of characters of the project's
  documentation (or of all .md files in FOLDER). `next` is `text`, shifted by one
  character. The last tenth of each file is for the test. --train and --test are the
  numbers of samples, which are chosen at random;
- characters.onnx: a transformer with --layers layers (default: 4) of width 64 and with
  random weights. It returns `logits` [N, characters, 64].

The script prints the test loss of bigram statistics, in nats per character.
"""

import argparse
import pathlib

import numpy as np

LENGTH, WIDTH, HEADS = 64, 64, 4
DOCS = pathlib.Path(__file__).resolve().parent.parent.parent / "docs"


def read_texts(folder):
    """The characters of the files as numbers, and the number of different characters. Rare ones are 0."""
    texts = [path.read_text(encoding="utf-8") for path in sorted(folder.rglob("*.md"))]
    characters, counts = np.unique(list("".join(texts)), return_counts=True)
    number = {c: i + 1 for i, c in enumerate(characters[counts >= 10])}
    return [np.array([number.get(c, 0) for c in text]) for text in texts], len(number) + 1


def cut(texts, step):
    rows = [t[i : i + LENGTH + 1] for t in texts for i in range(0, len(t) - LENGTH, step)]
    rows = np.stack(rows).astype(np.int32)
    return {"text": rows[:, :-1], "next": rows[:, 1:]}


def choose(samples, count, seed):
    """`count` of the samples, or all."""
    total = len(samples["text"])
    if count is None:
        return samples
    if not 0 < count <= total:
        raise SystemExit(f"characters.py: expects from 1 to {total} samples but got {count}")
    rows = np.sort(np.random.default_rng(seed).permutation(total)[:count])
    return {name: array[rows] for name, array in samples.items()}


def bigram_loss(train, test, count):
    """The loss of pair frequencies in the training text; each pair counts once more."""
    pairs = np.ones((count, count))
    np.add.at(pairs, (train["text"], train["next"]), 1)
    probabilities = pairs / pairs.sum(1, keepdims=True)
    return -np.log(probabilities[test["text"], test["next"]]).mean()


class Network:
    def __init__(self, rng):
        from onnx import helper, numpy_helper

        self.rng, self.helper, self.from_array = rng, helper, numpy_helper.from_array
        self.nodes, self.initializers = [], []

    def constant(self, name, array):
        self.initializers.append(self.from_array(array, name))
        return name

    def parameter(self, name, *shape, scale):
        return self.constant(name, (self.rng.standard_normal(shape) * scale).astype(np.float32))

    def node(self, operator, *inputs, name, **attributes):
        output = name + ".out"
        self.nodes.append(self.helper.make_node(operator, inputs, [output], name, **attributes))
        return output

    def dense(self, x, name, inputs, outputs):
        weight = self.parameter(name + ".weight", inputs, outputs, scale=inputs**-0.5)
        bias = self.constant(name + ".bias", np.zeros(outputs, np.float32))
        return self.node("Add", self.node("MatMul", x, weight, name=name), bias, name=name + ".add")

    def norm(self, x, name):
        scale = self.constant(name + ".scale", np.ones(WIDTH, np.float32))
        bias = self.constant(name + ".bias", np.zeros(WIDTH, np.float32))
        return self.node("LayerNormalization", x, scale, bias, name=name, axis=-1)

    def attention(self, x, name):
        def heads(part, order):
            y = self.dense(x, f"{name}.{part}", WIDTH, WIDTH)
            y = self.node("Reshape", y, "split", name=f"{name}.{part}.split")
            return self.node("Transpose", y, name=f"{name}.{part}.order", perm=order)

        query, key, value = heads("query", [0, 2, 1, 3]), heads("key", [0, 2, 3, 1]), heads("value", [0, 2, 1, 3])
        scores = self.node("MatMul", query, key, name=name + ".scores")
        scores = self.node("Mul", scores, "scale", name=name + ".scale")
        scores = self.node("Add", scores, "mask", name=name + ".mask")
        weights = self.node("Softmax", scores, name=name + ".softmax", axis=-1)
        y = self.node("MatMul", weights, value, name=name + ".mix")
        y = self.node("Transpose", y, name=name + ".order", perm=[0, 2, 1, 3])
        y = self.node("Reshape", y, "join", name=name + ".join")
        return self.dense(y, name + ".project", WIDTH, WIDTH)

    def layer(self, x, name):
        x = self.node("Add", x, self.attention(self.norm(x, name + ".norm1"), name), name=name + ".add1")
        y = self.dense(self.norm(x, name + ".norm2"), name + ".up", WIDTH, 4 * WIDTH)
        y = self.dense(self.node("Relu", y, name=name + ".relu"), name + ".down", 4 * WIDTH, WIDTH)
        return self.node("Add", x, y, name=name + ".add2")

    def build(self, count, layers):
        helper = self.helper
        # Values that must not be weights: shapes are integers, and the mask and the scale are Constants.
        self.constant("split", np.array([0, LENGTH, HEADS, WIDTH // HEADS]))
        self.constant("join", np.array([0, LENGTH, WIDTH]))
        later = np.triu(np.ones((LENGTH, LENGTH)), 1)
        for name, value in (("mask", -1e4 * later), ("scale", (WIDTH // HEADS) ** -0.5)):
            tensor = self.from_array(np.array(value, np.float32))
            self.nodes.append(helper.make_node("Constant", [], [name], name, value=tensor))
        table = self.parameter("table", count, WIDTH, scale=1)
        places = self.parameter("places", LENGTH, WIDTH, scale=0.1)
        x = self.node("Gather", table, "text", name="embedding")
        x = self.node("Add", x, places, name="embedding.add")
        for number in range(layers):
            x = self.layer(x, f"layer{number}")
        x = self.dense(self.norm(x, "norm"), "head", WIDTH, count)
        # The loss takes classes in dimension 1.
        self.nodes.append(helper.make_node("Transpose", [x], ["logits"], "order", perm=[0, 2, 1]))
        graph = helper.make_graph(
            self.nodes,
            "characters",
            [helper.make_tensor_value_info("text", 6, ["batch", LENGTH])],
            [helper.make_tensor_value_info("logits", 1, ["batch", count, LENGTH])],
            self.initializers,
        )
        return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", metavar="DIR", type=pathlib.Path)
    parser.add_argument("--text", metavar="FOLDER", type=pathlib.Path, default=DOCS)
    parser.add_argument("--train", metavar="N", type=int, help="samples to train with (default: all)")
    parser.add_argument("--test", metavar="N", type=int, help="samples to test with (default: all)")
    parser.add_argument("--layers", metavar="N", type=int, default=4)
    parser.add_argument("--seed", metavar="N", type=int, default=0)
    arguments = parser.parse_args()
    arguments.folder.mkdir(parents=True, exist_ok=True)
    texts, count = read_texts(arguments.text)
    train = cut([text[: len(text) * 9 // 10] for text in texts], LENGTH // 2)
    test = cut([text[len(text) * 9 // 10 :] for text in texts], LENGTH)
    np.savez(arguments.folder / "train.npz", **choose(train, arguments.train, arguments.seed))
    np.savez(arguments.folder / "test.npz", **choose(test, arguments.test, arguments.seed))
    model = Network(np.random.default_rng(arguments.seed)).build(count, arguments.layers)
    (arguments.folder / "characters.onnx").write_bytes(model.SerializeToString())
    print(f"loss by bigrams: {bigram_loss(train, test, count):.4f}")


if __name__ == "__main__":
    main()
