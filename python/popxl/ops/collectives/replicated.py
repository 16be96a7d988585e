# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Collectives of replicas."""

import math

from popxl._emit import Emitter, Value, enum
from popxl._record import Op, OpKind, Spec, record
from popxl.errors import popart_exception
from popxl.ops.collectives.collectives import collective_op, grouping_of
from popxl.ops.shape import reshape
from popxl.ops.utils import check, handle_negative_axis
from popxl.tensor import Tensor


def _groups(op: Op) -> dict:
    return {"groups": op["group"].mlir}


def _all_reduce(e: Emitter, op: Op, x: Value) -> Value:
    kind = enum("collective_operator", op["op"])
    result = e.pop("all_reduce", (x,), x.shape, x.dtype, kind=kind, **_groups(op))
    return e.cast(result, op.outputs[0].dtype)


ALL_REDUCE = OpKind("ReplicatedAllReduce", _all_reduce)
ALL_REDUCE_ = OpKind("ReplicatedAllReduceInplace", _all_reduce, inplace=0)


def _record_all_reduce(kind: OpKind, t: Tensor, op: str, group) -> Tensor:
    check(t=t)
    return record(
        kind,
        [t],
        Spec(t.shape, t.dtype, f"{t.name}_all_reduce", t.meta_shape),
        op=collective_op(op),
        group=grouping_of(group),
    )


def replicated_all_reduce(t: Tensor, op: str = "add", group=None) -> Tensor:
    """Combine the tensors of a group."""
    return _record_all_reduce(ALL_REDUCE, t, op, group)


def replicated_all_reduce_(t: Tensor, op: str = "add", group=None) -> Tensor:
    return _record_all_reduce(ALL_REDUCE_, t, op, group)


def _gather(e: Emitter, op: Op, flat: Value, size: int) -> Value:
    """Gather parts. The gradient is the part of a replica: losses of the replicas are
    not added, other than in `pop`."""
    return e.module.with_gradient(
        e,
        f"popxl.all_gather.{flat.type}.{size}.{_groups(op)['groups']}",
        flat,
        lambda e, x: e.pop("all_gather", (x,), (size,), x.dtype, **_groups(op)),
        lambda e, dy: e.pop("replica_slice", (dy,), flat.shape, dy.dtype, **_groups(op)),
    )


def _slice(e: Emitter, op: Op, flat: Value, part: int) -> Value:
    """The part of a replica. The gradient gathers parts."""
    size = flat.shape
    return e.module.with_gradient(
        e,
        f"popxl.replica_slice.{flat.type}.{part}.{_groups(op)['groups']}",
        flat,
        lambda e, x: e.pop("replica_slice", (x,), (part,), x.dtype, **_groups(op)),
        lambda e, dy: e.pop("all_gather", (dy,), size, dy.dtype, **_groups(op)),
    )


def _all_gather(e: Emitter, op: Op, x: Value) -> Value:
    """Gather a flat tensor; the shards of a larger tensor may be padded."""
    shape = op.outputs[0].shape
    flat = e.reshape(x, (math.prod(x.shape),))
    size = math.prod(shape)
    # The row of a buffer may have the shape of the whole tensor.
    part = -(-size // op["group"].group_size)
    if part < flat.shape[0]:
        flat = e.take(flat, 0, 0, part)
    return e.reshape(_gather(e, op, flat, size), shape)


ALL_GATHER = OpKind("ReplicatedAllGather", _all_gather)


def replicated_all_gather(
    t: Tensor, axis: int = 0, group=None, output_shape: str = "auto"
) -> Tensor:
    """Gather the tensors of a group: along a new axis ("new_axis"), along an axis
    ("concat"), or to the tensor whose shards they are ("meta_shape"). "auto" is
    "meta_shape" for shards and "concat" for other tensors."""
    if not isinstance(axis, int):
        raise ValueError(f"The axis of a gather is a number, but it is {axis!r}.")
    if output_shape not in ("auto", "new_axis", "concat", "meta_shape"):
        raise ValueError(f"{output_shape!r} is not a shape of 'replicated_all_gather'.")
    check(t=t)
    group = grouping_of(group)
    if output_shape == "auto":
        output_shape = "meta_shape" if t.meta_shape else "concat"
    name = f"{t.name}_all_gathered"
    if output_shape == "meta_shape":
        if not t.meta_shape:
            raise ValueError(f"{t} is not the shard of a tensor.")
        return record(ALL_GATHER, [t], Spec(t.meta_shape, t.dtype, name), group=group)
    flat = reshape(t, (t.nelms,)) if t.nelms else t
    gathered = record(
        ALL_GATHER, [flat], Spec((group.group_size * t.nelms,), t.dtype, name), group=group
    )
    return _rearrange(gathered, t, handle_negative_axis(t, axis), group.group_size, output_shape)


def _rearrange(gathered: Tensor, t: Tensor, axis: int, size: int, output_shape) -> Tensor:
    """The gathered tensors along an axis instead of a new first one."""
    from popxl.ops.shape import transpose

    new_axis = output_shape == "new_axis"
    if axis > t.rank - (not new_axis) or axis < 0:
        raise popart_exception(f"{axis} is not a dimension of {t}.")
    if axis:
        gathered = reshape(gathered, (size, *t.shape))
        order = list(range(1, t.rank + 1))
        order.insert(axis, 0)
        gathered = transpose(gathered, order)
    if new_axis:
        shape = (*t.shape[:axis], size, *t.shape[axis:])
    else:
        shape = list(t.shape)
        shape[axis] *= size
    return reshape(gathered, shape)


def _reduce_scatter(e: Emitter, op: Op, x: Value) -> Value:
    out = op.outputs[0]
    flat = e.reshape(x, (math.prod(x.shape),))
    kind = enum("collective_operator", op["op"])
    return e.pop("reduce_scatter", (flat,), out.shape, x.dtype, kind=kind, **_groups(op))


REDUCE_SCATTER = OpKind("ReplicatedReduceScatter", _reduce_scatter)


def replicated_reduce_scatter(
    t: Tensor,
    op: str = "add",
    group=None,
    configure_output_for_replicated_tensor_sharding: bool = False,
) -> Tensor:
    """Combine the tensors of a group, of which each replica gets a part."""
    check(t=t)
    group = grouping_of(group)
    meta_shape = t.shape if configure_output_for_replicated_tensor_sharding else ()
    shape = (-(-t.nelms // group.group_size),)
    return record(
        REDUCE_SCATTER,
        [t],
        Spec(shape, t.dtype, f"{t.name}_reduce_scattered", meta_shape),
        op=collective_op(op, local=True),
        group=group,
    )


def _replica_slice(e: Emitter, op: Op, x: Value) -> Value:
    """The part of a replica of a flat tensor."""
    flat = e.reshape(x, (math.prod(x.shape),))
    part = -(-flat.shape[0] // op["group"].group_size)
    return e.reshape(_slice(e, op, flat, part), op.outputs[0].shape)


REPLICA_SLICE = OpKind("ReplicatedReduceScatter", _replica_slice)


def replica_sharded_slice(t: Tensor, group=None) -> Tensor:
    """The shard of a tensor that a replica holds."""
    check(t=t)
    group = grouping_of(group)
    shape = (-(-t.nelms // group.group_size),)
    return record(
        REPLICA_SLICE,
        [t],
        Spec(shape, t.dtype, f"{t.name}_sharded_slice", t.shape),
        group=group,
    )


def replicated_slice(t: Tensor, axis: int = 0, group=None) -> Tensor:
    """The part of a dimension that belongs to a replica. A part of size 1 has no such
    dimension."""
    from popxl.ops.shape import transpose

    check(t=t)
    group = grouping_of(group)
    axis = handle_negative_axis(t, axis)
    if not 0 <= axis < t.rank or t.shape[axis] % group.group_size:
        raise ValueError(
            f"The dimension {axis} of {t} has no {group.group_size} equal parts."
        )
    order = [axis, *(i for i in range(t.rank) if i != axis)]
    moved = transpose(t, order) if axis else t
    part = t.shape[axis] // group.group_size
    result = record(
        REPLICA_SLICE,
        [moved],
        Spec((part, *moved.shape[1:]), t.dtype, f"{t.name}_sharded_slice"),
        group=group,
    )
    if part == 1:
        return reshape(result, moved.shape[1:])
    if axis:
        result = transpose(result, [order.index(i) for i in range(t.rank)])
    return result
