"""Reductions whose orders of accumulation are added up step by step with numpy.

usage: reduction-orders.py program            prints the program
       reduction-orders.py inputs FOLDER      writes its inputs
       reduction-orders.py check FOLDER       compares the bits of its outputs with numpy

The orders are trees (boxes) and blocks with lanes, over inner and outer axes, with last
blocks that are shorter.
"""

import sys

import numpy as np

# Shape, axes, block, lanes, box, element type.
CASES = [
    ((20, 6, 56, 56), (0, 2, 3), 14, 1, (20, 28), "f16"),
    ((3, 5, 14, 14), (0, 2, 3), 128, 1, (3, 28), "f32"),
    ((3, 4, 13, 13), (0, 2, 3), 4, 1, (2, 32), "f16"),
    ((5, 3, 7), (0, 2), 2, 1, (3, 2), "f32"),
    ((4, 6, 2, 6), (1, 3), 128, 1, (1, 4), "f16"),
    ((2, 3, 100, 1), (0, 2), 16, 1, (2, 50), "f16"),
    ((2, 9, 33, 4), (0, 1, 2), 128, 1, (64,), "f32"),
    ((3, 2500), (1,), 1024, 16, None, "f32"),
    ((2500, 3), (0,), 1024, 16, None, "f16"),
    ((7, 330, 5), (1,), 64, 16, None, "f32"),
    ((2, 17, 19, 6), (1, 2), 32, 8, None, "f16"),
]


def tensor(shape, type):
    return f"tensor<{'x'.join([*map(str, shape), type])}>"


def get_result(shape, axes):
    return tuple(size for axis, size in enumerate(shape) if axis not in axes)


def make_input(number):
    shape, *_, element = CASES[number]
    values = np.random.default_rng(number).standard_normal(shape, dtype=np.float32)
    return values.astype({"f16": np.float16, "f32": np.float32}[element])


def print_program():
    arguments, lines, names, types = [], [], [], []
    for number, (shape, axes, block, lanes, box, element) in enumerate(CASES):
        order = f"blocked, block = {block}, lanes = {lanes}" + (f", box = {list(box)}" if box else "")
        type, result = tensor(shape, element), tensor(get_result(shape, axes), "f32")
        arguments.append(f"%x{number}: {type} {{pop.name = \"x{number}\"}}")
        lines.append(f"  %r{number} = pop.reduce sum %x{number} {{axes = array<i64: {str(list(axes))[1:-1]}>, "
                     f"accum = #pop.accum<{order}>}} : {type} -> {result}")
        names.append(f"%r{number}")
        types.append(result)
    print(f"func.func @main({', '.join(arguments)}) -> ({', '.join(types)}) {{")
    print(*lines, f"  return {', '.join(names)} : {', '.join(types)}", "}", sep="\n")


def add_up(rows):
    """The sum over axis 0, as a chain that starts from -0."""
    total = np.full(rows.shape[1:], -0.0, np.float32)
    for row in rows:
        total = total + row
    return total


def add_lanes(rows, lanes):
    sums = np.stack([add_up(rows[lane::lanes]) for lane in range(lanes)])
    while len(sums) > 1:
        half = len(sums) // 2
        sums = sums[:half] + sums[half:]
    return sums[0]


def reduce_blocks(rows, block, next_block, lanes):
    while len(rows) > block:
        rows = np.stack([add_lanes(rows[begin:begin + block], lanes) for begin in range(0, len(rows), block)])
        block = next_block
    return add_lanes(rows, lanes)


def reduce_case(number):
    shape, axes, block, lanes, box, _ = CASES[number]
    x = make_input(number).astype(np.float32)
    if not box:
        kept = [axis for axis in range(len(shape)) if axis not in axes]
        rows = x.transpose(*axes, *kept).reshape(-1, *get_result(shape, axes))
        return reduce_blocks(rows, block, block, lanes)
    groups = []
    for axis in axes:
        if groups and groups[-1][-1] == axis - 1:
            groups[-1].append(axis)
        else:
            groups.append([axis])
    for group, size in reversed(list(zip(groups, box))):
        rows = np.moveaxis(x, group, range(len(group))).reshape(-1, *np.delete(x.shape, group))
        x = reduce_blocks(rows, size if size > 1 else block, block, 1)
    return x


def main():
    if sys.argv[1] == "program":
        return print_program()
    if sys.argv[1] == "inputs":
        for number in range(len(CASES)):
            np.save(f"{sys.argv[2]}/x{number}.npy", make_input(number))
        return None
    for number in range(len(CASES)):
        found = np.load(f"{sys.argv[2]}/result{number}.npy")
        expected = reduce_case(number)
        if not np.array_equal(found.view(np.uint32), expected.view(np.uint32)):
            sys.exit(f"case {number}: {CASES[number]}: {np.count_nonzero(found != expected)} values differ")
    print(f"{len(CASES)} reductions have the bits of their orders")
    return None


if __name__ == "__main__":
    main()
