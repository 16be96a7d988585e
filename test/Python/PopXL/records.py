# What programs record: for each op the type and the class of PopART, and the number of
# tensors that it adds to its graph.
# RUN: %python %s

import unittest

import numpy as np

import popart._internal.ir as _ir
import popxl
from popxl import ops

f32, i32, u32 = popxl.float32, popxl.int32, popxl.uint32


def v(*shape, dtype=f32):
    """A variable of ones."""
    return popxl.variable(np.ones(shape), dtype)


def seed():
    return popxl.variable([1, 2], u32)


def branches():
    ir = popxl.gir()
    spec = popxl.TensorSpec((2,), f32)
    return [ir.create_graph(f, spec) for f in (lambda x: x + 1, lambda x: x * 2)]


def call_graph():
    graph = popxl.gir().create_graph(lambda x: x + 1, popxl.TensorSpec((2,), f32))
    return graph


u, c = ops.var_updates, ops.collectives
# The op, its type, its class without "Op", and the tensors that it adds besides the
# variables.
CASES = [
    (lambda: ops.abs(v(2)), "Abs", "Abs", 1),
    (lambda: v(2) + v(2), "Add", "Add", 1),
    (lambda: v(2) + 1, "Add", "Add", 2),
    (lambda: 1 + v(2), "Add", "Add", 2),
    (lambda: ops.add_(v(2), v(2)), "AddLhsInplace", "AddLhsInplace", 1),
    (lambda: v(2) - v(2), "Sub", "Subtract", 1),
    (lambda: v(2) * v(2), "Mul", "Mul", 1),
    (lambda: v(2) / v(2), "Div", "Div", 1),
    (lambda: v(2) % v(2), "Fmod", "Fmod", 1),
    (lambda: v(2) ** 2, "Pow", "Pow", 2),
    (lambda: -v(2), "Neg", "Negate", 1),
    (lambda: v(2, 2) @ v(2, 2), "MatMul", "MatMul", 1),
    (lambda: ops.maximum(v(2), v(2)), "Max", "Max", 1),
    (lambda: ops.ceil(v(2)), "Ceil", "Ceil", 1),
    (lambda: ops.floor(v(2)), "Floor", "Floor", 1),
    (lambda: ops.clip(v(2)), "Clip", "Clip", 1),
    (lambda: ops.clamp(v(2)), "Clip", "Clip", 1),
    (lambda: ops.cos(v(2)), "Cos", "Cos", 1),
    (lambda: ops.sin(v(2)), "Sin", "Sin", 1),
    (lambda: ops.exp(v(2)), "Exp", "Exp", 1),
    (lambda: ops.exp_(v(2)), "ExpInplace", "ExpInplace", 1),
    (lambda: ops.log(v(2)), "Log", "Log", 1),
    (lambda: ops.log2(v(2)), "Div", "Div", 4),
    (lambda: ops.sqrt(v(2)), "Sqrt", "Sqrt", 1),
    (lambda: ops.tanh(v(2)), "Tanh", "Tanh", 1),
    (lambda: ops.sign(v(2)), "Sign", "Sign", 1),
    (lambda: ops.relu(v(2)), "Relu", "Relu", 1),
    (lambda: ops.relu_(v(2)), "ReluInplace", "ReluInplace", 1),
    (lambda: ops.gelu(v(2)), "Gelu", "Gelu", 1),
    (lambda: ops.gelu_(v(2)), "GeluInplace", "GeluInplace", 1),
    (lambda: ops.geluerf(v(2)), "GeluErf", "GeluErf", 1),
    (lambda: ops.geluerf_(v(2)), "GeluErfInplace", "GeluErfInplace", 1),
    (lambda: ops.swish(v(2)), "Swish", "Swish", 1),
    (lambda: ops.swish_(v(2)), "SwishInplace", "SwishInplace", 1),
    (lambda: ops.increment_mod(v(2), 1, 3), "IncrementMod", "IncrementMod", 1),
    (lambda: ops.increment_mod_(v(2), 1, 3), "IncrementModInplace", "IncrementModInplace", 1),
    (lambda: ops.equal(v(2), v(2)), "Equal", "Equal", 1),
    (lambda: ops.greater(v(2), v(2)), "Greater", "Greater", 1),
    (lambda: v(2) & v(2), "And", "And", 3),
    (lambda: v(2) | v(2), "Or", "Or", 3),
    (lambda: ~v(2), "Not", "Not", 2),
    (lambda: ops.isnan(v(2)), "IsNaN", "IsNaN:", 1),
    (lambda: ops.isinf(v(2)), "IsInf", "IsInf:", 1),
    (lambda: ops.isfinite(v(2)), "IsInf", "IsInf:", 5),
    (lambda: ops.where(v(2), v(2), v(2)), "Where", "Where", 2),
    (lambda: ops.scaled_add(v(2), v(2), b=2), "ScaledAdd", "ScaledAdd", 1),
    (lambda: ops.scaled_add_(v(2), v(2)), "ScaledAddLhsInplace", "ScaledAddLhsInplace", 1),
    (lambda: ops.cast(v(2), i32), "Cast", "Cast", 1),
    (lambda: ops.identity(v(2)), "Identity", "Identity", 1),
    (lambda: ops.detach(v(2)), "Detach", "Detach", 1),
    (lambda: ops.detach_(v(2)), "DetachInplace", "DetachInplace", 1),
    (lambda: ops.sum(v(2)), "ReduceSum", "ReduceSum", 1),
    (lambda: ops.mean(v(2)), "ReduceMean", "ReduceMean", 1),
    (lambda: ops.max(v(2)), "ReduceMax", "ReduceMax", 1),
    (lambda: ops.min(v(2)), "ReduceMin", "ReduceMin", 1),
    (lambda: ops.prod(v(2)), "ReduceProd", "ReduceProd", 1),
    (lambda: ops.l1(v(2)), "ReduceL1", "ReduceL1", 1),
    (lambda: ops.l2(v(2)), "ReduceL2", "ReduceL2", 1),
    (lambda: ops.sumsquare(v(2)), "ReduceSumSquare", "ReduceSumSquare", 1),
    (lambda: ops.logsum(v(2)), "ReduceLogSum", "ReduceLogSum", 1),
    (lambda: ops.logsumexp(v(2)), "ReduceLogSumExp", "ReduceLogSumExp", 1),
    (lambda: ops.median(v(2)), "ReduceMedian", "ReduceMedian", 2),
    (lambda: ops.lamb_square(v(2)), "LambSquare", "LambSquare", 1),
    (lambda: ops.argmax(v(2)), "ArgMax", "ArgMax", 1),
    (lambda: ops.argmin(v(2)), "ArgMin", "ArgMin", 1),
    (lambda: ops.cumsum(v(2)), "CumSum", "CumSum", 2),
    (lambda: ops.histogram(v(2), [0.1, 5], True), "Histogram", "Histogram", 1),
    (lambda: ops.topk(v(3), 2, 0, True, True), "TopK", "TopK", 2),
    (lambda: v(2, 3).reshape((6,)), "Reshape", "Reshape", 1),
    (lambda: v(2, 3).reshape_((6,)), "ReshapeInplace", "ReshapeInplace", 1),
    (lambda: v(2, 3).flatten(), "Reshape", "Reshape", 1),
    (lambda: ops.squeeze(v(2, 1)), "Reshape", "Reshape", 1),
    (lambda: v(2, 3).T, "Transpose", "Transpose", 1),
    (lambda: v(2, 3).T_, "TransposeInplace", "TransposeInplace", 1),
    (lambda: ops.slice(v(4), 1, 3), "Slice", "Slice", 1),
    (lambda: ops.slice_(v(4), 1, 3), "SliceInplace", "SliceInplace", 1),
    (lambda: ops.slice(v(4), axis=0), None, None, 0),
    (lambda: v(4)[1], "Reshape", "Reshape", 2),
    (lambda: v(4)[::2], "Subsample", "Subsample", 1),
    (lambda: ops.subsample(v(4), [2]), "Subsample", "Subsample", 1),
    (lambda: ops.split(v(4), [1, 3]), "Split", "Split", 2),
    (lambda: ops.concat([v(2), v(3)]), "Concat", "Concat", 1),
    (lambda: ops.concat_([v(2), v(3)]), "ConcatInplace", "ConcatInplace", 1),
    (lambda: ops.init((2,), f32), "Init", "Init", 1),
    (lambda: ops.gather(v(2, 2), v(2, dtype=i32)), "Gather", "Gather", 1),
    (lambda: ops.tied_gather(v(2, 2), v(2, dtype=i32)), "PopartTiedGather", "TiedGather", 1),
    (lambda: v(2, 2)[v(2, dtype=i32)], "Gather", "Gather", 1),
    (lambda: v(2)[popxl.variable([True, False])], "Where", "Where", 2),
    (lambda: ops.scatter(v(3, 3), v(2, 3, dtype=i32), v(2, 3)), "Scatter", "Scatter", 1),
    (
        lambda: ops.scatter_reduce(v(3, 2), v(3, dtype=i32), "sum", axis_size=5),
        "ScatterReduce",
        "ScatterReduce",
        1,
    ),
    (
        lambda: ops.onehot(v(2, dtype=i32), popxl.constant(6), popxl.constant([0, 1]), 1),
        "OneHot",
        "Onehot",
        3,
    ),
    (
        lambda: ops.dynamic_slice(v(3, 5), v(1, dtype=i32), [0], [1], True),
        "DynamicSlice",
        "DynamicSlice",
        1,
    ),
    (
        lambda: ops.dynamic_update_(v(3, 5), v(1, dtype=i32), v(1, 5), [0], [1], True),
        "DynamicUpdateInplace",
        "DynamicUpdateInplace",
        1,
    ),
    (lambda: ops.conv(v(1, 2, 3, 3), v(2, 2, 1, 1)), "Conv", "Conv", 1),
    (
        lambda: ops.conv_transpose(v(1, 2, 3, 3), v(2, 2, 1, 1)),
        "ConvTranspose",
        "ConvTranspose",
        1,
    ),
    (lambda: ops.average_pool(v(1, 2, 3, 3), (3, 3)), "AveragePool", "AveragePool", 1),
    (lambda: ops.max_pool(v(1, 2, 3, 3), (3, 3)), "MaxPool", "MaxPool", 1),
    (lambda: ops.interpolate(v(1, 1, 2, 2), (1, 1, 1, 1)), "Resize", "Resize", 1),
    (
        lambda: ops.roi_align(v(1, 1, 4, 4), v(2, 4), v(2, dtype=i32), (2, 2), 0.5, 2),
        "RoiAlign",
        "RoiAlign",
        1,
    ),
    (
        lambda: ops.batch_norm_inference(v(2, 3, 2), v(3), v(3), v(3), v(3)),
        "BatchNormalization",
        "BatchNorm",
        1,
    ),
    (lambda: ops.group_norm(v(2, 4), v(4), v(4), 2), "GroupNormalization", "GroupNorm", 3),
    (lambda: ops.layer_norm(v(2, 4), v(4), v(4)), "GroupNormalization", "GroupNorm", 3),
    (lambda: ops.softmax(v(2, 4), 1), "Softmax", "Softmax", 1),
    (lambda: ops.nll_loss(v(2, 4), v(2, dtype=i32)), "Nll", "Nll", 1),
    (
        lambda: ops.nll_loss_with_softmax_grad(v(2, 4), v(2, dtype=i32)),
        "NlllWithSoftmaxGradDirect",
        "NlllWithSoftmaxGradDirect",
        3,
    ),
    (lambda: ops.dropout(v(2), seed(), 0.3), "Dropout", "Dropout", 1),
    (lambda: ops.shaped_dropout(v(8, 2), seed(), [8, 1], 0.5), "ShapedDropout", "ShapedDropout", 1),
    (lambda: ops.random_uniform(seed(), (2, 2)), "RandomUniform", "RandomUniform", 1),
    (lambda: ops.random_normal(seed(), (2, 2)), "RandomNormal", "RandomNormal", 1),
    (lambda: ops.split_random_seed(seed()), "ModifyRandomSeed", "ModifyRandomSeed", 4),
    (lambda: ops.print_tensor(v(2)), "PrintTensor", "PrintTensor", 1),
    (
        lambda: ops.host_load(popxl.h2d_stream((), f32), "x"),
        "HostLoad",
        "HostLoad",
        3,
    ),
    (
        lambda: ops.host_store(popxl.d2h_stream((2,), f32), v(2)),
        "HostStore",
        "HostStore",
        1,
    ),
    (lambda: ops.remote_load(popxl.remote_buffer((2,), f32), 0), "RemoteLoad", "RemoteLoad", 3),
    (
        lambda: ops.remote_load_(popxl.remote_buffer((2,), f32), 0, v(2)),
        "RemoteLoadInplace",
        "RemoteLoadInplace",
        2,
    ),
    (
        lambda: ops.remote_store(popxl.remote_buffer((2,), f32), 0, v(2)),
        "RemoteStore",
        "RemoteStore",
        1,
    ),
    (lambda: ops.remote_code_load(call_graph()), "RemoteCodeLoad", "RemoteCodeLoad", 0),
    (lambda: ops.call(call_graph(), v(2)), "Call", "Call", 1),
    (lambda: ops.repeat(call_graph(), 4, v(2)), "Loop", "Loop", 1),
    (
        lambda: ops.conditional(popxl.variable(True), *branches(), [v(2)], [v(2)]),
        "If",
        "If",
        1,
    ),
    (lambda: ops.io_tile_copy(v(2)), "IoTileCopy", "IoTileCopy", 1),
    (lambda: ops.ipu_copy(v(2), 1, 0), "IpuCopy", "IpuCopy", 1),
    (lambda: c.replicated_all_reduce(v(2)), "ReplicatedAllReduce", "ReplicatedAllReduce", 1),
    (
        lambda: c.replicated_all_reduce_(v(2)),
        "ReplicatedAllReduceInplace",
        "ReplicatedAllReduceInplace",
        1,
    ),
    (lambda: c.replicated_all_gather(v(2)), "ReplicatedAllGather", "ReplicatedAllGather", 3),
    (
        lambda: c.replicated_reduce_scatter(v(2)),
        "ReplicatedReduceScatter",
        "ReplicatedReduceScatter",
        1,
    ),
    (lambda: c.all_reduce([v(2)], ipus=[0]), "AllReduce", "AllReduce", 1),
    (lambda: u.accumulate_(v(2), v(2)), "Accumulate", "Accumulate", 1),
    (lambda: u.accumulator_scale_(v(2), 2.0), "AccumulatorScale", "AccumulatorScale", 1),
    (lambda: u.copy_var_update_(v(2), v(2)), "CopyVarUpdate", "CopyVarUpdate", 1),
    (lambda: u.adam_updater(v(2), v(2)), "AdamUpdater", "AdamUpdater", 1),
    (
        lambda: u.adam_var_update(v(2), v(2), popxl.constant(1.0), popxl.constant(1.0), 0.5),
        "AdamVarUpdate",
        "AdamVarUpdate",
        3,
    ),
]


class Records(unittest.TestCase):
    def test_types(self):
        for op, type, cls, count in CASES:
            with self.subTest(type=type):
                ir = popxl.Ir()
                graph = ir.main_graph
                with graph:
                    op()
                self.assertEqual(len(graph.tensors) - len(graph.variables), count)
                if type is None:
                    continue
                name = cls[:-1] if cls.endswith(":") else cls + "Op"
                found = [o for o in graph._pb_graph.getOps() if o.opType() == type]
                self.assertTrue(found)
                self.assertIsInstance(found[-1], getattr(_ir.op, name))
                self.assertNotIsInstance(found[-1], _ir.op.NoSuchOp)

    def test_submodules(self):
        self.assertIs(_ir.op.exchange.HostLoadOp, _ir.op.HostLoadOp)
        self.assertIs(_ir.op.collectives.AllReduceOp, _ir.op.AllReduceOp)
        self.assertIs(_ir.op.dynamic.DynamicSliceOp, _ir.op.DynamicSliceOp)

    def test_modified_operands(self):
        ir = popxl.Ir()
        with ir.main_graph:
            x, y = v(2), v(2)

            def f(x: popxl.TensorByRef, y):
                return u.accumulate_(x, y)

            info = ops.call_with_info(ir.create_graph(f, x, y), x, y)
            self.assertTrue(info._op.modifiesIndex(0))
            self.assertFalse(info._op.modifiesIndex(1))


if __name__ == "__main__":
    unittest.main()
