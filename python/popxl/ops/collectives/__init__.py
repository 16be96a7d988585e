# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Ops on the tensors of several replicas or IPUs."""

from popxl.ops.collectives.all_reduce import (
    all_reduce,
    all_reduce_identical_grad_inputs,
    all_reduce_identical_inputs,
)
from popxl.ops.collectives.collectives import CommGroup, CommGroupType
from popxl.ops.collectives.replicated import (
    replica_sharded_slice,
    replicated_all_gather,
    replicated_all_reduce,
    replicated_all_reduce_,
    replicated_reduce_scatter,
    replicated_slice,
)
