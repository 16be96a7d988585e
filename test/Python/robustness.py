# No input of Python ends the interpreter: calls with random arguments either return or
# raise an exception.
# RUN: %python %s

import random
import warnings

import numpy as np

from ipu_mlir import _native

PROGRAM = """
pop.stream @x host_to_device : tensor<2xf32>
pop.stream @y device_to_host : tensor<2xf32>
pop.variable @w : tensor<2xf32> = dense<1.0> : tensor<2xf32>
func.func @main() {
  %x = pop.host_load @x : tensor<2xf32>
  %w = pop.get_variable @w : !pop.ref<2xf32>
  %v = pop.read %w : !pop.ref<2xf32>
  %y = pop.add %x, %v : tensor<2xf32>
  pop.copy_ %w, %y : !pop.ref<2xf32>, tensor<2xf32>
  pop.host_store %y, @y : tensor<2xf32>
  return
}
"""

random.seed(1)
warnings.simplefilter("ignore", DeprecationWarning)


class Odd:
    """Claims to be everything, and fails at all of it."""

    def __len__(self):
        return -1

    def __iter__(self):
        raise LookupError

    def __index__(self):
        raise LookupError

    def __bool__(self):
        raise LookupError

    def __array__(self, *args):
        raise LookupError

    def items(self):
        return [1, (2,), (3, 4, 5)]

    def __getitem__(self, key):
        raise LookupError

    def __call__(self, *args):
        raise LookupError

    def __repr__(self):
        return "Odd"


SHAPES = [(), (0,), (1,), (2,), (3,), (2, 1), (1, 2), (2, 2), (1,) * 20, (2, 0, 3)]
DTYPES = ["f4", "f8", "f2", "i4", "i8", "u1", "?", "c8", "U3", "O", "M8[s]", ">f4", [("float8_143", "u1")], [("a", "f4"), ("b", "i4")]]


def draw_array():
    array = np.zeros(random.choice(SHAPES), random.choice(DTYPES))
    if random.random() < 0.3:
        array.flags.writeable = False
    if array.ndim and random.random() < 0.3:
        array = array[::-1]
    return array


def draw_name():
    return random.choice(["x", "y", "w", "main", "", "z", "\0", "\ud800", "x" * 1000, "ä", "@x", "#0", "*"])


def draw_value(depth=0):
    kind = random.randrange(14 if depth < 3 else 11)
    if kind == 0:
        return None
    if kind == 1:
        return random.choice([0, 1, -1, 2, 3, 2**31, 2**63, 2**64, -(2**80), True, False])
    if kind == 2:
        return random.choice([0.0, -1.5, float("nan"), float("inf"), 1j])
    if kind in (3, 4):
        return draw_name()
    if kind in (5, 6, 7):
        return draw_array()
    if kind == 8:
        return random.choice([b"x", bytearray(3), memoryview(b"abc"), object(), int, len])
    if kind == 9:
        return Odd()
    if kind == 10:
        return random.choice([np.float32(1), np.int64(3), np.bool_(True), np.array(None)])
    if kind == 11:
        return [draw_value(depth + 1) for _ in range(random.randrange(3))]
    if kind == 12:
        return {draw_name(): draw_value(depth + 1) for _ in range(random.randrange(3))}
    return tuple(draw_value(depth + 1) for _ in range(random.randrange(3)))


OPTIONS = """engine check check_replica_equal seed threads allow_out_of_memory details_profile target target_constants replicas
ipus placement place entry resources pipeline graph_passes gradients_of gradients precision partials accumulation planner cost
copy_constants available_memory_proportion stochastic_rounding micro_batches schedule overlap_io memory_advice off_chip phases
batch_serialize serialize_matmuls outline reorder remarks filename none""".split()
TEXTS = [PROGRAM, "", "func", "module {", "\0", "func.func @main() { return }", "func.func private @main()",
         "func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> { return %x : tensor<2xf32> }",
         "module @main {}", "#a = 1", "{-# dialect_resources: { builtin: { k: \"0x04\" } } #-}"]


def draw_options():
    return {name: draw_value() for name in random.sample(OPTIONS, random.randrange(3))}


counts = {}


def attempt(function, *args, **kwargs):
    try:
        function(*args, **kwargs)
        outcome = "returned"
    except Exception as error:  # pylint: disable=broad-except
        str(error)
        outcome = type(error).__name__
    counts[outcome] = counts.get(outcome, 0) + 1


def main():
    session = _native.compile(PROGRAM, target_constants={"tiles": 2})
    methods = [session.run, session.get, session.write, session.restore, session.detach, session.attach, session.report,
               session.weights_to_host, session.weights_from_host, session.profile, session.summary, session.text, session.stop]
    for _ in range(3000):
        method = random.choice(methods)
        args = [draw_value() for _ in range(random.choice([0, 1, 1, 1, 2]))]
        attempt(method, *args)
    for _ in range(1000):
        attempt(session.run, {draw_name(): draw_value()}, count=draw_value(), progress=random.choice([None, draw_value()]))
        attempt(session.write, {"w": draw_value()})
    for _ in range(150):
        attempt(_native.compile, random.choice(TEXTS), **{"target_constants": {"tiles": 2}, **draw_options()})
        attempt(_native.compile, draw_value(), **draw_options())
        attempt(_native.load, draw_value(), dims=draw_value(), constants=draw_value(), parameters=draw_value(), **draw_options())
        attempt(_native.run_passes, random.choice(TEXTS), random.choice(["", "cse", "a(", "pop-autodiff{func=main}", draw_name()]))
        attempt(_native.autodiff, random.choice(TEXTS), draw_name(), provided=draw_value(), required=draw_value())
        attempt(_native.read_functions, random.choice(TEXTS))
    attempt(_native.Session)
    attempt(_native.TensorInfo)
    attempt(_native.Profile)
    # The session is as usable as before.
    session.attach()
    session.write({"w": np.zeros(2, np.float32)})
    assert session.run({"x": np.ones(2, np.float32)})["y"].tolist() == [1, 1]
    print(counts)


main()
