# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Ops of graphs."""

from popxl.ops.call import CallSiteInfo, call, call_with_info
from popxl.ops.cast import cast, pow2scale_cast_from_fp8, pow2scale_cast_to_fp8
from popxl.ops.conditional import conditional, conditional_with_info
from popxl.ops.conv import (
    PadType,
    conv,
    conv_pow2scaled,
    conv_transpose,
    conv_transpose_pow2scaled,
)
from popxl.ops.elementwise import (
    abs,
    add,
    add_,
    ceil,
    clamp,
    clip,
    cos,
    detach,
    div,
    equal,
    exp,
    exp_,
    floor,
    fmod,
    gelu,
    gelu_,
    geluerf,
    geluerf_,
    greater,
    identity,
    increment_mod,
    increment_mod_,
    isfinite,
    isinf,
    isnan,
    log,
    log2,
    logical_and,
    logical_not,
    logical_or,
    maximum,
    mul,
    negate,
    pow,
    relu,
    relu_,
    rename,
    scaled_add,
    scaled_add_,
    sign,
    sin,
    sqrt,
    sub,
    swish,
    swish_,
    tanh,
    where,
)
from popxl.ops.host import (
    host_load,
    host_store,
    remote_code_load,
    remote_load,
    remote_load_,
    remote_store,
)
from popxl.ops.index import (
    dynamic_slice,
    dynamic_update,
    dynamic_update_,
    gather,
    groupedgather,
    onehot,
    scatter,
    scatter_reduce,
    tied_gather,
)
from popxl.ops.linear import matmul, matmul_pow2scaled
from popxl.ops.loss import nll_loss, nll_loss_with_softmax_grad
from popxl.ops.norm import batch_norm_inference, group_norm, layer_norm, softmax
from popxl.ops.placement import io_tile_copy, ipu_copy
from popxl.ops.pool import average_pool, max_pool
from popxl.ops.print_tensor import print_tensor
from popxl.ops.random import (
    dropout,
    random_normal,
    random_uniform,
    shaped_dropout,
    split_random_seed,
)
from popxl.ops.reduce import (
    argmax,
    argmin,
    cumsum,
    histogram,
    l1,
    l2,
    lamb_square,
    logsum,
    logsumexp,
    max,
    mean,
    median,
    min,
    prod,
    sum,
    sumsquare,
    topk,
)
from popxl.ops.resample import interpolate, roi_align
from popxl.ops.repeat import repeat, repeat_with_info
from popxl.ops.shape import (
    concat,
    concat_,
    detach_,
    flatten,
    flatten_,
    init,
    reshape,
    reshape_,
    slice,
    slice_,
    split,
    squeeze,
    subsample,
    transpose,
    transpose_,
)
from popxl.ops import collectives, var_updates
