# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Classes of PopART's IR. An instance of a class of ops is any record of an op of the
class (`popxl._internals`)."""

from popxl._internals import (
    Graph,
    Ir,
    SessionOptions,
    Tensor,
    TensorInfo,
    TensorType,
    op_class,
)
from popxl._record import Op
from popxl.tensor_location import ExecutionContext, TileSet


class PatternsLevel:
    NoPatterns = 0
    Minimal = 1
    Default = 2
    All = 3


class patterns:
    """Patterns of PopART, which has no influence on the compiler."""

    PatternsLevel = PatternsLevel

    class Patterns:
        def __init__(self, level: int = PatternsLevel.Default):
            self.level = level


class _OpClasses:
    """All classes of ops; they are made on demand."""

    def __getattr__(self, name: str):
        if not name[:1].isupper():
            raise AttributeError(name)
        setattr(self, name, op_class(name))
        return getattr(self, name)


op = _OpClasses()
for _module in ("collectives", "dynamic", "exchange"):
    setattr(op, _module, op)
