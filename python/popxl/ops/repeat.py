# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Loops."""

from collections.abc import Mapping
from typing import Iterable, Optional, Tuple, Union

from popxl._emit import Value
from popxl._record import Op, OpKind, Spec, record_op
from popxl.graph import Graph
from popxl.ops.call import CallSiteInfo, bind_inputs, emit_call, initially_modified
from popxl.tensor import Tensor, TensorLike


def _lower_loop(f, op: Op) -> None:
    """A loop that carries the outputs, which are the first inputs of its iterations."""
    e, graph = f.e, op["graph"]
    carried = op.outputs
    passed = dict(f.module.references.passed_refs(op, graph))
    # What is defined in the body is not visible behind it.
    for t in op.inputs:
        f.where(t)
    constants = {
        i: f.value(t)
        for i, t in enumerate(op.inputs[: len(graph._inputs)])
        if i not in passed or i < len(carried)
    }
    placement, e.placement = e.placement, {}
    bounds = [e.name() for _ in range(3)]
    for name, value in zip(bounds, (0, op["count"], 1)):
        e.line(f'{name} = "arith.constant"() {{value = {value} : index}} : () -> index')
    inner = [Value(e, e.name(), t.shape, t.dtype) for t in carried]

    def body() -> None:
        e.placement = placement
        values = emit_call(f, op, graph, {**constants, **dict(enumerate(inner))})
        e.placement = {}
        e.op("scf.yield", values[: len(carried)])

    results = e.region_op(
        "scf.for",
        [(name, "index") for name in bounds]
        + [(constants[i].name, constants[i].type) for i in range(len(carried))],
        [(t.shape, t.dtype) for t in carried],
        [body],
        ", ".join([f"{e.name()}: index"] + [f"{v.name}: {v.type}" for v in inner]),
    )
    e.placement = placement
    for t, value in zip(carried, results):
        f.define(t, value)


LOOP = OpKind("Loop", lower=_lower_loop)


def repeat_with_info(
    graph: Graph,
    repeat_count: int,
    *inputs: Union[TensorLike, Iterable[TensorLike]],
    inputs_dict: Optional[Mapping] = None,
    check_inputs: bool = True,
) -> CallSiteInfo:
    """Call a graph `repeat_count` times. The outputs of an iteration are the first
    inputs of the next one; further inputs are the same in all iterations."""
    if repeat_count < 0:
        raise ValueError(f"Repeat count must be >= 0, but it is {repeat_count}.")
    if len(graph.outputs) > len(graph.inputs):
        raise ValueError(
            "To repeat the subgraph, it must have at least as many inputs as outputs, "
            f"but {graph.id} has {len(graph.inputs)} inputs and "
            f"{len(graph.outputs)} outputs."
        )
    operands = bind_inputs(graph, inputs, inputs_dict, check_inputs)
    for source, target in zip(graph.outputs, graph.inputs):
        if (source.shape, source.dtype) != (target.shape, target.dtype):
            from popxl.errors import popart_exception

            raise popart_exception(
                f"The output {source} cannot be the input {target} of the next "
                "iteration, because their types differ."
            )
    specs = [Spec(t.shape, t.dtype, t.name, t.meta_shape) for t in graph.outputs]
    op = record_op(
        LOOP,
        operands,
        *specs,
        graph=graph,
        count=int(repeat_count),
        modified=initially_modified(graph),
    )
    op.called = (graph,)
    return CallSiteInfo(op)


def repeat(
    graph: Graph,
    repeat_count: int,
    *inputs: Union[TensorLike, Iterable[TensorLike]],
    inputs_dict: Optional[Mapping] = None,
    check_inputs: bool = True,
) -> Tuple[Tensor, ...]:
    """Call a graph `repeat_count` times and return its last outputs."""
    return repeat_with_info(
        graph,
        repeat_count,
        *inputs,
        inputs_dict=inputs_dict,
        check_inputs=check_inputs,
    ).outputs
