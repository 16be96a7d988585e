"""Checks that a training of linear.onnxtxt ended N epochs after the one with the least validation loss, and
that files of weights have the validation losses of this epoch and of the last one.

    early-stop.py N LOG.csv TEST.npz BEST.npz LAST.npz
"""

import csv
import sys

import numpy as np

patience, log, test, best, last = sys.argv[1:]
losses = [float(row["validation_loss"]) for row in csv.DictReader(open(log)) if row["validation_loss"]]
assert np.argmin(losses) == len(losses) - 1 - int(patience), losses
test = np.load(test)
for weights, loss in (best, min(losses)), (last, losses[-1]):
    weights = np.load(weights)
    y = test["x"] @ weights["w"] + weights["b"]
    mean = (np.log(np.exp(y).sum(1)) - y[np.arange(len(y)), test["label"]]).mean()
    np.testing.assert_allclose(mean, loss, rtol=1e-5)
