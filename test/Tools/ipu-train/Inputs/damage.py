"""Copies a checkpoint with a change.

    damage.py FROM.npz TO.npz STATEMENT

The STATEMENT changes its arrays a, or its history h.
"""

import sys

import numpy as np

source, target, statement = sys.argv[1:]
names = {"np": np, "a": dict(np.load(source))}
names["h"] = names["a"]["ipu-train/history"]
exec(statement, names)
names["a"]["ipu-train/history"] = names["h"]
np.savez(target, **names["a"])
