"""Runs nodes, all in one model, and compares their results with numpy."""

import pathlib
import subprocess

import numpy as np

TYPES = {
    "float32": "float", "float64": "double", "float16": "float16", "int64": "int64",
    "int32": "int32", "int8": "int8", "uint8": "uint8", "bool": "bool",
}  # fmt: skip


def describe(name, values):
    sizes = ", ".join(map(str, values.shape))
    return f"{TYPES[values.dtype.name]}{f'[{sizes}]' if sizes else ''} {name}"


def list_elements(values):
    return ", ".join(str(value.item()) if value.dtype != bool else str(int(value)) for value in values.ravel())


class Cases:
    """Nodes with their expected results. Operands are inputs unless they are `Constant`s."""

    def __init__(self, folder, opset):
        self.folder, self.opset = pathlib.Path(folder), opset
        self.inputs, self.constants, self.nodes, self.expected = {}, {}, [], {}

    def add(self, operator, operands, *results):
        names = []
        for operand in operands:
            if operand is None:
                names.append("")
                continue
            holder = self.constants if isinstance(operand, Constant) else self.inputs
            names.append(f"x{len(self.inputs) + len(self.constants)}")
            holder[names[-1]] = getattr(operand, "values", operand)
        outputs = [f"y{len(self.expected) + i}" for i in range(len(results))]
        self.expected |= dict(zip(outputs, map(np.asarray, results)))
        self.nodes.append(f"{', '.join(outputs)} = {operator} ({', '.join(names)})")

    def run(self, tolerance=1e-5):
        inputs = ", ".join(describe(*item) for item in self.inputs.items())
        outputs = ", ".join(describe(*item) for item in self.expected.items())
        constants = ", ".join(
            f"{describe(name, values)} = {{{list_elements(values)}}}"
            for name, values in self.constants.items()
        )
        model = self.folder / "model.onnxtxt"
        nodes = "\n  ".join(self.nodes)
        model.write_text(
            f'<ir_version: 10, opset_import: ["" : {self.opset}]>\n'
            f"g ({inputs}) => ({outputs})\n  <{constants}>\n{{\n  {nodes}\n}}\n"
        )
        options = []
        for name, values in self.inputs.items():
            np.save(self.folder / f"{name}.npy", values)
            options += ["--input", f"{name}={self.folder / name}.npy"]
        subprocess.run(
            ["ipu-run", model, "--target", "tiles=4", "--output-dir", self.folder, *options],
            check=True,
        )
        for name, expected in self.expected.items():
            found = np.load(self.folder / f"{name}.npy")
            node = next(node for node in self.nodes if name in node.split(" = ")[0].split(", "))
            assert found.shape == expected.shape, (node, found.shape, expected.shape)
            assert np.allclose(found, expected, tolerance, tolerance), (node, found, expected)


class Constant:
    def __init__(self, values, dtype=np.int64):
        self.values = np.asarray(values, dtype)
