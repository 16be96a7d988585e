"""Trains linear.onnxtxt by numpy, in f64, and compares losses, accuracies and weights.

    reference.py TRAIN.npz TEST.npz LOG.csv WEIGHTS.npz LOSS BATCH EPOCHS SEED RATE [IGNORED [CLASS-WEIGHT...]]
"""

import csv
import sys

import numpy as np

W = [[0.1, -0.2, 0.3, 0.4], [-0.5, 0.6, 0.7, -0.8], [0.9, 0.15, -0.25, 0.35]]
B = [0.0, 0.1, -0.1, 0.2]
MASK = (1 << 64) - 1


def mix(state):
    """The next state of SplitMix64, and its number."""
    state = (state + 0x9E3779B97F4A7C15) & MASK
    z = ((state ^ (state >> 30)) * 0xBF58476D1CE4E5B9) & MASK
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
    return state, z ^ (z >> 31)


def shuffle(count, seed, epoch):
    order = list(range(count))
    state = 0
    for number in (seed, epoch):
        state = mix(state ^ number)[1]
    for i in range(count - 1, 0, -1):
        state, number = mix(state)
        j = number % (i + 1)
        order[i], order[j] = order[j], order[i]
    return order


def weigh(target, ignored, class_weights):
    """The weights of labels, and which labels count."""
    counts = target != ignored
    weights = np.array(class_weights or np.ones(4))[np.where(counts, target, 0)]
    return weights * counts, counts


def evaluate(kind, y, target, ignored, class_weights):
    """The loss and its gradient, and which of the samples that count are right."""
    if kind == "cross_entropy":
        weights, counts = weigh(target, ignored, class_weights)
        p = np.exp(y - y.max(1, keepdims=True))
        p /= p.sum(1, keepdims=True)
        wanted = np.eye(y.shape[1])[np.where(counts, target, 0)]
        losses = -np.log((p * wanted).sum(1))
        gradient = (p - wanted) * (weights / weights.sum())[:, None]
        return np.average(losses, weights=weights), gradient, (y.argmax(1) == target)[counts]
    losses, gradient, right = evaluate_elements(kind, y, target)
    return losses.mean(), gradient / losses.size, right


def evaluate_elements(kind, y, target):
    """Losses of elements, their gradients, and which elements are right."""
    if kind == "binary_cross_entropy_of_logits":
        loss = np.maximum(y, 0) - y * target + np.log1p(np.exp(-np.abs(y)))
        return loss, 1 / (1 + np.exp(-y)) - target, (y > 0) == (target > 0.5)
    return (y - target) ** 2, 2 * (y - target), None


def main():
    train, test, log, weights, kind, *numbers = sys.argv[1:]
    batch, epochs, seed = map(int, numbers[:3])
    rate = float(numbers[3])
    labels = int(numbers[4]) if len(numbers) > 4 else -100, list(map(float, numbers[5:]))
    name = {"l2": "value", "cross_entropy": "label"}.get(kind, "bit")
    train, test = np.load(train), np.load(test)
    w, b = np.array(W), np.array(B)
    rows = iter(csv.DictReader(open(log)))
    update = 0

    def check(row, prefix, loss, right):
        np.testing.assert_allclose(float(row[prefix + "loss"]), loss, rtol=2e-6)
        if right is None:
            assert row[prefix + "accuracy"] == "", row
        else:
            np.testing.assert_allclose(float(row[prefix + "accuracy"]), right.mean(), atol=1e-6)

    for epoch in range(epochs):
        order = shuffle(len(train["x"]), seed, epoch)
        for start in range(0, len(order) - batch + 1, batch):
            part = order[start : start + batch]
            x = train["x"][part].astype(np.float64)
            loss, gradient, right = evaluate(kind, x @ w + b, train[name][part], *labels)
            update += 1
            row = next(rows)
            assert (row["update"], row["epoch"]) == (str(update), str(epoch + 1)), row
            check(row, "", loss, right)
            w -= rate * x.T @ gradient
            b -= rate * gradient.sum(0)
        loss, _, right = evaluate(kind, test["x"] @ w + b, test[name], *labels)
        check(row, "validation_", loss, right)
    assert next(rows, None) is None
    found = np.load(weights)
    np.testing.assert_allclose(found["w"], w, rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(found["b"], b, rtol=1e-5, atol=1e-6)
    print("equal")


if __name__ == "__main__":
    main()
