# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tensors of graphs, and the functions that create tensors without ops."""

import math
import operator
import sys
from collections.abc import Mapping
from typing import Any, Iterable, List, NewType, Optional, Sequence, Tuple, Union

import numpy as np

from popxl import dtypes
from popxl.context import get_current_graph
from popxl.errors import UndefinedValue
from popxl.utils import downcast_np_dtypes, to_numpy

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


def _host_data(data, dtype, downcast, log2_scale=None, nan_on_overflow=None):
    """Check and convert initial values. A memory map is used as it is."""
    if isinstance(data, np.memmap):
        return _memory_mapped(data, dtype)
    return to_numpy(data, dtype, downcast, True, log2_scale, nan_on_overflow)


def _memory_mapped(data: np.memmap, dtype) -> np.memmap:
    prefix = "When passing a memory-mapped NumPy array"
    if data.dtype in downcast_np_dtypes:
        raise ValueError(
            f"{prefix}, the dtype {dtype} is not supported, as it requires downcasting: "
            f"the array has the dtype {data.dtype}."
        )
    if dtype is not None and np.dtype(dtype.as_numpy()) != data.dtype:
        raise ValueError(
            f"{prefix}, the `dtype` parameter must be None or that of the array, "
            f"{data.dtype}, but not {dtype}."
        )
    if not data.flags.c_contiguous or not data.flags.aligned:
        raise ValueError(f"{prefix}, it must already be in C-ordered, aligned form.")
    return data


def _new_variable(
    data, dtype, name, downcast, grouping, retrieval, log2_scale, nan_on_overflow
) -> Variable:
    graph = get_current_graph()
    if graph is not graph.main_graph:
        raise ValueError("Only the main graph has variables.")
    if retrieval not in (None, "one_per_group", "all_replicas"):
        raise ValueError(
            "The retrieval mode is 'one_per_group' or 'all_replicas', but it is "
            f"{retrieval!r}."
        )
    grouping = grouping or graph.ir.replica_grouping()
    value = _host_data(data, dtype, downcast, log2_scale, nan_on_overflow)
    if isinstance(data, np.memmap) and not grouping.is_const:
        print(
            f"Warning: you have passed np.memmap data and the non-const replica grouping "
            f"`{grouping}`: the data is copied to the groups of the device.",
            file=sys.stderr,
        )
    shape = value.shape
    if grouping.num_groups > 1:
        if not shape or shape[0] != grouping.num_groups:
            raise ValueError(
                f"The data of {grouping.num_groups} groups has the shape {shape}, whose "
                "first dimension is not the number of groups."
            )
        shape = shape[1:]
    variable = graph._new_tensor(
        shape, dtype or dtypes.dtype.as_dtype(value.dtype), name, (), Variable
    )
    variable._pb_kind = "Variable"
    variable._data = value
    variable._grouping = grouping
    variable._retrieval = retrieval or "one_per_group"
    return variable


def variable(
    data: HostScalarTensor,
    dtype: Optional[dtypes.dtype] = None,
    name: Optional[str] = None,
    downcast: bool = True,
    replica_grouping=None,
    retrieval_mode: Optional[str] = None,
    log2_scale: Optional[int] = None,
    nan_on_overflow: Optional[bool] = None,
) -> Variable:
    """A variable on the chip. With several groups of replicas, the first dimension of
    `data` has one value for each group."""
    return _new_variable(
        data,
        dtype,
        name,
        downcast,
        replica_grouping,
        retrieval_mode,
        log2_scale,
        nan_on_overflow,
    )


def remote_variable(
    data: HostScalarTensor,
    remote_buffer,
    offset: int = 0,
    dtype: Optional[dtypes.dtype] = None,
    name: Optional[str] = None,
    downcast: bool = True,
    replica_grouping=None,
    retrieval_mode: Optional[str] = "one_per_group",
    log2_scale: Optional[int] = None,
    nan_on_overflow: Optional[bool] = None,
) -> Variable:
    """A variable in the row `offset` of a remote buffer."""
    result = _new_variable(
        data,
        dtype,
        name,
        downcast,
        replica_grouping,
        retrieval_mode,
        log2_scale,
        nan_on_overflow,
    )
    remote_buffer.validate_tensor_matches_buffer(result)
    result._buffer, result._row = remote_buffer, offset
    return result


def _shards(grouping, shard_over: Optional[int]) -> Tuple[int, Any]:
    """The number of shards, and the groups of replicas that have one tensor."""
    shards = grouping.group_size if shard_over is None else shard_over
    if shards > grouping.group_size or shards < 1 or grouping.group_size % shards:
        raise ValueError(
            f"Groups of {grouping.group_size} replicas cannot have {shards} shards."
        )
    return shards, grouping._ir.replica_grouping(grouping.stride, shards)


def remote_replica_sharded_variable(
    data: HostScalarTensor,
    remote_buffer,
    offset: int = 0,
    dtype: Optional[dtypes.dtype] = None,
    name: Optional[str] = None,
    downcast: bool = True,
    replica_grouping=None,
    retrieval_mode: Optional[str] = "one_per_group",
    log2_scale: Optional[int] = None,
    nan_on_overflow: Optional[bool] = None,
) -> Variable:
    """A variable of which each replica has a shard in the row `offset` of a buffer."""
    ir = get_current_graph().ir
    if ir.replication_factor <= 1:
        raise ValueError("Sharding over replicas needs more than one replica.")
    result = _new_variable(
        data,
        dtype,
        name,
        downcast,
        replica_grouping,
        retrieval_mode,
        log2_scale,
        nan_on_overflow,
    )
    if not remote_buffer.meta_shape:
        remote_buffer.meta_shape = result.shape
    elif remote_buffer.meta_shape != result.shape:
        raise ValueError(
            f"The shards of {remote_buffer} belong to a tensor of the shape "
            f"{remote_buffer.meta_shape}, not of {result.shape}."
        )
    shards = math.ceil(result.nelms / math.prod(remote_buffer.tensor_shape))
    grouping = result._grouping
    if grouping.group_size % max(shards, 1) or shards < 2:
        # A row of the shape of the whole tensor holds a shard, too.
        shards = grouping.group_size
    result._sharding = _shards(grouping, shards)[1]
    result._buffer, result._row = remote_buffer, offset
    return result


def replica_sharded_variable(
    data: HostScalarTensor,
    dtype: Optional[dtypes.dtype] = None,
    name: Optional[str] = None,
    downcast: bool = True,
    replica_grouping=None,
    shard_over: Optional[int] = None,
    retrieval_mode: Optional[str] = "one_per_group",
    log2_scale: Optional[int] = None,
    nan_on_overflow: Optional[bool] = None,
) -> Tuple[Variable, Tensor]:
    """A variable of which each replica has a shard on the chip. Returns the variable,
    which sessions read and write, and the shard, which ops use."""
    result = _new_variable(
        data,
        dtype,
        name,
        downcast,
        replica_grouping,
        retrieval_mode,
        log2_scale,
        nan_on_overflow,
    )
    shards, result._sharding = _shards(result._grouping, shard_over)
    shard = result._graph._new_tensor(
        (math.ceil(result.nelms / shards),),
        result.dtype,
        f"{result.name}_rts",
        result.shape,
    )
    shard._variable = result
    return result, shard


def constant(
    data: HostScalarTensor,
    dtype: Optional[dtypes.dtype] = None,
    name: Optional[str] = None,
    downcast: bool = True,
    log2_scale: Optional[int] = None,
    nan_on_overflow: Optional[bool] = None,
) -> Constant:
    """A constant of the current graph."""
    graph = get_current_graph()
    if dtype is None and isinstance(data, np.ndarray) and data.dtype.names:
        raise TypeError("A constant in fp8 needs the argument 'dtype'.")
    value = _host_data(data, dtype, downcast, log2_scale, nan_on_overflow)
    result = graph._new_tensor(
        value.shape, dtype or dtypes.dtype.as_dtype(value.dtype), name, (), Constant
    )
    result._pb_kind = "Const"
    result._data = value
    return result


def graph_input(
    shape: Sequence[int],
    dtype: dtypes.dtype,
    name: Optional[str] = None,
    by_ref: bool = False,
    meta_shape: Optional[Sequence[int]] = None,
) -> Tensor:
    """A new input of the current graph. With `by_ref`, the graph may write the tensor
    of its caller."""
    graph = get_current_graph()
    result = graph._new_tensor(shape, dtype, name, meta_shape)
    graph._inputs.append(result)
    if by_ref:
        graph._by_ref_inputs.add(result)
    return result


def graph_output(t: Tensor) -> None:
    """Make a tensor the next output of the current graph."""
    graph = get_current_graph()
    if t not in graph:
        raise ValueError(f"{t} is not a tensor of the current graph {graph.id}.")
    graph._outputs.append(t)
