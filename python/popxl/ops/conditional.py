# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Branches."""

from collections.abc import Mapping
from functools import partial
from typing import Iterable, List, Optional, Tuple

from popxl._record import Op, OpKind, Spec, record_op
from popxl.context import get_current_graph
from popxl.errors import popart_exception
from popxl.graph import Graph
from popxl.ops.call import bind_inputs, emit_call
from popxl.ops.utils import check_in_graph
from popxl.tensor import Tensor


class _Branch:
    """The operands of a branch, in the form of a call."""

    def __init__(self, graph: Graph, inputs: List[Tensor]):
        self.inputs = inputs
        self.attributes = {"modified": set()}


def _lower_if(f, op: Op) -> None:
    e = f.e
    condition = e.reshape(e.truth(f.value(op.inputs[0])), ())
    placement, e.placement = e.placement, {}
    predicate = e.name()
    e.line(f'{predicate} = "tensor.extract"({condition.name}) : ({condition.type}) -> i1')
    branches = [(op["then"], op["then_inputs"]), (op["else"], op["else_inputs"])]
    # Refs are read in front of the branches, which have values only.
    values = [
        {i: f.value(t) for i, t in enumerate(inputs)} for _, inputs in branches
    ]

    def branch(graph: Graph, inputs: List[Tensor], operands) -> None:
        e.placement = placement
        outputs = emit_call(f, _Branch(graph, inputs), graph, operands)
        e.placement = {}
        e.op("scf.yield", outputs[: len(op.outputs)])

    results = e.region_op(
        "scf.if",
        [(predicate, "i1")],
        [(t.shape, t.dtype) for t in op.outputs],
        [partial(branch, *b, operands) for b, operands in zip(branches, values)],
    )
    e.placement = placement
    for t, value in zip(op.outputs, results):
        f.define(t, value)


IF = OpKind("If", lower=_lower_if)


class ConditionalSiteInfo:
    """A conditional, and how tensors of the caller and of the branches correspond."""

    def __init__(self, op: Op):
        self._op = op

    @property
    def then_graph(self) -> Graph:
        return self._op["then"]

    @property
    def else_graph(self) -> Graph:
        return self._op["else"]

    @property
    def inputs(self) -> Tuple[Tensor, ...]:
        return tuple(self._op.inputs)

    @property
    def outputs(self) -> Tuple[Tensor, ...]:
        return tuple(self._op.outputs)

    def parent_input(self, idx: int) -> Tensor:
        return self.inputs[idx]

    def parent_output(self, idx: int) -> Tensor:
        return self.outputs[idx]

    def _branch(self, graph_tensor: Tensor):
        for graph, key in ((self.then_graph, "then"), (self.else_graph, "else")):
            if graph_tensor in graph:
                return graph, self._op[f"{key}_inputs"]
        raise ValueError(f"{graph_tensor} is a tensor of neither branch.")

    def graph_to_parent(self, graph_tensor: Tensor) -> Tensor:
        """The tensor of the caller for an input or output of a branch."""
        graph, inputs = self._branch(graph_tensor)
        if graph_tensor in graph.inputs:
            return inputs[graph.inputs.index(graph_tensor)]
        if graph_tensor in graph.outputs:
            return self.outputs[graph.outputs.index(graph_tensor)]
        raise ValueError(f"{graph_tensor} is no input or output of {graph.id}.")

    def parent_to_then_graph(self, parent_tensor: Tensor) -> Tensor:
        return self._to_graph(parent_tensor, self.then_graph, self._op["then_inputs"])

    def parent_to_else_graph(self, parent_tensor: Tensor) -> Tensor:
        return self._to_graph(parent_tensor, self.else_graph, self._op["else_inputs"])

    def _to_graph(self, t: Tensor, graph: Graph, inputs: List[Tensor]) -> Tensor:
        if t in inputs:
            return graph.inputs[inputs.index(t)]
        if t in self.outputs:
            return graph.outputs[self.outputs.index(t)]
        raise ValueError(f"{t} is no input or output of the conditional.")


def conditional_with_info(
    cond: Tensor,
    then_branch: Graph,
    else_branch: Graph,
    then_inputs: Optional[Iterable] = None,
    else_inputs: Optional[Iterable] = None,
    then_inputs_dict: Optional[Mapping] = None,
    else_inputs_dict: Optional[Mapping] = None,
    check_inputs: bool = True,
) -> ConditionalSiteInfo:
    """Call one of two graphs."""
    check_in_graph(get_current_graph(), cond=cond)
    if cond.nelms != 1:
        raise popart_exception(f"The condition {cond} is not a scalar.")
    for graph in (then_branch, else_branch):
        if graph._by_ref_inputs:
            raise NotImplementedError(
                f"The branch {graph.id} has inputs by reference."
            )
    if len(then_branch.outputs) != len(else_branch.outputs):
        raise ValueError(
            f"The branches have {len(then_branch.outputs)} and "
            f"{len(else_branch.outputs)} outputs."
        )
    then_operands = bind_inputs(
        then_branch, then_inputs or (), then_inputs_dict, check_inputs
    )
    else_operands = bind_inputs(
        else_branch, else_inputs or (), else_inputs_dict, check_inputs
    )
    specs = []
    for a, b in zip(then_branch.outputs, else_branch.outputs):
        if (a.shape, a.dtype) != (b.shape, b.dtype):
            raise popart_exception(f"The outputs {a} and {b} of the branches differ.")
        specs.append(Spec(a.shape, a.dtype, f"{a.name}_or_{b.name}"))
    operands = list(dict.fromkeys([cond, *then_operands, *else_operands]))
    op = record_op(
        IF,
        operands,
        *specs,
        **{"then": then_branch, "else": else_branch},
        then_inputs=then_operands,
        else_inputs=else_operands,
    )
    op.called = (then_branch, else_branch)
    return ConditionalSiteInfo(op)


def conditional(
    cond: Tensor,
    then_branch: Graph,
    else_branch: Graph,
    then_inputs: Optional[Iterable] = None,
    else_inputs: Optional[Iterable] = None,
    then_inputs_dict: Optional[Mapping] = None,
    else_inputs_dict: Optional[Mapping] = None,
) -> Tuple[Tensor, ...]:
    """Call one of two graphs and return its outputs."""
    return conditional_with_info(
        cond,
        then_branch,
        else_branch,
        then_inputs,
        else_inputs,
        then_inputs_dict,
        else_inputs_dict,
    ).outputs
