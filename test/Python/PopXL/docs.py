# The program of docs/popxl.md.
# RUN: %python %s %src_root/docs/popxl.md

import contextlib
import io
import re
import sys

import numpy as np

with open(sys.argv[1]) as file:
    (program,) = re.findall(r"```python\n(.*?)```", file.read(), re.S)
printed = io.StringIO()
with contextlib.redirect_stdout(printed):
    exec(program)
numbers = [float(n) for n in re.findall(r"[\d.]*\d", printed.getvalue())]
np.testing.assert_allclose(numbers, [0.8411920] * 4 + [2] * 4, 1e-5)
