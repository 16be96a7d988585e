# Part of ipu-mlir, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Functions of one number, and their derivatives, in f64.

Each formula loses nothing that matters to f32: no difference cancels without a term to
which the error is compared.
"""

import dataclasses
import math
from typing import Callable, Optional

import numpy as np

ROOT_TWO_PI = math.sqrt(2 * math.pi)
ERFC = np.frompyfunc(math.erfc, 1, 1)
ERF = np.frompyfunc(math.erf, 1, 1)


@dataclasses.dataclass
class Function:
    """`text` is an ONNX operator with its attributes, or an op of pop, and `more` is its
    operand after x. Errors are in units of the exact result or of the largest term, if
    there is one, whichever is greater. Next to a kink, a derivative may be that of
    either side."""

    name: str
    text: str
    value: Callable
    slope: Callable
    value_term: Optional[Callable] = None
    slope_term: Optional[Callable] = None
    kinks: tuple = ()
    more: Optional[float] = None
    bounds: dict = dataclasses.field(default_factory=dict)

    @property
    def is_onnx(self):
        return self.text[0].isupper()


def f32(value):
    return float(np.float32(value))


# ===----------------------------------------------------------------------=== #
# Parts
# ===----------------------------------------------------------------------=== #


def sigmoid(x):
    power = np.exp(-np.abs(x))
    return np.where(x < 0, power, 1) / (1 + power)


def softplus(x):
    return np.maximum(x, 0) + np.log1p(np.exp(-np.abs(x)))


def normal_share(x):
    return 0.5 * np.asarray(ERFC(-x / math.sqrt(2)), np.float64)


def normal_density(x):
    return np.exp(-x * x / 2) / ROOT_TWO_PI


def tanh_gate(x):
    return math.sqrt(8 / math.pi) * (x + 0.044715 * x**3)


def tanh_gate_term(x):
    """x times the derivative of the gate's logistic function."""
    x = np.clip(x, -50, 50)
    v = tanh_gate(x)
    return x * sigmoid(v) * sigmoid(-v) * math.sqrt(8 / math.pi) * (1 + 3 * 0.044715 * x**2)


def mish_term(x):
    return x * sigmoid(x) / np.cosh(softplus(x)) ** 2


def elu(x, alpha, scale=1.0):
    return np.where(x > 0, x, alpha * np.expm1(np.minimum(x, 0) / scale))


def elu_slope(x, alpha, scale=1.0):
    return np.where(x > 0, 1, alpha / scale * np.exp(np.minimum(x, 0) / scale))


# ===----------------------------------------------------------------------=== #
# Operators
# ===----------------------------------------------------------------------=== #


def get_rectifiers():
    alpha, gamma = f32(1.67326319), f32(1.05070102)
    slope, third, fifth = f32(0.01), f32(0.3), f32(0.2)
    step = lambda x: np.where(x > 0, 1.0, 0.0)  # noqa: E731
    sixth = 1 / 6
    return [
        Function("Relu", "Relu", lambda x: np.maximum(x, 0), step, kinks=(0,)),
        Function("LeakyRelu", "LeakyRelu <alpha = 0.01>", lambda x: np.where(x < 0, slope * x, x),
                 lambda x: np.where(x < 0, slope, 1), kinks=(0,)),
        Function("PRelu", "PRelu", lambda x: np.where(x < 0, 0.25 * x, x), lambda x: np.where(x < 0, 0.25, 1),
                 kinks=(0,), more=0.25),
        Function("ThresholdedRelu", "ThresholdedRelu <alpha = 1.5>", lambda x: np.where(x > 1.5, x, 0),
                 lambda x: step(x - 1.5), kinks=(1.5,)),
        Function("Shrink", "Shrink <lambd = 1.5, bias = 0.5>", lambda x: np.sign(x) * np.where(abs(x) > 1.5, abs(x) - 0.5, 0),
                 lambda x: step(abs(x) - 1.5), kinks=(-1.5, 1.5)),
        Function("Elu", "Elu", lambda x: elu(x, 1), lambda x: elu_slope(x, 1)),
        Function("Elu, alpha 0.3", "Elu <alpha = 0.3>", lambda x: elu(x, third), lambda x: elu_slope(x, third), kinks=(0,)),
        Function("Selu", "Selu", lambda x: gamma * elu(x, alpha), lambda x: gamma * elu_slope(x, alpha), kinks=(0,)),
        Function("Celu", "Celu", lambda x: elu(x, 1), lambda x: elu_slope(x, 1)),
        Function("Celu, alpha 0.3", "Celu <alpha = 0.3>", lambda x: elu(x, third, third), lambda x: elu_slope(x, third, third)),
        Function("HardSigmoid", "HardSigmoid <alpha = 0.2>", lambda x: np.clip(fifth * x + 0.5, 0, 1),
                 lambda x: np.where(abs(x) < 0.5 / fifth, fifth, 0), value_term=lambda x: 0.5 + 0 * x,
                 kinks=(-0.5 / fifth, 0.5 / fifth)),
        Function("HardSwish", "HardSwish", lambda x: x * np.clip(x * sixth + 0.5, 0, 1),
                 lambda x: np.where(x < -3, 0, np.where(x < 3, x / 3 + 0.5, 1)),
                 value_term=lambda x: np.where(abs(x) < 4, abs(x) / 2, 0),
                 slope_term=lambda x: np.where(abs(x) < 4, np.maximum(abs(x) / 3, 0.5), 0), kinks=(-3, 3)),
    ]  # fmt: skip


def get_activations():
    return [
        Function("Softplus", "Softplus", softplus, sigmoid),
        Function("Softsign", "Softsign", lambda x: x / (1 + abs(x)), lambda x: (1 / (1 + abs(x))) ** 2),
        Function("Mish", "Mish", lambda x: x * np.tanh(softplus(x)), lambda x: np.tanh(softplus(x)) + mish_term(x),
                 slope_term=lambda x: np.maximum(np.tanh(softplus(x)), abs(mish_term(x)))),
        Function("Gelu", "Gelu", lambda x: x * normal_share(x), lambda x: normal_share(x) + x * normal_density(x),
                 slope_term=lambda x: np.maximum(normal_share(x), abs(x * normal_density(x)))),
        Function("Gelu, tanh", 'Gelu <approximate = "tanh">', lambda x: x * sigmoid(tanh_gate(x)),
                 lambda x: sigmoid(tanh_gate(x)) + tanh_gate_term(x),
                 slope_term=lambda x: np.maximum(sigmoid(tanh_gate(x)), abs(tanh_gate_term(x)))),
    ]  # fmt: skip


# Numbers of all types of floats.
EXPONENTS = (2.0, 3.0, 0.5, -0.5, 171 / 512, -83 / 64, 2.5, -2.0)


def get_powers():
    """With a constant exponent."""
    functions = []
    for p in EXPONENTS:
        functions.append(
            Function(f"Pow, x^{p:.3g}", "Pow", lambda x, p=p: np.power(x, p),
                     lambda x, p=p: p * np.power(x, p - 1), more=p))  # fmt: skip
    return functions


def get_ops():
    """What other functions are composed of, of which the gradients are composed."""
    tanh_slope = lambda x: 1 / np.cosh(x) ** 2  # noqa: E731
    one = lambda x: 1 + 0 * x  # noqa: E731
    return [
        Function("exp", "exp", np.exp, np.exp),
        Function("expm1", "expm1", np.expm1, np.exp),
        Function("log", "log", np.log, lambda x: np.where(x < 0, np.nan, 1 / x)),
        Function("log1p", "log1p", np.log1p, lambda x: 1 / (1 + x)),
        Function("sqrt", "sqrt", np.sqrt, lambda x: 0.5 / np.sqrt(x)),
        Function("rsqrt", "rsqrt", lambda x: 1 / np.sqrt(x), lambda x: -0.5 / (x * np.sqrt(x))),
        Function("reciprocal", "reciprocal", lambda x: 1 / x, lambda x: -1 / x / x),
        Function("abs", "abs", np.abs, np.sign),
        Function("tanh", "tanh", np.tanh, tanh_slope, slope_term=one),
        Function("sigmoid", "sigmoid", sigmoid, lambda x: sigmoid(x) * sigmoid(-x), slope_term=sigmoid),
        Function("erf", "erf", lambda x: np.asarray(ERF(x), np.float64),
                 lambda x: 2 / math.sqrt(math.pi) * np.exp(-x * x), bounds={("value", "f32"): 4.5}),
        Function("gaussian", "gaussian", lambda x: np.exp(-x * x), lambda x: -2 * x * np.exp(-x * x),
                 bounds={("gradient", "f32"): 20}),
        Function("sin", "sin", np.sin, np.cos),
        Function("cos", "cos", np.cos, lambda x: -np.sin(x)),
        Function("Tan", "Tan", np.tan, lambda x: 1 / np.cos(x) ** 2, bounds={("gradient", "f32"): 5}),
        Function("Sinh", "Sinh", np.sinh, np.cosh),
        Function("Cosh", "Cosh", np.cosh, np.sinh),
        Function("Asinh", "Asinh", np.arcsinh, lambda x: 1 / np.hypot(1, x)),
        Function("Acosh", "Acosh", np.arccosh, lambda x: 1 / (np.sqrt(x - 1) * np.sqrt(x + 1))),
        Function("Asin", "Asin", np.arcsin, lambda x: 1 / (np.sqrt(1 - x) * np.sqrt(1 + x))),
        Function("Acos", "Acos", np.arccos, lambda x: -1 / (np.sqrt(1 - x) * np.sqrt(1 + x))),
        Function("Atan", "Atan", np.arctan, lambda x: 1 / (1 + x * x)),
        Function("Atanh", "Atanh", np.arctanh, lambda x: 1 / ((1 - x) * (1 + x))),
    ]  # fmt: skip


def get_f16_functions():
    """Functions that compute in f16. The rounding of the argument of the logistic function
    grows with the argument; gelu is approximated to 2.6e-5, about a unit of 2^-5."""
    one = lambda x: 1 + 0 * x  # noqa: E731
    condition = lambda x: 1 + abs(tanh_gate(np.clip(x, -50, 50)))  # noqa: E731
    return [
        Function("Gelu", "Gelu", lambda x: x * normal_share(x), lambda x: normal_share(x) + x * normal_density(x),
                 value_term=lambda x: np.maximum(abs(x * normal_share(x)) * np.where(x < 0, condition(x), 1), 2**-5),
                 slope_term=one),
        Function("Gelu, tanh", 'Gelu <approximate = "tanh">', lambda x: x * sigmoid(tanh_gate(x)),
                 lambda x: sigmoid(tanh_gate(x)) + tanh_gate_term(x),
                 value_term=lambda x: abs(x * sigmoid(tanh_gate(x))) * np.where(x < 0, condition(x), 1),
                 slope_term=one),
    ]  # fmt: skip


FUNCTIONS = get_rectifiers() + get_activations() + get_powers() + get_ops()
F16_FUNCTIONS = get_f16_functions()
