"""Trains with and without merged updates: all variables have the same bits, and the
profile has fewer compute sets.

    merge_var_updates.py FOLDER IPU-OPT IPU-RUN
"""

import json
import pathlib
import subprocess
import sys

import numpy as np

sys.dont_write_bytecode = True
from optimizer_equations import KINDS, STEPS  # noqa: E402
from training_programs import FEATURES, ROWS, Layer, Weight, call, run  # noqa: E402

MODES = ["mode=all", "mode=tight threshold=20", "mode=loose threshold=40"]

# ===----------------------------------------------------------------------=== #
# Bits
# ===----------------------------------------------------------------------=== #


def get_weights():
    """Several weights of each kind, type and shape, arguments and variables."""
    weights = []
    for kind in KINDS:
        more = {"momentum": 0.8} if kind in ("sgd1", "sgd2", "rmsprop") else {}
        for type, settings in (("f32", {}), ("f16", {}), ("f16", {"master": True})):
            for shape in ((FEATURES, 2), (FEATURES,), (), (FEATURES, 2, 2)):
                settings = settings | more | {"weight_decay": 0.1}
                weight = Weight(kind, settings, shape=shape, type=type)
                weight.is_variable = len(weights) % 9 > 5
                weights.append(weight)
    return weights


def train(passes, options, replicas, folder, programs):
    shape = (replicas,) * (replicas > 1) + (ROWS, FEATURES)
    rows = np.random.default_rng(2).uniform(-1, 1, shape).astype(np.float32)
    flags = ["--runs", str(STEPS), "--target", f"tiles=4,replicas={replicas}"]
    flags += ["--check-replica-equal"] if replicas > 1 else []
    layer, inputs = Layer(get_weights(), ROWS), {"x_f32": rows}
    return run(layer, folder, programs, options, flags, inputs, passes)


def check_bits(folder, *programs):
    """With accumulators that are emptied before the updates, too. (There are no loops:
    each run is one of the parts and an update.)"""
    for options, replicas in (
        ("", 1),
        ("accumulation-factor=3 mean=post", 1),
        ("reduce=gradient mean=post", 2),
    ):
        apart = train("", options, replicas, folder, programs)
        weights = get_weights()
        Layer(weights, ROWS)
        moved = sum(np.any(apart[w.name] != w.initial) for w in weights)
        print(f"'{options}': {len(weights)} weights, {moved} are trained")
        for mode in MODES:
            passes = f"pop-merge-var-updates{{{mode}}},"
            variables = train(passes, options, replicas, folder, programs)
            same = all(variables[name].tobytes() == apart[name].tobytes() for name in apart)
            count = (folder / "main.mlir").read_text().count("pop.optimizer_step")
            print(f"{mode}: {count} steps, {'same' if same else 'other'} bits")


# ===----------------------------------------------------------------------=== #
# Compute sets
# ===----------------------------------------------------------------------=== #

LAYERS, WIDTH = 12, 32


def write_mlp():
    """tanh layers with biases and a quadratic loss."""
    square, row = f"tensor<{WIDTH}x{WIDTH}xf32>", f"tensor<{WIDTH}xf32>"
    batch = f"tensor<8x{WIDTH}xf32>"
    arguments, lines, value = [f'%x: {batch} {{pop.name = "x"}}'], [], "%x"
    for i in range(LAYERS):
        for name, type in ((f"w{i}", square), (f"b{i}", row)):
            default = f"dense<{0.01 * (i + 1)}> : {type}"
            arguments.append(f'%{name}: {type} {{pop.name = "{name}", pop.default = {default}}}')
        lines += [
            f"%m{i} = pop.matmul {value}, %w{i} : ({batch}, {square}) -> {batch}",
            f"%a{i} = pop.add %m{i}, %b{i} : ({batch}, {row}) -> {batch}",
            f"%t{i} = pop.tanh %a{i} : {batch}",
        ]
        value = f"%t{i}"
    lines += [
        f"%q = pop.mul {value}, {value} : {batch}",
        f"%l = pop.reduce sum %q {{axes = array<i64: 0, 1>}} : {batch} -> tensor<f32>",
        "return %l : tensor<f32>",
    ]
    newline = "\n  "
    return f"""func.func private @f({f",{newline}".join(arguments)})
    -> (tensor<f32> {{pop.name = "loss"}}) {{
  {newline.join(lines)}
}}
"""


def get_profile(folder, optimizer, passes, lowering, ipu_opt, ipu_run):
    (folder / "f.mlir").write_text(write_mlp())
    names = ",".join(f"w{i},b{i}" for i in range(LAYERS))
    pipeline = (
        f"--pass-pipeline=builtin.module(pop-autodiff{{func=f required={names} caller=main}},"
        f"inline,symbol-dce,pop-add-optimizer{{optimizer={{#pop.optimizer<{optimizer}>}}}},{passes}"
        "pop-state-to-variables)"
    )
    call([ipu_opt, folder / "f.mlir", pipeline, "-o", folder / "main.mlir"])
    flags = ["--pipeline", f"pop-to-ipu-pipeline{lowering}", "--engine", "none"]
    flags += ["--target", "tiles=64", "--profile", folder / "p.json"]
    call([ipu_run, folder / "main.mlir", *flags])
    profile = json.loads((folder / "p.json").read_text())
    return {"compute sets": profile["totals"]["compute"]["steps"], "cycles": profile["cycles"]}


def check_profile(folder, *programs):
    """The lowering merges steps that do not depend on each other by itself: then most
    updates are in few compute sets already, but not what Adam does with scalars."""
    folder.mkdir(parents=True, exist_ok=True)
    for optimizer, what, lowering in (
        ("sgd2, momentum = 0.9", "compute sets", "{merge-steps=false}"),
        ("adam", "compute sets", "{merge-steps=false}"),
        ("adam", "cycles", ""),
    ):
        apart, merged = (
            get_profile(folder, optimizer, passes, lowering, *programs)[what]
            for passes in ("", "pop-merge-var-updates,")
        )
        print(f"{optimizer} {lowering}: {what} {apart} and {merged}", file=sys.stderr)
        share = "at least 20 % fewer" if merged <= 0.8 * apart else "not 20 % fewer"
        print(f"{optimizer}: {share} {what}")


def main():
    folder = pathlib.Path(sys.argv[1])
    for run_check in (check_bits, check_profile):
        try:
            run_check(folder / run_check.__name__, *sys.argv[2:])
        except subprocess.CalledProcessError as error:
            print(f"{run_check.__name__} ends with {error.returncode}: {error.stderr}")


main()
