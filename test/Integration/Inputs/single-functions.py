"""Functions of f32 against f64.

usage: single-functions.py inputs FOLDER
       single-functions.py compare FOLDER ENGINE...

The first writes a program and its operand: all exponents, with mantissas that are
drawn from a fixed seed, and what functions are for. The second compares the results in
FOLDER/ENGINE with those of numpy in f64, prints how many units in the last place they
are off, and fails if that is more than a function's limit, if a sign, an infinity or a
NaN is wrong, or if the bits of the engines differ.
"""

import math
import pathlib
import sys

import numpy as np

ERFC = np.frompyfunc(math.erfc, 1, 1)

# The function in f64, and units in the last place.
FUNCTIONS = {
    "exp": (np.exp, 0.9),
    "log": (np.log, 0.5 + 1e-6),
    "tanh": (np.tanh, 0.5 + 1e-6),
    "sin": (np.sin, 0.5 + 1e-6),
    "cos": (np.cos, 0.5 + 1e-6),
    "expm1": (np.expm1, 0.5 + 1e-5),
    "log1p": (np.log1p, 0.5 + 1e-5),
    "sinh": (np.sinh, 0.5 + 1e-5),
    "cosh": (np.cosh, 0.5 + 1e-5),
    "asinh": (np.arcsinh, 0.5 + 1e-5),
    "acosh": (np.arccosh, 0.5 + 1e-5),
    "atanh": (np.arctanh, 0.5 + 1e-5),
    "asin": (np.arcsin, 0.5 + 1e-5),
    "acos": (np.arccos, 0.5 + 1e-5),
    "atan": (np.arctan, 0.5 + 1e-5),
    "gaussian": (lambda x: np.exp(-x * x), 2),
    "gelu": (lambda x: np.where(x == -np.inf, -0.0, x * np.asarray(ERFC(-x / np.sqrt(2))) / 2).astype(np.float64), 0.5 + 1e-5),
}
# Where exp is 1, infinite, the least number that is no subnormal, the least one, or 0;
# and where its distance from multiples of ln(2) changes.
EDGES = [0, 1, np.inf, np.nan, 88.72283, 88.722839, 88.72284, 89, 104, 128, 87.33654, 87.33655, 103.97207, 103.97208,
         103.97209, 103.27893, 104.5, 105, 150, 3.4e38, 1.17549435e-38, 1e-45]  # fmt: skip
EACH = 40


def draw():
    rng = np.random.default_rng(1)
    mantissas = rng.integers(0, 1 << 23, (2, 256, EACH), np.uint32)
    mantissas[:, :, 0], mantissas[:, :, 1] = 0, (1 << 23) - 1
    signs = np.arange(2, dtype=np.uint32)[:, None, None] << 31
    exponents = np.arange(256, dtype=np.uint32)[:, None] << 23
    halves = (np.arange(-151, 129) + 0.5) * np.log(2)
    # Both sides of where the integer changes.
    near = (halves[:, None] * (1 + np.arange(-4, 5) * 2.0**-24)).ravel()
    values = np.concatenate([EDGES, np.negative(EDGES), near, rng.uniform(-104, 89, 20000), rng.uniform(-1, 1, 4000)])
    return np.concatenate([(signs | exponents | mantissas).view(np.float32).ravel(), values.astype(np.float32)])


def write_inputs(folder):
    operand = draw()
    np.save(folder / "x.npy", operand)
    type = f"tensor<{operand.size}xf32>"
    results = ", ".join(f'{type} {{pop.name = "{name}"}}' for name in FUNCTIONS)
    (folder / "program.mlir").write_text(
        'module attributes {ipu.target = #ipu.target<"gc200", {tiles = 16 : i64}>} {\n'
        f'  func.func @main(%x: {type} {{pop.name = "x"}}) -> ({results}) {{\n'
        + "".join(f"    %{name} = pop.{name} %x : {type}\n" for name in FUNCTIONS)
        + f"    return {', '.join('%' + name for name in FUNCTIONS)} : {', '.join([type] * len(FUNCTIONS))}\n  }}\n}}\n"
    )


def get_errors(got, exact):
    """In units in the last place; infinite where what is special is wrong."""
    with np.errstate(over="ignore"):
        rounded = exact.astype(np.float32)
    _, exponents = np.frexp(np.where(np.isfinite(exact), exact, 1))
    units = np.ldexp(1.0, np.maximum(exponents - 24, -149))
    is_number = np.isfinite(got) & np.isfinite(rounded)
    errors = np.abs(np.where(is_number, got.astype(np.float64) - exact, 0)) / units
    same = (got == rounded) | (np.isnan(got) & np.isnan(rounded))
    wrong_sign = (np.signbit(got) != np.signbit(rounded)) & ~np.isnan(rounded)
    return np.where((is_number | same) & ~wrong_sign, errors, np.inf)


def compare(folder, engines):
    operand = np.load(folder / "x.npy")
    failed = False
    for name, (function, limit) in FUNCTIONS.items():
        results = [np.load(folder / engine / f"{name}.npy") for engine in engines]
        with np.errstate(all="ignore"):
            exact = function(operand.astype(np.float64))
        errors = get_errors(results[0], exact)
        worst = np.argmax(errors)
        same = all(np.array_equal(results[0].view(np.uint32), other.view(np.uint32)) for other in results)
        print(f"{name}: {errors[worst]:.4f} ulp")
        if errors[worst] > limit or not same:
            failed = True
            print(f"  worst: {operand[worst]!r} gives {results[0][worst]!r}; engines agree: {same}")
    return failed


if __name__ == "__main__":
    if sys.argv[1] == "inputs":
        sys.exit(write_inputs(pathlib.Path(sys.argv[2])))
    sys.exit(compare(pathlib.Path(sys.argv[2]), sys.argv[3:]))
