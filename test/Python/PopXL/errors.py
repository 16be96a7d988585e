# Wrong programs, and the properties of tensors, graphs and other objects.
# RUN: %python %s

import os
import sys
import unittest

import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "Inputs"))
import programs

import popart
import popxl
from popxl import ops
from popxl.errors import UndefinedValue

f32, i32 = popxl.float32, popxl.int32
PE = popart.popart_exception


def v(*shape, dtype=f32):
    return popxl.variable(np.ones(shape), dtype)


class Ops(unittest.TestCase):
    def check(self, cases):
        ir = popxl.Ir()
        other = popxl.Ir().main_graph
        for error, create in cases:
            with ir.main_graph, self.subTest(create.__code__.co_firstlineno):
                with self.assertRaises(error):
                    create()
        return other

    def test_operands(self):
        sub = popxl.Ir()
        with sub.main_graph:
            elsewhere = v(2)
        self.check(
            [
                (TypeError, lambda: ops.add(v(2), 1)),
                (ValueError, lambda: ops.add(v(2), elsewhere)),
                (PE, lambda: v(2) + v(2, dtype=i32)),
                (PE, lambda: v(2) + v(3)),
                (PE, lambda: ops.add_(v(1), v(3))),
                (ValueError, lambda: v(2) + []),
                (TypeError, lambda: v(2)["a"]),
                (TypeError, lambda: v(2)[True]),
                (TypeError, lambda: v(2)[1.5]),
                (TypeError, lambda: iter(v(2))),
                (TypeError, lambda: 1 in v(2)),
                (ValueError, lambda: len(popxl.variable(1))),
                (ValueError, lambda: v(2, 2, 2).diag()),
                (TypeError, lambda: ops.cast(v(2), popxl.float8_143)),
                (TypeError, lambda: ops.pow2scale_cast_to_fp8(v(2), 0, f32)),
                (TypeError, lambda: ops.pow2scale_cast_from_fp8(v(2))),
            ]
        )

    def test_shapes(self):
        self.check(
            [
                (ValueError, lambda: v(2, 3).reshape((-1, -1))),
                (ValueError, lambda: v(2, 3).reshape((0, 6))),
                (ValueError, lambda: v(2, 3).reshape((-2, 3))),
                (ValueError, lambda: v(2, 3).reshape((4,))),
                (ValueError, lambda: ops.squeeze(v(1, 2), [0, 0])),
                (ValueError, lambda: ops.squeeze(v(1, 2), [1])),
                (ValueError, lambda: ops.squeeze(v(1, 2), [2])),
                (ValueError, lambda: v(2, 3).transpose((0, 2))),
                (PE, lambda: v(2, 3).transpose((0, 0))),
                (ValueError, lambda: ops.slice(v(4, 4), [2], [3, 4], axis=[1, 0])),
                (PE, lambda: ops.slice(v(4), 0, 4, 2)),
                (ValueError, lambda: ops.subsample(v(4), [1, 1])),
                (PE, lambda: ops.subsample(v(4), 0)),
                (ValueError, lambda: ops.split(v(5), 2)),
                (PE, lambda: ops.split(v(5), [1, 2])),
                (TypeError, lambda: ops.concat([v(2), v(2, dtype=i32)])),
                (PE, lambda: ops.concat([v(2, 4), v(3)])),
                (ValueError, lambda: ops.init((2,), f32, init_type="one")),
                (PE, lambda: ops.topk(v(3), 4, 0, True, True)),
                (PE, lambda: ops.sum(v(3), 1)),
                (PE, lambda: v(2, 3) @ v(2, 3)),
                (PE, lambda: ops.groupedgather(v(2, 2), v(2, 1, dtype=i32), 0, 2)),
                (ValueError, lambda: ops.scatter_reduce(v(2), v(2, dtype=i32), "sum")),
                (ValueError, lambda: ops.histogram(v(2), [2, 1], False)),
            ]
        )

    def test_arguments(self):
        x = lambda: v(1, 1, 4, 4)
        self.check(
            [
                (ValueError, lambda: ops.matmul(v(2, 2), v(2, 2), partials_type=i32)),
                (TypeError, lambda: ops.matmul_pow2scaled(v(2, 2), v(2, 2), 0)),
                (ValueError, lambda: ops.conv(x(), x(), pad_type="some")),
                (ValueError, lambda: ops.max_pool(x(), (2, 2), auto_pad="some")),
                (PE, lambda: ops.average_pool(x(), (2, 2), in_dilations=(2, 2))),
                (PE, lambda: ops.batch_norm_inference(*[v(2)] * 5)),
                (PE, lambda: ops.group_norm(v(2, 3), v(3), v(3), 2)),
                (ValueError, lambda: ops.nll_loss(v(2, 3), v(2, dtype=i32), reduction="x")),
                (PE, lambda: ops.nll_loss(v(2, 3), v(3, dtype=i32))),
                (ValueError, lambda: ops.interpolate(x(), mode="some")),
                (ValueError, lambda: ops.split_random_seed(v(2))),
                (ValueError, lambda: ops.split_random_seed(v(3, dtype=popxl.uint32))),
                (ValueError, lambda: ops.host_store(popxl.d2h_stream((2,), i32), v(2))),
                (ValueError, lambda: ops.host_store(popxl.d2h_stream((3,), f32), v(2))),
                (ValueError, lambda: ops.remote_store(popxl.remote_buffer((3,), f32), 0, v(2))),
                (ValueError, lambda: popxl.remote_buffer((3,), f32, 0)),
                (ValueError, lambda: ops.remote_code_load(popxl.gmg())),
                (NotImplementedError, lambda: ops.remote_code_load(graph(), "io")),
                (ValueError, lambda: ops.ipu_copy(v(2), 1)),
                (PE, lambda: ops.var_updates.accumulate_(v(2), v(3))),
                (ValueError, lambda: ops.var_updates.adam_updater(v(2), v(2), weight_decay=0.1)),
                (ValueError, lambda: ops.var_updates.adam_updater(v(2), v(2), time_step=v())),
                (ValueError, lambda: ops.var_updates.adamax_updater(v(2), v(2))),
                (ValueError, lambda: ops.collectives.all_reduce([v(2)], ipus=[0, 1])),
                (ValueError, lambda: ops.collectives.all_reduce([v(2)])),
            ]
        )

    def test_calls(self):
        self.check(
            [
                (ValueError, lambda: ops.call(graph(), v(2), v(2))),
                (ValueError, lambda: ops.call(graph())),
                (ValueError, lambda: ops.call(g := graph(), v(2), inputs_dict={g.inputs[0]: v(2)})),
                (ValueError, lambda: ops.call(graph(), v(2), inputs_dict={v(2): v(2)})),
                (TypeError, lambda: ops.call(graph(), "a")),
                (TypeError, lambda: ops.call(graph(), None)),
                (PE, lambda: ops.call(graph(), v(3))),
                (PE, lambda: ops.call(graph(), v(2, dtype=i32))),
                (ValueError, lambda: ops.repeat(graph(), -1, v(2))),
                (ValueError, lambda: ops.repeat(graph(lambda x: (x, x)), 2, v(2))),
                (PE, lambda: ops.repeat(graph(ops.sum), 2, v(2))),
                (
                    ValueError,
                    lambda: ops.conditional(v(1), graph(), graph(lambda x: (x, x)), [v(2)], [v(2)]),
                ),
                (IndexError, lambda: ops.call_with_info(graph(), v(2)).parent_input(1)),
                (ValueError, lambda: ops.call_with_info(graph(), v(2)).parent_to_graph(v(2))),
                (ValueError, lambda: ops.call_with_info(graph(), v(2)).graph_to_parent(v(2))),
            ]
        )

    def test_placement(self):
        def on_two_ipus():
            a = v(2) + 0
            with popxl.ipu(1):
                b = v(2) + 0
            return a + b

        def on_two_tile_sets():
            a = v(2) + 0
            with popxl.io_tiles():
                b = v(2) + 0
            return a + b

        def without_overlap():
            with popxl.transforms.io_tile_exchange():
                buffer = popxl.remote_buffer((), f32)
                ops.remote_store(buffer, 0, ops.remote_load(buffer, 0))

        self.check(
            [
                (ValueError, on_two_ipus),
                (ValueError, on_two_tile_sets),
                (RuntimeError, without_overlap),
                (UndefinedValue, lambda: v(2).ipu),
                (UndefinedValue, lambda: v(2).tile_set),
                (TypeError, lambda: popxl.in_sequence(None).__enter__()),
            ]
        )


def graph(f=lambda x: x + 1):
    return popxl.gir().create_graph(f, popxl.TensorSpec((2,), f32))


class Objects(unittest.TestCase):
    def test_tracing(self):
        ir = popxl.Ir()
        with ir.main_graph:
            a = popxl.variable(1)

            def f(x: popxl.TensorByRef, ys, *zs: popxl.TensorByRef, k=3, **named):
                self.assertIsInstance(ys, list)
                return x + ys[0] + zs[0] + k + named["other"]

            g = ir.create_graph(f, a, [a.spec, a], a, other=a)
            self.assertEqual([t.name for t in g.inputs], ["x", "ys_0", "ys_1", "zs_0", "other"])
            self.assertEqual({t.name for t in g._by_ref_inputs}, {"x", "zs_0"})
            self.assertEqual(len(g.constants), 1)
            self.assertTrue(g.id.endswith("test_tracing.f_subgraph(0)"), g.id)
            self.assertEqual(g.inputs[0].id, f"{g.id}/x")
            again = ir.create_graph(f, a, [a], a, other=a)
            self.assertTrue(again.id.endswith("f_subgraph(1)"))
            for error, arguments in (
                (ValueError, ()),
                (ValueError, (a, [a], a, a, 1, 2)[:1]),
                (TypeError, (a, [a, 5])),
                (TypeError, (a, [a], a, 5)),
            ):
                with self.assertRaises(error):
                    ir.create_graph(f, *arguments)
            for result in (True, [True, True], "text"):
                with self.assertRaises(ValueError):
                    ir.create_graph(lambda: result)
            with self.assertRaises(TypeError):
                ir.create_graph(object())
            with self.assertRaises(NotImplementedError):
                ir.create_graph(popxl.Module())
            with ir.create_empty_graph(), self.assertRaises(ValueError):
                popxl.variable(1)

    def test_contexts(self):
        ir = popxl.Ir()
        for f in (popxl.gcg, popxl.gmg, popxl.gir):
            self.assertRaises(RuntimeError, f)
        with self.assertRaises(RuntimeError), ir.main_graph, popxl.Ir().main_graph:
            pass
        with ir.main_graph:
            self.assertIs(popxl.gcg(), ir.main_graph)
            with popxl.name_scope("a"), popxl.name_scope("b"):
                x = popxl.variable(1, name="x")
            with popxl.ipu(1), popxl.io_tiles():
                y = x + 0
        self.assertEqual((x.id, x.scope), ("a/b/x", "a/b"))
        self.assertEqual((y.ipu, y.tile_set), (1, "io"))
        self.assertRaises(RuntimeError, popxl.gcg)

    def test_names(self):
        ir = popxl.Ir()
        with ir.main_graph:
            x = popxl.variable(np.ones((2, 2)), name="x")
            again = popxl.constant(1, name="x")
            stream = popxl.h2d_stream((), f32, name="x_stream")
            loaded = ops.host_load(stream, "a")
            buffer = popxl.remote_buffer((2, 2), f32)
            names = [
                (x.T, "x_T"),
                (x.reshape((4,)), "x_reshaped"),
                (ops.split(x, 2)[1], "x_split_1"),
                (ops.cast(x, i32), "x_int32"),
                (x.copy_to_ipu(1, 0), "x_c1"),
                (ops.identity(x), "identity_x"),
                (ops.rename(x, "new"), "new"),
                (x + x, "add_out"),
                (loaded, "a_hostload"),
                (ops.remote_load(buffer, 0), "id_1_offset_0_remote_loaded"),
                (ops.var_updates.accumulate_(x, x), "accumulate__x"),
                (ops.var_updates.copy_var_update_(x, x), "updated__x"),
                (ops.scaled_add_(x, x), "scaled_add__x"),
                (ops.exp_(x), "exp_inplace_out"),
            ]
        self.assertEqual([t.id for t, _ in names], [name for _, name in names])
        self.assertRegex(again.id, r"^x__t\d+$")
        self.assertEqual(x.name, "x")

    def test_tensors(self):
        ir = popxl.Ir()
        with ir.main_graph:
            x = popxl.variable(np.ones((2, 3), "f4"), name="bob")
            y = popxl.variable(1)
        self.assertEqual(repr(x), "Tensor[bob popxl.dtypes.float32 (2, 3)]")
        self.assertEqual((x.rank, x.nelms, len(x), x.strides()), (2, 6, 2, (12, 4)))
        self.assertNotEqual(x, y)
        self.assertEqual(len({x, y}), 2)
        self.assertEqual(dict(x.spec), {"shape": (2, 3), "dtype": f32, "meta_shape": ()})
        self.assertEqual(y.dtype, i32)
        for cls in (popxl.Tensor, popxl.Graph, popxl.ReplicaGrouping, popxl.HostToDeviceStream):
            self.assertRaises(RuntimeError, cls)
        self.assertRaises(TypeError, popxl.dtype)
        with self.assertRaises(TypeError):
            ir.main_graph == 1
        with self.assertRaises(TypeError):
            1 in ir.main_graph

    def test_hooks(self):
        ir = popxl.Ir()
        seen = []
        handle = ir.main_graph.register_op_created_hook(seen.append)
        with ir.main_graph:
            x = popxl.variable(1) + 1
            ir.create_graph(lambda x: x + 1, x)
            self.assertEqual([op.opType() for op in seen], ["Add"])
            ir.main_graph.remove_op_created_hook(handle)
            x + 1
        self.assertEqual(len(seen), 1)
        self.assertRaises(ValueError, ir.main_graph.remove_op_created_hook, handle)

    def test_groups(self):
        ir = popxl.Ir(16)
        for stride, size, assignment, transposed in (
            (1, 4, [0] * 4 + [1] * 4 + [2] * 4 + [3] * 4, (4, 4)),
            (2, 8, [0, 1] * 8, (1, 2)),
            (8, 2, list(range(8)) * 2, (1, 8)),
            (1, 1, list(range(16)), (1, 16)),
        ):
            group = ir.replica_grouping(stride, size)
            self.assertEqual(group.assignment, assignment)
            other = group.transpose()
            self.assertEqual((other.stride, other.group_size), transposed)
        for arguments in ((0,), (3,), (1, 0), (1, 32), (1, 3)):
            self.assertRaises(ValueError, ir.replica_grouping, *arguments)
        self.assertEqual(
            repr(ir.replica_grouping(2, 4)),
            "ReplicaGrouping(num_replicas=16, stride=2, group_size=4, num_groups=4)",
        )
        ir = popxl.Ir(4)
        for assignment in ([1, 0, 0, 1], [0, 0, 0, 1], [0, 0], [0, 2, 0, 2]):
            with self.assertRaises(ValueError):
                ir.replica_grouping_from_assignments(assignment)
        group = ir.replica_grouping_from_assignments([0, 1, 1, 0])
        with self.assertRaises(NotImplementedError):
            group.stride

    def test_host_data(self):
        from popxl.fp8_utils import host_fp8_mse_scale
        from popxl.utils import to_numpy

        self.assertEqual(to_numpy(np.ones(2)).dtype, np.float32)
        self.assertEqual(to_numpy([1, 2]).dtype, np.int32)
        self.assertEqual(to_numpy(np.ones(2), downcast=False).dtype, np.float64)
        self.assertEqual(to_numpy([1.0], popxl.float8_143).dtype.names, ("float8_143",))
        self.assertRaises(RuntimeError, to_numpy, [1.0], None, True, True, 1)
        self.assertRaises(TypeError, to_numpy, [1], popxl.float8_143)
        self.assertEqual(host_fp8_mse_scale(np.array([0.00098, 240]), popxl.float8_143)[1], 0)
        seeds = popxl.create_seeds(7, batches_per_step=3, replicas=2)
        self.assertEqual((seeds.shape, seeds.dtype), ((3, 2, 2), np.uint32))
        for name in ("float16", np.float16, np.dtype("f2"), np.ones(1, "f2")):
            self.assertIs(popxl.dtype.as_dtype(name), popxl.half)
        self.assertRaises(ValueError, popxl.dtype.as_dtype, "float17")


if __name__ == "__main__":
    unittest.main()
