# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Transfers at the same time."""

from contextlib import contextmanager
from typing import List

from popxl import context
from popxl._emit import Value
from popxl._record import Op, OpKind


def _lower(f, op: Op) -> None:
    """Transfers without order, whose rows are computed before."""
    e = f.e
    parts: List[Op] = op["merged"]
    operands = [[f.value(t) for t in part.inputs] for part in parts]
    results = [(part, t) for part in parts for t in part.outputs]
    placement, e.placement = e.placement, {}

    def body() -> None:
        inner = []
        for part, inputs in zip(parts, operands):
            result = part.kind.emit(e, part, *inputs)
            inner += [result] if isinstance(result, Value) else []
        e.op("pop.yield", inner)

    values = e.region_op(
        "pop.remote_exchange",
        (),
        [(t.shape, t.dtype) for _, t in results],
        [body],
        attributes=placement,
    )
    e.placement = placement
    for (part, t), value in zip(results, values):
        if part.kind.inplace is not None:
            place = f.place(part.inputs[part.kind.inplace])
            place.write(e, value)
            f.env[t] = place
        else:
            f.define(t, value)


MULTI_EXCHANGE = OpKind("MultiExchange", lower=_lower)


@contextmanager
def merge_exchange():
    """Let the transfers in the context run at the same time, as far as no op between
    them needs the result of one of them."""
    created: List[Op] = []
    with context._pushed(context.get_current_context().listeners, created.append):
        yield
    for graph in dict.fromkeys(op.graph for op in created):
        _merge(graph, [op for op in created if op.graph is graph])


def _merge(graph, created: List[Op]) -> None:
    """Move each transfer up to the last group of transfers that may contain it."""
    groups: List[List[Op]] = []
    for op in created:
        if not op.kind.exchange:
            continue
        if groups and _independent(graph, groups[-1], op):
            groups[-1].append(op)
        else:
            groups.append([op])
    for group in groups:
        if len(group) > 1:
            _replace(graph, group)


def _independent(graph, group: List[Op], op: Op) -> bool:
    """Whether `op` does not depend on the group, and no op that it needs does."""
    produced = {t for part in group for t in part.outputs}
    start = graph._ops.index(group[0])
    for other in graph._ops[start : graph._ops.index(op)]:
        if other not in group and produced & set(other.inputs):
            produced.update(other.outputs)
    return not produced & set(op.inputs)


def _replace(graph, group: List[Op]) -> None:
    """Replace transfers by one op, at the position of the last one. What uses the
    results of the others in between follows it."""
    last = graph._ops.index(group[-1])
    merged = Op.__new__(Op)
    for name in ("graph", "ipu", "tile_set", "execution_context", "scope", "place"):
        setattr(merged, name, getattr(group[-1], name))
    merged.kind = MULTI_EXCHANGE
    merged.inputs = [t for op in group for t in op.inputs]
    merged.outputs = [t for op in group for t in op.outputs]
    merged.attributes = {"merged": list(group)}
    merged.called = ()
    produced = set(merged.outputs)
    later = []
    for op in graph._ops[graph._ops.index(group[0]) : last]:
        if op not in group and produced & set(op.inputs):
            later.append(op)
            produced.update(op.outputs)
    after = graph._ops[last + 1 :]
    before = [
        op for op in graph._ops[: last + 1] if op not in group and op not in later
    ]
    graph._ops = [*before, merged, *later, *after]


@contextmanager
def io_tile_exchange(verify_overlap: bool = True):
    """Transfers on I/O tiles, which run at the same time."""
    created: List[Op] = []
    current = context.get_current_context()
    graph = current.graph
    with context.in_sequence(False), merge_exchange(), context.io_tiles():
        with context._pushed(current.listeners, created.append):
            yield
    if verify_overlap:
        left = [
            op
            for op in graph._ops
            if op.kind.type != "Init"
            and any(part in created for part in op.attributes.get("merged", (op,)))
        ]
        if len(left) > 1:
            raise RuntimeError(
                f"The transfers cannot run at the same time: {left} remain."
            )
