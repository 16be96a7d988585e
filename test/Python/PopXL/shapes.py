# Reductions, ops on shapes, gathers and scatters, compared with numpy.
# RUN: %python %s

import os
import sys
import unittest

import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "Inputs"))
from programs import ProgramTest

import popxl
from popxl import ops

v = popxl.variable
rng = np.random.default_rng(0)
a = rng.normal(size=(2, 3, 4)).astype("f4")
b = rng.normal(size=(3, 4)).astype("f4")
p = np.abs(a) + 0.1


class Reductions(ProgramTest):
    def test_reductions(self):
        cases = []
        for n in ("sum", "mean", "max", "min", "prod"):
            op, f = getattr(ops, n), getattr(np, n)
            cases += [
                (n, lambda op=op: op(v(a), [0, -1]), f(a, (0, 2))),
                (n, lambda op=op: op(v(a), 1, True), f(a, 1, keepdims=True)),
                (n, lambda op=op: op(v(a)), f(a)),
            ]
        large = 50 * a.astype("f8")
        cases += [
            ("mean of integers", lambda: ops.mean(v([3, 4, 6])), 4),
            ("l1", lambda: ops.l1(v(a), 1), np.abs(a).sum(1)),
            ("l2", lambda: ops.l2(v(a), 1), np.sqrt((a * a).sum(1))),
            ("sumsquare", lambda: ops.sumsquare(v(a), 1), (a * a).sum(1)),
            ("logsum", lambda: ops.logsum(v(p), 1), np.log(p.sum(1))),
            ("logsumexp", lambda: ops.logsumexp(v(a), [0, -1]), np.log(np.exp(a).sum((0, 2)))),
            ("large", lambda: ops.logsumexp(v(50 * a), 1, True), np.log(np.exp(large).sum(1, keepdims=True))),
            ("lamb_square", lambda: ops.lamb_square(v(a)), (a * a).sum()),
            ("cumsum", lambda: ops.cumsum(v(a), 1), a.cumsum(1)),
        ]
        self.check(cases)

    def test_sorts(self):
        rows = np.moveaxis(a, 1, 0).reshape(3, 8)
        levels = [-1.0, 0.0, 0.5]
        order = np.argsort(-a, 1, kind="stable")[:, :2]
        self.check(
            [
                ("median", lambda: ops.median(v(a), [0, 2]), np.sort(rows)[:, 3]),
                ("argmax", lambda: ops.argmax(v(a), 1), a.argmax(1)),
                ("argmin", lambda: ops.argmin(v(a), 2, True), a.argmin(2)[..., None]),
                ("first", lambda: ops.argmax(v([1, 3, 3])), 1),
                ("topk", lambda: ops.topk(v(a), 2, 1, True, True), [np.take_along_axis(a, order, 1), order]),
                ("bottom", lambda: ops.topk(v(a), 1, 2, False, True)[0], a.min(2, keepdims=True)),
                ("histogram", lambda: ops.histogram(v(a), levels, False), np.histogram(a, [-np.inf, *levels, np.inf])[0]),
            ]
        )


class Shapes(ProgramTest):
    def test_shapes(self):
        self.check(
            [
                ("reshape", lambda: v(a).reshape((-1, 4)), a.reshape(-1, 4)),
                ("flatten", lambda: v(a).flatten(), a.ravel()),
                ("T", lambda: v(a).T, a.T),
                ("transpose", lambda: v(a).transpose((1, -1, 0)), a.transpose(1, 2, 0)),
                ("squeeze", lambda: ops.squeeze(v(a[:1])), a[0]),
                ("slices", lambda: v(a)[0, 2:0:-1, ::2], a[0, 2:0:-1, ::2]),
                ("last", lambda: v(a)[-1], a[-1]),
                ("reversed", lambda: ops.slice(v(b), start=-2, step=-1), b[-2::-1]),
                ("axes", lambda: ops.slice(v(a), [1, 0], [3, 1], None, [2, 1]), a[:, :1, 1:3]),
                ("subsample", lambda: ops.subsample(v(a), [1, 2]), a[:, ::2]),
                ("diag", lambda: v(b).diag(), np.diag(b)),
                ("split", lambda: ops.split(v(a), [1, 3], 2), [a[:, :, :1], a[:, :, 1:]]),
                ("concat", lambda: ops.concat([v(a), v(a)], 1), np.concatenate([a, a], 1)),
                ("init", lambda: ops.init((2, 3), popxl.float32), np.zeros((2, 3))),
            ]
        )


class Indices(ProgramTest):
    def test_gathers(self):
        indices = np.array([[0, 2], [1, 1]], "i4")
        cases = []
        for axis in range(3):
            i = indices % a.shape[axis]
            cases.append(
                (f"axis {axis}", lambda i=i, axis=axis: ops.gather(v(a), v(i), axis), np.take(a, i, axis))
            )
        groups = [a[g][indices[g]] for g in range(2)]
        groups2 = [a[g][:, indices[g]] for g in range(2)]
        cases += [
            ("list", lambda: v(a)[[1, 0]], a[[1, 0]]),
            ("mask", lambda: v(b)[v(b > 0)], np.where(b > 0, b, 0)),
            ("groups", lambda: ops.groupedgather(v(a), v(indices), 1, 2), np.stack(groups)),
            ("groups 2", lambda: ops.groupedgather(v(a), v(indices), 2, 2), np.stack(groups2)),
            ("no row", lambda: ops.gather(v(b), v([0, 7]), zero_OOR=True), np.stack([b[0], 0 * b[0]])),
        ]
        self.check(cases)

    def test_scatters(self):
        indices = np.array([[1, 0, 2], [0, 2, 1]])
        values = np.arange(1, 7, dtype="f4").reshape(2, 3)
        scattered = np.zeros((3, 3), "f4")
        np.put_along_axis(scattered, indices, values, 0)
        rows, row_indices = rng.normal(size=(4, 2)).astype("f4"), np.array([3, 0, 3, 1])
        sums, tops = np.zeros((5, 2), "f4"), np.full((5, 2), 0.1, "f4")
        initial = tops.copy()
        np.add.at(sums, row_indices, rows)
        np.maximum.at(tops, row_indices, rows)
        classes = np.array([[1, 5]], "i4")
        onehot = np.where(np.arange(6)[None, :, None] == classes[:, None], 7, 2)
        self.check(
            [
                ("scatter", lambda: ops.scatter(v(np.zeros((3, 3))), v(indices), v(values)), scattered),
                ("sum", lambda: ops.scatter_reduce(v(rows), v(row_indices), "sum", axis_size=5), sums),
                ("max", lambda: ops.scatter_reduce(v(rows), v(row_indices), "max", v(initial)), tops),
                ("onehot", lambda: ops.onehot(v(classes), popxl.constant(6), popxl.constant([2, 7]), 1), onehot),
            ]
        )

    def test_dynamic_slices(self):
        updated = a.copy()
        updated[1:2, :, 2:4] = 9
        nine = np.full((1, 3, 2), 9, "f4")
        at = ([0, 2], [1, 2], True)

        def in_place():
            x = v(a) * 1.0
            ops.dynamic_update_(x, v([1, 2]), v(nine), *at)
            return x

        self.check(
            [
                ("slice", lambda: ops.dynamic_slice(v(a), v([1, 2]), *at), a[1:2, :, 2:4]),
                ("update", lambda: ops.dynamic_update(v(a), v([1, 2]), v(nine), *at), updated),
                ("update_", in_place, updated),
            ]
        )


if __name__ == "__main__":
    unittest.main()
