"""Trains a recurrent layer, whose weight is used in each step, with sums of gradients
decomposed and added to accumulators: variables are equal within a bound, and the
fullest tile needs less memory.

    sums.py FOLDER IPU-OPT IPU-RUN
"""

import json
import pathlib
import subprocess
import sys

import numpy as np

sys.dont_write_bytecode = True
from training_programs import call, execute  # noqa: E402

STEPS, BATCH = 8, 4
SUMS = "pop-decompose-sums{gradients-only},"
ACCUMULATE = "pop-inplace-accumulate,"


def get_initial(width):
    """Values of f16."""
    values = np.random.default_rng(3).uniform(-0.2, 0.2, (width, width))
    return values.astype(np.float16).astype(np.float64)


def write_rnn(width, is_variable, type):
    """h = tanh(h @ w + x), again and again; the loss is the sum of the squares of all."""
    square, batch = f"tensor<{width}x{width}x{type}>", f"tensor<{BATCH}x{width}x{type}>"
    initial = f"dense<{get_initial(width).tolist()}> : {square}"
    variable, argument, lines = "", "", []
    if is_variable:
        variable = f"pop.variable @w : {square} = {initial}"
        ref = square.replace("tensor", "!pop.ref")
        lines = [f"%r = pop.get_variable @w : {ref}", f"%w = pop.read %r : {ref}"]
    else:
        argument = f', %w: {square} {{pop.name = "w", pop.default = {initial}}}'
    value, losses = "%x", []
    for i in range(STEPS):
        lines += [
            f"%m{i} = pop.matmul {value}, %w : ({batch}, {square}) -> {batch}",
            f"%a{i} = pop.add %m{i}, %x : {batch}",
            f"%h{i} = pop.tanh %a{i} : {batch}",
            f"%q{i} = pop.mul %h{i}, %h{i} : {batch}",
            f"%l{i} = pop.reduce sum %q{i} {{axes = array<i64: 0, 1>}} : {batch} -> tensor<{type}>",
        ]
        value = f"%h{i}"
        losses.append(f"%l{i}")
    types = ", ".join([f"tensor<{type}>"] * STEPS)
    newline = "\n  "
    return f"""{variable}
func.func private @f(%x: {batch} {{pop.name = "x"}}{argument})
    -> (tensor<{type}> {{pop.name = "loss"}}) {{
  {newline.join(lines)}
  %l = pop.sum {', '.join(losses)} : ({types}) -> tensor<{type}>
  return %l : tensor<{type}>
}}
"""


def compile_rnn(folder, width, is_variable, type, optimizer, factor, passes, ipu_opt):
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "f.mlir").write_text(write_rnn(width, is_variable, type))
    weight = "@w" if is_variable else "w"
    loops = f"pop-main-loops{{accumulation-factor={factor}}}," if factor > 1 else ""
    pipeline = (
        f"--pass-pipeline=builtin.module(pop-autodiff{{func=f required={weight} caller=main}},"
        "inline,symbol-dce,"
        f"pop-add-optimizer{{optimizer={{#pop.optimizer<{optimizer}>}} "
        f"accumulation-factor={factor} mean=post}},{passes}"
        f"pop-state-to-variables,pop-host-load-setup,pop-prune,{loops}pop-host-store-setup)"
    )
    call([ipu_opt, folder / "f.mlir", pipeline, "-o", folder / "main.mlir"])
    return (folder / "main.mlir").read_text()


# ===----------------------------------------------------------------------=== #
# Values
# ===----------------------------------------------------------------------=== #


def get_error(found, expected):
    """The greatest difference of weights, by the greatest of what they moved."""
    found, expected = (x["w"].astype(np.float64) for x in (found, expected))
    return np.max(np.abs(found - expected)) / np.max(np.abs(expected - get_initial(16)))


def check_values(folder, ipu_opt, ipu_run):
    """Gradients of f16 are rounded for each addition, and the accumulator is f32."""
    x = np.random.default_rng(4).uniform(-1, 1, (BATCH, 16))
    for is_variable, type, factor, bound in (
        (False, "f32", 1, 1e-5),
        (False, "f32", 3, 1e-5),
        (True, "f32", 3, 1e-5),
        (True, "f16", 3, 2e-2),
    ):
        variables = {}
        for passes in ("", SUMS, SUMS + ACCUMULATE, ACCUMULATE):
            optimizer = "sgd2, lr = 0.0001, momentum = 0.9, accumulator = f32"
            text = compile_rnn(folder, 16, is_variable, type, optimizer, factor, passes, ipu_opt)
            inputs = {"x": x.astype(np.float16 if type == "f16" else np.float32)}
            if factor > 1:
                inputs["x"] = np.stack([inputs["x"] * (i + 1) / factor for i in range(factor)])
            flags = ["--runs", "4", "--target", "tiles=8"]
            variables[passes] = execute(folder, ipu_run, flags, inputs)
            sums = text.count(" pop.sum ")
            accumulations = text.count("pop.accumulate_ ")
            error = get_error(variables[passes], variables[""])
            is_equal = "equal" if error <= bound else f"other by {error:.1e}"
            what = f"{'variable' if is_variable else 'argument'} {type}, {factor} parts"
            print(f"{what}, '{passes}': {sums} sums, {accumulations} accumulations, {is_equal}")


# ===----------------------------------------------------------------------=== #
# Memory
# ===----------------------------------------------------------------------=== #


def check_memory(folder, ipu_opt, ipu_run):
    def get_bytes(optimizer, factor, passes):
        compile_rnn(folder, 224, False, "f32", optimizer, factor, passes, ipu_opt)
        flags = ["--engine", "none", "--target", "tiles=4", "--allow-oom", "--profile", folder / "p.json"]
        call([ipu_run, folder / "main.mlir", *flags])
        memory = json.loads((folder / "p.json").read_text())["memory"]
        return memory["max_tile_bytes"]

    for optimizer, factor, without, passes, percent in (
        ("sgd0", 1, "", SUMS, 20),
        ("sgd0", 4, "", SUMS, 20),
        ("sgd0", 4, SUMS, SUMS + ACCUMULATE, 5),
        ("sgd0", 4, "", SUMS + ACCUMULATE, 20),
        ("adam", 4, SUMS, SUMS + ACCUMULATE, 10),
    ):
        before, after = (get_bytes(optimizer, factor, p) for p in (without, passes))
        print(f"{optimizer} {factor} {passes}: {before} and {after} bytes", file=sys.stderr)
        is_less = after <= (1 - percent / 100) * before
        share = f"at least {percent} % less" if is_less else f"not {percent} % less"
        print(f"{optimizer}, {factor} parts, '{without}' to '{passes}': {share} memory")


def main():
    folder = pathlib.Path(sys.argv[1])
    for run_check in (check_values, check_memory):
        try:
            run_check(folder / run_check.__name__, *sys.argv[2:])
        except subprocess.CalledProcessError as error:
            print(f"{run_check.__name__} ends with {error.returncode}: {error.stderr[:300]}")


main()
