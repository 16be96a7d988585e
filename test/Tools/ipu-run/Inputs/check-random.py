"""check-random.py FILE SEED RUNS COUNT: fails unless FILE has the states of
random.mlir after RUNS runs from SEED, and w is COUNT."""

import sys

import numpy as np

path, (seed, runs, count) = sys.argv[1], map(int, sys.argv[2:])
with np.load(path) as found:
    assert sorted(found) == ["all", "each", "w"], sorted(found)
    state = np.zeros((2, 6, 4), np.uint32)
    state[:, 0] = [seed % 2**32, seed // 2**32, runs, 0]
    np.testing.assert_array_equal(found["all"], state, strict=True)
    each = np.stack([state, state])
    for replica in range(2):
        each[replica, :, 0, 3] = 2**20 + replica
    np.testing.assert_array_equal(found["each"], each, strict=True)
    np.testing.assert_array_equal(found["w"], np.full(4, count, np.int32), strict=True)
