#!/usr/bin/env python3
"""Weights of data-parallel training in f16 with stochastic rounding.

  rounding-drift.py program REPLICAS STEPS [FORCED]   prints a training program; FORCED
      is a rounding method for the updates of weights.
  rounding-drift.py compare FILE.npz   says whether replicas hold the same weights.
"""

import sys

import numpy as np

ROWS, INPUTS, OUTPUTS = 16, 24, 8


def program(replicas, steps, forced):
    method = ""
    if forced:
        method = (
            " {pop.stochastic_rounding_method = "
            f"#pop.stochastic_rounding_method<{forced} of {replicas}>}}"
        )
    x, w, y = f"{ROWS}x{INPUTS}", f"{INPUTS}x{OUTPUTS}", f"{ROWS}x{OUTPUTS}"
    return f"""\
module attributes {{ipu.target = #ipu.target<"gc200", {{tiles = 8 : i64, replicas = {replicas} : i64}}>,
                   pop.stochastic_rounding = #pop.stochastic_rounding<counter>}} {{
  pop.variable @w : tensor<{w}xf16> = dense<0.125> : tensor<{w}xf16> {{retrieval = #pop<retrieval all_replicas>}}
  pop.stream @x host_to_device : tensor<{x}xf16>
  pop.stream @t host_to_device : tensor<{y}xf16>
  func.func @main() {{
    %w = pop.get_variable @w : !pop.ref<{w}xf16>
    %begin = arith.constant 0 : index
    %step = arith.constant 1 : index
    %end = arith.constant {steps} : index
    %x = pop.host_load @x : tensor<{x}xf16>
    %t = pop.host_load @t : tensor<{y}xf16>
    %rate = pop.constant dense<0.01> : tensor<f16>
    scf.for %i = %begin to %end step %step {{
      %v = pop.read %w : !pop.ref<{w}xf16>
      %y = pop.matmul %x, %v : (tensor<{x}xf16>, tensor<{w}xf16>) -> tensor<{y}xf16>
      %e = pop.sub %y, %t : tensor<{y}xf16>
      %xt = pop.transpose %x {{permutation = array<i64: 1, 0>}} : tensor<{x}xf16> -> tensor<{INPUTS}x{ROWS}xf16>
      %g = pop.matmul %xt, %e : (tensor<{INPUTS}x{ROWS}xf16>, tensor<{y}xf16>) -> tensor<{w}xf16>
      %m = pop.all_reduce mean %g : tensor<{w}xf16>
      %d = pop.mul %m, %rate : (tensor<{w}xf16>, tensor<f16>) -> tensor<{w}xf16>
      pop.sub_ %w, %d{method} : !pop.ref<{w}xf16>, tensor<{w}xf16>
    }}
    return
  }}
}}
"""


def compare(path):
    weights = np.load(path)["w"]
    same = all(np.array_equal(weights[0], other) for other in weights)
    moved = np.mean(weights != np.float16(0.125))
    distance = np.abs(weights.astype(np.float64) - weights[0]).max()
    print(f"{len(weights)} replicas, {moved:.2f} of the weights changed")
    print("equal" if same else f"different, by up to {distance:.4f}")


if sys.argv[1] == "program":
    print(program(int(sys.argv[2]), int(sys.argv[3]), *(sys.argv[4:5] or [""])))
else:
    compare(sys.argv[2])
