#!/usr/bin/python3
"""Times of linalg programs in upstream's mlir-opt, with and without the plugin's fusion.

mlir-opt bufferizes three versions of each program of benchmark/fusion: without
fusion, after the plugin's fuse-pipeline with sums in the order of the program, and
after fuse-pipeline with blocked sums. All versions are lowered by the same passes
and compiled by clang -O3 with vector functions of libmvec. The runs alternate, and
the least CPU time of each version counts. Results are compared. Temporaries are the
allocated bytes without results.
"""

import argparse
import ctypes
import math
import pathlib
import random
import re
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
LANES = ("unfused", "fused", "blocked")
CONVERSIONS = {"identity": "identity-layout-map", "dynamic": "infer-layout-map"}
TO_LLVM = (
    "func.func(llvm-request-c-wrappers),convert-linalg-to-loops,"
    "convert-vector-to-scf,lower-affine,affine-expand-index-ops,"
    "convert-scf-to-cf,expand-strided-metadata,lower-affine,"
    "convert-vector-to-llvm,convert-math-to-llvm,convert-math-to-libm,"
    "convert-arith-to-llvm,convert-index-to-llvm,finalize-memref-to-llvm,"
    "convert-func-to-llvm,convert-cf-to-llvm,reconcile-unrealized-casts")
BYTES = 4


def get_passes(lane, layout):
    """What bufferizes a program whose arguments have that layout."""
    if lane == "unfused":
        return ("one-shot-bufferize{bufferize-function-boundaries=true "
                f"function-boundary-type-conversion={CONVERSIONS[layout]}}},"
                "canonicalize")
    order = "blocked" if lane == "blocked" else "serial"
    return f"fuse-pipeline{{reduction-order={order} layout={layout}}}"


def parse_type(text):
    *shape, element = text.split("x")
    return tuple(map(int, shape)), element


def parse_signature(text):
    match = re.search(r"func\.func @(\w+)\((.*?)\)\s*->\s*\(?(.*?)\)?\s*\{\n",
                      text, re.S)
    types = [[parse_type(t) for t in re.findall(r"tensor<([^>]*)>", part)]
             for part in match.groups()[1:]]
    return match.group(1), *types


def describe(shape, pointer):
    """A memref descriptor."""
    rank = len(shape)
    fields = [("allocated", ctypes.c_void_p), ("aligned", ctypes.c_void_p),
              ("offset", ctypes.c_int64)]
    if rank:
        fields += [("sizes", ctypes.c_int64 * rank),
                   ("strides", ctypes.c_int64 * rank)]
    result = type("MemRef", (ctypes.Structure,), {"_fields_": fields})()
    result.allocated = result.aligned = pointer
    for i in range(rank):
        result.sizes[i] = shape[i]
        result.strides[i] = math.prod(shape[i + 1:])
    return result


def make_argument(shape, element):
    count = math.prod(shape)
    if element == "i32":
        return (ctypes.c_int32 * count)(*(random.randrange(1000)
                                          for _ in range(count)))
    block = 4099
    values = (ctypes.c_float * block)(*(random.uniform(0.1, 1)
                                        for _ in range(block)))
    result = (ctypes.c_float * count)()
    for start in range(0, count, block):
        ctypes.memmove(ctypes.byref(result, BYTES * start), values,
                       BYTES * min(block, count - start))
    return result


def get_temporaries(buffers, results):
    """Bytes of allocations, each once, less those of results."""
    total = 0
    for text in re.findall(r"memref\.alloca?\(\).*: memref<([^>,]*)", buffers):
        total += BYTES * math.prod(parse_type(text)[0])
    return total - sum(BYTES * math.prod(shape) for shape, _ in results)


class Program:
    def __init__(self, path, layout, tools, plugin, folder):
        self.name, self.inputs, self.results = parse_signature(path.read_text())
        self.arguments = [make_argument(*t) for t in self.inputs]
        self.functions, self.temporaries = {}, {}
        for lane in LANES:
            passes = get_passes(lane, layout)
            load = [] if lane == "unfused" else [
                f"--load-dialect-plugin={plugin}", f"--load-pass-plugin={plugin}"]
            buffers = self.call([f"{tools}/mlir-opt", path, *load,
                                 f"--pass-pipeline=builtin.module({passes})"])
            self.temporaries[lane] = get_temporaries(buffers, self.results)
            lowered = self.call([f"{tools}/mlir-opt",
                                 f"--pass-pipeline=builtin.module({TO_LLVM})"],
                                buffers)
            llvm = self.call([f"{tools}/mlir-translate", "--mlir-to-llvmir"],
                             lowered)
            library = f"{folder}/{self.name}-{lane}.so"
            self.call([f"{tools}/clang", "-x", "ir", "-", "-O3", "-march=native",
                       "-shared", "-fPIC", "-fveclib=libmvec", "-lmvec", "-lm",
                       "-Wno-override-module", "-o", library], llvm)
            self.functions[lane] = getattr(ctypes.CDLL(library),
                                           "_mlir_ciface_" + self.name)

    @staticmethod
    def call(command, text=None):
        return subprocess.run(command, input=text, stdout=subprocess.PIPE,
                              check=True, text=True).stdout

    def run(self, lane, free):
        """Seconds, and some elements of each result."""
        results = [describe(shape, 0) for shape, _ in self.results]
        holder = type("Results", (ctypes.Structure,), {
            "_fields_": [(f"r{i}", type(r)) for i, r in enumerate(results)]})()
        arguments = [describe(shape, ctypes.addressof(a)) for (shape, _), a
                     in zip(self.inputs, self.arguments)]
        start = time.process_time()
        self.functions[lane](ctypes.byref(holder),
                             *(ctypes.byref(a) for a in arguments))
        seconds = time.process_time() - start
        samples = []
        for i, (shape, _) in enumerate(self.results):
            memref, count = getattr(holder, f"r{i}"), math.prod(shape)
            data = ctypes.cast(memref.aligned, ctypes.POINTER(ctypes.c_float))
            samples += [data[7919 * k % count] for k in range(2000)]
            free(memref.allocated)
        return seconds, samples


def check(program, lane, expected, actual):
    # Sums with another order of addends have other rounding errors.
    tolerance = 1e-2 if lane == "blocked" else 1e-5
    for a, b in zip(expected, actual):
        if abs(a - b) > tolerance * (1 + abs(a)):
            sys.exit(f"{program}: {lane} has {b} where unfused has {a}")


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("programs", nargs="*", type=pathlib.Path,
                        default=sorted((ROOT / "benchmark/fusion").glob("*.mlir")))
    parser.add_argument("--plugin", default=ROOT / "build/lib/IPUMLIRPlugin.so")
    parser.add_argument("--tools", default="/usr/lib/llvm-22/bin")
    parser.add_argument("--layout", choices=CONVERSIONS, default="identity",
                        help="of the arguments of functions")
    parser.add_argument("--repetitions", type=int, default=9)
    options = parser.parse_args()

    random.seed(1)
    ctypes.CDLL(f"{options.tools}/../lib/libmlir_c_runner_utils.so",
                mode=ctypes.RTLD_GLOBAL)
    free = ctypes.CDLL(None).free
    free.argtypes = [ctypes.c_void_p]
    print("| program | unfused, ms | `fuse-pipeline` / unfused | "
          "`reduction-order=blocked` / unfused | temporaries, KiB: unfused | "
          "fused | blocked |")
    print("| --- |" + " ---: |" * 6)
    with tempfile.TemporaryDirectory() as folder:
        for path in options.programs:
            program = Program(path, options.layout, options.tools,
                              options.plugin, folder)
            least = dict.fromkeys(LANES, math.inf)
            samples = {}
            for _ in range(options.repetitions):
                for lane in LANES:
                    seconds, samples[lane] = program.run(lane, free)
                    least[lane] = min(least[lane], seconds)
            for lane in LANES:
                check(program.name, lane, samples["unfused"], samples[lane])
            ratios = [f"{least[lane] / least['unfused']:.2f}"
                      for lane in ("fused", "blocked")]
            sizes = [f"{program.temporaries[lane] / 1024:.4g}" for lane in LANES]
            print(f"| `{path.stem}` | {least['unfused'] * 1e3:.1f} | "
                  + " | ".join(ratios + sizes) + " |")


main()
