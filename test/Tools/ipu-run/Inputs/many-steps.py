"""Prints a program of many steps on all tiles of an IPU: the argument is their number.
Steps are a compute set, a sync and an exchange in turn. Tile mappings differ, so that no
two tiles need the same, and each variable is live for a few steps."""

import sys

STEPS = int(sys.argv[1])
TILES = 1472
LIVE = 12  # Steps.

maps, lines, live = {}, [], []


def make_variable(number):
    """An array that some tiles have more of than others."""
    block = number % 61 + 1
    size = (TILES - number % 17) * block - number % block
    grid = -(-size // block)
    first = (number * 7) % (TILES - grid + 1)
    start = f", first = {first}" if first else ""
    mapping = f"#ipu.map<[{size}], grid = [{grid}], blocks = [p0 * {block} : {block}]{start}>"
    alias = maps.setdefault(mapping, f"#m{len(maps)}")
    name = f"%v{number}"
    type_ = f"memref<{size}xf32, {alias}>"
    lines.append(f'{name} = ipu.var "value{number}" : {type_}')
    live.append((name, type_, alias, size))
    return live[-1]


def view(type_of, size):
    """The first elements of a variable."""
    name, type_, alias, _ = type_of
    lines.append(
        f"{name}_{len(lines)} = memref.reinterpret_cast {name} to offset: [0], sizes: [{size}], "
        f"strides: [1] : {type_} to memref<{size}xf32, strided<[1]>, {alias}>"
    )
    return f"{lines[-1].split()[0]}", f"memref<{size}xf32, strided<[1]>, {alias}>"


current = make_variable(0)
for number in range(STEPS // 3):
    name, type_, alias, size = current
    where = f'loc("layer{number // 9}.op{number % 9}")'
    lines.append(
        f'ipu.compute_set "pop.relu" {{ ipu.vertices @copy ins({name} : {type_}) '
        f"outs({name} : {type_}) access [{alias}, {alias}] }} {where}"
    )
    lines.append(f"ipu.sync internal {where}")
    following = make_variable(number + 1)
    least = min(size, following[3])
    source, target = view(current, least), view(following, least)
    lines.append(
        f'ipu.exchange "pop.copy" {{ ipu.move {source[0]} to {target[0]} : '
        f"{source[1]} to {target[1]} }} {where}"
    )
    if len(live) > LIVE // 3:
        old = live.pop(0)
        lines.append(f"ipu.write_undef {old[0]} : {old[1]}")
    current = following
lines += ["ipu.sync internal"] * (STEPS % 3)

for mapping, alias in maps.items():
    print(f"{alias} = {mapping}")
print("!b = memref<?xf32, strided<[1], offset: ?>>")
print('module attributes {ipu.target = #ipu.target<"gc200">} {')
print(
    "  ipu.codelet @copy(%x : !b, %y : !b) inputs 1 cost <vector, supervisor = 11, worker = 29, "
    "cycles = 3, per = 2> {\n    linalg.copy ins(%x : !b) outs(%y : !b)\n  }"
)
print("  func.func @main() {")
print("".join(f"    {line}\n" for line in lines), end="")
print("    return\n  }\n}")
