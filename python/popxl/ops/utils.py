# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks of the operands of ops."""

from typing import Any, Iterable, List, Sequence, Tuple

import numpy as np

from popxl.context import get_current_graph
from popxl.dtypes import dtype
from popxl.errors import popart_exception
from popxl.graph import Graph
from popxl.tensor import Tensor


def cast_if_needed(t: Tensor, data_type: dtype) -> Tensor:
    from popxl.ops.cast import cast

    return t if t.dtype == data_type else cast(t, data_type)


def check_in_graph(graph: Graph, **tensors: Tensor) -> None:
    """Check that operands are tensors of a graph."""
    for name, t in tensors.items():
        if not isinstance(t, Tensor):
            raise TypeError(f"The operand '{name}' is not a tensor: {t!r}.")
        if t not in graph:
            raise ValueError(
                f"The operand '{name}', {t}, is not in the current graph {graph.id}."
            )


def check_tensor_ipu_and_tile_set(**tensors: Tensor) -> None:
    """Check that operands are on the same IPU, and on the same set of its tiles, as
    far as this is known."""
    placed = {
        name: t._get_ipu_and_tile_set(False, False) for name, t in tensors.items()
    }
    for what, index, unknown in (("IPUs", 0, -1), ("tile sets", 1, "undefined")):
        known = [(name, p[index]) for name, p in placed.items() if p[index] != unknown]
        for name, value in known[1:]:
            if value != known[0][1]:
                raise ValueError(
                    f"The operands '{known[0][0]}' and '{name}' are on different "
                    f"{what}: {known[0][1]} and {value}."
                )


def check(**tensors: Tensor) -> None:
    """Check that operands are tensors of the current graph, at the same place."""
    check_in_graph(get_current_graph(), **tensors)
    check_tensor_ipu_and_tile_set(**tensors)


def check_all(ts: Iterable[Tensor]) -> List[Tensor]:
    """`check` for a list of operands."""
    ts = list(ts)
    check(**{f"ts_{i}": t for i, t in enumerate(ts)})
    return ts


def check_same_dtype(op: str, *ts: Tensor) -> None:
    if len({t.dtype for t in ts}) > 1:
        types = ", ".join(map(repr, ts))
        raise popart_exception(f"The operands of {op} have different types: {types}.")


def broadcast(op: str, *shapes: Sequence[int]) -> Tuple[int, ...]:
    try:
        return np.broadcast_shapes(*shapes)
    except ValueError:
        raise popart_exception(
            f"The operands of {op} have shapes that do not broadcast: "
            f"{', '.join(map(str, shapes))}."
        ) from None


def handle_negative_axis(t: Tensor, axis: int) -> int:
    return t.rank + axis if axis < 0 else axis


def check_axis(op: str, t: Tensor, axis: int) -> int:
    """Return the number of a dimension, which may count from the end."""
    result = handle_negative_axis(t, int(axis))
    if not 0 <= result < max(t.rank, 1):
        raise popart_exception(f"The axis {axis} of {op} is not a dimension of {t}.")
    return result


def check_floats(op: str, *ts: Tensor) -> None:
    for t in ts:
        if not t.dtype.is_floating_point:
            raise popart_exception(f"The operand {t} of {op} has no floats.")


def axes_of(op: str, t: Tensor, axis: Any) -> List[int]:
    """Dimensions from an argument `axis`: None (all), a number or a list."""
    if axis is None:
        return list(range(t.rank))
    if isinstance(axis, (int, np.integer)):
        axis = [axis]
    result = [check_axis(op, t, a) for a in axis]
    if len(set(result)) != len(result):
        raise popart_exception(f"The axes {list(axis)} of {op} repeat a dimension.")
    return result
