# Part of ipu-mlir, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Layers in numpy, from the formulas of papers. Images are [batch, channels, rows, columns]."""

import math

import numpy as np


class Weights(dict):
    """The weights of a model by name; `weights / "layer00"` are those whose names start with `layer00/`."""

    def __truediv__(self, prefix):
        return Weights({name[len(prefix) + 1:]: values for name, values in self.items()
                        if name.startswith(f"{prefix}/")})

    def linear(self, name, x):
        return x @ self[f"{name}.weight"] + self.get(f"{name}.bias", 0)

    def conv(self, name, x, **sizes):
        return conv(x, self[f"{name}.weight"], self.get(f"{name}.bias"), **sizes)

    def batch_norm(self, name, x):
        scale, bias, mean, variance = (self[f"{name}.{key}"][:, None, None] for key in
                                       ("scale", "bias", "mean", "variance"))
        return (x - mean) / np.sqrt(variance + 1e-5) * scale + bias

    def layer_norm(self, name, x, epsilon=1e-5):
        return normalise(x, -1, epsilon) * self[f"{name}.scale"] + self[f"{name}.bias"]

    def group_norm(self, name, x, groups):
        parts = np.concatenate([normalise(part, (1, 2, 3), 1e-5) for part in np.split(x, groups, axis=1)], axis=1)
        return parts * self[f"{name}.scale"][:, None, None] + self[f"{name}.bias"][:, None, None]

    def rms_norm(self, name, x):
        return x / np.sqrt((x**2).mean(axis=-1, keepdims=True) + 1e-5) * self[f"{name}.scale"]

    def self_attention(self, x, heads, mask=0):
        parts = (self.linear(name, x) for name in ("query", "key", "value"))
        return self.linear("output", attention(*parts, heads, heads, mask))


def conv(x, weights, bias=None, stride=1, groups=1):
    """A convolution of one or two dimensions with zeros around, so that stride 1 keeps the size."""
    if x.ndim == 3:
        # A column of pixels, and kernels of one column.
        pad = weights.shape[2] // 2
        x = np.pad(x, ((0, 0), (0, 0), (pad, pad)))[..., None]
        return convolve(x, weights[..., None], bias, stride, groups)[..., 0]
    pad = weights.shape[2] // 2
    return convolve(np.pad(x, ((0, 0), (0, 0), (pad, pad), (pad, pad))), weights, bias, stride, groups)


def convolve(x, weights, bias, stride, groups):
    windows = np.lib.stride_tricks.sliding_window_view(x, weights.shape[2:], (2, 3))[:, :, ::stride, ::stride]
    parts = [np.einsum("nchwij,ocij->nohw", *part, optimize=True)
             for part in zip(np.split(windows, groups, axis=1), np.split(weights, groups))]
    y = np.concatenate(parts, axis=1)
    return y if bias is None else y + bias[:, None, None]


def max_pool(x, kernel, stride):
    pad = kernel // 2
    x = np.pad(x, ((0, 0), (0, 0), (pad, pad), (pad, pad)), constant_values=-np.inf)
    return np.lib.stride_tricks.sliding_window_view(x, (kernel, kernel), (2, 3))[:, :, ::stride, ::stride].max((4, 5))


def normalise(x, axes, epsilon):
    """Mean 0 and variance 1."""
    return (x - x.mean(axes, keepdims=True)) / np.sqrt(x.var(axes, keepdims=True) + epsilon)


def attention(queries, keys, values, heads, groups, mask=0):
    """For each head. Arguments are [batch, tokens, width of all heads]; `groups` is the number of heads of keys."""
    width, results = queries.shape[-1] // heads, []
    for head in range(heads):
        own, group = slice(head * width, (head + 1) * width), head * groups // heads
        shared = slice(group * width, (group + 1) * width)
        scores = queries[..., own] @ keys[..., shared].swapaxes(1, 2) / math.sqrt(width)
        results.append(softmax(scores + mask) @ values[..., shared])
    return np.concatenate(results, axis=-1)


def softmax(x):
    e = np.exp(x - x.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def make_causal_mask(tokens):
    """No token attends to a later one."""
    return np.where(np.tri(tokens, dtype=bool), 0, -np.inf)


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def relu(x):
    return np.maximum(x, 0)


def silu(x):
    return x * sigmoid(x)


def gelu(x):
    """x Phi(x), where Phi is the distribution function of the normal distribution."""
    return x * (1 + np.vectorize(math.erf)(x / math.sqrt(2))) / 2


def gelu_tanh(x):
    return x / 2 * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))
