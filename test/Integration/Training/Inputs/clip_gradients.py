"""Trains weights by clipped gradients, and compares weights and states with numpy's in
f64, where the norm of a group is one of all its gradients.

    clip_gradients.py FOLDER IPU-OPT IPU-RUN
"""

import pathlib
import subprocess
import sys

import numpy as np

sys.dont_write_bytecode = True
from optimizer_equations import KINDS, STEPS, Stream, read_array, round_to  # noqa: E402
from training_programs import FEATURES, ROWS, Layer, Weight, call, execute  # noqa: E402

SHAPES = [(FEATURES, 2), (FEATURES,), (), (FEATURES, 2, 2)]
TOLERANCES = {"f64": (1e-12, 1e-13), "f32": (1e-5, 1e-6), "f16": (1e-3, 1e-6)}

# ===----------------------------------------------------------------------=== #
# Programs
# ===----------------------------------------------------------------------=== #


def get_weights(type="f32", **more):
    """Each kind of optimizer, with settings that matter together with the size of a
    gradient."""
    velocity = {"momentum": 0.8, "dampening": 0.2, "weight_decay": 0.1, "velocity_scaling": 1.5}
    adam = {"beta2": 0.9, "eps": 0.1, "weight_decay": 0.1}
    cases = [
        ("sgd0", {"lr": 0.3}),
        ("sgd1", {"lr": 0.2} | velocity),
        ("sgd1", {"lr": 0.2, "momentum": 0.8, "nesterov": True}),
        ("sgd2", {"lr": 0.2} | velocity),
        *((kind, {"lr": 0.05} | adam) for kind in ("adam", "adam_no_bias", "adamax", "lamb")),
        ("adagrad", {"lr": 0.05, "eps": 0.1}),
        ("rmsprop", {"lr": 0.05, "eps": 0.1, "momentum": 0.5}),
        ("centered_rmsprop", {"lr": 0.05, "eps": 0.1}),
        ("adadelta", {"lr": 0.9, "eps": 0.1}),
    ]
    weights = [Weight(kind, settings | more, type=type) for kind, settings in cases]
    for i, weight in enumerate(weights):
        weight.name, weight.shape = f"w{i}", SHAPES[i % len(SHAPES)]
        weight.layer = "f64" if type == "f64" else "f32"
        weight.is_variable = i % 3 == 1
    return weights


def write_norms(groups):
    def write(norm, names):
        quoted = ", ".join(f'"{name}"' for name in names or ())
        return f"#pop.clip_norm<{norm}, [{quoted}]>" if names else f"#pop.clip_norm<{norm}>"

    return f"[{', '.join(write(*group) for group in groups)}]"


def build(layer, groups, folder, ipu_opt, options="", passes="", parts=1):
    """The program, whose passes end with pop-state-to-variables."""
    folder.mkdir(parents=True, exist_ok=True)
    text = layer.write()
    if groups:
        norms = f"attributes {{pop.clip_norms = {write_norms(groups)}}}"
        text = text.replace(") {\n", f") {norms} {{\n", 1)
    (folder / "f.mlir").write_text(text)
    names = ",".join(("@" if w.is_variable else "") + w.name for w in layer.weights)
    loops = f"pop-main-loops{{accumulation-factor={parts}}}," if parts > 1 else ""
    pipeline = (
        f"--pass-pipeline=builtin.module(pop-autodiff{{func=f required={names} caller=main}},"
        f"pop-add-optimizer{{{options}}},{passes},pop-host-load-setup,{loops}pop-host-store-setup)"
    )
    call([ipu_opt, folder / "f.mlir", pipeline, "--verify-contracts", "-o", folder / "main.mlir"])


CLIP = "pop-clip-gradients,pop-state-to-variables"

# ===----------------------------------------------------------------------=== #
# Reference
# ===----------------------------------------------------------------------=== #


def clip(gradients, groups):
    """The factor of each gradient."""
    factors = dict.fromkeys(gradients, 1.0)
    for limit, names in groups:
        names = names or list(gradients)
        norm = np.sqrt(sum(np.sum(gradients[name] ** 2) for name in names))
        factors |= dict.fromkeys(names, limit / max(limit, norm))
    return factors


def train(weights, groups, parts, divisor=1):
    """Weights and states by name, and at how many steps something was clipped. The
    gradient is the sum of those of `parts`, divided by `divisor`."""
    current = {w.name: w.initial for w in weights}
    states = {w.name: w.start() for w in weights}
    clipped = 0
    for t in range(STEPS):
        gradients = {}
        for w in weights:
            scale = w.get_settings(t)["loss_scale"]
            raw = sum(round_to(scale * w.differentiate(x, current[w.name]), w.type) for x in parts)
            gradients[w.name] = raw / (scale * divisor)
        factors = clip(gradients, groups)
        clipped += any(factor < 1 for factor in factors.values())
        for w in weights:
            own, g = states[w.name], gradients[w.name] * factors[w.name]
            new = KINDS[w.kind][1](current[w.name], own, g, w.get_settings(t))
            current[w.name] = round_to(new, w.type)
    named = {f"{n}___{w.name}": v for w in weights for n, v in states[w.name].items()}
    return current | named, clipped


def count_wrong(weights, variables, expected):
    wrong = 0
    for w in weights:
        rtol, atol = TOLERANCES[w.type]
        names = [w.name, *(f"{state}___{w.name}" for state in w.start())]
        wrong += not all(
            np.allclose(read_array(variables[n]), expected[n], 4 * rtol, 4 * atol) for n in names
        )
    return wrong


def compare(what, weights, groups, variables, parts, divisor=1):
    """Against the reference, and against ones that are not clipped, or by other
    norms: these must not be met."""
    expected, clipped = train(weights, groups, parts, divisor)
    wrong = count_wrong(weights, variables, expected)
    unclipped = count_wrong(weights, variables, train(weights, [], parts, divisor)[0])
    altered = [(0.97 * limit, names) for limit, names in groups]
    other = count_wrong(weights, variables, train(weights, altered, parts, divisor)[0])
    print(
        f"{what}: {len(weights)} weights, {wrong} wrong, clipped at {clipped} steps,",
        f"{unclipped} are others unclipped, {other} are others with other norms",
    )


# ===----------------------------------------------------------------------=== #
# Checks
# ===----------------------------------------------------------------------=== #


def get_rows():
    x = np.random.default_rng(2).uniform(-1, 1, (ROWS, FEATURES))
    return x.astype(np.float16).astype(np.float64)


def get_flags(replicas=1):
    return ["--runs", str(STEPS), "--target", f"tiles=4,replicas={replicas}"]


def check(what, weights, groups, folder, ipu_opt, ipu_run, given=None, **options):
    layer, x = Layer(weights, ROWS), get_rows()
    build(layer, groups if given is None else given, folder, ipu_opt, **options)
    numpy_types = {"f32": np.float32, "f64": np.float64}
    inputs = {f"x_{type}": x.astype(numpy_types[type]) for type in layer.get_types()}
    settings = (value for w in weights for value in w.settings.values())
    inputs |= {s.name: np.float32(s.first) for s in settings if isinstance(s, Stream)}
    compare(what, weights, groups, execute(folder, ipu_run, get_flags(), inputs), [x])


def check_kinds(folder, *programs):
    everything = {"passes": CLIP}
    weights = get_weights(loss_scale=1000.0)
    check("all weights", weights, [(0.5, None)], folder, *programs, **everything)
    groups = [(0.3, ["w1", "w4", "w6", "w9"]), (0.2, ["w0", "w3", "w11", "w2"])]
    late = {"passes": "pop-state-to-variables,pop-clip-gradients"}
    check("groups", weights, groups, folder, *programs, **late)
    check("f64", get_weights("f64"), groups, folder, *programs, **everything)
    option = {"passes": "pop-clip-gradients{max-norm=0.5},pop-state-to-variables", "given": []}
    check("option", weights, [(0.5, None)], folder, *programs, **option)
    merged = {"passes": f"pop-merge-var-updates,{CLIP}"}
    check("merged updates", weights, groups, folder, *programs, **merged)
    streamed = get_weights(loss_scale=Stream("scale", 512.0, 512.0))
    check("streamed loss scale", streamed, groups, folder, *programs, **everything)


def check_below(folder, ipu_opt, ipu_run):
    """Gradients below the limit have the bits that they have without it."""
    runs = []
    for norms in ([], [(1e6, None)]):
        layer = Layer(get_weights("f16", loss_scale=1000.0), ROWS)
        build(layer, norms, folder, ipu_opt, passes=CLIP)
        inputs = {"x_f32": get_rows().astype(np.float32)}
        runs.append(execute(folder, ipu_run, get_flags(), inputs))
    same = all(runs[1][name].tobytes() == array.tobytes() for name, array in runs[0].items())
    print(f"below the limit: {'same' if same else 'other'} bits")


def check_f16(folder, *programs):
    """Squares of the scaled gradients are above the greatest f16."""
    weights = get_weights("f16", loss_scale=16384.0)
    raw = max(np.max(np.abs(16384.0 * g)) for g in get_first_gradients(weights))
    assert 256 < raw < 65504, raw
    check("f16", weights, [(0.5, None)], folder, *programs, passes=CLIP)


def get_first_gradients(weights):
    Layer(weights, ROWS)
    return [w.differentiate(get_rows(), w.initial) for w in weights]


def check_parts(folder, ipu_opt, ipu_run):
    """Parts of the batch are accumulated before the norm is taken; those of sgd1 in an
    accumulator of its own, too."""
    rng = np.random.default_rng(3)
    parts = rng.uniform(-1, 1, (3, ROWS, FEATURES)).astype(np.float32)
    for mean, divisor in (("none", 1), ("post", 3), ("running", 3)):
        weights = get_weights(loss_scale=64.0)
        limit = 0.5 if divisor == 3 else 1.5
        groups = [(limit, [w.name for w in weights[1:]])]
        options = f"accumulation-factor=3 mean={mean}"
        build(Layer(weights, ROWS), groups, folder, ipu_opt, options, CLIP, parts=3)
        variables = execute(folder, ipu_run, get_flags(), {"x_f32": parts})
        assert all(f"Accum___{w.name}" in variables for w in weights)
        compare(f"3 parts, {mean}", weights, groups, variables, parts, divisor)


def check_replicas(folder, ipu_opt, ipu_run):
    """The norm is that of what the replicas have together."""
    parts = get_rows().reshape(2, -1, FEATURES)
    for reduction in ("gradient", "accumulator"):
        weights, groups = get_weights(), [(0.5, None)]
        options = f"reduce={reduction} mean=post"
        build(Layer(weights, ROWS // 2), groups, folder, ipu_opt, options, CLIP)
        text = (folder / "main.mlir").read_text()
        text = text.replace("@x_f32 host_to_device broadcast", "@x_f32 host_to_device")
        (folder / "main.mlir").write_text(text)
        flags = [*get_flags(2), "--check-replica-equal"]
        variables = execute(folder, ipu_run, flags, {"x_f32": parts.astype(np.float32)})
        for w in weights:
            if w.is_variable:
                variables[w.name] = variables[w.name][0]
        compare(f"2 replicas, {reduction}", weights, groups, variables, parts, 2)


# The gradient of 3 * |w - t|^2 with a learning rate of 1: each step without a norm
# is 5 times as far from t, on the other side.
QUADRATIC = """
pop.variable @w : tensor<4xf32> = dense<[1.0, -2.0, 3.0, 0.5]> : tensor<4xf32>
func.func @main() -> (tensor<4xf32> {pop.gradient_of = #pop.graph_value<variable @w>})
    attributes {pop.optimizer = #pop.optimizer<sgd0, lr = 1.0>, NORMS} {
  %r = pop.get_variable @w : !pop.ref<4xf32>
  %w = pop.read %r : !pop.ref<4xf32>
  %t = pop.constant dense<[0.0, 1.0, 0.0, 2.0]> : tensor<4xf32>
  %d = pop.sub %w, %t : tensor<4xf32>
  %six = pop.constant dense<6.0> : tensor<f32>
  %g = pop.mul %d, %six : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  return %g : tensor<4xf32>
}
"""


def check_divergence(folder, ipu_opt, ipu_run):
    limit = 0.5
    for what, norms in (("unclipped", []), ("clipped", [(limit, None)])):
        own = folder / what
        own.mkdir(parents=True, exist_ok=True)
        attribute = f"pop.clip_norms = {write_norms(norms)}"
        (own / "f.mlir").write_text(QUADRATIC.replace("NORMS", attribute))
        passes = "--pass-pipeline=builtin.module(pop-add-optimizer,pop-clip-gradients)"
        call([ipu_opt, own / "f.mlir", passes, "-o", own / "main.mlir"])
        old, target = np.array([1.0, -2.0, 3.0, 0.5]), np.array([0.0, 1.0, 0.0, 2.0])
        greatest = 0.0
        flags = ["--runs", "1", "--target", "tiles=4"]
        for step in range(15):
            new = execute(own, ipu_run, flags, {})["w"]
            greatest = max(greatest, np.linalg.norm(new - old))
            old, flags = new, [*flags[:4], "--load-weights", own / "w.npz"]
            if not np.linalg.norm(new) < 1e9:
                break
        distance = np.linalg.norm(old - target)
        ends = [(distance < limit, "is near the minimum"), (distance < 1e9, "is far")]
        end = next((text for holds, text in ends if holds), "diverges")
        bound = f"at most {limit}" if greatest < limit * (1 + 1e-5) else "above 1e9"
        print(f"{what}: after {step + 1} steps training {end}, the norms of updates are {bound}")


CHECKS = [
    check_kinds,
    check_below,
    check_f16,
    check_parts,
    check_replicas,
    check_divergence,
]


def main():
    folder = pathlib.Path(sys.argv[1])
    for run_check in CHECKS:
        try:
            run_check(folder / run_check.__name__, *sys.argv[2:])
        except subprocess.CalledProcessError as error:
            print(f"{run_check.__name__} ends with {error.returncode}: {error.stderr}")


main()
