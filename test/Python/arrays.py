# Arrays of numpy and tensors: dtypes, shapes, copies and adopted buffers.
# RUN: %python %s

import gc
import mmap
import tempfile
import unittest
import weakref

import numpy as np

from ipu_mlir import _native

DTYPES = {
    "i1": np.bool_,
    "i8": np.int8,
    "i16": np.int16,
    "i32": np.int32,
    "i64": np.int64,
    "ui8": np.uint8,
    "ui16": np.uint16,
    "ui32": np.uint32,
    "ui64": np.uint64,
    "f16": np.float16,
    "f32": np.float32,
    "f64": np.float64,
    "f8E4M3FNUZ": [("float8_143", "u1")],
    "f8E5M2FNUZ": [("float8_152", "u1")],
    "f8E4M3FN": [("float8_e4m3fn", "u1")],
    "f8E5M2": [("float8_e5m2", "u1")],
    "bf16": [("bfloat16", "<u2")],
}


def make_program(type, value):
    return f"""
    pop.stream @x host_to_device : tensor<{type}>
    pop.stream @y device_to_host : tensor<{type}>
    pop.variable @w : tensor<{type}> = {value}
    func.func @main() {{
      %x = pop.host_load @x : tensor<{type}>
      %w = pop.get_variable @w : !pop.ref<{type}>
      %v = pop.read %w : !pop.ref<{type}>
      pop.host_store %x, @y : tensor<{type}>
      pop.copy_ %w, %x : !pop.ref<{type}>, tensor<{type}>
      return
    }}
    """


def create(type, value=None, **options):
    value = value or f"dense<{0.0 if 'f' in type else 0}> : tensor<{type}>"
    if type.endswith("i1"):
        value = value.replace("dense<0>", "dense<false>")
    return _native.compile(make_program(type, value), target_constants={"tiles": 2}, **options)


class DTypes(unittest.TestCase):
    def test_round_trip(self):
        for type, dtype in DTYPES.items():
            with self.subTest(type):
                dtype = np.dtype(dtype)
                session = create("3x" + type)
                self.assertEqual(session.inputs[0].dtype, dtype)
                self.assertEqual(session.inputs[0].element_type, type)
                bits = np.arange(1, 1 + 3 * dtype.itemsize, dtype=np.uint8)
                if dtype == np.bool_:
                    bits = np.array([1, 0, 1], np.uint8)
                x = bits.view(dtype)
                y = session.run({"x": x})["y"]
                self.assertEqual(y.dtype, dtype)
                self.assertEqual(y.tobytes(), x.tobytes())
                w = session.get(["w"])["w"]
                self.assertEqual((w.dtype, w.tobytes()), (dtype, x.tobytes()))
                session.write({"w": x[::-1]})
                self.assertEqual(session.get(["w"])["w"].tobytes(), x[::-1].tobytes())

    def test_bits_of_other_floats(self):
        session = create("2xf8E4M3FNUZ")
        x = np.array([0x40, 0x48], np.uint8)
        self.assertEqual(session.run({"x": x})["y"].view(np.uint8).tolist(), x.tolist())
        session = create("2xbf16")
        x = np.array([0x3F80, 0x4000], np.uint16)
        self.assertEqual(session.run({"x": x})["y"].view(np.uint16).tolist(), x.tolist())
        with self.assertRaises(ValueError):
            session.run({"x": x.view(np.int16)})

    def test_other_dtypes(self):
        session = create("2xf32")
        for array in (np.zeros(2, np.int32), np.zeros(2), np.zeros(2, ">f4"), np.zeros(2, "c8"),
                      np.zeros(2, object), np.zeros(2, "U4"), np.zeros(2, [("a", "f4")])):
            with self.assertRaises(ValueError):
                session.run({"x": array})

    def test_bools_are_0_or_1(self):
        session = create("3xi1")
        x = np.array([0, 2, 255], np.uint8).view(np.bool_)
        x.flags.writeable = False
        self.assertEqual(session.run({"x": x})["y"].view(np.uint8).tolist(), [0, 1, 1])
        self.assertEqual(session.get(["w"])["w"].view(np.uint8).tolist(), [0, 1, 1])


class Layouts(unittest.TestCase):
    def test_strides(self):
        session = create("2x3xf32")
        x = np.arange(6, dtype=np.float32).reshape(2, 3)
        misaligned = np.frombuffer(bytearray(b"\0" + x.tobytes()), np.uint8)[1:].view(np.float32).reshape(2, 3)
        self.assertFalse(misaligned.flags.aligned)
        locked = x.copy()
        locked.flags.writeable = False
        fortran = np.asfortranarray(x)
        fortran.flags.writeable = False
        cases = [x, fortran, np.repeat(x, 2, 1)[:, ::2], x[:, ::-1][:, ::-1], misaligned, locked]
        for array in cases:
            self.assertEqual(session.run({"x": array})["y"].tolist(), x.tolist())
        broadcast = np.broadcast_to(np.float32(3), (2, 3))
        self.assertEqual(session.run({"x": broadcast})["y"].tolist(), [[3] * 3] * 2)

    def test_scalars_and_subclasses(self):
        session = create("f32")
        self.assertEqual(session.inputs[0].shape, ())
        self.assertEqual(session.run({"x": np.array(2, np.float32)})["y"], 2)

        class Array(np.ndarray):
            pass

        session = create("2xf32")
        x = np.array([1, 2], np.float32).view(Array)
        self.assertEqual(session.run({"x": x})["y"].tolist(), [1, 2])

    def test_large_arrays(self):
        session = create("100x1000xf32")
        x = np.random.default_rng(0).random((100, 1000), np.float32)
        y = session.run({"x": x})["y"]
        self.assertTrue((y == x).all())
        self.assertTrue(y.flags.writeable and y.flags.c_contiguous)
        again = session.run({"x": -x})["y"]
        w = session.get(["w"])["w"]
        w[:] = 3
        y[:] = 4
        self.assertTrue((again == -x).all())
        self.assertTrue((session.get(["w"])["w"] == -x).all())
        del session
        gc.collect()
        self.assertTrue((again == -x).all())


class Ownership(unittest.TestCase):
    def test_writable_arrays_are_copied(self):
        session = create("1000xf32")
        x = np.ones(1000, np.float32)
        session.write({"w": x})
        x[:] = 2
        self.assertEqual(session.get(["w"])["w"][0], 1)
        session.attach()
        session.run({"x": x})
        x[:] = 3
        self.assertEqual(session.get(["w"])["w"][0], 2)

    def test_locked_arrays_are_adopted(self):
        session = create("1000xf32")
        x = np.ones(1000, np.float32)
        x.flags.writeable = False
        alive = weakref.ref(x)
        session.write({"w": x})
        del x
        gc.collect()
        self.assertIsNotNone(alive())
        session.attach()
        y = np.full(1000, 2, np.float32)
        y.flags.writeable = False
        session.run({"x": y})
        self.assertEqual(session.get(["w"])["w"][0], 2)
        self.assertEqual(y[0], 2)
        del session
        gc.collect()
        self.assertIsNone(alive())

    def test_memory_maps(self):
        with tempfile.NamedTemporaryFile() as file:
            np.arange(5000, dtype=np.float32).tofile(file.name)
            data = np.memmap(file.name, np.float32, "r")
            session = create("5000xf32")
            session.write({"w": data})
            self.assertEqual(session.get(["w"])["w"][4999], 4999)
            # Only a copy is changed.
            session.attach()
            session.run({"x": np.zeros(5000, np.float32)})
            self.assertEqual(session.get(["w"])["w"][4999], 0)
            self.assertEqual(data[4999], 4999)


class Resources(unittest.TestCase):
    def test_initial_values(self):
        for locked in (False, True):
            value = np.arange(6, dtype=np.float32).reshape(2, 3)
            value.flags.writeable = not locked
            session = create("2x3xf32", "dense_resource<w> : tensor<2x3xf32>", resources={"w": value, "unused": value})
            self.assertEqual(session.get(["w"])["w"].tolist(), value.tolist())

    def test_constants(self):
        text = """
        pop.stream @y device_to_host : tensor<4xi1>
        func.func @main() {
          %c = pop.constant dense_resource<"a b"> : tensor<4xi1> loc("c")
          pop.host_store %c, @y : tensor<4xi1>
          return
        }
        """
        value = np.array([True, False, False, True])
        session = _native.compile(text, resources={"a b": value})
        self.assertEqual(session.run()["y"].tolist(), value.tolist())
        self.assertEqual(session.get(["c"])["c"].tolist(), value.tolist())

    def test_errors(self):
        for value, message in (
            (np.zeros(6, np.float32), "expects resource 'w' to have type 'tensor<2x3xf32>' but got 'tensor<6xf32>'"),
            (np.zeros((2, 3)), "'w' expects elements of type f32"),
        ):
            with self.assertRaisesRegex(_native.CompileError, message):
                create("2x3xf32", "dense_resource<w> : tensor<2x3xf32>", resources={"w": value})
        with self.assertRaisesRegex(_native.CompileError, "resource 'w' has no data"):
            create("2x3xf32", "dense_resource<w> : tensor<2x3xf32>")


if __name__ == "__main__":
    unittest.main()
