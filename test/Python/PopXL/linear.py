# Products, convolutions, pools, normalizations, losses, updates, random numbers and fp8.
# RUN: %python %s

import os
import sys
import unittest

import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "Inputs"))
from programs import ProgramTest

import popxl
from popxl import ops
from popxl.fp8_utils import host_pow2scale_cast_from_fp8, host_pow2scale_cast_to_fp8

v = popxl.variable
rng = np.random.default_rng(0)
a = rng.normal(size=(2, 3, 4)).astype("f4")
b = rng.normal(size=(3, 4)).astype("f4")
q = np.abs(b) + 0.1
m = rng.normal(size=(4, 5)).astype("f4")
picture = rng.normal(size=(2, 4, 7, 6)).astype("f4")


def windows(x, kernel, strides, dilations, pads, fill):
    """All windows [..., windows, kernel] of a picture, by numpy."""
    x = np.pad(x, [(0, 0), (0, 0), *pads], constant_values=fill)
    span = [(k - 1) * d + 1 for k, d in zip(kernel, dilations)]
    view = np.lib.stride_tricks.sliding_window_view(x, span, (2, 3))
    return view[:, :, :: strides[0], :: strides[1], :: dilations[0], :: dilations[1]]


def conv(x, w, strides=(1, 1), dilations=(1, 1), pads=((0, 0), (0, 0)), groups=1):
    n = w.shape[1]
    parts = []
    for g in range(groups):
        rows = w.shape[0] // groups
        view = windows(x[:, g * n : g * n + n], w.shape[2:], strides, dilations, pads, 0)
        parts.append(np.einsum("ncijkl,ockl->noij", view, w[g * rows : g * rows + rows]))
    return np.concatenate(parts, 1)


def conv_transpose(x, w, strides):
    """Each element adds a scaled kernel."""
    height, width = ((d - 1) * s + k for d, s, k in zip(x.shape[2:], strides, w.shape[2:]))
    y = np.zeros((x.shape[0], w.shape[1], height, width))
    for i in range(x.shape[2]):
        for j in range(x.shape[3]):
            r, c = i * strides[0], j * strides[1]
            y[:, :, r : r + w.shape[2], c : c + w.shape[3]] += np.einsum(
                "nc,cokl->nokl", x[:, :, i, j], w
            )
    return y


class Linear(ProgramTest):
    def test_matmul(self):
        self.check(
            [
                ("matrix", lambda: v(a) @ v(m), a @ m),
                ("vector", lambda: v(a) @ v(m[:, 0]), a @ m[:, 0]),
                ("row", lambda: v(m[:, 0]) @ v(m), m[:, 0] @ m),
                ("dot", lambda: v(m[:, 0]) @ v(m[:, 1]), m[:, 0] @ m[:, 1]),
                ("array", lambda: b @ v(m), b @ m),
                ("half", lambda: ops.matmul(v(a), v(m), output_type=popxl.float16), (a @ m).astype("f2")),
            ],
            rtol=1e-3,
        )

    def test_convolutions(self):
        w = rng.normal(size=(6, 4, 3, 3)).astype("f4")
        w2 = rng.normal(size=(6, 2, 3, 2)).astype("f4")
        wt = rng.normal(size=(4, 3, 3, 2)).astype("f4")
        ones = ((1, 1), (1, 1))
        line, line_w = picture[:, :, :, 0].copy(), w[:, :, :, :1].copy()
        full = conv_transpose(picture, wt, (2, 3))
        self.check(
            [
                ("conv", lambda: ops.conv(v(picture), v(w)), conv(picture, w)),
                (
                    "strides",
                    lambda: ops.conv(v(picture), v(w2), (2, 2), (1, 0, 1, 0), (2, 1), 2),
                    conv(picture, w2, (2, 2), (2, 1), ((1, 1), (0, 0)), 2),
                ),
                ("same", lambda: ops.conv(v(picture), v(w), pad_type="same_upper"), conv(picture, w, pads=ones)),
                ("1-d", lambda: ops.conv(v(line), v(line_w[..., 0])), conv(line[..., None], line_w)[..., 0]),
                ("transpose", lambda: ops.conv_transpose(v(picture), v(wt), (2, 3)), full),
                ("cut", lambda: ops.conv_transpose(v(picture), v(wt), (2, 3), (1, 2, 0, 1)), full[:, :, 1:, 2:-1]),
            ],
            atol=1e-5,
        )

    def test_pools(self):
        def pool(f, fill, *args):
            return f(windows(picture, *args, fill), (-2, -1))

        pads = ((1, 1), (1, 1))
        self.check(
            [
                ("mean", lambda: ops.average_pool(v(picture), (3, 2)), pool(np.mean, 0, (3, 2), (1, 1), (1, 1), ((0, 0), (0, 0)))),
                (
                    "padded mean",
                    lambda: ops.average_pool(v(picture), (3, 3), (2, 2), (1, 1, 1, 1)),
                    pool(np.nanmean, np.nan, (3, 3), (2, 2), (1, 1), pads),
                ),
                (
                    "max",
                    lambda: ops.max_pool(v(picture), (3, 3), (2, 2), (1, 1, 1, 1)),
                    pool(np.max, -np.inf, (3, 3), (2, 2), (1, 1), pads),
                ),
                ("ceil", lambda: ops.max_pool(v(picture), (3, 3), (2, 2), ceil_mode=True), pool(np.max, -np.inf, (3, 3), (2, 2), (1, 1), ((0, 0), (0, 1)))),
            ]
        )

    def test_resampling(self):
        x = np.arange(4, dtype="f4").reshape(1, 1, 1, 4)
        corners = [0, 1 / 3, 2 / 3, 1]
        rois = np.array([[0, 0, 4, 4], [1, 1, 3, 3]], "f4")
        ramp = np.broadcast_to(np.arange(6, dtype="f4"), (1, 1, 6, 6)).copy()
        # The means of samples of a ramp are the means of their positions.
        bins = [np.broadcast_to([1, 3], (1, 2, 2)), np.broadcast_to([1.5, 2.5], (1, 2, 2))]
        self.check(
            [
                ("nearest", lambda: ops.interpolate(v(x), (1, 1, 2, 2)), np.repeat(np.repeat(x, 2, 2), 2, 3)),
                ("linear", lambda: ops.interpolate(v(x), (1, 1, 1, 2), "linear"), [[[[0, 0.25, 0.75, 1.25, 1.75, 2.25, 2.75, 3]]]]),
                (
                    "corners",
                    lambda: ops.interpolate(v(x[..., :2]), (1, 1, 1, 2), "linear", coordinate_transformation_mode="align_corners"),
                    [[[corners]]],
                ),
                ("roi_align", lambda: ops.roi_align(v(ramp), v(rois), v([0, 0]), (2, 2), 1.0, 2), np.stack(bins)),
            ]
        )


class Training(ProgramTest):
    def test_normalizations(self):
        x = rng.normal(size=(2, 4, 3)).astype("f4")
        w = rng.normal(size=4).astype("f4")
        column = w[:, None]

        def group_norm(groups):
            y = x.reshape(2 * groups, -1)
            y = (y - y.mean(1, keepdims=True)) / np.sqrt(y.var(1, keepdims=True) + 1e-5)
            return y.reshape(x.shape) * column + column

        batch = (x - column) / np.sqrt(column**2 + 1e-5) * column + column
        self.check(
            [
                ("groups", lambda: ops.group_norm(v(x), v(w), v(w), 2), group_norm(2)),
                ("layer", lambda: ops.layer_norm(v(x), v(w), v(w)), group_norm(1)),
                ("batch", lambda: ops.batch_norm_inference(v(x), v(w), v(w), v(w), v(w**2)), batch),
                ("softmax", lambda: ops.softmax(v(a), -1), np.exp(a) / np.exp(a).sum(-1, keepdims=True)),
            ]
        )

    def test_losses(self):
        p = np.exp(a) / np.exp(a).sum(-1, keepdims=True)
        labels = rng.integers(0, 4, (2, 3)).astype("i4")
        losses = -np.log(np.take_along_axis(p, labels[..., None], -1)[..., 0])
        ignored = int(labels[0, 0])
        keep = labels != ignored
        gradient = p - np.eye(4)[labels]
        mean = (losses * keep).sum() / keep.sum()
        one = (v, p[:1, :1], labels[:1, :1])
        self.check(
            [
                ("mean", lambda: ops.nll_loss(v(p), v(labels)), losses.mean()),
                ("sum", lambda: ops.nll_loss(v(p), v(labels), reduction="sum"), losses.sum()),
                ("none", lambda: ops.nll_loss(v(p), v(labels), reduction="none"), losses),
                ("ignored", lambda: ops.nll_loss(v(p), v(labels), ignored), mean),
                ("all ignored", lambda: ops.nll_loss(v(one[1]), v(one[2]), ignored), 0),
                ("logarithms", lambda: ops.nll_loss(v(np.log(p)), v(labels), log_prob=True), losses.mean()),
                ("gradient", lambda: ops.nll_loss_with_softmax_grad(v(p), v(labels), 2), [losses.mean(), gradient / 3]),
                (
                    "gradient of ignored",
                    lambda: ops.nll_loss_with_softmax_grad(v(p), v(labels), 1, ignored),
                    [mean, keep[..., None] * gradient / keep.sum()],
                ),
            ]
        )

    def test_updates(self):
        def update(name, *args):
            def create():
                x = v(b) * 1.0
                getattr(ops.var_updates, name)(x, *args_of(args))
                return x

            def args_of(args):
                return [v(x) if isinstance(x, np.ndarray) else x for x in args]

            return create

        def adam():
            step, weight = v(np.float32(3)) * 1.0, v(b) * 1.0
            x = ops.var_updates.adam_updater(v(b), v(q), None, step, None, 0.9, 0.99, 1e-6)
            ops.var_updates.adam_var_update(
                weight, x, popxl.constant(4.0), popxl.constant(9.0), 0.1
            )
            return [x, step, weight]

        x = b / (1 - 0.9**4) / (np.sqrt(q / (1 - 0.99**4)) + 1e-6)
        sparse = b.copy()
        sparse[2] += b[0] + b[1]
        self.check(
            [
                ("add", update("accumulate_", q), b + q),
                ("factor", update("accumulate_", q, 0.5), b + 0.5 * q),
                ("square", update("accumulate_square_", q, 0.5), b + 0.5 * q * q),
                ("mean", update("accumulate_mean_", q, 3.0), 0.75 * b + 0.25 * q),
                ("average", update("accumulate_moving_average_", q, 0.9), 0.9 * b + 0.1 * q),
                ("average of squares", update("accumulate_moving_average_square_", q, 0.9), 0.9 * b + 0.1 * q * q),
                ("copy", update("copy_var_update_", q), q),
                ("scale", update("accumulator_scale_", 0.5), 0.5 * b),
                ("zero", update("accumulator_zero_"), 0 * b),
                ("sparse", update("sparse_accumulate_", b[:2], np.array([2, 2])), sparse),
                ("adam", adam, [x, 4, b - 0.1 * (2 / 3) * x]),
                (
                    "decay",
                    lambda: ops.var_updates.adam_updater(v(b), v(q), v(b), weight_decay=0.1, epsilon=0.0),
                    b / np.sqrt(q) + 0.1 * b,
                ),
            ]
        )

    def test_random_numbers(self):
        def seed():
            return v([1, 2], popxl.uint32)

        def half_of(x):
            return ops.sum(ops.cast(ops.equal(x, ops.init((), popxl.float32)), popxl.float32))

        ones = np.ones((64, 64), "f4")
        self.check(
            [
                ("uniform", lambda: ops.mean(ops.random_uniform(seed(), (64, 64), 2.0, 4.0)), 3),
                ("normal", lambda: ops.mean(ops.random_normal(seed(), (64, 64), 1.0, 0.1)), 1),
                ("dropout", lambda: half_of(ops.dropout(v(ones), seed(), 0.25)) / 1024.0, 1),
                ("shaped", lambda: half_of(ops.shaped_dropout(v(ones), seed(), (64, 1), 0.5) - 2) / 2048.0, 1),
                ("seeds", lambda: ops.cast(ops.equal(*ops.split_random_seed(seed())), popxl.int32), [0, 0]),
            ],
            atol=0.3,
        )


class Float8(ProgramTest):
    def test_casts(self):
        for dtype in (popxl.float8_143, popxl.float8_152):
            data = host_pow2scale_cast_to_fp8(b, dtype)
            self.check(
                [
                    ("to", lambda: ops.pow2scale_cast_to_fp8(v(b), 2, dtype), host_pow2scale_cast_to_fp8(b, dtype, 2)),
                    (
                        "from",
                        lambda: ops.pow2scale_cast_from_fp8(v(data), -1, popxl.float32),
                        host_pow2scale_cast_from_fp8(data, popxl.float32, -1),
                    ),
                    ("view", lambda: v(data).T[1:3], data.T[1:3]),
                ]
            )

    def test_products(self):
        dtype = popxl.float8_143
        x, w = (host_pow2scale_cast_to_fp8(t, dtype) for t in (b, m))
        wide = [host_pow2scale_cast_from_fp8(t, popxl.float32) for t in (x, w)]
        self.check(
            [("", lambda: ops.matmul_pow2scaled(v(x), v(w), popxl.constant(-1)), (wide[0] @ wide[1] / 2).astype("f2"))]
        )

    def test_scale_out_of_range(self):
        import popart

        for fails in (True, False):
            ir = popxl.Ir()
            ir._pb_ir.getSessionOptions().throwIfLog2ScaleTensorNotInRange = fails
            with ir.main_graph:
                ops.print_tensor(ops.pow2scale_cast_to_fp8(v(b), 100))
            with popxl.Session(ir) as session:
                if fails:
                    with self.assertRaises(popart.poplar_application_runtime_error):
                        session.run()
                else:
                    session.run()


if __name__ == "__main__":
    unittest.main()
