# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Graphs: lists of ops with inputs and outputs."""

import itertools
from typing import Any, Callable, Dict, Iterable, List, Optional, Tuple

from popxl import _internals, dtypes
from popxl._record import Op
from popxl.context import get_current_context
from popxl.tensor import Constant, Tensor, Variable, graph_input, graph_output


class Graph:
    """A graph of an `Ir`. `Ir.create_graph` creates it."""

    def __init__(self):
        raise RuntimeError("Use 'Ir.create_graph' to create graphs.")

    @classmethod
    def _create(cls, ir, id: str) -> "Graph":
        self = cls.__new__(cls)
        self._ir = ir
        self._id = id
        self._tensors: Dict[str, Tensor] = {}
        self._ops: List[Op] = []
        self._inputs: List[Tensor] = []
        self._outputs: List[Tensor] = []
        #: The inputs that the graph may write in its caller.
        self._by_ref_inputs = set()
        self._hooks: Dict[int, Callable[[Op], None]] = {}
        self._hook_ids = itertools.count()
        #: The printed function, if the graph is the result of a transform.
        self._function = None
        return self

    @property
    def ir(self):
        return self._ir

    @property
    def main_graph(self) -> "Graph":
        return self._ir.main_graph

    @property
    def id(self) -> str:
        return self._id

    @property
    def name(self) -> str:
        return self._id

    @property
    def inputs(self) -> Tuple[Tensor, ...]:
        return tuple(self._inputs)

    @property
    def inputs_by_name(self) -> Dict[str, Tensor]:
        return {t.name: t for t in self._inputs}

    @property
    def outputs(self) -> Tuple[Tensor, ...]:
        return tuple(self._outputs)

    @property
    def tensors(self) -> Tuple[Tensor, ...]:
        return tuple(self._tensors.values())

    @property
    def variables(self) -> Tuple[Variable, ...]:
        return tuple(t for t in self.tensors if isinstance(t, Variable))

    @property
    def constants(self) -> Tuple[Constant, ...]:
        return tuple(t for t in self.tensors if isinstance(t, Constant))

    @property
    def called_graphs(self) -> Tuple["Graph", ...]:
        return tuple(dict.fromkeys(g for op in self._ops for g in op.called))

    def get_tensor(self, tensor_id: str) -> Tensor:
        if tensor_id not in self._tensors:
            raise ValueError(f"The graph {self.id} has no tensor '{tensor_id}'.")
        return self._tensors[tensor_id]

    def register_op_created_hook(self, hook: Callable[[Op], Any]) -> int:
        """Call `hook` with each new op of this graph. Returns a handle."""
        handle = next(self._hook_ids)
        self._hooks[handle] = hook
        return handle

    def remove_op_created_hook(self, handle: int) -> None:
        if handle not in self._hooks:
            raise ValueError(f"There is no hook with the handle {handle}.")
        del self._hooks[handle]

    def _check_editable(self) -> None:
        if self._function is not None:
            raise RuntimeError(f"{self.id} was transformed: it cannot have more ops.")

    def _tensor_id(self, name: Optional[str]) -> str:
        prefix = "" if self is self.main_graph else self._id + "/"
        id = prefix + get_current_context().scope(self) + (name or "t")
        if id in self._tensors:
            id += f"__t{next(self._ir._tensor_count)}"
        return id

    def _new_tensor(self, shape, dtype, name, meta_shape=(), cls=Tensor) -> Tensor:
        shape = tuple(int(d) for d in shape)
        if any(d < 0 for d in shape):
            raise ValueError(f"The shape {shape} has a negative size.")
        if not isinstance(dtype, dtypes.dtype):
            raise TypeError(f"{dtype!r} is not a dtype of popxl.")
        tensor = cls._create(self, self._tensor_id(name), shape, dtype, meta_shape)
        self._tensors[tensor.id] = tensor
        return tensor

    def __contains__(self, tensor: Tensor) -> bool:
        if not isinstance(tensor, Tensor):
            raise TypeError(f"A graph contains tensors, but {tensor!r} is none.")
        return tensor._graph is self

    def __enter__(self) -> "Graph":
        get_current_context().push_graph(self)
        return self

    def __exit__(self, *_) -> None:
        get_current_context().pop_graph()

    def __eq__(self, other) -> bool:
        if not isinstance(other, Graph):
            raise TypeError(f"Cannot compare a Graph and {type(other)}.")
        return self is other

    def __hash__(self) -> int:
        return id(self)

    def __repr__(self) -> str:
        def rows(tensors: Iterable[Tensor]) -> str:
            return "".join(f"\n    {t}" for t in tensors)

        return (
            f"Graph[id={self.id} inputs=[{rows(self.inputs)}] "
            f"outputs=[{rows(self.outputs)}]]"
        )

    @property
    def _pb_graph(self) -> "_internals.Graph":
        return _internals.Graph(self)

    @staticmethod
    def _from_pb(pb_graph) -> "Graph":
        return pb_graph.graph


__all__ = ["Graph", "graph_input", "graph_output"]
