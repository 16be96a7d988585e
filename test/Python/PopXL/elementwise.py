# Elementwise ops and views, compared with numpy.
# RUN: %python %s

import math
import os
import sys
import unittest

import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "Inputs"))
from programs import ProgramTest

import popxl
from popxl import ops

v = popxl.variable
rng = np.random.default_rng(0)
a = rng.normal(size=(2, 3, 4)).astype("f4")
b = rng.normal(size=(3, 4)).astype("f4")
p, q = np.abs(a) + 0.1, np.abs(b) + 0.1
ints = rng.integers(-9, 9, 5).astype("i4")
special = np.array([np.nan, np.inf, 1, -np.inf], "f4")


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def gelu(x):
    return 0.5 * x * (1 + np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x**3)))


def geluerf(x):
    return x * 0.5 * (1 + np.vectorize(math.erf)(x / np.sqrt(2)))


def in_place(op):
    """The operand and the result after an op in place."""

    def create():
        x = v(a) * 1.0
        return [op(x), x]

    return create


class Elementwise(ProgramTest):
    def test_one_operand(self):
        same = "abs ceil cos exp floor negate sin tanh sign".split()
        numpy = {"abs": np.abs, "negate": np.negative}
        cases = [
            (n, lambda n=n: getattr(ops, n)(v(a)), numpy.get(n, getattr(np, n, None))(a))
            for n in same
        ]
        cases += [
            (n, lambda n=n: getattr(ops, n)(v(p)), getattr(np, n)(p))
            for n in ("log", "sqrt", "log2")
        ]
        activations = {
            "relu": lambda x: np.maximum(x, 0),
            "swish": lambda x: x * sigmoid(x),
            "gelu": gelu,
            "geluerf": geluerf,
        }
        for name, f in activations.items():
            op = getattr(ops, name)
            cases.append((name, lambda op=op: op(v(a)), f(a)))
            op = getattr(ops, f"{name}_")
            cases.append((f"{name}_", in_place(op), [f(a), f(a)]))
        cases += [
            ("exp_", in_place(ops.exp_), [np.exp(a)] * 2),
            ("sign of NaN", lambda: ops.sign(v(special)), [0, 1, 1, -1]),
            ("clip", lambda: ops.clip(v(a), -0.5, 0.5), a.clip(-0.5, 0.5)),
            ("increment_mod", lambda: ops.increment_mod(v(ints), 1, 3), np.fmod(ints + 1, 3)),
            ("isnan", lambda: ops.isnan(v(special)), np.isnan(special)),
            ("isinf", lambda: ops.isinf(v(special)), np.isinf(special)),
            ("isfinite", lambda: ops.isfinite(v(special)), np.isfinite(special)),
            ("cast", lambda: ops.cast(v(a * 10), popxl.int32), np.trunc(a * 10)),
            ("cast to bool", lambda: ops.cast(v(ints), popxl.bool), ints != 0),
            ("identity", lambda: ops.identity(v(a)), a),
            ("detach", lambda: ops.detach(v(a)), a),
        ]
        self.check(cases)

    def test_two_operands(self):
        names = {"add": np.add, "sub": np.subtract, "mul": np.multiply}
        names.update(div=np.divide, fmod=np.fmod)
        cases = [
            (n, lambda n=n: getattr(ops, n)(v(a), v(b)), f(a, b))
            for n, f in names.items()
        ]
        half = a.astype("f2")
        cases += [
            ("square", lambda: v(p) ** 2, p**2),
            ("pow", lambda: ops.pow(v(p), v(q)), p**q),
            ("rpow", lambda: 2.0 ** v(a), 2**a),
            ("quotient", lambda: v(ints) / 4, np.trunc(ints / 4)),
            ("remainder", lambda: v(ints) % 4, np.fmod(ints, 4)),
            ("rsub", lambda: 1 - v(a), 1 - a),
            ("rdiv", lambda: 1 / v(p), 1 / p),
            ("maximum", lambda: ops.maximum(v(a), v(b), v(b[0])), np.maximum(a, np.maximum(b, b[0]))),
            ("equal", lambda: ops.equal(v(ints), v(ints, popxl.float32)), np.ones(5)),
            ("greater", lambda: ops.greater(v(a), v(b)), a > b),
            ("and", lambda: v(ints) & v(ints), ints != 0),
            ("or", lambda: v(ints) | True, np.ones(5)),
            ("not", lambda: ~v(ints), ints == 0),
            ("where", lambda: ops.where(v([1, 0, 1, 0]), v(a), v(b)), np.where([1, 0, 1, 0], a, b)),
            ("scaled_add", lambda: ops.scaled_add(v(a), v(a), 2.0, popxl.constant(0.5)), 2.5 * a),
            ("scaled_add of types", lambda: ops.scaled_add(v(a), v(half), b=-1.0), a - half),
            ("add_", in_place(lambda x: ops.add_(x, v(b))), [a + b] * 2),
            ("scaled_add_", in_place(lambda x: ops.scaled_add_(x, v(a), b=2.0)), [3 * a] * 2),
        ]
        self.check(cases)

    def test_types_of_results(self):
        x = np.array([7, 250], "u1")
        self.check(
            [
                ("wrap", lambda: v(x) + v(x), (x + x)),
                ("int8", lambda: v(3, popxl.int8) + popxl.constant(1, popxl.int8), np.int8(4)),
                ("half", lambda: v(a, popxl.float16) * 2, a.astype("f2") * np.float16(2)),
            ],
            rtol=1e-3,
        )


class Views(ProgramTest):
    """A write to a view changes the tensor, and a write to a tensor all its views."""

    def test_slice_of_transpose(self):
        def create():
            x = v(a) * 1.0
            part = ops.slice_(x, 1, 3, 1, 1)
            turned = part.T_
            turned += 1
            return [x, part, x.reshape_((6, 4))]

        expected = a.copy()
        expected[:, 1:3] += 1
        self.check([("", create, [expected, expected[:, 1:3], expected.reshape(6, 4)])])

    def test_concatenation(self):
        def create():
            x, y = v(b) * 1.0, v(b) * 2.0
            both = ops.concat_([x, y])
            y += 1
            before = both * 1.0
            both += 1
            return [before, x, y]

        expected = [np.concatenate([b, 2 * b + 1]), b + 1, 2 * b + 2]
        self.check([("", create, expected)])

    def test_variables_and_constants(self):
        def create():
            x, c = v(b), popxl.constant(b)
            x += 1
            y = ops.detach_(c)
            y += 2
            return [x, c, y]

        self.check([("", create, [b + 1, b + 2, b + 2])])

    def test_values_before_a_write(self):
        def create():
            x = v(b) * 1.0
            before = x + 0
            copy = ops.identity(x)
            x += 1
            return [before, copy, x]

        self.check([("", create, [b, b, b + 1])])


if __name__ == "__main__":
    unittest.main()
