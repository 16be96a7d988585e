#!/usr/bin/python3
"""The programs of Fusion.cpp in Halide (Debian's python3-halide).

Prints JSON: the milliseconds of each program, the least of some calls, and the
milliseconds of a copy of 64 MiB by memcpy. Runs on one thread. As in Fusion.cpp,
successive calls use different arrays, 512 MiB in all.
"""

import ctypes
import json
import os
import sys
import time

os.environ["HL_NUM_THREADS"] = "1"

try:
    import halide as hl
except ImportError:
    sys.exit("halide_fusion: python3-halide is not installed")
import numpy as np

ROWS, COLUMNS, LINE = 4096, 1024, 16 << 20
LANES = 16
POOL = np.zeros(128 << 20, np.float32)
POOL[:] = np.random.default_rng(1).random(POOL.size, np.float32) * 4 - 2

x, y = hl.Var("x"), hl.Var("y")


def sum_rows(name, f, op, init):
    """A reduction of the rows of `f` in LANES lanes, and its schedule."""
    r = hl.RDom([(0, COLUMNS)], name + "_r")
    result = hl.Func(name)
    result[y] = init
    result[y] = op(result[y], f[r, y])
    return result, r


def vectorise_rows(reduced, r, out):
    """Computes a reduction of rows in the loop of `out` over rows, in lanes."""
    ro, ri, lane = hl.RVar(), hl.RVar(), hl.Var()
    reduced.compute_at(out, y)
    lanes = reduced.update().split(r.x, ro, ri, LANES).rfactor(ri, lane)
    lanes.compute_at(out, y).vectorize(lane)
    lanes.update().vectorize(lane)


def chain(source):
    f = source[x]
    for op in (
        lambda a: a * 0.25,
        lambda a: a + 1.75,
        lambda a: hl.max(a, 0.25),
        lambda a: a * 1.75,
        lambda a: a - 0.25,
        hl.abs,
        lambda a: a + 0.25,
        lambda a: a * a,
    ):
        f = op(f)
    out = hl.Func("chain")
    out[x] = f
    out.vectorize(x, LANES)
    return out


def sum_of_squares(source):
    # The sum has one row for each block of a line, so that the lanes of a vector stay in registers.
    r = hl.RDom([(0, LINE)], "r")
    total = hl.Func("total")
    i = hl.Var("i")
    total[i] = hl.f32(0)
    total[i] += source[r] * source[r]
    ro, ri, rm, rl = hl.RVar(), hl.RVar(), hl.RVar(), hl.RVar()
    block, lane = hl.Var(), hl.Var()
    blocks = total.update().split(r.x, ro, ri, 1 << 14).rfactor(ro, block)
    lanes = blocks.update().split(ri, rm, rl, 4 * LANES).rfactor(rl, lane)
    blocks.compute_root()
    lanes.compute_at(blocks, block).vectorize(lane)
    lanes.update().vectorize(lane)
    return total


def softmax(source):
    biggest, r0 = sum_rows("biggest", source, hl.max, hl.f32(-1e38))
    e = hl.Func("e")
    e[x, y] = hl.exp(source[x, y] - biggest[y])
    total, r1 = sum_rows("total", e, lambda a, b: a + b, hl.f32(0))
    out = hl.Func("softmax")
    out[x, y] = e[x, y] / total[y]
    out.vectorize(x, LANES)
    vectorise_rows(biggest, r0, out)
    e.compute_at(out, y).vectorize(x, LANES)
    vectorise_rows(total, r1, out)
    return out


def layer_norm(source, gain, offset):
    total, r0 = sum_rows("total", source, lambda a, b: a + b, hl.f32(0))
    d = hl.Func("d")
    d[x, y] = source[x, y] - total[y] * hl.f32(1 / COLUMNS)
    square = hl.Func("square")
    square[x, y] = d[x, y] * d[x, y]
    squares, r1 = sum_rows("squares", square, lambda a, b: a + b, hl.f32(0))
    inverse = hl.Func("inverse")
    inverse[y] = 1 / hl.sqrt(squares[y] * hl.f32(1 / COLUMNS) + hl.f32(1e-5))
    out = hl.Func("layer_norm")
    out[x, y] = d[x, y] * inverse[y] * gain[x] + offset[x]
    out.vectorize(x, LANES)
    vectorise_rows(total, r0, out)
    d.compute_at(out, y).vectorize(x, LANES)
    vectorise_rows(squares, r1, out)
    inverse.compute_at(out, y)
    return out


class Turns:
    """Parts of the pool, one after the other."""

    next = 0

    def take(self, size):
        if self.next + size > POOL.size:
            self.next = 0
        self.next += size
        return POOL[self.next - size:self.next]


def least(call, prepare, times=30):
    best = float("inf")
    for i in range(times):
        arguments = prepare()
        start = time.process_time()
        call(*arguments)
        elapsed = time.process_time() - start
        if i:
            best = min(best, elapsed)
    return best * 1e3


def run(build, shapes, result):
    """Milliseconds of `build` on arrays of `shapes`."""
    params = [hl.ImageParam(hl.Float(32), len(s)) for s in shapes]
    out = build(*params)
    for p, s in zip(params, shapes):
        for dimension, extent in enumerate(reversed(s)):
            p.dim(dimension).set_bounds(0, extent)
    out.compile_jit(hl.get_jit_target_from_environment())
    turns = Turns()

    def prepare():
        for p, s in zip(params, shapes):
            array = turns.take(int(np.prod(s))).reshape(s)
            p.set(hl.Buffer(array.T))
        array = turns.take(max(int(np.prod(result)), 1024))
        array = array[:int(np.prod(result))].reshape(result)
        return (hl.Buffer(array.T),)

    return least(lambda buffer: out.realize(buffer), prepare)


def copy():
    libc = ctypes.CDLL(None)
    libc.memcpy.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t]
    turns = Turns()

    def prepare():
        return turns.take(LINE).ctypes.data, turns.take(LINE).ctypes.data

    return least(lambda a, b: libc.memcpy(b, a, 4 * LINE), prepare)


def main():
    matrix = (ROWS, COLUMNS)
    print(json.dumps({
        "Copy": copy(),
        "Chain": run(chain, [(LINE,)], (LINE,)),
        "SumOfSquares": run(sum_of_squares, [(LINE,)], (1,)),
        "Softmax": run(softmax, [matrix], matrix),
        "LayerNorm": run(layer_norm, [matrix, (COLUMNS,), (COLUMNS,)], matrix),
    }))


main()
