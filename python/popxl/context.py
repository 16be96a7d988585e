# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The current graph, and the settings of the ops that are created next."""

from contextlib import contextmanager
from typing import Any, Callable, List, Tuple

from popxl._record import Op


class Context:
    """All stacks of `with` statements. There is one object."""

    def __init__(self):
        self.graphs: List = []
        self.ipus: List[int] = []
        self.tile_sets: List[str] = []
        self.execution_contexts: List[str] = []
        #: (graph, name) pairs: a scope does not apply to graphs inside it.
        self.scopes: List[Tuple[Any, str]] = []
        self.sequences: List = []
        #: Called with each new op of any graph.
        self.listeners: List[Callable[[Op], None]] = []

    @property
    def graph(self):
        if not self.graphs:
            raise RuntimeError("No graph is selected. Use 'with graph:' to select one.")
        return self.graphs[-1]

    def push_graph(self, graph) -> None:
        if self.graphs and self.graphs[-1].ir is not graph.ir:
            raise RuntimeError("The graphs of 'with' statements belong to different Irs.")
        self.graphs.append(graph)

    def pop_graph(self) -> None:
        self.graphs.pop()

    def scope(self, graph) -> str:
        return "".join(f"{name}/" for g, name in self.scopes if g is graph)

    def op_settings(self) -> Tuple[int, str, str, str]:
        return (
            self.ipus[-1] if self.ipus else 0,
            self.tile_sets[-1] if self.tile_sets else "compute",
            self.execution_contexts[-1] if self.execution_contexts else "normal",
            self.scope(self.graph),
        )

    def op_created(self, op: Op) -> None:
        for listener in list(self.listeners):
            listener(op)
        for hook in list(op.graph._hooks.values()):
            hook(op)

    def _op_created(self, op: Op) -> None:
        self.op_created(op)

    def _get_op_settings(self, name: str = "") -> Tuple[int, str, str, str]:
        return self.op_settings()


_CONTEXT = Context()


def get_current_context() -> Context:
    return _CONTEXT


def get_current_graph():
    """The graph of the innermost `with graph:`."""
    return _CONTEXT.graph


def get_main_graph():
    """The main graph of the Ir of the current graph."""
    return _CONTEXT.graph.ir.main_graph


def get_ir():
    """The Ir of the current graph."""
    return _CONTEXT.graph.ir


gcg = get_current_graph
gmg = get_main_graph
gir = get_ir


@contextmanager
def _pushed(stack: List, value: Any):
    stack.append(value)
    try:
        yield
    finally:
        stack.pop()


def ipu(ipu: int):
    """Place ops on an IPU of each replica."""
    if ipu is not None and (not isinstance(ipu, int) or ipu < 0):
        raise ValueError(f"The number of an IPU is not negative, but {ipu!r} was given.")
    return _pushed(_CONTEXT.ipus, ipu)


def io_tiles():
    """Place ops on the I/O tiles of their IPU."""
    return _pushed(_CONTEXT.tile_sets, "io")


def _execution_context(execution_context):
    return _pushed(_CONTEXT.execution_contexts, str(execution_context))


@contextmanager
def name_scope(name: str):
    """Prefix the names of tensors and ops of the current graph by `name/`."""
    with _pushed(_CONTEXT.scopes, (_CONTEXT.graph, name)):
        yield


@contextmanager
def in_sequence(enabled=True):
    """Run ops in the order of their creation.

    All programs run their ops in this order, so no mode changes a program. The mode is
    True, False or "pass". The function is also a decorator.
    """
    if enabled not in (True, False, "pass"):
        raise TypeError(
            f"The mode of 'in_sequence' is True, False or 'pass', but it is {enabled!r}."
        )
    with _pushed(_CONTEXT.sequences, enabled):
        yield


def op_debug_context(name: Any):
    """Decorate a function that creates ops. The frame of the user is found without
    its help, so that the decorator returns the function."""
    if callable(name):
        return name
    return lambda fn: fn


@contextmanager
def debug_context_frame_offset(i: int):
    yield
