# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs, and the tracing of functions to graphs."""

import inspect
import itertools
import os
import weakref
from collections import Counter
from typing import Any, Callable, Iterable, List, Optional, Set, Union

from popxl import _dot, _internals
from popxl.graph import Graph
from popxl.module import Module
from popxl.replica_grouping import ReplicaGrouping
from popxl.tensor import (
    Tensor,
    TensorSpec,
    by_ref_annotation,
    graph_input,
    graph_output,
)

_ir_ids = itertools.count()


class Ir:
    """A program: a main graph, and the graphs that it calls."""

    _ir_cache = weakref.WeakValueDictionary()

    def __init__(self, replication: Union[int, str] = 1):
        self._id = next(_ir_ids)
        if replication == "popdist":
            replication = int(os.environ.get("POPDIST_NUM_TOTAL_REPLICAS", "1"))
        self._replication = int(replication)
        self._num_host_transfers = 1
        #: Whether a session was created.
        self._prepared = False
        self._graph_counts = Counter()
        self._tensor_count = itertools.count()
        self._op_count = itertools.count()
        #: The symbols of MLIR that are in use.
        self._symbols = {"main"}
        #: Functions without records, by their symbols.
        self._functions = {}
        self._print_streams = {}
        #: The drawings of checkpoints, by their names.
        self._drawings = {}
        self._remote_buffers: List = []
        self._graphs: List[Graph] = []
        self._options = _internals.SessionOptions()
        self._main_graph = self._add_graph("main")
        self._main_graph._symbol = "main"
        Ir._ir_cache[self._id] = self

    @property
    def id(self) -> int:
        return self._id

    @property
    def main_graph(self) -> Graph:
        return self._main_graph

    @property
    def num_host_transfers(self) -> int:
        """How many tensors a stream transfers in a run."""
        return self._num_host_transfers

    @num_host_transfers.setter
    def num_host_transfers(self, value: int) -> None:
        self._num_host_transfers = value

    @property
    def replication_factor(self) -> int:
        return self._replication

    @replication_factor.setter
    def replication_factor(self, value: int) -> None:
        if self._prepared:
            raise RuntimeError(
                "The replication factor cannot change after a session was created."
            )
        self._replication = value

    @property
    def instance_replication_factor(self) -> int:
        return self._replication

    def replica_grouping(
        self, stride: int = 1, group_size: Optional[int] = None
    ) -> ReplicaGrouping:
        """Groups of `group_size` replicas, of which neighbours in a group are `stride`
        apart."""
        return ReplicaGrouping._from_params(self, stride, group_size)

    def replica_grouping_from_assignments(
        self, assignments: List[int]
    ) -> ReplicaGrouping:
        """Groups by the number of the group of each replica."""
        return ReplicaGrouping._from_assignment(self, assignments)

    def create_empty_graph(self, name: str = "graph") -> Graph:
        return self._add_graph(f"{name}_subgraph({self._graph_counts[name]})", name)

    def create_graph(self, fn: Callable[..., Any], *args: Any, **kwargs: Any) -> Graph:
        """Trace `fn` to a graph. Arguments that are tensors, or lists of tensors,
        become inputs of the graph; other arguments are passed to `fn`."""
        graph = self.create_empty_graph(_graph_name(fn))
        signature = inspect.signature(fn.build if isinstance(fn, Module) else fn)
        try:
            bound = signature.bind(*args, **kwargs)
        except TypeError as e:
            raise ValueError(
                f"The arguments do not fit the signature of {_graph_name(fn)}: {e}"
            ) from e
        bound.apply_defaults()
        with graph:
            for name, parameter in signature.parameters.items():
                bound.arguments[name] = _trace_argument(
                    name, bound.arguments[name], parameter
                )
            result = fn(*bound.args, **bound.kwargs)
            for t in _traced_outputs(result):
                graph_output(t)
        return graph

    def get_all_d2h_streams(self) -> Set:
        """All streams to the host to which an op stores."""
        return {op["stream"] for op in self._all_ops() if op.kind.type == "HostStore"}

    def get_all_h2d_streams(self) -> Set:
        """All streams from the host from which an op loads."""
        return {op["stream"] for op in self._all_ops() if op.kind.type == "HostLoad"}

    def dot_checkpoint(self, check: str, save_dir=None) -> None:
        """Draw the graphs as they are now, and write the drawing as a dot file when a
        session is created, if the environment variable POPART_DOT_CHECKS, or the
        option `dotChecks`, has the name of the check."""
        _dot.add_checkpoint(self, check, save_dir)

    def _all_ops(self) -> Iterable:
        for graph in self._graphs:
            for op in graph._ops:
                yield from op.attributes.get("merged", (op,))

    def _add_graph(self, id: str, name: str = "") -> Graph:
        self._graph_counts[name] += 1
        graph = Graph._create(self, id)
        self._graphs.append(graph)
        return graph

    @property
    def _pb_ir(self) -> "_internals.Ir":
        return _internals.Ir(self)

    @staticmethod
    def _from_pb(pb_ir) -> "Ir":
        return pb_ir.ir

    def __eq__(self, other) -> bool:
        if not isinstance(other, Ir):
            raise TypeError(f"Cannot compare an Ir and {type(other)}.")
        return self is other

    def __hash__(self) -> int:
        return self._id

    def __repr__(self) -> str:
        return f"Ir[id={self.id}]"


def _graph_name(fn: Callable) -> str:
    if isinstance(fn, Module):
        name = type(fn).__qualname__
    elif hasattr(fn, "__qualname__"):
        name = fn.__qualname__
    else:
        raise TypeError(f"{fn!r} is neither a function nor a Module.")
    return name.replace(".<locals>", "").replace("<locals>.", "")


def _is_tensor(x: Any) -> bool:
    return isinstance(x, (Tensor, TensorSpec))


def _trace_argument(name: str, value: Any, parameter: inspect.Parameter) -> Any:
    by_ref = by_ref_annotation(parameter.annotation)

    def trace(name: str, t) -> Tensor:
        return graph_input(t.shape, t.dtype, name, by_ref, t.meta_shape)

    if _is_tensor(value):
        return trace(name, value)
    if isinstance(value, dict) and parameter.kind is inspect.Parameter.VAR_KEYWORD:
        _check_all_tensors(name, value.values())
        return {
            k: trace(k, v) if _is_tensor(v) else v for k, v in value.items()
        }
    if isinstance(value, (list, tuple)):
        _check_all_tensors(name, value)
        traced = [
            trace(f"{name}_{i}", v) if _is_tensor(v) else v for i, v in enumerate(value)
        ]
        if not any(map(_is_tensor, value)):
            return value
        is_var = parameter.kind is inspect.Parameter.VAR_POSITIONAL
        return tuple(traced) if is_var else traced
    return value


def _check_all_tensors(name: str, values: Iterable) -> None:
    if len({_is_tensor(v) for v in values}) > 1:
        raise TypeError(f"The argument '{name}' mixes tensors and other values.")


def _traced_outputs(result: Any) -> List[Tensor]:
    if result is None:
        return []
    outputs = [result] if isinstance(result, Tensor) else result
    if isinstance(outputs, (str, dict)) or not isinstance(outputs, Iterable):
        raise ValueError(f"A graph returns tensors, but the function returned {result!r}.")
    outputs = list(outputs)
    if not all(isinstance(t, Tensor) for t in outputs):
        raise ValueError(f"A graph returns tensors, but the function returned {result!r}.")
    return outputs
