# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sums of many tensors."""

from popxl import _device
from popxl._functions import split_module
from popxl._print import ModulePrinter
from popxl.graph import Graph


def decompose_sum(graph: Graph) -> Graph:
    """Add the operands of sums one after the other, as soon as they are computed."""
    from ipu_mlir import _native

    ir = graph.ir
    printer = ModulePrinter(ir, graph)
    with _device.errors():
        text = _native.run_passes(
            _device.module_text(printer),
            "pop-decompose-sums",
            resources=printer.resources,
        )
    functions = split_module(text, printer.resources)
    ir._functions.update(functions)
    for g in printer.graphs:
        g._function = functions[printer.symbol(g)]
    return graph
