# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Collectives of the IPUs of a replica."""

from typing import Iterable, List, Optional

from popxl._emit import Emitter, Value, i64
from popxl._record import Op, OpKind, Spec, record
from popxl.context import get_current_graph
from popxl.errors import UndefinedValue
from popxl.ops.placement import copy_to_ipu
from popxl.ops.utils import check_in_graph
from popxl.tensor import Tensor


def _all_reduce(e: Emitter, op: Op, *values: Value) -> List[Value]:
    ipus = op["ipus"]

    def on_ipu(target: int, terms) -> Value:
        e.placement = {**e.placement, "pop.vgraph": i64(target)}
        moved = [copy_to_ipu(e, v, source, target) for v, source in terms]
        return e.pop("sum", moved, values[0].shape, values[0].dtype)

    return [on_ipu(target, list(zip(values, ipus))) for target in ipus]


ALL_REDUCE = OpKind("AllReduce", _all_reduce)


def _record(ts: Iterable[Tensor], ipus: Optional[List[int]], op: str, form: str):
    ts = list(ts)
    check_in_graph(get_current_graph(), **{f"ts_{i}": t for i, t in enumerate(ts)})
    if op != "add":
        raise ValueError(f"The op of 'all_reduce' is 'add', but not {op!r}.")
    if ipus is None:
        try:
            ipus = [t.ipu for t in ts]
        except UndefinedValue as e:
            raise ValueError("The argument 'ipus' is needed, as no op says it.") from e
    if len(ipus) != len(ts):
        raise ValueError(f"There are {len(ts)} tensors, but {len(ipus)} IPUs.")
    specs = [Spec(t.shape, t.dtype, f"{t.name}_all_reduce") for t in ts]
    result = record(ALL_REDUCE, ts, *specs, ipus=list(ipus), form=form)
    return [result] if isinstance(result, Tensor) else list(result)


def all_reduce(
    ts: Iterable[Tensor], ipus: Optional[List[int]] = None, op: str = "add"
) -> List[Tensor]:
    """Add tensors that are on different IPUs; each of these IPUs gets the sum."""
    return _record(ts, ipus, op, "all")


def all_reduce_identical_inputs(
    ts: Iterable[Tensor], ipus: Optional[List[int]] = None, op: str = "add"
) -> List[Tensor]:
    """The tensors, which are equal; their gradients are added."""
    return _record(ts, ipus, op, "identical_inputs")


def all_reduce_identical_grad_inputs(
    ts: Iterable[Tensor], ipus: Optional[List[int]] = None, op: str = "add"
) -> List[Tensor]:
    """Add tensors; the gradients of the sums, which are equal, are passed on."""
    return _record(ts, ipus, op, "identical_grad_inputs")
