"""Writes samples: three numbers, what they should give, and its class.

    samples.py FILE.npz COUNT SEED [ARRAY=EXPRESSION...]

An EXPRESSION makes another array of the arrays a; None leaves it out.
"""

import sys

import numpy as np

file, count, seed, *changes = sys.argv[1:]
rng = np.random.default_rng(int(seed))
x = rng.uniform(-1, 1, (int(count), 3)).astype(np.float32)
value = (x @ np.linspace(-1, 1, 12).reshape(4, 3).T).astype(np.float32)
arrays = {"x": x, "label": value.argmax(1), "value": value, "bit": (value > 0).astype(np.float32)}
for change in changes:
    name, expression = change.split("=", 1)
    arrays[name] = eval(expression, {"np": np, "a": dict(arrays)})
np.savez(file, **{name: array for name, array in arrays.items() if array is not None})
