# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Transfers between the device and the host, streaming memory and code."""

from typing import Optional, Union

from popxl import dtypes
from popxl._emit import Emitter, Value, enum, i64, symbol
from popxl._record import Op, OpKind, Spec, record, record_op
from popxl.context import get_current_graph
from popxl.graph import Graph
from popxl.ops.shape import init
from popxl.ops.utils import check
from popxl.remote_buffer import RemoteBuffer
from popxl.streams import DeviceToHostStream, HostToDeviceStream
from popxl.tensor import Constant, Tensor, constant

# Streams.


def _host_load(e: Emitter, op: Op, unused: Value) -> Value:
    stream = op["stream"]
    name = symbol(e.module.symbol(stream))
    return e.pop("host_load", (), stream.shape, stream.dtype, stream=name)


def _host_store(e: Emitter, op: Op, x: Value) -> None:
    e.op("pop.host_store", (x,), (), {"stream": symbol(e.module.symbol(op["stream"]))})


HOST_LOAD = OpKind("HostLoad", _host_load, exchange=True)
HOST_STORE = OpKind("HostStore", _host_store, exchange=True)


def host_load(h2d_stream: HostToDeviceStream, name: Optional[str] = None) -> Tensor:
    """The next tensor of a stream."""
    name = name or h2d_stream.tensor_id
    target = init(h2d_stream.shape, h2d_stream.dtype, f"{name}_init", "undef")
    spec = Spec(h2d_stream.shape, h2d_stream.dtype, f"{name}_hostload")
    return record(HOST_LOAD, [target], spec, stream=h2d_stream)


def host_store(d2h_stream: DeviceToHostStream, t: Tensor) -> None:
    """Send a tensor to the host."""
    check(t=t)
    if t.dtype != d2h_stream.dtype:
        raise ValueError(
            f"The type of {t} is not that of the stream, {d2h_stream.dtype}."
        )
    if t.shape != d2h_stream.shape:
        raise ValueError(
            f"The shape of {t} is not that of the stream, {d2h_stream.shape}."
        )
    record_op(HOST_STORE, [t], stream=d2h_stream)


# Streaming memory.


def _row(offset: Union[Tensor, int]) -> Tensor:
    if isinstance(offset, Tensor):
        check(offset=offset)
        if offset.nelms != 1:
            raise ValueError(f"The offset {offset} is not a scalar.")
        return offset
    return constant(offset, dtypes.uint32, name="offset")


def _row_and_buffer(e: Emitter, op: Op, row: Value):
    """The operand and the attributes that name a row."""
    attributes = {"buffer": symbol(e.module.symbol(op["buffer"]))}
    offset = op.inputs[-1]
    if isinstance(offset, Constant):
        attributes["static_row"] = i64(offset._data.reshape(()))
        return (), attributes
    return (e.reshape(e.cast(row, dtypes.int32), ()),), attributes


def _remote_load(e: Emitter, op: Op, target: Value, row: Value) -> Value:
    buffer = op["buffer"]
    shape = e.module.row_shape(buffer)
    rows, attributes = _row_and_buffer(e, op, row)
    results = [(shape, buffer.tensor_dtype)]
    (value,) = e.op("pop.remote_load", rows, results, attributes)
    return e.module.from_row(e, value, op.outputs[0].shape)


def _remote_store(e: Emitter, op: Op, x: Value, row: Value) -> None:
    x = e.module.to_row(e, x, op["buffer"])
    rows, attributes = _row_and_buffer(e, op, row)
    e.op("pop.remote_store", (x, *rows), (), attributes)


REMOTE_LOAD = OpKind("RemoteLoad", _remote_load, exchange=True)
REMOTE_LOAD_ = OpKind("RemoteLoadInplace", _remote_load, inplace=0, exchange=True)
REMOTE_STORE = OpKind("RemoteStore", _remote_store, exchange=True)


def _load_name(offset: Union[int, Tensor], buffer: RemoteBuffer, name) -> str:
    where = offset.name if isinstance(offset, Tensor) else offset
    return name or f"id_{buffer.remote_buffer_id}_offset_{where}"


def remote_load(
    remote_buffer: RemoteBuffer,
    offset: Union[int, Tensor],
    name: Optional[str] = None,
) -> Tensor:
    """The row `offset` of a buffer."""
    name = _load_name(offset, remote_buffer, name)
    row = _row(offset)
    shape, dtype = remote_buffer.tensor_shape, remote_buffer.tensor_dtype
    meta_shape = remote_buffer.meta_shape
    target = init(shape, dtype, f"{name}_remote_load", "undef", meta_shape)
    spec = Spec(shape, dtype, f"{name}_remote_loaded", meta_shape)
    return record(REMOTE_LOAD, [target, row], spec, buffer=remote_buffer)


def remote_load_(
    remote_buffer: RemoteBuffer, offset: Union[int, Tensor], t: Tensor
) -> Tensor:
    """Replace a tensor by the row `offset` of a buffer."""
    check(t=t)
    remote_buffer.validate_tensor_matches_buffer(t)
    row = _row(offset)
    spec = Spec(t.shape, t.dtype, f"{t.name}_remote_loaded", t.meta_shape)
    return record(REMOTE_LOAD_, [t, row], spec, buffer=remote_buffer)


def remote_store(
    remote_buffer: RemoteBuffer, offset: Union[int, Tensor], t: Tensor
) -> None:
    """Replace the row `offset` of a buffer."""
    check(t=t)
    remote_buffer.validate_tensor_matches_buffer(t)
    record_op(REMOTE_STORE, [t, _row(offset)], buffer=remote_buffer)


# Code.


def _remote_code_load(e: Emitter, op: Op) -> None:
    graph = symbol(e.module.symbol(op["code"]))
    destination = enum("code_location", "executable")
    attributes = {"graphs": f"[{graph}]", "destination": destination}
    e.op("pop.remote_code_load", (), (), attributes)


REMOTE_CODE_LOAD = OpKind("RemoteCodeLoad", _remote_code_load, exchange=True)


def remote_code_load(graph: Graph, destination: str = "executable") -> None:
    """Load the code of a graph from streaming memory."""
    current = get_current_graph()
    if graph is current:
        raise ValueError(
            f"The remote_code_load op cannot load the code of {graph.id}, the graph "
            "that contains it."
        )
    if destination != "executable":
        raise NotImplementedError(
            f"Code is loaded to 'executable', but not to {destination!r}."
        )
    record_op(REMOTE_CODE_LOAD, [], code=graph)
