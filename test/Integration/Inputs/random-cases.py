"""Programs with random ops and what they have to give, to the bit.

usage: random-cases.py program TILES REPLICAS
       random-cases.py tails
       random-cases.py chosen-words < ipu.mlir
       random-cases.py replicas DIR
       random-cases.py statistics

The values come from utils/pop_random.py, which does not know the project's code.
`program` and `tails` print what expects them. In the codelets of a program,
`chosen-words` puts the seed in the place of the words that are hashed from it: so
numbers get tested that no seed known leads to. `replicas` compares what a program
of two replicas stored. `statistics` tests that the values are random.
"""

import math
import pathlib
import re
import statistics
import sys

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "utils"))
import pop_random as ref

SEED = (0xDEADBEEF, 7)
CODES = {"f16": "f2", "f32": "f4", "f64": "f8", "i1": "?", "i32": "i4", "ui32": "u4"}


class Program:
    def __init__(self, tiles, replicas=1):
        self.lines, self.count = [], 0
        self.target = f"tiles = {tiles} : i64, replicas = {replicas} : i64"

    def add(self, text):
        self.count += 1
        self.lines.append(f"%{self.count} = {text}")
        return f"%{self.count}"

    def dense(self, values):
        if values.dtype == bool:
            return "dense<[%s]>" % ", ".join("true" if v else "false" for v in values)
        return f'dense<"0x{values.tobytes().hex().upper()}">'

    def constant(self, values, type):
        text = f"tensor<{'x'.join(map(str, values.shape))}x{type}>"
        return self.add(f"pop.constant {self.dense(values)} : {text}")

    def seed(self, words):
        return self.constant(np.array(words, np.uint32), "ui32")

    def expect(self, op, values, type, shape=None, rtol=None):
        """`op` without its result type, if that is not the operand's."""
        shape = shape or values.shape
        text = f"tensor<{''.join(f'{size}x' for size in shape)}{type}>"
        y = self.add(op if op.startswith("pop.dropout") else f"{op} -> {text}")
        self.expect_value(y, values, text, rtol)

    def expect_value(self, y, values, text, rtol=None):
        kind = "eq" if rtol is None else "close"
        options = "" if rtol is None else f" {{rtol = {rtol:.1e} : f64, atol = 0.0 : f64}}"
        self.lines.append(f"pop.expect_{kind} {y}, {self.dense(values)} : {text}{options}")

    def print(self):
        print(f'module attributes {{ipu.target = #ipu.target<"gc200", {{{self.target}}}>}} {{')
        print("  func.func @main() {")
        print("".join(f"    {line}\n" for line in self.lines) + "    return\n  }\n}")


def bf16(values):
    """Rounds f32 that are no NaNs."""
    bits = values.view(np.uint32).astype(np.uint64)
    return ((bits + 0x7FFF + (bits >> np.uint64(16) & np.uint64(1))) >> np.uint64(16)).astype("u2")


def print_program(tiles, replicas):
    program = Program(tiles, replicas)
    seed = program.seed(SEED)

    def source(options=""):
        return f"{seed}{options} : tensor<2xui32>"

    def uniform(type, values, low, high, shape=None):
        text = source(f" {{low = {float(low)}, high = {float(high)}}}")
        program.expect("pop.random_uniform " + text, values, type, shape)

    count = 3 * 5 * 7
    uniform("f32", ref.uniform(SEED, count, -0.1, 0.7), -0.1, 0.7, (3, 5, 7))
    uniform("f32", ref.uniform(SEED, 1, 0, 1), 0, 1, ())
    uniform("f64", ref.uniform(SEED, 33, -1, 2, np.float64), -1, 2)
    uniform("f16", ref.uniform(SEED, 50, 1, 1000).astype(np.float16), 1, 1000)
    uniform("bf16", bf16(ref.uniform(SEED, 50, -3, 3)), -3, 3)
    for type, low, high in [("i8", -128, 127), ("ui8", 0, 255), ("i16", -5, 5),
                            ("i32", -2**31, 2**31 - 1), ("ui32", 0, 3 * 2**30),
                            ("i64", -2**40, -2**40 + 9), ("ui64", 2**63, 2**63 + 2**32 - 2048)]:  # fmt: skip
        dtype = ("u" if type[0] == "u" else "i") + str(int(type.lstrip("ui")) // 8)
        uniform(type, ref.uniform_integers(SEED, 40, low, high, dtype), low, high)

    def normal(type, mean, deviation, count, rtol=None):
        values = ref.normal(SEED, count, mean, deviation)
        if type != "f64":
            values = values.astype(np.float32).astype(CODES[type])
        text = source(f" {{mean = {float(mean)}, std_dev = {float(deviation)}}}")
        program.expect("pop.random_normal " + text, values, type, None, rtol)

    normal("f32", 0, 1, 1000)
    normal("f32", 3, 0, 5)
    normal("f16", -1, 0.02, 100)
    normal("f64", 0, 1, 300, 1.0e-14)

    for p in (0, 0.3, 1):
        ones = ref.bernoulli(SEED, 37, p)
        for type in ("i1", "f16", "f64", "ui32"):
            text = f"pop.random_bernoulli {source(f', {float(p)}')}"
            program.expect(text, ones.astype(CODES[type]), type)
        # 1 is exponent 7 of a bias of 7.
        program.expect(text, ones.astype("u1") * np.uint8(0x38), "f8E4M3FN")

    # The gradient goes where the values went; NaNs that are dropped are gone.
    x = np.linspace(-3, 3, 110)
    x[::7] = np.nan
    for values, type in [(x, "f64"), (x.astype("f4"), "f32"), (x.astype("f2"), "f16"),
                         (np.ones(110, "f4"), "f32")]:  # fmt: skip
        wide = values.astype("f4") if type == "f16" else values
        y = ref.dropout(wide, SEED, 0.4).astype(values.dtype)
        arg = program.constant(values, type)
        text = f"pop.dropout {arg}, {seed}, 0.4 : tensor<110x{type}>, tensor<2xui32>"
        program.expect(text, y, type)

    seeds = ref.split_seed(SEED, 3)
    split = program.add(f"pop.split_seed {source()} -> tensor<3x2xui32>")
    program.expect_value(split, seeds, "tensor<3x2xui32>")
    # Seeds of seeds, and results that something looks at in another way.
    part = program.add(f"pop.slice {split} {{starts = array<i64: 1, 0>, sizes = array<i64: 1, 2>, "
                       "steps = array<i64: 1, 1>} : tensor<3x2xui32> -> tensor<1x2xui32>")  # fmt: skip
    own = program.add(f"pop.reshape {part} : tensor<1x2xui32> to tensor<2xui32>")
    values = ref.uniform(seeds[1], 24, 0, 1).reshape(4, 6)
    y = program.add(f"pop.random_uniform {own} : tensor<2xui32> -> tensor<4x6xf32>")
    turned = program.add(f"pop.transpose {y} {{permutation = array<i64: 1, 0>}} : tensor<4x6xf32> -> tensor<6x4xf32>")
    program.expect_value(turned, np.ascontiguousarray(values.T), "tensor<6x4xf32>")
    both = program.add(f"pop.concat {turned}, {turned} {{axis = 0 : i64}} : (tensor<6x4xf32>, tensor<6x4xf32>) -> tensor<12x4xf32>")
    program.expect_value(both, np.concatenate([values.T, values.T]), "tensor<12x4xf32>")
    program.print()


# The upper 52 of 64 bits: both ends, and about the limits of AS241's three cases.
TAILS = [0, 1, 2**10, 2**40] + [round(p * 2**52) + i for p in (math.exp(-25), 0.075, 0.5) for i in (-1, 0)]


def print_tails():
    program = Program(4)
    inverse = statistics.NormalDist().inv_cdf
    for m in TAILS + [2**52 - 1 - m for m in TAILS]:
        seed = program.seed((m >> 20, (m & 0xFFFFF) << 12))
        z = np.array([inverse((m + 0.5) / 2**52)])
        program.expect(f"pop.random_normal {seed} : tensor<2xui32>", z, "f64", None, 1.0e-14)
    program.print()


def choose_words():
    text = sys.stdin.read()
    pattern = r"(%\S+), (%\S+), \S+, \S+ = ipu.philox key\((%\S+), (%\S+)\).*"
    text, count = re.subn(
        pattern, r"\1 = arith.shrui \3, %c0_i32 : i32\n\2 = arith.shrui \4, %c0_i32 : i32", text
    )
    assert count > 0
    sys.stdout.write(text)


def check_replicas(folder):
    """Of the program in random.test."""
    def load(name):
        return np.load(pathlib.Path(folder) / f"{name}.npy")

    seeds = np.array([[1, 2], [3, 4]], np.uint32)
    mine = [ref.uniform(seed, 40, 0, 1).reshape(5, 8) for seed in seeds]
    np.testing.assert_array_equal(load("mine"), mine)
    np.testing.assert_array_equal(load("next"), [ref.split_seed(seed, 1)[0] for seed in seeds])
    ours = ref.bernoulli((1, 2), 40, 0.5).astype(np.float16)
    np.testing.assert_array_equal(load("ours"), [ours, ours])


def chi_square(counts, expected):
    """As a normal number: Wilson and Hilferty's approximation."""
    df = len(counts) - 1
    x = float(((counts - expected) ** 2 / expected).sum())
    return ((x / df) ** (1 / 3) - (1 - 2 / (9 * df))) / math.sqrt(2 / (9 * df))


def check_statistics():
    """All of these are about normally distributed with deviation 1."""
    n = 20000
    scores = {}
    for seed in [(0, 0), (1, 0), (0, 1), (123456789, 987654321)]:
        def score(name, value, seed=seed):
            scores[name, seed] = float(value)

        u = ref.uniform(seed, n, 0, 1).astype(np.float64)
        score("uniform mean", (u.mean() - 0.5) * math.sqrt(12 * n))
        score("uniform variance", (((u - 0.5) ** 2).mean() - 1 / 12) * math.sqrt(180 * n))
        score("uniform", chi_square(np.bincount((u * 64).astype(int), minlength=64), n / 64))
        # Neighbours have nothing to do with each other.
        pairs = (u[::2] * 8).astype(int) * 8 + (u[1::2] * 8).astype(int)
        score("pairs", chi_square(np.bincount(pairs, minlength=64), n / 128))
        dice = ref.uniform_integers(seed, n, 1, 6, np.int8)
        score("dice", chi_square(np.bincount(dice, minlength=7)[1:], n / 6))
        # With words of 32 bits only, the lower half of such would be less likely.
        wide = ref.uniform_integers(seed, n, 0, 3 * 2**30 - 1, np.int64)
        score("wide", chi_square(np.bincount(wide % 3, minlength=3), n / 3))
        z = ref.normal(seed, n, 0, 1)
        score("normal mean", z.mean() * math.sqrt(n))
        score("normal variance", ((z**2).mean() - 1) * math.sqrt(n / 2))
        score("normal kurtosis", ((z**4).mean() - 3) * math.sqrt(n / 96))
        cut = statistics.NormalDist().inv_cdf
        bins = np.searchsorted([cut(i / 32) for i in range(1, 32)], z)
        score("normal", chi_square(np.bincount(bins, minlength=32), n / 32))
        kept = ref.dropout(np.ones(n), seed, 0.1)
        score("dropout", ((kept == 0).mean() - 0.1) / math.sqrt(0.09 / n))
        score("scale", (kept.mean() - 1) / math.sqrt(0.1 / 0.9 / n))
        ones = ref.bernoulli(seed, n, 0.7)
        score("bernoulli", (ones.mean() - 0.7) / math.sqrt(0.21 / n))
        # Ops with one seed, and seeds made of it, are independent.
        score("ops", np.corrcoef(ones, u)[0, 1] * math.sqrt(n))
        seeds = ref.split_seed(seed, 1000)
        assert len({tuple(s) for s in seeds}) == 1000
        others = ref.uniform(seeds[0], n, 0, 1)
        score("seeds", np.corrcoef(others, u)[0, 1] * math.sqrt(n))
    wrong = {name: value for name, value in scores.items() if abs(value) > 4}
    assert not wrong, wrong
    print(len(scores), "statistics, none beyond 4 sigma")


MODES = {
    "program": lambda tiles, replicas: print_program(int(tiles), int(replicas)),
    "tails": print_tails,
    "chosen-words": choose_words,
    "replicas": check_replicas,
    "statistics": check_statistics,
}

if __name__ == "__main__":
    MODES[sys.argv[1]](*sys.argv[2:])
