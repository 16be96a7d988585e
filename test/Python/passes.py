# Passes on texts, gradients and signatures.
# RUN: %python %s

import unittest

import numpy as np

from ipu_mlir import _native

TEXT = """
func.func private @f(%x: tensor<4xf32> {pop.name = "x"}, %n: tensor<i32>, %w: tensor<4xf32>) -> tensor<4xf32> {
  %0 = pop.mul %x, %w : tensor<4xf32> loc("product"("model.py":3:1))
  %1 = pop.tanh %0 : tensor<4xf32>
  return %1 : tensor<4xf32>
}
func.func @main() { return }
"""


class Passes(unittest.TestCase):
    def test_pipeline(self):
        text = _native.run_passes(TEXT, "symbol-dce")
        self.assertNotIn("@f", text)
        self.assertIn("loc(", text)
        self.assertNotIn("loc(", _native.run_passes(TEXT, "symbol-dce", debug_info=False))
        self.assertEqual(text, _native.run_passes(text, "builtin.module(symbol-dce)"))

    def test_no_passes(self):
        text = _native.run_passes(TEXT, "", debug_info=False)
        self.assertIn("pop.tanh", text)
        self.assertEqual(text, _native.run_passes(text, "", debug_info=False))

    def test_resources_are_named_again(self):
        text = "func.func @main() { %0 = pop.constant dense_resource<k> : tensor<2xf32>\n return }"
        for resources in ({}, {"k": np.zeros(2, np.float32)}):
            result = _native.run_passes(text, "", resources=resources, debug_info=False)
            self.assertIn("dense_resource<k> : tensor<2xf32>", result)
            self.assertNotIn("dialect_resources", result)

    def test_errors(self):
        for text, pipeline, message in (
            ("func", "", "expects"),
            (TEXT, "no-such-pass", "no-such-pass"),
            (TEXT, "canonicalize{", "."),
            (TEXT, "pop-autodiff{func=g}", "'g'"),
            (TEXT, "func.func(symbol-dce", "."),
        ):
            with self.assertRaises(_native.CompileError) as caught:
                _native.run_passes(text, pipeline)
            self.assertTrue(caught.exception.diagnostics, pipeline)


class Gradients(unittest.TestCase):
    def check(self, function, text):
        self.assertEqual(function.name, "f_backward")
        self.assertTrue(function.is_private)
        self.assertEqual(
            [(v.role, v.of_kind, v.of_index, v.type) for v in function.arguments],
            [("gradient", "result", 0, "tensor<4xf32>"), ("forward", "argument", 0, "tensor<4xf32>"),
             ("forward", "argument", 2, "tensor<4xf32>"), ("forward", "result", 0, "tensor<4xf32>")],
        )
        self.assertEqual([(v.role, v.of_kind, v.of_index) for v in function.results],
                         [("gradient", "argument", 0), ("gradient", "argument", 2)])
        self.assertIn("func.func private @f_backward", text)

    def test_default(self):
        text, functions = _native.autodiff(TEXT, "f")
        functions = {function.name: function for function in functions}
        self.assertEqual(sorted(functions), ["f", "f_backward", "main"])
        self.assertFalse(functions["main"].is_private)
        self.check(functions["f_backward"], text)
        self.assertEqual(functions["f"].arguments[0].attributes, {"pop.name": '"x"'})
        self.assertEqual(functions["f"].arguments[0].role, "")

    def test_required(self):
        text, functions = _native.autodiff(TEXT, "f", provided=[0], required=[2], debug_info=False)
        (backward,) = [f for f in functions if f.name == "f_backward"]
        self.assertEqual([(v.of_kind, v.of_index) for v in backward.results], [("argument", 2)])
        self.assertNotIn("loc(", text)

    def test_variables(self):
        text = """
        pop.variable @v : tensor<4xf32> = dense<1.0> : tensor<4xf32>
        func.func private @f(%x: tensor<4xf32>) -> tensor<4xf32> {
          %r = pop.get_variable @v : !pop.ref<4xf32>
          %v = pop.read %r : !pop.ref<4xf32>
          %0 = pop.mul %x, %v : tensor<4xf32>
          return %0 : tensor<4xf32>
        }
        """
        _, functions = _native.autodiff(text, "f", required=["@v", 0])
        (backward,) = [f for f in functions if f.name == "f_backward"]
        self.assertEqual([(v.of_kind, v.of_variable, v.of_index) for v in backward.results],
                         [("variable", "v", 0), ("argument", "", 0)])

    def test_stitch(self):
        _, functions = _native.autodiff(TEXT, "f", stitch="add_fwd_outputs")
        _, recomputed = _native.autodiff(TEXT, "f", stitch="recompute_all_non_inputs")
        self.assertEqual(len(functions), len(recomputed))
        (backward,) = [f for f in recomputed if f.name == "f_backward"]
        self.assertNotIn("result", [v.of_kind for v in backward.arguments[1:]])

    def test_unreachable(self):
        text = "func.func private @f(%x: tensor<f32>, %y: tensor<f32>) -> tensor<f32> { return %x : tensor<f32> }"
        with self.assertRaises(_native.CompileError):
            _native.autodiff(text, "f", required=[0, 1])
        _, functions = _native.autodiff(text, "f", required=[0, 1], unreachable="zero")
        self.assertEqual(len(functions[1].results), 2)

    def test_errors(self):
        with self.assertRaises(_native.CompileError):
            _native.autodiff(TEXT, "g")
        with self.assertRaises(_native.CompileError):
            _native.autodiff(TEXT, "f", required=[1])
        for options in ({"stitch": "tape"}, {"unreachable": "nan"}, {"provided": [-1]}, {"required": [2**70]}):
            with self.assertRaises(ValueError):
                _native.autodiff(TEXT, "f", **options)
        for options in ({"provided": 3}, {"required": [1.5]}, {"resources": 3}):
            with self.assertRaises(TypeError):
                _native.autodiff(TEXT, "f", **options)

    def test_names_need_no_quotes(self):
        text = TEXT.replace("@f(", '@"build.<locals>.f {x} \'y\'"(')
        _, functions = _native.autodiff(text, "build.<locals>.f {x} 'y'")
        self.assertEqual(len(functions), 3)


class Signatures(unittest.TestCase):
    def test_read_functions(self):
        f, main = _native.read_functions(TEXT)
        self.assertEqual((f.name, f.is_private, main.name, main.is_private), ("f", True, "main", False))
        self.assertEqual([v.type for v in f.arguments], ["tensor<4xf32>", "tensor<i32>", "tensor<4xf32>"])
        self.assertEqual(len(f.results), 1)
        with self.assertRaises(_native.CompileError):
            _native.read_functions("func.func")


if __name__ == "__main__":
    unittest.main()
