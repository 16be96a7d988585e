# Programs like those of PopXL's documentation, with the results that it states.
# RUN: %python %s

import os
import sys
import unittest

import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "Inputs"))
from programs import run, store

import popxl
from popxl import ops, transforms
from popxl.fp8_utils import host_pow2scale_cast_to_fp8

f32 = popxl.float32
rng = np.random.default_rng(0)


class Linear(popxl.Module):
    def __init__(self):
        self.W = None
        self.b = None

    def build(self, x, out_features, bias=True):
        self.W = popxl.graph_input((x.shape[-1], out_features), f32, "W")
        y = x @ self.W
        if bias:
            self.b = popxl.graph_input((out_features,), f32, "b")
            y = y + self.b
        return y


class Activated(Linear):
    def build(self, x, out_features):
        return ops.gelu(super().build(x, out_features))


class StreamedLinear(Linear):
    def __init__(self):
        super().__init__()
        self.h2d = popxl.h2d_stream((2, 2), f32, name="x_stream")
        self.d2h = popxl.d2h_stream((2, 2), f32, name="y_stream")

    def build(self, x):
        y = super().build(ops.host_load(self.h2d, "x"), 2)
        ops.host_store(self.d2h, y)
        return y


def increment(x, value):
    ops.var_updates.accumulate_(x, popxl.constant(value))


class Graphs(unittest.TestCase):
    def test_simple_addition(self):
        ir = popxl.Ir()
        ir.num_host_transfers = 1
        with ir.main_graph:
            streams = [popxl.h2d_stream((2, 2), f32, name=n) for n in ("a", "b")]
            a, b = (ops.host_load(s, n) for s, n in zip(streams, "ab"))
            output = store(a + b)
        data = {s: rng.random((2, 2)).astype("f4") for s in streams}
        expected = sum(data.values())
        session = popxl.Session(ir, "ipu_model")
        with session:
            np.testing.assert_array_equal(session.run(data)[output], expected)
            outputs = session.create_host_outputs()
            session.run_with_outputs(data, outputs)
            np.testing.assert_array_equal(outputs[output], expected)

    def test_tensor_addition(self):
        ir = popxl.Ir()
        with ir.main_graph:
            a, b = popxl.variable(3, popxl.int8), popxl.constant(1, popxl.int8)
            output = store(a + b)
        self.assertEqual(run(ir)[1][output], 4)

    def test_in_sequence(self):
        ir = popxl.Ir()
        with ir.main_graph, popxl.in_sequence():
            x = popxl.variable(1)
            ops.var_updates.copy_var_update_(x, popxl.constant(5))
            output = store(x)
        self.assertEqual(run(ir)[1][output], 5)

    def test_two_graphs_of_a_function(self):
        ir = popxl.Ir()
        with ir.main_graph:
            stream = popxl.h2d_stream((2, 2), f32)
            x = ops.host_load(stream, "x")
            for w in (popxl.variable(np.ones((2, 2))), popxl.variable(np.ones(2))):
                (x,) = ops.call(ir.create_graph(lambda x, w: x @ w, x, w), x, w)
            output = store(x)
        data = rng.random((2, 2)).astype("f4")
        expected = data @ np.ones((2, 2)) @ np.ones(2)
        np.testing.assert_allclose(run(ir, {stream: data})[1][output], expected, 1e-6)

    def test_calls(self):
        def build(x):
            value = popxl.graph_input((), f32, "value")
            return x + value

        ir = popxl.Ir()
        with ir.main_graph:
            stream = popxl.h2d_stream((2, 2), f32)
            x = ops.host_load(stream, "x")
            graph = ir.create_graph(build, x)
            (y,) = ops.call(graph, x, 1)
            (z,) = ops.call(graph, y, popxl.constant(2.0))
            output = store(z)
        data = np.arange(4).reshape(2, 2)
        np.testing.assert_array_equal(run(ir, {stream: data})[1][output], data + 3)

    def test_modified_inputs(self):
        ir = popxl.Ir()
        with ir.main_graph, popxl.in_sequence():
            x = popxl.variable(1)
            graph = ir.create_graph(increment, x, 1)
            ops.call(graph, x)
            unchanged = store(x)
            ops.call_with_info(graph, x).set_parent_input_modified(x)
            changed = store(x)
        _, outputs = run(ir)
        self.assertEqual(outputs[unchanged], 1)
        self.assertEqual(outputs[changed], 2)

    def test_inputs_by_reference(self):
        def double(x: popxl.TensorByRef, y: popxl.TensorByRef):
            x += y
            y += 1
            return x * 2

        ir = popxl.Ir()
        with ir.main_graph, popxl.in_sequence():
            x, y = popxl.variable([1.0, 2.0]), popxl.variable([5.0, 6.0, 7.0])
            part = ops.slice_(y, 1, 3)
            (z,) = ops.call(ir.create_graph(double, x, part), x, part)
            outputs = [store(t) for t in (x, y, z)]
        values = run(ir)[1]
        expected = [[7, 9], [5, 7, 8], [14, 18]]
        for stream, value in zip(outputs, expected):
            np.testing.assert_array_equal(values[stream], value)

    def test_repeat(self):
        ir = popxl.Ir()
        with ir.main_graph:
            x = popxl.variable(np.ones((2, 2)), f32)
            w, b = popxl.variable(np.ones((2, 2))), popxl.variable(np.ones(2))
            graph = ir.create_graph(lambda x, value: x + value, x, 1)
            linear = Linear()
            layers = ir.create_graph(linear, x, out_features=2)
            weights = {linear.W: w, linear.b: b}
            outputs = [
                store(*ops.repeat(graph, 2, x)),
                store(*ops.repeat(layers, 2, x, inputs_dict=weights)),
                store(*ops.repeat(graph, 0, x)),
            ]
        values = run(ir)[1]
        for stream, value in zip(outputs, (3, 7, 1)):
            np.testing.assert_array_equal(values[stream], np.full((2, 2), value))

    def test_repeat_that_writes_variables(self):
        def count(x, n: popxl.TensorByRef):
            n += 1
            return x + n

        ir = popxl.Ir()
        with ir.main_graph, popxl.in_sequence():
            n = popxl.variable(0)
            x = popxl.constant(0)
            (y,) = ops.repeat(ir.create_graph(count, x, n), 4, x, n)
            outputs = store(y), store(n)
        values = run(ir)[1]
        self.assertEqual([int(values[s]) for s in outputs], [10, 4])

    def test_repeat_with_streams(self):
        ir = popxl.Ir()
        ir.num_host_transfers = 8
        with ir.main_graph:
            w = popxl.variable(rng.normal(size=(2, 2)).astype("f4"))
            b = popxl.variable(rng.normal(size=2).astype("f4"))
            x = ops.init((2, 2), f32, "init")
            linear = StreamedLinear()
            graph = ir.create_graph(linear, x)
            ops.repeat(graph, 8, x, inputs_dict={linear.W: w, linear.b: b})
        data = rng.random((8, 2, 2)).astype("f4")
        values = run(ir, {linear.h2d: data})[1][linear.d2h]
        np.testing.assert_allclose(values, data @ w._data + b._data, 1e-5)

    def test_conditional(self):
        ir = popxl.Ir()
        with ir.main_graph:
            stream = popxl.h2d_stream((1,), popxl.bool)
            condition = ops.host_load(stream)
            x = popxl.variable([1.0, 2.0])
            graphs = [
                ir.create_graph(f, x) for f in (lambda x: x + 5.0, lambda x: x * 3.0)
            ]
            output = store(*ops.conditional(condition, *graphs, [x], [x]))
        session = popxl.Session(ir, "ipu_model")
        with session:
            for value, expected in ((True, [6, 7]), (False, [3, 6])):
                result = session.run({stream: np.array(value)})[output]
                np.testing.assert_array_equal(result, expected)

    def test_code_loading(self):
        ir = popxl.Ir()
        with ir.main_graph, popxl.in_sequence():
            stream = popxl.h2d_stream((4, 2), f32)
            x = ops.host_load(stream)
            inner = ir.create_graph(lambda x: x.T.T + 1, x.spec)
            outer = ir.create_graph(lambda x, g: x + ops.call(g, x)[0], x.spec, inner)
            load = ir.create_graph(lambda g: ops.remote_code_load(g), outer)
            ops.remote_code_load(inner, "executable")
            ops.call(load)
            (x,) = ops.call(outer, x)
            ops.remote_code_load(inner)
            # A graph that is loaded, but never called.
            ops.remote_code_load(ir.create_graph(lambda x: x * 3, x.spec))
            output = store(*ops.call(inner, x))
        data = rng.random((4, 2)).astype("f4")
        np.testing.assert_allclose(run(ir, {stream: data})[1][output], 2 * data + 2, 1e-6)


class Memory(unittest.TestCase):
    def test_remote_variable(self):
        ir = popxl.Ir()
        with ir.main_graph, popxl.in_sequence():
            buffer = popxl.remote_buffer((), popxl.int32, 2)
            v = popxl.remote_variable(1, buffer, 1)
            x = ops.remote_load(buffer, 1)
            ops.var_updates.accumulate_(x, popxl.constant(2))
            ops.remote_store(buffer, 1, x)
            ops.remote_store(buffer, popxl.constant(0), x + 1)
            again = ops.init((), popxl.int32)
            ops.remote_load_(buffer, 0, again)
            outputs = store(x), store(again)
        session, values = run(ir)
        self.assertEqual([int(values[s]) for s in outputs], [3, 4])
        self.assertEqual(session.get_tensor_data(v), 3)

    def test_groups_of_replicas(self):
        ir = popxl.Ir(replication=2)
        data = rng.random((2, 32)).astype("f4")
        group = ir.replica_grouping(group_size=1)
        with ir.main_graph, popxl.in_sequence():
            buffer = popxl.remote_buffer((32,), f32, 1)
            v = popxl.remote_variable(data, buffer, 0, replica_grouping=group)
            x = ops.remote_load(buffer, 0)
            x += 1
            ops.remote_store(buffer, 0, x)
        np.testing.assert_allclose(run(ir)[0].get_tensor_data(v), data + 1)

    def test_shards(self):
        ir = popxl.Ir()
        ir.replication_factor = 2
        with ir.main_graph, popxl.in_sequence():
            buffer = popxl.replica_sharded_buffer((2,), f32)
            remote = popxl.remote_replica_sharded_variable([1.0, 2.0], buffer, 0)
            local, shard = popxl.replica_sharded_variable([1.0, 2.0], f32)
            for x in (ops.remote_load(buffer, 0, "x"), shard):
                whole = ops.collectives.replicated_all_gather(x)
                whole += popxl.constant([3, 4], f32)
                part = ops.collectives.replica_sharded_slice(whole)
                if x is shard:
                    ops.var_updates.copy_var_update_(shard, part)
                else:
                    ops.remote_store(buffer, 0, part)
        session = run(ir)[0]
        for v in (remote, local):
            np.testing.assert_array_equal(session.get_tensor_data(v), [4, 6])

    def test_shapes_of_replicated_variables(self):
        ir = popxl.Ir()
        ir.replication_factor = 8
        expected = {(1, 8): (), (1, 1): (8,), (1, 2): (4,), (4, 2): (4,), (2, 2): (4,)}
        with ir.main_graph:
            for (stride, size), groups in expected.items():
                group = ir.replica_grouping(stride=stride, group_size=size)
                v = popxl.variable(np.ones((*groups, 3, 3)), replica_grouping=group)
                self.assertEqual(v.shape, (3, 3))
                self.assertEqual(v.shape_on_host, (*groups, 3, 3))

    def test_float8(self):
        def build(x, w):
            scaled = ops.pow2scale_cast_to_fp8(x, popxl.constant(1, popxl.int32))
            return ops.gelu(ops.conv_pow2scaled(scaled, w, popxl.constant(-1)))

        weights = np.ones((3, 2, 3, 3), "f4")
        ir = popxl.Ir()
        with ir.main_graph:
            stream = popxl.h2d_stream((1, 2, 5, 5), popxl.float16)
            x = ops.host_load(stream)
            data = host_pow2scale_cast_to_fp8(weights, popxl.float8_143)
            w = popxl.variable(data, popxl.float8_143)
            output = store(*ops.call(ir.create_graph(build, x, w), x, w))
        value = run(ir, {stream: np.ones((1, 2, 5, 5), "f2")})[1][output]
        np.testing.assert_array_equal(value, np.full((1, 3, 3, 3), 18, "f2"))


class Gradients(unittest.TestCase):
    def test_layer(self):
        ir = popxl.Ir()
        with ir.main_graph:
            stream = popxl.h2d_stream((2, 3), f32)
            x = ops.host_load(stream, "x")
            w = popxl.variable(rng.random((3, 4)).astype("f4"), name="W")
            b = popxl.variable(rng.random(4).astype("f4"), name="b")
            linear = Linear()
            graph = ir.create_graph(linear, x, out_features=4)
            call = ops.call_with_info(graph, x, inputs_dict={linear.W: w, linear.b: b})
            info = transforms.autodiff(graph)
            seed = popxl.constant(np.ones((2, 4), np.float32))
            gradients = ops.call_with_info(
                info.graph, seed, inputs_dict=info.inputs_dict(call)
            )
            of = info.fwd_parent_ins_to_grad_parent_outs(call, gradients)
            outputs = [store(t) for t in (call.outputs[0], of[x], of[w], of[b])]
        data = rng.random((2, 3)).astype("f4")
        values = run(ir, {stream: data})[1]
        one = np.ones((2, 4))
        expected = [
            data @ w._data + b._data,
            one @ w._data.T,
            data.T @ one,
            one.sum(0),
        ]
        for output, value in zip(outputs, expected):
            np.testing.assert_allclose(values[output], value, 1e-5)

    def test_training(self):
        """A network of two layers, whose loss falls as in numpy."""
        w0, w1 = rng.normal(size=(6, 5)).astype("f4"), rng.normal(size=(5, 3)).astype("f4")
        ir = popxl.Ir()
        with ir.main_graph, popxl.in_sequence():
            streams = popxl.h2d_stream((4, 6), f32), popxl.h2d_stream((4,), popxl.int32)
            x, labels = map(ops.host_load, streams)
            variables, infos, y = {}, [], x
            for n, w in enumerate((w0, w1)):
                layer = Activated()
                graph = ir.create_graph(layer, y, out_features=w.shape[1])
                inputs = {
                    layer.W: popxl.variable(w, name=f"W{n}"),
                    layer.b: popxl.variable(np.zeros(w.shape[1], "f4"), name=f"b{n}"),
                }
                variables.update((v.name, v) for v in inputs.values())
                infos.append(ops.call_with_info(graph, y, inputs_dict=inputs))
                y = infos[-1].outputs[0]
            probabilities = ops.softmax(y, axis=-1)
            loss, dy = ops.nll_loss_with_softmax_grad(probabilities, labels)
            updates = []
            for info in reversed(infos):
                gradient = transforms.autodiff(info.called_graph)
                call = ops.call_with_info(
                    gradient.graph, dy, inputs_dict=gradient.inputs_dict(info)
                )
                of = gradient.fwd_parent_ins_to_grad_parent_outs(info, call)
                dy = of[info.inputs[0]]
                updates += [(v, of[v]) for v in info.inputs[1:]]
            for v, g in updates:
                ops.scaled_add_(v, g, b=-0.1)
            output = store(loss)
        data = rng.normal(size=(4, 6)).astype("f4"), np.array([0, 1, 2, 1], "i4")
        session = popxl.Session(ir, "ipu_model")
        expected = _Network(w0, w1)
        with session:
            for _ in range(3):
                value = session.run(dict(zip(streams, data)))[output]
                self.assertAlmostEqual(value, expected.step(*data), places=4)
        for name, v in variables.items():
            np.testing.assert_allclose(
                session.get_tensor_data(v), expected.values[name], 1e-3, 1e-4
            )


class _Network:
    """The network of `test_training` in numpy, in f64."""

    def __init__(self, w0, w1):
        self.values = {"W0": w0, "b0": 0 * w0[0], "W1": w1, "b1": 0 * w1[0]}

    @staticmethod
    def gelu(x):
        t = np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x**3))
        inner = np.sqrt(2 / np.pi) * (1 + 3 * 0.044715 * x**2)
        return 0.5 * x * (1 + t), 0.5 * (1 + t) + 0.5 * x * (1 - t**2) * inner

    def step(self, x, labels):
        v = self.values
        h, dh = self.gelu(x.astype("f8") @ v["W0"] + v["b0"])
        y, dy = self.gelu(h @ v["W1"] + v["b1"])
        p = np.exp(y) / np.exp(y).sum(1, keepdims=True)
        g1 = (p - np.eye(3)[labels]) / 4 * dy
        g0 = g1 @ v["W1"].T * dh
        gradients = {"W1": h.T @ g1, "b1": g1.sum(0), "W0": x.T @ g0, "b0": g0.sum(0)}
        self.values = {k: v[k] - 0.1 * gradients[k] for k in v}
        return -np.log(p[np.arange(4), labels]).mean()


class Placement(unittest.TestCase):
    def test_pipeline(self):
        """Three stages on three IPUs, of which each processes another batch."""
        count = 4
        ir = popxl.Ir()
        ir.num_host_transfers = count
        w = rng.normal(size=(4, 4)).astype("f4")
        with ir.main_graph, popxl.in_sequence():
            variable = popxl.variable(w)
            load, save = popxl.h2d_stream((2, 4), f32), popxl.d2h_stream((2, 4), f32)
            stages = [
                lambda _: ops.host_load(load, "x") @ variable,
                ops.relu,
                lambda x: ops.host_store(save, x * 2),
            ]
            passed = {}
            for cycle in range(count + 2):
                results = {}
                for ipu, stage in enumerate(stages):
                    if 0 <= cycle - ipu < count:
                        with popxl.ipu(ipu):
                            results[ipu] = stage(passed.get(ipu))
                for ipu, t in results.items():
                    if t is not None:
                        with popxl.ipu(ipu):
                            passed[ipu + 1] = t.copy_to_ipu(ipu + 1)
        data = rng.normal(size=(count, 2, 4)).astype("f4")
        value = run(ir, {load: data})[1][save]
        np.testing.assert_allclose(value, 2 * np.maximum(data @ w, 0), 1e-5, 1e-6)

    def test_io_tiles(self):
        ir = popxl.Ir()
        with ir.main_graph:
            load, save = popxl.h2d_stream((4,), f32), popxl.d2h_stream((4,), f32)
            buffer = popxl.remote_buffer((4,), f32, 2)
            with transforms.io_tile_exchange():
                x, y = ops.host_load(load), ops.remote_load(buffer, 0)
            z = ops.io_tile_copy(x) * 2 + ops.io_tile_copy(y)
            z = ops.io_tile_copy(z)
            with transforms.io_tile_exchange():
                ops.host_store(save, z)
                ops.remote_store(buffer, 0, z)
        types = [op.opType() for op in ir.main_graph._pb_graph.getOps()]
        self.assertEqual(types.count("MultiExchange"), 2)
        data = np.arange(4)
        np.testing.assert_array_equal(run(ir, {load: data}, 2)[1][save], 4 * data)


if __name__ == "__main__":
    unittest.main()
