# Gradients: what is provided and required, graphs that call others, and collectives.
# RUN: %python %s

import os
import sys
import unittest

import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "Inputs"))
from programs import run, store

import popart
import popxl
from popxl import ops
from popxl.transforms import autodiff
from popxl.transforms.autodiff import ExpectedConnectionType

f32 = popxl.float32
rng = np.random.default_rng(0)


class Gradients(unittest.TestCase):
    def differentiate(self, build, *data, **options):
        """Call a graph and its gradient graph, with the outputs as their gradients.
        Returns the outputs and the gradients."""
        ir = popxl.Ir()
        with ir.main_graph, popxl.in_sequence():
            inputs = [popxl.variable(x, name=f"x{i}") for i, x in enumerate(data)]
            graph = ir.create_graph(build, *inputs)
            call = ops.call_with_info(graph, *inputs)
            count = len(call.outputs)
            options = {k: [f(graph)[i] for i in v] for k, (f, v) in options.items()}
            info = autodiff(graph, **options)
            provided = [
                call.graph_to_parent(c.fwd_tensor)
                for c in info.expected_inputs
                if c.connection_type is ExpectedConnectionType.FwdGrad
            ]
            gradients = ops.call(info.graph, *provided, inputs_dict=info.inputs_dict(call))
            streams = [store(t) for t in (*call.outputs[:count], *gradients)]
        self.info = info
        values = run(ir)[1]
        return [values[s] for s in streams]

    def test_choice_of_gradients(self):
        a, b = (rng.normal(size=3).astype("f4") for _ in range(2))
        inputs, outputs = (lambda g: g.inputs), (lambda g: g.outputs)

        def build(a, b):
            return a * b, ops.sin(b)

        y, z, da, db = self.differentiate(build, a, b)
        np.testing.assert_allclose(da, y * b, 1e-5)
        np.testing.assert_allclose(db, y * a + z * np.cos(b), 1e-4)
        y, z, db, da = self.differentiate(build, a, b, grads_required=(inputs, [1, 0]))
        np.testing.assert_allclose(da, y * b, 1e-5)
        y, z, db = self.differentiate(
            build, a, b, grads_required=(inputs, [1]), grads_provided=(outputs, [1])
        )
        np.testing.assert_allclose(db, z * np.cos(b), 1e-5)
        names = [t.name for t in self.info.graph.outputs]
        self.assertEqual(names, ["Gradient___b"])
        self.assertIn("expected_inputs", repr(self.info))

    def test_calls_and_loops(self):
        x = rng.normal(size=(2, 2)).astype("f4")

        def build(x):
            square = popxl.gir().create_graph(lambda t: ops.exp(t) * 0.5, x)
            (y,) = ops.call(square, x)
            (y,) = ops.repeat(square, 2, y)
            return y + ops.call(square, x)[0]

        y, dx = self.differentiate(build, x)
        f = lambda t: np.exp(t) * 0.5
        a, b, c = f(x), f(f(x)), f(f(f(x)))
        np.testing.assert_allclose(y, c + a, 1e-5)
        np.testing.assert_allclose(dx, y * (c * b * a + a), 1e-4)

    def test_branches(self):
        x = rng.normal(size=3).astype("f4")

        def build(x):
            graphs = [popxl.gir().create_graph(f, x) for f in (ops.exp, ops.sin)]
            return ops.conditional(popxl.constant(False), *graphs, [x], [x])[0]

        y, dx = self.differentiate(build, x)
        np.testing.assert_allclose(dx, y * np.cos(x), 1e-4)

    def test_integers_have_no_gradients(self):
        x = rng.normal(size=(3, 2)).astype("f4")

        def build(x, i):
            return ops.gather(x, i), i + 1

        y, _, dx = self.differentiate(build, x, np.array([2, 0, 2], "i4"))
        expected = np.zeros((3, 2))
        np.add.at(expected, [2, 0, 2], y)
        np.testing.assert_allclose(dx, expected, 1e-6)
        ir = popxl.Ir()
        with ir.main_graph:
            spec = popxl.TensorSpec((1,), popxl.int32)
            info = autodiff(ir.create_graph(lambda x: x + x, spec))
        self.assertEqual(len(info.expected_outputs), 0)

    def test_detached(self):
        x = rng.normal(size=3).astype("f4")
        y, dx = self.differentiate(lambda x: x * ops.detach(x), x)
        np.testing.assert_allclose(dx, y * x, 1e-5)

    def test_losses_and_norms(self):
        x = rng.normal(size=(4, 3)).astype("f4")
        labels = np.array([0, 2, 1, 1])

        def build(x):
            p = ops.softmax(x, 1)
            return ops.nll_loss(p, popxl.constant(labels, popxl.int32))

        y, dx = self.differentiate(build, x)
        p = np.exp(x) / np.exp(x).sum(1, keepdims=True)
        np.testing.assert_allclose(dx, y * (p - np.eye(3)[labels]) / 4, 1e-4, 1e-6)

        def norm(x):
            w = popxl.constant(np.ones(3, "f4"))
            return ops.layer_norm(x, w, w)

        _, dx = self.differentiate(norm, x)
        # The gradient of a normalization is orthogonal to constants.
        np.testing.assert_allclose(dx.sum(1), np.zeros(4), atol=1e-5)

    def test_gradients_of_two_graphs_that_share_one(self):
        ir = popxl.Ir()
        x = np.array([0.5, 1.5], "f4")
        with ir.main_graph, popxl.in_sequence():
            v = popxl.variable(x)
            shared = ir.create_graph(ops.exp, v)
            graphs = [
                ir.create_graph(lambda t, k=k: ops.call(shared, t)[0] * k, v)
                for k in (2.0, 3.0)
            ]
            calls = [ops.call_with_info(g, v) for g in graphs]
            streams = []
            for graph, call in zip(graphs, calls):
                info = autodiff(graph)
                one = popxl.constant(np.ones(2, "f4"))
                (dx,) = ops.call(info.graph, one, inputs_dict=info.inputs_dict(call))
                streams.append(store(dx))
            every = autodiff(shared, return_all_grad_graphs=True)
            self.assertIs(every[shared].forward_graph, shared)
        values = run(ir)[1]
        for stream, k in zip(streams, (2, 3)):
            np.testing.assert_allclose(values[stream], k * np.exp(x), 1e-5)

    def test_errors(self):
        ir = popxl.Ir()
        with ir.main_graph:
            a = popxl.variable([1.0])

            def modify(x, y):
                x += y
                return x

            graph = ir.create_graph(modify, a, a)
            message = r"The graph .*modify_subgraph\(0\) contains a modifying op"
            with self.assertRaisesRegex(popart.popart_exception, message):
                autodiff(graph)
            good = ir.create_graph(lambda x: x * x, a)
            other = ops.call_with_info(ir.create_graph(lambda x: x * 2, a), a)
            info = autodiff(good)
            self.assertRaises(TypeError, info.inputs_dict, other)
            with good, self.assertRaises(RuntimeError):
                good.inputs[0] * 2


class Collectives(unittest.TestCase):
    """Gradients of replicas are not added."""

    def gradient(self, f, data, sharded=False, grouped=False):
        ir = popxl.Ir(replication=4)
        group = ir.replica_grouping(group_size=4)
        with ir.main_graph, popxl.in_sequence():
            if sharded:
                _, x = popxl.replica_sharded_variable(data, f32)
            else:
                groups = group.transpose() if grouped else None
                x = popxl.variable(data, f32, replica_grouping=groups)
            graph = ir.create_graph(lambda x: f(ops.collectives, x, group), x)
            info = autodiff(graph)
            call = ops.call_with_info(graph, x)
            (dx,) = ops.call(
                info.graph, call.outputs[0], inputs_dict=info.inputs_dict(call)
            )
            outputs = store(call.outputs[0]), store(dx)
        values = run(ir)[1]
        return [values[s] for s in outputs]

    def test_gathers(self):
        data = rng.random((4, 4, 3)).astype("f4")
        for axis, form, expected in (
            (0, "new_axis", data),
            (1, "concat", np.concatenate(data, 1)),
            (1, "auto", np.concatenate(data, 1)),
        ):
            y, dx = self.gradient(
                lambda c, x, g: c.replicated_all_gather(x, axis, g, form),
                data,
                grouped=True,
            )
            np.testing.assert_allclose(y[0], expected, 1e-6)
            np.testing.assert_allclose(dx, data, 1e-6)
        y, dx = self.gradient(
            lambda c, x, g: c.replicated_all_gather(x, group=g), data[0], sharded=True
        )
        np.testing.assert_allclose(y[0], data[0], 1e-6)
        np.testing.assert_allclose(dx.ravel(), data[0].ravel(), 1e-6)

    def test_slices(self):
        data = rng.random((4, 8)).astype("f4")
        y, dx = self.gradient(lambda c, x, g: c.replicated_slice(x, group=g), data)
        np.testing.assert_allclose(y, data, 1e-6)
        np.testing.assert_allclose(dx[0], data, 1e-6)
        y, _ = self.gradient(lambda c, x, g: c.replicated_slice(x, 1, g), data)
        np.testing.assert_allclose(np.concatenate(y, 1), data, 1e-6)

    def test_reductions(self):
        ir = popxl.Ir(4)
        data = rng.random((4, 5)).astype("f4")
        with ir.main_graph:
            groups = ir.replica_grouping(2, 2)
            x = popxl.variable(data, replica_grouping=ir.replica_grouping(1, 1))
            c = ops.collectives
            streams = [
                store(t)
                for t in (
                    c.replicated_all_reduce(x),
                    c.replicated_all_reduce(x, "max", groups),
                    c.replicated_reduce_scatter(x),
                    c.replicated_all_reduce_(x, "mean"),
                    x,
                )
            ]
            for wrong in ("local", "median"):
                with self.assertRaises(ValueError):
                    c.replicated_all_reduce(x, wrong)
            with self.assertRaises(ValueError):
                c.replicated_all_gather(x, groups)
            with self.assertRaises(ValueError):
                c.replicated_slice(x)
        values = run(ir)[1]
        total, top, parts, mean, after = (values[s] for s in streams)
        np.testing.assert_allclose(total[2], data.sum(0), 1e-5)
        np.testing.assert_array_equal(top[1], data[[1, 3]].max(0))
        np.testing.assert_allclose(parts.ravel()[:5], data.sum(0), 1e-5)
        np.testing.assert_allclose(mean[0], data.mean(0), 1e-5)
        np.testing.assert_allclose(after[3], data.mean(0), 1e-5)


if __name__ == "__main__":
    unittest.main()
