"""Programs that train weights, each with an optimizer of its own, and what the
weights are after training.

All weights of a program are columns of one layer, y = tanh(x @ w). The loss is the
sum of scale * (y - t)^2 over columns, and its mean over the rows of x.
"""

import dataclasses
import math
import subprocess

import numpy as np
from optimizer_equations import (
    ADAPTIVE,
    KINDS,
    STEPS,
    get_defaults,
    round_to,
    write_setting,
)

ROWS = 8
FEATURES = 3

# ===----------------------------------------------------------------------=== #
# Weights
# ===----------------------------------------------------------------------=== #


@dataclasses.dataclass
class Weight:
    """A weight of element type `type`, which the layer casts to `layer`."""

    kind: str
    settings: dict
    name: str = ""
    shape: tuple = (FEATURES, 2)
    type: str = "f32"
    layer: str = "f32"
    loss: float = 1.0
    is_variable: bool = False
    groups: str = ""
    has_own: bool = True
    initial: np.ndarray = None
    targets: np.ndarray = None

    def get_columns(self):
        return max(1, math.prod(self.shape) // FEATURES)

    def get_optimizer(self):
        text = [f"{k} = {write_setting(v)}" for k, v in self.settings.items()]
        return f"#pop.optimizer<{', '.join([self.kind] + text)}>"

    def get_state_type(self):
        return self.settings.get("state") or ("f64" if self.type == "f64" else "f32")

    def get_settings(self, t):
        given = {k: v.at(t) if hasattr(v, "at") else v for k, v in self.settings.items()}
        given = get_defaults(self.kind) | given
        if self.get_state_type() != "f64":
            # 1 - beta2 depends much on it that the device has a number of f32.
            given |= {k: float(np.float32(v)) for k, v in given.items() if type(v) is float}
        return given

    def get_states(self):
        names = list(KINDS[self.kind][0])
        if self.kind in ADAPTIVE and self.settings.get("momentum", 0) != 0:
            names.append("Accl3")
        return [*names, "Master"] if self.settings.get("master") else names

    def start(self):
        """The states but the master."""
        names = [n for n in self.get_states() if n != "Master"]
        states = {n: np.zeros(() if n == "Step" else self.shape) for n in names}
        p = self.get_settings(0)
        if self.kind == "sgd1" and p["weight_decay"]:
            share = (1 - p["dampening"]) * p["velocity_scaling"]
            states["Accl"] = self.round_state(share * p["weight_decay"] * self.initial)
        return states

    def round_state(self, x):
        return round_to(x, self.get_state_type())

    def differentiate(self, x, w):
        """The gradient of the mean over the rows of `x`."""
        columns = np.broadcast_to(w, (FEATURES,)) if self.shape == () else w
        y = np.tanh(x @ columns.reshape(FEATURES, -1))
        dy = 2 * self.loss * (y - self.targets) * (1 - y * y) / len(x)
        dw = x.T @ dy
        return np.sum(dw) if self.shape == () else dw.reshape(self.shape)

    def train(self, x, loss_scale=1.0):
        """The weight and its states after training, and the greatest elements that
        they had."""
        w, states = self.initial, self.start()
        bounds = {n: 0.0 for n in states}
        wide, is_master = w, bool(self.settings.get("master"))
        for t in range(STEPS):
            p = self.get_settings(t)
            g = round_to(loss_scale * self.differentiate(x, w), self.type)
            g = g / p["loss_scale"]
            wide = KINDS[self.kind][1](wide if is_master else w, states, g, p)
            w = round_to(wide, self.type)
            for name in states:
                if name != "Step":
                    states[name] = self.round_state(states[name])
                bounds[name] = max(bounds[name], np.max(np.abs(states[name])))
        if is_master:
            states["Master"], bounds["Master"] = wide, 1.0
        return w, states, bounds


# ===----------------------------------------------------------------------=== #
# Programs
# ===----------------------------------------------------------------------=== #


def tensor(shape, type):
    return "tensor<" + "".join(f"{size}x" for size in shape) + f"{type}>"


def write_dense(values, type):
    values = np.asarray(values, np.float64)
    # A bf16 is printed exactly, too.
    return f"dense<{values.tolist()}> : {tensor(values.shape, type)}"


class Layer:
    """The function of all weights."""

    def __init__(self, weights, rows, mean_rows=None, seed=1):
        self.weights, self.rows = weights, rows
        self.mean_rows = mean_rows or rows
        rng = np.random.default_rng(seed)
        for i, weight in enumerate(weights):
            weight.name = weight.name or f"w{i}"
            # The groups of an argument start with the same value.
            shape = (2,) * bool(weight.groups and weight.is_variable) + weight.shape
            weight.initial = np.asarray(round_to(rng.uniform(-1, 1, shape), weight.type))
            weight.targets = rng.uniform(-0.9, 0.9, weight.get_columns())

    def get_types(self):
        return sorted({w.layer for w in self.weights})

    def write_weight(self, weight):
        """Ops that read the weight as columns of the type of the layer."""
        name, type, shape = weight.name, weight.type, weight.shape
        lines = []
        if weight.is_variable:
            ref = tensor(shape, type).replace("tensor", "!pop.ref")
            lines.append(f"%{name}_r = pop.get_variable @{name} : {ref}")
            lines.append(f"%{name} = pop.read %{name}_r : {ref}")
        text, value = tensor(shape, type), f"%{name}"
        if type != weight.layer:
            wide = tensor(shape, weight.layer)
            lines.append(f"{value}_c = pop.cast {value} : {text} to {wide}")
            text, value = wide, f"{value}_c"
        columns = tensor((FEATURES, weight.get_columns()), weight.layer)
        if shape == ():
            lines.append(f"{value}_s = pop.expand {value} : {text} to {columns}")
        else:
            lines.append(f"{value}_s = pop.reshape {value} : {text} to {columns}")
        return lines, f"{value}_s", columns

    def write_layer(self, type):
        lines, values, types = [], [], []
        weights = [w for w in self.weights if w.layer == type]
        for weight in weights:
            more, value, text = self.write_weight(weight)
            lines += more
            values.append(value)
            types.append(text)
        targets = np.concatenate([w.targets for w in weights])
        losses = np.concatenate([np.full(w.get_columns(), w.loss) for w in weights])
        n = len(targets)
        all, x = tensor((FEATURES, n), type), tensor((self.rows, FEATURES), type)
        y, row, one = tensor((self.rows, n), type), tensor((n,), type), tensor((), type)
        lines += [
            f"%w_{type} = pop.concat {', '.join(values)} {{axis = 1 : i64}} : "
            f"({', '.join(types)}) -> {all}",
            f"%s_{type} = pop.matmul %x_{type}, %w_{type} : ({x}, {all}) -> {y}",
            f"%y_{type} = pop.tanh %s_{type} : {y}",
            f"%t_{type} = pop.constant {write_dense(targets, type)}",
            f"%e_{type} = pop.sub %y_{type}, %t_{type} : ({y}, {row}) -> {y}",
            f"%q_{type} = pop.mul %e_{type}, %e_{type} : {y}",
            f"%c_{type} = pop.constant {write_dense(losses / self.mean_rows, type)}",
            f"%p_{type} = pop.mul %q_{type}, %c_{type} : ({y}, {row}) -> {y}",
            f"%l_{type} = pop.reduce sum %p_{type} {{axes = array<i64: 0, 1>}} : {y} -> {one}",
        ]
        return lines

    def write(self):
        variables, arguments, lines = [], [], []
        for w in self.weights:
            initial = write_dense(w.initial, w.type)
            optimizer = f", pop.optimizer = {w.get_optimizer()}" if w.has_own else ""
            groups = f"groups = #pop.replica_groups<{w.groups}>, " if w.groups else ""
            argument_groups = f", pop.{groups[:-2]}" if w.groups else ""
            if w.is_variable:
                variables.append(
                    f"pop.variable @{w.name} : {tensor(w.shape, w.type)} = {initial} "
                    f"{{{groups}retrieval = #pop<retrieval all_replicas>{optimizer}}}"
                )
            else:
                arguments.append(
                    f'%{w.name}: {tensor(w.shape, w.type)} {{pop.name = "{w.name}", '
                    f"pop.default = {initial}{optimizer}{argument_groups}}}"
                )
        types = self.get_types()
        for type in types:
            text = tensor((self.rows, FEATURES), type)
            # Each replica has rows of its own.
            each = "pop.groups = #pop.replica_groups<stride = 1, size = 1>"
            arguments.append(f'%x_{type}: {text} {{pop.name = "x_{type}", {each}}}')
            lines += self.write_layer(type)
        results = ", ".join(f"%l_{type}" for type in types)
        text = ", ".join(tensor((), type) for type in types)
        named = ", ".join(f'{tensor((), type)} {{pop.name = "loss_{type}"}}' for type in types)
        newline = "\n  "
        return f"""module {{
  {newline.join(variables)}
  func.func private @f({f",{newline}    ".join(arguments)}) -> ({named}) {{
    {f"{newline}  ".join(lines)}
    return {results} : {text}
  }}
}}
"""


def call(command):
    subprocess.run(command, check=True, stderr=subprocess.PIPE, text=True)


def run(layer, folder, programs, options, flags, inputs, passes="", loops=""):
    """The variables after training."""
    ipu_opt, ipu_run = programs
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "f.mlir").write_text(layer.write())
    names = ",".join(("@" if w.is_variable else "") + w.name for w in layer.weights)
    pipeline = (
        f"--pass-pipeline=builtin.module(pop-autodiff{{func=f required={names} caller=main}},"
        f"pop-add-optimizer{{{options}}},pop-state-to-variables,{passes}"
        f"pop-host-load-setup,{loops}pop-host-store-setup)"
    )
    call([ipu_opt, folder / "f.mlir", pipeline, "-o", folder / "main.mlir"])
    return execute(folder, ipu_run, flags, inputs)


def execute(folder, ipu_run, flags, inputs):
    command = [ipu_run, folder / "main.mlir", "--engine", "interp", "--threads", "1"]
    for name, values in inputs.items():
        np.save(folder / f"{name}.npy", values)
        command += ["--input", f"{name}={folder / name}.npy"]
    command += ["--output-dir", folder / "out", "--save-weights", folder / "w.npz"]
    call(command + flags)
    with np.load(folder / "w.npz") as variables:
        return {name: variables[name] for name in variables.files}
