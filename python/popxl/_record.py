# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Records of ops.

A graph is a list of `Op` records in the order in which the user created them, which is
the order in which they run. An `OpKind` has everything that is specific to a kind of
op: how an op is printed as ops of `pop`, the operand that it writes or views, and the
names by which PopART knows it. Each module of `popxl.ops` has the kinds of its ops.
"""

import os
import sys
from dataclasses import dataclass
from typing import Any, Callable, Dict, List, NamedTuple, Optional, Sequence, Tuple

_PACKAGE = os.path.dirname(os.path.abspath(__file__))


class View(NamedTuple):
    """How an op views its operand."""

    #: The op of `pop` that makes the view of a ref, or "" if they are the same, and its
    #: attributes.
    op: str
    attributes: Callable[["Op"], Dict[str, str]]
    #: Prints the operand with another value of the view: takes an `Emitter`, the op,
    #: and the values of the operand and of the view.
    insert: Optional[Callable[..., Any]] = None
    #: Whether a view of adjacent elements has adjacent elements.
    keeps_order: bool = False


@dataclass(frozen=True, eq=False)
class OpKind:
    #: The type of the op in PopART.
    type: str
    #: Prints an op: takes an `Emitter`, the op and the values of the operands, and
    #: returns the values of the results.
    emit: Optional[Callable[..., Any]] = None
    #: The class of the op in PopART, if it is not the type followed by "Op".
    cls: str = ""
    #: The operand that the op writes, whose new value is the first result.
    inplace: Optional[int] = None
    #: Further operands that the op writes, whose new values follow the results.
    updates: Callable[["Op"], Sequence[int]] = lambda op: ()
    #: The first result is a view of the first operand.
    view: Optional[View] = None
    #: The placement of operands, if it is not that of the op.
    source_placement: Callable[[Dict[str, str], "Op"], Dict[str, str]] = (
        lambda placement, op: placement
    )
    #: Prints an op that passes refs, instead of `emit`: takes a `FunctionPrinter`
    #: and the op.
    lower: Optional[Callable[..., None]] = None
    #: The kind is a transfer between the device and its host or its memory, which
    #: `merge_exchange` may combine with others.
    exchange: bool = False

    @property
    def class_name(self) -> str:
        return self.cls or self.type + "Op"


class Op:
    """An op of a graph."""

    __slots__ = (
        "kind graph inputs outputs attributes ipu tile_set execution_context scope place "
        "called"
    ).split()

    def __init__(self, kind: OpKind, graph, inputs, attributes, settings):
        self.kind = kind
        self.graph = graph
        self.inputs: List = list(inputs)
        self.outputs: List = []
        self.attributes: Dict[str, Any] = attributes
        self.ipu, self.tile_set, self.execution_context, self.scope = settings
        self.place = user_place()
        #: The graphs that the op calls.
        self.called: Tuple = ()

    def number(self) -> int:
        """A number of the op that never changes."""
        if "number" not in self.attributes:
            self.attributes["number"] = next(self.graph.ir._op_count)
        return self.attributes["number"]

    def __getitem__(self, name: str) -> Any:
        return self.attributes[name]

    # PopART's interface of ops.
    def opType(self) -> str:
        return self.kind.type

    def modifiesIndex(self, index: int) -> bool:
        if self.called:
            return index in self.attributes.get("modified", ())
        return self.kind.inplace == index or index in self.kind.updates(self)

    def isOptimizerOp(self) -> bool:
        return self.kind.type.startswith(("Adam", "Accumul", "CopyVar", "Scaled"))

    def getCalledGraphs(self) -> List:
        return [g._pb_graph for g in self.called]

    def __repr__(self) -> str:
        return f"{self.kind.type}({', '.join(t.id for t in self.inputs)})"


def user_place() -> Tuple[str, int]:
    """The file and the line of the caller outside of this package."""
    frame = sys._getframe(2)
    while frame.f_back is not None and frame.f_code.co_filename.startswith(_PACKAGE):
        frame = frame.f_back
    return frame.f_code.co_filename, frame.f_lineno


class Spec(NamedTuple):
    """A result of an op before it is a tensor."""

    shape: Sequence[int]
    dtype: Any
    name: str
    meta_shape: Sequence[int] = ()


def record(kind: OpKind, inputs: Sequence, /, *specs: Spec, **attributes: Any):
    """Append an op to the current graph. Returns its result, or a tuple of its
    results if it does not have exactly one."""
    op = record_op(kind, inputs, *specs, **attributes)
    return op.outputs[0] if len(specs) == 1 else tuple(op.outputs)


def record_op(kind: OpKind, inputs: Sequence, /, *specs: Spec, **attributes: Any) -> Op:
    from popxl.context import get_current_context

    context = get_current_context()
    graph = context.graph
    graph._check_editable()
    op = Op(kind, graph, inputs, attributes, context.op_settings())
    for t in dict.fromkeys(inputs):
        t._consumers.append(op)
    for spec in specs:
        result = graph._new_tensor(*spec)
        result._producer = op
        op.outputs.append(result)
    graph._ops.append(op)
    context.op_created(op)
    return op
