# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The memory of tensors.

All tensors of PopXL can be changed in place, and tensors can be views of others. A
tensor that some op of its graph writes, itself or by a view, is in a ref: each use is a
`pop.read`. All other tensors are immutable values. `References` finds the tensors of the
first kind, and a `Place` is where one of them is.
"""

from typing import Dict, List, Optional, Sequence, Set, Tuple, Union

from popxl._emit import Emitter, Value
from popxl._record import Op
from popxl.errors import popart_exception
from popxl.tensor import Tensor


def find_roots(graph) -> Dict[Tensor, Set[Tensor]]:
    """For each view and each new version of a tensor, the tensors whose memory it is."""
    roots: Dict[Tensor, Set[Tensor]] = {}
    for op in graph._ops:
        for part in op.attributes.get("merged", (op,)):
            sources = part.inputs if part.kind.view else ()
            if part.kind.inplace is not None:
                sources = (part.inputs[part.kind.inplace],)
            if sources:
                roots[part.outputs[0]] = set().union(
                    *(roots.get(t, {t}) for t in sources)
                )
    return roots


def reachable(*graphs) -> List:
    """The graphs, all that they call, and those whose code they load. A graph is behind
    those that it calls."""
    result: Dict = {}
    pending = list(graphs)

    def visit(graph, callers: Tuple) -> None:
        if graph in callers:
            raise popart_exception(f"The graph {graph.id} calls itself.")
        if graph in result:
            return
        for callee in graph.called_graphs:
            visit(callee, (*callers, graph))
        pending.extend(op["code"] for op in graph._ops if "code" in op.attributes)
        result[graph] = None

    while pending:
        visit(pending.pop(0), ())
    return list(result)


class References:
    """What graphs write: their own tensors, and the tensors of their callers."""

    def __init__(self, graphs: Sequence):
        #: The roots that the ops of each graph write.
        self.written: Dict = {}
        #: The inputs of each graph that are refs.
        self.refs: Dict = {graph: set() for graph in graphs}
        for graph in graphs:
            roots = find_roots(graph)
            self.written[graph] = {
                root
                for op in graph._ops
                for t in self._written_operands(op)
                for root in roots.get(t, {t})
            }
        for graph in graphs:
            for op in graph._ops:
                if "modified" in op.attributes:
                    for callee in op.called:
                        self.refs[callee].update(
                            i for i, _ in self.passed_refs(op, callee)
                        )

    def modifies(self, graph, index: int) -> bool:
        return graph._inputs[index] in self.written[graph]

    def passed_refs(self, op: Op, callee) -> List[Tuple[int, Tensor]]:
        """The inputs of the callee that are the caller's tensors, which it writes."""
        marked = op.attributes.get("modified", ())
        return [
            (i, t)
            for i, t in enumerate(op.inputs[: len(callee._inputs)])
            if self.modifies(callee, i)
            and (i in marked or callee._inputs[i] in callee._by_ref_inputs)
        ]

    def _written_operands(self, op: Op) -> List[Tensor]:
        if "merged" in op.attributes:
            return [t for part in op["merged"] for t in self._written_operands(part)]
        written = [op.inputs[i] for i in op.kind.updates(op)]
        if op.kind.inplace is not None:
            return [op.inputs[op.kind.inplace], *written]
        if written:
            return written
        if "modified" not in op.attributes:
            return []
        return [t for g in op.called for _, t in self.passed_refs(op, g)]


class Place:
    """The memory of a tensor that ops write: a ref."""

    def __init__(self, ref: Optional[Value], contiguous: bool = True):
        #: None if no ref has the elements.
        self.ref = ref
        #: Whether the elements are adjacent and in order.
        self.contiguous = contiguous

    def read(self, e: Emitter) -> Value:
        return e.read(self.ref)

    def write(self, e: Emitter, value: Value) -> None:
        e.write(self.ref, value)

    def view(self, e: Emitter, op: Op) -> "Place":
        view, out = op.kind.view, op.outputs[0]
        if not view.op:
            return self
        # Only elements in order can be viewed in any other shape.
        if self.ref is None or (view.keeps_order and not self.contiguous):
            return _View(self, op)
        ref = e.ref(view.op, (self.ref,), out.shape, out.dtype, **view.attributes(op))
        return Place(ref, view.keeps_order)


class _View(Place):
    """A view that is read and written as a part of the whole tensor."""

    def __init__(self, whole: Place, op: Op):
        super().__init__(None)
        self.whole = whole
        self.op = op

    def read(self, e: Emitter) -> Value:
        return self.op.kind.emit(e, self.op, self.whole.read(e))

    def write(self, e: Emitter, value: Value) -> None:
        insert = self.op.kind.view.insert
        self.whole.write(e, insert(e, self.op, self.whole.read(e), value))


class Concatenation(Place):
    """A view of several tensors."""

    def __init__(self, parts: Sequence[Union[Place, Value]], op: Op):
        super().__init__(None)
        self.parts = parts
        self.op = op

    def read(self, e: Emitter) -> Value:
        values = [p.read(e) if isinstance(p, Place) else p for p in self.parts]
        return e.concat(values, self.op["axis"])

    def write(self, e: Emitter, value: Value) -> None:
        start, axis = 0, self.op["axis"]
        for part, t in zip(self.parts, self.op.inputs):
            part.write(e, e.take(value, axis, start, t.shape[axis]))
            start += t.shape[axis]
