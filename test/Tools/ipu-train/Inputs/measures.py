"""Checks the columns of a log.

    measures.py top LOG.csv TEST.npz WEIGHTS.npz    # accuracies and perplexities of linear.onnxtxt
    measures.py rates LOG.csv EXPRESSION            # learning rates of the updates t = 0, 1, ...
"""

import csv
import sys

import numpy as np

kind, log, *arguments = sys.argv[1:]
rows = list(csv.DictReader(open(log)))
if kind == "rates":
    rates = [float(row["learning_rate"]) for row in rows]
    np.testing.assert_allclose(rates, eval(arguments[0], {"np": np, "t": np.arange(len(rows))}), rtol=1e-6)
    sys.exit()

test, weights = map(np.load, arguments)
y = test["x"] @ weights["w"] + weights["b"]
ranks = np.argsort(-y, 1)
last = rows[-1]
for name, count in ("validation_accuracy", 1), ("validation_top_2_accuracy", 2):
    right = (ranks[:, :count] == test["label"][:, None]).any(1)
    np.testing.assert_allclose(float(last[name]), right.mean(), atol=1e-6)
losses = np.log(np.exp(y).sum(1)) - y[np.arange(len(y)), test["label"]]
np.testing.assert_allclose(float(last["validation_perplexity"]), np.exp(losses.mean()), rtol=1e-5)
for row in rows:
    np.testing.assert_allclose(float(row["perplexity"]), np.exp(float(row["loss"])), rtol=1e-6)
    assert float(row["accuracy"]) <= float(row["top_2_accuracy"]) <= 1, row
    assert (row["validation_perplexity"] == "") == (row["validation_loss"] == ""), row
