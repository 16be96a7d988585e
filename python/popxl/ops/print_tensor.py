# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Printing of tensors."""

from typing import Optional

import numpy as np

from popxl._emit import Emitter, Value, symbol
from popxl._record import Op, OpKind, Spec, record
from popxl.ops.utils import check
from popxl.tensor import Tensor

_FLOAT_FORMATS = ("auto", "fixed", "scientific", "none")


def _print_tensor(e: Emitter, op: Op, x: Value) -> Value:
    """The tensor goes to a stream of its own, which the session prints."""

    def send(e: Emitter, x: Value, title: str) -> Value:
        name = e.module.print_stream(op, title, x)
        e.op("pop.host_store", (x,), (), {"stream": symbol(name)})
        return x

    title = op["title"]
    return e.module.with_gradient(
        e,
        f"popxl.print.{op.number()}",
        x,
        lambda e, x: send(e, x, title) if op["print_self"] else x,
        lambda e, dy: send(e, dy, f"{title}_gradient") if op["print_gradient"] else dy,
    )


PRINT_TENSOR = OpKind("PrintTensor", _print_tensor)


def print_tensor(
    t: Tensor,
    title: Optional[str] = None,
    print_self: bool = True,
    print_gradient: bool = False,
    summarise_threshold: int = 1000,
    edge_items: int = 3,
    max_line_width: int = 75,
    digits: int = 8,
    float_format: str = "auto",
    separator: str = " ",
    open_bracket: str = "[",
    close_bracket: str = "]",
) -> Tensor:
    """Print a tensor, and its gradient, on standard error when a run ends. Returns the
    tensor, which the program has to use for the gradient to be printed."""
    check(t=t)
    for name, text in (
        ("separator", separator),
        ("open_bracket", open_bracket),
        ("close_bracket", close_bracket),
    ):
        if len(text) != 1:
            raise ValueError(f"'{name}' is one character, but not {text!r}.")
    if float_format not in _FLOAT_FORMATS:
        raise KeyError(f"{float_format!r} is not one of {', '.join(_FLOAT_FORMATS)}.")
    title = title or f"print_{t.name}"
    return record(
        PRINT_TENSOR,
        [t],
        Spec(t.shape, t.dtype, title, t.meta_shape),
        title=title,
        print_self=print_self,
        print_gradient=print_gradient,
        format=dict(
            threshold=summarise_threshold,
            edge_items=edge_items,
            width=max_line_width,
            digits=digits,
            float_format=float_format,
            separator=separator,
            open_bracket=open_bracket,
            close_bracket=close_bracket,
        ),
    )


def format_tensor(data: np.ndarray, format: dict) -> str:
    """The text of a tensor."""
    formatter = {}
    if format["float_format"] == "fixed":
        formatter["float_kind"] = lambda x: f"{x:.{format['digits']}f}"
    elif format["float_format"] == "scientific":
        formatter["float_kind"] = lambda x: f"{x:.{format['digits']}e}"
    text = np.array2string(
        data,
        max_line_width=format["width"],
        precision=format["digits"],
        separator=format["separator"],
        threshold=format["threshold"],
        edgeitems=format["edge_items"],
        formatter=formatter or None,
    )
    brackets = {"[": format["open_bracket"], "]": format["close_bracket"]}
    return text.translate(str.maketrans(brackets))
