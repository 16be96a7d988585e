# Diagnostics and exceptions, options, and lines of Python in locations.
# RUN: %python %s

import json
import pickle
import traceback
import unittest

import numpy as np

from ipu_mlir import _native

PROGRAM = """
pop.stream @x host_to_device : tensor<4xf32>
pop.stream @y device_to_host : tensor<4xf32>
func.func @main() {
  %x = pop.host_load @x : tensor<4xf32> loc("x_load"("model.py":3:1))
  %y = pop.add %x, %x : tensor<4xf32> loc("layer/add"(callsite("layer.py":7:5 at "model.py":4:2)))
  pop.host_store %y, @y : tensor<4xf32> loc("y_store"("model.py":5:1))
  return
}
"""
X = np.ones(4, np.float32)


class Diagnostics(unittest.TestCase):
    def fail(self, text, **options):
        with self.assertRaises(_native.CompileError) as caught:
            _native.compile(text, **options)
        return caught.exception

    def test_hierarchy(self):
        self.assertTrue(issubclass(_native.CompileError, _native.Error))
        self.assertTrue(issubclass(_native.RunError, _native.Error))
        self.assertTrue(issubclass(_native.ExpectationError, _native.RunError))
        self.assertTrue(issubclass(_native.Stopped, _native.RunError))
        self.assertTrue(issubclass(_native.Error, Exception))
        self.assertIs(pickle.loads(pickle.dumps(_native.CompileError)), _native.CompileError)

    def test_syntax(self):
        error = self.fail("func.func @main() {\n  pop.none\n}", filename="a.mlir")
        (diagnostic,) = error.diagnostics
        self.assertEqual((diagnostic.severity, diagnostic.file, diagnostic.line), ("error", "a.mlir", 2))
        self.assertIn("pop.none", diagnostic.message)
        self.assertEqual(str(error), diagnostic.message)
        self.assertRegex(str(diagnostic), r"^a\.mlir:2:\d+: error: ")
        self.assertIn("  at a.mlir:2:", "".join(traceback.format_exception(error)))

    def test_python_lines(self):
        text = PROGRAM.replace("pop.add %x, %x : tensor<4xf32>", "pop.add %x, %x : (tensor<4xf32>, tensor<4xf32>) -> tensor<5xf32>")
        error = self.fail(text.replace("%y, @y : tensor<4xf32>", "%y, @y : tensor<5xf32>"))
        diagnostic = error.diagnostics[0]
        self.assertEqual(diagnostic.name, "layer/add")
        self.assertEqual((diagnostic.file, diagnostic.line, diagnostic.column), ("layer.py", 7, 5))
        self.assertEqual(diagnostic.positions, [("layer.py", 7, 5), ("model.py", 4, 2)])
        self.assertEqual(error.__notes__[:2], ["  at layer.py:7:5", "  at model.py:4:2"])

    def test_notes(self):
        text = "func.func private @f(%a: tensor<f32>) { return }\nfunc.func @main() {\n  call @f() : () -> ()\n  return\n}"
        error = self.fail(text, filename="b.mlir")
        (diagnostic,) = error.diagnostics
        (note,) = diagnostic.notes
        self.assertEqual((note.severity, note.message, note.line), ("note", "function defined here", 1))
        self.assertIn("note: function defined here (b.mlir:1:1)", error.__notes__)

    def test_profile_names_python_lines(self):
        session = _native.compile(PROGRAM, target_constants={"tiles": 4})
        session.run({"x": X})
        profile = json.loads(session.profile())
        places = {op["name"]: op["place"] for op in profile["ops"]}
        self.assertEqual(places["layer/add"], "layer.py:7:5")
        self.assertEqual(places["host copy of y"], "model.py:5:1")

    def test_out_of_memory(self):
        text = PROGRAM.replace("4x", "4000000x")
        error = self.fail(text, target_constants={"tiles": 4}, memory_advice=False)
        self.assertRegex(str(error), "memory")
        session = _native.compile(text, target_constants={"tiles": 4}, allow_out_of_memory=True)
        self.assertTrue(any(d.severity == "warning" for d in session.diagnostics))

    def test_nesting(self):
        for opening in ("[", "module {", "func.func private @f(%x: tuple<", "#a = loc(fused["):
            error = self.fail("#a = " * opening.startswith("[") + 100000 * opening)
            self.assertEqual(str(error), "expects brackets to be nested at most 1000 deep")
        deep = "[" * 900 + "]" * 900
        self.assertIn(deep, _native.run_passes("#a = " + deep + "\nmodule attributes {m.a = #a} {}", ""))
        self.fail('#a = "' + 2000 * "[" + '" // ' + 2000 * "[")

    def test_no_entry(self):
        self.assertIn("expects a func.func 'f'", str(self.fail(PROGRAM, entry="f")))
        self.assertIn("expects a func.func 'main'", str(self.fail("")))

    def test_pipelines(self):
        self.assertIn("none", str(self.fail(PROGRAM, pipeline="none")))
        self.assertIn("lowered to ipu", str(self.fail("func.func @main(%x: tensor<f32>) { return }", pipeline="canonicalize")))

    def test_remarks(self):
        session = _native.compile(PROGRAM, remarks="ipu-.*")
        self.assertTrue(any(d.severity == "remark" for d in session.diagnostics))
        self.assertEqual(_native.compile(PROGRAM).diagnostics, [])


class Options(unittest.TestCase):
    def test_types(self):
        for name, value in (
            ("none", 1), ("engine", 1), ("engine", b"jit"), ("check", 1), ("seed", "1"), ("seed", 1.0), ("seed", True),
            ("threads", None.__class__), ("target", 3), ("target_constants", 3), ("target_constants", {1: 2}),
            ("target_constants", {"tiles": "4"}), ("replicas", 2.5), ("gradients", "x"), ("gradients", [1]), ("resources", [X]),
            ("resources", {"x": [1.0]}), ("available_memory_proportion", "half"), ("cache_folder", 3), ("filename", 3),
        ):
            with self.subTest(name=name, value=value), self.assertRaises(TypeError):
                _native.compile(PROGRAM, **{name: value})
        with self.assertRaises(TypeError):
            _native.compile()
        with self.assertRaises(TypeError):
            _native.compile(3)

    def test_values(self):
        for name, value in (
            ("engine", "fast"), ("seed", -1), ("seed", 2**64), ("threads", -1), ("threads", 10**6), ("target", "gc3"),
            ("target_constants", {"wheels": 4}), ("target_constants", {"tiles": 0}), ("target_constants", {"tiles": 2**64}),
            ("replicas", 0), ("replicas", 1025), ("ipus", 0), ("placement", "here"), ("place", {"[": 1}), ("place", {"a": -1}),
            ("precision", "f8"), ("partials", "f8"), ("accumulation", "none"), ("planner", "none"), ("cost", "free"),
            ("available_memory_proportion", 1.5), ("available_memory_proportion", float("nan")), ("stochastic_rounding", "dice"),
            ("micro_batches", 0), ("schedule", "none"), ("schedule", "gpipe"), ("overlap_io", True), ("phases", 1),
            ("batch_serialize", 0), ("serialize_matmuls", -1), ("off_chip", ["a b"]), ("off_chip", ["activations"]),
            ("remarks", "["), ("gradients_of", "y"), ("gradients", ["x"]),
        ):
            with self.subTest(name=name, value=value), self.assertRaises(ValueError):
                _native.compile(PROGRAM, **{name: value})
        with self.assertRaisesRegex(ValueError, "'check' needs the engine 'interp'"):
            _native.compile(PROGRAM, check=True, engine="jit")
        with self.assertRaisesRegex(ValueError, "'replicas' is also in 'target_constants'"):
            _native.compile(PROGRAM, replicas=2, target_constants={"replicas": 2})

    def test_numpy_integers(self):
        session = _native.compile(PROGRAM, seed=np.uint64(2**63), target_constants={"tiles": np.int32(4)})
        self.assertIn("tiles = 4", session.text())

    def test_engines_agree(self):
        for options in ({"engine": "jit"}, {"engine": "interp"}, {"check": True}, {"check_replica_equal": True, "replicas": 2},
                        {"threads": 2}, {"target": "gc2"}, {"cache_folder": ""}, {"planner": "generic"}, {"cost": "detailed"}):
            session = _native.compile(PROGRAM, **options)
            x = np.broadcast_to(X, session.inputs[0].shape)
            self.assertEqual(session.run({"x": x})["y"].ravel()[0], 2, options)

    def test_estimate(self):
        session = _native.compile(PROGRAM, engine="none", target_constants={"tiles": 4})
        self.assertEqual((session.inputs[0].name, session.variables, session.is_attached), ("x", [], False))
        estimate = json.loads(session.profile())
        for call in (lambda: session.run({"x": X}), session.attach, lambda: session.get(["x"]), session.detach):
            with self.assertRaisesRegex(ValueError, "the engine 'none' computes no values"):
                call()
        session = _native.compile(PROGRAM, target_constants={"tiles": 4})
        with self.assertRaisesRegex(ValueError, "there is no profile before the first run"):
            session.profile()
        session.run({"x": X})
        self.assertEqual(json.loads(session.profile())["cycles"], estimate["cycles"])

    def test_lowered_text(self):
        session = _native.compile(_native.compile(PROGRAM, target_constants={"tiles": 4}).text())
        self.assertEqual(session.run({"x": X})["y"].tolist(), [2] * 4)


if __name__ == "__main__":
    unittest.main()
