# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Helpers for tests."""

from typing import List

from popxl import dtypes


def get_all_dtypes() -> List[dtypes.dtype]:
    """All dtypes without fp8, which few ops take."""
    return [t for t in dtypes._NAME_TO_POPXL.values() if not t.is_fp8]


def get_all_int_dtypes(
    include_unsigned: bool = True, include_signed: bool = True
) -> List[dtypes.dtype]:
    return [
        t
        for t in get_all_dtypes()
        if t.is_int and (include_signed if t.is_signed else include_unsigned)
    ]
