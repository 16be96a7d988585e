# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A short description of a run for notebooks."""

from __future__ import annotations

import html
from collections.abc import Mapping
from typing import Any

import numpy as np

#: The kinds of steps and their colours.
_COLOURS = {
    "compute": "#4c78a8",
    "exchange": "#f58518",
    "sync": "#b0b0b0",
    "host": "#54a24b",
    "collective": "#e45756",
    "remote": "#9d755d",
    "code": "#b279a2",
}
_WAIT = ("wait", "#e0e0e0")
_WIDTH = 480
_ROW = 18
_TOP_OPS = 5


def _get_parts(profile: dict[str, Any]) -> list[tuple[str, str, int]]:
    """The kinds of steps of the slowest IPU with their colours and cycles."""
    clock = profile["clocks"][profile["slowest_clock"]]
    parts = [(kind, colour, clock[kind]) for kind, colour in _COLOURS.items()]
    parts.append((*_WAIT, clock["sync_wait"]))
    return [part for part in parts if part[2] > 0]


def _draw_text(x: float, y: float, text: str, **attributes: str) -> str:
    more = "".join(f' {key.replace("_", "-")}="{value}"' for key, value in attributes.items())
    return f'<text x="{x:.1f}" y="{y:.1f}"{more}>{html.escape(text)}</text>'


def _draw_box(x: float, y: float, width: float, colour: str, title: str) -> str:
    return (
        f'<rect x="{x:.1f}" y="{y:.1f}" width="{max(width, 0.5):.1f}" height="{_ROW - 4}"'
        f' fill="{colour}"><title>{html.escape(title)}</title></rect>'
    )


def _draw_kinds(profile: dict[str, Any]) -> list[str]:
    """One bar of all cycles, and a legend below it."""
    parts = _get_parts(profile)
    total = sum(cycles for _, _, cycles in parts) or 1
    lines = []
    x = legend = 0.0
    for kind, colour, cycles in parts:
        width = _WIDTH * cycles / total
        share = f"{kind} {100 * cycles / total:.0f} %"
        lines.append(_draw_box(x, 0, width, colour, f"{kind}: {cycles} cycles"))
        lines.append(_draw_box(legend, _ROW, 10, colour, kind))
        lines.append(_draw_text(legend + 14, _ROW + 11, share))
        x += width
        legend += 26 + 6.5 * len(share)
    return lines


def _draw_ops(profile: dict[str, Any], top: float) -> tuple[list[str], float]:
    """Bars of the ops with most cycles."""
    ops = sorted(profile["ops"], key=lambda op: -op["cycles"])[:_TOP_OPS]
    most = max((op["cycles"] for op in ops), default=0) or 1
    lines = []
    for op in ops:
        name = op["name"] if len(op["name"]) <= 30 else op["name"][:29] + "…"
        where = f"{op['name']} ({op['place']})" if op["place"] else op["name"]
        width = 0.45 * _WIDTH * op["cycles"] / most
        lines.append(_draw_text(0, top + 11, name))
        lines.append(_draw_box(0.45 * _WIDTH, top, width, _COLOURS["compute"], where))
        lines.append(_draw_text(0.45 * _WIDTH + width + 4, top + 11, str(op["cycles"])))
        top += _ROW
    return lines, top


def draw_profile(profile: dict[str, Any]) -> str:
    """Return an SVG picture of the cycles of a run."""
    lines = _draw_kinds(profile)
    ops, height = _draw_ops(profile, 2.5 * _ROW)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {height:.0f}"'
        f' width="{_WIDTH}" height="{height:.0f}" font-family="sans-serif" font-size="11"'
        f' fill="currentColor" role="img" aria-label="Cycles of the run">'
        + "".join(lines + ops)
        + "</svg>"
    )


def _describe(profile: dict[str, Any]) -> str:
    memory = profile["memory"]
    target = profile["target"]
    return (
        f"{profile['cycles']} cycles ({profile['nanoseconds'] / 1000:.1f} µs) on"
        f" {target['replicas']} × {target['ipus']} × {target['tiles']} tiles; the fullest tile"
        f" has {memory['max_tile_bytes']} bytes"
    )


def draw_result(outputs: Mapping[str, np.ndarray], profile: dict[str, Any]) -> str:
    """Return the outputs and the profile of a run as HTML."""
    rows = "".join(
        f"<tr><td>{html.escape(name)}</td><td>{html.escape(str(array.dtype))}</td>"
        f"<td>{html.escape(str(list(array.shape)))}</td></tr>"
        for name, array in outputs.items()
    )
    return (
        f"<div><div>{html.escape(_describe(profile))}</div>{draw_profile(profile)}"
        f"<table><tr><th>output</th><th>dtype</th><th>shape</th></tr>{rows}</table></div>"
    )
