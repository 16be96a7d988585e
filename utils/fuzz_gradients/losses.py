# Part of ipu-mlir, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Losses."""

import numpy as np

from .cases import (
    Case,
    draw_apart,
    draw_positive,
    draw_usual,
    ops,
    pick,
    tensors,
)


def reduce(losses, reduction, count=None):
    if reduction == "none":
        return losses
    return losses.sum() if reduction == "sum" else losses.sum() / (count or losses.size)


def binary_cross_entropy(x, t):
    return -(t * np.log(x) + (1 - t) * np.log(1 - x))


def of_logits(x, t):
    return binary_cross_entropy(1 / (1 + np.exp(-x)), t)


def draw_difference(rng, name, shape):
    """What two operands are drawn with, and their loss."""
    if name == "l1_loss":
        x, t = draw_apart(rng, shape, shape)
        return x, t, "", lambda x, t: np.where(x.real > t.real, x - t, t - x)
    if name == "l2_loss":
        return draw_usual(rng, shape), draw_usual(rng, shape), "", lambda x, t: (x - t) ** 2
    t = rng.uniform(0.1, 0.9, shape)
    if rng.random() < 0.5:
        return draw_usual(rng, shape), t, ops.attributes(of_logits=True), of_logits
    return rng.uniform(0.1, 0.9, shape), t, "", binary_cross_entropy


def draw_reduction(rng, shape):
    return pick(rng, ["none", "sum"] + ["mean"] * (0 not in shape))


def make_element_loss(rng, name):
    case, shape = Case(name), ops.draw_shape(rng)
    reduction = draw_reduction(rng, shape)
    if name == "identity_loss":
        values, text, function = [draw_usual(rng, shape)], "", lambda x: x
    else:
        x, t, text, function = draw_difference(rng, name, shape)
        values = [x, t]
    y = reduce(function(*values), reduction)
    args = ", ".join(case.float(x) for x in values)
    case.op(f"%y = pop.{name} {reduction} {args}{text} : {tensors(values[0])} -> {tensors(y)}")
    return case.finish(rng, ["%y"], lambda *x: [reduce(function(*x), reduction)])


def make_label_loss(rng, name):
    case = Case(name)
    batch, classes, *rest = (int(v) for v in rng.integers(1, 5, rng.integers(2, 5)))
    shape, index = (batch, classes, *rest), pick(rng, ops.INTS)
    labels = ops.draw_indices(rng, index, (batch, *rest), classes)
    ignored = int(rng.integers(classes)) if rng.random() < 0.4 else None
    counts = (labels >= 0) & (labels < classes)
    if ignored is not None:
        counts &= labels != ignored
    reduction = pick(rng, ["none", "sum"] + ["mean"] * bool(counts.any()))
    of_probabilities = name == "nll_loss" and rng.random() < 0.5
    x = draw_positive(rng, shape) if of_probabilities else draw_usual(rng, shape)
    place = np.where(counts, labels, 0).astype(np.int64)

    def function(x, labels, weights=None):
        if name == "cross_entropy_loss":
            x = x - np.log(np.exp(x).sum(1, keepdims=True))
        elif of_probabilities:
            x = np.log(x)
        taken = np.take_along_axis(x, place[:, None], 1)[:, 0]
        w = np.where(counts, 1.0 if weights is None else weights[place], 0)
        return [reduce(-taken * w, reduction, w.sum())]

    args, types = [case.float(x), case.input(labels, index)], tensors(x)
    types += f", {ops.tensor(labels.shape, index)}"
    if rng.random() < 0.5:
        weights = draw_positive(rng, (classes,))
        args.append(case.float(weights))
        types += f", {tensors(weights)}"
    (y,) = function(*(values for values, _ in case.inputs))
    text = ops.attributes(ignore_index=ignored, of_probabilities=of_probabilities)
    case.op(f"%y = pop.{name} {reduction} {', '.join(args)}{text} : {types} -> {tensors(y)}")
    return case.finish(rng, ["%y"], function)


MAKERS = {
    **{
        name: make_element_loss
        for name in ("l1_loss", "l2_loss", "binary_cross_entropy_loss", "identity_loss")
    },
    **{name: make_label_loss for name in ("nll_loss", "cross_entropy_loss")},
}
