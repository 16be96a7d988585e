# Part of ipu-mlir, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kinds of modules and functions of PyTorch, each with the arguments of a small example."""

import torch
import torch.nn.functional as F
from torch import nn

KINDS = {}


class Function(nn.Module):
    """A function as a module."""

    def __init__(self, function):
        super().__init__()
        self.function = function

    def forward(self, *arguments):
        return self.function(*arguments)


def add(name, make, *arguments):
    """`make` makes a module. An argument is a shape of normally distributed floats, or a function that makes one."""
    KINDS[name] = (make, arguments)


def add_function(name, function, *arguments):
    add(name, lambda: Function(function), *arguments)


def integers(high, *shape):
    return lambda: torch.randint(high, shape)


def bools(*shape):
    return lambda: torch.rand(shape) < 0.5


def positive(*shape):
    return lambda: torch.rand(shape) + 0.1


def train_norms(module):
    """The module with running statistics that are not those of a new one."""
    for part in module.modules():
        if isinstance(part, nn.modules.batchnorm._BatchNorm):
            nn.init.normal_(part.running_mean)
            nn.init.uniform_(part.running_var, 0.5, 1.5)
            nn.init.normal_(part.weight)
            nn.init.normal_(part.bias)
    return module


# Convolutions. Circular padding is not among them, because PyTorch 1.13 exports it wrongly (its issue 86690).

add("conv1d", lambda: nn.Conv1d(4, 6, 3, padding=1), (2, 4, 11))
add("conv2d", lambda: nn.Conv2d(4, 6, (3, 5), stride=2, padding=(1, 2)), (2, 4, 11, 12))
add("conv2d-dilated", lambda: nn.Conv2d(4, 6, 3, dilation=2, padding=2), (2, 4, 11, 12))
add("conv2d-groups", lambda: nn.Conv2d(8, 12, 3, groups=4, bias=False), (2, 8, 9, 9))
add("conv2d-depthwise", lambda: nn.Conv2d(8, 16, 3, groups=8, padding=1), (1, 8, 9, 9))
add("conv2d-reflect", lambda: nn.Conv2d(3, 4, 3, padding=2, padding_mode="reflect"), (1, 3, 8, 8))
add("conv3d", lambda: nn.Conv3d(2, 3, 3, padding=1), (1, 2, 5, 6, 7))
add("conv-transpose1d", lambda: nn.ConvTranspose1d(4, 3, 4, stride=2, padding=1), (2, 4, 7))
add("conv-transpose2d", lambda: nn.ConvTranspose2d(4, 6, 3, stride=2, padding=1, output_padding=1, groups=2), (2, 4, 5, 6))
add("conv-transpose3d", lambda: nn.ConvTranspose3d(2, 3, 2, stride=2), (1, 2, 3, 4, 3))
add("conv-norm-relu", lambda: train_norms(nn.Sequential(nn.Conv2d(3, 8, 3, bias=False), nn.BatchNorm2d(8), nn.ReLU())),
    (2, 3, 8, 8))
add("weight-norm", lambda: nn.utils.weight_norm(nn.Conv1d(4, 6, 3)), (2, 4, 9))
add_function("unfold", lambda x: F.unfold(x, 3, padding=1, stride=2), (2, 3, 7, 8))

# Norms

add("batch-norm1d", lambda: train_norms(nn.BatchNorm1d(6)), (4, 6))
add("batch-norm3d", lambda: train_norms(nn.BatchNorm3d(3)), (2, 3, 4, 4, 4))
add("layer-norm", lambda: nn.LayerNorm((4, 6)), (3, 4, 6))
add("group-norm", lambda: nn.GroupNorm(3, 6), (2, 6, 5, 4))
add("instance-norm", lambda: nn.InstanceNorm2d(5, affine=True), (2, 5, 6, 6))
add("local-response-norm", lambda: nn.LocalResponseNorm(3), (2, 7, 4, 4))
add_function("normalize", lambda x: F.normalize(x, dim=1), (3, 5))
add_function("rms-norm", lambda x: x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-6), (3, 5))

# Linear layers and products

add("linear", lambda: nn.Linear(7, 5), (2, 3, 7))
add_function("matmul-broadcast", torch.matmul, (2, 1, 4, 5), (3, 5, 6))
add_function("baddbmm", lambda x, y, z: torch.baddbmm(x, y, z, beta=0.5, alpha=2), (2, 3, 5), (2, 3, 4), (2, 4, 5))
add_function("einsum-attention", lambda q, k: torch.einsum("bqhd,bkhd->bhqk", q, k), (2, 4, 3, 5), (2, 6, 3, 5))
add_function("einsum-three", lambda x, y, z: torch.einsum("bi,ij,bj->b", x, y, z), (4, 3), (3, 5), (4, 5))
add_function("einsum-diagonal", lambda x: torch.einsum("bii->bi", x), (3, 4, 4))
add_function("outer", torch.outer, (4,), (5,))

# Embeddings

add("embedding", lambda: nn.Embedding(10, 6, padding_idx=0), integers(10, 3, 4))
add("embedding-bag", lambda: nn.EmbeddingBag(10, 6, mode="mean"), integers(10, 3, 4))

# Recurrent networks

add("rnn", lambda: nn.RNN(5, 6, 2), (7, 3, 5))
add("lstm", lambda: nn.LSTM(5, 6, batch_first=True), (3, 7, 5))
add("lstm-bidirectional", lambda: nn.LSTM(5, 6, 2, bidirectional=True), (7, 3, 5))
add("gru", lambda: nn.GRU(5, 6, bidirectional=True), (7, 3, 5), (2, 3, 6))
add("lstm-cell", lambda: nn.LSTMCell(5, 6), (3, 5))
add("gru-cell", lambda: nn.GRUCell(5, 6), (3, 5))

# Attention


class CausalAttention(nn.Module):
    def __init__(self):
        super().__init__()
        self.attention = nn.MultiheadAttention(8, 2, batch_first=True)

    def forward(self, x):
        mask = torch.full((x.shape[1], x.shape[1]), float("-inf")).triu(1)
        return self.attention(x, x, x, attn_mask=mask)[0]


add("multihead-attention", lambda: nn.MultiheadAttention(8, 2), (5, 3, 8), (6, 3, 8), (6, 3, 8))
add("multihead-attention-causal", CausalAttention, (3, 5, 8))
add("transformer-encoder", lambda: nn.TransformerEncoderLayer(8, 2, 16, activation="gelu", norm_first=True), (5, 3, 8))
add("transformer-decoder", lambda: nn.TransformerDecoderLayer(8, 2, 16), (5, 3, 8), (6, 3, 8))

# Pools

add("max-pool1d", lambda: nn.MaxPool1d(3, 2, 1), (2, 3, 9))
add("max-pool2d", lambda: nn.MaxPool2d(3, 2, 1, ceil_mode=True), (2, 3, 8, 10))
add("max-pool2d-dilated", lambda: nn.MaxPool2d(2, 1, dilation=2), (2, 3, 8, 8))
add("max-pool2d-indices", lambda: nn.MaxPool2d(2, return_indices=True), (2, 3, 6, 6))
add("max-pool3d", lambda: nn.MaxPool3d(2), (1, 2, 4, 6, 4))
add("avg-pool2d", lambda: nn.AvgPool2d(3, 2, 1, count_include_pad=False), (2, 3, 8, 9))
add("avg-pool3d", lambda: nn.AvgPool3d(2), (1, 2, 4, 6, 4))
add("lp-pool2d", lambda: nn.LPPool2d(2, 2), positive(2, 3, 6, 6))
add("adaptive-avg-pool", lambda: nn.AdaptiveAvgPool2d((2, 3)), (2, 3, 8, 9))
add("adaptive-max-pool", lambda: nn.AdaptiveMaxPool2d(1), (2, 3, 8, 9))

# Functions

FUNCTIONS = {
    "celu": nn.CELU(0.7), "elu": nn.ELU(1.3), "gelu": nn.GELU(), "gelu-tanh": nn.GELU("tanh"), "glu": nn.GLU(1),
    "hardshrink": nn.Hardshrink(), "hardsigmoid": nn.Hardsigmoid(), "hardswish": nn.Hardswish(),
    "hardtanh": nn.Hardtanh(-0.5, 0.7), "leaky-relu": nn.LeakyReLU(0.2), "log-sigmoid": nn.LogSigmoid(),
    "log-softmax": nn.LogSoftmax(1), "mish": nn.Mish(), "prelu": nn.PReLU(4), "relu6": nn.ReLU6(), "selu": nn.SELU(),
    "silu": nn.SiLU(), "softmax2d": nn.Softmax2d(), "softmin": nn.Softmin(1), "softplus": nn.Softplus(2),
    "softshrink": nn.Softshrink(), "softsign": nn.Softsign(), "tanhshrink": nn.Tanhshrink(),
    "threshold": nn.Threshold(0, 0),
}
for name, module in FUNCTIONS.items():
    add(name, lambda module=module: module, (2, 4, 5, 6))
add_function("functions", lambda x: torch.stack([x.exp(), x.log1p(), x.erf(), x.sqrt(), x.atan(),
                                                 x.reciprocal(), x.log2()]), positive(3, 5))
add_function("round", lambda x: torch.stack([x.floor(), x.ceil(), x.round(), x.sign()]), (3, 5))
add_function("division", lambda x, y: (x // y, x % y, torch.div(x, y, rounding_mode="trunc"), torch.fmod(x, y)),
             integers(20, 3, 5), lambda: torch.randint(1, 7, (3, 5)))
add_function("comparisons", lambda x, y: ((x > y) & (x != y) | ~(x <= y), torch.logical_xor(x > 0, y > 0)), (3, 5), (3, 5))
add_function("clamp", lambda x, y: (x.clamp(-0.5, 0.5), torch.clamp(x, min=y), torch.maximum(x, y)), (3, 5), (3, 5))
add_function("bits", lambda x, y: (x << y, x >> y), integers(100, 4, 3), integers(4, 4, 3))

# Reductions

add_function("sum-mean", lambda x: (x.sum((0, 2)), x.mean(1, keepdim=True), x.prod(2)), (3, 4, 5))
add_function("variance", lambda x: (x.var(1), x.std((0, 2), unbiased=False), *torch.var_mean(x, 0)), (3, 4, 5))
add_function("extremes", lambda x: (*x.max(1), *x.min(2), x.amax((0, 1)), x.argmin(0)), (3, 4, 5))
add_function("logsumexp", lambda x: torch.logsumexp(x, (1, 2)), (3, 4, 5))
add_function("norms", lambda x: (x.norm(), x.norm(1, 1), torch.linalg.vector_norm(x, 3, 2)), (3, 4, 5))
add_function("any-all", lambda x: (x.any(1), x.all(0)), bools(4, 3))
add_function("cumsum", lambda x: x.cumsum(1), (3, 4, 5))
add_function("topk", lambda x: x.topk(3), (4, 9))
add_function("sort", lambda x: x.sort(1, descending=True), (4, 9))
add_function("cosine-similarity", lambda x, y: F.cosine_similarity(x, y, 1), (3, 5), (3, 5))
add_function("pairwise-distance", F.pairwise_distance, (3, 5), (3, 5))
add_function("cdist", torch.cdist, (2, 4, 3), (2, 5, 3))

# Data movement

add("pixel-shuffle", lambda: nn.PixelShuffle(2), (2, 8, 3, 4))
add("pixel-unshuffle", lambda: nn.PixelUnshuffle(2), (2, 2, 6, 4))
add("upsample-nearest", lambda: nn.Upsample(scale_factor=2), (2, 3, 4, 5))
add("upsample-linear", lambda: nn.Upsample(size=9, mode="linear"), (2, 3, 4))
add("upsample-bilinear", lambda: nn.Upsample(scale_factor=2, mode="bilinear", align_corners=True), (2, 3, 4, 5))
add("upsample-bicubic", lambda: nn.Upsample(scale_factor=1.5, mode="bicubic"), (2, 3, 4, 6))
add("pad-constant", lambda: nn.ConstantPad2d((1, 2, 0, 3), 0.5), (2, 3, 4, 5))
add("pad-reflect", lambda: nn.ReflectionPad2d((1, 2, 3, 0)), (2, 3, 4, 5))
add("pad-replicate", lambda: nn.ReplicationPad2d(2), (2, 3, 4, 5))
add("flatten", lambda: nn.Flatten(1, 2), (2, 3, 4, 5))
add_function("transpose-reshape", lambda x: x.permute(2, 0, 1).reshape(5, -1).unsqueeze(1).squeeze(), (3, 4, 5))
add_function("concat-split", lambda x: (torch.cat([x, x[:, :2]], 1), *x.chunk(2, 2), *x.split([1, 3], 1)), (3, 4, 5))
add_function("roll-flip", lambda x: (x.roll((1, -2), (0, 2)), x.flip(1, 2)), (3, 4, 5))
add_function("repeat-expand", lambda x: (x.repeat(2, 1, 3), x[:, :1].expand(3, 4, 5), x.repeat_interleave(2, 1)), (3, 4, 5))
add_function("slices", lambda x: (x[..., ::2], x[1], x[:, -1:], x[None, :, 1:3, -3]), (3, 4, 5))
add_function("triangles", lambda x: (x.tril(), x.triu(1), torch.diagonal(x, 0, 1, 2)), (3, 4, 4))
add_function("one-hot", lambda x: F.one_hot(x, 5), integers(5, 3, 4))
add_function("meshgrid", lambda x, y: torch.meshgrid(x, y, indexing="ij"), (3,), (4,))
add_function("where", lambda c, x, y: (torch.where(c, x, y), x.masked_fill(c, -1e4)), bools(3, 4), (3, 4), (3, 4))

# Gather and scatter

add_function("gather", lambda x, i: x.gather(1, i), (3, 4), integers(4, 3, 6))
add_function("index-select", lambda x, i: (x.index_select(1, i), x[:, i]), (3, 4), integers(4, 6))
add_function("index-pairs", lambda x, i, j: x[i, j], (3, 4, 5), integers(3, 6), integers(4, 6))
add_function("scatter", lambda x, y: x.scatter(1, torch.tensor([[1, 0], [3, 2], [0, 1]]), y), (3, 4), (3, 2))
add_function("scatter-add", lambda x, i, y: x.scatter_add(1, i, y), (3, 4), integers(4, 3, 6), (3, 6))
add_function("index-put", lambda x, y: x.index_put((torch.tensor([2, 0]),), y), (3, 4), (2, 4))
add_function("index-add", lambda x, y: x.index_add(0, torch.tensor([2, 0, 2]), y), (3, 4), (3, 4))
add_function("slice-write", lambda x, y: torch.cat([x[:1], y, x[2:]]), (3, 4), (1, 4))
add_function("grid-sample", lambda x, y: F.grid_sample(x, y.tanh(), align_corners=False), (2, 3, 5, 6), (2, 4, 4, 2))

# Losses

add_function("cross-entropy", lambda x, t: F.cross_entropy(x, t, ignore_index=1, label_smoothing=0), (6, 4), integers(4, 6))
add_function("nll-loss", lambda x, t: F.nll_loss(x.log_softmax(1), t, reduction="none"), (6, 4, 3), integers(4, 6, 3))
add_function("bce-loss", F.binary_cross_entropy_with_logits, (3, 4), positive(3, 4))
add_function("kl-div", lambda x, y: F.kl_div(x.log_softmax(1), y.softmax(1), reduction="sum"), (3, 4), (3, 4))

# Control flow and numbers of few bits


@torch.jit.script
def repeat_function(x, count: int):
    for _ in range(count):
        x = torch.tanh(x) + 0.1
    return x


@torch.jit.script
def choose_function(x):
    if bool(x.sum() > 0):
        y = x * 2
    else:
        y = x - 1
    return y


class Scripted(nn.Module):
    """A loop whose number of iterations is a shape."""

    def forward(self, x):
        return repeat_function(x, x.shape[0])


class Chosen(nn.Module):
    def forward(self, x):
        return choose_function(x)


class FakeQuantized(nn.Module):
    """Weights and activations of 8 bits, as training for such numbers has them."""

    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 4, 3)

    def forward(self, x):
        x = torch.fake_quantize_per_tensor_affine(x, 0.05, 3, -128, 127)
        weight = torch.fake_quantize_per_channel_affine(
            self.conv.weight, torch.full((4,), 0.01), torch.zeros(4, dtype=torch.int32), 0, -128, 127)
        return F.conv2d(x, weight, self.conv.bias)


add("loop", lambda: torch.jit.script(Scripted()), (5, 3))
add("branch", lambda: torch.jit.script(Chosen()), (5, 3))
add("fake-quantized", FakeQuantized, (2, 3, 6, 6))
