"""What transforms of updates save, by the profile.

    measures.py FOLDER IPU-OPT IPU-RUN
"""

import json
import pathlib
import subprocess
import sys

sys.dont_write_bytecode = True
from training_programs import call  # noqa: E402

LAYERS, WIDTH = 12, 32


def write_mlp(type):
    """tanh layers with biases and a quadratic loss."""
    square, row = f"tensor<{WIDTH}x{WIDTH}x{type}>", f"tensor<{WIDTH}x{type}>"
    batch = f"tensor<8x{WIDTH}x{type}>"
    arguments, lines, value = [f'%x: {batch} {{pop.name = "x"}}'], [], "%x"
    for i in range(LAYERS):
        for name, tensor in ((f"w{i}", square), (f"b{i}", row)):
            default = f"dense<{0.01 * (i + 1)}> : {tensor}"
            arguments.append(f'%{name}: {tensor} {{pop.name = "{name}", pop.default = {default}}}')
        lines += [
            f"%m{i} = pop.matmul {value}, %w{i} : ({batch}, {square}) -> {batch}",
            f"%a{i} = pop.add %m{i}, %b{i} : ({batch}, {row}) -> {batch}",
            f'%t{i} = pop.tanh %a{i} : {batch} loc("t{i}")',
        ]
        value = f"%t{i}"
    lines += [
        f"%q = pop.mul {value}, {value} : {batch}",
        f"%l = pop.reduce sum %q {{axes = array<i64: 0, 1>}} : {batch} -> tensor<{type}>",
        f"return %l : tensor<{type}>",
    ]
    newline = "\n  "
    return f"""func.func private @f({f",{newline}".join(arguments)})
    -> (tensor<{type}> {{pop.name = "loss"}}) {{
  {newline.join(lines)}
}}
"""


QUADRATIC = """func.func private @f(
    %w0: tensor<2xf32> {pop.name = "w0", pop.default = dense<0.0> : tensor<2xf32>},
    %x: tensor<2xf32> {pop.name = "x"}) -> (tensor<f32> {pop.name = "loss"}) {
  %0 = pop.sub %w0, %x : tensor<2xf32>
  %1 = pop.mul %0, %0 : tensor<2xf32>
  %2 = pop.reduce sum %1 {axes = array<i64: 0>} : tensor<2xf32> -> tensor<f32>
  return %2 : tensor<f32>
}
"""


def get_measures(folder, program, weights, options, lowering, ipu_opt, ipu_run):
    """Of a run: cycles, compute sets, transfers of the host."""
    (folder / "f.mlir").write_text(program)
    pipeline = (
        "--pass-pipeline=builtin.module(pop-graph-pipeline{train=f "
        f"weights={','.join(weights)} {options}}})"
    )
    call([ipu_opt, folder / "f.mlir", pipeline, "-o", folder / "main.mlir"])
    flags = ["--pass-pipeline", f"pop-to-ipu-pipeline{lowering}", "--engine", "none"]
    flags += ["--target", "tiles=64", "--profile", folder / "p.json"]
    call([ipu_run, folder / "main.mlir", *flags])
    profile = json.loads((folder / "p.json").read_text())
    return {
        "cycles": profile["cycles"],
        "compute sets": profile["totals"]["compute"]["steps"],
        "host transfers": profile["totals"]["host"]["steps"],
    }


def compare(name, what, without, with_it):
    """Each value is that of some updates of weights."""
    print(f"{name}: {what} {without} and {with_it}", file=sys.stderr)
    share = "at least 20 % fewer" if with_it <= 0.8 * without else "not 20 % fewer"
    print(f"{name}: {share} {what}")


def check(folder, *programs):
    folder.mkdir(parents=True, exist_ok=True)
    weights = [f"{name}{i}" for i in range(LAYERS) for name in "wb"]

    def get_mlp(type, options, lowering=""):
        return get_measures(folder, write_mlp(type), weights, options, lowering, *programs)

    # The lowering merges steps that do not depend on each other by itself: then most
    # updates are in few compute sets already, but not what Adam does with scalars.
    for optimizer, what, lowering in (
        ("sgd2, momentum = 0.9", "compute sets", "{merge-steps=false}"),
        ("adam", "compute sets", "{merge-steps=false}"),
        ("adam", "cycles", ""),
    ):
        setting = f"optimizer={{#pop.optimizer<{optimizer}>}}"
        apart, merged = (get_mlp("f32", f"{setting} merge-updates={mode}", lowering)[what]
                         for mode in ("none", "all"))  # fmt: skip
        compare(f"merged updates, {optimizer}", what, apart, merged)

    scale = "optimizer={#pop.optimizer<sgd0>} automatic-loss-scale"
    every, tracked = (get_mlp("f16", f"{scale}{tensors}")["cycles"]
                      for tensors in ("", " tracked-tensors=t5"))  # fmt: skip
    compare("tracked tensors", "cycles", every, tracked)

    one, ten = (
        get_measures(folder, QUADRATIC, ["w0"],
                     f"optimizer={{#pop.optimizer<sgd0>}} batches-per-step={count}", "", *programs)
        for count in (1, 10)
    )  # fmt: skip
    for what in ("cycles", "host transfers"):
        compare("loops over 10 batches", what, 10 * one[what], ten[what])


def main():
    try:
        check(pathlib.Path(sys.argv[1]), *sys.argv[2:])
    except subprocess.CalledProcessError as error:
        print(f"it ends with {error.returncode}: {error.stderr[:300]}")


main()
