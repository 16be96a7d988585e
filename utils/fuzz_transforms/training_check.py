# Part of ipu-mlir, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Applies transforms to training programs, and reports errors in the results.

The passes of get_steps create a program. A transform is applied between two of these
passes. The program runs with and without the transform, and results and variables are
compared. Some of the passes are themselves transforms, and are compared with another
implementation: loops with an unrolled program, variables with states that are passed to
the host and back, and updates with equations in numpy.
"""

import ast
import copy
import dataclasses
import itertools
import pathlib
import random
import re
import shlex
import tempfile

import numpy as np

from fuzz_transforms import check, ir, numpy_updates
from fuzz_transforms.check import Failure
from fuzz_transforms.optimizers import Stream
from fuzz_transforms.training import NUMPY_TYPES, RUNS
from fuzz_transforms.transforms import REASSOCIATES, SLOTS, STATES
from fuzz_transforms.unroll import unroll

# Of the largest element of a tensor, by the narrowest type of a program: scales of
# losses, and norms, round gradients in another way.
BOUNDS = {"f16": 2.0**-6, "f32": 2.0**-13, "f64": 2.0**-13}
FACTOR = "LossScaleFactor___"
REFUSED = re.compile(r"has no gradients of f16 that")


def get_steps(program, batches=None):
    """The passes that each slot is followed by."""
    return {"loss": program.get_autodiff(), "gradients": program.get_add_optimizer(),
            "updates": "pop-state-to-variables", "variables": "pop-host-load-setup",
            "loads": program.get_main_loops(batches), "stores": "pop-host-store-setup"}  # fmt: skip


def bind(row, program):
    """The row with what it takes from the program."""
    passes = row.passes
    if row.is_step:
        passes = get_steps(program)[row.slots[0]]
    names = [weight.name for weight in program.get_used() if not weight.is_variable]
    return dataclasses.replace(row, passes=passes.replace("NAMES", ",".join(names)))


# ===----------------------------------------------------------------------=== #
# Choice of transforms
# ===----------------------------------------------------------------------=== #


def get_features(program):
    found = set()
    if program.batches * program.parts > 1:
        found.add("loops")
    used = [name for layer in program.layers
            for name in layer.weights * (2 if layer.kind in ("calls", "tied") else 1)]
    if program.parts > 1 and program.reduce != "gradient" and program.mean != "running":
        if len(set(used)) < len(used):
            found.add("accumulated sums")
    if program.replicas > 1:
        found.add("replicas")
    if program.has_half():
        found.add("f16")
    if program.clip_norms:
        found.add("clip norms")
    if any(not weight.is_variable for weight in program.get_used()):
        found.add("arguments")
    if any(program.is_in_velocity(weight) for weight in program.get_used()):
        found.add("velocity")
    return found


ORDER = ["pop-ensure-fp32-loss-scale", "pop-automatic-loss-scale", "", "pop-clip-gradients",
         "pop-variables-to-state", "pop-decompose-optimizers", "pop-decompose-sums",
         "pop-inplace-accumulate", "pop-shard-variables", "pop-remote-setup",
         "pop-streaming-memory"]  # fmt: skip
OTHERS = ORDER.index("")
RARE = ["pop-clip-gradients", "pop-inplace-accumulate"]


def rank(row):
    """Loss scales come before norms, and both before arithmetic."""
    return ORDER.index(row.name) if row.name in ORDER else OTHERS


def mark(row):
    if row.name != "pop-automatic-loss-scale":
        return row
    return dataclasses.replace(row, passes="pop-automatic-loss-scale{track=marked}")


def draw_sequence(rng, rows, features):
    """[(slot, transform)] in their order; no transform twice."""
    legal = {}
    for row in rows:
        if features.issuperset(row.needs) and features.isdisjoint(row.refuses):
            legal.setdefault(row.name, []).append(row)
    count = min(len(legal), rng.choice([1, 2, 3, 4, 5, 6]))
    names = rng.sample(list(legal), count)
    # What few programs have something for.
    names += [name for name in RARE if name in legal and name not in names and rng.random() < 0.5]
    drawn = [rng.choice(legal[name]) for name in names]
    if "pop-pre-automatic-loss-scale" in [row.name for row in drawn]:
        drawn = [mark(row) if rng.random() < 0.6 else row for row in drawn]
    found, last = [], 0
    for row in sorted(drawn, key=rank):
        slot = SLOTS.index(rng.choice(row.slots))
        # What depends on others is not in an earlier slot.
        if not row.is_step and SLOTS[slot] in STATES:
            slot = last = max(slot, last)
        found.append((slot, row))
    found.sort(key=lambda item: (item[0], item[1].is_step, rank(item[1])))
    return [(SLOTS[slot], row) for slot, row in found]


# ===----------------------------------------------------------------------=== #
# Runs
# ===----------------------------------------------------------------------=== #


DEFAULT = re.compile(r'pop\.default = dense<(.*?)> : (tensor<[^>]*>)[^{}]*?pop\.name = "(\w+)"')
STREAM = re.compile(r"pop\.stream @(\w+) host_to_device (broadcast )?: (tensor<[^>]*>)(?: {(.*)})?")


class Runner:
    """Completes and runs the programs of one training program."""

    def __init__(self, options, folder, program):
        self.options, self.folder, self.program = options, folder, program
        self.data = {name: program.make_data(name) for name in ("x", "t")}
        names = set().union(*(optimizer.get_streams() for optimizer in program.get_optimizers().values()))
        self.settings = {name: program.make_setting(name) for name in sorted(names)}

    def opt(self, what, text, passes):
        return self.folder.opt(what, text, passes) if passes else text

    def complete(self, what, text, slot, batches=None):
        steps = get_steps(self.program, batches)
        if batches == 1:
            # There may be fewer values than an anchor skips.
            text = re.sub(r"#pop\.anchor<every, \d+>", "#pop.anchor<final>", text)
        names = list(steps)
        passes = [steps[name] for name in names[names.index(slot) :]] if slot in names else []
        return self.opt(what, text, ",".join(p for p in passes if p))

    def get_inputs(self, text, first=0):
        """{stream: what the host gives in a run that begins with batch `first`}"""
        inputs = {}
        for name, _, type, words in STREAM.findall(text):
            count = int(match[1]) if (match := re.search(r"transfers = (\d+)", words)) else 1
            if name in self.data:
                start = first * self.program.parts
                values = self.data[name][start : start + count]
                values = values if self.program.replicas > 1 else values[:, 0]
            elif name in self.settings:
                values = self.settings[name][first : first + count]
            else:
                continue
            assert len(values) == count, (name, count)
            inputs[name] = values if count > 1 else values[0]
        return inputs

    def command(self, path, inputs, results, runs, held=None, weights=None):
        command = [self.options.ipu_run, str(path), "--runs", str(runs), "--allow-oom", "--threads", "1",
                   "--engine", "interp", "--output-dir", str(results)]
        if self.program.replicas > 1:
            command.append("--check-replica-equal")
        if held:
            command += ["--load-weights", str(held)]
        if weights:
            command += ["--save-weights", str(weights)]
        return command + [f"--input={name}={path}" for name, path in inputs.items()]

    def execute(self, what, text, inputs, runs=1, held=None):
        """{name of an output or a variable: its values}"""
        path = self.folder.write(check.remove_vgraphs(self.folder, what, text))
        results = path.with_suffix(".results")
        results.mkdir()
        files = {}
        for name, values in inputs.items():
            files[name] = path.with_suffix(f".{name}.npy")
            np.save(files[name], values)
        given = None
        if held:
            given = path.with_suffix(".held.npz")
            np.savez(given, **{name.removeprefix("variable "): values for name, values in held.items()})
        weights = path.with_suffix(".npz") if "pop.variable @" in text else None
        check.run_tool(self.options, what, self.command(path, files, results, runs, given, weights))
        values = {p.stem: np.load(p) for p in results.glob("*.npy")}
        if weights and weights.exists():
            values.update({f"variable {name}": value for name, value in np.load(weights).items()})
        return values

    def run(self, what, text, slot):
        text = self.complete(f"{what}: rest", text, slot)
        return self.execute(f"{what}: run", text, self.get_inputs(text), RUNS)

    def run_updates(self, what, text, slot):
        """The values after each update of all runs, by programs that do one in a run."""
        text = self.complete(f"{what}: rest", text, slot, batches=1)
        held = None
        for number in range(RUNS * self.program.batches):
            inputs = self.get_inputs(text, number % self.program.batches)
            values = self.execute(f"{what}: run", text, inputs, held=held)
            held = get_variables(values)
            yield values


def get_variables(values):
    return {name: value for name, value in values.items() if name.startswith("variable ")}


# ===----------------------------------------------------------------------=== #
# Values
# ===----------------------------------------------------------------------=== #


def get_bounds(program, values):
    """{name: how far gradients that are rounded in another way may be off}"""
    narrow = "f16" if program.has_half() else "f32"
    return {name: BOUNDS[narrow] * max(1.0, np.abs(value.astype(np.float64)).max(initial=0))
            for name, value in values.items() if value.dtype.kind == "f"}


def is_finite(values):
    return all(np.isfinite(value).all() for value in values.values() if value.dtype.kind == "f")


def compare(program, what, actual, expected, bounds):
    """What only one of both has is not compared: states of transforms."""
    names = sorted(set(actual) & set(expected))
    missing = [name for name in set(expected) - set(actual) if not name.endswith("___")]
    if missing:
        raise Failure(f"{what}: missing", f"{what}: no {', '.join(sorted(missing))}")
    for name in names:
        if problem := check.differ(actual[name], expected[name], bounds.get(name)):
            raise Failure(f"{what}: values", f"{what}: {name}: {problem}")


def take_anchors(program, values):
    """Of the values of all parts, {result: what the host gets}."""
    found = {}
    names = ["loss"] + ["h"] * program.shows
    for name, anchor in zip(names, program.anchors):
        rows = np.stack([values[f"{name}_{i}"] for i in range(program.parts * program.batches)])
        if anchor == "all":
            found[name] = rows
        elif anchor == "sum":
            found[name] = np.zeros_like(rows[0])
            for row in rows:
                found[name] = found[name] + row
        elif anchor and anchor.startswith("every"):
            step = int(anchor.split()[1])
            found[name] = rows[step - 1 :: step]
        else:
            found[name] = rows[-1]
        # One transfer has no dimension of its own.
        if anchor and anchor.startswith(("all", "every")) and len(found[name]) == 1:
            found[name] = found[name][0]
    return found


# ===----------------------------------------------------------------------=== #
# Transforms
# ===----------------------------------------------------------------------=== #


class TrainingSubject(check.Subject):
    """A training program on its way through the steps."""

    def __init__(self, options, folder, program):
        super().__init__(options, folder, program)
        self.runner = Runner(options, folder, program)
        self.slot = SLOTS[0]
        self.is_exact = True  # whether bits are still those of the first program
        self.values = self.gradients = None
        self.is_clipped = self.is_scaled = False

    def start(self):
        self.values = self.runner.run("input", self.text, self.slot)
        self.is_finite = is_finite(self.values)

    def advance(self, slot):
        """Runs the steps before `slot`."""
        while SLOTS.index(self.slot) < SLOTS.index(slot):
            self.step()

    def step(self):
        text = self.text
        steps = get_steps(self.program)
        passes = [steps[self.slot]]
        if self.slot == "loads":
            passes.append(steps["stores"])
        self.text = self.runner.opt("step", text, self.join(*passes))
        self.slot = SLOTS[SLOTS.index(self.slot) + 1]
        if self.slot == "gradients":
            self.gradients = self.text

    def find_fault(self, row, before, after):
        return ir.find_fault(before, after, row)

    def check_values(self, row, text):
        if row.is_step:
            getattr(self, "check_" + row.name.removeprefix("pop-").replace("-", "_"))(row, text)
            return
        slot = "updates" if row.name == "pop-variables-to-state" else self.slot
        values = self.runner.run(row.name, text, slot)
        if row.name == "pop-clip-gradients":
            self.is_clipped = True
            self.check_clipped(row, text, values)
        elif row.name == "pop-automatic-loss-scale":
            self.is_scaled = True
            self.check_scaled(row, text, values)
        else:
            bounds = {}
            if row.bits == REASSOCIATES:
                bounds = get_bounds(self.program, self.values)
                self.is_exact = False
            if self.is_finite or not bounds:
                compare(self.program, row.name, values, self.values, bounds)
        self.values = values

    # ===----------------------------------------------------------------=== #
    # Transforms that are compared with something else
    # ===----------------------------------------------------------------=== #

    def get_limits(self):
        return self.program.clip_norms if self.is_clipped else []

    def check_updates(self, row, text, slot):
        """Each of the first updates against the equations."""
        if self.program.has_groups() or not self.is_finite or self.is_scaled:
            return
        updates = numpy_updates.Updates(self.runner, self.gradients)
        held = None
        for t, values in enumerate(itertools.islice(self.runner.run_updates(row.name, text, slot), 2)):
            expected, bounds = updates.compute(t, held, self.get_limits())
            for name, value in expected.items():
                shown = values[f"variable {name}"]
                shown = shown[0] if shown.ndim > value.ndim else shown
                problem = check.differ(shown.astype(np.float64), value, bounds[name])
                if problem:
                    raise Failure(f"{row.name}: equations", f"{row.name}: update {t}: {name}: {problem}")
            held = get_variables(values)

    def check_add_optimizer(self, row, text):
        self.check_updates(row, text, "updates")

    def check_clipped(self, row, text, values):
        self.check_updates(row, text, self.slot)
        if all(limit >= 1e6 for limit, _ in self.program.clip_norms):
            compare(self.program, row.name, values, self.values, {})
        else:
            self.is_exact = False

    def check_state_to_variables(self, row, text):
        """States that are arguments go to the host and back. Where an update is of
        several parts this would need their loop: the equations say what it gives."""
        program = self.program
        if program.parts > 1 or program.has_groups():
            self.check_updates(row, text, "variables")
            return
        old = self.folder.opt("host", self.text, "pop-host-load-setup,pop-host-store-setup")
        held, states = None, {}
        for number in range(RUNS * program.batches):
            given = self.runner.get_inputs(old, number % program.batches)
            inputs = self.get_defaults(old) | states | given
            values = self.runner.execute("states", old, inputs, held=held)
            held = get_variables(values)
            states = {name.removeprefix("Updated___"): value[0] if program.replicas > 1 else value
                      for name, value in values.items() if name.startswith("Updated___")}
        expected = held | {f"variable {name}": value for name, value in states.items()}
        values = self.runner.run(row.name, text, "variables")
        for name, value in expected.items():
            if problem := check.differ(values[name], value):
                raise Failure(f"{row.name}: values", f"{row.name}: {name}: {problem}")

    def get_defaults(self, text):
        """What the arguments start from that became streams of `text`."""
        found, names = {}, {name for name, *_ in STREAM.findall(text)}
        for value, type, name in DEFAULT.findall(self.text):
            *dims, element = type.removeprefix("tensor<").removesuffix(">").split("x")
            dims, dtype = [int(d) for d in dims], NUMPY_TYPES[element]
            if value.startswith('"0x'):
                array = np.frombuffer(bytes.fromhex(value[3:-1]), dtype)
            else:
                array = np.array(ast.literal_eval(value.replace("E", "e")), dtype)
            if name in names:
                # One value may be that of all elements.
                found[name] = np.broadcast_to(array.reshape(dims if array.size > 1 else ()), dims)
        return found

    def check_main_loops(self, row, text):
        """Against the body, written down for each batch and part."""
        program = self.program
        unrolled = unroll(self.text, program.batches, program.parts)
        unrolled = self.folder.opt("unrolled", unrolled, "pop-host-store-setup")
        expected = self.runner.execute("unrolled: run", unrolled, self.runner.get_inputs(unrolled), RUNS)
        expected = get_variables(expected) | take_anchors(program, expected)
        values = self.runner.execute(f"{row.name}: run", *self.finish(text), RUNS)
        compare(program, row.name, values, expected, {})

    def finish(self, text):
        text = self.folder.opt("stores", text, "pop-host-store-setup")
        return text, self.runner.get_inputs(text)

    def check_scaled(self, row, text, values):
        """Against the program without, and one to which the host gives the scales."""
        if self.is_finite and is_finite(values):
            compare(self.program, row.name, values, self.values, get_bounds(self.program, self.values))
        self.check_streamed(row, text)
        self.is_exact = False

    def check_streamed(self, row, text):
        program = self.program
        scales = {str(optimizer.settings.get("loss_scale", 1.0)): optimizer.settings.get("loss_scale", 1.0)
                  for optimizer in program.get_optimizers().values()}
        (scale,) = scales.values()
        is_known = isinstance(scale, (float, Stream))
        if not self.is_exact or not is_known or any(program.is_in_velocity(w) for w in program.get_used()):
            return
        actual, factors = None, [np.float32(1)]
        for values in self.runner.run_updates(row.name, text, self.slot):
            actual = get_variables(values)
            factors.append(actual[f"variable {FACTOR}"])
        for old, new in zip(factors, factors[1:]):
            if new / old not in (0.5, 1, 2):
                raise Failure(f"{row.name}: factors", f"{row.name}: factors {factors}")
        self.compare_streamed(row, scale, np.array(factors, np.float32), actual)

    def compare_streamed(self, row, scale, factors, actual):
        program = self.program
        given = [scale if isinstance(scale, float) else self.runner.settings[scale.name][i % program.batches]
                 for i in range(RUNS * program.batches)]
        other = copy_with_scale(program)
        runner = Runner(self.options, self.folder, other)
        text = runner.complete("streamed: rest", other.text(), "loss", batches=1)
        held = None
        for number, number_given in enumerate(given):
            inputs = runner.get_inputs(text, number % program.batches)
            inputs["adapted"] = np.float32(number_given) * factors[number]
            held = get_variables(runner.execute("streamed: run", text, inputs, held=held))
        for name, value in held.items():
            if problem := check.differ(actual[name], value):
                raise Failure(f"{row.name}: streamed",
                              f"{row.name}: with scales of the host: {name}: {problem}")

    # ===----------------------------------------------------------------=== #
    # One transform
    # ===----------------------------------------------------------------=== #

    def apply(self, row, seed):
        """Whether the row changes the program."""
        before = self.text
        is_changed = super().apply(row, seed)
        if row.name == "pop-variables-to-state" and is_changed:
            self.slot = "updates"
        if row.is_step:
            self.text = before
            self.step()
        return is_changed


def copy_with_scale(program):
    """The program whose loss scale the host gives in stream @adapted."""
    other = copy.deepcopy(program)
    for optimizer in other.get_optimizers().values():
        optimizer.settings["loss_scale"] = Stream("adapted")
    return other


def check_program(options, program, sequence, seed=0):
    """[(row, whether it changed the program)], and the problem or None."""
    changed = []
    with tempfile.TemporaryDirectory() as folder:
        try:
            subject = TrainingSubject(options, check.Folder(options, program, folder), program)
            subject.start()
            for slot, row in sequence:
                if SLOTS.index(subject.slot) > SLOTS.index(slot):
                    continue
                subject.advance(slot)
                changed.append((row, subject.apply(bind(row, program), seed)))
        except Failure as failure:
            if failure.problem.kind != "refused" and REFUSED.search(failure.problem.text):
                failure.problem.kind = "refused"
            return changed, failure.problem
    return changed, None


def draw_rows(seed, rows, program):
    return draw_sequence(random.Random(f"training sequence {seed}"), rows, get_features(program))


# ===----------------------------------------------------------------------=== #
# What fails
# ===----------------------------------------------------------------------=== #


def keep(options, folder, name, program, sequence):
    """Keeps a program, what the host gives, and how to transform and run it."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{name}.mlir").write_text(program.text())
    with tempfile.TemporaryDirectory() as temporary:
        runner = Runner(options, check.Folder(options, program, temporary), program)
        lines = ["#!/bin/sh -x", 'cd "$(dirname "$0")" || exit 1']
        for what, passes in (("before", get_passes(program, [])), ("after", get_passes(program, sequence))):
            path = f"{what}-{name}.mlir"
            lines.append(shlex.join(check.opt_command(options, f"{name}.mlir", passes, "-o", path)))
            inputs = {}
            for stream, values in [*runner.data.items(), *runner.settings.items()]:
                values = values if program.replicas > 1 or stream not in runner.data else values[:, 0]
                count = program.batches * (program.parts if stream in runner.data else 1)
                np.save(folder / f"{name}-{stream}.npy", values if count > 1 else values[0])
                inputs[stream] = f"{name}-{stream}.npy"
            lines.append(shlex.join(runner.command(path, inputs, f"results-{what}-{name}", RUNS, None,
                                                   f"{what}-{name}.npz")))
    script = pathlib.Path(folder / f"run-{name}")
    script.write_text("\n".join(lines) + "\n")
    script.chmod(0o755)


def get_passes(program, sequence):
    """The pipeline of the steps with the transforms between them."""
    passes, steps, slot = [], get_steps(program), 0
    rows = [(s, bind(row, program)) for s, row in sequence if not row.is_step]
    for slot in [*steps, "end"]:
        for s, row in rows:
            if s == slot:
                passes.append(row.passes)
                if row.name == "pop-variables-to-state":
                    passes.append("pop-state-to-variables")
        passes.append(steps.get(slot, ""))
    return ",".join(p for p in passes if p)
