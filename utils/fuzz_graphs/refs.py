# Part of ipu-mlir, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Statements on refs."""

import numpy as np

from fuzz_graphs import values as v
from fuzz_graphs.program import Statement, Storage, Value, make_root, read, write
from fuzz_graphs.tensors import constant, constant_i32, draw_box, draw_shapes_of, draw_type, ints, pick, pick_tensor
from fuzz_graphs.values import F16, F32, Type


def any_ref(block, accept=lambda type: True):
    found = [r for r in block.refs if accept(r.type)]
    return pick(block.rng, found) if found else None


# ===----------------------------------------------------------------------=== #
# Refs
# ===----------------------------------------------------------------------=== #


def origin(block, op, text, type, make, uses=()):
    """A statement that makes a storage, or takes that of a variable."""
    result = make_root(block.name(), type)

    def run(env):
        env[result] = (make(env), result.indices)

    block.add(Statement(op, f"{result} = {text}", run, uses, [result]))
    block.refs.append(result)
    return result


def alloc(block, type):
    shape = (block.program.replicas, *type.shape)
    return origin(block, "alloc", f"pop.alloc zero : {type.ref}", type,
                  lambda env: Storage(np.zeros(shape, type.element.dtype)))


def get_variable(block, name, type):
    program = block.program
    result = origin(block, "get_variable", f"pop.get_variable @{name} : {type.ref}", type,
                    lambda env: program.storages[name])
    result.variable = name
    program.named.add(name)
    return result


def draw_alloc(block):
    type = draw_type(block)
    if block.rng.random() < 0.5:
        alloc(block, type)
        return
    x = pick_tensor(block, type)
    origin(block, "from_tensor", f"pop.from_tensor {x} : {type}", type, lambda env: Storage(env[x]), [x])


def draw_get_variable(block):
    program = block.program
    if program.variables:
        name = block.rng.choice(list(program.variables))
        get_variable(block, name, program.variable_types[name])


def draw_read(block):
    if (ref := any_ref(block)) is not None:
        read_ref(block, ref)


def read_ref(block, ref):
    result = Value(block.name(), ref.type)

    def run(env):
        env[result] = read(env, ref)

    block.add(Statement("read", f"{result} = pop.read {ref} : {ref.type.ref}", run, [ref], [result]))
    block.tensors.append(result)
    return result


def has_strides(indices):
    """Whether steps of one width along each dimension give the indices."""
    first = indices.reshape(-1)[0]
    affine = np.full(indices.shape, first)
    for d, size in enumerate(indices.shape):
        if size > 1:
            at = [0] * indices.ndim
            at[d] = 1
            along = np.arange(size).reshape([-1 if e == d else 1 for e in range(indices.ndim)])
            affine = affine + (indices[tuple(at)] - first) * along
    return np.array_equal(affine, indices)


def make_view(block, kind, ref, attributes, indices, arrow="->"):
    type = Type(indices.shape, ref.type.element)
    result = Value(block.name(), type, ref.root, indices)
    text = f"{result} = pop.ref_{kind} {ref}{attributes} : {ref.type.ref} {arrow} {type.ref}"
    block.add(Statement(f"ref_{kind}", text, lambda env: None, [ref], [result]))
    block.refs.append(result)
    return result


def slice_ref(block, ref, starts, sizes, steps):
    attributes = f" {{starts = {ints(starts)}, sizes = {ints(sizes)}, steps = {ints(steps)}}}"
    at = [[a + i * s for i in range(n)] for a, n, s in zip(starts, sizes, steps)]
    return make_view(block, "slice", ref, attributes, ref.indices[np.ix_(*at)])


def draw_view(block):
    rng = block.rng
    if (ref := any_ref(block)) is None:
        return
    shape = ref.type.shape
    kind = rng.choice(["reshape", "row", "slice", "transpose"]) if shape else "reshape"
    attributes, arrow = "", "to"
    if kind == "reshape":
        indices = ref.indices.reshape(draw_shapes_of(rng, ref.type.size))
        if not has_strides(indices):
            return
    elif kind == "slice":
        slice_ref(block, ref, *draw_box(rng, shape))
        return
    elif kind == "row":
        if not ref.type.size:
            return
        at = [rng.randrange(size) for size in shape[:rng.randint(1, len(shape))]]
        attributes, indices, arrow = str(at), ref.indices[tuple(at)], "->"
    else:
        order = rng.sample(range(len(shape)), len(shape))
        attributes = f" {{permutation = {ints(order)}}}"
        indices, arrow = ref.indices.transpose(order), "->"
    make_view(block, kind, ref, attributes, indices, arrow)


# ===----------------------------------------------------------------------=== #
# In place
# ===----------------------------------------------------------------------=== #


def update(block, op, ref, text, compute, uses=()):
    """`compute` takes the tensor of now and the arrays of what else it uses."""

    def run(env):
        arrays = [read(env, ref), *(env[use] for use in uses)]
        write(env, ref, block.program.compute(op, compute, arrays))

    block.add(Statement(op, text, run, [ref, *uses]))


def draw_binary_update(block):
    rng = block.rng
    if (ref := any_ref(block)) is None:
        return
    op = rng.choice([op for op in v.binaries_of(ref.type.element) if op != "xor"])
    type = ref.type
    if rng.random() < 0.25 and type.shape:
        type = Type(rng.choice([(), type.shape[1:]]), type.element)
    x = pick_tensor(block, type)
    update(block, f"{op}_", ref, f"pop.{op}_ {ref}, {x} : {ref.type.ref}, {type}",
           lambda now, other: v.BINARY[op](now, v.spread(other, ref.type.shape)), [x])


def draw_unary_update(block):
    if (ref := any_ref(block)) is None:
        return
    ops = [op for op in v.unaries_of(ref.type.element) if op != "not"]
    op = block.rng.choice([*ops, "zero"])
    update(block, f"{op}_", ref, f"pop.{op}_ {ref} : {ref.type.ref}", v.UNARY[op])


def draw_copy(block):
    if (ref := any_ref(block)) is None:
        return
    copy_to(block, ref, pick_tensor(block, ref.type))


def copy_to(block, ref, x):
    update(block, "copy_", ref, f"pop.copy_ {ref}, {x} : {ref.type.ref}, {x.type}", lambda now, new: new, [x])


def draw_scaled_add(block):
    rng = block.rng
    if (ref := any_ref(block, lambda type: type.element.is_float)) is None:
        return
    x = pick_tensor(block, ref.type)
    a, b = (rng.choice([-0.5, 0.25, 1.0, 2.0]) for _ in "ab")
    types = f"{ref.type.ref}, {x.type}"
    text, uses = f"pop.scaled_add_ {ref}, {x} {{a = {a} : f64, b = {b} : f64}} : {types}", [x]
    if rng.random() < 0.3:
        scales = [constant(block, np.array(s, np.float32), Type((), F32)) for s in (a, b)]
        text = (f"pop.scaled_add_ {ref}, {x} scale({scales[0]}, {scales[1]} : tensor<f32>, tensor<f32>)"
                f" : {types}")
        uses = [x, *scales]
    # The weights are not taken from the operands: reduced programs change these.
    scale = (lambda s: s.reshape(-1)[0])
    update(block, "scaled_add_", ref, text,
           lambda now, new, *s: v.scaled_add(now, new, *(map(scale, s) if s else (a, b))), uses)


def draw_accumulate(block):
    rng = block.rng
    if (ref := any_ref(block, lambda type: type.element.is_float)) is None:
        return
    element = rng.choice([F16, ref.type.element])
    x = pick_tensor(block, Type(ref.type.shape, element))
    kind = rng.choice(["add", "square", "mean", "moving_average", "moving_average_square", "infinity"])
    operand, number, uses = "", rng.choice([0.25, 0.5, 1.0, 2.0]), [x]
    if kind == "mean":
        uses.append(constant_i32(block, rng.randint(0, 4)))
        operand = f" step({uses[1]} : tensor<i32>)"
    elif rng.random() < 0.4:
        uses.append(constant(block, np.array(number, np.float32), Type((), F32)))
        operand = f" factor({uses[1]} : tensor<f32>)"
    else:
        operand = f" {{factor = {number} : f64}}"
    text = f"pop.accumulate_ {kind} {ref}, {x}{operand} : {ref.type.ref}, {x.type}"
    update(block, "accumulate_", ref, text,
           lambda now, new, *n: v.accumulate(kind, now, new, n[0].reshape(-1)[0] if n else number), uses)


STATEMENTS = {
    draw_alloc: 5,
    draw_get_variable: 3,
    draw_read: 10,
    draw_view: 12,
    draw_binary_update: 16,
    draw_unary_update: 4,
    draw_copy: 8,
    draw_scaled_add: 2,
    draw_accumulate: 2,
}
