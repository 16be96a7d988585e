# Part of ipu-mlir, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Changes of a program, each of which usually leaves a program that means something."""

import functools

import numpy as np
import onnx
from onnx import helper

OPSETS = [*range(7, 26)]
FLOATS = ("float16", "float32", "float64")
INTEGERS = tuple(f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64))
# Element types by the numbers that attributes `to` and `dtype` have.
TYPE_NUMBERS = (1, 2, 3, 5, 6, 7, 9, 10, 11, 12, 13)
# Integers that are 0 or 1.
FLAGS = (
    "allowzero ceil_mode count_include_pad exclusive fmod input_forget is_causal keepdims largest "
    "layout linear_before_reset noop_with_empty_axes reverse select_last_index sorted transA "
    "transB upper"
).split()
SPECIAL_FLOATS = (np.nan, np.inf, -np.inf, -0.0, 0.0, 0.5, -1.5, 2.5, 6e4, -1e30, 1e-40)
STRINGS = {
    "activations": ("Tanh", "Sigmoid", "Relu", "HardSigmoid"),
    "approximate": ("none", "tanh"),
    "auto_pad": ("NOTSET", "SAME_UPPER", "SAME_LOWER", "VALID"),
    "coordinate_transformation_mode": (
        "half_pixel align_corners asymmetric pytorch_half_pixel half_pixel_symmetric "
        "tf_crop_and_resize tf_half_pixel_for_nn"
    ).split(),
    "direction": ("forward", "reverse", "bidirectional", "LEFT", "RIGHT"),
    "equation": ("ij,jk->ik", "ij,kj->ki", "bij,bjk->bik", "ij->ji", "ij,jk", "...ij,...jk->...ik"),
    "keep_aspect_ratio_policy": ("stretch", "not_larger", "not_smaller"),
    "mode": ("constant", "reflect", "edge", "wrap", "nearest", "linear", "cubic", "DCR", "CRD"),
    "nearest_mode": ("round_prefer_floor", "round_prefer_ceil", "floor", "ceil"),
    "reduction": ("none", "mean", "sum", "add", "mul", "min", "max"),
}


@functools.cache
def get_attribute_types(op):
    """The attributes of all versions of an operator by name, with their types."""
    types = {}
    for schema in onnx.defs.get_all_schemas_with_history():
        if schema.name == op and not schema.domain:
            types.update({name: a.type for name, a in schema.attributes.items()})
    return types


# Attributes


def draw_integer(rng, name):
    if name in ("to", "dtype", "stash_type"):
        return rng.choice(TYPE_NUMBERS)
    if name in FLAGS:
        return rng.choice((0, 1))
    return rng.choice((-3, -2, -1, -1, 0, 0, 1, 1, 1, 2, 2, 3, 4))


def draw_integers(rng, old):
    new = list(old) or [rng.choice((0, 1, 2)) for _ in range(rng.randint(1, 4))]
    for _ in range(rng.choice((1, 1, 2))):
        at = rng.randrange(len(new)) if new else 0
        action = rng.random()
        if action < 0.8 and new:
            new[at] = rng.choice((new[at] + 1, new[at] - 1, -1, 0, 1, 2, 3))
        elif action < 0.9 and new:
            del new[at]
        else:
            new.insert(at, rng.choice((0, 1, 2)))
    return new


def draw_float(rng):
    return rng.choice((0.0, 0.5, 1.0, -1.0, 2.0, 0.1, 1e-5, 3.7, -0.25))


def draw_attribute(rng, name, kind, old):
    """A new value of an attribute, or None for a kind that has no other values here."""
    kinds = onnx.AttributeProto
    if kind == kinds.INT:
        return draw_integer(rng, name)
    if kind == kinds.INTS:
        return draw_integers(rng, old or [])
    if kind == kinds.FLOAT:
        return draw_float(rng)
    if kind == kinds.FLOATS:
        return [draw_float(rng) for _ in old or [0]]
    if kind == kinds.STRING and name in STRINGS:
        return rng.choice(STRINGS[name])
    return None


def set_attribute(node, name, value):
    kept = [a for a in node.attribute if a.name != name]
    del node.attribute[:]
    node.attribute.extend(kept)
    if value is not None:
        node.attribute.append(helper.make_attribute(name, value))


def change_attribute(program, rng):
    node = rng.choice(program.nodes)
    types = get_attribute_types(node.op_type)
    old = {a.name: a for a in node.attribute}
    if not types:
        return
    name = rng.choice(sorted(old) if old and rng.random() < 0.6 else sorted(types))
    if name in old and rng.random() < 0.2:
        set_attribute(node, name, None)
    elif name in types:
        value = helper.get_attribute_value(old[name]) if name in old else None
        value = draw_attribute(rng, name, int(types[name]), value)
        if value is not None:
            set_attribute(node, name, value)


# Inputs


def draw_like(rng, values, shape):
    """Values of a shape: new floats, and integers and bools of the old values."""
    generator = np.random.default_rng(rng.getrandbits(32))
    if values.dtype.kind == "f":
        return generator.standard_normal(shape).astype(values.dtype)
    old = values.ravel() if values.size else np.zeros(1, values.dtype)
    return generator.choice(old, shape).astype(values.dtype)


def change_size(program, rng):
    """Gives a dimension another size: all dimensions of this size, or only one."""
    choices = [(name, i) for name, v in program.values.items() for i in range(v.ndim)]
    if not choices:
        return
    name, at = rng.choice(choices)
    old = program.values[name].shape[at]
    new = rng.choice((old + 1, max(old - 1, 0), 1, 2, 3, 5, 8) + (0,) * (rng.random() < 0.2))
    everywhere = rng.random() < 0.6
    for other, values in program.values.items():
        shape = [
            new if size == old and (everywhere or (other, i) == (name, at)) else size
            for i, size in enumerate(values.shape)
        ]
        if tuple(shape) != values.shape and np.prod(shape) < 100_000:
            program.find_holder(other)[other] = draw_like(rng, values, shape)


def change_rank(program, rng):
    name = rng.choice(sorted(program.values))
    values = program.values[name]
    shape = rng.choice((values.shape[1:], (1, *values.shape), (2, *values.shape), (*values.shape, 1)))
    program.find_holder(name)[name] = draw_like(rng, values, shape)


def change_type(program, rng):
    """Gives an input another element type, and mostly also all others of the same type."""
    name = rng.choice(sorted(program.values))
    old = program.values[name].dtype
    new = rng.choice(FLOATS if old.kind == "f" and rng.random() < 0.6 else FLOATS + INTEGERS + ("bool",))
    everywhere = rng.random() < 0.7
    for other, values in program.values.items():
        if other == name or (everywhere and values.dtype == old):
            with np.errstate(invalid="ignore", over="ignore"):
                changed = np.nan_to_num(values, posinf=1, neginf=-1).astype(new)
            program.find_holder(other)[other] = changed


def change_values(program, rng):
    """Puts special values into an input."""
    name = rng.choice(sorted(program.values))
    values = program.values[name].copy()
    if not values.size or values.dtype.kind == "b":
        return
    for _ in range(rng.choice((1, 2, 4))):
        if values.dtype.kind == "f":
            special = rng.choice(SPECIAL_FLOATS)
        else:
            limits = np.iinfo(values.dtype)
            special = rng.choice((0, 1, 2, limits.min, limits.max, limits.max // 2))
        with np.errstate(over="ignore"):
            values.flat[rng.randrange(values.size)] = special
    program.find_holder(name)[name] = values


def change_constant(program, rng):
    """Changes a small vector of integers: axes, a shape, pads, ..."""
    small = [n for n, v in program.values.items() if v.dtype.kind == "i" and v.ndim < 2 and v.size < 9]
    if not small:
        return
    name = rng.choice(small)
    old = program.values[name]
    new = np.array(draw_integers(rng, old.ravel().tolist()), np.int64)
    new = new[: old.size] if old.ndim == 0 else new
    if new.size or old.ndim:
        new = np.clip(new, -1000, 1000).astype(old.dtype).reshape((-1,) if old.ndim else ())
        program.find_holder(name)[name] = new


def move_input(program, rng):
    """Makes a constant of an input, or an input of a constant."""
    name = rng.choice(sorted(program.values))
    old = program.find_holder(name)
    new = program.constants if old is program.inputs else program.inputs
    new[name] = old.pop(name)


def drop_input(program, rng):
    node = rng.choice(program.nodes)
    if not node.input:
        return
    at = rng.randrange(len(node.input))
    kept = [name if i != at else "" for i, name in enumerate(node.input)]
    if rng.random() < 0.5 or at == len(node.input) - 1:
        kept = kept[:at]
    del node.input[:]
    node.input.extend(kept)


def change_opset(program, rng):
    program.opset = rng.choice(OPSETS)


MUTATIONS = {
    change_attribute: 6,
    change_opset: 2,
    change_constant: 3,
    change_size: 3,
    change_rank: 1,
    change_type: 2,
    change_values: 1,
    move_input: 1,
    drop_input: 1,
}


def make_constants(program, rng):
    """Makes constants of most small integers: shapes, axes and similar inputs, which are
    constants in most models."""
    for name, values in list(program.inputs.items()):
        if values.dtype.kind == "i" and values.ndim < 2 and values.size < 9 and rng.random() < 0.85:
            program.constants[name] = program.inputs.pop(name)


def has_graphs(program):
    return any(a.HasField("g") for node in program.nodes for a in node.attribute)


def remove_unused(program):
    """Removes inputs and constants that no node uses. Nodes in graphs may use any."""
    if has_graphs(program):
        return
    used = {name for node in program.nodes for name in node.input} | set(program.outputs)
    for values in (program.inputs, program.constants):
        for name in [name for name in values if name not in used]:
            del values[name]


def mutate(program, rng, counts):
    program = program.copy()
    make_constants(program, rng)
    for _ in range(rng.choice(counts)):
        if program.values:
            rng.choices(list(MUTATIONS), list(MUTATIONS.values()))[0](program, rng)
    remove_unused(program)
    return program
