# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Names of PopART for groups of replicas."""

from enum import Enum

from popxl.context import get_current_graph
from popxl.replica_grouping import ReplicaGrouping


class CommGroupType(Enum):
    All = 0
    Consecutive = 1
    Orthogonal = 2
    Ungrouped = 3


class CommGroup:
    """All replicas, or groups of neighbours, or of replicas that are far apart."""

    def __init__(self, type: CommGroupType = CommGroupType.All, replicaGroupSize: int = 0):
        self.type = type
        self.replicaGroupSize = replicaGroupSize


def grouping_of(group) -> ReplicaGrouping:
    """The replicas that work together; by default all."""
    ir = get_current_graph().ir
    if group is None:
        return ir.replica_grouping()
    if isinstance(group, CommGroup):
        size = group.replicaGroupSize or None
        if group.type is CommGroupType.All:
            return ir.replica_grouping()
        if group.type is CommGroupType.Consecutive:
            return ir.replica_grouping(1, size)
        if group.type is CommGroupType.Orthogonal:
            return ir.replica_grouping(ir.replication_factor // size, size)
        return ir.replica_grouping(1, 1)
    if not isinstance(group, ReplicaGrouping):
        raise TypeError(f"{group!r} is not a ReplicaGrouping.")
    # A group without a constant stride raises NotImplementedError.
    group.stride
    return group


_OPS = {
    "add": "add",
    "mean": "mean",
    "mul": "mul",
    "min": "min",
    "max": "max",
    "and": "logical_and",
    "or": "logical_or",
    "square_add": "square_add",
    "local": "local",
}


def collective_op(op: str, local: bool = False) -> str:
    if op not in _OPS or (op == "local" and not local):
        names = ", ".join(k for k in _OPS if local or k != "local")
        raise ValueError(f"The op {op!r} of a collective is not one of {names}.")
    return _OPS[op]
