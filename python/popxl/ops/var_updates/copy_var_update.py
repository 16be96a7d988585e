# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Assignment."""

from popxl._record import OpKind, Spec, record
from popxl.errors import popart_exception
from popxl.ops.utils import check, check_same_dtype
from popxl.tensor import Tensor

COPY_VAR_UPDATE = OpKind("CopyVarUpdate", lambda e, op, r, x: x, inplace=0)


def copy_var_update_(t: Tensor, X: Tensor) -> Tensor:
    """`t = X`."""
    check(t=t, X=X)
    check_same_dtype("CopyVarUpdate", t, X)
    if t.shape != X.shape:
        raise popart_exception(f"{X} does not have the shape of {t}.")
    spec = Spec(t.shape, t.dtype, f"updated__{t.name}", t.meta_shape)
    return record(COPY_VAR_UPDATE, [t, X], spec)
