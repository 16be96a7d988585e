# Part of ipu-mlir, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random training programs: a function that computes a loss, weights with optimizers, and
the options of the passes that convert the function to a training program.

The result of a layer has the shape of its input, so that the reduction of a failing
program can remove any layer.
"""

import copy
import dataclasses
import random

import numpy as np

from fuzz_transforms import optimizers
from fuzz_transforms.optimizers import Optimizer

NUMPY_TYPES = {"f16": np.float16, "f32": np.float32, "f64": np.float64}
RUNS = 2
ACTIVATIONS = ["tanh", "sigmoid", "relu", "sin"]
EACH = "pop.groups = #pop.replica_groups<stride = 1, size = 1>"
PAIRS = "#pop.replica_groups<stride = 2, size = 2>"
# Layers, and the shapes of their weights: c is the number of columns, k another number.
LAYERS = {
    "dense": ["cc"],
    "low": ["ck", "kc"],
    "tied": ["ck"],
    "bias": ["c"],
    "scale": [""],
    "row": ["1c"],
    "call": ["cc", "c"],
    "calls": ["cc", "c"],
    "loop": ["cc", "c"],
    "branch": ["cc"],
    "activate": [],
    "twice": [],
    "sum": [],
    "halves": [],
    "cast": [],
}
WIDTHS = {"dense": 6, "low": 2, "tied": 3, "bias": 3, "scale": 2, "row": 1, "call": 2, "calls": 3, "loop": 3,
          "branch": 1, "activate": 3, "twice": 3, "sum": 2, "halves": 1, "cast": 2}  # fmt: skip


def tensor(shape, element, kind="tensor"):
    text = "".join(f"{size}x" for size in shape) + element
    return f"{kind}<{text}>"


@dataclasses.dataclass
class Weight:
    name: str
    dims: str  # letters of LAYERS
    element: str
    is_variable: bool
    optimizer: Optimizer = None  # None is that of the program
    has_groups: bool = False
    vgraph: int = None


@dataclasses.dataclass
class Layer:
    kind: str
    weights: list
    words: dict = dataclasses.field(default_factory=dict)  # its placement
    count: int = 2
    function: str = "tanh"


@dataclasses.dataclass
class TrainingProgram:
    """What a program is made of; `text` writes it."""

    seed: int
    rows: int = 2
    sizes: dict = None  # letters of LAYERS to sizes
    element: str = "f32"  # of inputs
    other: str = "f32"  # what casts change to and fro
    layers: list = None
    weights: dict = None
    optimizer: Optimizer = None  # of the function, or the option of the pass
    is_option: bool = False
    loss: str = "l2"
    shows: bool = False  # whether the last layer is a result
    anchors: list = None  # of the loss, and of the last layer
    clip_norms: list = None  # (limit, names)
    parts: int = 1
    batches: int = 1
    replicas: int = 1
    tiles: int = 4
    ipus: int = 1
    reduce: str = "none"
    mean: str = "none"
    stitch: str = "recompute_all_non_inputs"
    regions: str = "stash"
    # What utils/fuzz_transforms/check.py asks programs.
    has_next_seed = False
    may_be_refused = False

    @property
    def input_seed(self):
        return self.seed

    def shape_of(self, weight):
        return tuple(self.sizes[letter] for letter in weight.dims)

    def get_used(self):
        """The weights of layers, in their order."""
        names = dict.fromkeys(name for layer in self.layers for name in layer.weights)
        return [self.weights[name] for name in names]

    def optimizer_of(self, weight):
        return weight.optimizer or self.optimizer

    def get_optimizers(self):
        return {weight.name: self.optimizer_of(weight) for weight in self.get_used()}

    def get_groups(self, weight):
        return PAIRS if weight.has_groups and self.replicas == 4 else None

    def has_groups(self):
        return any(self.get_groups(weight) for weight in self.get_used())

    def has_half(self):
        elements = {self.element, *(weight.element for weight in self.get_used())}
        return "f16" in elements or any(layer.kind == "cast" for layer in self.layers) and self.other == "f16"

    def is_in_velocity(self, weight):
        """Whether gradients are added to a velocity, as docs/training.md says."""
        optimizer = self.optimizer_of(weight)
        return (optimizer.kind == "sgd1" and not self.clip_norms and "nesterov" not in optimizer.settings
                and (self.parts > 1 or self.reduce == "accumulator"))

    def initial_of(self, weight):
        rng = np.random.default_rng([self.seed, *weight.name.encode()])
        groups = (2,) if self.get_groups(weight) and weight.is_variable else ()
        return rng.uniform(-1, 1, groups + self.shape_of(weight)).astype(np.float16)

    # ===----------------------------------------------------------------=== #
    # Data
    # ===----------------------------------------------------------------=== #

    def make_data(self, name):
        """What the host gives for parts: [parts of all batches, replicas, rows, columns]."""
        rng = np.random.default_rng([self.seed, *name.encode()])
        shape = (self.batches * self.parts, self.replicas, self.rows, self.sizes["c"])
        return rng.uniform(-1, 1, shape).astype(np.float16).astype(NUMPY_TYPES[self.element])

    def make_setting(self, name):
        """What the host gives for updates: [batches]."""
        low, high = optimizers.STREAMS[name]
        rng = np.random.default_rng([self.seed, *name.encode()])
        if name == "scale":
            return np.exp2(rng.integers(np.log2(low), np.log2(high) + 1, self.batches)).astype(np.float32)
        return rng.uniform(low, high, self.batches).astype(np.float32)

    # ===----------------------------------------------------------------=== #
    # Passes
    # ===----------------------------------------------------------------=== #

    def get_autodiff(self):
        names = ",".join(("@" if w.is_variable else "") + w.name for w in self.get_used())
        return (f"pop-autodiff{{func=f required={names} provided=loss caller=main stitch={self.stitch} "
                f"regions={self.regions}}},inline{{default-pipeline=}},symbol-dce")

    def get_add_optimizer(self):
        option = f" optimizer={{{self.optimizer}}}" if self.is_option else ""
        return (f"pop-add-optimizer{{accumulation-factor={self.parts} reduce={self.reduce} "
                f"mean={self.mean}{option}}}")

    def get_main_loops(self, batches=None):
        batches = batches or self.batches
        if batches * self.parts == 1:
            return ""
        return f"pop-main-loops{{batches-per-step={batches} accumulation-factor={self.parts}}}"

    def text(self):
        return Writer(self).write()


# ===----------------------------------------------------------------------=== #
# Text
# ===----------------------------------------------------------------------=== #


class Writer:
    def __init__(self, program):
        self.program = program
        self.lines, self.functions, self.words = [], [], {}
        self.count = 0
        self.element = program.element
        self.read = {}  # weights, by name and element
        self.shape = (program.rows, program.sizes["c"])

    def name(self):
        self.count += 1
        return f"%{self.count}"

    def attributes(self, more="", words=None):
        words = self.words if words is None else words
        found = ([more] if more else []) + [f"pop.{part} = {number} : i64" for part, number in words.items()]
        return f" {{{', '.join(found)}}}" if found else ""

    @property
    def type(self):
        return tensor(self.shape, self.element)

    def emit(self, text, types, words=None, more=""):
        """One op with one result."""
        name = self.name()
        self.lines.append(f"{name} = {text}{self.attributes(more, words)} : {types}")
        return name

    def write_values(self, values, type):
        return f"dense<{np.asarray(values, np.float64).tolist()}> : {type}"

    # ===----------------------------------------------------------------=== #
    # Weights
    # ===----------------------------------------------------------------=== #

    def read_weight(self, name):
        """The weight in the type of the layer: it is read anew for each layer that is
        elsewhere, by an op that is where the weight is."""
        weight = self.program.weights[name]
        shape = self.program.shape_of(weight)
        type, value = tensor(shape, weight.element), f"%{name}"
        if weight.is_variable:
            ref = tensor(shape, weight.element, "!pop.ref")
            words = {} if weight.vgraph is None else dict(self.words, vgraph=weight.vgraph)
            if words.get("vgraph") != self.words.get("vgraph"):
                words.pop("stage", None)
            value = self.emit(f"pop.get_variable @{name}", ref, words)
            value = self.emit(f"pop.read {value}", ref, words)
        if weight.element != self.element:
            wide = tensor(shape, self.element)
            value, type = self.emit(f"pop.cast {value}", f"{type} to {wide}"), wide
        return value, type

    # ===----------------------------------------------------------------=== #
    # Layers
    # ===----------------------------------------------------------------=== #

    def unary(self, op, x):
        return self.emit(f"pop.{op} {x}", self.type)

    def binary(self, op, x, y, type=None):
        types = self.type if type in (None, self.type) else f"({self.type}, {type}) -> {self.type}"
        return self.emit(f"pop.{op} {x}, {y}", types)

    def matmul(self, x, type, w, of_weight, result):
        return self.emit(f"pop.matmul {x}, {w}", f"({type}, {of_weight}) -> {result}")

    def dense(self, h, weights, layer):
        w, type = weights[0]
        return self.matmul(h, self.type, w, type, self.type)

    def low(self, h, weights, layer):
        (u, first), (v, second) = weights
        middle = tensor((self.shape[0], self.program.sizes["k"]), self.element)
        x = self.matmul(h, self.type, u, first, middle)
        x = self.emit(f"pop.tanh {x}", middle)
        return self.matmul(x, middle, v, second, self.type)

    def tied(self, h, weights, layer):
        (u, first), sizes = weights[0], self.program.sizes
        second = tensor((sizes["k"], sizes["c"]), self.element)
        v = self.emit(f"pop.transpose {u}", f"{first} -> {second}", more="permutation = array<i64: 1, 0>")
        return self.low(h, [weights[0], (v, second)], layer)

    def bias(self, h, weights, layer):
        return self.binary("add", h, *weights[0])

    def scale(self, h, weights, layer):
        return self.binary("mul", h, *weights[0])

    def row(self, h, weights, layer):
        return self.binary("mul", h, *weights[0])

    def call_layer(self, h, weights):
        name = f"layer_{self.element}"
        (w, first), (b, second) = weights
        if name not in self.functions:
            self.functions.append(name)
        text = f"call @{name}({h}, {w}, {b})"
        return self.emit(text, f"({self.type}, {first}, {second}) -> {self.type}")

    def call(self, h, weights, layer):
        return self.call_layer(h, weights)

    def calls(self, h, weights, layer):
        for _ in range(layer.count):
            h = self.call_layer(h, weights)
        return h

    def constant_of(self, text, type):
        name = self.name()
        self.lines.append(f"{name} = arith.constant {text} : {type}")
        return name

    def loop(self, h, weights, layer):
        bounds = [self.constant_of(number, "index") for number in (0, layer.count, 1)]
        result, index, carried = self.name(), self.name(), self.name()
        self.lines.append(f"{result} = scf.for {index} = {bounds[0]} to {bounds[1]} step {bounds[2]} "
                          f"iter_args({carried} = {h}) -> ({self.type}) {{")
        x = self.dense(carried, weights, layer)
        x = self.unary(layer.function, self.bias(x, weights[1:], layer))
        self.lines += [f"scf.yield {x} : {self.type}", "}"]
        return result

    def branch(self, h, weights, layer):
        condition, result = self.name(), self.name()
        self.lines.append(f"{condition} = arith.constant {'true' if layer.count % 2 else 'false'}")
        self.lines.append(f"{result} = scf.if {condition} -> ({self.type}) {{")
        x = self.dense(h, weights, layer)
        self.lines += [f"scf.yield {x} : {self.type}", "} else {"]
        x = self.unary("tanh", h)
        self.lines += [f"scf.yield {x} : {self.type}", "}"]
        return result

    def activate(self, h, weights, layer):
        return self.unary(layer.function, h)

    def twice(self, h, weights, layer):
        return self.binary("mul" if layer.count == 2 else "add", h, self.unary(layer.function, h))

    def sum(self, h, weights, layer):
        xs = [h, self.unary("tanh", h), self.unary(layer.function, h), h][: layer.count + 1]
        return self.emit(f"pop.sum {', '.join(xs)}", f"({', '.join([self.type] * len(xs))}) -> {self.type}")

    def halves(self, h, weights, layer):
        rows, columns = self.shape
        parts, types = [], []
        for start, size in ((1, columns - 1), (0, 1)):
            type = tensor((rows, size), self.element)
            more = (f"starts = array<i64: 0, {start}>, sizes = array<i64: {rows}, {size}>, "
                    "steps = array<i64: 1, 1>")
            parts.append(self.emit(f"pop.slice {h}", f"{self.type} -> {type}", more=more))
            types.append(type)
        text, types = f"pop.concat {', '.join(parts)}", f"({', '.join(types)}) -> {self.type}"
        return self.emit(text, types, more="axis = 1 : i64")

    def cast_to(self, h, element):
        old = self.type
        self.element = element
        return h if self.type == old else self.emit(f"pop.cast {h}", f"{old} to {self.type}")

    def cast(self, h, weights, layer):
        elements = [self.program.element, self.program.other]
        return self.cast_to(h, elements[self.element == elements[0]])

    # ===----------------------------------------------------------------=== #
    # Functions
    # ===----------------------------------------------------------------=== #

    def write_loss(self, h):
        h = self.cast_to(h, self.program.element)
        scalar = f"{self.type} -> tensor<{self.element}>"
        if self.program.loss in ("l1", "l2"):
            return h, self.emit(f"pop.{self.program.loss}_loss mean {h}, %t", scalar)
        if self.program.loss == "l2 sum":
            return h, self.emit(f"pop.l2_loss sum {h}, %t", scalar)
        e = self.binary("sub", h, "%t")
        q = self.binary("mul", e, e)
        return h, self.emit(f"pop.reduce mean {q}", scalar, more="axes = array<i64: 0, 1>")

    def write_layer_function(self, name):
        element = name.split("_")[-1]
        c = self.program.sizes["c"]
        h, w, b = (tensor(shape, element) for shape in (self.shape, (c, c), (c,)))
        return [f"func.func private @{name}(%h: {h}, %w: {w}, %b: {b}) -> {h} {{",
                f"%0 = pop.matmul %h, %w : ({h}, {w}) -> {h}",
                f"%1 = pop.add %0, %b : ({h}, {b}) -> {h}",
                f"%2 = pop.tanh %1 : {h}", f"return %2 : {h}", "}"]  # fmt: skip

    def list_weight_words(self, weight):
        words = []
        if groups := self.program.get_groups(weight):
            words.append(f"{'' if weight.is_variable else 'pop.'}groups = {groups}")
        if weight.optimizer:
            words.append(f"pop.optimizer = {weight.optimizer}")
        if weight.vgraph is not None:
            words.append(f"pop.vgraph = {weight.vgraph} : i64")
        return words

    def write_variable(self, weight):
        shape = self.program.shape_of(weight)
        words, values = self.list_weight_words(weight), self.program.initial_of(weight)
        dense = self.write_values(values, tensor(values.shape, weight.element))
        text = f"pop.variable @{weight.name} : {tensor(shape, weight.element)} = {dense}"
        return text + (f" {{{', '.join(words)}}}" if words else "")

    def write_argument(self, weight):
        type = tensor(self.program.shape_of(weight), weight.element)
        words = [f'pop.name = "{weight.name}"',
                 f"pop.default = {self.write_values(self.program.initial_of(weight), type)}"]
        return f"%{weight.name}: {type} {{{', '.join(words + self.list_weight_words(weight))}}}"

    def write_input(self, name, words):
        vgraph = [f"pop.vgraph = {words['vgraph']} : i64"] if "vgraph" in words else []
        words = [f'pop.name = "{name}"', *([EACH] if self.program.replicas > 1 else []), *vgraph]
        return f"%{name}: {tensor(self.shape, self.program.element)} {{{', '.join(words)}}}"

    def write_attributes(self):
        program, words = self.program, []
        if program.optimizer and not program.is_option and not all(w.optimizer for w in program.get_used()):
            words.append(f"pop.optimizer = {program.optimizer}")
        norms = []
        for limit, names in program.clip_norms or []:
            quoted = ", ".join(f'"{name}"' for name in names or ())
            norms.append(f"#pop.clip_norm<{limit}{f', [{quoted}]' if names else ''}>")
        if norms:
            words.append(f"pop.clip_norms = [{', '.join(norms)}]")
        return f" attributes {{{', '.join(words)}}}" if words else ""

    def write_function(self):
        program = self.program
        h, of_layers = "%x", [layer.words for layer in program.layers] or [{}]
        for layer in program.layers:
            self.words = layer.words
            weights = [self.read_weight(name) for name in layer.weights]
            h = getattr(self, layer.kind)(h, weights, layer)
        h, loss = self.write_loss(h)
        results, types, kinds = [loss], [f"tensor<{program.element}>"], ["loss"]
        if program.shows:
            results.append(h)
            types.append(self.type)
            kinds.append("h")
        named = []
        for name, type, anchor in zip(kinds, types, program.anchors):
            words = [f'pop.name = "{name}"'] + ([f"pop.anchor = #pop.anchor<{anchor}>"] if anchor else [])
            named.append(f"{type} {{{', '.join(words)}}}")
        arguments = [self.write_argument(w) for w in program.get_used() if not w.is_variable]
        arguments += [self.write_input("x", of_layers[0]), self.write_input("t", of_layers[-1])]
        signature = f"({', '.join(arguments)}) -> ({', '.join(named)}){self.write_attributes()}"
        return [f"func.func private @f{signature} {{", *self.lines,
                f"return {', '.join(results)} : {', '.join(types)}", "}"]  # fmt: skip

    def write(self):
        program = self.program
        words = [f"{name} = {getattr(program, name)} : i64" for name in ("tiles", "replicas", "ipus")]
        variables = [self.write_variable(w) for w in program.get_used() if w.is_variable]
        function = self.write_function()
        functions = [line for name in self.functions for line in self.write_layer_function(name)]
        lines = [f'module attributes {{ipu.target = #ipu.target<"gc200", {{{", ".join(words)}}}>}} {{',
                 *variables, *functions, *function, "}"]
        return "\n".join(lines) + "\n"


# ===----------------------------------------------------------------------=== #
# Drawing
# ===----------------------------------------------------------------------=== #


def draw_weight(program, rng, dims):
    """Sometimes one that is there: it has a sum of gradients."""
    found = [weight.name for weight in program.weights.values() if weight.dims == dims]
    if found and rng.random() < 0.45:
        return rng.choice(found)
    name = f"w{len(program.weights)}"
    element = rng.choice([program.element] * 3 + [program.other])
    program.weights[name] = Weight(name, dims, element, rng.random() < 0.4)
    return name


def draw_layers(program, rng):
    kinds = rng.choices(list(WIDTHS), list(WIDTHS.values()), k=rng.randint(2, 6))
    if not any(LAYERS[kind] for kind in kinds):
        kinds[0] = "dense"
    for kind in kinds:
        weights = [draw_weight(program, rng, dims) for dims in LAYERS[kind]]
        program.layers.append(Layer(kind, weights, {}, rng.randint(2, 3), rng.choice(ACTIVATIONS)))


def draw_placements(program, rng):
    """Stages go up, and stage s is on virtual graph s modulo their number."""
    kind = rng.choice(["", "", "vgraph", "vgraph", "stage"])
    if not kind:
        return
    program.ipus, stage = rng.choice([1, 2, 2, 3]), 0
    for layer in program.layers:
        stage += rng.randint(0, 1)
        layer.words = {"vgraph": stage % program.ipus, **({"stage": stage} if kind == "stage" else {})}
        for name in layer.weights:
            weight = program.weights[name]
            weight.vgraph = layer.words["vgraph"] if weight.vgraph is None else weight.vgraph


def draw_anchor(program, rng):
    count = program.parts * program.batches
    return rng.choice([None, "all", "sum", "final", f"every, {rng.randint(1, count)}"])


def draw_clip_norms(program, rng):
    """All weights, or groups of weights that have the same groups of replicas."""
    if rng.random() > 0.35:
        return
    limit = lambda: rng.choice([1e6, 0.5, 0.25, 0.0625])  # noqa: E731
    used = program.get_used()
    if rng.random() < 0.4 and len({program.get_groups(weight) for weight in used}) == 1:
        program.clip_norms = [(limit(), None)]
        return
    groups = {}
    for weight in used:
        if (number := rng.randrange(4)) < 3:
            groups.setdefault((program.get_groups(weight), number), []).append(weight.name)
    program.clip_norms = [(limit(), names) for names in groups.values()] or None


def draw_program(seed):
    rng = random.Random(f"training {seed}")
    program = TrainingProgram(seed, layers=[], weights={})
    program.rows = rng.randint(2, 3)
    program.sizes = {"c": rng.randint(2, 4), "k": rng.choice([1, 2, 5]), "1": 1}
    elements = [("f32", "f16")] * 5 + [("f16", "f32")] * 4 + [("f64", "f32")]
    program.element, program.other = rng.choice(elements)
    program.loss = rng.choice(["l1", "l2", "l2", "l2 sum", "mean"])
    program.replicas, program.tiles = rng.choice([1, 1, 1, 2, 4]), rng.choice([1, 2, 4, 8])
    program.parts, program.batches = rng.choice([1, 1, 2, 3, 4]), rng.choice([1, 1, 2, 3])
    program.reduce = rng.choice(["gradient", "accumulator"] + ["none"] * 2 * (program.replicas == 1))
    program.mean = rng.choice(["none", "post", "running"])
    program.stitch = rng.choice(["recompute_all_non_inputs", "add_fwd_outputs", "recompute_minimal"])
    program.regions = rng.choice(["stash", "recompute"])
    draw_layers(program, rng)
    draw_placements(program, rng)
    program.shows = rng.random() < 0.4
    program.anchors = [draw_anchor(program, rng), draw_anchor(program, rng)]
    has_groups = program.replicas == 4 and rng.random() < 0.5
    for weight in program.weights.values():
        weight.has_groups = has_groups and rng.random() < 0.6
    draw_clip_norms(program, rng)
    optimizers.draw_optimizers(program, rng)
    return program


# ===----------------------------------------------------------------------=== #
# Smaller programs
# ===----------------------------------------------------------------------=== #


def normalize(program):
    """Weights that no layer uses any more are not clipped."""
    names = {weight.name for weight in program.get_used()}
    norms = [(limit, kept and [n for n in kept if n in names]) for limit, kept in program.clip_norms or []]
    program.clip_norms = [(limit, kept) for limit, kept in norms if kept is None or kept] or None
    count = program.parts * program.batches
    is_legal = lambda anchor: not anchor.startswith("every") or int(anchor.split()[1]) <= count  # noqa: E731
    program.anchors = [anchor if anchor and is_legal(anchor) else None for anchor in program.anchors]
    return program


def list_smaller(program):
    """Programs that are a little less."""

    def change(**values):
        return normalize(dataclasses.replace(copy.deepcopy(program), **values))

    def with_weight(name, **values):
        other = copy.deepcopy(program)
        other.weights[name] = dataclasses.replace(other.weights[name], **values)
        return other

    for i in range(len(program.layers)):
        rest = program.layers[:i] + program.layers[i + 1 :]
        if any(layer.weights for layer in rest):
            yield change(layers=copy.deepcopy(rest))
    simple = {"batches": 1, "parts": 1, "replicas": 1, "clip_norms": None, "shows": False, "mean": "none",
              "anchors": [None, None], "loss": "l2 sum", "stitch": "recompute_all_non_inputs",
              "regions": "stash", "other": program.element, "tiles": 1, "is_option": False}  # fmt: skip
    for name, value in simple.items():
        if getattr(program, name) != value:
            yield change(**{name: value})
    if program.replicas == 1 and program.reduce != "none":
        yield change(reduce="none")
    if any(layer.words for layer in program.layers):
        other = change(ipus=1)
        for layer in other.layers:
            layer.words = {}
        for weight in other.weights.values():
            weight.vgraph = None
        yield other
    for weight in program.get_used():
        if weight.is_variable:
            yield with_weight(weight.name, is_variable=False)
        if weight.has_groups:
            yield with_weight(weight.name, has_groups=False)
        if weight.element != program.element:
            yield with_weight(weight.name, element=program.element)
        for optimizer in optimizers.list_smaller(program.optimizer_of(weight)):
            yield with_weight(weight.name, optimizer=optimizer)
    if any("loss_scale" in optimizer.settings for optimizer in program.get_optimizers().values()):
        other = copy.deepcopy(program)
        for optimizer in [other.optimizer, *(w.optimizer for w in other.weights.values())]:
            if optimizer:
                optimizer.settings.pop("loss_scale", None)
        yield other
