# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles tensor programs and runs them on the simulated device."""

from ipu_mlir._native import __version__ as __version__
