# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random seeds on the host."""

from typing import Tuple

import numpy as np

MAX_UINT32 = 2**32 - 1
MAX_UINT64 = 2**64 - 1


def uint64_to_two_uint32(a: int) -> Tuple[int, int]:
    """Split 64 bits into the high and the low half."""
    if not 0 <= a <= MAX_UINT64:
        raise ValueError(f"{a} is not an unsigned integer of 64 bits.")
    return int(a) >> 32, int(a) & MAX_UINT32


def two_uint32_to_uint64(a: Tuple[int, int]) -> int:
    """Join the high and the low half of 64 bits."""
    high, low = (int(half) for half in a)
    if not (0 <= high <= MAX_UINT32 and 0 <= low <= MAX_UINT32):
        raise ValueError(f"{tuple(a)} are not unsigned integers of 32 bits.")
    return high << 32 | low


def create_seeds(
    seed: int,
    offset: int = 0,
    batches_per_step: int = 1,
    gradient_accumulation_factor: int = 1,
    replicas: int = 1,
) -> np.ndarray:
    """Draw seeds: an array [batches, accumulations, replicas, 2] of uint32 without
    the dimensions of size 1."""
    shape = (batches_per_step, gradient_accumulation_factor, replicas)
    draws = np.random.default_rng(seed + offset).integers(
        0, MAX_UINT64, shape, np.uint64, endpoint=True
    )
    halves = np.stack([draws >> np.uint64(32), draws & np.uint64(MAX_UINT32)], -1)
    return np.squeeze(halves.astype(np.uint32))
