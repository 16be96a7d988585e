# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Ops that update variables."""

from popxl.ops.var_updates.accumulate import (
    accumulate_,
    accumulate_mean_,
    accumulate_moving_average_,
    accumulate_moving_average_square_,
    accumulate_square_,
    accumulator_scale_,
    accumulator_zero_,
    sparse_accumulate_,
)
from popxl.ops.var_updates.copy_var_update import copy_var_update_
from popxl.ops.var_updates.adam import (
    adam_updater,
    adam_var_update,
    adamax_updater,
    lamb_updater,
)
