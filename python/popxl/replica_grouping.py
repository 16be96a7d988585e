# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Groups of replicas."""

from typing import List, Optional, Sequence, Tuple

import numpy as np

from popxl._internals import VariableRetrievalMode, VariableSettings


def _strided(replicas: int, stride: int, size: int) -> List[int]:
    """The group of each replica."""
    return [r % stride + r // (stride * size) * stride for r in range(replicas)]


def _stride_of(assignment: Sequence[int]) -> Optional[int]:
    """The stride of the groups, or None if they have none."""
    size = assignment.count(0)
    for stride in range(1, len(assignment) // size + 1):
        if (
            len(assignment) % (stride * size) == 0
            and _strided(len(assignment), stride, size) == assignment
        ):
            return stride
    return None


class ReplicaGrouping:
    """A partition of the replicas into groups of equal size."""

    def __init__(self):
        raise RuntimeError("Use 'Ir.replica_grouping' to create replica groupings.")

    @classmethod
    def _from_assignment(cls, ir, assignment: Sequence[int]) -> "ReplicaGrouping":
        self = cls.__new__(cls)
        self._ir = ir
        self._assignment = [int(g) for g in assignment]
        replicas = ir.replication_factor
        if len(assignment) != replicas:
            raise ValueError(
                f"The assignment has {len(assignment)} groups for {replicas} replicas."
            )
        order = list(dict.fromkeys(self._assignment))
        if order != list(range(len(order))):
            raise ValueError(
                "Groups have to be numbered 0, 1, ... in the order of their first "
                f"replicas, but the assignment is {assignment}."
            )
        if len({self._assignment.count(g) for g in order}) > 1:
            raise ValueError(f"The groups of {assignment} have different sizes.")
        self._stride = _stride_of(self._assignment)
        return self

    @classmethod
    def _from_params(cls, ir, stride: int, group_size: Optional[int]):
        replicas = ir.replication_factor
        if not 1 <= stride <= replicas or replicas % stride:
            raise ValueError(
                f"The stride {stride} is not a divisor of the {replicas} replicas."
            )
        size = replicas // stride if group_size is None else group_size
        if not 1 <= size <= replicas:
            raise ValueError(
                f"The group size {size} is not from 1 to the {replicas} replicas."
            )
        stride = 1 if size == 1 else stride
        if replicas % (stride * size):
            raise ValueError(
                f"Groups with stride {stride} and size {size} do not partition "
                f"{replicas} replicas."
            )
        return cls._from_assignment(ir, _strided(replicas, stride, size))

    @property
    def assignment(self) -> List[int]:
        """The group of each replica."""
        return list(self._assignment)

    @property
    def num_groups(self) -> int:
        return max(self._assignment) + 1

    @property
    def group_size(self) -> int:
        return len(self._assignment) // self.num_groups

    @property
    def stride(self) -> int:
        if self._stride is None:
            raise NotImplementedError("The replicas of a group have no constant stride.")
        return 1 if self.group_size == 1 else self._stride

    @property
    def is_const(self) -> bool:
        """Whether the replicas of each group have a constant stride."""
        return self._stride is not None

    @property
    def const_rg(self) -> "ReplicaGrouping":
        """The largest groups with a constant stride of which each is a part of one of
        the groups."""
        if self.is_const:
            return self
        replicas = len(self._assignment)
        for size in range(self.group_size - 1, 0, -1):
            for stride in range(1, replicas // size + 1):
                if replicas % (stride * size):
                    continue
                finer = _strided(replicas, stride, size)
                if len(set(zip(finer, self._assignment))) == max(finer) + 1:
                    return ReplicaGrouping._from_assignment(self._ir, finer)
        raise AssertionError("Groups of one replica have a constant stride.")

    @property
    def to_device_map(self) -> List[int]:
        """The group of each group of `const_rg`."""
        finer = self.const_rg.assignment
        return [self._assignment[finer.index(g)] for g in range(max(finer) + 1)]

    @property
    def to_host_map(self) -> List[int]:
        """The first group of `const_rg` in each group."""
        to_device = self.to_device_map
        return [to_device.index(g) for g in range(self.num_groups)]

    def transpose(self) -> "ReplicaGrouping":
        """Group the replicas that have the same position in their groups."""
        seen = {}
        position = []
        for group in self._assignment:
            position.append(seen.get(group, 0))
            seen[group] = position[-1] + 1
        order = {p: i for i, p in enumerate(dict.fromkeys(position))}
        return ReplicaGrouping._from_assignment(self._ir, [order[p] for p in position])

    @property
    def mlir(self) -> str:
        """The groups as an attribute of `pop`."""
        return f"#pop.replica_groups<stride = {self.stride}, size = {self.group_size}>"

    def _to_variable_settings(self, retrieval_mode: str = "one_per_group"):
        mode = VariableRetrievalMode(retrieval_mode)
        return VariableSettings(self.stride, self.group_size, mode)

    @classmethod
    def _from_variable_settings(cls, ir, settings) -> "ReplicaGrouping":
        return cls._from_params(ir, settings.getStride(), settings.getGroupSize())

    def _host_shape(self, shape: Tuple[int, ...]) -> Tuple[int, ...]:
        return (self.num_groups, *shape) if self.num_groups > 1 else tuple(shape)

    def _expand(self, data: np.ndarray) -> np.ndarray:
        """Data of the groups of `const_rg` from data of the groups."""
        return data if self.is_const else data[self.to_device_map]

    def __eq__(self, other) -> bool:
        if not isinstance(other, ReplicaGrouping):
            raise TypeError(f"Cannot compare a ReplicaGrouping and {type(other)}.")
        return self._ir is other._ir and self._assignment == other._assignment

    def __hash__(self) -> int:
        return hash((id(self._ir), tuple(self._assignment)))

    def __repr__(self) -> str:
        if self.is_const:
            return (
                f"ReplicaGrouping(num_replicas={len(self._assignment)}, "
                f"stride={self.stride}, group_size={self.group_size}, "
                f"num_groups={self.num_groups})"
            )
        return f"ReplicaGrouping(assignment={self._assignment})"
