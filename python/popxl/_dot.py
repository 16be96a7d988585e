# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Drawings of graphs in Graphviz's language."""

import json
import os
from typing import Dict, Optional, Set

_ENVIRONMENT = "POPART_DOT_CHECKS"


def draw(ir) -> str:
    """The ops of all graphs; an edge is a tensor."""
    lines = ["digraph {", "  node [shape=box];"]
    for i, graph in enumerate(ir._graphs):
        lines += [f"  subgraph cluster_{i} {{", f"    label={json.dumps(graph.id)};"]
        for op in graph._ops:
            lines.append(f"    op{op.number()} [label={json.dumps(op.kind.type)}];")
            for t in op.inputs:
                source = _node(t)
                label = json.dumps(t.name)
                lines.append(f"    {source} -> op{op.number()} [label={label}];")
        lines.append("  }")
    return "\n".join([*lines, "}", ""])


def _node(t) -> str:
    return f"op{t._producer.number()}" if t._producer else json.dumps(t.id)


def add_checkpoint(ir, check: str, folder: Optional[str]) -> None:
    options = ir._options
    if _ENVIRONMENT not in os.environ and not options.dotChecks:
        options.dotChecks = {"ALL"}
    if folder is not None:
        options.logDir = str(folder)
    ir._drawings[check.lower()] = draw(ir)


def write_checkpoints(ir) -> None:
    """Write the drawings of the active checks, and of the final graphs."""
    checks: Set[str] = set(os.environ.get(_ENVIRONMENT, "").split(":"))
    checks = {check.lower() for check in checks | set(ir._options.dotChecks)} - {""}
    if not checks:
        return
    drawings: Dict[str, str] = {**ir._drawings, "final": draw(ir)}
    folder = ir._options.logDir or "."
    os.makedirs(folder, exist_ok=True)
    for check, text in drawings.items():
        if check in checks or "all" in checks:
            with open(os.path.join(folder, f"{check}.dot"), "w") as file:
                file.write(text)
