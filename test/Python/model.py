# Models: ONNX files, profiles, reports and descriptions for notebooks.
# RUN: %python %s %src_root %t

import os
import sys
import unittest
import xml.etree.ElementTree

import numpy as np

import ipu_mlir

root, folder = sys.argv[1:3]
del sys.argv[1:]
os.makedirs(folder, exist_ok=True)
LENET = os.path.join(root, "examples", "lenet.onnxtxt")


def read_example(name):
    return np.load(os.path.join(root, "examples", name))


class LeNet(unittest.TestCase):
    def test_run(self):
        model = ipu_mlir.load(LENET)
        self.assertEqual(repr(model), "<Model (x: f32[1, 1, 28, 28]) -> (y: f32[1, 10])>")
        result = model.run({"x": read_example("lenet_input.npy")})
        np.testing.assert_allclose(result["y"], read_example("lenet_expected.npy"), 1e-4, 1e-6)
        self.assertEqual((list(result), len(result), repr(result)), (["y"], 1, "<Result y: float32[1, 10]>"))
        self.assertEqual(result.profile["version"], 5)
        self.assertGreater(result.profile["cycles"], 0)
        self.assertEqual(model.summary(), result.summary())

        page = os.path.join(folder, "r.html")
        model.report(page)
        with open(page, encoding="utf-8") as file:
            text = file.read()
        self.assertIn("lenet.onnxtxt", text)
        self.assertIn("</html>", text)
        result.trace(os.path.join(folder, "t.json"))

    def test_weights(self):
        constants = ipu_mlir.load(LENET, parameters="constants")
        variables = ipu_mlir.load(LENET, parameters="variables")
        self.assertEqual(constants.variables, [])
        weights = variables.read()
        self.assertEqual(sorted(weights), sorted(v.name for v in variables.variables))
        self.assertTrue(weights)
        x = read_example("lenet_input.npy")
        expected = constants.run({"x": x})["y"]
        np.testing.assert_array_equal(variables.run({"x": x})["y"], expected)
        variables.write({name: np.zeros_like(value) for name, value in weights.items()})
        self.assertNotEqual(variables.run({"x": x})["y"].tolist(), expected.tolist())
        variables.write(weights)
        np.testing.assert_array_equal(variables.run({"x": x})["y"], expected)

    def test_precision(self):
        x = read_example("lenet_input.npy")
        exact = ipu_mlir.load(LENET).run({"x": x})["y"]
        rounded = ipu_mlir.load(LENET, precision="f16").run({"x": x})["y"]
        self.assertNotEqual(exact.tolist(), rounded.tolist())
        np.testing.assert_allclose(exact, rounded, 1e-1, 1e-2)

    def test_notebook(self):
        text = ipu_mlir.load(LENET).run({"x": read_example("lenet_input.npy")})._repr_html_()
        element = xml.etree.ElementTree.fromstring(text)
        self.assertEqual(element.tag, "div")
        self.assertIn("cycles", element[0].text)
        (picture,) = element.iter("{http://www.w3.org/2000/svg}svg")
        self.assertGreater(len(picture), 8)
        self.assertIn("float32", text)
        self.assertLess(len(text), 10000)


class Dims(unittest.TestCase):
    TEXT = """<ir_version: 8, opset_import: ["" : 18]>
graph (float[batch,3] x, int64[1] axes) => (float[batch,1] y) {
  y = ReduceSum <keepdims = 1> (x, axes)
}
"""

    def setUp(self):
        self.path = os.path.join(folder, "sum.onnxtxt")
        with open(self.path, "w", encoding="utf-8") as file:
            file.write(self.TEXT)
        self.axes = np.array([1], np.int64)

    def test_dims_and_constants(self):
        model = ipu_mlir.load(self.path, dims={"batch": 2}, constants={"axes": self.axes})
        self.assertEqual([info.name for info in model.inputs], ["x"])
        self.assertEqual(model.run({"x": [[1, 2, 3], [4, 5, 6]]})["y"].tolist(), [[6], [15]])

    def test_errors(self):
        for options, message in (
            ({"constants": {"axes": self.axes}}, "batch"),
            ({"dims": {"batch": 2}}, "axes"),
            ({"dims": {"batch": 2}, "constants": {"axes": self.axes.astype(np.int32)}}, "axes"),
        ):
            with self.assertRaisesRegex(ipu_mlir.CompileError, message):
                ipu_mlir.load(self.path, **options)
        for path, message in (("none.onnx", "none.onnx"), ("none.mlir", "none.mlir"), ("a.txt", "MODEL expects"), (folder + ".onnx", ".onnx")):
            with self.assertRaisesRegex(ipu_mlir.CompileError, message):
                ipu_mlir.load(path)
        with self.assertRaises(ValueError):
            ipu_mlir.load(self.path, parameters="files")
        with self.assertRaises(TypeError):
            ipu_mlir.load(self.path, dims={"batch": "2"})
        with self.assertRaises(TypeError):
            ipu_mlir.load(3)


class Programs(unittest.TestCase):
    TEXT = """
    pop.stream @x host_to_device : tensor<2xf32>
    pop.stream @n host_to_device : tensor<2xi32>
    pop.stream @y device_to_host : tensor<2xf32>
    pop.variable @w : tensor<2xf32> = dense<0.0> : tensor<2xf32>
    func.func @main() {
      %x = pop.host_load @x : tensor<2xf32>
      %n = pop.host_load @n : tensor<2xi32>
      %f = pop.cast %n : tensor<2xi32> to tensor<2xf32>
      %w = pop.get_variable @w : !pop.ref<2xf32>
      %s = pop.add %x, %f : tensor<2xf32>
      pop.add_ %w, %s : !pop.ref<2xf32>, tensor<2xf32>
      %v = pop.read %w : !pop.ref<2xf32>
      pop.host_store %v, @y : tensor<2xf32>
      return
    }
    """

    def setUp(self):
        self.model = ipu_mlir.compile(self.TEXT, target_constants={"tiles": 4})

    def test_values_are_converted(self):
        run = self.model.run({"x": [1, 2.5], "n": np.array([1, 2], np.int64)})
        self.assertEqual(run["y"].tolist(), [2, 4.5])
        for n in ([1.5, 2], [2**31, 0], [1]):
            with self.assertRaises(ValueError):
                self.model.run({"x": [1, 2], "n": n})

    def test_profiles_of_several_runs(self):
        first = self.model.run({"x": [0, 0], "n": [0, 0]})
        second = self.model.run({"x": [0, 0], "n": [0, 0]})
        self.assertEqual(first.profile, second.profile)

    def test_contexts(self):
        ones = {"x": [1, 1], "n": [0, 0]}
        with self.model as model:
            model.run(ones)
        self.assertEqual(self.model.read(["w"])["w"].tolist(), [1, 1])
        with self.assertRaises(LookupError):
            with self.model as model:
                model.run(ones)
                raise LookupError
        self.assertEqual(self.model.read()["w"].tolist(), [1, 1])
        self.assertEqual(self.model.run(ones, count=2)["y"].tolist(), [3, 3])
        self.model.close()
        self.assertEqual(self.model.read()["w"].tolist(), [3, 3])

    def test_run_pipeline(self):
        text = ipu_mlir.run_pipeline(self.TEXT, "pop-decompose,canonicalize")
        self.assertIn("pop.host_store", text)
        self.assertNotIn("loc(", text)


if __name__ == "__main__":
    unittest.main()
