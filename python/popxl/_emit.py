# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Prints ops of `pop`.

An `Emitter` prints the body of a function. Ops are in MLIR's generic form, so that one
function prints all of them. A `Value` is a result, with operators, so that kinds of ops
that consist of several ops of `pop` are formulas.
"""

import math
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple, Union

import numpy as np

from popxl import dtypes

Attributes = Dict[str, str]


def i64(value: int) -> str:
    return f"{int(value)} : i64"


def f64(value: float) -> str:
    return f"{float_literal(value, dtypes.float64)} : f64"


def array(values: Sequence[int]) -> str:
    values = [int(v) for v in values]
    return f"array<i64: {', '.join(map(str, values))}>" if values else "array<i64>"


def enum(name: str, value: str) -> str:
    return f"#pop<{name} {value}>"


def string(text: str) -> str:
    """A string literal, with the escapes of MLIR."""
    if text.isascii() and text.isprintable() and '"' not in text and "\\" not in text:
        return f'"{text}"'
    return '"' + "".join(
        chr(b) if 32 <= b < 127 and b not in b'"\\' else f"\\{b:02X}"
        for b in text.encode()
    ) + '"'


def symbol(name: str) -> str:
    return "@" + string(name)


def tensor_type(shape: Sequence[int], dtype: dtypes.dtype) -> str:
    return "tensor<" + "".join(f"{d}x" for d in shape) + dtype.mlir + ">"


def ref_type(shape: Sequence[int], dtype: dtypes.dtype) -> str:
    return "!pop.ref<" + "".join(f"{d}x" for d in shape) + dtype.mlir + ">"


def float_literal(value: float, dtype: dtypes.dtype) -> str:
    value = float(np.asarray(value, dtype.as_numpy()))
    if math.isfinite(value):
        text = repr(value)
        return text.replace("e", ".0e") if "e" in text and "." not in text else text
    bits = np.asarray(value, dtype.as_numpy()).view(f"u{dtype.nbytes}")
    return f"0x{int(bits):0{2 * dtype.nbytes}X}"


def literal_of(element: Any, dtype: dtypes.dtype) -> str:
    """An element of a tensor."""
    if dtype == dtypes.bool:
        return "true" if element else "false"
    if dtype.is_fp8:
        return f"0x{int(element[0]):02X}"
    if dtype.is_floating_point:
        return float_literal(element, dtype)
    return str(int(element))


def _dictionary(attributes: Attributes) -> str:
    """Attributes behind an op."""
    if not attributes:
        return ""
    return f" {{{', '.join(f'{k} = {v}' for k, v in attributes.items())}}}"


class Value:
    """An SSA value: a tensor, or a ref to one."""

    __slots__ = ("emitter", "name", "shape", "dtype", "is_ref")

    def __init__(self, emitter, name: str, shape, dtype, is_ref: bool = False):
        self.emitter = emitter
        self.name = name
        self.shape = tuple(shape)
        self.dtype = dtype
        self.is_ref = is_ref

    @property
    def type(self) -> str:
        make = ref_type if self.is_ref else tensor_type
        return make(self.shape, self.dtype)

    @property
    def rank(self) -> int:
        return len(self.shape)

    def __add__(self, other):
        return self.emitter.binary("add", self, other)

    def __radd__(self, other):
        return self.emitter.binary("add", other, self)

    def __sub__(self, other):
        return self.emitter.binary("sub", self, other)

    def __rsub__(self, other):
        return self.emitter.binary("sub", other, self)

    def __mul__(self, other):
        return self.emitter.binary("mul", self, other)

    def __rmul__(self, other):
        return self.emitter.binary("mul", other, self)

    def __truediv__(self, other):
        return self.emitter.binary("div", self, other)

    def __rtruediv__(self, other):
        return self.emitter.binary("div", other, self)

    def __neg__(self):
        return self.emitter.unary("neg", self)


Operand = Union[Value, float, int]

#: The ops whose result is a truth value.
_PREDICATES = {
    "equal",
    "not_equal",
    "greater",
    "greater_equal",
    "less",
    "less_equal",
    "is_nan",
    "is_inf",
}


class Emitter:
    """Prints ops at the end of a function."""

    def __init__(self, module):
        #: Has the locations and the resources of the module.
        self.module = module
        self.lines: List[str] = []
        self.indent = "    "
        self._count = 0
        #: The location and the placement of the next ops.
        self.location = "loc(unknown)"
        self.placement: Attributes = {}

    # Any op.

    def name(self) -> str:
        self._count += 1
        return f"%{self._count}"

    def line(self, text: str) -> None:
        self.lines.append(f"{self.indent}{text} {self.location}")

    def op(
        self,
        name: str,
        operands: Sequence[Value] = (),
        results: Sequence[Tuple[Sequence[int], dtypes.dtype]] = (),
        attributes: Optional[Attributes] = None,
        ref: bool = False,
    ) -> Tuple[Value, ...]:
        """Print an op. With `ref`, the results are refs."""
        values = tuple(Value(self, self.name(), s, t, ref) for s, t in results)
        text = f"{', '.join(v.name for v in values)} = " if values else ""
        text += f'"{name}"({", ".join(v.name for v in operands)})'
        text += _dictionary({**(attributes or {}), **self.placement})
        types = ", ".join(v.type for v in values)
        text += f" : ({', '.join(v.type for v in operands)}) -> "
        self.line(text + (types if len(values) == 1 else f"({types})"))
        return values

    def region_op(
        self,
        name: str,
        operands: Sequence[Tuple[str, str]],
        results: Sequence[Tuple[Sequence[int], dtypes.dtype]],
        bodies: Sequence[Callable[[], None]],
        arguments: str = "",
        attributes: Optional[Attributes] = None,
    ) -> Tuple[Value, ...]:
        """Print an op with regions. Operands are names and types, each body prints a
        region, and `arguments` are those of the blocks."""
        values = tuple(Value(self, self.name(), s, t) for s, t in results)
        head = f"{', '.join(v.name for v in values)} = " if values else ""
        names = ", ".join(operand for operand, _ in operands)
        self.lines.append(f'{self.indent}{head}"{name}"({names}) ({{')
        saved, location = self.indent, self.location
        for i, body in enumerate(bodies):
            if i:
                self.lines.append(f"{saved}}}, {{")
            if arguments:
                self.lines.append(f"{saved}^bb0({arguments}):")
            self.indent = saved + "  "
            body()
        self.indent, self.location = saved, location
        types = ", ".join(v.type for v in values)
        self.line(
            f"}}){_dictionary(attributes or {})} : "
            f"({', '.join(type for _, type in operands)}) -> "
            + (types if len(values) == 1 else f"({types})")
        )
        return values

    def function(
        self, name: str, arguments: Sequence[Value], result: Value, attributes: str = ""
    ) -> str:
        """All ops as a function with one result."""
        self.op("func.return", (result,))
        formals = ", ".join(f"%arg{i}: {v.type}" for i, v in enumerate(arguments))
        head = f"  func.func private {symbol(name)}({formals}) -> {result.type}"
        return "\n".join([f"{head}{attributes} {{", *self.lines, "  }"])

    def pop(
        self,
        name: str,
        operands: Sequence[Value],
        shape: Sequence[int],
        dtype: dtypes.dtype,
        **attributes: str,
    ) -> Value:
        """Print an op of `pop` with one result."""
        return self.op(f"pop.{name}", operands, [(shape, dtype)], attributes)[0]

    # Constants.

    def constant(self, data: Any, dtype: Optional[dtypes.dtype] = None) -> Value:
        data = np.asarray(data, dtype and dtype._np)
        dtype = dtype or dtypes.dtype.as_dtype(data.dtype)
        return self.pop(
            "constant", (), data.shape, dtype, value=self.module.elements(data, dtype)
        )

    def full(self, value: Any, shape: Sequence[int], dtype: dtypes.dtype) -> Value:
        literal = literal_of(np.asarray(value, dtype._np)[()], dtype)
        text = f"dense<{literal}> : {tensor_type(shape, dtype)}"
        return self.pop("constant", (), shape, dtype, value=text)

    def scalar(self, value: Operand, dtype: dtypes.dtype) -> Value:
        return value if isinstance(value, Value) else self.full(value, (), dtype)

    # Elementwise.

    def unary(self, name: str, x: Value, **attributes: str) -> Value:
        dtype = dtypes.bool if name in _PREDICATES else x.dtype
        return self.pop(name, (x,), x.shape, dtype, **attributes)

    def binary(self, name: str, a: Operand, b: Operand) -> Value:
        dtype = a.dtype if isinstance(a, Value) else b.dtype
        a, b = self.scalar(a, dtype), self.scalar(b, dtype)
        shape = np.broadcast_shapes(a.shape, b.shape)
        result = dtypes.bool if name in _PREDICATES else dtype
        return self.pop(name, (a, b), shape, result)

    def select(self, condition: Value, a: Operand, b: Operand) -> Value:
        dtype = a.dtype if isinstance(a, Value) else b.dtype
        a, b = self.scalar(a, dtype), self.scalar(b, dtype)
        shape = np.broadcast_shapes(condition.shape, a.shape, b.shape)
        return self.pop("select", (condition, a, b), shape, dtype)

    def cast(self, x: Value, dtype: dtypes.dtype) -> Value:
        return x if x.dtype == dtype else self.pop("cast", (x,), x.shape, dtype)

    def truth(self, x: Value) -> Value:
        return x if x.dtype == dtypes.bool else self.binary("not_equal", x, 0)

    # Shapes.

    def reshape(self, x: Value, shape: Sequence[int]) -> Value:
        shape = tuple(shape)
        return x if shape == x.shape else self.pop("reshape", (x,), shape, x.dtype)

    def transpose(self, x: Value, permutation: Sequence[int]) -> Value:
        if list(permutation) == list(range(x.rank)):
            return x
        shape = [x.shape[i] for i in permutation]
        return self.pop(
            "transpose", (x,), shape, x.dtype, permutation=array(permutation)
        )

    def move_axis(self, x: Value, source: int, target: int) -> Value:
        order = [i for i in range(x.rank) if i != source]
        order.insert(target, source)
        return self.transpose(x, order)

    def slice(self, x: Value, starts, sizes, steps=None) -> Value:
        steps = steps or [1] * x.rank
        return self.pop(
            "slice",
            (x,),
            sizes,
            x.dtype,
            starts=array(starts),
            sizes=array(sizes),
            steps=array(steps),
        )

    def take(self, x: Value, axis: int, start: int, size: int) -> Value:
        """The positions from `start` of one axis."""
        starts, sizes = [0] * x.rank, list(x.shape)
        starts[axis], sizes[axis] = start, size
        return x if sizes == list(x.shape) else self.slice(x, starts, sizes)

    def expand(self, x: Value, shape: Sequence[int]) -> Value:
        shape = tuple(shape)
        return x if shape == x.shape else self.pop("expand", (x,), shape, x.dtype)

    def concat(self, values: Sequence[Value], axis: int) -> Value:
        if len(values) == 1:
            return values[0]
        shape = list(values[0].shape)
        shape[axis] = sum(v.shape[axis] for v in values)
        return self.pop("concat", values, shape, values[0].dtype, axis=i64(axis))

    def pad(self, x: Value, low, high, value: float = 0) -> Value:
        if not any(low) and not any(high):
            return x
        shape = [d + a + b for d, a, b in zip(x.shape, low, high)]
        literal = (
            float_literal(value, x.dtype) if x.dtype.is_floating_point else int(value)
        )
        return self.pop(
            "pad",
            (x,),
            shape,
            x.dtype,
            low=array(low),
            high=array(high),
            value=f"{literal} : {x.dtype.mlir}",
        )

    def iota(self, shape: Sequence[int], axis: int, dtype=dtypes.int32) -> Value:
        """Numbers that count along an axis; other dimensions have size 1."""
        view = [1] * len(shape)
        view[axis] = shape[axis]
        return self.constant(np.arange(shape[axis], dtype=dtype._np).reshape(view))

    # Reductions and products.

    def reduce(
        self, kind: str, x: Value, axes: Sequence[int], keepdims: bool = False
    ) -> Value:
        axes = sorted(axes)
        shape = [d for i, d in enumerate(x.shape) if i not in axes]
        result = x
        if axes:
            result = self.pop(
                "reduce",
                (x,),
                shape,
                x.dtype,
                kind=enum("reduce_kind", kind),
                axes=array(axes),
            )
        if keepdims:
            shape = [1 if i in axes else d for i, d in enumerate(x.shape)]
            result = self.reshape(result, shape)
        return result

    def matmul(self, a: Value, b: Value, dtype=None, **attributes: str) -> Value:
        """A product of matrices, not of vectors."""
        shape = np.broadcast_shapes(a.shape[:-2], b.shape[:-2])
        shape += (a.shape[-2], b.shape[-1])
        return self.pop("matmul", (a, b), shape, dtype or a.dtype, **attributes)

    def gather(self, table: Value, indices: Value, batch_dims: int = 0) -> Value:
        shape = indices.shape + table.shape[batch_dims + 1 :]
        attributes = {"batch_dims": i64(batch_dims)} if batch_dims else {}
        return self.pop("gather", (table, indices), shape, table.dtype, **attributes)

    def scatter(
        self, kind: str, x: Value, indices: Value, updates: Value, batch_dims: int = 0
    ) -> Value:
        attributes = {"batch_dims": i64(batch_dims)} if batch_dims else {}
        return self.pop(
            "scatter",
            (x, indices, updates),
            x.shape,
            x.dtype,
            kind=enum("scatter_kind", kind),
            **attributes,
        )

    # Refs.

    def read(self, ref: Value) -> Value:
        return self.pop("read", (ref,), ref.shape, ref.dtype)

    def write(self, ref: Value, value: Value) -> None:
        self.op("pop.copy_", (ref, value))

    def ref(self, name: str, operands, shape, dtype, **attributes: str) -> Value:
        return self.op(f"pop.{name}", operands, [(shape, dtype)], attributes, ref=True)[0]

    def from_tensor(self, x: Value) -> Value:
        return self.ref("from_tensor", (x,), x.shape, x.dtype)
