# Part of ipu-mlir, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Inputs that resemble speech and pictures of text."""

import numpy as np

RATE = 16000
# Digits of 3 x 5 pixels, one row of each after the other.
DIGITS = (
    "111101101101111 010110010010111 111001111100111 111001111001111 101101111001001 "
    "111100111001111 111100111101111 111001001001001 111101111101111 111101111001111"
).split()


def make_speech(rng, samples):
    """Vowels of changing pitch: harmonics that two formants weight, four syllables in a
    second with pauses between them, and a little noise. The greatest magnitude is about 0.5."""
    time = np.arange(samples) / RATE
    pitch = 120 + 30 * np.sin(2 * np.pi * 1.3 * time)
    phase = 2 * np.pi * np.cumsum(pitch) / RATE
    formants = 500 + 200 * np.sin(2 * np.pi * time), 1500 + 400 * np.cos(2 * np.pi * 0.7 * time)
    voice = np.zeros(samples)
    for harmonic in range(1, 25):
        distances = [(harmonic * pitch - formant) / 200 for formant in formants]
        voice += sum(np.exp(-(distance**2)) for distance in distances) * np.sin(harmonic * phase)
    syllables = np.clip(np.sin(2 * np.pi * 4 * time) + 0.6, 0, 1)
    noise = 0.003 * rng.standard_normal(samples)
    return (0.08 * voice * syllables + noise).astype(np.float32)


def draw_digits(rng, height, width):
    """A white picture with black digits in a line, as (3, height, width) in [0, 1]."""
    picture = np.ones((height, width))
    scale = max(height // 8, 1)
    top, left = (height - 5 * scale) // 2, 2 * scale
    while left + 3 * scale < width:
        digit = np.array(list(rng.choice(DIGITS)), dtype=int).reshape(5, 3)
        strokes = np.kron(digit, np.ones((scale, scale)))
        picture[top : top + 5 * scale, left : left + 3 * scale] -= 0.9 * strokes
        left += 5 * scale
    # Blurred edges, as those of a photograph.
    for axis in (0, 1):
        picture = (np.roll(picture, 1, axis) + picture + np.roll(picture, -1, axis)) / 3
    noise = 0.02 * rng.standard_normal((3, height, width))
    return np.clip(picture + noise, 0, 1).astype(np.float32)


def draw_page(rng, height, width, lines):
    """A picture with several lines of digits."""
    strips = [draw_digits(rng, height // lines, width) for _ in range(lines)]
    return np.concatenate(strips, axis=1)
