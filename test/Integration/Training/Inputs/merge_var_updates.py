"""Trains with and without merged updates: all variables have the same bits.

    merge_var_updates.py FOLDER IPU-OPT IPU-RUN
"""

import pathlib
import subprocess
import sys

import numpy as np

sys.dont_write_bytecode = True
from optimizer_equations import KINDS  # noqa: E402
from training_programs import FEATURES, ROWS, Layer, Weight, call, run  # noqa: E402

ALL, TIGHT, LOOSE = "mode=all", "mode=tight threshold=20", "mode=loose threshold=40"
STEPS = 5

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
    for options, replicas, modes in (
        ("", 1, [ALL, TIGHT, LOOSE]),
        ("accumulation-factor=3 mean=post", 1, [TIGHT]),
        ("reduce=gradient mean=post", 2, [ALL]),
    ):
        apart = train("", options, replicas, folder, programs)
        weights = get_weights()
        Layer(weights, ROWS)
        moved = sum(np.any(apart[w.name] != w.initial) for w in weights)
        print(f"'{options}': {len(weights)} weights, {moved} are trained")
        for mode in modes:
            passes = f"pop-merge-var-updates{{{mode}}},"
            variables = train(passes, options, replicas, folder, programs)
            same = all(variables[name].tobytes() == apart[name].tobytes() for name in apart)
            count = (folder / "main.mlir").read_text().count("pop.optimizer_step")
            print(f"{mode}: {count} steps, {'same' if same else 'other'} bits")


def main():
    folder = pathlib.Path(sys.argv[1])
    try:
        check_bits(folder, *sys.argv[2:])
    except subprocess.CalledProcessError as error:
        print(f"it ends with {error.returncode}: {error.stderr}")


main()
