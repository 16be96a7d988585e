"""Functions of f64 against their exact values.

usage: double-functions.py inputs FOLDER
       double-functions.py compare FOLDER ENGINE...

The first writes a program and its operands, which are drawn from a fixed seed.
The second compares the results in FOLDER/ENGINE with what decimal arithmetic of
at least 40 digits gives, prints how many units in the last place they are off,
and fails if that is more than LIMIT, if a sign, an infinity or a NaN is wrong, or
if the bits of the engines differ.
"""

import decimal
import math
import pathlib
import sys

import numpy as np

from decimal import Decimal

# Nearly half a unit, the best there is. Results below TINY are rounded more than
# once.
LIMIT, TINY_LIMIT = 0.501, 0.9
TINY = 2.0**-1000
COUNT = 60

EDGES = [0.0, 1.0, 0.5, 2.0, 3.0, 1 / 3, math.inf, math.nan, 5e-324, 2.0**-1022, 2.0**-1022 - 5e-324,
         sys.float_info.max, 709.782712893384, 709.7827128933841, 708.3964185322641, 745.1332191019411,
         745.1332191019412, 1e16, 1e22, 6.0, 5.863584748755167, math.pi, math.pi / 2, math.pi / 4,
         # Of all f64 the nearest one to a multiple of pi / 2.
         6381956970095103 * 2.0**797,
         # Where another branch begins.
         1 / 32, math.nextafter(1 / 32, 0), math.nextafter(0.5, 0), math.nextafter(1, 0), math.nextafter(1, 2)]  # fmt: skip
EDGES += [-x for x in EDGES]

# ===----------------------------------------------------------------------=== #
# Exact values
# ===----------------------------------------------------------------------=== #


def arctangent_of_inverse(n):
    total, term, k = Decimal(0), 1 / Decimal(n), 1
    while total + term != total:
        total += term / k if k % 4 == 1 else -term / k
        term /= n * n
        k += 2
    return total


# Enough digits for the greatest f64.
decimal.getcontext().prec = 400
PI = 4 * (4 * arctangent_of_inverse(5) - arctangent_of_inverse(239))
decimal.getcontext().prec = 40


def circular(x, quarters):
    """The sine of x + quarters * pi / 2."""
    with decimal.localcontext() as context:
        context.prec = 400
        n = (x / (PI / 2)).to_integral_value()
        r = +(x - n * (PI / 2))
    quarters += int(n) % 4
    term, k = (Decimal(1), 0) if quarters % 2 else (r, 1)
    total = Decimal(0)
    while total + term != total:
        total += term
        term *= -r * r / ((k + 1) * (k + 2))
        k += 2
    return -total if quarters % 4 >= 2 else total


def tanh(x):
    with decimal.localcontext() as context:
        context.prec += 2 * max(0, -x.adjusted())
        power = (2 * min(x, Decimal(50))).exp() if x > -50 else Decimal(0)
        return (power - 1) / (power + 1)


def erf(x):
    x = max(min(x, Decimal(20)), Decimal(-20))
    total, term, k = Decimal(0), x, 1
    while total + term != total:
        total += term
        term *= 2 * x * x / (k + 2)
        k += 2
    return 2 * total * (-x * x).exp() / PI.sqrt()


def more_digits(function):
    """For functions of differences that cancel. Of a large number, e^x has the digits."""

    def call(x):
        with decimal.localcontext() as context:
            context.prec = 90 + 2 * max(0, -x.adjusted())
            return function(x)

    return call


def expm1(x):
    return max(x, Decimal(-100)).exp() - 1 if x < 60 else x.exp() - 1


def sinh(x):
    return (x.exp() - (-x).exp()) / 2


def arsinh(x):
    y = (abs(x) + (x * x + 1).sqrt()).ln()
    return y if x > 0 else -y


def arctangent(x):
    """By the angles of which x has the eighth, or of small numbers, and a series."""
    halvings = 0 if abs(x) < Decimal("1e-30") else 3
    for _ in range(halvings):
        x = x / (1 + (1 + x * x).sqrt())
    total, term, k = x, x, 1
    while abs(term) > abs(total) * Decimal("1e-45"):
        term *= -x * x
        k += 2
        total += term / k
    return total * 2**halvings


def angle(y, x):
    """Of the point (x, y)."""
    if abs(y) > abs(x):
        return (PI / 2).copy_sign(y) - arctangent(x / y)
    if not x.is_signed():
        return arctangent(y / x)
    return arctangent(y / x) + PI.copy_sign(y)


# The exact function, one that knows the special values, and a usual range.
FUNCTIONS = {
    "exp": (lambda x: x.exp(), np.exp, 750),
    "log": (lambda x: x.ln(), np.log, 4),
    "tanh": (tanh, np.tanh, 20),
    "sigmoid": (lambda x: 1 / (1 + (-x).exp()), lambda x: 1 / (1 + np.exp(-x)), 750),
    "erf": (erf, np.vectorize(math.erf), 6.1),
    "sin": (lambda x: circular(x, 0), np.sin, 100),
    "cos": (lambda x: circular(x, 1), np.cos, 100),
    "sqrt": (lambda x: x.sqrt(), np.sqrt, 1000),
    "rsqrt": (lambda x: 1 / x.sqrt(), lambda x: 1 / np.sqrt(x), 1000),
    "reciprocal": (lambda x: 1 / x, lambda x: 1 / x, 1000),
    "pow": (lambda x, y: x**y, np.power, 50),
    "expm1": (more_digits(expm1), np.expm1, 40),
    "log1p": (more_digits(lambda x: (1 + x).ln()), np.log1p, 4),
    "gaussian": (lambda x: (-x * x).exp() if abs(x) < 40 else Decimal(0), lambda x: np.exp(-x * x), 27),
    "sinh": (more_digits(sinh), np.sinh, 710),
    "cosh": (lambda x: (x.exp() + (-x).exp()) / 2, np.cosh, 710),
    "asinh": (more_digits(arsinh), np.arcsinh, 10),
    "acosh": (more_digits(lambda x: (x + (x * x - 1).sqrt()).ln()), np.arccosh, 10),
    "atanh": (more_digits(lambda x: ((1 + x) / (1 - x)).ln() / 2), np.arctanh, 1),
    "asin": (more_digits(lambda x: arctangent(x / ((1 - x) * (1 + x)).sqrt())), np.arcsin, 1),
    "acos": (more_digits(lambda x: 2 * arctangent(((1 - x) / (1 + x)).sqrt())), np.arccos, 1),
    "atan": (arctangent, np.arctan, 10),
    "atan2": (angle, np.arctan2, 10),
}
# Of functions that are composed of others, or of rounded ones.
LIMITS = {"gaussian": 1.1, "sinh": 4, "cosh": 4, "asinh": 4, "acosh": 4, "atanh": 4,
          "asin": 4, "acos": 4, "atan": 4, "atan2": 4}  # fmt: skip

# ===----------------------------------------------------------------------=== #
# Operands
# ===----------------------------------------------------------------------=== #


def draw(rng, limit):
    quarters = rng.integers(-(10**6), 10**6, COUNT) * (math.pi / 2)
    return np.concatenate([
        EDGES,
        rng.integers(0, 2**64, COUNT, np.uint64).view(np.float64),
        rng.uniform(-limit, limit, COUNT),
        np.ldexp(rng.uniform(-1, 1, COUNT), rng.integers(-60, 10, COUNT)),
        1 + np.ldexp(rng.uniform(-1, 1, COUNT), rng.integers(-52, 0, COUNT)),
        quarters + np.spacing(quarters) * rng.integers(-2, 3, COUNT),
        rng.uniform(-1, 1, COUNT) * 2.0**-1020,
    ])  # fmt: skip


def draw_pairs(rng):
    """Any numbers, all pairs of edges, and powers that are about e^750 to e^-750."""
    x, y = draw(rng, 50), rng.permutation(draw(rng, 50))
    edges = np.meshgrid(EDGES, EDGES)
    base = rng.uniform(0, 1, 6 * COUNT) * 2.0 ** rng.integers(0, 9, 6 * COUNT)
    exponent = rng.uniform(-750, 750, 6 * COUNT) / np.log(base)
    return (
        np.concatenate([x, edges[0].ravel(), base]),
        np.concatenate([y, edges[1].ravel(), exponent]),
    )


def write_inputs(folder):
    rng = np.random.default_rng(1)
    params, body, names, types = [], [], [], []
    for name, (_, _, limit) in FUNCTIONS.items():
        is_binary = name in ("pow", "atan2")
        operands = draw_pairs(rng) if is_binary else [draw(rng, limit)]
        type = f"tensor<{operands[0].size}xf64>"
        for i, values in enumerate(operands):
            np.save(folder / f"{name}{i}.npy", values)
            params.append(f'%{name}{i}: {type} {{pop.name = "{name}{i}"}}')
        text = ", ".join(f"%{name}{i}" for i in range(len(operands)))
        body.append(f"%{name} = pop.{name} {text} : {type}")
        names.append(f"%{name}")
        types.append(type)
    results = [f'{type} {{pop.name = "{name[1:]}"}}' for name, type in zip(names, types)]
    (folder / "program.mlir").write_text(
        'module attributes {ipu.target = #ipu.target<"gc200", {tiles = 16 : i64}>} {\n'
        f"  func.func @main({', '.join(params)})\n      -> ({', '.join(results)}) {{\n"
        + "".join(f"    {line}\n" for line in body)
        + f"    return {', '.join(names)} : {', '.join(types)}\n  }}\n}}\n"
    )


# ===----------------------------------------------------------------------=== #
# Comparison
# ===----------------------------------------------------------------------=== #


def get_error(function, operands, got, special):
    """In units in the last place; infinite if what is special is wrong."""
    is_number = all(math.isfinite(x) for x in operands) and not math.isnan(special)
    if not is_number or special == 0 and operands[0] == 0:
        same = got == special and math.copysign(1, got) == math.copysign(1, special)
        return 0 if same or math.isnan(got) and math.isnan(special) else math.inf
    try:
        exact = function(*map(Decimal, operands))
    except (decimal.DivisionByZero, decimal.InvalidOperation, decimal.Overflow):
        return 0 if got == special else math.inf
    if not exact.is_finite() or math.isinf(float(exact)) or math.isinf(got):
        return 0 if got == float(exact) else math.inf
    if got != 0 and (got < 0) != (exact < 0):
        return math.inf
    return float(abs(Decimal(got) - exact) / Decimal(math.ulp(float(exact))))


def compare(folder, engines):
    failed = False
    for name, (exact, special, _) in FUNCTIONS.items():
        operands = [np.load(path) for path in sorted(folder.glob(f"{name}[0-9].npy"))]
        results = [np.load(folder / engine / f"{name}.npy") for engine in engines]
        with np.errstate(all="ignore"):
            specials = special(*operands)
        worst = {False: (0, None), True: (0, None)}
        for *x, got, y in zip(*operands, results[0], specials):
            x, got = [float(value) for value in x], float(got)
            error = get_error(exact, x, got, float(y))
            is_tiny = abs(got) < TINY
            worst[is_tiny] = max(worst[is_tiny], (error, [*x, got]), key=lambda pair: pair[0])
        same = all(np.array_equal(results[0], other, equal_nan=True) for other in results)
        (error, at), (tiny, tiny_at) = worst[False], worst[True]
        print(f"{name}: {error:.4f} ulp, {tiny:.4f} below 2^-1000")
        limit = LIMITS.get(name, LIMIT)
        if error > limit or tiny > max(limit, TINY_LIMIT) or not same:
            failed = True
            print(f"  worst: {at}, {tiny_at}; engines agree: {same}")
    return failed


if __name__ == "__main__":
    if sys.argv[1] == "inputs":
        sys.exit(write_inputs(pathlib.Path(sys.argv[2])))
    sys.exit(compare(pathlib.Path(sys.argv[2]), sys.argv[3:]))
