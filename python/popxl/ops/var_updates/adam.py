# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Adam and its relatives (docs/training.md has the formulas)."""

from typing import List, Optional, Union

from popxl import dtypes
from popxl._emit import Emitter, Value
from popxl._record import Op, OpKind, Spec, record
from popxl.ops.utils import check
from popxl.tensor import Tensor

Number = Optional[Union[float, Tensor]]


class _Operands:
    """The operands of an update by their names. A number is an attribute instead."""

    def __init__(self, e: Emitter, op: Op, values):
        self.e = e
        self.op = op
        self.values = dict(zip(op["names"], values))

    def wide(self, name: str):
        """The operand in f32, the number, or None."""
        if name in self.values:
            return self.e.cast(self.values[name], dtypes.float32)
        return self.op.attributes.get(name)


def _split(**given: Number) -> dict:
    """The attributes of an op of which each argument is a tensor or a number."""
    tensors = {k: v for k, v in given.items() if isinstance(v, Tensor)}
    check(**tensors)
    numbers = {k: v for k, v in given.items() if v is not None and k not in tensors}
    return {"operands": list(tensors.values()), "names": list(tensors), **numbers}


def _record(kind: OpKind, spec: Spec, given: dict, **attributes) -> Tensor:
    operands = given.pop("operands")
    return record(kind, operands, spec, **given, **attributes)


def _updater(e: Emitter, op: Op, *values: Value) -> List[Value]:
    operands = _Operands(e, op, values)
    m, v = operands.wide("m"), operands.wide("v")
    results = []
    step = operands.wide("time_step")
    if step is not None:
        step = step + 1.0
        results.append(e.cast(step, operands.values["time_step"].dtype))

    def corrected(moment: Value, beta: Optional[float]) -> Value:
        if step is None or beta is None:
            return moment
        return moment / (1.0 - e.binary("pow", float(beta), step))

    if op["mode"] == "adamax":
        root = v
    else:
        root = e.unary("sqrt", corrected(v, operands.wide("beta2")))
    x = corrected(m, operands.wide("beta1")) / (root + op["epsilon"])
    decay = operands.wide("weight_decay")
    if decay is not None and "weight" in operands.values:
        x = x + operands.wide("weight") * decay
    return [e.cast(x, op.outputs[0].dtype), *results]


ADAM_UPDATER = OpKind(
    "AdamUpdater",
    _updater,
    updates=lambda op: [op["names"].index("time_step")]
    if "time_step" in op["names"]
    else [],
)


def _record_updater(mode, m, v, weight, time_step, weight_decay, beta1, beta2, epsilon):
    if weight_decay is not None and weight is None:
        raise ValueError("Weight decay requires weight to be not None.")
    if mode == "adamax" and time_step is None:
        raise ValueError("AdaMax requires time_step not None.")
    if mode == "adam" and time_step is not None and None in (beta1, beta2):
        raise ValueError("Bias correction requires both beta1 and beta2 not None.")
    given = _split(
        m=m,
        v=v,
        weight=weight,
        time_step=time_step,
        weight_decay=weight_decay,
        beta1=beta1,
        beta2=beta2,
    )
    spec = Spec(m.shape, dtypes.float32, "updater", m.meta_shape)
    return _record(ADAM_UPDATER, spec, given, mode=mode, epsilon=epsilon)


def adam_updater(
    m: Tensor,
    v: Tensor,
    weight: Optional[Tensor] = None,
    time_step: Optional[Tensor] = None,
    weight_decay: Number = None,
    beta1: Number = None,
    beta2: Number = None,
    epsilon: float = 1e-07,
) -> Tensor:
    """The update of Adam from its moments, without bias correction unless there is a
    `time_step`, which is incremented."""
    return _record_updater(
        "adam", m, v, weight, time_step, weight_decay, beta1, beta2, epsilon
    )


def lamb_updater(
    m: Tensor,
    v: Tensor,
    weight: Optional[Tensor] = None,
    time_step: Optional[Tensor] = None,
    weight_decay: Number = None,
    beta1: Number = None,
    beta2: Number = None,
    epsilon: float = 1e-07,
) -> Tensor:
    """The update of LAMB before it is scaled by norms: that of Adam."""
    return _record_updater(
        "adam", m, v, weight, time_step, weight_decay, beta1, beta2, epsilon
    )


def adamax_updater(
    m: Tensor,
    v: Tensor,
    weight: Optional[Tensor] = None,
    time_step: Optional[Tensor] = None,
    weight_decay: Number = None,
    beta1: float = 0.9,
    epsilon: float = 1e-07,
) -> Tensor:
    """The update of AdaMax."""
    return _record_updater(
        "adamax", m, v, weight, time_step, weight_decay, beta1, None, epsilon
    )


def _var_update(e: Emitter, op: Op, *values: Value) -> Value:
    operands = _Operands(e, op, values)
    t, x = operands.wide("t"), operands.wide("x")
    r1 = e.unary("sqrt", operands.wide("r1"))
    r2 = e.unary("sqrt", operands.wide("r2"))
    limit = operands.wide("max_weight_norm")
    if limit is not None:
        r1 = e.binary("min", r1, limit)
    # A norm of 0 does not scale the update.
    scaled = e.binary(
        "and", e.binary("greater", r1, 0.0), e.binary("greater", r2, 0.0)
    )
    ratio = e.select(scaled, r1 / r2, 1.0)
    if limit is not None and not isinstance(limit, Value) and limit == 0:
        ratio = e.scalar(1.0, dtypes.float32)
    rate = operands.wide("learning_rate")
    step = ratio if rate is None else ratio * rate
    return e.cast(t - x * e.reshape(step, ()), values[0].dtype)


ADAM_VAR_UPDATE = OpKind("AdamVarUpdate", _var_update, inplace=0)


def adam_var_update(
    t: Tensor,
    x: Tensor,
    r1: Tensor,
    r2: Tensor,
    learning_rate: Number = None,
    max_weight_norm: Number = None,
) -> Tensor:
    """Subtract an update from a weight, scaled by the learning rate and the quotient
    of their norms, whose squares are `r1` and `r2`."""
    given = _split(
        t=t,
        x=x,
        r1=r1,
        r2=r2,
        learning_rate=learning_rate,
        max_weight_norm=max_weight_norm,
    )
    spec = Spec(t.shape, t.dtype, f"updated__{t.name}", t.meta_shape)
    return _record(ADAM_VAR_UPDATE, spec, given)
