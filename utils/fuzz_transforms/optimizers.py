# Part of ipu-mlir, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random optimizers of weights, and their functions in numpy."""

import copy
import dataclasses
import pathlib
import sys

import numpy as np

EQUATIONS = pathlib.Path(__file__).resolve().parents[2] / "test/Integration/Training/Inputs"
sys.path.insert(0, str(EQUATIONS))
from optimizer_equations import ADAPTIVE, KINDS, Schedule, get_defaults, write_setting  # noqa: E402

RATES = {"sgd0": 0.25, "sgd1": 0.25, "sgd2": 0.25, "adadelta": 0.9}
VELOCITIES = ("sgd1", "sgd2")
ADAMS = ("adam", "adam_no_bias", "adamax", "lamb", "lamb_no_bias")
NUMBERS = {"momentum": [0.5, 0.875], "beta1": [0.5, 0.875], "beta2": [0.75, 0.9375], "alpha": [0.5, 0.875],
           "weight_decay": [0.125, 0.0625], "dampening": [0.25, 0.5], "velocity_scaling": [2.0, 0.75],
           "max_weight_norm": [0.5, 4.0]}  # fmt: skip
# What the host may give, and between which bounds.
STREAMS = {"rate": (0.05, 0.25), "share": (0.5, 0.9), "decay": (0.05, 0.2), "scale": (1.0, 64.0),
           "adapted": (1.0, 1.0)}


@dataclasses.dataclass(frozen=True)
class Stream:
    name: str

    def __str__(self):
        return f"@{self.name}"


@dataclasses.dataclass
class Optimizer:
    kind: str
    settings: dict

    def __str__(self):
        words = [f"{name} = {write_setting(value)}" for name, value in self.settings.items()]
        return f"#pop.optimizer<{', '.join([self.kind, *words])}>"

    def get_streams(self):
        return {value.name for value in self.settings.values() if isinstance(value, Stream)}

    def get_states(self):
        names = list(KINDS[self.kind][0])
        if self.kind in ADAPTIVE and self.settings.get("momentum", 0) != 0:
            names.append("Accl3")
        return names

    def evaluate(self, t, give):
        """The settings of update t; `give` says what the host gives."""
        def value_of(value):
            if isinstance(value, Stream):
                return float(give(value.name))
            if isinstance(value, Schedule):
                return value.at(t)
            return float(np.float32(value)) if type(value) is float else value

        given = get_defaults(self.kind) | self.settings
        return {name: value_of(value) for name, value in given.items()}

    def step(self, weight, states, gradient, settings):
        """The next weight. `states` are changed; `gradient` is without loss scale."""
        return KINDS[self.kind][1](weight, states, gradient, settings)


# ===----------------------------------------------------------------------=== #
# Drawing
# ===----------------------------------------------------------------------=== #


def draw_rate(rng, kind):
    rate = RATES.get(kind, 0.03125)
    draw = rng.random()
    if draw < 0.5:
        return rate
    if draw < 0.7:
        return Stream("rate")
    warmup = rng.choice([0, 0, 2, 4])
    return rng.choice([
        Schedule("constant", rate, warmup=warmup or 3),
        Schedule("step", rate, factor=0.5, steps=rng.randint(1, 3), warmup=warmup),
        Schedule("linear", rate, final=rate / 4, steps=rng.randint(1, 5), warmup=warmup),
        Schedule("cosine", rate, final=rate / 4, steps=rng.randint(1, 5), warmup=warmup),
    ])  # fmt: skip


def draw_number(rng, name, stream):
    if stream and rng.random() < 0.25:
        return Stream(stream)
    return rng.choice(NUMBERS[name])


def draw_settings(rng, kind, weight):
    """`weight` is None for an optimizer of several weights."""
    settings = {"lr": draw_rate(rng, kind)}

    def add(name, chance=0.4, stream=None):
        if rng.random() < chance:
            settings[name] = draw_number(rng, name, stream)

    add("weight_decay", 0.4, None if kind == "sgd1" else "decay")
    if kind in VELOCITIES:
        add("momentum", 0.7, "share")
        add("velocity_scaling", 0.3, "scale" if kind == "sgd2" else None)
        if rng.random() < 0.25:
            settings["nesterov"] = True
    if kind.startswith("sgd") and "nesterov" not in settings:
        add("dampening", 0.3, "share" if kind == "sgd2" else None)
    if kind in ADAMS:
        add("beta1", stream="share")
        add("beta2", stream="share")
    if kind.startswith("lamb"):
        add("max_weight_norm")
    if kind in ADAPTIVE:
        add("momentum", stream="share")
        if rng.random() < 0.3:
            settings["tensorflow"] = True
        if kind != "adagrad":
            add("alpha")
    if not kind.startswith("sgd"):
        # Small gradients are not made large.
        settings["eps"] = rng.choice([0.0625, 0.125])
        if rng.random() < 0.3:
            settings["decay"] = "decoupled"
    draw_types(rng, settings, weight)
    return settings


def draw_types(rng, settings, weight):
    element = weight.element if weight else "f64"
    if element == "f64":
        return
    if rng.random() < 0.3:
        settings["accumulator"] = rng.choice(["f32"] + (["f16"] if element == "f16" else ["f32", "f64"]))
    if element == "f16" and rng.random() < 0.2:
        settings["state"] = "f16"
    elif rng.random() < 0.3:
        settings["master"] = True


def draw_optimizer(rng, weight=None):
    kind = rng.choice(list(KINDS) + ["sgd0", "sgd1", "sgd2", "adam"])
    return Optimizer(kind, draw_settings(rng, kind, weight))


def draw_loss_scale(rng):
    draw = rng.random()
    if draw < 0.4:
        return None
    if draw < 0.7:
        return rng.choice([8.0, 64.0, 3.0])
    if draw < 0.85:
        return Stream("scale")
    return Schedule("step", 32.0, factor=0.5, steps=2)


def fit(program, weight, optimizer):
    """What docs/training.md says that an SGD1 does not have."""
    if optimizer.kind == "sgd1":
        scale = optimizer.settings.get("loss_scale", 1.0)
        if program.is_in_velocity(weight) and (program.mean == "running" or not isinstance(scale, float)):
            optimizer.kind = "sgd2"


def draw_optimizers(program, rng):
    """Some weights have equal ones, some that of the program."""
    scale = draw_loss_scale(rng)
    is_one = rng.random() < 0.25
    few = [draw_optimizer(rng) for _ in range(1 if is_one else rng.choice([1, 1, 2]))]
    program.optimizer, program.is_option = draw_optimizer(rng), rng.random() < 0.4
    for weight in program.weights.values():
        draw = 0.0 if is_one else rng.random()
        if draw < 0.5:
            weight.optimizer = copy.deepcopy(rng.choice(few))
        elif draw < 0.8:
            weight.optimizer = draw_optimizer(rng, weight)
    for weight in [*program.weights.values()]:
        optimizer = program.optimizer_of(weight)
        if scale is not None:
            optimizer.settings["loss_scale"] = scale
        fit(program, weight, optimizer)


def list_smaller(optimizer):
    for name in optimizer.settings:
        if name != "loss_scale":
            rest = {key: value for key, value in optimizer.settings.items() if key != name}
            yield Optimizer(optimizer.kind, rest)
    if optimizer.kind != "sgd0":
        kept = {key: value for key, value in optimizer.settings.items() if key in ("lr", "loss_scale")}
        yield Optimizer("sgd0", kept)


# ===----------------------------------------------------------------------=== #
# Values
# ===----------------------------------------------------------------------=== #


def start_states(optimizer, weight, settings):
    """The states of a weight before all updates, but the master."""
    states = {name: np.zeros(() if name == "Step" else weight.shape) for name in optimizer.get_states()}
    if optimizer.kind == "sgd1":
        share = (1 - settings["dampening"]) * settings["velocity_scaling"]
        states["Accl"] = share * settings["weight_decay"] * weight
    return states
