# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Calls of graphs."""

from collections.abc import Mapping
from typing import Any, Dict, Iterable, List, Optional, Tuple, Union

from popxl._emit import Value, symbol
from popxl._record import Op, OpKind, Spec, record_op
from popxl.context import get_current_graph
from popxl.errors import popart_exception
from popxl.graph import Graph
from popxl.ops.utils import check_in_graph
from popxl.tensor import Tensor, TensorLike, constant


def emit_call(f, op: Op, graph: Graph, operands: Dict[int, Value] = {}) -> List[Value]:
    """Print a call of a graph with the operands of an op. `operands` replaces some of
    them."""
    e = f.e
    refs = f.module.references.refs[graph]
    passed = dict(f.module.references.passed_refs(op, graph))
    arguments, copies = [], []
    used = []
    for i in range(len(graph._inputs)):
        t = op.inputs[i]
        if i not in refs:
            arguments.append(operands.get(i) or f.value(t))
        elif i in passed:
            place = f.place(t)
            # A function must not get a tensor twice if it writes it.
            overlaps = any(place is other for other in used) or i in operands
            used.append(place)
            ref = None if overlaps else place.ref
            if ref is None:
                ref = e.from_tensor(operands.get(i) or place.read(e))
                copies.append((place, ref))
            arguments.append(ref)
        else:
            arguments.append(e.from_tensor(operands.get(i) or f.value(t)))
    results = e.op(
        "func.call",
        arguments,
        [(t.shape, t.dtype) for t in graph._outputs],
        {"callee": symbol(f.module.symbol(graph))},
    )
    for place, ref in copies:
        place.write(e, e.read(ref))
    return results


def _lower_call(f, op: Op) -> None:
    results = emit_call(f, op, op.called[0])
    for t, value in zip(op.outputs, results):
        f.define(t, value)


CALL = OpKind("Call", lower=_lower_call)


class CallSiteInfo:
    """A call, and how tensors of the caller and the callee correspond."""

    def __init__(self, op: Op):
        self._op = op

    @property
    def called_graph(self) -> Graph:
        return self._op["graph"]

    @property
    def inputs(self) -> Tuple[Tensor, ...]:
        return tuple(self._op.inputs)

    @property
    def outputs(self) -> Tuple[Tensor, ...]:
        return tuple(self._op.outputs)

    def graph_to_parent_input_index(self, idx: int) -> int:
        return idx

    def parent_to_graph_input_index(self, idx: int) -> int:
        return idx

    def graph_to_parent_output_index(self, idx: int) -> int:
        return idx

    def parent_to_graph_output_index(self, idx: int) -> int:
        return idx

    def parent_input(self, idx: int) -> Tensor:
        if not 0 <= idx < len(self.inputs):
            raise IndexError(f"The call has no input {idx}.")
        return self.inputs[idx]

    def parent_output(self, idx: int) -> Tensor:
        if not 0 <= idx < len(self.outputs):
            raise IndexError(f"The call has no output {idx}.")
        return self.outputs[idx]

    def graph_to_parent(self, graph_tensor: Tensor) -> Tensor:
        """The tensor of the caller for an input or output of the called graph."""
        graph = self.called_graph
        for ours, theirs in ((graph.inputs, self.inputs), (graph.outputs, self.outputs)):
            if graph_tensor in ours:
                return theirs[ours.index(graph_tensor)]
        raise ValueError(f"{graph_tensor} is no input or output of {graph.id}.")

    def parent_to_graph(self, parent_tensor: Tensor) -> Tensor:
        """The input or output of the called graph for a tensor of the caller."""
        graph = self.called_graph
        for theirs, ours in ((self.inputs, graph.inputs), (self.outputs, graph.outputs)):
            if parent_tensor in theirs:
                return ours[theirs.index(parent_tensor)]
        raise ValueError(f"{parent_tensor} is no input or output of the call.")

    def set_parent_input_modified(
        self, parent_tensor: Tensor, infer_modified_regions: bool = False
    ) -> None:
        """Let the called graph write a tensor of the caller."""
        if parent_tensor not in self.inputs:
            raise ValueError(f"{parent_tensor} is no input of the call.")
        self._op.attributes["modified"].update(
            i for i, t in enumerate(self.inputs) if t is parent_tensor
        )


InputsDict = Mapping


def bind_inputs(
    graph: Graph,
    inputs: Iterable,
    inputs_dict: Optional[Mapping],
    check_inputs: bool = True,
) -> List[Tensor]:
    """The operands of a call in the order of the inputs of the graph."""
    flat = list(_flatten(inputs))
    if len(flat) > len(graph.inputs):
        raise ValueError(
            f"Too many inputs have been provided: {len(flat)} for the "
            f"{len(graph.inputs)} inputs of {graph.id}."
        )
    bound = dict(zip(graph.inputs, flat))
    for key, value in (inputs_dict or {}).items():
        if key in bound:
            raise ValueError(
                f"Graph input tensor is specified twice, in 'inputs' and in "
                f"'inputs_dict': {key}."
            )
        if key not in graph.inputs:
            raise ValueError(f"{key} in 'inputs_dict' is no input of {graph.id}.")
        bound[key] = value
    missing = [t.name for t in graph.inputs if t not in bound]
    if missing:
        raise ValueError(
            f"Not enough inputs have been provided: {graph.id} also needs "
            f"{', '.join(missing)}."
        )
    return [_operand(t, bound[t], check_inputs) for t in graph.inputs]


def _flatten(inputs: Iterable):
    for x in inputs:
        if isinstance(x, (list, tuple)) and any(isinstance(v, Tensor) for v in x):
            yield from _flatten(x)
        else:
            yield x


def _operand(formal: Tensor, value: Any, check_inputs: bool) -> Tensor:
    if not isinstance(value, Tensor):
        try:
            if value is None or isinstance(value, str):
                raise TypeError
            return constant(value, formal.dtype)
        except (TypeError, ValueError):
            raise TypeError(
                f"The value {value!r} for the input {formal} cannot become a tensor."
            ) from None
    check_in_graph(get_current_graph(), input=value)
    if check_inputs and (value.dtype, value.shape) != (formal.dtype, formal.shape):
        raise popart_exception(f"{value} does not have the type of the input {formal}.")
    return value


def initially_modified(graph: Graph) -> set:
    return {i for i, t in enumerate(graph.inputs) if t in graph._by_ref_inputs}


def call_with_info(
    graph: Graph,
    *inputs: Union[TensorLike, Iterable[TensorLike]],
    inputs_dict: Optional[Mapping] = None,
    check_inputs: bool = True,
) -> CallSiteInfo:
    """Call a graph. `inputs` are the first inputs, and `inputs_dict` maps further
    inputs of the graph to tensors."""
    operands = bind_inputs(graph, inputs, inputs_dict, check_inputs)
    specs = [Spec(t.shape, t.dtype, t.name, t.meta_shape) for t in graph.outputs]
    op = record_op(
        CALL, operands, *specs, graph=graph, modified=initially_modified(graph)
    )
    op.called = (graph,)
    return CallSiteInfo(op)


def call(
    graph: Graph,
    *inputs: Union[TensorLike, Iterable[TensorLike]],
    inputs_dict: Optional[Mapping] = None,
) -> Tuple[Tensor, ...]:
    """Call a graph and return its outputs."""
    return call_with_info(graph, *inputs, inputs_dict=inputs_dict).outputs
