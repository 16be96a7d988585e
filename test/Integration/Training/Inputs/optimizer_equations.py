"""The optimizers of PopART in numpy, in f64: their settings, and their equations."""

import dataclasses
import math

import numpy as np

STEPS = 20

# ===----------------------------------------------------------------------=== #
# Element types
# ===----------------------------------------------------------------------=== #


def round_bf16(x):
    bits = np.asarray(x, np.float32).view(np.uint32).astype(np.int64)
    bits = (bits + 0x7FFF + (bits >> 16 & 1)) & 0xFFFF0000
    return bits.astype(np.uint32).view(np.float32).astype(np.float64)


def round_to(x, type):
    """To the nearest number of `type`; those of f32 and f64 are not rounded, which is
    what the tolerances are for."""
    if type == "bf16":
        return round_bf16(x)
    return np.float64(np.float16(x)) if type == "f16" else np.asarray(x, np.float64)


def read_array(array):
    if array.dtype.kind == "V":
        bits = np.frombuffer(array.tobytes(), np.uint16).astype(np.uint32) << 16
        array = bits.view(np.float32).reshape(array.shape)
    return array.astype(np.float64)


# ===----------------------------------------------------------------------=== #
# Settings
# ===----------------------------------------------------------------------=== #


@dataclasses.dataclass(frozen=True)
class Schedule:
    kind: str
    initial: float
    final: float = None
    factor: float = None
    steps: int = 0
    warmup: int = 0

    def __str__(self):
        names = ("initial", "final", "factor", "steps", "warmup")
        given = [f"{n} = {getattr(self, n)}" for n in names if getattr(self, n) is not None]
        return f"#pop.schedule<{', '.join([self.kind] + given)}>"

    def at(self, t):
        final = self.final or 0.0
        part = min(t / self.steps, 1) if self.steps else 1
        value = {
            "constant": lambda: self.initial,
            "step": lambda: self.initial * self.factor ** (t // self.steps),
            "linear": lambda: self.initial + part * (final - self.initial),
            "cosine": lambda: final + (self.initial - final) * (1 + math.cos(math.pi * part)) / 2,
        }[self.kind]()
        return value * min((t + 1) / self.warmup, 1) if self.warmup else value


@dataclasses.dataclass(frozen=True)
class Stream:
    """What the host gives in the first and in the second half of the steps, numbers of
    f32."""

    name: str
    first: float
    second: float

    def __str__(self):
        return f"@{self.name}"

    def at(self, t):
        return float(np.float32(self.first if t < STEPS // 2 else self.second))


def get_defaults(kind):
    rate = 0.1 if kind.startswith("sgd") else 1.0 if kind == "adadelta" else 1e-3
    return {
        "lr": rate,
        "loss_scale": 1.0,
        "weight_decay": 0.0,
        "decay": "l2",
        "momentum": 0.0,
        "dampening": 0.0,
        "velocity_scaling": 1.0,
        "nesterov": False,
        "beta1": 0.9,
        "beta2": 0.999,
        "eps": 1e-6 if kind == "adadelta" else 1e-8,
        "max_weight_norm": 65504.0,
        "alpha": 0.9 if kind == "adadelta" else 0.99,
        "tensorflow": False,
        "state": None,
        "master": False,
    }


def write_setting(value):
    if isinstance(value, bool):
        return "true" if value else "false"
    # MLIR reads no 1e-12.
    text = str(value)
    return text.replace("e", ".0e") if isinstance(value, float) and "." not in text else text


# ===----------------------------------------------------------------------=== #
# The equations
# ===----------------------------------------------------------------------=== #
#
# Each function updates the states `s` and gives the new weight. `g` is the gradient
# without the loss scale.


def sgd0(w, s, g, p):
    rate = p["lr"] * (1 - p["dampening"])
    return w * (1 - rate * p["weight_decay"]) - rate * g


def nesterov(w, v, g, p):
    return p["velocity_scaling"] * (g + p["weight_decay"] * w) + p["momentum"] * v


def sgd1(w, s, g, p):
    """The velocity has the decay of the step before, by the settings of then."""
    share = (1 - p["dampening"]) * p["velocity_scaling"]
    v = s["Accl"] + share * g
    update = nesterov(w, v, g, p) if p["nesterov"] else v
    w = w - p["lr"] / p["velocity_scaling"] * update
    s["Accl"] = p["momentum"] * v + share * p["weight_decay"] * w
    return w


def sgd2(w, s, g, p):
    share = (1 - p["dampening"]) * p["velocity_scaling"]
    v = s["Accl"] = p["momentum"] * s["Accl"] + share * (p["weight_decay"] * w + g)
    update = nesterov(w, v, g, p) if p["nesterov"] else v
    return w - p["lr"] / p["velocity_scaling"] * update


def regularize(w, g, p):
    return g + p["weight_decay"] * w if p["decay"] == "l2" else g


def average(old, new, share):
    return share * old + (1 - share) * new


def adam_family(w, s, g, p, corrected=True, infinity=False, layerwise=False):
    g = regularize(w, g, p)
    b1, b2 = p["beta1"], p["beta2"]
    m = s["Accl1"] = average(s["Accl1"], g, b1)
    if infinity:
        v = s["Accl2"] = np.maximum(b2 * s["Accl2"], np.abs(g))
    else:
        v = s["Accl2"] = average(s["Accl2"], g * g, b2)
    if corrected:
        t = s["Step"] = s["Step"] + 1
        m = m / (1 - b1**t)
        v = v if infinity else v / (1 - b2**t)
    x = m / ((v if infinity else np.sqrt(v)) + p["eps"])
    if p["decay"] == "decoupled":
        x = x + p["weight_decay"] * w
    if layerwise and p["max_weight_norm"] != 0:
        of_weight, of_update = np.linalg.norm(w), np.linalg.norm(x)
        if of_weight != 0 and of_update != 0:
            x = min(of_weight, p["max_weight_norm"]) / of_update * x
    return w - p["lr"] * x


def adaptive(w, s, g, p, kind):
    g = regularize(w, g, p)
    if kind == "adagrad":
        s["Accl1"] = s["Accl1"] + g * g
        x = g / (np.sqrt(s["Accl1"]) + p["eps"])
    else:
        s["Accl1"] = average(s["Accl1"], g * g, p["alpha"])
    if kind == "rmsprop":
        x = g / (np.sqrt(s["Accl1"]) + p["eps"])
    if kind == "centered_rmsprop":
        s["Accl2"] = average(s["Accl2"], g, p["alpha"])
        x = g / (np.sqrt(s["Accl1"] - s["Accl2"] ** 2) + p["eps"])
    if kind == "adadelta":
        x = np.sqrt(s["Accl2"] + p["eps"]) / np.sqrt(s["Accl1"] + p["eps"]) * g
        s["Accl2"] = average(s["Accl2"], x * x, p["alpha"])
    if p["tensorflow"]:
        x = p["lr"] * x
    if "Accl3" in s:
        x = s["Accl3"] = p["momentum"] * s["Accl3"] + x
    decay = p["weight_decay"] * w if p["decay"] == "decoupled" else 0
    return w - (x if p["tensorflow"] else p["lr"] * x) - p["lr"] * decay


def adaptive_of(kind):
    return lambda w, s, g, p: adaptive(w, s, g, p, kind)


# The names of the states, and the step.
KINDS = {
    "sgd0": ([], sgd0),
    "sgd1": (["Accl"], sgd1),
    "sgd2": (["Accl"], sgd2),
    "adam": (["Accl1", "Accl2", "Step"], adam_family),
    "adam_no_bias": (
        ["Accl1", "Accl2"],
        lambda w, s, g, p: adam_family(w, s, g, p, corrected=False),
    ),
    "adamax": (
        ["Accl1", "Accl2", "Step"],
        lambda w, s, g, p: adam_family(w, s, g, p, infinity=True),
    ),
    "lamb": (
        ["Accl1", "Accl2", "Step"],
        lambda w, s, g, p: adam_family(w, s, g, p, layerwise=True),
    ),
    "lamb_no_bias": (
        ["Accl1", "Accl2"],
        lambda w, s, g, p: adam_family(w, s, g, p, corrected=False, layerwise=True),
    ),
    "adagrad": (["Accl1"], adaptive_of("adagrad")),
    "rmsprop": (["Accl1"], adaptive_of("rmsprop")),
    "centered_rmsprop": (["Accl1", "Accl2"], adaptive_of("centered_rmsprop")),
    "adadelta": (["Accl1", "Accl2"], adaptive_of("adadelta")),
}
ADAPTIVE = ("adagrad", "rmsprop", "centered_rmsprop", "adadelta")
