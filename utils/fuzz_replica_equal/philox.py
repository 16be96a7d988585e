# Part of ipu-mlir, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Philox4x32-10 on arrays."""

import numpy as np

LOW = np.uint64(0xFFFFFFFF)
HALF = np.uint64(32)


def philox(seeds, elements, last):
    """The four words of counter (element, 0, 0, last) under each of the seeds: four
    arrays of shape (seeds, elements)."""
    k0, k1 = (seeds[:, i : i + 1].astype(np.uint64) for i in range(2))
    zeros = np.zeros((len(seeds), len(elements)), np.uint64)
    c0, c1, c2, c3 = zeros + elements, zeros, zeros, zeros + np.uint64(last)
    for _ in range(10):
        p0, p1 = np.uint64(0xD2511F53) * c0, np.uint64(0xCD9E8D57) * c2
        c0, c1, c2, c3 = (p1 >> HALF) ^ c1 ^ k0, p1 & LOW, (p0 >> HALF) ^ c3 ^ k1, p0 & LOW
        k0 = (k0 + np.uint64(0x9E3779B9)) & LOW
        k1 = (k1 + np.uint64(0xBB67AE85)) & LOW
    return c0, c1, c2, c3
