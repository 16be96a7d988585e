# Part of ipu-mlir, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""One update of all weights in numpy, with gradients from the device."""

import numpy as np

from fuzz_transforms import optimizers
from fuzz_transforms.training import NUMPY_TYPES

# Of the largest element, and of 1: roundings of gradients and what is computed of them.
BOUNDS = {"f16": 2.0**-7, "f32": 2.0**-13, "f64": 2.0**-13}


def reduce_parts(program, gradients):
    """Of [parts, replicas, ...]."""
    total = gradients.astype(np.float64).sum(axis=(0, 1))
    if program.mean == "none":
        return total
    return total / program.parts / (program.replicas if program.reduce != "none" else 1)


class Updates:
    """`text` is the program that gives gradients."""

    def __init__(self, runner, text):
        self.runner, self.program = runner, runner.program
        self.text = runner.folder.opt("gradients", text, "pop-host-load-setup,pop-host-store-setup")

    def get_weights(self, held):
        found = {}
        for weight in self.program.get_used():
            value = held[f"variable {weight.name}"] if held else self.program.initial_of(weight)
            found[weight.name] = value.astype(NUMPY_TYPES[weight.element])
        return found

    def get_gradients(self, t, weights):
        """{weight: that of a batch, without the loss scale}"""
        program, rows = self.program, {name: [] for name in weights}
        variables = {w.name: weights[w.name] for w in program.get_used() if w.is_variable}
        arguments = {w.name: weights[w.name] for w in program.get_used() if not w.is_variable}
        for part in range(program.parts):
            at = (t % program.batches) * program.parts + part
            inputs = {name: values[at] if program.replicas > 1 else values[at][0]
                      for name, values in self.runner.data.items()}
            values = self.runner.execute("gradients: run", self.text, inputs | arguments, held=variables)
            for name, found in rows.items():
                value = values[f"Gradient___{name}"]
                found.append(value if program.replicas > 1 else value[None])
        return {name: reduce_parts(program, np.stack(found)) for name, found in rows.items()}

    def clip(self, gradients, limits):
        for limit, names in limits:
            names = names or list(gradients)
            norm = np.sqrt(sum(np.sum(gradients[name] ** 2) for name in names))
            gradients |= {name: gradients[name] * (limit / max(limit, norm)) for name in names}

    def get_states(self, weight, optimizer, settings, held, value):
        if not held:
            return optimizers.start_states(optimizer, value.astype(np.float64), settings)
        return {name: held[f"variable {name}___{weight.name}"].astype(np.float64)
                for name in optimizer.get_states()}

    def compute(self, t, held, limits):
        """({name: value after update t}, {name: bound}); `held` are variables before it."""
        weights = self.get_weights(held)
        gradients = self.get_gradients(t, weights)
        self.clip(gradients, limits)
        expected, bounds, batches = {}, {}, self.program.batches
        for weight in self.program.get_used():
            name, optimizer = weight.name, self.program.optimizer_of(weight)
            settings = optimizer.evaluate(t, lambda given: self.runner.settings[given][t % batches])
            states = self.get_states(weight, optimizer, settings, held, weights[name])
            wide = weights[name].astype(np.float64)
            if held and (master := held.get(f"variable Master___{name}")) is not None:
                wide = master.astype(np.float64)
            values = {name: optimizer.step(wide, states, gradients[name], settings)}
            values |= {f"{state}___{name}": value for state, value in states.items()}
            types = (weight.element, settings.get("state"), settings.get("accumulator"))
            half = "f16" in types or self.program.has_half()
            for key, value in values.items():
                expected[key] = np.asarray(value)
                largest = max(1.0, np.abs(value).max(initial=0), np.abs(gradients[name]).max(initial=0))
                bounds[key] = BOUNDS["f16" if half else "f32"] * largest
        return expected, bounds
