# Part of ipu-mlir, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Functions of the scripts that draw pictures: SVG for light and dark backgrounds, tile
mappings as ipu-opt prints them, and runs of the tools."""

import os
import pathlib
import re
import subprocess
import sys
from xml.sax.saxutils import escape

ROOT = pathlib.Path(__file__).resolve().parent.parent
NAME = pathlib.Path(sys.argv[0]).name
STYLE = """
  text { font: 13px sans-serif; fill: #24292f }
  .title { font-size: 16px; font-weight: bold }
  .small { font-size: 11px; fill: #57606a }
  .code { font-family: monospace; font-size: 12px }
  .on { fill: #ffffff }
  .middle { text-anchor: middle }
  .end { text-anchor: end }
  .split { fill: none; stroke: #8c959f; stroke-width: 1 }
  .edge { fill: none; stroke: #24292f; stroke-width: 1.5 }
  .panel { fill: #8c959f; fill-opacity: 0.12; stroke: #8c959f }
  .region { fill: #0969da; fill-opacity: 0.75 }
  .halo { fill: #bf8700; fill-opacity: 0.6 }
  .cell { fill: #0969da; fill-opacity: 0.2; stroke: #0969da }
  .run { fill: none; stroke: #bf8700; stroke-width: 2 }
  .compute { fill: #0969da; fill-opacity: 0.75 }
  .exchange { fill: #bf8700; fill-opacity: 0.75 }
  .sync { fill: #8250df; fill-opacity: 0.75 }
  .host { fill: #8c959f; fill-opacity: 0.75 }
  .code-load { fill: #1a7f37; fill-opacity: 0.75 }
  @media (prefers-color-scheme: dark) {
    text { fill: #e6edf3 } .small { fill: #9198a1 } .on { fill: #0d1117 }
    .edge { stroke: #e6edf3 } .split, .panel { stroke: #6e7681 }
    .region, .cell, .compute { fill: #4493f8 } .cell { stroke: #4493f8 }
    .halo, .exchange { fill: #d29922 } .run { stroke: #d29922 }
    .sync { fill: #ab7df8 } .code-load { fill: #3fb950 }
  }"""


def fail(message):
    sys.exit(f"{NAME}: {message}")


def find_tool(name):
    """A tool of the build; environment variables such as IPU_OPT name another one."""
    return os.environ.get(name.upper().replace("-", "_"), str(ROOT / "build/bin" / name))


def run_tool(command, program=None):
    """Runs a tool on a program that it reads from standard input; returns what it prints."""
    run = subprocess.run(command, input=program, capture_output=True, text=True, cwd=ROOT)
    if run.returncode:
        fail(f"{' '.join(command)}\n{run.stderr}")
    return run.stdout


class Picture:
    """Shapes of an SVG of a given width."""

    def __init__(self, width):
        self.width = width
        self.lines = []

    def text(self, x, y, text, kind=""):
        self.lines.append(f'<text x="{x:.1f}" y="{y:.1f}" class="{kind}">{escape(text)}</text>')

    def rect(self, x, y, width, height, kind):
        self.lines.append(
            f'<rect x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}" class="{kind}"/>')

    def line(self, points, kind="edge"):
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
        self.lines.append(f'<polyline points="{path}" class="{kind}"/>')

    def arrow(self, points):
        """A line with a head; its last part is horizontal or vertical."""
        self.line(points)
        (x0, y0), (x, y) = points[-2:]
        if x0 == x:
            back = -6 if y > y0 else 6
            self.line([(x - 4, y + back), (x, y), (x + 4, y + back)])
        else:
            back = -6 if x > x0 else 6
            self.line([(x + back, y - 4), (x, y), (x + back, y + 4)])

    def write(self, height):
        head = (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {self.width} {height}" '
                f'width="{self.width}" height="{height}">')
        return "\n".join([head, f"<style>{STYLE}\n</style>", *self.lines, "</svg>", ""])


class Mapping:
    """What a #ipu.map says: the region of each tile, and the order of a region's elements."""

    def __init__(self, text, aliases, names):
        sizes, grid, blocks = (re.search(pattern, text).group(1) for pattern in (
            r"<\[([^\]]*)\]", r"grid = \[([^\]]*)\]", r"blocks = \[([^\]]*)\]"))
        self.names = names
        self.sizes = [int(size) for size in sizes.split(",")]
        if len(self.sizes) != len(names):
            fail(f"expects {len(names)} dimensions but got {text}")
        self.grid = [int(size) for size in grid.split(",")]
        self.blocks = [re.fullmatch(r"p(\d+) \* (\d+) : (\d+)", block.strip()) for block in blocks.split(",")]
        self.blocks = [tuple(map(int, block.groups())) if block else None for block in self.blocks]
        layout = re.search(r"layout = (#\w+)", text)
        dims = range(len(names))
        self.order = [(dim, None, 1) for dim in dims]
        if layout:
            results = aliases[layout.group(1)].split("->")[1].strip(" ()>").split(",")
            parts = [re.fullmatch(r"d(\d+)(?: (floordiv|mod) (\d+))?", part.strip()).groups() for part in results]
            self.order = [(int(dim), kind, int(group or 1)) for dim, kind, group in parts]

    def get_tiles(self):
        count = 1
        for size in self.grid:
            count *= size
        return count

    def get_region(self, tile):
        """(start, size) in each dimension."""
        parts = []
        for size in reversed(self.grid):
            parts.insert(0, tile % size)
            tile //= size
        region = []
        for size, block in zip(self.sizes, self.blocks):
            start, extent = (parts[block[0]] * block[1], block[2]) if block else (0, size)
            region.append((start, max(min(extent, size - start), 0)))
        return region

    def get_splits(self, name):
        """Where the blocks of a dimension begin."""
        block = self.blocks[self.names.index(name)]
        return [part * block[1] for part in range(self.grid[block[0]])] if block else [0]

    def get_order(self, region):
        """(name, size in the region, size in the tensor) of stored dimensions of more than one element, outermost first."""
        order = []
        for dim, kind, group in self.order:
            size, whole, name = region[dim][1], self.sizes[dim], self.names[dim]
            if kind == "floordiv":
                size, whole, name = -(-size // group), -(-whole // group), f"{name} / {group}"
            elif kind == "mod":
                size, whole, name = min(size, group), min(whole, group), f"{name} mod {group}"
            if whole > 1:
                order.append((name, size, whole))
        return order


def read_aliases(module):
    return dict(re.findall(r"^(#\w+) = (.*)$", module, re.M))


def write_picture(text, output):
    if output:
        pathlib.Path(output).write_text(text, encoding="utf-8")
    else:
        print(text, end="")
