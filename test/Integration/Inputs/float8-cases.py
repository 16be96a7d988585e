"""Programs on f8 tensors with what they have to give, to the bit.

usage: float8-cases.py casts|ops [format...]

The values expected follow from the definition of the formats: a number is the
nearest of a list of all numbers, at a tie the one with an even mantissa. They
are written as pop.expect_eq into the program that is printed.
"""

import bisect
import math
import random
import struct
import sys

# Mantissa bits, bias, and what is beyond the greatest number: infinity and NaNs,
# a NaN (all bits set), or nothing (the bits of -0 are NaN).
FORMATS = {
    "f8E4M3FN": (3, 7, "nan"),
    "f8E4M3FNUZ": (3, 8, "fnuz"),
    "f8E5M2": (2, 15, "ieee"),
    "f8E5M2FNUZ": (2, 16, "fnuz"),
}
INF, NAN = math.inf, math.nan


class Format:
    def __init__(self, name):
        self.name = name
        self.mantissa, self.bias, self.kind = FORMATS[name]
        # All magnitudes, and one beyond: what rounds to it has overflowed.
        self.count = {"nan": 127, "ieee": 124, "fnuz": 128}[self.kind]
        self.numbers = [self.magnitude(i) for i in range(self.count + 1)]

    def magnitude(self, bits):
        exponent, mantissa = bits >> self.mantissa, bits & (1 << self.mantissa) - 1
        if exponent:
            mantissa += 1 << self.mantissa
        return math.ldexp(mantissa, max(exponent, 1) - self.bias - self.mantissa)

    def decode(self, bits):
        magnitude = bits & 127
        if self.kind == "fnuz" and bits == 128:
            return NAN
        if magnitude >= self.count:
            return INF * (1 - (bits >> 7) * 2) if (self.kind, magnitude) == ("ieee", 124) else NAN
        return -self.numbers[magnitude] if bits >> 7 else self.numbers[magnitude]

    def encode(self, x):
        """Of a float, or an integer of any size."""
        if x != x:
            return 128 if self.kind == "fnuz" else 127
        sign = 128 if x < 0 or math.copysign(1, x) < 0 else 0
        x = abs(x)
        if x >= self.numbers[-1]:
            bits = self.count
        else:
            above = bisect.bisect_right(self.numbers, x)
            low, high = self.numbers[above - 1], self.numbers[above]
            # Exact: in between are few bits.
            if x - low != high - x:
                bits = above - (x - low < high - x)
            else:
                bits = above - (above & 1)
        if bits < self.count:
            return bits | (sign if bits or self.kind != "fnuz" else 0)
        return {"nan": 127, "fnuz": 128, "ieee": 124 | sign}[self.kind]


def to_f32(x):
    try:
        return struct.unpack("<f", struct.pack("<f", x))[0]
    except OverflowError:
        return math.copysign(INF, x)


CODES = {"f16": "e", "f32": "f", "f64": "d", "i8": "b", "ui8": "B", "i16": "h", "i32": "i", "i64": "q"}


def pack(type, values):
    if type in FORMATS:
        return bytes(values)
    if type == "bf16":
        return b"".join(struct.pack("<f", x)[2:] for x in values)
    if type == "f16":
        # Python refuses what overflows.
        values = [x if not 65520 <= abs(x) < INF else math.copysign(INF, x) for x in values]
    return struct.pack("<%d%s" % (len(values), CODES[type]), *values)


class Program:
    def __init__(self):
        self.count = 0
        print('module attributes {ipu.target = #ipu.target<"gc200", {tiles = 4 : i64}>} {\n  func.func @main() {')

    def end(self):
        print("    return\n  }\n}")

    def dense(self, type, values):
        if type == "i1":
            return "dense<[%s]>" % ", ".join("true" if v else "false" for v in values)
        return 'dense<"0x%s">' % pack(type, values).hex().upper()

    def add(self, text, type):
        self.count += 1
        print(f"    %{self.count} = {text} : {type}")
        return f"%{self.count}"

    def constant(self, type, values, shape=None):
        shape = shape or (len(values),)
        tensor = "tensor<%sx%s>" % ("x".join(map(str, shape)), type)
        dense = self.dense(type, values)
        if type == "i1" and len(shape) > 1:
            raise ValueError("i1 has one dimension")
        return self.add(f"pop.constant {dense}", tensor), tensor

    def expect(self, value, type, values, shape=None):
        shape = shape or (len(values),)
        tensor = "tensor<%sx%s>" % ("x".join(map(str, shape)), type)
        print(f"    pop.expect_eq {value}, {self.dense(type, values)} : {tensor}")

    def cast(self, value, tensor, type, expected):
        to = f"tensor<{len(expected)}x{type}>"
        self.expect(self.add(f"pop.cast {value}", f"{tensor} to {to}"), type, expected)


def saturate(x, low, high):
    if x != x:
        return 0
    return int(min(max(x, low), high))


def casts(names):
    program = Program()
    for name in names or FORMATS:
        f = Format(name)
        bits = list(range(256))
        numbers = [f.decode(b) for b in bits]
        value, tensor = program.constant(name, bits)
        for to in ("f16", "bf16", "f32", "f64"):
            program.cast(value, tensor, to, numbers)
        for to, low, high in (("i8", -128, 127), ("ui8", 0, 255), ("i32", -(2**31), 2**31 - 1)):
            program.cast(value, tensor, to, [saturate(x, low, high) for x in numbers])
        program.cast(value, tensor, "i1", [x != 0 for x in numbers])
        for other in FORMATS:
            if other != name:
                program.cast(value, tensor, other, [Format(other).encode(x) for x in numbers])

    # Every f16 and bf16.
    halves = list(struct.unpack("<65536e", struct.pack("<65536H", *range(65536))))
    brains = [struct.unpack("<f", struct.pack("<I", b << 16))[0] for b in range(65536)]
    for type, numbers in (("f16", halves), ("bf16", brains)):
        value, tensor = program.constant(type, numbers)
        for name in FORMATS:
            f = Format(name)
            program.cast(value, tensor, name, [f.encode(x) for x in numbers])

    # Numbers, ties, and what is just beside them.
    for name in FORMATS:
        f = Format(name)
        ladder = [0.0, INF, NAN, 1e-45, 1e-38, 1e30]
        for low, high in zip(f.numbers, f.numbers[1:]):
            ladder += [low, (low + high) / 2, high]
        for type, step in (("f32", 2.0**-23), ("f64", 2.0**-52)):
            numbers = [sign * x * by for x in ladder for by in (1 - step, 1.0, 1 + step) for sign in (1, -1)]
            if type == "f32":
                numbers = [to_f32(x) for x in numbers]
            value, tensor = program.constant(type, numbers)
            program.cast(value, tensor, name, [f.encode(x) for x in numbers])
        integers = [sign * x for n in f.numbers if n >= 16 for x in (int(n) - 1, int(n), int(n) + 1) for sign in (1, -1)]
        integers += [17, 25, 2**31, 2**62, 2**63 - 1, -(2**63)] + [int(n * 1.25) for n in f.numbers if n >= 1]
        value, tensor = program.constant("i64", integers)
        program.cast(value, tensor, name, [f.encode(x) for x in integers])
        value, tensor = program.constant("i8", list(range(-128, 128)))
        program.cast(value, tensor, name, [f.encode(x) for x in range(-128, 128)])
        value, tensor = program.constant("i1", [True, False])
        program.cast(value, tensor, name, [f.encode(1), 0])
    program.end()


def divide(a, b):
    if b == 0 or a != a:
        return NAN if a == 0 or a != a else math.copysign(INF, a) * math.copysign(1, b)
    return a / b


def extreme(a, b, pick):
    if a != a or b != b:
        return NAN
    if a == b:
        return pick(a, b, key=lambda x: math.copysign(1, x))
    return pick(a, b)


def elementwise(program, f):
    """On random pairs of bits; f32 holds more than twice the bits of f8, so that
    rounding what is right in double does it."""
    size = 512
    a = [random.randrange(256) for _ in range(size)]
    b = [random.randrange(256) for _ in range(size)]
    x, y = [f.decode(v) for v in a], [f.decode(v) for v in b]
    lhs, tensor = program.constant(f.name, a)
    rhs, _ = program.constant(f.name, b)

    def infinite(fn):
        def total(p, q):
            try:
                return fn(p, q)
            except (ValueError, ZeroDivisionError):
                return NAN

        return total

    binary = {
        "add": lambda p, q: p + q,
        "sub": lambda p, q: p - q,
        "mul": lambda p, q: p * q,
        "div": divide,
        "max": lambda p, q: extreme(p, q, max),
        "min": lambda p, q: extreme(p, q, min),
    }
    for op, fn in binary.items():
        expected = [f.encode(to_f32(infinite(fn)(p, q))) for p, q in zip(x, y)]
        program.expect(program.add(f"pop.{op} {lhs}, {rhs}", tensor), f.name, expected)
    unary = {
        "neg": lambda p: -p,
        "abs": abs,
        "relu": lambda p: p if p != p else max(p, 0.0) + 0.0,
        "sqrt": lambda p: math.sqrt(p) if p >= 0 else NAN,
        "floor": lambda p: math.copysign(math.floor(p), p) if math.isfinite(p) else p,
        "round": lambda p: math.copysign(round(p), p) if math.isfinite(p) else p,
    }
    for op, fn in unary.items():
        program.expect(program.add(f"pop.{op} {lhs}", tensor), f.name, [f.encode(fn(p)) for p in x])
    mask = f"tensor<{size}xi1>"
    less = program.add(f"pop.less {lhs}, {rhs}", f"({tensor}, {tensor}) -> {mask}")
    program.expect(less, "i1", [p < q for p, q in zip(x, y)])
    isnan = program.add(f"pop.is_nan {lhs}", tensor)
    program.expect(isnan, "i1", [p != p for p in x])
    # Moves keep the bits.
    chosen = program.add(f"pop.select {less}, {lhs}, {rhs}", f"{mask}, {tensor}, {tensor} -> {tensor}")
    program.expect(chosen, f.name, [v if p < q else w for p, q, v, w in zip(x, y, a, b)])


def draw(f, size):
    """Bits of numbers whose sums of products f32 holds exactly."""
    few = [b for b in range(256) if f.decode(b) in (-3, -2, -1.5, -1, -0.5, 0, 0.5, 1, 1.5, 2, 3, 4, 6)]
    return [random.choice(few) for _ in range(size)]


def shapes(program, f):
    name = f.name
    bits = [random.randrange(256) for _ in range(12)]
    value, tensor = program.constant(name, bits, (3, 4))
    turned = f"tensor<4x3x{name}>"
    y = program.add(f"pop.transpose {value} {{permutation = array<i64: 1, 0>}}", f"{tensor} -> {turned}")
    program.expect(y, name, [bits[4 * i + j] for j in range(4) for i in range(3)], (4, 3))
    indices, itensor = program.constant("i32", [2, 0, 7, 1])
    y = program.add(f"pop.gather {value}, {indices} {{batch_dims = 0 : i64}}", f"({tensor}, {itensor}) -> tensor<4x4x{name}>")
    program.expect(y, name, bits[8:] + bits[:4] + [0] * 4 + bits[4:8], (4, 4))
    padded = f"tensor<3x6x{name}>"
    y = program.add(f"pop.pad {value} {{low = array<i64: 0, 1>, high = array<i64: 0, 1>, value = 1.5 : {name}}}",
                    f"{tensor} -> {padded}")
    edge = [f.encode(1.5)]
    program.expect(y, name, sum((edge + bits[4 * i:4 * i + 4] + edge for i in range(3)), []), (3, 6))


def contractions(program, f):
    name, m, k, n = f.name, 5, 24, 7
    a, b = draw(f, m * k), draw(f, k * n)
    lhs, left = program.constant(name, a, (m, k))
    rhs, right = program.constant(name, b, (k, n))
    product = [sum(f.decode(a[i * k + p]) * f.decode(b[p * n + j]) for p in range(k)) for i in range(m) for j in range(n)]
    for type, expected in ((name, [f.encode(x) for x in product]), ("f32", product)):
        y = program.add(f"pop.matmul {lhs}, {rhs}", f"({left}, {right}) -> tensor<{m}x{n}x{type}>")
        program.expect(y, type, expected, (m, n))

    size, channels, outputs = 6, 3, 4
    a, b = draw(f, channels * size * size), draw(f, outputs * channels * 9)
    image, left = program.constant(name, a, (1, channels, size, size))
    kernel, right = program.constant(name, b, (outputs, channels, 3, 3))

    def at(c, y, x):
        inside = 0 <= y < size and 0 <= x < size
        return f.decode(a[(c * size + y) * size + x]) if inside else 0.0

    result = [
        sum(at(c, y + p - 1, x + q - 1) * f.decode(b[((o * channels + c) * 3 + p) * 3 + q])
            for c in range(channels) for p in range(3) for q in range(3))
        for o in range(outputs) for y in range(size) for x in range(size)
    ]
    for type, expected in ((name, [f.encode(x) for x in result]), ("f32", result)):
        shape = (1, outputs, size, size)
        y = program.add(f"pop.conv {image}, {kernel} {{pads = array<i64: 1, 1, 1, 1>}}",
                        f"({left}, {right}) -> tensor<1x{outputs}x{size}x{size}x{type}>")
        program.expect(y, type, expected, shape)


def reductions(program, f):
    name, rows, size = f.name, 3, 2500
    a = draw(f, rows * size)
    value, tensor = program.constant(name, a, (rows, size))
    x = [[f.decode(b) for b in a[i * size:(i + 1) * size]] for i in range(rows)]
    for kind, fn in (("sum", sum), ("max", max), ("min", min)):
        y = program.add(f"pop.reduce {kind} {value} {{axes = array<i64: 1>}}", f"{tensor} -> tensor<{rows}x{name}>")
        program.expect(y, name, [f.encode(fn(row)) for row in x])
    y = program.add(f"pop.reduce sum {value} {{axes = array<i64: 1>}}", f"{tensor} -> tensor<{rows}xf32>")
    program.expect(y, "f32", [sum(row) for row in x])

    a = draw(f, 2 * 16)
    value, tensor = program.constant(name, a, (1, 2, 4, 4))
    pool = f"{tensor} -> tensor<1x2x2x2x{name}>"
    windows = [[f.decode(a[c * 16 + (2 * i + p) * 4 + 2 * j + q]) for p in (0, 1) for q in (0, 1)]
               for c in (0, 1) for i in (0, 1) for j in (0, 1)]
    for op, fn in (("max_pool", max), ("avg_pool", lambda w: sum(w) / 4)):
        y = program.add(f"pop.{op} {value} {{kernel = array<i64: 2, 2>, strides = array<i64: 2, 2>}}", pool)
        program.expect(y, name, [f.encode(fn(w)) for w in windows], (1, 2, 2, 2))


def ops(names):
    program = Program()
    for name in names or FORMATS:
        f = Format(name)
        elementwise(program, f)
        shapes(program, f)
        contractions(program, f)
        reductions(program, f)
    program.end()


random.seed(1)
{"casts": casts, "ops": ops}[sys.argv[1]](sys.argv[2:])
