"""Trains weights for 20 steps with every kind of optimizer and every setting, and
compares weights and states with numpy's in f64.

    optimizers.py FOLDER IPU-OPT IPU-RUN
"""

import dataclasses
import pathlib
import subprocess
import sys

import numpy as np

sys.dont_write_bytecode = True
from optimizer_equations import ADAPTIVE, KINDS, STEPS, Schedule, Stream, read_array  # noqa: E402
from training_programs import FEATURES, ROWS, Layer, Weight, execute, run  # noqa: E402

LOSS_SCALE = 1000.0

# ===----------------------------------------------------------------------=== #
# Cases
# ===----------------------------------------------------------------------=== #

RATES = {"sgd0": 0.3, "sgd1": 0.2, "sgd2": 0.2, "adadelta": 0.9}
SHAPES = [(FEATURES, 2), (FEATURES,), (FEATURES, 2, 2)]

VELOCITIES = "sgd1 sgd2"
SGDS = f"sgd0 {VELOCITIES}"
LAMBS = "lamb lamb_no_bias"
ADAMS = f"adam adam_no_bias adamax {LAMBS}"
AVERAGED = "rmsprop centered_rmsprop adadelta"
OTHERS = f"adagrad {AVERAGED}"
ALL = f"{SGDS} {ADAMS} {OTHERS}"


class Cases:
    def __init__(self):
        self.weights = []

    def add(self, kinds, type="f32", loss=1.0, shape=None, is_variable=None, **settings):
        """One weight for each of `kinds`, of a shape in turn, and most of them
        arguments. A rate of None is the default."""
        for kind in kinds.split():
            i = len(self.weights)
            given = {"lr": RATES.get(kind, 0.02), "loss_scale": LOSS_SCALE} | settings
            given = {k: v for k, v in given.items() if v is not None}
            weight = Weight(kind, given, type=type, loss=loss)
            weight.layer = "f64" if type == "f64" else "f32"
            weight.shape = SHAPES[i % len(SHAPES)] if shape is None else shape
            weight.is_variable = i % 5 == 4 if is_variable is None else is_variable
            self.weights.append(weight)


def add_settings(cases):
    """Each setting at its default, and each alone."""
    cases.add(ALL, lr=None)
    cases.add(ALL)
    cases.add(ALL, weight_decay=0.1)
    cases.add(SGDS, dampening=0.3, weight_decay=0.2)
    cases.add(VELOCITIES, momentum=0.9)
    cases.add(VELOCITIES, momentum=0.9, dampening=0.4)
    cases.add(VELOCITIES, momentum=0.8, weight_decay=0.1, dampening=0.4, velocity_scaling=8.5)
    cases.add(VELOCITIES, momentum=0.7, nesterov=True)
    cases.add(VELOCITIES, momentum=0.7, nesterov=True, weight_decay=0.1, velocity_scaling=0.3)
    cases.add(f"{ADAMS} {OTHERS}", weight_decay=0.1, decay="decoupled")
    cases.add(ADAMS, beta1=0.6, beta2=0.8, eps=0.01)
    cases.add(LAMBS, max_weight_norm=0.0, weight_decay=0.1)
    cases.add(LAMBS, max_weight_norm=0.3, weight_decay=0.1, decay="decoupled")
    cases.add(OTHERS, momentum=0.8, eps=0.01)
    cases.add(OTHERS, momentum=0.8, tensorflow=True, weight_decay=0.1)
    cases.add(OTHERS, momentum=0.8, tensorflow=True, weight_decay=0.1, decay="decoupled")
    cases.add(OTHERS, tensorflow=True, eps=0.01)
    cases.add(AVERAGED, alpha=0.7, eps=0.01)
    cases.add("adam adam_no_bias lamb lamb_no_bias", beta1=0.0, beta2=0.0, eps=0.1)
    cases.add("adamax", beta1=0.0, eps=0.1)
    cases.add(AVERAGED, alpha=0.0, eps=0.1)


def add_schedules(cases):
    for schedule in (
        Schedule("constant", 0.1, warmup=7),
        Schedule("step", 0.1, factor=0.5, steps=3),
        Schedule("step", 0.1, factor=0.0, steps=12),
        Schedule("linear", 0.1, final=0.01, steps=12),
        Schedule("cosine", 0.1, final=0.01, steps=15, warmup=4),
        Schedule("cosine", 0.1, steps=25),
    ):
        cases.add("sgd2 adam rmsprop", lr=schedule)
    changes = Schedule("linear", 0.9, final=0.5, steps=20)
    decays = Schedule("step", 0.5, factor=0.5, steps=4, warmup=2)
    cases.add("sgd1 sgd2", momentum=changes, lr=Schedule("step", 0.2, factor=0.7, steps=5))
    cases.add("sgd0 sgd2", dampening=changes, weight_decay=decays)
    cases.add("sgd2", velocity_scaling=changes, momentum=0.5, weight_decay=0.1)
    nesterov = {"momentum": changes, "nesterov": True, "weight_decay": decays}
    cases.add("sgd2", velocity_scaling=changes, **nesterov)
    cases.add("adam lamb", weight_decay=decays, decay="decoupled")
    cases.add("adam_no_bias adamax", beta1=changes, beta2=changes, eps=decays, weight_decay=decays)
    cases.add("lamb", max_weight_norm=decays, beta2=changes)
    cases.add(AVERAGED, alpha=changes, eps=decays, momentum=changes)
    cases.add("adagrad", momentum=changes, eps=decays, weight_decay=decays, decay="decoupled")


def add_types(cases):
    for type in ("f16", "bf16"):
        cases.add("sgd0 sgd2 adam lamb rmsprop", type)
        cases.add("sgd1", type, momentum=0.9, weight_decay=0.1)
        # Steps that a weight of this type would not see.
        small = {"f16": 1e-4, "bf16": 1e-3}[type]
        cases.add("sgd1", type, momentum=0.9, weight_decay=0.1, master=True, lr=small)
        cases.add("sgd0", type, master=True, lr=10 * small)
        cases.add("adam lamb_no_bias", type, master=True, lr=small)
        cases.add("adadelta", type, master=True, lr=100 * small)
        cases.add("centered_rmsprop", type, master=True, momentum=0.5, lr=small / 2)
    # What starts from the weight.
    for is_variable in (False, True):
        wide = {"master": True, "weight_decay": 0.2, "is_variable": is_variable}
        cases.add("sgd1 adam", "f16", **wide)
        cases.add("sgd1", weight_decay=0.2, dampening=0.3, is_variable=is_variable)
    cases.add("sgd1 sgd2 rmsprop", "f16", state="f16", momentum=0.8)
    cases.add("adam adamax lamb", "f16", state="f16", beta2=0.8, eps=0.1)
    cases.add("adagrad adadelta", "f16", state="f16")
    cases.add("sgd2", state="f16", momentum=0.8)
    cases.add("adam", state="f16", beta2=0.8, eps=0.1)
    cases.add("adam", "bf16", state="bf16", beta2=0.8, eps=0.1)
    cases.add("adam", state="f64", beta2=0.8)
    cases.add("lamb", state="f64", master=True, weight_decay=0.1)
    cases.add("sgd0 sgd1 adam rmsprop adadelta", shape=(), lr=0.05, weight_decay=0.1)
    cases.add(ALL, "f64", weight_decay=0.1)
    cases.add("sgd1", "f64", momentum=0.9, weight_decay=0.1, dampening=0.1)
    cases.add("lamb adam centered_rmsprop", "f64", weight_decay=0.1, decay="decoupled")
    # Without the loss scale these gradients would have few bits of f16.
    cases.add("adam", "f16", loss=1e-6)
    cases.add("sgd2", "f16", loss=1e-6, lr=1e5)


# rtol and atol of weights and states, which are of at most about 1. Arithmetic is in
# f32: what is rounded to f16 or bf16 is mostly the same to the bit, and now and then
# the neighbour.
TOLERANCES = {"f64": (1e-12, 1e-13), "f32": (1e-5, 1e-6), "f16": (1e-3, 1e-6), "bf16": (8e-3, 1e-6)}


def has_types(weight, variables):
    names = {"f16": "float16", "bf16": "void16", "f32": "float32", "f64": "float64"}
    state = names[weight.get_state_type()]
    return variables[weight.name].dtype.name == names[weight.type] and all(
        variables[f"{name}___{weight.name}"].dtype.name == ("float32" if name == "Step" else state)
        for name in weight.get_states()
    )


def matches(weight, variables, x, loss_scale):
    """Whether the weight and its states are as the equations say. An error of a state
    is one of the greatest value that it had."""
    w, states, bounds = weight.train(x, loss_scale)
    names = {name for name in variables if name.endswith(f"___{weight.name}")}
    accumulator = f"Accum___{weight.name}"
    if names - {accumulator} != {f"{name}___{weight.name}" for name in states}:
        return False
    # It is empty after an update.
    if accumulator in variables and np.any(variables[accumulator]):
        return False
    rtol, atol = TOLERANCES[weight.type]
    rtol = max(rtol, TOLERANCES[weight.get_state_type()][0])
    good = np.allclose(variables[weight.name], w, rtol, atol)
    for name, state in states.items():
        if name == "Master":
            rtol = TOLERANCES["f32"][0]
        actual = variables[f"{name}___{weight.name}"]
        good &= np.allclose(actual, state, rtol, rtol * bounds[name])
    return good


def alter(value, factor):
    """Another setting."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, str):
        return {"l2": "decoupled", "decoupled": "l2"}[value]
    if isinstance(value, Schedule):
        return dataclasses.replace(value, initial=factor * value.initial)
    if isinstance(value, Stream):
        return dataclasses.replace(value, second=factor * value.second)
    return factor * value if value else 0.9


def is_seen(weight, name, variables, x, loss_scale):
    """Whether weights would be others if setting `name` was a little different."""
    factor = {"f16": 0.9, "bf16": 0.7}.get(weight.type, 0.99)
    settings = weight.settings | {name: alter(weight.settings[name], factor)}
    altered = dataclasses.replace(weight, settings=settings)
    return not matches(altered, variables, x, loss_scale)


def compare(what, weights, variables, x, loss_scale=1.0):
    types = all(has_types(weight, variables) for weight in weights)
    variables = {name: read_array(array) for name, array in variables.items()}
    failures = unseen = count = 0
    for weight in weights:
        text = f"{weight.name} : {weight.type} of {weight.get_optimizer()}"
        if not matches(weight, variables, x, loss_scale):
            failures += 1
            print(f"{text}: got\n{variables[weight.name]}\nexpected")
            print(weight.train(x, loss_scale)[0])
        for name in weight.settings:
            # The one is for the velocity, the others are types of what is kept.
            if name in ("state", "accumulator") or (name == "tensorflow" and "momentum" not in weight.settings):
                continue
            count += 1
            if not is_seen(weight, name, variables, x, loss_scale):
                unseen += 1
                print(f"{text}: '{name}' does not matter")
    types = "as asked" if types else "are others"
    print(
        f"{what}: {len(weights)} weights, {failures} wrong, types {types};",
        f"{count} settings, {unseen} do not matter",
    )


# ===----------------------------------------------------------------------=== #
# Checks
# ===----------------------------------------------------------------------=== #


def get_rows(count=ROWS):
    """Numbers of f16."""
    x = np.random.default_rng(2).uniform(-1, 1, (count, FEATURES))
    return x.astype(np.float16).astype(np.float64)


def get_inputs(layer, x):
    numpy_types = {"f32": np.float32, "f64": np.float64}
    return {f"x_{type}": x.astype(numpy_types[type]) for type in layer.get_types()}


def get_flags(replicas=1):
    return ["--runs", str(STEPS), "--target", f"tiles=4,replicas={replicas}"]


def check_cases(folder, *programs):
    cases = Cases()
    for add in (add_settings, add_schedules, add_types):
        add(cases)
    weights = cases.weights
    layer, x = Layer(weights, ROWS), get_rows()
    inputs = get_inputs(layer, x)
    decompose = "pop-decompose-optimizers,"
    variables = run(layer, folder, programs, "", get_flags(), inputs, decompose)
    compare("kinds and settings", weights, variables, x, LOSS_SCALE)


def check_edges(folder, *programs):
    """Gradients and weights of 0, by which nothing may be divided, and weights of
    rank 0."""
    weights = [Weight(kind, {"lr": 0.1}, loss=0.0) for kind in KINDS]
    weights += [Weight(kind, {"lr": 0.02}, shape=()) for kind in KINDS]
    zeros = [Weight(kind, {"lr": 0.1, "max_weight_norm": 0.5}) for kind in LAMBS.split()]
    layer, x = Layer(weights + zeros, ROWS), get_rows()
    for weight in zeros:
        weight.initial = np.zeros(weight.shape)
    variables = run(layer, folder, programs, "", get_flags(), get_inputs(layer, x))
    failures = sum(not matches(w, variables, x, 1.0) for w in layer.weights)
    print(f"edges: {len(layer.weights)} weights, {failures} wrong")


def get_streamed():
    """No two settings of an optimizer are of the same stream. The first optimizer is
    an option of the pass."""
    rate = Stream("rate", 0.1, 0.03)
    share = Stream("share", 0.9, 0.75)
    other = Stream("other", 0.6, 0.8)
    decay = Stream("decay", 0.2, 0.05)
    eps = Stream("eps", 0.01, 0.1)
    norm = Stream("norm", 0.2, 0.5)
    more = {"eps": eps, "weight_decay": decay}
    betas = more | {"beta1": share, "beta2": other}
    cases = [
        ("sgd2", {"momentum": share, "weight_decay": decay, "nesterov": True}),
        ("sgd0", {"dampening": share, "weight_decay": decay}),
        ("sgd1", {"momentum": share, "weight_decay": 0.1}),
        ("sgd2", {"momentum": share, "weight_decay": decay, "velocity_scaling": norm}),
        ("adam", betas),
        ("adam_no_bias", betas),
        ("adamax", betas | {"decay": "decoupled"}),
        ("lamb", betas | {"max_weight_norm": norm}),
        ("lamb_no_bias", betas | {"max_weight_norm": norm, "decay": "decoupled"}),
        ("adagrad", {"momentum": share} | more),
        ("rmsprop", {"alpha": share, "momentum": other} | more),
        ("centered_rmsprop", {"alpha": share, "decay": "decoupled"} | more),
        ("adadelta", {"alpha": share, "momentum": other, "tensorflow": True} | more),
    ]
    weights = [Weight(kind, {"lr": rate} | settings) for kind, settings in cases]
    weights[0].has_own = False
    double = Weight("adam", {"lr": rate} | betas, type="f64", layer="f64")
    half = Weight("sgd2", {"lr": rate, "momentum": share, "state": "f16"}, type="f16")
    return [*weights, double, half]


def check_streamed(folder, *programs):
    """The second half of the steps goes on from what is saved after the first."""
    weights = get_streamed()
    layer, x = Layer(weights, ROWS), get_rows()
    streams = {v for w in weights for v in w.settings.values() if isinstance(v, Stream)}
    inputs = get_inputs(layer, x)
    options = f"optimizer={{{weights[0].get_optimizer()}}}"
    flags = ["--runs", str(STEPS // 2), "--target", "tiles=4"]
    first = {s.name: np.float32(s.first) for s in streams}
    run(layer, folder, programs, options, flags, inputs | first)
    second = {s.name: np.float32(s.second) for s in streams}
    flags += ["--load-weights", folder / "w.npz"]
    variables = execute(folder, programs[1], flags, inputs | second)
    compare("streamed settings", weights, variables, x)


def get_all_kinds(type="f32"):
    """Each kind with most of its settings."""
    decay = {"weight_decay": 0.1}
    velocity = decay | {"momentum": 0.8, "dampening": 0.2, "velocity_scaling": 1.5}
    nesterov = decay | {"momentum": 0.8, "nesterov": True}
    adam = decay | {"beta2": 0.9, "eps": 0.01}
    lamb = adam | {"max_weight_norm": 0.5}
    adaptive = decay | {"momentum": 0.5, "eps": 0.01}
    cases = [
        ("sgd0", decay | {"dampening": 0.2}),
        ("sgd1", velocity),
        ("sgd1", nesterov),
        ("sgd2", velocity),
        ("sgd2", nesterov),
        *((kind, adam) for kind in ("adam", "adam_no_bias", "adamax")),
        *((kind, lamb) for kind in ("lamb", "lamb_no_bias")),
        *((kind, adaptive) for kind in ADAPTIVE),
    ]
    weights = [Weight(k, {"lr": RATES.get(k, 0.02)} | v, type=type) for k, v in cases]
    for i, weight in enumerate(weights):
        weight.shape, weight.is_variable = SHAPES[i % 3], i % 2 == 0
    return weights


def take_equal(variables, weights):
    """The weights of one replica, and whether all have the same bits."""
    one, equal = dict(variables), True
    for weight in weights:
        array = one[weight.name]
        if array.ndim > len(weight.shape):
            equal &= all(part.tobytes() == array[0].tobytes() for part in array)
            one[weight.name] = array[0]
    return one, "equal" if equal else "different"


def train_replicas(weights, replicas, reduction, mean, folder, programs, flags=()):
    """Splits the batch. The loss is of all rows if replicas are added."""
    rows = ROWS // replicas
    layer = Layer(weights, rows, ROWS if mean == "none" else rows)
    options = f"reduce={reduction} mean={mean}"
    parts = get_rows().reshape((replicas,) * (replicas > 1) + (rows, FEATURES))
    flags = [*get_flags(replicas), "--check-replica-equal", *flags]
    return run(layer, folder, programs, options, flags, get_inputs(layer, parts))


SPLITS = [
    *((1, reduction, "post") for reduction in ("gradient", "accumulator")),
    *((2, "gradient", mean) for mean in ("none", "running")),
    (2, "accumulator", "none"),
    *((4, reduction, "post") for reduction in ("gradient", "accumulator")),
]


def check_replicas(folder, *programs):
    whole = {}
    for replicas, reduction, mean in SPLITS:
        weights = get_all_kinds()
        variables = train_replicas(weights, replicas, reduction, mean, folder, programs)
        variables, equal = take_equal(variables, weights)
        whole = whole or variables
        same = all(np.allclose(variables[w.name], whole[w.name], 1e-5, 1e-6) for w in weights)
        same = "as one" if same else "not as one"
        what = f"replicas = {replicas}, {reduction}, {mean}, {equal}, {same}"
        compare(what, weights, variables, get_rows())


# Parts of the batch, replicas, what they combine, and the mean.
PARTS = [
    (1, 1, "gradient", "post"),
    *((3, 1, "gradient", mean) for mean in ("none", "running")),
    (3, 2, "gradient", "none"),
    *((3, 2, "accumulator", mean) for mean in ("post", "running")),
    (4, 1, "gradient", "post"),
    (4, 2, "accumulator", "none"),
    (4, 4, "accumulator", "post"),
]
PART_ROWS = 48
BATCHES = 4


def train_parts(weights, factor, replicas, reduction, mean, folder, programs):
    """Splits the batch in parts, of which loops in the program do several batches in a
    run."""
    rows = PART_ROWS // (factor * replicas)
    layer = Layer(weights, rows, PART_ROWS if mean == "none" else rows)
    options = f"accumulation-factor={factor} reduce={reduction} mean={mean}"
    loops = f"pop-main-loops{{batches-per-step={BATCHES} accumulation-factor={factor}}},"
    shape = (factor,) + (replicas,) * (replicas > 1) + (rows, FEATURES)
    parts = np.concatenate([get_rows(PART_ROWS).reshape(shape)] * BATCHES)
    flags = ["--runs", str(STEPS // BATCHES), "--target", f"tiles=4,replicas={replicas}"]
    flags.append("--check-replica-equal")
    return run(layer, folder, programs, options, flags, get_inputs(layer, parts), loops=loops)


def check_parts(folder, *programs):
    whole = {}
    for factor, replicas, reduction, mean in PARTS:
        weights = get_all_kinds()
        compared = []
        for i, weight in enumerate(weights):
            weight.name = f"w{i}"
            # An SGD1 that accumulates in its velocity has no running mean.
            if mean == "running" and weight.kind == "sgd1" and "nesterov" not in weight.settings:
                weight.kind = "sgd0"
                weight.settings = {"lr": 0.3}
            else:
                compared.append(weight.name)
            if weight.kind == "sgd2":
                weight.settings["accumulator"] = "f64"
        variables = train_parts(weights, factor, replicas, reduction, mean, folder, programs)
        variables, equal = take_equal(variables, weights)
        whole = whole or variables
        same = all(np.allclose(variables[name], whole[name], 1e-5, 1e-6) for name in compared)
        same = "as one" if same else "not as one"
        what = f"parts = {factor}, replicas = {replicas}, {reduction}, {mean}, {equal}, {same}"
        compare(what, weights, variables, get_rows(PART_ROWS))


def check_groups(folder, *programs):
    """Replicas 0 and 2 train one set of weights, and replicas 1 and 3 another one."""
    cases = [(True, "gradient", "post"), (True, "accumulator", "none"), (False, "gradient", "none")]
    for is_variable, reduction, mean in cases:
        check_groups_of(is_variable, reduction, mean, folder, programs)


def check_groups_of(is_variable, reduction, mean, folder, programs):
    parts = get_rows().reshape(4, -1, FEATURES)
    weights = get_all_kinds()
    for weight in weights:
        weight.is_variable, weight.groups = is_variable, "stride = 2, size = 2"
    layer = Layer(weights, 2, 4 if mean == "none" else 2)
    options = f"reduce={reduction} mean={mean}"
    flags = [*get_flags(4), "--check-replica-equal"]
    variables = run(layer, folder, programs, options, flags, get_inputs(layer, parts))
    for group in range(2):
        # Weights that are variables are read of all replicas, states of the groups.
        own, equal = [], True
        for w in weights:
            own.append(dataclasses.replace(w, initial=w.initial[group] if is_variable else w.initial))
            if is_variable:
                first, second = variables[w.name][group::2]
                equal &= first.tobytes() == second.tobytes()
        what = f"group {group}, {reduction}, {mean}, {'equal' if equal else 'different'}"
        x = np.concatenate([parts[group], parts[group + 2]])
        compare(what, own, {name: v[group] for name, v in variables.items()}, x)


def check_rounding(folder, *programs):
    """Weights and states of f16 that are rounded stochastically stay equal."""
    for reduction, mean in (("gradient", "post"), ("accumulator", "none")):
        weights = get_all_kinds("f16")
        for kind in ("sgd1", "adam", "rmsprop"):
            for more in ({"state": "f16"}, {"master": True}):
                settings = {"lr": 0.02} | more | ({} if kind == "sgd1" else {"eps": 0.1})
                weights.append(Weight(kind, settings, type="f16"))
        flags = ["--stochastic-rounding", "counter"]
        variables = train_replicas(weights, 4, reduction, mean, folder, programs, flags)
        variables, equal = take_equal(variables, weights)
        errors = [variables[w.name] - w.train(get_rows())[0] for w in weights]
        errors = np.abs(np.concatenate([np.ravel(error) for error in errors]))
        near = "near" if np.all(errors < 0.02) else "not near"
        most = "most" if np.mean(errors != 0) > 0.5 else "few"
        print(
            f"stochastic rounding, {reduction}, {mean}, {equal}: {len(weights)} weights,",
            f"{near} those that are rounded to nearest, {most} are others",
        )


def check_unreduced(folder, *programs):
    """The check of replicas sees gradients that are not combined."""
    try:
        train_replicas(get_all_kinds()[:2], 2, "none", "post", folder, programs)
        print("gradients that are not combined: equal")
    except subprocess.CalledProcessError as error:
        seen = " on replicas 0 and 1 of " in error.stderr
        print("gradients that are not combined:", "seen" if seen else error.stderr)


def main():
    folder = pathlib.Path(sys.argv[1])
    for check in CHECKS:
        try:
            check(folder / check.__name__, *sys.argv[2:])
        except subprocess.CalledProcessError as error:
            print(f"{check.__name__} ends with {error.returncode}: {error.stderr}")


CHECKS = [
    check_cases,
    check_edges,
    check_streamed,
    check_replicas,
    check_parts,
    check_groups,
    check_rounding,
    check_unreduced,
]
main()
