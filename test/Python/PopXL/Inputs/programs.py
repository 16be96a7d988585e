"""Helpers of the tests of popxl."""

import os
import sys
import unittest

import numpy as np

os.environ.setdefault("POPXL_TILES", "4")

import popxl
from popxl import ops


def store(t):
    """Store a tensor to a new stream."""
    stream = popxl.d2h_stream(t.shape, t.dtype)
    ops.host_store(stream, t)
    return stream


def run(ir, inputs=None, count=1):
    """Run a program. Returns the session and the outputs of the last run."""
    session = popxl.Session(ir, "ipu_model")
    with session:
        for _ in range(count):
            outputs = session.run(inputs)
    return session, outputs


class ProgramTest(unittest.TestCase):
    def check(self, cases, rtol=1e-5, atol=1e-6):
        """Run all cases in one program. A case is a name, a function that creates
        tensors, and the expected values."""
        ir = popxl.Ir()
        checks = []
        with ir.main_graph, popxl.in_sequence():
            for name, create, expected in cases:
                tensors = create()
                if isinstance(tensors, popxl.Tensor):
                    tensors, expected = [tensors], [expected]
                self.assertEqual(len(tensors), len(expected), name)
                checks += [
                    (name, store(t), t.dtype, e) for t, e in zip(tensors, expected)
                ]
        _, outputs = run(ir)
        for name, stream, dtype, expected in checks:
            with self.subTest(name):
                expected = np.asarray(expected)
                value = outputs[stream]
                self.assertEqual(value.shape, expected.shape)
                self.assertEqual(value.dtype, dtype._np)
                if dtype.is_fp8:
                    np.testing.assert_equal(value.view("u1"), expected.view("u1"))
                else:
                    np.testing.assert_allclose(
                        value.astype("f8"), expected.astype("f8"), rtol, atol
                    )
