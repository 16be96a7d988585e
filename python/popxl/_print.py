# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Prints an `Ir` as a module of `pop`: a `FunctionPrinter` prints each graph."""

import math
from typing import Callable, Dict, List, NamedTuple, Optional, Sequence, Set, Tuple, Union

import numpy as np

from popxl import dtypes
from popxl._emit import (
    Emitter,
    Value,
    i64,
    literal_of,
    string,
    symbol,
    tensor_type,
)
from popxl._places import Concatenation, Place, References, reachable
from popxl._record import Op
from popxl.errors import popart_exception
from popxl.tensor import Constant, Tensor, Variable

#: Larger tensors are resources: buffers beside the text.
_MAX_INLINE_BYTES = 256


class FunctionPrinter:
    """Prints a graph as a function."""

    def __init__(self, module: "ModulePrinter", graph):
        self.module = module
        self.graph = graph
        self.e = Emitter(module)
        self.written = module.references.written[graph]
        #: Where tensors are.
        self.env: Dict[Tensor, Union[Place, Value]] = {}

    def text(self) -> str:
        graph, e = self.graph, self.e
        is_main = graph is graph.main_graph
        if is_main and graph._inputs:
            raise popart_exception(f"The main graph has the input {graph._inputs[0]}.")
        refs = self.module.references.refs[graph]
        arguments = []
        for i, t in enumerate(graph._inputs):
            value = Value(e, f"%arg{i}", t.shape, t.dtype, i in refs)
            arguments.append(f"{value.name}: {value.type}")
            if i in refs:
                self.env[t] = Place(value)
            else:
                self.define(t, value)
        for op in graph._ops:
            self._op(op)
        e.location, e.placement = "loc(unknown)", {}
        # Only streams have the results of a program.
        results = [] if is_main else [self.value(t) for t in graph._outputs]
        types = ", ".join(v.type for v in results)
        e.op("func.return", results)
        visibility = "" if is_main else "private "
        attributes = " attributes {no_inline}" if graph in self.module.loaded else ""
        head = (
            f"  func.func {visibility}{symbol(self.module.symbol(graph))}"
            f"({', '.join(arguments)}) -> ({types}){attributes} {{"
        )
        return "\n".join([head, *e.lines, "  }"])

    def _op(self, op: Op) -> None:
        e = self.e
        e.location = self.module.location(op)
        e.placement = self.module.placement(op)
        kind = op.kind
        if kind.lower is not None:
            kind.lower(self, op)
        elif kind.view is not None and any(
            isinstance(self.where(t), Place) for t in op.inputs
        ):
            self.env[op.outputs[0]] = self._view(op)
        else:
            results = kind.emit(e, op, *map(self.value, op.inputs))
            self._results(op, [results] if isinstance(results, Value) else results or [])

    def _results(self, op: Op, results: List[Value]) -> None:
        """Define the results of an op, and write the operands that it writes."""
        for t, value in zip(op.outputs, results):
            if op.kind.inplace is not None:
                self.env[t] = self.place(op.inputs[op.kind.inplace])
                self.env[t].write(self.e, value)
            else:
                self.define(t, value)
        for index, value in zip(op.kind.updates(op), results[len(op.outputs) :]):
            self.place(op.inputs[index]).write(self.e, value)

    def _view(self, op: Op) -> Place:
        if len(op.inputs) > 1:
            return Concatenation([self.where(t) for t in op.inputs], op)
        return self.where(op.inputs[0]).view(self.e, op)

    def define(self, t: Tensor, value: Value) -> None:
        """Define a tensor that is not a view."""
        self.env[t] = Place(self.e.from_tensor(value)) if t in self.written else value

    def where(self, t: Tensor) -> Union[Place, Value]:
        if t not in self.env:
            if isinstance(t, Constant) and t not in self.written:
                # Each use has a constant of its own, at the place of the use.
                return self.e.constant(t._data, t.dtype)
            self._define_leaf(t)
        return self.env[t]

    def value(self, t: Tensor) -> Value:
        """The value of the tensor at this point of the program."""
        where = self.where(t)
        return where.read(self.e) if isinstance(where, Place) else where

    def place(self, t: Tensor) -> Place:
        """The memory of a tensor that an op writes."""
        where = self.where(t)
        assert isinstance(where, Place), t
        return where

    def _define_leaf(self, t: Tensor) -> None:
        """Define a tensor that has no op, at its first use."""
        e = self.e
        saved = e.location, e.placement
        e.location = self.module.named_location(t.id)
        e.placement = self.module.leaf_placement(t)
        variable = getattr(t, "_variable", t)
        if isinstance(variable, Variable):
            if variable._buffer is not None:
                raise popart_exception(
                    f"The remote variable {t} is not on the chip. Load it with "
                    "'ops.remote_load'."
                )
            name = symbol(self.module.symbol(variable))
            ref = e.ref("get_variable", (), t.shape, t.dtype, variable=name)
            self.env[t] = Place(ref) if t in self.written else e.read(ref)
        elif isinstance(t, Constant):
            self.define(t, e.constant(t._data, t.dtype))
        else:
            self.define(t, e.full(0, t.shape, t.dtype))
        e.location, e.placement = saved


class ModulePrinter:
    """Prints graphs, and all streams, variables and buffers of their Ir."""

    def __init__(self, ir, *entries, differentiates: bool = False):
        self.ir = ir
        #: Whether the functions are differentiated.
        self.differentiates = differentiates
        self.print_streams: Set[str] = set()
        self.graphs = reachable(*entries)
        self.references = References(self.graphs)
        self.resources: Dict[str, np.ndarray] = {}
        self._locations: Dict[str, str] = {}
        #: The functions by their symbols.
        self._functions: Dict[str, str] = {}
        self._placed = any(op.ipu for g in self.graphs for op in g._ops)
        self.ipus = 1 + max((op.ipu for g in self.graphs for op in g._ops), default=0)
        self.has_io_tiles = any(
            op.tile_set == "io" for g in self.graphs for op in g._ops
        )
        #: The graphs whose code ops load.
        self.loaded = {
            op["code"] for g in self.graphs for op in g._ops if "code" in op.attributes
        }

    def text(self, attributes: Dict[str, str]) -> str:
        for graph in self.graphs:
            if graph._function is not None:
                self._print_native(graph._function)
            else:
                self.add_function(self.symbol(graph), FunctionPrinter(self, graph).text)
        head = ", ".join(f"{k} = {v}" for k, v in attributes.items())
        body = [
            f"module attributes {{{head}}} {{",
            *self._streams(),
            *self._buffers(),
            *(self._variables() if self.ir.main_graph in self.graphs else ()),
            *self._functions.values(),
            "}",
        ]
        # Locations that contain others need them to be defined before.
        return "\n".join([*self._locations.values(), *body, ""])

    def add_function(self, name: str, text: Callable[[], str]) -> None:
        """Print a function, unless one with its name was printed."""
        if name not in self._functions:
            self._functions[name] = ""
            self._functions[name] = text()

    def _print_native(self, function) -> None:
        """Print a function without records, and those that it calls."""
        self.add_function(function.name, lambda: function.text(self))
        for name in function.symbols():
            if name in self.ir._print_streams:
                self.print_streams.add(name)
            callee = self.ir._functions.get(name)
            if callee is not None and name not in self._functions:
                self._print_native(callee)

    # Functions that are emitted for an op.

    def with_gradient(
        self,
        e: Emitter,
        name: str,
        x: Value,
        forward: Callable[[Emitter, Value], Value],
        backward: Callable[[Emitter, Value], Value],
    ) -> Value:
        """Print `forward(x)`, whose gradient is `backward`."""
        if not self.differentiates or not x.dtype.is_floating_point:
            return forward(e, x)
        inner = Emitter(self)
        inner.location = e.location
        y = forward(inner, Value(inner, "%arg0", x.shape, x.dtype))
        gradient = symbol(f"{name}.gradient")
        self.add_function(
            name,
            lambda: inner.function(
                name, [x], y, f" attributes {{pop.custom_gradient = {gradient}}}"
            ),
        )
        inner = Emitter(self)
        inner.location = e.location
        dx = backward(inner, Value(inner, "%arg0", y.shape, y.dtype))
        self.add_function(
            f"{name}.gradient",
            lambda: inner.function(f"{name}.gradient", [y, x, y], dx),
        )
        callee = {"callee": symbol(name)}
        return e.op("func.call", (x,), [(y.shape, y.dtype)], callee)[0]

    def print_stream(self, op: Op, title: str, x: Value) -> str:
        """The symbol of a stream whose tensors the session prints."""
        name = f"popxl.print.{op.number()}.{title}"
        self.ir._print_streams[name] = PrintStream(
            title, op["format"], x.shape, x.dtype, self._executions(op.graph)
        )
        self.print_streams.add(name)
        return name

    def _executions(self, graph) -> int:
        """How often a run executes a graph; branches count always."""
        if graph is self.ir.main_graph:
            return 1
        return sum(
            self._executions(caller) * op.attributes.get("count", 1)
            for caller in self.ir._graphs
            for op in caller._ops
            if graph in op.called
        )

    # Buffers. The rows of a buffer of shards are shards, even if the program declares
    # them as the whole tensor.

    def row_shape(self, buffer) -> Tuple[int, ...]:
        for v in self.ir.main_graph.variables:
            if v._buffer is buffer and v._sharding is not None:
                return (math.ceil(v.nelms / v._sharding.group_size),)
        return buffer.tensor_shape

    def from_row(self, e: Emitter, row: Value, shape: Sequence[int]) -> Value:
        size = math.prod(shape)
        if math.prod(row.shape) < size:
            rest = e.full(0, (size - row.shape[0],), row.dtype)
            row = e.concat([row, rest], 0)
        return e.reshape(row, shape)

    def to_row(self, e: Emitter, x: Value, buffer) -> Value:
        shape = self.row_shape(buffer)
        if math.prod(shape) < math.prod(x.shape):
            x = e.take(e.reshape(x, (math.prod(x.shape),)), 0, 0, math.prod(shape))
        return e.reshape(x, shape)

    # Symbols.

    def symbol(self, what) -> str:
        """The symbol of a graph, a stream, a variable or a buffer."""
        owner = getattr(what, "_tensor", what)
        if not hasattr(owner, "_symbol"):
            name = _base_symbol(what)
            while name in self.ir._symbols:
                name += "."
            self.ir._symbols.add(name)
            owner._symbol = name
        return owner._symbol

    def streams(self, kind: str) -> Set:
        """The streams of the ops HostLoad or HostStore."""
        return {op["stream"] for op in self._all_ops() if op.kind.type == kind}

    def _streams(self) -> List[str]:
        used = {}
        for op in self._all_ops():
            if op.kind.type in ("HostLoad", "HostStore"):
                used[op["stream"]] = op.kind.type
        printed = [
            f"  pop.stream {symbol(name)} device_to_host : "
            f"{tensor_type(s.shape, s.dtype)} {{transfers = {i64(max(s.count, 1))}}}"
            for name, s in self.ir._print_streams.items()
            if name in self.print_streams
        ]
        return printed + [
            f"  pop.stream {symbol(self.symbol(s))} "
            f"{'host_to_device' if kind == 'HostLoad' else 'device_to_host'} : "
            f"{tensor_type(s.shape, s.dtype)}"
            for s, kind in used.items()
        ]

    def _all_ops(self):
        for graph in self.graphs:
            for op in graph._ops:
                yield from op.attributes.get("merged", (op,))

    def _buffers(self) -> List[str]:
        return [
            f"  pop.remote_buffer {symbol(self.symbol(buffer))} : {buffer.entries} x "
            f"{tensor_type(self.row_shape(buffer), buffer.tensor_dtype)}"
            for buffer in self.ir._remote_buffers
        ]

    def _variables(self) -> List[str]:
        lines = []
        for v in self.ir.main_graph.variables:
            attributes = []
            data, grouping = v._data, v._grouping
            if grouping.num_groups > 1:
                attributes.append(f"groups = {grouping.const_rg.mlir}")
                data = grouping._expand(data)
            if v._retrieval == "all_replicas":
                attributes.append("retrieval = #pop<retrieval all_replicas>")
            if v._buffer is not None:
                attributes.append(f"buffer = {symbol(self.symbol(v._buffer))}")
                attributes.append(f"row = {i64(v._row)}")
            if v._sharding is not None:
                attributes.append(f"sharding = {v._sharding.mlir}")
            if self._placed and v._consumers:
                attributes += (f"{k} = {a}" for k, a in self.leaf_placement(v).items())
            suffix = f" {{{', '.join(attributes)}}}" if attributes else ""
            lines.append(
                f"  pop.variable {symbol(self.symbol(v))} : "
                f"{tensor_type(v.shape, v.dtype)} = {self.elements(data, v.dtype)}{suffix}"
            )
        return lines

    # Attributes.

    def elements(self, data: np.ndarray, dtype: dtypes.dtype) -> str:
        """The elements of a tensor as an attribute."""
        type = tensor_type(data.shape, dtype)
        if data.size == 0:
            return f"dense<> : {type}"
        if not any(data.strides) or data.size == 1:
            return f"dense<{literal_of(data.flat[0], dtype)}> : {type}"
        if data.nbytes <= _MAX_INLINE_BYTES:
            return f"dense<{_nested(data, dtype)}> : {type}"
        return f"dense_resource<{self.resource(np.ascontiguousarray(data))}> : {type}"

    def resource(self, data: np.ndarray) -> str:
        """The key of a buffer beside the text."""
        for key, known in self.resources.items():
            if known is data:
                return key
        key = f"r{len(self.resources)}"
        self.resources[key] = data
        return key

    def placement(self, op: Op) -> Dict[str, str]:
        result = {}
        if self._placed:
            result["pop.vgraph"] = i64(op.ipu)
        if op.tile_set == "io":
            result["pop.tile_set"] = "#pop<tile_set io>"
        return result

    def leaf_placement(self, t: Tensor) -> Dict[str, str]:
        """The placement of a tensor without an op: that of its first user."""
        return t._consumers[0].kind.source_placement(
            self.placement(t._consumers[0]), t._consumers[0]
        )

    # Locations.

    def location(self, op: Op) -> str:
        file, line = op.place
        name = op.outputs[0].id if op.outputs else op.scope + op.kind.type
        place = f"loc({string(name)}({string(file)}:{line}:1))"
        return f"loc({self.alias(place)})"

    def named_location(self, name: str) -> str:
        return f"loc({self.alias(f'loc({string(name)})')})"

    def alias(self, location: str) -> str:
        """The name of a location."""
        name = f"#loc{len(self._locations)}"
        line = self._locations.setdefault(location, f"{name} = {location}")
        return line.partition(" ")[0]


class PrintStream(NamedTuple):
    """A stream of tensors that the session prints."""

    title: str
    format: Dict
    shape: Tuple[int, ...]
    dtype: dtypes.dtype
    #: How many tensors a run sends.
    count: int


def _base_symbol(what) -> str:
    for attribute in ("tensor_id", "id"):
        if hasattr(what, attribute):
            return getattr(what, attribute)
    return f"remote_buffer_{what.remote_buffer_id}"


def _nested(data: np.ndarray, dtype: dtypes.dtype) -> str:
    if data.ndim == 0:
        return literal_of(data[()], dtype)
    return f"[{', '.join(_nested(row, dtype) for row in data)}]"

