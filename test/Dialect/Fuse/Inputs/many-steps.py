"""A schedule of N splits, each merged again."""

import sys

STEPS = ", ".join(["split(0, 2, inner), merge(0, 1)"] * int(sys.argv[1]))
print(f"""
func.func @f(%x: tensor<64xf32>) -> tensor<64xf32> {{
  %r = fuse.fusion ins(%x : tensor<64xf32>) -> tensor<64xf32> {{
  ^bb0(%in: tensor<64xf32>):
    %e = tensor.empty() : tensor<64xf32>
    %1 = linalg.exp {{fuse.schedule = #fuse.schedule<[i], {STEPS}>}} ins(%in : tensor<64xf32>) outs(%e : tensor<64xf32>) -> tensor<64xf32>
    fuse.yield %1 : tensor<64xf32>
  }}
  return %r : tensor<64xf32>
}}""")
