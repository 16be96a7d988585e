# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Differentiation of graphs."""

from enum import Enum
from typing import Dict, Iterable, List, Mapping, NamedTuple, Optional, Tuple, Union

from popxl import _device, dtypes
from popxl._functions import split_module
from popxl._places import reachable
from popxl._print import ModulePrinter
from popxl.errors import popart_exception
from popxl.graph import Graph
from popxl.ops.call import CallSiteInfo
from popxl.tensor import Tensor, graph_input


class ExpectedConnectionType(Enum):
    """What an input or an output of a gradient graph is: a tensor of the forward graph
    or its gradient."""

    Fwd = "Fwd"
    FwdGrad = "FwdGrad"


class ExpectedConnection(NamedTuple):
    fwd_tensor: Tensor
    connection_type: ExpectedConnectionType

    def __repr__(self) -> str:
        return f"({self.connection_type.name}, {self.fwd_tensor})"


class GradGraphInfo:
    """The gradient graph of a forward graph, and what its inputs and outputs are."""

    def __init__(
        self,
        graph: Graph,
        forward_graph: Graph,
        expected_inputs: Iterable[ExpectedConnection],
        expected_outputs: Iterable[ExpectedConnection],
    ):
        self.graph = graph
        self.forward_graph = forward_graph
        self.expected_inputs = tuple(expected_inputs)
        self.expected_outputs = tuple(expected_outputs)

    @property
    def inputs(self) -> Tuple[ExpectedConnection, ...]:
        return self.expected_inputs

    @property
    def outputs(self) -> Tuple[ExpectedConnection, ...]:
        return self.expected_outputs

    def inputs_dict(self, fwd_call_info: CallSiteInfo) -> Dict[Tensor, Tensor]:
        """The inputs of the gradient graph that are tensors of a call of the forward
        graph."""
        self._check_call(fwd_call_info, self.forward_graph)
        return {
            t: fwd_call_info.graph_to_parent(connection.fwd_tensor)
            for t, connection in zip(self.graph.inputs, self.expected_inputs)
            if connection.connection_type is ExpectedConnectionType.Fwd
        }

    def fwd_graph_ins_to_grad_parent_outs(
        self, grad_call_info: CallSiteInfo
    ) -> Dict[Tensor, Tensor]:
        """The gradients of the inputs of the forward graph."""
        self._check_call(grad_call_info, self.graph)
        return {
            connection.fwd_tensor: gradient
            for connection, gradient in zip(
                self.expected_outputs, grad_call_info.outputs
            )
        }

    def fwd_parent_ins_to_grad_parent_outs(
        self, fwd_call_info: CallSiteInfo, grad_call_info: CallSiteInfo
    ) -> Dict[Tensor, Tensor]:
        """The gradients of the tensors that a call passes to the forward graph."""
        self._check_call(fwd_call_info, self.forward_graph)
        gradients = self.fwd_graph_ins_to_grad_parent_outs(grad_call_info)
        return {fwd_call_info.graph_to_parent(t): g for t, g in gradients.items()}

    @staticmethod
    def _check_call(info: CallSiteInfo, graph: Graph) -> None:
        if info.called_graph is not graph:
            raise TypeError(
                f"The call is one of {info.called_graph.id}, not of {graph.id}."
            )

    def __repr__(self) -> str:
        return (
            f"GradGraphInfo[graph={self.graph.id}\n"
            f"  expected_inputs={list(self.expected_inputs)}\n"
            f"  expected_outputs={list(self.expected_outputs)}]"
        )


def autodiff(
    graph: Graph,
    grads_provided: Optional[Iterable[Tensor]] = None,
    grads_required: Optional[Iterable[Tensor]] = None,
    called_graphs_grad_info: Optional[Mapping[Graph, GradGraphInfo]] = None,
    return_all_grad_graphs: bool = False,
) -> Union[GradGraphInfo, Mapping[Graph, GradGraphInfo]]:
    """Create the graph that computes gradients of `graph`.

    The gradients of the outputs `grads_provided` (default: all) are its first inputs,
    and the gradients of the inputs `grads_required` (default: all) its outputs. The
    forward graph, and its calls, get the outputs that the gradient graph needs.
    """
    ir = graph.ir
    _check_not_modifying(graph)
    provided = _indices(grads_provided, graph.outputs, "output")
    required = _indices(grads_required, graph.inputs, "input")
    if not provided or not required:
        return _without_gradients(graph, grads_provided)
    entries = [graph, *(g for g in ir._graphs if g._function)]
    printer = ModulePrinter(ir, *entries, differentiates=True)
    from ipu_mlir import _native

    with _device.errors():
        text, signatures = _native.autodiff(
            _device.module_text(printer),
            printer.symbol(graph),
            provided=provided,
            required=required,
            unreachable="zero",
            resources=printer.resources,
        )
    infos = _Importer(ir, printer).import_module(text, signatures)
    return infos if return_all_grad_graphs else infos[graph]


def _without_gradients(graph: Graph, grads_provided) -> GradGraphInfo:
    """A gradient graph without outputs: integers have no gradients."""
    provided = graph.outputs if grads_provided is None else grads_provided
    inputs = [ExpectedConnection(t, ExpectedConnectionType.FwdGrad) for t in provided]
    result = graph.ir.create_empty_graph(f"{graph.id}_grad")
    with result:
        for t in provided:
            graph_input(t.shape, t.dtype, f"Gradient___{t.name}")
    return GradGraphInfo(result, graph, inputs, ())


def _check_not_modifying(graph: Graph) -> None:
    for g in reachable(graph):
        for op in g._ops:
            if op.kind.inplace is not None or op.kind.updates(op):
                raise popart_exception(
                    f"The graph {graph.id} contains a modifying op, {op}. Only "
                    "tensors that no op writes have gradients."
                )


def _indices(given, tensors: Tuple[Tensor, ...], what: str) -> List[int]:
    if given is None:
        return [i for i, t in enumerate(tensors) if t.dtype.is_floating_point]
    given = list(given)
    for t in given:
        if t not in tensors:
            raise popart_exception(f"{t} is no {what} of the graph.")
    return [tensors.index(t) for t in given]


class _Importer:
    """Adds the functions that differentiation has changed and created to an Ir."""

    def __init__(self, ir, printer: ModulePrinter):
        self.ir = ir
        self.printer = printer
        self.graphs = {printer.symbol(g): g for g in printer.graphs}

    def import_module(self, text: str, signatures) -> Dict[Graph, GradGraphInfo]:
        functions = split_module(text, self.printer.resources)
        new = {}
        for signature in signatures:
            graph = self.graphs.get(signature.name)
            function = functions[signature.name]
            self.ir._functions[signature.name] = function
            if graph is not None:
                graph._function = function
                self._add_outputs(graph, signature)
            elif any(v.role for v in (*signature.arguments, *signature.results)):
                new[signature.name] = signature
        infos = {}
        for name, signature in new.items():
            forward = self._forward(name)
            if forward is not None:
                infos[forward] = self._gradient(forward, signature)
                infos[forward].graph._function = functions[name]
        return infos

    def _forward(self, name: str) -> Optional[Graph]:
        """The graph whose gradient function has the name."""
        base = name.rpartition("_backward")[0]
        return self.graphs.get(base)

    def _add_outputs(self, graph: Graph, signature) -> None:
        added = signature.results[len(graph._outputs) :]
        for value in added:
            shape, dtype = _parse_type(value.type)
            output = graph._new_tensor(shape, dtype, "stash")
            graph._outputs.append(output)
            for op in [op for g in self.ir._graphs for op in g._ops]:
                if graph in op.called and op.kind.type == "Call":
                    result = op.graph._new_tensor(shape, dtype, output.name)
                    result._producer = op
                    op.outputs.append(result)

    def _gradient(self, forward: Graph, signature) -> GradGraphInfo:
        graph = self.ir.create_empty_graph(f"{forward.id}_grad")
        graph._symbol = signature.name
        self.ir._symbols.add(signature.name)

        def connect(value) -> ExpectedConnection:
            tensors = forward.inputs if value.of_kind == "argument" else forward.outputs
            is_gradient = value.role == "gradient"
            kind = ExpectedConnectionType.FwdGrad if is_gradient else ExpectedConnectionType.Fwd
            return ExpectedConnection(tensors[value.of_index], kind)

        def tensor(connection: ExpectedConnection) -> Tensor:
            t = connection.fwd_tensor
            is_gradient = connection.connection_type is ExpectedConnectionType.FwdGrad
            name = f"Gradient___{t.name}" if is_gradient else t.name
            return graph._new_tensor(t.shape, t.dtype, name)

        inputs = [connect(v) for v in signature.arguments]
        outputs = [connect(v) for v in signature.results]
        graph._inputs = [tensor(c) for c in inputs]
        graph._outputs = [tensor(c) for c in outputs]
        return GradGraphInfo(graph, forward, inputs, outputs)


def _parse_type(text: str) -> Tuple[Tuple[int, ...], dtypes.dtype]:
    *shape, element = text[len("tensor<") : -1].split("x")
    dtype = next(t for t in dtypes._NAME_TO_POPXL.values() if t._mlir == element)
    return tuple(map(int, shape)), dtype
