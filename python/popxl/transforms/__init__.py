# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Transforms of graphs."""

from popxl.transforms.autodiff import (
    ExpectedConnection,
    ExpectedConnectionType,
    GradGraphInfo,
    autodiff,
)
from popxl.transforms.decompose_sum import decompose_sum
from popxl.transforms.exchange import io_tile_exchange, merge_exchange
