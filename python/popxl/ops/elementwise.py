# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Elementwise ops."""

import math
from typing import Optional, Union

from popxl import dtypes
from popxl._emit import Emitter, Value
from popxl._record import Op, OpKind, Spec, record
from popxl.ops.utils import (
    broadcast,
    cast_if_needed,
    check,
    check_all,
    check_same_dtype,
)
from popxl.tensor import Tensor, constant


def _unary(name: str):
    return lambda e, op, x: e.unary(name, x)


def _in_place(kind: OpKind, cls: str = "") -> OpKind:
    return OpKind(f"{kind.type}Inplace", kind.emit, cls=cls, inplace=0)


def _record_unary(kind: OpKind, t: Tensor, name: str) -> Tensor:
    check(t=t)
    return record(kind, [t], Spec(t.shape, t.dtype, name))


# Floats of one operand.

ABS = OpKind("Abs", _unary("abs"))
CEIL = OpKind("Ceil", _unary("ceil"))
COS = OpKind("Cos", _unary("cos"))
EXP = OpKind("Exp", _unary("exp"))
FLOOR = OpKind("Floor", _unary("floor"))
LOG = OpKind("Log", _unary("log"))
NEGATE = OpKind("Neg", _unary("neg"), cls="NegateOp")
RELU = OpKind("Relu", _unary("relu"))
SIN = OpKind("Sin", _unary("sin"))
SQRT = OpKind("Sqrt", _unary("sqrt"))
TANH = OpKind("Tanh", _unary("tanh"))
GELU = OpKind("Gelu", lambda e, op, x: e.unary("gelu", x, approximate="unit"))
GELU_ERF = OpKind("GeluErf", _unary("gelu"))
SWISH = OpKind("Swish", lambda e, op, x: x * e.unary("sigmoid", x))
# The sign of NaN is 0.
SIGN = OpKind(
    "Sign",
    lambda e, op, x: e.select(e.unary("is_nan", x), 0, e.unary("sign", x))
    if x.dtype.is_floating_point
    else e.unary("sign", x),
)
EXP_ = _in_place(EXP)
RELU_ = _in_place(RELU)
GELU_ = _in_place(GELU)
GELU_ERF_ = _in_place(GELU_ERF)
SWISH_ = _in_place(SWISH)


def abs(t: Tensor) -> Tensor:
    return _record_unary(ABS, t, "abs_out")


def ceil(t: Tensor) -> Tensor:
    return _record_unary(CEIL, t, "ceil_out")


def cos(t: Tensor) -> Tensor:
    return _record_unary(COS, t, "cos_out")


def exp(t: Tensor) -> Tensor:
    return _record_unary(EXP, t, "exp_out")


def exp_(t: Tensor) -> Tensor:
    return _record_unary(EXP_, t, "exp_inplace_out")


def floor(t: Tensor) -> Tensor:
    return _record_unary(FLOOR, t, "floor_out")


def gelu(t: Tensor) -> Tensor:
    """The Gaussian error linear unit in the form with tanh."""
    return _record_unary(GELU, t, "gelu_out")


def gelu_(t: Tensor) -> Tensor:
    return _record_unary(GELU_, t, "gelu__out")


def geluerf(t: Tensor) -> Tensor:
    """The Gaussian error linear unit in the form with erf."""
    return _record_unary(GELU_ERF, t, "geluerf_out")


def geluerf_(t: Tensor) -> Tensor:
    return _record_unary(GELU_ERF_, t, "geluerf__out")


def log(t: Tensor) -> Tensor:
    return _record_unary(LOG, t, "log_out")


def log2(t: Tensor) -> Tensor:
    return div(log(t), log(constant(2, t.dtype)))


def negate(t: Tensor) -> Tensor:
    return _record_unary(NEGATE, t, "negate_out")


def relu(t: Tensor) -> Tensor:
    return _record_unary(RELU, t, "relu_out")


def relu_(t: Tensor) -> Tensor:
    return _record_unary(RELU_, t, "relu_inplace_out")


def sign(t: Tensor) -> Tensor:
    """-1, 0 or 1; 0 for NaN."""
    return _record_unary(SIGN, t, "sign_out")


def sin(t: Tensor) -> Tensor:
    return _record_unary(SIN, t, "sin_out")


def sqrt(t: Tensor) -> Tensor:
    return _record_unary(SQRT, t, "sqrt_out")


def swish(t: Tensor) -> Tensor:
    """`t * sigmoid(t)`."""
    return _record_unary(SWISH, t, "swish_out")


def swish_(t: Tensor) -> Tensor:
    return _record_unary(SWISH_, t, "swish__out")


def tanh(t: Tensor) -> Tensor:
    return _record_unary(TANH, t, "tanh_out")


# Arithmetic of two operands.


def _binary(name: str):
    return lambda e, op, a, b: e.binary(name, a, b)


def _power(e: Emitter, op: Op, base: Value, exponent: Value) -> Value:
    return e.binary("pow", base, e.cast(exponent, base.dtype))


ADD = OpKind("Add", _binary("add"))
ADD_ = OpKind("AddLhsInplace", _binary("add"), inplace=0)
SUB = OpKind("Sub", _binary("sub"), cls="SubtractOp")
MUL = OpKind("Mul", _binary("mul"))
DIV = OpKind("Div", _binary("div"))
FMOD = OpKind("Fmod", _binary("rem"))
POW = OpKind("Pow", _power)


def _record_binary(kind: OpKind, lhs: Tensor, rhs: Tensor, name: str) -> Tensor:
    check(lhs=lhs, rhs=rhs)
    check_same_dtype(kind.type, lhs, rhs)
    shape = broadcast(kind.type, lhs.shape, rhs.shape)
    return record(kind, [lhs, rhs], Spec(shape, lhs.dtype, name))


def add(lhs: Tensor, rhs: Tensor) -> Tensor:
    return _record_binary(ADD, lhs, rhs, "add_out")


def add_(lhs: Tensor, rhs: Tensor) -> Tensor:
    """Add `rhs` to `lhs`."""
    check(lhs=lhs, rhs=rhs)
    check_same_dtype("Add", lhs, rhs)
    if broadcast("Add", lhs.shape, rhs.shape) != lhs.shape:
        from popxl.errors import popart_exception

        raise popart_exception(f"The sum of {lhs} and {rhs} has another shape than {lhs}.")
    return record(ADD_, [lhs, rhs], Spec(lhs.shape, lhs.dtype, "add_lhs_inplace_out"))


def sub(lhs: Tensor, rhs: Tensor) -> Tensor:
    return _record_binary(SUB, lhs, rhs, "sub_out")


def mul(lhs: Tensor, rhs: Tensor) -> Tensor:
    return _record_binary(MUL, lhs, rhs, "mul_out")


def div(lhs: Tensor, rhs: Tensor) -> Tensor:
    """The quotient; of integers, rounded towards zero."""
    return _record_binary(DIV, lhs, rhs, "div_out")


def fmod(lhs: Tensor, rhs: Tensor) -> Tensor:
    """The remainder, with the sign of `lhs`."""
    return _record_binary(FMOD, lhs, rhs, "fmod_out")


def pow(t: Tensor, e: Union[float, Tensor]) -> Tensor:
    """`t` to the power of `e`. A number becomes a constant of its own type."""
    check(t=t)
    if not isinstance(e, Tensor):
        e = constant(e)
    check(t=t, e=e)
    shape = broadcast("Pow", t.shape, e.shape)
    return record(POW, [t, e], Spec(shape, t.dtype, "pow_out"))


def _chain(name: str):
    def emit(e: Emitter, op: Op, *values: Value) -> Value:
        result = values[0]
        for v in values[1:]:
            result = e.binary(name, result, v)
        return result

    return emit


MAXIMUM = OpKind("Max", _chain("max"))


def maximum(*ts: Tensor) -> Tensor:
    """The elementwise maximum of tensors."""
    ts = check_all(ts)
    check_same_dtype("Max", *ts)
    shape = broadcast("Max", *(t.shape for t in ts))
    return record(MAXIMUM, ts, Spec(shape, ts[0].dtype, "maximum_out"))


def _clip(e: Emitter, op: Op, x: Value) -> Value:
    low, high = op["min"], op["max"]
    # The limits come first: a maximum with NaN is NaN.
    if low != -math.inf:
        x = e.binary("max", x, low)
    return x if high == math.inf else e.binary("min", x, high)


CLIP = OpKind("Clip", _clip)


def clip(t: Tensor, min: float = -math.inf, max: float = math.inf) -> Tensor:
    check(t=t)
    return record(CLIP, [t], Spec(t.shape, t.dtype, "clip_out"), min=min, max=max)


clamp = clip

INCREMENT_MOD = OpKind(
    "IncrementMod",
    lambda e, op, x: e.binary("rem", x + op["increment"], op["modulus"]),
)
INCREMENT_MOD_ = _in_place(INCREMENT_MOD)


def increment_mod(t: Tensor, increment: float, modulus: float) -> Tensor:
    """`(t + increment) % modulus`."""
    check(t=t)
    return record(
        INCREMENT_MOD,
        [t],
        Spec(t.shape, t.dtype, "increment_mod_out"),
        increment=increment,
        modulus=modulus,
    )


def increment_mod_(t: Tensor, increment: float, modulus: float) -> Tensor:
    check(t=t)
    return record(
        INCREMENT_MOD_,
        [t],
        Spec(t.shape, t.dtype, "increment_mod__out"),
        increment=increment,
        modulus=modulus,
    )


# Comparisons and logic.


def _compare(name: str):
    def emit(e: Emitter, op: Op, a: Value, b: Value) -> Value:
        common = _common_dtype(a.dtype, b.dtype)
        return e.binary(name, e.cast(a, common), e.cast(b, common))

    return emit


def _common_dtype(a: dtypes.dtype, b: dtypes.dtype) -> dtypes.dtype:
    if a == b:
        return a
    import numpy as np

    return dtypes.dtype.as_dtype(np.promote_types(a.as_numpy(), b.as_numpy()))


def _logical(name: str):
    return lambda e, op, *values: e.pop(
        name, values, op.outputs[0].shape, dtypes.bool
    )


EQUAL = OpKind("Equal", _compare("equal"))
GREATER = OpKind("Greater", _compare("greater"))
AND = OpKind("And", _logical("and"))
OR = OpKind("Or", _logical("or"))
NOT = OpKind("Not", _logical("not"))
IS_NAN = OpKind("IsNaN", _unary("is_nan"), cls="IsNaN")
IS_INF = OpKind("IsInf", _unary("is_inf"), cls="IsInf")


def _predicate(kind: OpKind, lhs: Tensor, rhs: Tensor, name: str) -> Tensor:
    shape = broadcast(kind.type, lhs.shape, rhs.shape)
    return record(kind, [lhs, rhs], Spec(shape, dtypes.bool, name))


def equal(lhs: Tensor, rhs: Tensor) -> Tensor:
    check(lhs=lhs, rhs=rhs)
    return _predicate(EQUAL, lhs, rhs, "equal_out")


def greater(input: Tensor, other: Tensor) -> Tensor:
    check(input=input, other=other)
    return _predicate(GREATER, input, other, "greater_out")


def logical_and(lhs: Tensor, rhs: Tensor) -> Tensor:
    check(lhs=lhs, rhs=rhs)
    lhs, rhs = cast_if_needed(lhs, dtypes.bool), cast_if_needed(rhs, dtypes.bool)
    return _predicate(AND, lhs, rhs, "logical_and_out")


def logical_or(lhs: Tensor, rhs: Tensor) -> Tensor:
    check(lhs=lhs, rhs=rhs)
    lhs, rhs = cast_if_needed(lhs, dtypes.bool), cast_if_needed(rhs, dtypes.bool)
    return _predicate(OR, lhs, rhs, "logical_or_out")


def logical_not(t: Tensor) -> Tensor:
    check(t=t)
    t = cast_if_needed(t, dtypes.bool)
    return record(NOT, [t], Spec(t.shape, dtypes.bool, "logical_not_out"))


def isnan(t: Tensor) -> Tensor:
    check(t=t)
    return record(IS_NAN, [t], Spec(t.shape, dtypes.bool, "isnan_out"))


def isinf(t: Tensor) -> Tensor:
    check(t=t)
    return record(IS_INF, [t], Spec(t.shape, dtypes.bool, "isinf_out"))


def isfinite(t: Tensor) -> Tensor:
    return logical_and(logical_not(isinf(t)), logical_not(isnan(t)))


WHERE = OpKind("Where", lambda e, op, c, a, b: e.select(c, a, b))


def where(condition: Tensor, lhs: Tensor, rhs: Tensor) -> Tensor:
    """The elements of `lhs` where the condition holds, and of `rhs` elsewhere."""
    check(condition=condition, lhs=lhs, rhs=rhs)
    condition = cast_if_needed(condition, dtypes.bool)
    check_same_dtype("Where", lhs, rhs)
    shape = broadcast("Where", condition.shape, lhs.shape, rhs.shape)
    return record(WHERE, [condition, lhs, rhs], Spec(shape, lhs.dtype, "where_out"))


# Sums with factors.


def _scaled_add(e: Emitter, op: Op, x: Value, y: Value, *factors: Value) -> Value:
    """`a * x + b * y`, rounded once."""
    wide = dtypes.float32 if x.dtype.is_floating_point else x.dtype
    wide = x.dtype if x.dtype == dtypes.float64 else wide
    factors = iter(factors)

    def scaled(v: Value, factor: Optional[float]) -> Value:
        v = e.cast(v, wide)
        if factor is None:
            return v * e.cast(next(factors), wide)
        if factor == 1:
            return v
        if wide.is_int and factor != int(factor):
            return e.cast(e.cast(v, dtypes.float32) * factor, wide)
        return v * factor

    return e.cast(scaled(x, op["a"]) + scaled(y, op["b"]), x.dtype)


SCALED_ADD = OpKind("ScaledAdd", _scaled_add)
SCALED_ADD_ = OpKind("ScaledAddLhsInplace", _scaled_add, inplace=0)


def _record_scaled_add(kind: OpKind, X, Y, a, b, name: str) -> Tensor:
    tensors = {"X": X, "Y": Y}
    for key, factor in (("a", a), ("b", b)):
        if isinstance(factor, Tensor):
            tensors[key] = factor
    check(**tensors)
    if X.shape != Y.shape:
        from popxl.errors import popart_exception

        raise popart_exception(f"The operands {X} and {Y} of {kind.type} differ in shape.")
    return record(
        kind,
        list(tensors.values()),
        Spec(X.shape, X.dtype, name),
        a=None if isinstance(a, Tensor) else float(a),
        b=None if isinstance(b, Tensor) else float(b),
    )


def scaled_add(
    X: Tensor,
    Y: Tensor,
    a: Union[float, Tensor] = 1.0,
    b: Union[float, Tensor] = 1.0,
) -> Tensor:
    """`a * X + b * Y`."""
    return _record_scaled_add(SCALED_ADD, X, Y, a, b, "scaled_add_out")


def scaled_add_(
    X: Tensor,
    Y: Tensor,
    a: Union[float, Tensor] = 1.0,
    b: Union[float, Tensor] = 1.0,
) -> Tensor:
    check(X=X, Y=Y)
    name = f"scaled_add__{X.name}"
    return _record_scaled_add(SCALED_ADD_, X, Y, a, b, name)


# Copies.

IDENTITY = OpKind("Identity", lambda e, op, x: e.unary("copy", x))
DETACH = OpKind("Detach", lambda e, op, x: e.unary("stop_gradient", x))


def identity(t: Tensor, output_name: Optional[str] = None) -> Tensor:
    check(t=t)
    return record(
        IDENTITY, [t], Spec(t.shape, t.dtype, output_name or f"identity_{t.name}")
    )


rename = identity


def detach(t: Tensor) -> Tensor:
    """The tensor as a constant of differentiation."""
    return _record_unary(DETACH, t, "detach_out")
