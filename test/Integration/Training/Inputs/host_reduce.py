"""Compares trainings whose weights the host updates with trainings on the device.

    host_reduce.py FOLDER IPU-TRAIN
"""

import pathlib
import subprocess
import sys

import numpy as np

SAMPLES, INPUTS, HIDDEN, CLASSES = 48, 5, 24, 3
# An optimizer, a number of replicas, and other flags.
CASES = [
    ("sgd0,lr=0.1", 1, ""),
    ("sgd0,lr=0.1", 2, ""),
    ("sgd1,lr=0.1,momentum=0.9", 2, ""),
    ("sgd2,lr=0.1,momentum=0.9", 1, ""),
    ("sgd2,lr=0.1,momentum=0.9,loss_scale=64", 2, "--accumulate 2"),
    ("adam,lr=0.01", 1, ""),
    ("adam,lr=0.01", 3, "--accumulate 2"),
    ("adam,lr=#pop.schedule<linear, initial=0.01, final=0.001, steps=8>", 2, ""),
    ("lamb,lr=0.01,weight_decay=0.1", 2, "--clip"),
    ("sgd2,lr=0.1,momentum=0.9,state=f16", 1, "--precision f16 --stochastic-rounding"),
    ("adam,lr=0.01,state=f16", 2, "--precision f16 --stochastic-rounding"),
    ("sgd2,lr=0.1,momentum=0.9,state=f16", 3, "--accumulate 2 --precision f16 --stochastic-rounding"),
    ("adam,lr=0.01", 2, "--precision mixed --outline --schedule --batch-serialize 2"),
]


def write_model(path, clips):
    def variable(name, shape, seed):
        values = np.random.default_rng(seed).uniform(-0.5, 0.5, shape).round(3).tolist()
        size = "x".join(map(str, shape))
        return f"pop.variable @{name} : tensor<{size}xf32> = dense<{values}> : tensor<{size}xf32>\n"

    batch = "tensor<4x{}xf32>".format
    clip = " attributes {pop.clip_norms = [#pop.clip_norm<0.05>]}" if clips else ""
    path.write_text(
        variable("a", (INPUTS, HIDDEN), 1) + variable("bias", (HIDDEN,), 2) + variable("b", (HIDDEN, CLASSES), 3)
        + f"""func.func @main(%x: {batch(INPUTS)} {{pop.name = "x"}})
    -> ({batch(CLASSES)} {{pop.name = "y"}}){clip} {{
  %ra = pop.get_variable @a : !pop.ref<{INPUTS}x{HIDDEN}xf32>
  %rc = pop.get_variable @bias : !pop.ref<{HIDDEN}xf32>
  %rb = pop.get_variable @b : !pop.ref<{HIDDEN}x{CLASSES}xf32>
  %a = pop.read %ra : !pop.ref<{INPUTS}x{HIDDEN}xf32>
  %c = pop.read %rc : !pop.ref<{HIDDEN}xf32>
  %b = pop.read %rb : !pop.ref<{HIDDEN}x{CLASSES}xf32>
  %0 = pop.matmul %x, %a : ({batch(INPUTS)}, tensor<{INPUTS}x{HIDDEN}xf32>) -> {batch(HIDDEN)}
  %1 = pop.add %0, %c : ({batch(HIDDEN)}, tensor<{HIDDEN}xf32>) -> {batch(HIDDEN)}
  %2 = pop.tanh %1 : {batch(HIDDEN)}
  %3 = pop.matmul %2, %b : ({batch(HIDDEN)}, tensor<{HIDDEN}x{CLASSES}xf32>) -> {batch(CLASSES)}
  return %3 : {batch(CLASSES)}
}}
"""
    )


class Trainings:
    def __init__(self, folder, tool):
        self.folder, self.tool = folder, tool
        rng = np.random.default_rng(0)
        x = rng.uniform(-1, 1, (SAMPLES, INPUTS)).astype(np.float32)
        np.savez(folder / "data.npz", x=x, label=(x[:, :CLASSES]).argmax(1).astype(np.int32))

    def run(self, name, case, flags, epochs=2):
        """Returns the losses and the checkpoint."""
        optimizer, replicas, others = case
        others = others.split()
        write_model(self.folder / "model.mlir", "--clip" in others)
        parts = int(others[others.index("--accumulate") + 1]) if "--accumulate" in others else 1
        run = self.folder / name
        command = [self.tool, self.folder / "model.mlir", "--target", "tiles=8", "--loss", "cross_entropy"]
        command += ["--data", self.folder / "data.npz"]
        # The program of a validation updates no weights whose gradients are clipped.
        if "--clip" not in others:
            command += ["--validate", self.folder / "data.npz"]
        command += ["--optimizer", optimizer, "--replicas", replicas, "--batch", 4 * replicas * parts]
        command += ["--epochs", epochs, "--checkpoint", run, "--log", self.folder / "log.csv"]
        command += ["--profile", self.folder / "profile.json", "--seed", 7]
        command += [flag for flag in others if flag != "--clip"] + flags
        result = subprocess.run([str(word) for word in command], capture_output=True, text=True)
        if result.returncode:
            raise RuntimeError(result.stderr[-2000:])
        losses = [line.split(",")[:6] for line in (self.folder / "log.csv").read_text().splitlines()]
        with np.load(run / "checkpoint.npz") as file:
            tensors = {key: file[key] for key in file.files if not key.startswith("ipu-train/")}
        return losses, tensors


def get_unequal(given, expected):
    """Names of tensors of `expected` that `given` has not, or with other bits. RNG
    states count by their numbers of advances: they are for the tiles of a program."""
    return [name for name, value in expected.items() if not name.startswith("rng.")
            and (name not in given or given[name].tobytes() != value.tobytes())]  # fmt: skip


def main():
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    trainings = Trainings(folder, sys.argv[2])
    for number, case in enumerate(CASES):
        losses, expected = trainings.run(f"device{number}", case, [])
        host_losses, given = trainings.run(f"host{number}", case, ["--host-reduce"])
        unequal = get_unequal(given, expected) + (["losses"] if losses != host_losses else [])
        tensors = sum(not name.startswith("rng.") for name in expected)
        name = f"{case[0]}, {case[1]} replicas {case[2]}".rstrip()
        print(f"{name}: {tensors} tensors, unequal: {', '.join(unequal) or 'none'}")

    # A checkpoint of the host continues on the device, and after an interruption.
    case = ("adam,lr=0.01", 2, "")
    losses, expected = trainings.run("whole", case, [])
    trainings.run("resumed", case, ["--host-reduce"], epochs=1)
    resumed_losses, given = trainings.run("resumed", case, ["--must-resume"])
    print("continued on the device:", get_unequal(given, expected) or "equal", resumed_losses == losses)
    case = ("adam,lr=0.01,state=f16", 1, "--precision f16 --stochastic-rounding")
    losses, expected = trainings.run("whole16", case, ["--host-reduce"])
    trainings.run("resumed16", case, ["--host-reduce"], epochs=1)
    resumed_losses, given = trainings.run("resumed16", case, ["--host-reduce", "--must-resume"])
    print("continued on the host:", get_unequal(given, expected) or "equal", resumed_losses == losses)
    states = {name: value for name, value in given.items() if "rng." in name}
    print("RNG states:", *sorted(states), all((expected[name] == value).all() for name, value in states.items()))


main()
