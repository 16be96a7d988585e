# Sessions: transfers of variables, failed and stopped runs, threads and signals.
# RUN: %python %s

import gc
import os
import signal
import threading
import time
import unittest

import numpy as np

from ipu_mlir import _native

TARGET = {"target_constants": {"tiles": 4}}

# A run adds x to @w, and returns the sum.
ADD = """
pop.stream @x host_to_device : tensor<2xf32>
pop.stream @y device_to_host : tensor<2xf32>
pop.variable @w : tensor<2xf32> = dense<[1.0, 2.0]> : tensor<2xf32>
func.func @main() {
  %x = pop.host_load @x : tensor<2xf32>
  %w = pop.get_variable @w : !pop.ref<2xf32>
  pop.add_ %w, %x : !pop.ref<2xf32>, tensor<2xf32>
  %c = pop.constant dense<7.0> : tensor<f32> loc("seven")
  %v = pop.read %w : !pop.ref<2xf32>
  pop.host_store %v, @y : tensor<2xf32>
  return
}
"""

# A run takes `rounds` rounds, and expects that x is 0 after them.
LOOP = """
pop.stream @x host_to_device : tensor<f32>
pop.variable @w : tensor<f32> = dense<0.0> : tensor<f32>
func.func @main() {
  %x = pop.host_load @x : tensor<f32>
  %w = pop.get_variable @w : !pop.ref<f32>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant ROUNDS : index
  scf.for %i = %c0 to %n step %c1 {
    %one = pop.constant dense<1.0> : tensor<f32>
    pop.add_ %w, %one : !pop.ref<f32>, tensor<f32>
  }
  pop.expect_eq %x, dense<0.0> : tensor<f32>
  return
}
"""
FOREVER = LOOP.replace("ROUNDS", "1000000000")


def floats(*values):
    return np.array(values, np.float32)


def compile_text(text, **options):
    return _native.compile(text, **TARGET, **options)


class Transfers(unittest.TestCase):
    def setUp(self):
        self.session = compile_text(ADD)
        self.x = floats(10, 20)

    def expect(self, to_device, to_host, **values):
        self.assertEqual(self.session.transfers_to_device, to_device)
        self.assertEqual(self.session.transfers_to_host, to_host)

    def get(self, name="w"):
        return self.session.get([name])[name].tolist()

    def test_signature(self):
        (x,) = self.session.inputs
        (y,) = self.session.outputs
        (w,) = self.session.variables
        self.assertEqual((x.name, x.shape, x.dtype), ("x", (2,), np.float32))
        self.assertEqual((x.element_type, x.has_default, x.is_seed), ("f32", False, False))
        self.assertEqual((y.name, w.name), ("y", "w"))
        self.assertEqual(repr(w), "<TensorInfo 'w' : tensor<2xf32>>")
        self.assertEqual(self.session.constants, ["seven"])

    def test_infos_outlive_their_session(self):
        (x,) = self.session.inputs
        del self.session
        gc.collect()
        self.assertEqual((x.name, x.shape, x.dtype), ("x", (2,), np.float32))

    def test_explicit_transfers(self):
        for call in (self.session.weights_to_host, self.session.weights_from_host):
            with self.assertRaisesRegex(ValueError, "expects the session to be attached"):
                call()
        self.session.attach()
        self.session.attach()
        self.assertTrue(self.session.is_attached)
        self.expect(1, 0)
        y = self.session.run({"x": self.x})["y"]
        self.assertEqual(y.tolist(), [11, 22])
        self.session.weights_to_host()
        self.expect(1, 1)
        self.assertEqual(self.get(), [11, 22])
        self.expect(1, 1)
        self.session.run({"x": self.x})
        self.session.weights_from_host()
        self.expect(2, 1)
        self.assertEqual(self.get(), [11, 22])
        # An earlier result does not change.
        self.assertEqual(y.tolist(), [11, 22])

    def test_read_copies_once(self):
        self.session.attach()
        self.session.run({"x": self.x})
        self.assertEqual(self.get("seven"), 7)
        self.expect(1, 0)
        self.assertEqual(self.session.get(["w", "seven"])["w"].tolist(), [11, 22])
        self.assertEqual(self.get(), [11, 22])
        self.expect(1, 1)

    def test_write(self):
        self.session.write({"w": floats(5, 6)})
        self.expect(0, 0)
        self.assertEqual(self.get(), [5, 6])
        self.session.attach()
        self.assertEqual(self.session.run({"x": self.x})["y"].tolist(), [15, 26])
        self.session.write({"w": floats(0, 0)})
        self.expect(2, 0)
        self.assertEqual(self.session.run({"x": self.x})["y"].tolist(), [10, 20])

    def test_detach(self):
        self.session.detach()
        self.expect(0, 0)
        self.session.attach()
        self.session.run({"x": self.x})
        self.session.detach(weights_to_host=False)
        self.assertFalse(self.session.is_attached)
        self.assertEqual(self.get(), [1, 2])
        self.session.attach()
        self.session.run({"x": self.x})
        self.session.detach()
        self.expect(2, 1)
        self.assertEqual(self.get(), [11, 22])

    def test_run_attaches_for_one_call(self):
        self.assertEqual(self.session.run({"x": self.x}, count=2)["y"].tolist(), [21, 42])
        self.assertFalse(self.session.is_attached)
        self.expect(1, 1)
        self.assertEqual(self.get(), [21, 42])

    def test_bad_calls_change_nothing(self):
        self.session.attach()
        cases = [
            ({}, "expects a value of input 'x'"),
            ({"x": floats(1, 2, 3)}, "input 'x' expects tensor<2xf32> but got tensor<3xf32>"),
            ({"x": np.zeros(2)}, "'x' expects elements of type f32 .* but got dtype float64"),
            ({"x": self.x, "z": self.x}, "there is no 'z'; there are 'x'"),
            ({"x": np.array(["a", "b"])}, "'x' has the dtype <U1, which no tensor has"),
        ]
        for inputs, message in cases:
            with self.assertRaisesRegex(ValueError, message):
                self.session.run(inputs)
        for inputs in ({"x": [1.0, 2.0]}, {1: self.x}, None, 3):
            with self.assertRaises(TypeError):
                self.session.run(inputs)
        for count in (0, -1, 2**70):
            with self.assertRaisesRegex(ValueError, "'count' expects an integer"):
                self.session.run({"x": self.x}, count=count)
        with self.assertRaisesRegex(ValueError, "there is no 'seven'; there are 'w'"):
            self.session.write({"seven": floats(1)})
        with self.assertRaisesRegex(ValueError, "expects tensor<2xf32> but got tensor<3xf32>"):
            self.session.write({"w": floats(1, 2, 3)})
        with self.assertRaisesRegex(ValueError, "'z' is no variable or constant"):
            self.session.get(["w", "z"])
        self.assertEqual(self.get(), [1, 2])


class Replicas(unittest.TestCase):
    TEXT = """
      pop.stream @x host_to_device : tensor<2xf32>
      pop.stream @y device_to_host : tensor<2xf32>
      pop.variable @w : tensor<2xf32> = dense<0.0> : tensor<2xf32> {retrieval = #pop.retrieval<all_replicas>}
      func.func @main() {
        %x = pop.host_load @x : tensor<2xf32>
        %w = pop.get_variable @w : !pop.ref<2xf32>
        pop.copy_ %w, %x : !pop.ref<2xf32>, tensor<2xf32>
        pop.host_store %x, @y : tensor<2xf32>
        return
      }
    """

    def test_leading_dimension(self):
        session = _native.compile(self.TEXT.replace("{retrieval = #pop.retrieval<all_replicas>}", ""), replicas=2)
        self.assertEqual(session.inputs[0].shape, (2, 2))
        x = floats(1, 2, 3, 4).reshape(2, 2)
        self.assertEqual(session.run({"x": x})["y"].tolist(), x.tolist())
        with self.assertRaises(ValueError):
            session.run({"x": floats(1, 2)})


class FailedRuns(unittest.TestCase):
    def test_expectation(self):
        for engine in ("jit", "interp"):
            session = compile_text(LOOP.replace("ROUNDS", "3"), engine=engine, filename="loop.mlir")
            session.attach()
            with self.assertRaises(_native.ExpectationError) as caught:
                session.run({"x": floats(1).reshape(())})
            self.assertRegex(str(caught.exception), "does not hold")
            (diagnostic,) = caught.exception.diagnostics
            self.assertEqual((diagnostic.severity, diagnostic.file), ("error", "loop.mlir"))
            self.assertEqual(diagnostic.line, LOOP[: LOOP.index("pop.expect_eq")].count("\n") + 1)
            self.assertTrue(session.is_attached)
            session.run({"x": floats(0).reshape(())})
            self.assertEqual(session.get(["w"])["w"], 6)

    def test_attached_for_one_call(self):
        session = compile_text(LOOP.replace("ROUNDS", "3"))
        with self.assertRaises(_native.RunError):
            session.run({"x": floats(1).reshape(())})
        self.assertFalse(session.is_attached)
        self.assertEqual(session.get(["w"])["w"], 0)


class Stops(unittest.TestCase):
    def setUp(self):
        self.session = compile_text(FOREVER)
        self.session.attach()
        self.inputs = {"x": floats(0).reshape(())}

    def expect_usable(self):
        self.assertTrue(self.session.is_attached)
        self.assertGreater(self.session.get(["w"])["w"], 0)
        self.session.write({"w": floats(0).reshape(())})

    def test_stop(self):
        def stop():
            time.sleep(0.2)
            self.session.stop()

        self.session.stop()
        thread = threading.Thread(target=stop)
        thread.start()
        with self.assertRaises(_native.Stopped):
            self.session.run(self.inputs)
        thread.join()
        self.expect_usable()

    def test_signal(self):
        def interrupt():
            time.sleep(0.2)
            os.kill(os.getpid(), signal.SIGINT)

        # The handler of Python, also if the shell ignores the signal.
        old = signal.signal(signal.SIGINT, signal.default_int_handler)
        self.addCleanup(signal.signal, signal.SIGINT, old)

        thread = threading.Thread(target=interrupt)
        thread.start()
        with self.assertRaises(KeyboardInterrupt):
            self.session.run(self.inputs)
        thread.join()
        self.expect_usable()

    def test_signal_handler_that_returns(self):
        calls = []

        def handle(number, frame):
            calls.append(number)
            if len(calls) == 2:
                self.session.stop()

        old = signal.signal(signal.SIGALRM, handle)
        signal.setitimer(signal.ITIMER_REAL, 0.1, 0.1)
        with self.assertRaises(_native.Stopped):
            self.session.run(self.inputs)
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, old)
        self.assertGreaterEqual(len(calls), 2)
        self.expect_usable()

    def test_progress(self):
        seen = []

        def show(fraction, step):
            seen.append(fraction)
            if len(seen) == 50:
                raise LookupError("enough")

        with self.assertRaisesRegex(LookupError, "enough"):
            self.session.run(self.inputs, progress=show)
        self.assertEqual(len(seen), 50)
        self.assertEqual(seen, sorted(seen))
        self.expect_usable()
        with self.assertRaises(TypeError):
            self.session.run(self.inputs, progress=3)

    def test_callbacks_cannot_use_the_session(self):
        def use(fraction, step):
            self.session.get(["w"])

        with self.assertRaisesRegex(RuntimeError, "a callback of a run cannot use its session"):
            self.session.run(self.inputs, progress=use)
        self.assertEqual(self.session.get(["w"])["w"], 0)


class Threads(unittest.TestCase):
    def test_one_session(self):
        session = compile_text(ADD)
        session.attach()

        def work():
            for _ in range(20):
                session.run({"x": floats(1, 0)})
                session.get(["w"])

        threads = [threading.Thread(target=work) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(session.get(["w"])["w"].tolist(), [81, 2])

    def test_several_sessions(self):
        results = {}

        def work(number):
            session = compile_text(ADD, seed=number)
            results[number] = session.run({"x": floats(number, 0)})["y"][0]

        threads = [threading.Thread(target=work, args=(n,)) for n in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(results, {n: n + 1 for n in range(4)})

    def test_other_threads_run(self):
        session = compile_text(FOREVER)
        count = 0
        thread = threading.Timer(0.3, session.stop)
        thread.start()
        runner = threading.Thread(target=lambda: self.assertRaises(_native.Stopped, session.run, {"x": floats(0).reshape(())}))
        runner.start()
        while runner.is_alive():
            count += 1
        self.assertGreater(count, 1000)


if __name__ == "__main__":
    unittest.main()
