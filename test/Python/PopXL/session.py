# Sessions: when variables move, shapes of data, and exceptions.
# RUN: %python %s

import os
import sys
import tempfile
import threading
import unittest

import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "Inputs"))
from programs import run, store

import popart
import popxl
from popxl import ops

f32 = popxl.float32


def counter():
    """A program that increments a variable by a constant and stores it."""
    ir = popxl.Ir()
    with ir.main_graph, popxl.in_sequence():
        x, c = popxl.variable(3, name="x"), popxl.constant(1, name="c")
        x += c
        output = store(x)
    return ir, x, c, output


class Variables(unittest.TestCase):
    def test_reads_and_writes(self):
        ir, x, c, output = counter()
        session = popxl.Session(ir, "ipu_model")
        self.assertFalse(session.is_attached)
        session.write_variable_data(x, 4)
        self.assertEqual(session.get_tensor_data(x), 4)
        with session:
            self.assertEqual(session.run()[output], 5)
            self.assertFalse(x.in_sync_with_ipu)
            data = session.get_tensors_data([x, c])
            self.assertEqual([int(data[t]) for t in (x, c)], [5, 1])
            self.assertTrue(x.in_sync_with_ipu)
            session.write_variables_data({x: np.int32(10)})
            self.assertEqual(session.run()[output], 11)
        self.assertEqual(session.get_tensor_data(x), 11)
        # Arrays are those of the host, and change with it.
        array = session.get_tensor_data(x)
        with session:
            session.run()
        self.assertEqual(array, 12)

    def test_transfers(self):
        ir, x, c, _ = counter()
        session = popxl.Session(ir)
        native = session._native

        def transfers():
            return native.transfers_to_device, native.transfers_to_host

        with session:
            self.assertEqual(transfers(), (1, 0))
            session.get_tensor_data(x)
            self.assertEqual(transfers(), (1, 0))
            session.run()
            session.get_tensor_data(c)
            self.assertEqual(transfers(), (1, 0))
            session.get_tensors_data([x, c])
            session.get_tensor_data(x)
            self.assertEqual(transfers(), (1, 1))
            session.write_variable_data(x, 1)
            self.assertEqual(transfers(), (2, 1))
        self.assertEqual(transfers(), (2, 2))

    def test_contexts(self):
        ir, x, _, output = counter()
        session = popxl.Session(ir, weights_to_host_on_exit=False)
        with session:
            with session:
                session.run()
            self.assertTrue(session.is_attached)
        self.assertFalse(session.is_attached)
        self.assertEqual(session.get_tensor_data(x), 3)
        with self.assertRaises(KeyError), session:
            session.run()
            raise KeyError
        self.assertFalse(session.is_attached)
        with session:
            self.assertEqual(session.run()[output], 4)
            session.weights_to_host()
        self.assertEqual(session.get_tensor_data(x), 4)

    def test_detached(self):
        ir, x, _, _ = counter()
        session = popxl.Session(ir)
        for call in (
            session.run,
            session.run_with_outputs,
            session.weights_to_host,
            session.weights_from_host,
        ):
            self.assertRaises(ValueError, call)

    def test_wrong_writes(self):
        ir, x, c, output = counter()
        session = popxl.Session(ir)
        for t, data, error in (
            (c, 1, TypeError),
            (output, 1, TypeError),
            (x, np.float32(1), TypeError),
            (x, [1, 2], ValueError),
        ):
            with self.assertRaises(error):
                session.write_variable_data(t, data)
        for t in (output, None):
            with self.assertRaises(TypeError):
                session.get_tensor_data(t)
        self.assertEqual(session.get_tensor_data(x), 3)

    def test_values_of_all_replicas(self):
        ir = popxl.Ir(replication=2)
        with ir.main_graph, popxl.in_sequence():
            index = popxl.h2d_stream((), f32)
            v = popxl.variable([1.0, 2.0], retrieval_mode="all_replicas")
            w = popxl.variable([1.0, 2.0], retrieval_mode="one_per_group")
            for t in (v, w):
                t += ops.host_load(index)
        ir.num_host_transfers = 2
        data = np.array([[0, 1], [2, 3]], "f4")
        session, _ = run(ir, {index: data})
        np.testing.assert_array_equal(session.get_tensor_data(v), [[1, 2], [2, 3]])
        np.testing.assert_array_equal(session.get_tensor_data(w), [3, 4])
        with self.assertRaises(NotImplementedError):
            session.write_variable_data(v, [0.0, 1.0])

    def test_groups_without_stride(self):
        ir = popxl.Ir(replication=4)
        groups = ir.replica_grouping_from_assignments([0, 1, 1, 0])
        self.assertFalse(groups.is_const)
        with ir.main_graph:
            v = popxl.variable([[1.0], [2.0]], replica_grouping=groups)
            output = store(v)
            with self.assertRaises(NotImplementedError):
                ops.collectives.replicated_all_reduce(v, group=groups)
        session, outputs = run(ir)
        np.testing.assert_array_equal(outputs[output].ravel(), [1, 2, 2, 1])
        np.testing.assert_array_equal(session.get_tensor_data(v), [[1], [2]])
        session.write_variable_data(v, np.array([[5], [6]], "f4"))
        with session:
            np.testing.assert_array_equal(session.run()[output].ravel(), [5, 6, 6, 5])

    def test_memory_maps(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "w")
            data = np.memmap(path, "f4", "w+", shape=(4,))
            ir = popxl.Ir()
            with ir.main_graph:
                w = popxl.variable(data)
                w += 1
                message = "When passing a memory-mapped NumPy array"
                double = np.memmap(os.path.join(folder, "d"), "f8", "w+", shape=(4,))
                for wrong, dtype in ((data, popxl.half), (double, None)):
                    with self.assertRaisesRegex(ValueError, message):
                        popxl.variable(wrong, dtype)
            session, _ = run(ir)
            self.assertIs(session.get_tensor_data(w), data)
            np.testing.assert_array_equal(np.fromfile(path, "f4"), np.ones(4))

            ir = popxl.Ir()
            with ir.main_graph:
                w = popxl.variable(np.memmap(path, "f4", "r", shape=(4,)))
                output = store(w + 1)
            session = popxl.Session(ir)
            with session:
                np.testing.assert_array_equal(session.run()[output], np.full(4, 2))
                self.assertRaises(Exception, session.weights_to_host)
            self.assertFalse(session.weights_to_host_on_exit)


class Streams(unittest.TestCase):
    def program(self, shape, dtype, replicas=1, transfers=1):
        ir = popxl.Ir(replicas)
        ir.num_host_transfers = transfers
        with ir.main_graph:
            stream = popxl.h2d_stream(shape, dtype)
            for _ in range(transfers):
                if _ == 0:
                    output = popxl.d2h_stream(shape, dtype)
                ops.host_store(output, ops.host_load(stream))
        return ir, stream, output

    def test_shapes(self):
        for replicas, transfers, shape in (
            (1, 1, (2, 4)),
            (3, 1, (3, 2, 4)),
            (1, 5, (5, 2, 4)),
            (3, 5, (5, 3, 2, 4)),
        ):
            ir, stream, output = self.program((2, 4), f32, replicas, transfers)
            data = np.random.default_rng(0).random(shape).astype("f4")
            np.testing.assert_array_equal(run(ir, {stream: data})[1][output], data)

    def test_types(self):
        for data, dtype in (
            ([0.0, 1.0], f32),
            (np.array([0.0, 1.0]), f32),
            ([0, 1], popxl.int32),
            ([True, False], popxl.bool),
            ([1, 2], popxl.uint8),
            ([0.5, 1.5], popxl.float16),
        ):
            ir, stream, output = self.program((2,), dtype)
            value = run(ir, {stream: data})[1][output]
            self.assertEqual(value.dtype, dtype._np)
            np.testing.assert_array_equal(value, data)

    def test_errors(self):
        ir, stream, output = self.program((2, 3), f32)
        other = self.program((2, 3), f32)[1]
        session = popxl.Session(ir)
        self.assertEqual(session.expected_inputs(), {stream})
        data = np.ones((2, 3), "f4")
        with session:
            for inputs in ({}, {other: data}, {stream: data, other: data}):
                self.assertRaises(ValueError, session.run, inputs)
            for wrong in (np.ones((3, 2)), np.ones(6), ["a"], data * 1j):
                self.assertRaises(ValueError, session.run, {stream: wrong})
            for outputs in ({}, {output: np.ones((2, 2), "f4")}):
                self.assertRaises(
                    ValueError, session.run_with_outputs, {stream: data}, outputs
                )
            # The session still runs.
            np.testing.assert_array_equal(session.run({stream: data})[output], data)


class Programs(unittest.TestCase):
    def test_devices(self):
        ir, _, _, output = counter()
        # The values of variables belong to the program.
        devices = "cpu", "ipu_model", "ipu_hw", "ipu2", popart.DeviceInfo()
        for value, device in enumerate(devices, 4):
            with popxl.Session(ir, device) as session:
                self.assertEqual(session.run()[output], value)
        self.assertRaises(ValueError, popxl.Session, ir, "abacus")
        with self.assertRaises(RuntimeError):
            popxl.Session(popxl.Ir())
        with self.assertRaises(RuntimeError):
            ir.replication_factor = 2
        ir = popxl.Ir(2)
        with ir.main_graph:
            popxl.variable(1) + 1
        self.assertRaises(ValueError, popxl.Session, ir, "cpu")

    def test_errors_of_the_compiler(self):
        ir = popxl.Ir()
        with ir.main_graph:
            x = popxl.variable(np.ones((3, 5)))
            update = popxl.variable(np.ones((1, 4)))
            ops.dynamic_update(x, popxl.variable([0]), update, [0], [1], True)
        with self.assertRaises(popart.popart_exception) as caught:
            popxl.Session(ir)
        line = test_line("ops.dynamic_update(x")
        notes = "\n".join(getattr(caught.exception, "__notes__", ()))
        self.assertIn(f"session.py:{line}", str(caught.exception) + notes)

    def test_profile(self):
        ir, _, _, _ = counter()
        session, _ = run(ir)
        line = test_line("x += c")
        places = {op["place"] for op in session.profile()["ops"]}
        self.assertTrue(any(f"session.py:{line}" in str(p) for p in places), places)

    def test_printed_tensors(self):
        ir = popxl.Ir()
        ir.num_host_transfers = 2
        with ir.main_graph, popxl.in_sequence():
            x = popxl.variable([0.5, 1.0], name="x")
            x = ops.print_tensor(x, print_gradient=True, open_bracket="|")
            graph = ir.create_graph(lambda t: ops.print_tensor(t, "loop") + 1, x)
            store(*ops.repeat(graph, 3, x))
            with self.assertRaises(ValueError):
                ops.print_tensor(x, separator="; ")
            with self.assertRaises(KeyError):
                ops.print_tensor(x, float_format="roman")
        saved = sys.stderr.fileno(), os.dup(2)
        with tempfile.TemporaryFile("w+") as file:
            os.dup2(file.fileno(), 2)
            try:
                run(ir)
            finally:
                os.dup2(saved[1], 2)
            file.seek(0)
            text = file.read()
        lines = ["loop: [0.5 1. ]", "loop: [1.5 2. ]", "loop: [2.5 3. ]"]
        self.assertEqual(sorted(text.splitlines()), [*lines, "print_x: |0.5 1. ]"])

    def test_drawings(self):
        for checks, count in (({""}, 0), ({"FINAL"}, 1), ({"Foo", "Bar"}, 2), ({"ALL"}, 3)):
            with tempfile.TemporaryDirectory() as folder:
                ir, x, _, _ = counter()
                options = ir._pb_ir.getSessionOptions()
                options.logDir, options.dotChecks = folder, checks
                ir.dot_checkpoint("Foo")
                ir.dot_checkpoint("Bar", folder)
                popxl.Session(ir)
                self.assertEqual(len(os.listdir(folder)), count)

    def test_threads(self):
        ir, x, _, output = counter()
        session = popxl.Session(ir)
        with session:
            threads = [threading.Thread(target=session.run) for _ in range(8)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            self.assertEqual(session.get_tensor_data(x), 11)


def test_line(text):
    """The number of the line of this file that begins with the text."""
    with open(__file__) as file:
        return next(i for i, l in enumerate(file, 1) if l.strip().startswith(text))


if __name__ == "__main__":
    unittest.main()
