# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random numbers."""

from typing import Iterable, Tuple

import numpy as np

from popxl import dtypes
from popxl._emit import Emitter, Value, f64
from popxl._record import Op, OpKind, Spec, record
from popxl.ops.utils import check
from popxl.tensor import Tensor, constant


def _check_seed(seed: Tensor) -> None:
    if seed.shape != (2,):
        raise ValueError(f"A seed has two words, but {seed} does not.")
    if seed.dtype != dtypes.uint32:
        raise ValueError(f"A seed has the type uint32, but {seed} does not.")


def _shape(shape: Iterable[int]) -> Tuple[int, ...]:
    return (shape,) if isinstance(shape, (int, np.integer)) else tuple(shape)


def _dropout(e: Emitter, op: Op, x: Value, seed: Value) -> Value:
    return e.pop("dropout", (x, seed), x.shape, x.dtype, ratio=f64(op["ratio"]))


DROPOUT = OpKind("Dropout", _dropout)


def dropout(t: Tensor, seed_tensor: Tensor, p: float) -> Tensor:
    """Drop elements with the probability `p`, and divide the others by `1 - p`."""
    check(t=t, seed_tensor=seed_tensor)
    return record(
        DROPOUT, [t, seed_tensor], Spec(t.shape, t.dtype, "dropout_out"), ratio=p
    )


def _shaped_dropout(e: Emitter, op: Op, x: Value, seed: Value) -> Value:
    kept = e.pop(
        "random_bernoulli", (seed,), op["shape"], dtypes.bool, p=f64(1 - op["ratio"])
    )
    return e.select(kept, x * (1 / (1 - op["ratio"])), 0)


SHAPED_DROPOUT = OpKind("ShapedDropout", _shaped_dropout)


def shaped_dropout(
    t: Tensor, seed_tensor: Tensor, shape: Iterable[int], ratio: float
) -> Tensor:
    """Dropout with a mask that is broadcast."""
    check(t=t, seed_tensor=seed_tensor)
    return record(
        SHAPED_DROPOUT,
        [t, seed_tensor],
        Spec(t.shape, t.dtype, "shaped_dropout_out"),
        shape=_shape(shape),
        ratio=ratio,
    )


def _random(name: str, *keys: str):
    def emit(e: Emitter, op: Op, seed: Value) -> Value:
        out = op.outputs[0]
        attributes = {key: f64(op[key]) for key in keys}
        return e.pop(name, (seed,), out.shape, out.dtype, **attributes)

    return emit


RANDOM_UNIFORM = OpKind("RandomUniform", _random("random_uniform", "low", "high"))
RANDOM_NORMAL = OpKind("RandomNormal", _random("random_normal", "mean", "std_dev"))


def random_uniform(
    seed_tensor: Tensor,
    shape: Iterable[int],
    low: float = 0.0,
    high: float = 1.0,
    dtype: dtypes.dtype = dtypes.float32,
) -> Tensor:
    check(seed_tensor=seed_tensor)
    spec = Spec(_shape(shape), dtype, "random_uniform_out")
    return record(RANDOM_UNIFORM, [seed_tensor], spec, low=low, high=high)


def random_normal(
    seed_tensor: Tensor,
    shape: Iterable[int],
    mean: float = 0.0,
    std: float = 1.0,
    dtype: dtypes.dtype = dtypes.float32,
) -> Tensor:
    check(seed_tensor=seed_tensor)
    spec = Spec(_shape(shape), dtype, "random_normal_out")
    return record(RANDOM_NORMAL, [seed_tensor], spec, mean=mean, std_dev=std)


def _modify_seed(e: Emitter, op: Op, seed: Value, modifier: Value) -> Value:
    count = op["index"] + 1
    seeds = e.pop("split_seed", (seed,), (count, 2), dtypes.uint32)
    return e.reshape(e.take(seeds, 0, op["index"], 1), (2,))


MODIFY_SEED = OpKind("ModifyRandomSeed", _modify_seed)


def split_random_seed(seed: Tensor, n: int = 2) -> Tuple[Tensor, ...]:
    """`n` seeds that are derived from one."""
    check(seed=seed)
    _check_seed(seed)
    result = []
    for i in range(n):
        modifier = constant(i, dtypes.uint32, name=f"{seed.name}_modifier")
        spec = Spec((2,), dtypes.uint32, f"{seed.name}_split_{i}")
        result.append(record(MODIFY_SEED, [seed, modifier], spec, index=i))
    return tuple(result)
