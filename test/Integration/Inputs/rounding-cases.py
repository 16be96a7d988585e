#!/usr/bin/env python3
"""What stochastic rounding makes of x + y: a program, and checks of its results.

  rounding-cases.py program TILES [GENERATOR]    prints a program; 'nearest' for none
  rounding-cases.py inputs DIR                   writes its inputs, x.npy and y.npy
  rounding-cases.py neighbours DIR RESULT.npy    checks a result by itself
  rounding-cases.py same A.npy B.npy             fails if two results differ
  rounding-cases.py differ A.npy B.npy           fails if they do not
"""

import os
import sys

import numpy as np

ROWS, COLUMNS = 16, 4096


def program(tiles, generator="counter"):
    tensor = f"tensor<{ROWS}x{COLUMNS}xf16>"
    rounding = f", pop.stochastic_rounding = #pop.stochastic_rounding<{generator}>"
    if generator == "nearest":
        rounding = ""
    return f"""\
module attributes {{ipu.target = #ipu.target<"gc200", {{tiles = {tiles} : i64}}>{rounding}}} {{
  func.func @main(%x: {tensor} {{pop.name = "x"}}, %y: {tensor} {{pop.name = "y"}})
      -> ({tensor} {{pop.name = "z"}}) {{
    %z = pop.add %x, %y : {tensor}
    return %z : {tensor}
  }}
}}
"""


def inputs(directory):
    """Each row has one sum, in another binade; the last ones are denormal, exact, and near
    the largest number."""
    pairs = [(2.0**e, 2.0**e * 2.0**-11 * f) for e, f in
             [(0, 0.25), (0, 0.5), (0, 1.75), (3, 0.75), (7, 1.5), (12, 0.3), (15, 0.125),
              (-3, 0.6), (-8, 1.1), (-12, 0.9)]]
    pairs += [(-1.0, 2.0**-13), (-3.0, -2.0**-12), (2.0**-14, 2.0**-24),
              (1.0, 1.0), (65472.0, 8.0), (-65472.0, -24.0)]
    assert len(pairs) == ROWS
    for name, column in ("x", 0), ("y", 1):
        values = np.array([pair[column] for pair in pairs], np.float16)
        np.save(os.path.join(directory, name + ".npy"),
                np.repeat(values[:, None], COLUMNS, axis=1))


def neighbours(directory, path):
    """A result is one of the two neighbours of the sum, and right on average."""
    x, y = (np.load(os.path.join(directory, name + ".npy")).astype(np.float64)
            for name in ("x", "y"))
    exact = (x + y)[:, 0]
    result = np.load(path)
    for row, value in enumerate(exact):
        near = np.float16(value)
        low = near if near <= value else np.nextafter(near, np.float16(-np.inf))
        high = near if near >= value else np.nextafter(near, np.float16(np.inf))
        got = result[row].astype(np.float64)
        assert np.isin(result[row], (low, high)).all(), (row, value, result[row])
        if low == high:
            continue
        share = (value - float(low)) / (float(high) - float(low))
        sigma = np.sqrt(share * (1 - share) / COLUMNS)
        assert abs((got == high).mean() - share) < 4 * sigma, (row, value, share)
    print(f"{ROWS} sums, right on average")


def main():
    command, arguments = sys.argv[1], sys.argv[2:]
    if command == "program":
        print(program(int(arguments[0]), *arguments[1:]))
    elif command == "inputs":
        os.makedirs(arguments[0], exist_ok=True)
        inputs(arguments[0])
    elif command == "neighbours":
        neighbours(*arguments)
    else:
        same = np.load(arguments[0]).tobytes() == np.load(arguments[1]).tobytes()
        sys.exit(same != (command == "same"))


main()
