# Part of ipu-mlir, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Draws the losses of a training and of references, and the differences between them."""

import math

STYLE = """
  text { font: 12px sans-serif; fill: #24292f } .end { text-anchor: end } .middle { text-anchor: middle }
  path { fill: none; stroke-width: 1.5 } .grid { stroke: #d0d7de; stroke-width: 1 }
  path.c0 { stroke: #0969da } text.c0 { fill: #0969da }
  path.c1 { stroke: #bc4c00 } text.c1 { fill: #bc4c00 }
  path.c2 { stroke: #8250df } text.c2 { fill: #8250df }
  path.c3 { stroke: #1a7f37 } text.c3 { fill: #1a7f37 }
  path.wide { stroke-width: 5; stroke-opacity: 0.4 }
  @media (prefers-color-scheme: dark) {
    text { fill: #e6edf3 } .grid { stroke: #30363d }
    path.c0 { stroke: #58a6ff } text.c0 { fill: #58a6ff }
    path.c1 { stroke: #f0883e } text.c1 { fill: #f0883e }
    path.c2 { stroke: #bc8cff } text.c2 { fill: #bc8cff }
    path.c3 { stroke: #3fb950 } text.c3 { fill: #3fb950 }
  }"""
LEFT, WIDTH, HEIGHT = 70, 540, 200
# The exponent of the least difference; what is below is drawn there.
LEAST = -8


def draw_panel(top, title, legend, ticks, curves, low, high):
    """A panel with curves of (classes, values) between `low` and `high`, in SVG."""

    def y(value):
        return top + HEIGHT * (high - value) / (high - low)

    text = [f'<text x="{LEFT}" y="{top - 12}">{title}</text>']
    for i, (style, name) in enumerate(legend):
        text.append(f'<text class="{style}" x="{LEFT + 130 + 130 * i}" y="{top - 12}">{name}</text>')
    for value, label in ticks:
        text.append(f'<path class="grid" d="M{LEFT} {y(value):.1f}h{WIDTH}"/>')
        text.append(f'<text class="end" x="{LEFT - 8}" y="{y(value) + 4:.1f}">{label}</text>')
    for style, values in curves:
        step = WIDTH / len(values)
        points = "L".join(f"{LEFT + (i + 1) * step:.1f} {y(value):.1f}" for i, value in enumerate(values))
        text.append(f'<path class="{style}" d="M{points}"/>')
    updates = max(len(values) for _, values in curves)
    for i in range(6):
        x, update = LEFT + WIDTH * i / 5, updates * i / 5
        text.append(f'<text class="middle" x="{x:.1f}" y="{top + HEIGHT + 18}">{update:.0f}</text>')
    return text


def write_plot(path, losses, references):
    """Above, `losses` and the first of `references`, a dictionary of names to losses;
    below, how much losses differ from each of these."""
    (first, *_) = references.values()
    high = math.ceil(max(*losses, *first))
    legend = [("c0", "ipu-train"), ("c1", next(iter(references)))]
    ticks = [(value, value) for value in range(high + 1)]
    text = draw_panel(40, "loss", legend, ticks, [("c1 wide", first), ("c0", losses)], 0, high)
    names = [(f"c{i + 1}", name) for i, name in enumerate(references)]
    curves = [
        (f"c{i + 1}", [math.log10(max(abs(a - b), 10**LEAST)) for a, b in zip(losses, values)])
        for i, values in enumerate(references.values())
    ]
    greatest = max(LEAST + 1, *(math.ceil(max(values)) for _, values in curves))
    ticks = [(power, f"1e{power}") for power in range(LEAST, greatest + 1)]
    text += draw_panel(310, "difference from", names, ticks, curves, LEAST, greatest)
    text.append(f'<text class="middle" x="{LEFT + WIDTH / 2}" y="565">updates</text>')
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 640 580">\n<style>{STYLE}\n</style>\n'
    path.write_text(head + "\n".join(text) + "\n</svg>\n", encoding="utf-8")
