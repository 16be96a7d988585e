# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Copies between IPUs, and between sets of tiles."""

from typing import Dict, Optional

from popxl._emit import Emitter, Value, array, enum, i64
from popxl._record import Op, OpKind, Spec, record
from popxl.context import _pushed, get_current_context, get_current_graph
from popxl.ops.utils import check_in_graph
from popxl.tensor import Tensor


def _io_tile_copy(e: Emitter, op: Op, x: Value) -> Value:
    placement, e.placement = e.placement, dict(e.placement)
    e.placement.pop("pop.tile_set", None)
    destination = enum("tile_set", op["destination"])
    result = e.pop("io_tile_copy", (x,), x.shape, x.dtype, destination=destination)
    e.placement = placement
    return result


def _other_tiles(placement: Dict[str, str], op: Op) -> Dict[str, str]:
    placement = {k: v for k, v in placement.items() if k != "pop.tile_set"}
    if op["destination"] == "compute":
        placement["pop.tile_set"] = enum("tile_set", "io")
    return placement


IO_TILE_COPY = OpKind("IoTileCopy", _io_tile_copy, source_placement=_other_tiles)


def io_tile_copy(t: Tensor) -> Tensor:
    """Copy a tensor to the other set of tiles of its IPU."""
    check_in_graph(get_current_graph(), t=t)
    destination = "compute" if t._get_ipu_and_tile_set(False, False)[1] == "io" else "io"
    with _pushed(get_current_context().tile_sets, destination):
        return record(
            IO_TILE_COPY,
            [t],
            Spec(t.shape, t.dtype, f"{t.name}_iotilecopy", t.meta_shape),
            destination=destination,
        )


def copy_to_ipu(e: Emitter, x: Value, source: int, target: int) -> Value:
    """A copy, which is on no IPU itself."""
    if source == target:
        return x
    attributes = {"sources": array([source]), "destination": i64(target)}
    placement, e.placement = e.placement, {}
    result = e.pop("ipu_copy", (x,), x.shape, x.dtype, **attributes)
    e.placement = placement
    return result


IPU_COPY = OpKind(
    "IpuCopy",
    lambda e, op, x: copy_to_ipu(e, x, op["source"], op["destination"]),
    source_placement=lambda placement, op: {
        **placement,
        "pop.vgraph": i64(op["source"]),
    },
)


def ipu_copy(t: Tensor, destination: int, source: Optional[int] = None) -> Tensor:
    """Copy a tensor to an IPU."""
    check_in_graph(get_current_graph(), t=t)
    if source is None:
        op = t._producer
        if op is None or op.ipu is None:
            raise ValueError(
                f"Could not infer the ipu of {t}. Please specify `source`."
            )
        source = op.ipu
    with _pushed(get_current_context().ipus, destination):
        return record(
            IPU_COPY,
            [t],
            Spec(t.shape, t.dtype, f"{t.name}_c{destination}", t.meta_shape),
            source=source,
            destination=destination,
        )
