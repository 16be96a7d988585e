"""Trains a layer of f16 with loss scales of several kinds.

    loss_scale.py FOLDER IPU-OPT IPU-RUN
"""

import pathlib
import subprocess
import sys

import numpy as np

ROWS, INPUTS, OUTPUTS = 12, 16, 24
EACH = "pop.groups = #pop.replica_groups<stride = 1, size = 1>"


class Model:
    """y = x @ w, and the mean of factor * (y - t)^2."""

    def __init__(self, optimizer, factor=1.0, size=1.0, rows=ROWS, loss="f32"):
        self.optimizer, self.factor, self.rows, self.loss = optimizer, factor, rows, loss
        rng = np.random.default_rng(3)
        self.x = rng.uniform(-1, 1, (ROWS, INPUTS)).astype(np.float16)
        target = rng.uniform(-size, size, (INPUTS, OUTPUTS))
        self.t = (self.x @ target).astype(np.float16)

    def write(self):
        x, t = f"tensor<{self.rows}x{INPUTS}xf16>", f"tensor<{self.rows}x{OUTPUTS}xf16>"
        w, loss = f"tensor<{INPUTS}x{OUTPUTS}xf16>", f"tensor<{self.loss}>"
        return f"""
func.func private @f(%w: {w} {{pop.name = "w", pop.default = dense<0.0> : {w},
                       pop.optimizer = {self.optimizer}}},
                     %x: {x} {{pop.name = "x", {EACH}}}, %t: {t} {{pop.name = "t", {EACH}}})
    -> ({loss} {{pop.name = "loss", pop.anchor = #pop.anchor<all>}}) {{
  %y = pop.matmul %x, %w : ({x}, {w}) -> {t} loc("y")
  %0 = pop.l2_loss mean %y, %t : {t} -> {loss}
  %1 = pop.constant dense<{self.factor}> : {loss}
  %2 = pop.mul %0, %1 : {loss}
  return %2 : {loss}
}}
"""


def call(command):
    subprocess.run(command, check=True, stderr=subprocess.PIPE, text=True)


class Trainer:
    def __init__(self, folder, ipu_opt, ipu_run):
        self.folder, self.ipu_opt, self.ipu_run = pathlib.Path(folder), ipu_opt, ipu_run
        self.folder.mkdir(parents=True, exist_ok=True)

    def compile(self, model, scale, before, updates, parts, options):
        """`scale` are passes on the updates. Losses of all updates are given."""
        (self.folder / "f.mlir").write_text(model.write())
        passes = (
            f"{before}pop-autodiff{{func=f required=w caller=main}},inline,symbol-dce,"
            f"pop-add-optimizer{{accumulation-factor={parts} {options}}},{scale}"
            "pop-state-to-variables,pop-host-load-setup,"
            f"pop-main-loops{{batches-per-step={updates} accumulation-factor={parts}}},pop-host-store-setup"
        )
        program = self.folder / "main.mlir"
        call([self.ipu_opt, self.folder / "f.mlir", f"--pass-pipeline=builtin.module({passes})", "-o", program])
        return program

    def train(self, model, scale="", before="", updates=8, parts=1, options="", **more):
        """Losses of the last run, and variables after it."""
        program = self.compile(model, scale, before, updates, parts, options)
        return self.execute(program, model, updates, parts, **more)

    def execute(self, program, model, updates, parts, runs=1, replicas=1, inputs={}):
        shape = (parts,) * (parts > 1) + (replicas,) * (replicas > 1) + (model.rows,)
        arrays = dict(inputs)
        for name, array in (("x", model.x), ("t", model.t)):
            if name not in arrays:
                array = array.reshape(*shape, array.shape[-1])
                arrays[name] = array if updates * parts == 1 else self.repeat(array, updates, parts)
        command = [self.ipu_run, program, "--engine", "interp", "--threads", "1", "--runs", str(runs)]
        command += ["--target", f"tiles=4,replicas={replicas}", "--check-replica-equal"]
        for name, array in arrays.items():
            np.save(self.folder / f"{name}.npy", array)
            command += ["--input", f"{name}={self.folder / name}.npy"]
        out = self.folder / "out"
        call([*command, "--output-dir", out, "--save-weights", self.folder / "w.npz"])
        with np.load(self.folder / "w.npz") as variables:
            return np.load(out / "loss.npy"), {name: variables[name] for name in variables.files}

    @staticmethod
    def repeat(array, updates, parts):
        return np.concatenate([array] * updates) if parts > 1 else np.stack([array] * updates)

    def get_factors(self, model, scale, count, parts=1, replicas=1, options=""):
        """The factor after each of `count` updates."""
        program = self.compile(model, scale, "", 1, parts, options)
        runs = [self.execute(program, model, 1, parts, n + 1, replicas)[1] for n in range(count)]
        return " ".join(str(float(v["LossScaleFactor___"])) for v in runs)


AUTOMATIC = "pop-automatic-loss-scale,"
ADAM = "#pop.optimizer<adam, lr = 2.0e-5, eps = 1.0e-12, master = true>"


def check_stall(trainer):
    """Elements of the gradient are of 1e-9; the least f16 is 6e-8."""
    model = Model(ADAM, factor=1e-3, size=1e-4)
    losses, variables = trainer.train(model, updates=200)
    stays = "stays" if np.all(losses == losses[0]) else "changes"
    print(f"stall: the loss {stays}, weights {'stay' if not np.any(variables['w']) else 'change'}")
    for what, scale, before in (
        ("automatic", AUTOMATIC, ""),
        ("automatic, marked", "pop-automatic-loss-scale{track=marked},", "pop-pre-automatic-loss-scale{func=f tensors=y,w},"),
        ("automatic, contractions", "pop-automatic-loss-scale{track=contractions},", ""),
    ):
        losses = trainer.train(model, scale, before, updates=200)[0]
        print(f"{what}: the loss", "falls" if losses[-1] < 0.02 * losses[0] else f"is {losses}")


SGD = "#pop.optimizer<sgd2, lr = 0.5, momentum = 0.5, master = true, loss_scale = {}>"


def compare_bits(a, b):
    return "equal bits" if a["w"].tobytes() == b["w"].tobytes() and np.any(a["w"]) else "different"


def check_bits(trainer):
    model = Model(SGD.format("1024.0"))
    print("factors:", trainer.get_factors(model, AUTOMATIC, 8))
    automatic = trainer.train(model, AUTOMATIC)[1]
    streamed = Model(SGD.format("@scale"))
    scales = np.float32(1024.0) * np.exp2(np.arange(8, dtype=np.float32))
    by_host = trainer.train(streamed, inputs={"scale": scales})[1]
    print("automatic as streamed:", compare_bits(automatic, by_host))
    print("automatic as unscaled:", compare_bits(automatic, trainer.train(model)[1]))
    print("period 3: factors", trainer.get_factors(model, "pop-automatic-loss-scale{update-period=3},", 8))


def check_overflow(trainer):
    """Targets whose gradients are near to the largest f16 with the first scale."""
    model = Model(SGD.format("65536.0").replace("lr = 0.5", "lr = 0.0"), size=4.0)
    print("overflow: factors", trainer.get_factors(model, AUTOMATIC, 8))


def check_parts(trainer):
    model = Model(SGD.format("1024.0"), rows=ROWS // 6)
    options = "reduce=accumulator mean=post"
    parts = {"parts": 3, "replicas": 2, "options": options}
    factors = trainer.get_factors(model, AUTOMATIC, 8, **parts)
    weights = trainer.train(model, AUTOMATIC, **parts)[1]["w"]
    whole = trainer.train(Model(SGD.format("1.0")))[1]["w"]
    same = "as one" if np.allclose(weights, whole, 2e-3, 1e-4) else "not as one"
    print(f"parts = 3, replicas = 2: factors {factors}, weights {same}")
    # Only the last rows, which are the last part of the second replica, overflow.
    model.t[: -ROWS // 6] = 0
    model.t[-ROWS // 6 :] = 4000
    print("one part of one replica overflows: factors", trainer.get_factors(model, AUTOMATIC, 3, **parts))


def check_fp32(trainer):
    """Without `pop-ensure-fp32-loss-scale` the scale is infinite."""
    model = Model(SGD.format("131072.0"), loss="f16")
    narrow = trainer.train(model)[1]["w"]
    print("scale of 131072 in f16:", "finite" if np.all(np.isfinite(narrow)) else "not finite")
    wide = trainer.train(model, "pop-ensure-fp32-loss-scale,")[1]
    unscaled = trainer.train(Model(SGD.format("1024.0"), loss="f16"))[1]
    print("scale of 131072 in f32:", "as unscaled" if compare_bits(wide, unscaled) == "equal bits" else "different")


def main():
    for check in (check_stall, check_bits, check_overflow, check_parts, check_fp32):
        try:
            check(Trainer(pathlib.Path(sys.argv[1]) / check.__name__, *sys.argv[2:]))
        except subprocess.CalledProcessError as error:
            print(f"{check.__name__} ends with {error.returncode}: {error.stderr[-3000:]}")


main()
