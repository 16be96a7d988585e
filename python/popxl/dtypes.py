# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Element types of tensors."""

import builtins
import sys
from typing import Any, Dict, Optional

import numpy as np

__all__ = ["dtype"]

#: fp8 on the host: structured dtypes of one byte.
np_dtype_float8_143 = np.dtype([("float8_143", "u1")])
np_dtype_float8_152 = np.dtype([("float8_152", "u1")])

_NAME_TO_POPXL: Dict[str, "dtype"] = {}
_NP_TO_POPXL: Dict[np.dtype, "dtype"] = {}
_PY_TO_POPXL: Dict[type, "dtype"] = {}


class dtype:
    """The type of the elements of a tensor. The module has all its objects."""

    def __new__(cls, *args, **kwargs):
        raise TypeError(f"Cannot create instances of '{cls.__module__}.{cls.__name__}'.")

    @property
    def name(self) -> str:
        return self._name

    @property
    def is_complex(self) -> builtins.bool:
        return self._kind == "c"

    @property
    def is_int(self) -> builtins.bool:
        return self._kind in "iu"

    @property
    def is_floating_point(self) -> builtins.bool:
        return self._kind == "f"

    @property
    def is_signed(self) -> builtins.bool:
        return self._kind in "ifc"

    @property
    def is_fp8(self) -> builtins.bool:
        return self._name.startswith("float8")

    @property
    def mlir(self) -> str:
        """The element type in MLIR."""
        if self._mlir is None:
            raise TypeError(f"The device has no tensors of {self}.")
        return self._mlir

    @property
    def nbytes(self) -> int:
        """The size of an element on the host."""
        return self._np.itemsize

    def as_numpy(self) -> np.dtype:
        """The corresponding dtype of numpy."""
        return self._np if self.is_fp8 else self._np.type

    def as_torch(self) -> Any:
        """The corresponding dtype of torch."""
        import torch

        if self._torch is None:
            raise TypeError(f"{self} has no counterpart in torch.")
        return getattr(torch, self._torch)

    @classmethod
    def as_dtype(cls, type_value: Any) -> "dtype":
        """The dtype that a name, a type of Python, a dtype of numpy or torch, an
        array or a torch tensor stands for."""
        if isinstance(type_value, cls):
            return type_value
        if isinstance(type_value, str) and type_value in _NAME_TO_POPXL:
            return _NAME_TO_POPXL[type_value]
        for table in (_PY_TO_POPXL, _torch_dtypes()):
            try:
                if type_value in table:
                    return table[type_value]
            except (TypeError, ValueError):  # Lists and arrays have no hash.
                pass
        try:
            return _NP_TO_POPXL[np.dtype(type_value)]
        except (TypeError, KeyError, ValueError):
            pass
        if hasattr(type_value, "dtype"):
            return cls.as_dtype(type_value.dtype)
        raise ValueError(f"No popxl dtype corresponds to {type_value!r}.")

    @classmethod
    def from_name(cls, name: str) -> "dtype":
        if name not in _NAME_TO_POPXL:
            raise ValueError(f"No popxl dtype has the name '{name}'.")
        return _NAME_TO_POPXL[name]

    def __repr__(self) -> str:
        return f"popxl.dtypes.{self._name}"

    def __reduce__(self):
        return dtype.from_name, (self._name,)

    def __deepcopy__(self, memo):
        return self


def _define(
    name: str,
    np_dtype: Any,
    mlir: Optional[str],
    torch: Optional[str] = None,
    python: Optional[type] = None,
) -> dtype:
    result = object.__new__(dtype)
    result._name = name
    result._np = np.dtype(np_dtype)
    result._kind = "f" if name.startswith("float8") else result._np.kind
    result._mlir = mlir
    result._torch = torch
    _NAME_TO_POPXL[name] = _NP_TO_POPXL[result._np] = result
    if python is not None:
        _PY_TO_POPXL[python] = result
    __all__.append(name)
    return result


bool = _define("bool", "bool", "i1", "bool", builtins.bool)
int8 = _define("int8", "int8", "i8", "int8")
int16 = _define("int16", "int16", "i16", "int16")
int32 = _define("int32", "int32", "i32", "int32")
int64 = _define("int64", "int64", "i64", "int64", builtins.int)
uint8 = _define("uint8", "uint8", "ui8", "uint8")
uint16 = _define("uint16", "uint16", "ui16")
uint32 = _define("uint32", "uint32", "ui32")
uint64 = _define("uint64", "uint64", "ui64")
float8_143 = _define("float8_143", np_dtype_float8_143, "f8E4M3FNUZ")
float8_152 = _define("float8_152", np_dtype_float8_152, "f8E5M2FNUZ")
float16 = _define("float16", "float16", "f16", "float16")
float32 = _define("float32", "float32", "f32", "float32", builtins.float)
float64 = _define("float64", "float64", "f64", "float64")
complex64 = _define("complex64", "complex64", None, "complex64")
complex128 = _define("complex128", "complex128", None, "complex128")

half, float, double = float16, float32, float64
__all__ += ["half", "float", "double"]



def _torch_dtypes() -> Dict[Any, dtype]:
    """The dtypes by those of torch, which takes seconds to import: without it, a
    program has no values of torch."""
    torch = sys.modules.get("torch")
    if torch is None:
        return {}
    return {
        getattr(torch, t._torch): t
        for t in _NAME_TO_POPXL.values()
        if t._torch is not None
    }


def __getattr__(name: str) -> Any:
    if name == "_PT_TO_POPXL":
        return _torch_dtypes()
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
