"""Writes the tensors of onnx-shapes.test to a folder."""

import pathlib
import sys

import numpy as np
import onnx.numpy_helper

folder = pathlib.Path(sys.argv[1])
shape = np.array([2, -1])
np.save(folder / "s.npy", shape)
(folder / "s.pb").write_bytes(onnx.numpy_helper.from_array(shape).SerializeToString())
np.save(folder / "x.npy", np.arange(6, dtype=np.float32).reshape(3, 2))
np.save(folder / "four.npy", np.zeros((4, 2), np.float32))
np.save(folder / "large.npy", np.arange(2048))
np.save(folder / "true.npy", np.array(True))
