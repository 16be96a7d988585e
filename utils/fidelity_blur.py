# Part of ipu-mlir, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The programs of the blur that utils/fidelity compares with measurements (T5, T6 and M16)."""


class Text:
    """Writes the steps of a program over variables in row-major order."""

    def __init__(self, element):
        self.element, self.lines, self.maps, self.count = element, [], {}, 0

    def add_map(self, name, shape, grid, blocks):
        domain = ", ".join(map(str, shape))
        tiles = ", ".join(map(str, grid))
        blocks = ", ".join(blocks)
        self.maps[name] = f"#{name} = #ipu.map<[{domain}], grid = [{tiles}], blocks = [{blocks}]>"

    def add_var(self, name, shape):
        dims = "x".join(map(str, shape))
        self.lines.append(f'%{name} = ipu.var "{name}" : memref<{dims}x{self.element}, #{name}>')

    def add_view(self, name, shape, offset, sizes, strides):
        """A view of a variable; gives its SSA value and its type."""
        self.count += 1
        value = f"%v{self.count}"
        dims, sized = "x".join(map(str, shape)), "x".join(map(str, sizes))
        view = f"memref<{sized}x{self.element}, strided<{list(strides)}, offset: {offset}>, #{name}>"
        self.lines.append(
            f"{value} = memref.reinterpret_cast %{name} to offset: [{offset}], sizes: {list(sizes)}, "
            f"strides: {list(strides)} : memref<{dims}x{self.element}, #{name}> to {view}"
        )
        return value, view


def get_strides(shape):
    strides = [1]
    for size in reversed(shape[1:]):
        strides.insert(0, strides[0] * size)
    return strides


class Blur:
    """One pass of a 3 x 3 blur over an image of 4 channels, without its arithmetic.

    Each IPU holds a block of `rows` x `columns` tiles of `height` x `width` pixels; IPUs
    lie side by side (`chain` "columns") or one below the other ("rows"). Workers have
    strips of columns: `strips` is [(first column, width, number of strips)]. As in the
    program that was measured, each worker has an input for its strip, one for each of the
    four sides of it, and one for each corner. So:

    before: strips of a tile become contiguous; columns at the sides of strips are gathered,
            both for the tile's own workers and, first and last, for neighbours.
    exchange: each worker gets the rows above and below its strip, and the corners, from
            other tiles; the first and the last worker get a column.
    after: strips of the result go back into the image.

    Tiles at the border of the image have less to receive and are left out.
    """

    def __init__(self, element, rows, columns, height, width, strips, ipus=1, chain="columns"):
        self.text = Text(element)
        self.element, self.ipus, self.strips = element, ipus, strips
        self.height, self.width = height, width
        self.tiles = rows * columns
        # Tiles of the whole image, and factors of them: IPUs times those of one IPU.
        along = chain == "columns"
        self.rows = rows * (1 if along else ipus)
        self.columns = columns * (ipus if along else 1)
        self.grid = [ipus, rows, columns]
        self.along = along
        self.row_stride = 4 * self.columns * width
        self.tile_strides = [height * self.row_stride, 4 * width]

    def write(self, preset):
        text = self.text
        self._add_image("image")
        self._add_image("result")
        before, exchange, after = [], [], []
        for side in ("first", "last"):
            column = 0 if side == "first" else self.width - 1
            name = f"send_{side}"
            shape = self._add_parts(name, [self.height, 4])
            before.append((
                self._view_image("image", 0, column, [self.height, 4], [self.row_stride, 1]),
                self._view_parts(name, shape),
            ))
        # Columns from the tiles to the left and to the right.
        for name, source, step in (("west", "send_last", -1), ("east", "send_first", 1)):
            shape = self._add_parts(name, [self.height, 4])
            exchange.append((
                self._view_parts(source, shape, inner=(0, step)),
                self._view_parts(name, shape, inner=(0, 0)),
            ))
        for index, (first, width, number) in enumerate(self.strips):
            last = first + width * number
            strip_sizes = [number, self.height, width, 4]
            strip_strides = [4 * width, self.row_stride, 4, 1]
            shape = self._add_parts(f"in{index}", strip_sizes)
            before.append((
                self._view_image("image", 0, first, strip_sizes, strip_strides),
                self._view_parts(f"in{index}", shape),
            ))
            shape = self._add_parts(f"out{index}", strip_sizes)
            after.append((
                self._view_parts(f"out{index}", shape),
                self._view_image("result", 0, first, strip_sizes, strip_strides),
            ))
            # Columns beside strips that lie on the tile itself.
            for name, begin, end in (
                ("left", first - 1, last - width - 1),
                ("right", first + width, last),
            ):
                columns = [x for x in range(begin, end + 1, width) if 0 <= x < self.width]
                if not columns:
                    continue
                sizes = [len(columns), self.height, 4]
                shape = self._add_parts(f"{name}{index}", sizes)
                before.append((
                    self._view_image("image", 0, columns[0], sizes, [4 * width, self.row_stride, 1]),
                    self._view_parts(f"{name}{index}", shape),
                ))
            # Rows above and below strips, and corners.
            for name, row in (("north", -1), ("south", self.height)):
                for part, column, sizes in (
                    ("", first, [number, width, 4]),
                    ("_west", first - 1, [number, 4]),
                    ("_east", first + width, [number, 4]),
                ):
                    name_of = f"{name}{part}{index}"
                    shape = self._add_parts(name_of, sizes)
                    strides = [4 * width, 4, 1] if not part else [4 * width, 1]
                    exchange.append((
                        self._view_image("image", row, column, sizes, strides, inner=True),
                        self._view_parts(name_of, shape, inner=(0, 0)),
                    ))
        return self._get_program(preset, [("before", before), ("exchange", exchange), ("after", after)])

    def _add_image(self, name):
        block_rows = f"p1 * {self.height} : {self.height}"
        block_columns = f"p2 * {self.width} : {self.width}"
        rows, columns = self.grid[1] * self.height, self.grid[2] * self.width
        if self.along:
            domain = [rows, self.ipus, columns, 4]
            blocks = [block_rows, "p0 * 1 : 1", block_columns, "all"]
        else:
            domain = [self.ipus, rows, columns, 4]
            blocks = ["p0 * 1 : 1", block_rows, block_columns, "all"]
        self.text.add_map(name, domain, self.grid, blocks)
        self.text.add_var(name, self._get_image_shape())

    def _get_image_shape(self):
        return [self.rows * self.height, self.columns * self.width, 4]

    def _add_parts(self, name, sizes):
        """A variable that has `sizes` elements on each tile."""
        if self.along:
            domain = [self.grid[1], self.ipus, self.grid[2]]
            blocks = ["p1 * 1 : 1", "p0 * 1 : 1", "p2 * 1 : 1"]
        else:
            domain = [self.ipus, self.grid[1], self.grid[2]]
            blocks = ["p0 * 1 : 1", "p1 * 1 : 1", "p2 * 1 : 1"]
        self.text.add_map(name, domain + sizes, self.grid, blocks + ["all"] * len(sizes))
        shape = [self.rows, self.columns, *sizes]
        self.text.add_var(name, shape)
        return shape

    def _view_image(self, name, row, column, sizes, strides, inner=False):
        """Of each tile, from its pixel (row, column), which may lie on a neighbour."""
        skip = 1 if inner else 0
        offset = (row * self.row_stride + 4 * column) + skip * sum(self.tile_strides)
        tiles = [self.rows - 2 * skip, self.columns - 2 * skip]
        return self.text.add_view(
            name, self._get_image_shape(), offset, tiles + sizes, self.tile_strides + strides
        )

    def _view_parts(self, name, shape, inner=None):
        """What each tile holds; with `inner`, of tiles off the border, moved by that many."""
        strides = get_strides(shape)
        offset, sizes = 0, shape
        if inner is not None:
            offset = (1 + inner[0]) * strides[0] + (1 + inner[1]) * strides[1]
            sizes = [shape[0] - 2, shape[1] - 2, *shape[2:]]
        return self.text.add_view(name, shape, offset, sizes, strides)

    def _get_program(self, preset, steps):
        lines = list(self.text.maps.values())
        # Tiles that no block is on would part the blocks of one IPU from those of the next.
        constants = ""
        if self.ipus > 1:
            constants = f", {{ipus = {self.ipus} : i64, tiles = {self.tiles} : i64}}"
        lines += [
            f'module attributes {{ipu.target = #ipu.target<"{preset}"{constants}>}} {{',
            "  func.func @main() {",
        ]
        lines += [f"    {line}" for line in self.text.lines]
        sync = "ipus" if self.ipus > 1 else "internal"
        for name, moves in steps:
            if name == "exchange":
                lines.append(f"    ipu.sync {sync}")
            lines.append(f'    ipu.exchange "{name}" {{')
            for (source, source_type), (target, target_type) in moves:
                types = f"{source_type} to {target_type}"
                lines.append(f"      ipu.move {source} to {target} : {types}")
            lines.append("    }")
        lines += ["    return", "  }", "}", ""]
        return "\n".join(lines)
