# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Exceptions."""


class UndefinedValue(Exception):
    """A property of a tensor, such as its IPU, is not defined."""


class popart_exception(Exception):
    """A program is not valid."""

    #: The diagnostics of the compiler or of a run.
    diagnostics = ()


class popart_internal_exception(popart_exception):
    pass


class popart_runtime_error(popart_exception):
    pass


class poplar_exception(Exception):
    diagnostics = ()


class poplar_runtime_error(poplar_exception):
    pass


class poplar_application_runtime_error(poplar_runtime_error):
    """A run failed."""
