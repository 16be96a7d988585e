# Part of ipu-mlir, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Elementwise ops."""

import math

import numpy as np

from .cases import (
    F64,
    Case,
    draw_apart,
    draw_away,
    draw_positive,
    draw_usual,
    ops,
    pick,
    tensors,
)

ERF = np.frompyfunc(math.erf, 1, 1)


def erf(x):
    """Of a complex number, by the derivative."""
    value = np.asarray(ERF(x.real), np.float64)
    return value + 1j * x.imag * 2 / math.sqrt(math.pi) * np.exp(-(x.real**2))


def normal_share(x):
    return (1 + erf(x / math.sqrt(2))) / 2


def by_sign(x):
    return np.where(x.real > 0, x, -x)


def draw_apart_from_kinks(rng, shape):
    return draw_apart(rng, shape)[0]


# The function, and what its operand is drawn with.
UNARY = {
    "abs": (by_sign, draw_apart_from_kinks),
    "neg": (np.negative, draw_usual),
    "relu": (lambda x: np.where(x.real > 0, x, 0), draw_apart_from_kinks),
    "sign": (lambda x: np.sign(x.real), draw_apart_from_kinks),
    "floor": (lambda x: np.floor(x.real), draw_apart_from_kinks),
    "ceil": (lambda x: np.ceil(x.real), draw_apart_from_kinks),
    "round": (lambda x: np.rint(x.real), draw_apart_from_kinks),
    "exp": (np.exp, draw_usual),
    "log": (np.log, draw_positive),
    "sqrt": (np.sqrt, draw_positive),
    "rsqrt": (lambda x: 1 / np.sqrt(x), draw_positive),
    "reciprocal": (lambda x: 1 / x, draw_away),
    "tanh": (np.tanh, draw_usual),
    "sigmoid": (lambda x: 1 / (1 + np.exp(-x)), draw_usual),
    "erf": (erf, draw_usual),
    "sin": (np.sin, draw_usual),
    "expm1": (np.expm1, draw_usual),
    "log1p": (np.log1p, draw_positive),
    "gaussian": (lambda x: np.exp(-x * x), draw_usual),
    "gelu": (lambda x: x * normal_share(x), draw_usual),
    "gelu_slope": (lambda x: normal_share(x) + x * np.exp(-x * x / 2) / math.sqrt(2 * math.pi), draw_usual),
    "sinh": (np.sinh, draw_usual),
    "cosh": (np.cosh, draw_usual),
    "asinh": (np.arcsinh, draw_usual),
    "acosh": (np.arccosh, lambda rng, shape: 1 + draw_positive(rng, shape)),
    "atanh": (np.arctanh, lambda rng, shape: 0.9 * np.tanh(draw_usual(rng, shape))),
    "cos": (np.cos, draw_usual),
    "asin": (np.arcsin, lambda rng, shape: 0.9 * np.tanh(draw_usual(rng, shape))),
    "acos": (np.arccos, lambda rng, shape: 0.9 * np.tanh(draw_usual(rng, shape))),
    "atan": (np.arctan, draw_usual),
}
# Those whose gradients are 0.
CONSTANT = ("sign", "floor", "ceil", "round")


def make_unary(rng, name):
    case = Case(name)
    function, draw = UNARY[name]
    x = draw(rng, ops.draw_shape(rng))
    arg = case.float(x)
    case.op(f"%y = pop.{name} {arg} : {tensors(x)}")
    if name not in CONSTANT:
        return case.finish(rng, ["%y"], lambda x: [function(x)])
    # Something has to have a gradient.
    case.op(f"%sum = pop.add %y, {arg} : {tensors(x)}")
    return case.finish(rng, ["%sum"], lambda x: [function(x) + x])


def draw_both(rng, a, b):
    return draw_usual(rng, a), draw_usual(rng, b)


def draw_quotient(rng, a, b):
    return draw_usual(rng, a), draw_away(rng, b)


def draw_remainder(rng, a, b):
    """Quotients of about 2, and not close to it."""
    size = rng.uniform(2.3, 2.5, a)
    return size * rng.choice([-1, 1], a), draw_away(rng, b, 1.0, 1.1)


def draw_power(rng, a, b):
    return draw_positive(rng, a), draw_usual(rng, b)


def atan2(a, b):
    """Of complex numbers, by the derivative."""
    value = np.arctan2(a.real, b.real)
    slope = (b.real * a.imag - a.real * b.imag) / (a.real**2 + b.real**2)
    return value + 1j * slope


BINARY = {
    "add": (np.add, draw_both),
    "sub": (np.subtract, draw_both),
    "mul": (np.multiply, draw_both),
    "div": (np.divide, draw_quotient),
    "rem": (lambda a, b: a - np.trunc(a.real / b.real) * b, draw_remainder),
    "pow": (lambda a, b: np.exp(b * np.log(a)), draw_power),
    "atan2": (atan2, lambda rng, a, b: (draw_usual(rng, a), draw_positive(rng, b))),
    "max": (lambda a, b: np.where(a.real > b.real, a, b), draw_apart),
    "min": (lambda a, b: np.where(a.real < b.real, a, b), draw_apart),
}


def make_binary(rng, name):
    case = Case(name)
    function, draw = BINARY[name]
    a, b = draw(rng, *ops.draw_operands(rng, 2))
    y = function(a, b)
    case.op(
        f"%y = pop.{name} {case.float(a)}, {case.float(b)} : ({tensors(a, b)}) -> {tensors(y)}"
    )
    return case.finish(rng, ["%y"], lambda a, b: [function(a, b)])


def make_sum(rng, name):
    case = Case(name)
    values = [draw_usual(rng, s) for s in ops.draw_operands(rng, int(rng.integers(1, 6)))]
    args = [case.float(x) for x in values]
    if rng.random() < 0.3:
        args.append(args[0])

    def function(*values):
        values = [*values, values[0]] if len(args) > len(values) else values
        return [sum(values[1:], values[0])]

    operands = [*values, values[0]][: len(args)]
    y = function(*values)[0]
    case.op(f"%y = pop.sum {', '.join(args)} : ({tensors(*operands)}) -> {tensors(y)}")
    return case.finish(rng, ["%y"], function)


def make_select(rng, name):
    case = Case(name)
    shapes = ops.draw_operands(rng, 3)
    condition = rng.integers(0, 2, shapes[0]).astype(bool)
    a, b = (draw_usual(rng, shape) for shape in shapes[1:])
    args = [case.input(condition, ops.I1), case.float(a), case.float(b)]
    y = np.where(condition, a, b)
    case.op(
        f"%y = pop.select {', '.join(args)} : {ops.tensor(condition.shape, ops.I1)}, "
        f"{tensors(a, b)} -> {tensors(y)}"
    )
    return case.finish(rng, ["%y"], lambda c, a, b: [np.where(c, a, b)])


def make_cast(rng, name):
    case = Case(name)
    x = draw_usual(rng, ops.draw_shape(rng))
    arg = case.float(x)
    to = pick(rng, [F64, ops.INTS[2]])
    if to is F64:
        case.op(f"%y = pop.cast {arg} : {tensors(x)} to {tensors(x)}")
        return case.finish(rng, ["%y"], lambda x: [x])
    x = case.inputs[0][0][...] = draw_apart(rng, x.shape)[0]
    integers = ops.tensor(x.shape, to)
    case.op(f"%i = pop.cast {arg} : {tensors(x)} to {integers}")
    case.op(f"%y = pop.cast %i : {integers} to {tensors(x)}")
    case.op(f"%sum = pop.add %y, {arg} : {tensors(x)}")
    return case.finish(rng, ["%sum"], lambda x: [np.trunc(x.real) + x])


def make_dropout(rng, name):
    case = Case(name)
    x = draw_usual(rng, ops.draw_shape(rng))
    seed = rng.integers(0, 2**32, 2, np.uint32)
    ratio = pick(rng, [0.0, 0.1, float(rng.random())])
    factors = ops.pop_random.dropout(np.ones(x.shape), seed, ratio)
    args = [case.float(x), case.input(seed, ops.UI32)]
    case.op(
        f"%y = pop.dropout {', '.join(args)}, {F64.literal(np.float64(ratio))} : "
        f"{tensors(x)}, tensor<2xui32>"
    )
    return case.finish(rng, ["%y"], lambda x, _: [x * factors])


MAKERS = {
    **{name: make_unary for name in UNARY},
    **{name: make_binary for name in BINARY},
    "sum": make_sum,
    "select": make_select,
    "cast": make_cast,
    "dropout": make_dropout,
}
