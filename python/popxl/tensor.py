# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tensors of graphs, and the functions that create tensors without ops."""

import math
import operator
from collections.abc import Mapping
from typing import Any, Iterable, List, NewType, Optional, Sequence, Tuple, Union

import numpy as np

from popxl import dtypes
from popxl.errors import UndefinedValue
from popxl.utils import to_numpy

ScalarType = Union[int, float, bool]
HostTensor = Union[np.ndarray, Iterable[ScalarType]]
HostScalarTensor = Union[ScalarType, HostTensor]
TensorLike = Union["Tensor", HostTensor]


class TensorSpec(Mapping):
    """The type of a tensor."""

    def __init__(
        self,
        shape: Sequence[int],
        dtype: dtypes.dtype,
        meta_shape: Sequence[int] = (),
    ):
        self.shape = tuple(shape)
        self.dtype = dtype
        self.meta_shape = tuple(meta_shape or ())

    def __getitem__(self, key: str) -> Any:
        if key not in ("shape", "dtype", "meta_shape"):
            raise KeyError(key)
        return getattr(self, key)

    def __iter__(self):
        return iter(("shape", "dtype", "meta_shape"))

    def __len__(self) -> int:
        return 3

    def __eq__(self, other) -> bool:
        return isinstance(other, TensorSpec) and tuple(self.values()) == tuple(
            other.values()
        )

    def __hash__(self) -> int:
        return hash(tuple(self.values()))

    def __repr__(self) -> str:
        return (
            f"TensorSpec(shape={self.shape}, dtype={self.dtype}, "
            f"meta_shape={self.meta_shape})"
        )


class Tensor:
    """A tensor of a graph."""

    # Arrays leave operators such as `array @ tensor` to the tensor.
    __array_ufunc__ = None
    __iter__ = None
    __contains__ = None

    def __init__(self):
        raise RuntimeError("Tensors are created by ops, 'popxl.variable' and others.")

    @classmethod
    def _create(cls, graph, id: str, shape, dtype, meta_shape=()) -> "Tensor":
        self = cls.__new__(cls)
        self._graph = graph
        self._id = id
        self._shape = tuple(int(d) for d in shape)
        self._dtype = dtype
        self._meta_shape = tuple(int(d) for d in meta_shape or ())
        self._producer = None
        self._consumers = []
        self._pb_kind = "ActGrad"
        return self

    @property
    def id(self) -> str:
        return self._id

    @property
    def name(self) -> str:
        """The id without the scope of the graph."""
        if self._graph is self._graph.main_graph:
            return self._id
        return self._id[len(self._graph.id) + 1 :]

    @property
    def scope(self) -> str:
        return self._id.rpartition("/")[0]

    @property
    def dtype(self) -> dtypes.dtype:
        return self._dtype

    @property
    def shape(self) -> Tuple[int, ...]:
        return self._shape

    @property
    def meta_shape(self) -> Tuple[int, ...]:
        """The shape of the tensor of which this is a part, or ()."""
        return self._meta_shape

    @property
    def spec(self) -> TensorSpec:
        return TensorSpec(self.shape, self.dtype, self.meta_shape)

    @property
    def rank(self) -> int:
        return len(self._shape)

    @property
    def nelms(self) -> int:
        return math.prod(self._shape)

    @property
    def ir(self):
        return self._graph.ir

    @property
    def in_sync_with_ipu(self) -> bool:
        """Whether the host has the value of the device."""
        return True

    @property
    def location_info(self):
        from popxl.tensor_location import TensorLocation

        return TensorLocation()

    def strides(self, shape: Optional[Sequence[int]] = None) -> Tuple[int, ...]:
        """The bytes between neighbours of each dimension."""
        shape = self.shape if shape is None else tuple(shape)
        return tuple(
            math.prod(shape[i + 1 :]) * self.dtype.nbytes for i in range(len(shape))
        )

    def _placed_op(self):
        """The op that says where the tensor is: the producer or the first consumer."""
        return self._producer or next(iter(self._consumers), None)

    def _get_ipu_and_tile_set(
        self,
        raise_on_undefined_tile_set: bool = True,
        raise_on_undefined_ipu: bool = True,
    ) -> Tuple[int, str]:
        op = self._placed_op()
        if op is not None:
            return op.ipu, op.tile_set
        if raise_on_undefined_ipu:
            raise UndefinedValue(f"The IPU of {self} is not defined yet.")
        if raise_on_undefined_tile_set:
            raise UndefinedValue(f"The tile set of {self} is not defined yet.")
        return -1, "undefined"

    @property
    def ipu(self) -> int:
        return self._get_ipu_and_tile_set(raise_on_undefined_tile_set=False)[0]

    @property
    def tile_set(self) -> str:
        return self._get_ipu_and_tile_set(raise_on_undefined_ipu=False)[1]

    # Ops.

    def transpose(self, permutation: Optional[Sequence[int]] = None) -> "Tensor":
        return _ops().transpose(self, permutation)

    def transpose_(self, permutation: Optional[Sequence[int]] = None) -> "Tensor":
        return _ops().transpose_(self, permutation)

    @property
    def T(self) -> "Tensor":
        return self.transpose()

    @property
    def T_(self) -> "Tensor":
        return self.transpose_()

    def reshape(self, shape: Sequence[int]) -> "Tensor":
        return _ops().reshape(self, shape)

    def reshape_(self, shape: Sequence[int]) -> "Tensor":
        return _ops().reshape_(self, shape)

    def flatten(self) -> "Tensor":
        return _ops().flatten(self)

    def flatten_(self) -> "Tensor":
        return _ops().flatten_(self)

    def detach(self) -> "Tensor":
        return _ops().detach(self)

    def detach_(self) -> "Tensor":
        return _ops().detach_(self)

    def diag(self) -> "Tensor":
        """The diagonal of a matrix."""
        if self.rank != 2:
            raise ValueError(f"Only a matrix has a diagonal, but {self} is none.")
        n = min(self.shape)
        flat = self[:n, :n].reshape((n * n,))
        return _ops().subsample(flat, [n + 1])

    def copy_to_ipu(self, dst: int, src: Optional[int] = None) -> "Tensor":
        return _ops().ipu_copy(self, dst, src)

    def _ensure_tensor(
        self, value: Any, dtype: Optional[dtypes.dtype] = None
    ) -> "Tensor":
        """Make a value a constant of the type of this tensor, unless it is a tensor."""
        if isinstance(value, Tensor):
            return value
        data = to_numpy(value, dtype or self.dtype)
        if data.size == 0:
            raise ValueError(f"The operand {value!r} has no elements.")
        return constant(data, dtype or self.dtype)

    def __add__(self, other):
        return _ops().add(self, self._ensure_tensor(other))

    def __radd__(self, other):
        return _ops().add(self._ensure_tensor(other), self)

    def __iadd__(self, other):
        _ops().add_(self, self._ensure_tensor(other))
        return self

    def __sub__(self, other):
        return _ops().sub(self, self._ensure_tensor(other))

    def __rsub__(self, other):
        return _ops().sub(self._ensure_tensor(other), self)

    def __mul__(self, other):
        return _ops().mul(self, self._ensure_tensor(other))

    def __rmul__(self, other):
        return _ops().mul(self._ensure_tensor(other), self)

    def __truediv__(self, other):
        return _ops().div(self, self._ensure_tensor(other))

    def __rtruediv__(self, other):
        return _ops().div(self._ensure_tensor(other), self)

    def __mod__(self, other):
        return _ops().fmod(self, self._ensure_tensor(other))

    def __rmod__(self, other):
        return _ops().fmod(self._ensure_tensor(other), self)

    def __pow__(self, other):
        return _ops().pow(self, other)

    def __rpow__(self, other):
        return _ops().pow(constant(other), self)

    def __neg__(self):
        return _ops().negate(self)

    def __matmul__(self, other):
        return _ops().matmul(self, self._ensure_tensor(other))

    def __rmatmul__(self, other):
        return _ops().matmul(self._ensure_tensor(other), self)

    def __and__(self, other):
        return _ops().logical_and(self, self._ensure_tensor(other, dtypes.bool))

    def __rand__(self, other):
        return _ops().logical_and(self._ensure_tensor(other, dtypes.bool), self)

    def __or__(self, other):
        return _ops().logical_or(self, self._ensure_tensor(other, dtypes.bool))

    def __ror__(self, other):
        return _ops().logical_or(self._ensure_tensor(other, dtypes.bool), self)

    def __invert__(self):
        return _ops().logical_not(self)

    def __getitem__(self, key) -> "Tensor":
        if isinstance(key, tuple) and any(isinstance(k, (list, tuple)) for k in key):
            key = list(key)
        if isinstance(key, (int, np.integer, slice, tuple)) and not isinstance(key, bool):
            return self._slice(key if isinstance(key, tuple) else (key,))
        if isinstance(key, (bool, str, float)) or key is None:
            raise TypeError(f"{key!r} is not an index of a tensor.")
        if not isinstance(key, Tensor):
            key = constant(key)
        if key.dtype.is_int:
            return _ops().gather(self, key)
        if key.dtype == dtypes.bool:
            return _ops().where(key, self, self._ensure_tensor(0))
        raise TypeError(f"The tensor {key} is not an index of a tensor.")

    def _slice(self, keys: Tuple) -> "Tensor":
        if len(keys) > self.rank:
            raise ValueError(f"{self} has fewer dimensions than the {len(keys)} indices.")
        starts, stops, steps, strides = [], [], [], []
        for axis, key in enumerate(keys):
            if isinstance(key, slice):
                step = 1 if key.step is None else operator.index(key.step)
                starts.append(key.start)
                stops.append(key.stop)
                steps.append(-1 if step < 0 else 1)
                strides.append(abs(step))
            elif isinstance(key, (int, np.integer)) and not isinstance(key, bool):
                starts.append(int(key))
                stops.append(None if key == -1 else int(key) + 1)
                steps.append(1)
                strides.append(1)
            else:
                raise TypeError(f"{key!r} is not an index of a dimension.")
        axes = list(range(len(keys)))
        out = _ops().slice(self, starts, stops, steps, axes)
        if any(s != 1 for s in strides):
            out = _ops().subsample(out, strides)
        squeezed = [axis for axis, key in enumerate(keys) if not isinstance(key, slice)]
        if squeezed:
            shape = [d for axis, d in enumerate(out.shape) if axis not in squeezed]
            out = out.reshape(shape)
        return out

    def __len__(self) -> int:
        if not self.shape:
            raise ValueError("A scalar has no length.")
        return self.shape[0]

    def __eq__(self, other) -> bool:
        return self is other

    def __hash__(self) -> int:
        return hash((self._id, self._graph.ir.id))

    def __repr__(self) -> str:
        return f"Tensor[{self.id} {self.dtype} {self.shape}]"

    @property
    def _pb_tensor(self):
        from popxl import _internals

        return _internals.Tensor(self)

    @staticmethod
    def _from_pb_tensor(pb_tensor) -> "Tensor":
        return pb_tensor.tensor


#: Annotates a parameter of a graph function: the graph may write the tensor of its
#: caller. Annotations are compared by identity.
TensorByRef = NewType("TensorByRef", Tensor)


def by_ref_annotation(annotation: Any) -> bool:
    return annotation is TensorByRef or annotation in (
        List[TensorByRef],
        Tuple[TensorByRef],
        Tuple[TensorByRef, ...],
        Iterable[TensorByRef],
    )


class _DataTensor(Tensor):
    """A tensor with a value on the host."""

    _data: np.ndarray

    def copy_to_ipu(self, dst: int, src: int) -> Tensor:
        """Copy the tensor. It has no op that says where it is, so `src` is needed."""
        return _ops().ipu_copy(self, dst, src)


class Variable(_DataTensor):
    """A tensor that the host initializes, reads and writes."""

    #: Keywords of `pop.variable` besides the value.
    _buffer = None
    _row = 0
    _sharding = None
    #: Whether the value on the device may be newer.
    _stale = False

    @property
    def replica_grouping(self):
        return self._grouping

    @property
    def retrieval_mode(self) -> str:
        return self._retrieval

    @property
    def shape_on_replica(self) -> Tuple[int, ...]:
        return self.shape

    @property
    def shape_on_host(self) -> Tuple[int, ...]:
        return self._grouping._host_shape(self.shape)

    @property
    def in_sync_with_ipu(self) -> bool:
        return not self._stale


class Constant(_DataTensor):
    """A tensor whose value never changes."""


def _ops():
    import popxl.ops

    return popxl.ops


# These functions create objects of the classes above.
from popxl._factories import (  # noqa: E402
    _shards,
    constant,
    graph_input,
    graph_output,
    remote_replica_sharded_variable,
    remote_variable,
    replica_sharded_variable,
    variable,
)
