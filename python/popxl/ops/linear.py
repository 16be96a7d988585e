# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Products of matrices."""

from typing import Optional, Union

from popxl import dtypes
from popxl._emit import Emitter, Value
from popxl._record import Op, OpKind, Spec, record
from popxl.errors import popart_exception
from popxl.ops.cast import check_log2_scale, power_of_two
from popxl.ops.utils import broadcast, check, check_same_dtype
from popxl.tensor import Tensor


def _matmul(e: Emitter, op: Op, a: Value, b: Value) -> Value:
    result = product(e, op, a, b, a.dtype)
    return e.cast(result, op.outputs[0].dtype)


def product(e: Emitter, op: Op, a: Value, b: Value, dtype: dtypes.dtype) -> Value:
    """The product by the rules of numpy: a vector is a row or a column."""
    if a.rank == 1:
        a = e.reshape(a, (1, *a.shape))
    if b.rank == 1:
        b = e.reshape(b, (*b.shape, 1))
    return e.reshape(e.matmul(a, b, dtype), op.outputs[0].shape)


MATMUL = OpKind("MatMul", _matmul)


def _shape(lhs: Tensor, rhs: Tensor):
    if not lhs.rank or not rhs.rank:
        raise popart_exception(f"The operands {lhs} and {rhs} of MatMul need a dimension.")
    a = (1, *lhs.shape) if lhs.rank == 1 else lhs.shape
    b = (*rhs.shape, 1) if rhs.rank == 1 else rhs.shape
    if a[-1] != b[-2]:
        raise popart_exception(
            f"The last dimension of {lhs} differs from the last but one of {rhs}."
        )
    shape = broadcast("MatMul", a[:-2], b[:-2])
    shape += (a[-2],) * (lhs.rank > 1) + (b[-1],) * (rhs.rank > 1)
    return shape


def matmul(
    lhs: Tensor,
    rhs: Tensor,
    available_memory_proportion: Optional[float] = None,
    output_type: Optional[dtypes.dtype] = None,
    partials_type: Optional[dtypes.dtype] = None,
) -> Tensor:
    """The product of matrices, by the rules of numpy."""
    check(lhs=lhs, rhs=rhs)
    check_same_dtype("MatMul", lhs, rhs)
    check_partials(lhs, partials_type)
    spec = Spec(_shape(lhs, rhs), output_type or lhs.dtype, "matmul_out")
    return record(MATMUL, [lhs, rhs], spec)


def check_partials(t: Tensor, partials_type: Optional[dtypes.dtype]) -> None:
    option = t.ir._options.partialsTypeMatMuls.lower()
    partials = partials_type or {"half": dtypes.float16}.get(option, dtypes.float32)
    if partials not in (dtypes.float16, dtypes.float32):
        raise ValueError(f"Partial sums are float16 or float32, but not {partials}.")


def _matmul_pow2scaled(e: Emitter, op: Op, a: Value, b: Value, scale: Value) -> Value:
    result = product(e, op, a, b, dtypes.float32)
    scale = e.reshape(power_of_two(e, op, scale), ())
    return e.cast(result * scale, op.outputs[0].dtype)


MATMUL_POW2SCALED = OpKind("MatMul", _matmul_pow2scaled)


def matmul_pow2scaled(
    lhs: Tensor,
    rhs: Tensor,
    log2_scale: Union[int, Tensor],
    available_memory_proportion: Optional[float] = None,
) -> Tensor:
    """The product of matrices in fp8, times 2 to the power of `log2_scale`, in
    float16."""
    check(lhs=lhs, rhs=rhs)
    check_fp8(lhs, rhs)
    scale = check_log2_scale(log2_scale)
    spec = Spec(_shape(lhs, rhs), dtypes.float16, "matmul_pow2scaled_out")
    return record(MATMUL_POW2SCALED, [lhs, rhs, scale], spec)


def check_fp8(*ts: Tensor) -> None:
    for t in ts:
        if not t.dtype.is_fp8:
            raise TypeError(f"{t} is not a tensor of fp8.")
