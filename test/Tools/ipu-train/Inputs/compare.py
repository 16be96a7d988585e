"""Compares losses and weights of two trainings.

    compare.py FIRST SECOND ATOL

reads FIRST.csv and FIRST.npz, and those of SECOND."""

import csv
import sys

import numpy as np

first, second, atol = sys.argv[1], sys.argv[2], float(sys.argv[3])


def read(name):
    with open(name + ".csv", encoding="utf-8") as file:
        losses = np.array([float(row["loss"]) for row in csv.DictReader(file)])
    return losses, dict(np.load(name + ".npz"))


(losses, weights), (other_losses, other_weights) = read(first), read(second)
np.testing.assert_allclose(losses, other_losses, rtol=0, atol=atol)
assert losses[-1] < losses[0], losses
assert weights.keys() == other_weights.keys()
for name, weight in weights.items():
    assert weight.any(), name
    np.testing.assert_allclose(weight, other_weights[name], rtol=0, atol=atol, err_msg=name)
print(f"equal: {len(losses)} losses, weights {' '.join(sorted(weights))}")
