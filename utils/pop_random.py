# Part of ipu-mlir, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The random ops of pop in numpy, written from their definitions.

Seeds are pairs of 32-bit words. A result has `count` elements, in row-major order; for
an array of seeds, it has `count` elements for each seed.
"""

import statistics

import numpy as np

UNIFORM, NORMAL, BERNOULLI, DROPOUT, SPLIT_SEED = range(0x80000000, 0x80000005)


def philox(key, counter):
    """Philox4x32-10 of words or arrays of words; all fit in uint64."""
    key = [np.asarray(word, np.uint64) for word in key]
    counter = [np.asarray(word, np.uint64) for word in counter]
    mask = np.uint64(0xFFFFFFFF)
    for _ in range(10):
        a = counter[0] * np.uint64(0xD2511F53)
        b = counter[2] * np.uint64(0xCD9E8D57)
        counter = [
            (b >> np.uint64(32)) ^ counter[1] ^ key[0],
            b & mask,
            (a >> np.uint64(32)) ^ counter[3] ^ key[1],
            a & mask,
        ]
        key = [
            (key[0] + np.uint64(0x9E3779B9)) & mask,
            (key[1] + np.uint64(0xBB67AE85)) & mask,
        ]
    return counter


def words(seed, count, op):
    """The four words of each element."""
    seed = np.asarray(seed)
    key = [seed[..., i : i + 1] for i in range(2)]
    return philox(key, (np.arange(count), 0, 0, op))


def join(high, low):
    return high << np.uint64(32) | low


def uniform(seed, count, low, high, wide=np.float32):
    """Not rounded: f64 if `wide` is, else f32."""
    w = words(seed, count, UNIFORM)
    if wide == np.float64:
        u = (join(w[0], w[1]) >> np.uint64(11)).astype(np.float64) / 2**53
    else:
        u = (w[0] >> np.uint64(8)).astype(np.float32) / np.float32(2**24)
    low, high = wide(low), wide(high)
    return low + (high - low) * u


def uniform_integers(seed, count, low, high, dtype):
    """Of one seed."""
    w = words(seed, count, UNIFORM)
    values = [
        low + ((int(a) << 32 | int(b)) * (high - low + 1) >> 64) for a, b in zip(w[0], w[1])
    ]
    return np.array(values, dtype)


def normal(seed, count, mean, std_dev):
    """In f64, of one seed. The standard library has AS241 as well."""
    w = words(seed, count, NORMAL)
    m = join(w[0], w[1]) >> np.uint64(12)
    inverse = statistics.NormalDist().inv_cdf
    z = [inverse((int(i) + 0.5) / 2**52) for i in m]
    return mean + std_dev * np.array(z, np.float64)


def below(word, share):
    return word < np.uint64(np.floor(share * 2**32))


def bernoulli(seed, count, p):
    return below(words(seed, count, BERNOULLI)[0], p) | (p == 1)


def dropout(x, seed, ratio):
    """Not rounded: of f32 or f64. A row of `x` for each seed, if there are several."""
    count = x.size * 2 // np.size(seed)
    dropped = below(words(seed, count, DROPOUT)[0], ratio).reshape(x.shape)
    return np.where(dropped, x.dtype.type(0), x * x.dtype.type(1 / (1 - ratio)))


def split_seed(seed, count):
    w = words(seed, count, SPLIT_SEED)
    return np.stack([w[0], w[1]], axis=-1).astype(np.uint32)
