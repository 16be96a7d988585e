// RUN: split-file %s %t
// RUN: ipu-opt %t/two-reductions.mlir --fuse-form \
// RUN:   --fuse-compute-at="producer=T1 consumer=T2 position=-1" \
// RUN:   --fuse-print-schedule | FileCheck %t/two-reductions.mlir
// RUN: ipu-opt %t/chain-with-reduction.mlir --fuse-form \
// RUN:   --fuse-compute-at="producer=T1 consumer=T2 position=2" \
// RUN:   --fuse-print-schedule | FileCheck %t/chain-with-reduction.mlir
// RUN: ipu-opt %t/mixed-branches.mlir --fuse-form \
// RUN:   --fuse-compute-at="producer=T1 consumer=T3 position=2" \
// RUN:   --fuse-print-schedule | FileCheck %t/mixed-branches.mlir
// RUN: ipu-opt %t/normalisation.mlir --fuse-form \
// RUN:   --fuse-compute-at="producer=T1 consumer=T4 position=1" \
// RUN:   --fuse-print-schedule | FileCheck %t/normalisation.mlir
// RUN: not ipu-opt %t/normalisation.mlir --fuse-form \
// RUN:   --fuse-compute-at="producer=T1 consumer=T4 position=2" \
// RUN:   2>&1 | FileCheck %t/normalisation.mlir --check-prefix=ERROR
// RUN: ipu-opt %t/persistent-across-a-broadcast.mlir --fuse-form \
// RUN:   --fuse-compute-at="producer=T3 consumer=T7 position=-1 mode=most_inlined" \
// RUN:   --fuse-print-schedule | FileCheck %t/persistent-across-a-broadcast.mlir
// RUN: ipu-opt %t/two-reductions-in-a-row.mlir --fuse-form \
// RUN:   --fuse-compute-at="producer=T1 consumer=T7 position=1" \
// RUN:   --fuse-print-schedule | FileCheck %t/two-reductions-in-a-row.mlir
// RUN: not ipu-opt %t/two-reductions-in-a-row.mlir --fuse-form \
// RUN:   --fuse-compute-at="producer=T1 consumer=T7 position=-1" \
// RUN:   2>&1 | FileCheck %t/two-reductions-in-a-row.mlir --check-prefix=ERROR
// RUN: ipu-opt %t/softmax.mlir --fuse-form --fuse-inline-most \
// RUN:   --fuse-print-schedule | FileCheck %t/softmax.mlir
// RUN: ipu-opt %t/layer-norm.mlir --fuse-form --fuse-inline-most \
// RUN:   --fuse-print-schedule | FileCheck %t/layer-norm.mlir
// RUN: ipu-opt %t/layer-norm.mlir --fuse-form \
// RUN:   --fuse-split="tensor=O axis=0 factor=8" --fuse-propagate="tensor=O" \
// RUN:   --fuse-inline-most \
// RUN:   --fuse-print-schedule | FileCheck %t/layer-norm.mlir --check-prefix=SPLIT
// RUN: ipu-opt %t/siblings.mlir --fuse-form \
// RUN:   --fuse-split="tensor=O axis=0 factor=16" \
// RUN:   --fuse-set-type="tensor=O axis=1 type=unroll" \
// RUN:   --fuse-compute-at="producer=T0 consumer=O position=-1 mode=best_effort" \
// RUN:   --fuse-print-schedule | FileCheck %t/siblings.mlir
// RUN: ipu-opt %t/reduction-behind-the-prefix.mlir --fuse-form \
// RUN:   --fuse-compute-at="producer=T1 consumer=T2 position=2" \
// RUN:   --fuse-print-schedule | FileCheck %t/reduction-behind-the-prefix.mlir
// RUN: not ipu-opt %t/reduction-behind-the-prefix.mlir --fuse-form \
// RUN:   --fuse-compute-at="producer=TC consumer=T1 position=2" \
// RUN:   --fuse-compute-at="producer=T1 consumer=T2 position=2" \
// RUN:   2>&1 | FileCheck %t/reduction-behind-the-prefix.mlir --check-prefix=FROZEN
// RUN: not ipu-opt %t/reduction-behind-the-prefix.mlir --fuse-form \
// RUN:   --fuse-compute-at="producer=T1 consumer=T2 position=3" \
// RUN:   2>&1 | FileCheck %t/reduction-behind-the-prefix.mlir --check-prefix=RANGE
// RUN: ipu-opt %t/reduction-and-broadcast.mlir --fuse-form \
// RUN:   --fuse-compute-at="producer=T1 consumer=T3 position=2 hoist=true" \
// RUN:   --fuse-print-schedule | FileCheck %t/reduction-and-broadcast.mlir --check-prefix=HOIST
// RUN: ipu-opt %t/reduction-and-broadcast.mlir --fuse-form \
// RUN:   --fuse-compute-at="producer=T1 consumer=T3 position=2" \
// RUN:   --fuse-print-schedule | FileCheck %t/reduction-and-broadcast.mlir
// RUN: ipu-opt %t/rfactor.mlir --fuse-form \
// RUN:   --fuse-split="tensor=T axis=1 factor=32" \
// RUN:   --fuse-rfactor="tensor=T axes=1" \
// RUN:   --fuse-compute-at="producer=T.rf consumer=T position=2" \
// RUN:   --fuse-print-schedule | FileCheck %t/rfactor.mlir --check-prefix=PARTIAL
// RUN: ipu-opt %t/rfactor.mlir --fuse-form \
// RUN:   --fuse-split="tensor=T axis=1 factor=32" \
// RUN:   --fuse-rfactor="tensor=T axes=1" \
// RUN:   --fuse-compute-at="producer=TC consumer=T position=1" \
// RUN:   --fuse-print-schedule | FileCheck %t/rfactor.mlir --check-prefix=ROWS
// RUN: ipu-opt %t/rfactor.mlir --fuse-form \
// RUN:   --fuse-split="tensor=T axis=1 factor=32" \
// RUN:   --fuse-rfactor="tensor=T axes=1" --fuse-inline-most \
// RUN:   --fuse-print-schedule | FileCheck %t/rfactor.mlir --check-prefix=MOST
// RUN: ipu-opt %t/no-loops.mlir --fuse-form \
// RUN:   --fuse-compute-at="producer=T1 consumer=T2 position=0" \
// RUN:   --fuse-print-schedule | FileCheck %t/no-loops.mlir
// RUN: ipu-opt %t/no-loops.mlir --fuse-form \
// RUN:   --fuse-compute-at="producer=T1 consumer=T2 position=-1" \
// RUN:   --fuse-print-schedule | FileCheck %t/no-loops.mlir

//--- two-reductions.mlir
// Two reductions of one producer share the loop that reduces.
func.func @f(%T0: tensor<16x8xf32> {fuse.name = "T0"}) -> tensor<16xf32> {
  %e0 = tensor.empty() : tensor<16x8xf32>
  %e1 = tensor.empty() : tensor<16xf32>
  %T1 = linalg.exp {fuse.name = "T1"} ins(%T0 : tensor<16x8xf32>) outs(%e0 : tensor<16x8xf32>) -> tensor<16x8xf32>
  %T2 = linalg.reduce { arith.maximumf } ins(%T1 : tensor<16x8xf32>) outs(%e1 : tensor<16xf32>) dimensions = [1] {fuse.name = "T2"}
  %T3 = linalg.reduce { arith.minimumf } ins(%T1 : tensor<16x8xf32>) outs(%e1 : tensor<16xf32>) dimensions = [1] {fuse.name = "T3"}
  %T4 = linalg.add {fuse.name = "T4"} ins(%T2, %T3 : tensor<16xf32>, tensor<16xf32>) outs(%e1 : tensor<16xf32>) -> tensor<16xf32>
  return %T4 : tensor<16xf32>
}
// CHECK: {{^}}T1 [i0, i1] @2/0{{$}}
// CHECK-NEXT: T2 [i0, r:i1] @1/2{{$}}
// CHECK-NEXT: T3 [i0, r:i1] @1/2{{$}}
// CHECK-NEXT: T4 [i0] @0/1{{$}}

//--- chain-with-reduction.mlir
// A reduction between: its consumer has one loop less.
func.func @f(%T0: tensor<16x8x6xf32> {fuse.name = "T0"}) -> tensor<16x6xf32> {
  %e0 = tensor.empty() : tensor<16x8x6xf32>
  %e1 = tensor.empty() : tensor<16x6xf32>
  %T1 = linalg.exp {fuse.name = "T1"} ins(%T0 : tensor<16x8x6xf32>) outs(%e0 : tensor<16x8x6xf32>) -> tensor<16x8x6xf32>
  %T2 = linalg.reduce { arith.addf } ins(%T1 : tensor<16x8x6xf32>) outs(%e1 : tensor<16x6xf32>) dimensions = [1] {fuse.name = "T2"}
  %T3 = linalg.exp {fuse.name = "T3"} ins(%T2 : tensor<16x6xf32>) outs(%e1 : tensor<16x6xf32>) -> tensor<16x6xf32>
  return %T3 : tensor<16x6xf32>
}
// CHECK: {{^}}T1 [i0, i1, i2] @2/0{{$}}
// CHECK-NEXT: T2 [i0, r:i1, i2] @0/2{{$}}
// CHECK-NEXT: T3 [i0, i1] @0/0{{$}}

//--- mixed-branches.mlir
// A reduction and a pointwise reader: the branch with the reduction is clipped.
func.func @f(%T0: tensor<16x8xf32> {fuse.name = "T0"}) -> (tensor<16xf32>, tensor<16x8xf32>) {
  %e0 = tensor.empty() : tensor<16x8xf32>
  %e1 = tensor.empty() : tensor<16xf32>
  %T1 = linalg.exp {fuse.name = "T1"} ins(%T0 : tensor<16x8xf32>) outs(%e0 : tensor<16x8xf32>) -> tensor<16x8xf32>
  %T2 = linalg.reduce { arith.addf } ins(%T1 : tensor<16x8xf32>) outs(%e1 : tensor<16xf32>) dimensions = [1] {fuse.name = "T2"}
  %T3 = linalg.exp {fuse.name = "T3"} ins(%T1 : tensor<16x8xf32>) outs(%e0 : tensor<16x8xf32>) -> tensor<16x8xf32>
  %T5 = linalg.exp {fuse.name = "T5"} ins(%T2 : tensor<16xf32>) outs(%e1 : tensor<16xf32>) -> tensor<16xf32>
  return %T5, %T3 : tensor<16xf32>, tensor<16x8xf32>
}
// CHECK: {{^}}T1 [i0, i1] @2/0{{$}}
// CHECK-NEXT: T2 [i0, r:i1] @1/2{{$}}
// CHECK-NEXT: T3 [i0, i1] @0/2{{$}}
// CHECK-NEXT: T5 [i0] @0/1{{$}}

//--- normalisation.mlir
// What needs a finished sum cannot be in the loop that sums.
func.func @f(%T0: tensor<16x8xf32> {fuse.name = "T0"}) -> tensor<16x8xf32> {
  %e0 = tensor.empty() : tensor<16x8xf32>
  %e1 = tensor.empty() : tensor<16xf32>
  %T1 = linalg.exp {fuse.name = "T1"} ins(%T0 : tensor<16x8xf32>) outs(%e0 : tensor<16x8xf32>) -> tensor<16x8xf32>
  %T2 = linalg.reduce { arith.addf } ins(%T1 : tensor<16x8xf32>) outs(%e1 : tensor<16xf32>) dimensions = [1] {fuse.name = "T2"}
  %T3 = linalg.broadcast ins(%T2 : tensor<16xf32>) outs(%e0 : tensor<16x8xf32>) dimensions = [1] {fuse.name = "T3"}
  %T4 = linalg.add {fuse.name = "T4"} ins(%T1, %T3 : tensor<16x8xf32>, tensor<16x8xf32>) outs(%e0 : tensor<16x8xf32>) -> tensor<16x8xf32>
  return %T4 : tensor<16x8xf32>
}
// CHECK: {{^}}T1 [i0, i1] @1/0{{$}}
// CHECK-NEXT: T2 [i0, r:i1] @1/1{{$}}
// CHECK-NEXT: T3 [i0, b:i1] @1/1{{$}}
// CHECK-NEXT: T4 [i0, i1] @0/1{{$}}
// ERROR: error: {{.*}}'T1' cannot be computed at position 2, only at positions up to 1: axis 'i1' of 'T1' cannot share a loop

//--- persistent-across-a-broadcast.mlir
// As deep as is legal everywhere: T3 waits for the sum.
func.func @f(%T0: tensor<8xf32> {fuse.name = "T0"}, %T1: tensor<16x8xf32> {fuse.name = "T1"}) -> tensor<16x8xf32> {
  %e0 = tensor.empty() : tensor<16x8xf32>
  %e1 = tensor.empty() : tensor<16xf32>
  %T2 = linalg.broadcast ins(%T0 : tensor<8xf32>) outs(%e0 : tensor<16x8xf32>) dimensions = [0] {fuse.name = "T2"}
  %T3 = linalg.add {fuse.name = "T3"} ins(%T1, %T2 : tensor<16x8xf32>, tensor<16x8xf32>) outs(%e0 : tensor<16x8xf32>) -> tensor<16x8xf32>
  %T4 = linalg.add {fuse.name = "T4"} ins(%T3, %T2 : tensor<16x8xf32>, tensor<16x8xf32>) outs(%e0 : tensor<16x8xf32>) -> tensor<16x8xf32>
  %T5 = linalg.reduce { arith.addf } ins(%T4 : tensor<16x8xf32>) outs(%e1 : tensor<16xf32>) dimensions = [1] {fuse.name = "T5"}
  %T6 = linalg.broadcast ins(%T5 : tensor<16xf32>) outs(%e0 : tensor<16x8xf32>) dimensions = [1] {fuse.name = "T6"}
  %T7 = linalg.add {fuse.name = "T7"} ins(%T3, %T6 : tensor<16x8xf32>, tensor<16x8xf32>) outs(%e0 : tensor<16x8xf32>) -> tensor<16x8xf32>
  return %T7 : tensor<16x8xf32>
}
// CHECK: {{^}}T3 [i0, i1] @1/{{.*}}{{$}}

//--- two-reductions-in-a-row.mlir
// A sum of what was made with a sum.
func.func @f(%T0: tensor<16x8xf32> {fuse.name = "T0"}) -> tensor<16x8xf32> {
  %e0 = tensor.empty() : tensor<16xf32>
  %e1 = tensor.empty() : tensor<16x8xf32>
  %T1 = linalg.reduce { arith.addf } ins(%T0 : tensor<16x8xf32>) outs(%e0 : tensor<16xf32>) dimensions = [1] {fuse.name = "T1"}
  %T2 = linalg.broadcast ins(%T1 : tensor<16xf32>) outs(%e1 : tensor<16x8xf32>) dimensions = [1] {fuse.name = "T2"}
  %T3 = linalg.exp {fuse.name = "T3"} ins(%T0 : tensor<16x8xf32>) outs(%e1 : tensor<16x8xf32>) -> tensor<16x8xf32>
  %T4 = linalg.mul {fuse.name = "T4"} ins(%T2, %T3 : tensor<16x8xf32>, tensor<16x8xf32>) outs(%e1 : tensor<16x8xf32>) -> tensor<16x8xf32>
  %T5 = linalg.reduce { arith.addf } ins(%T4 : tensor<16x8xf32>) outs(%e0 : tensor<16xf32>) dimensions = [1] {fuse.name = "T5"}
  %T6 = linalg.broadcast ins(%T5 : tensor<16xf32>) outs(%e1 : tensor<16x8xf32>) dimensions = [1] {fuse.name = "T6"}
  %T7 = linalg.sub {fuse.name = "T7"} ins(%T6, %T4 : tensor<16x8xf32>, tensor<16x8xf32>) outs(%e1 : tensor<16x8xf32>) -> tensor<16x8xf32>
  return %T7 : tensor<16x8xf32>
}
// CHECK: {{^}}T1 [i0, r:i1] @1/0{{$}}
// CHECK-NEXT: T2 [i0, b:i1] @1/1{{$}}
// CHECK-NEXT: T3 [i0, i1] @0/0{{$}}
// CHECK-NEXT: T4 [i0, i1] @1/1{{$}}
// CHECK-NEXT: T5 [i0, r:i1] @1/1{{$}}
// CHECK-NEXT: T6 [i0, b:i1] @1/1{{$}}
// CHECK-NEXT: T7 [i0, i1] @0/1{{$}}
// ERROR: error: {{.*}}'T4' cannot be computed at position 2, only at positions up to 1

//--- softmax.mlir
// As deep as is legal: E waits for its sum.
func.func @f(%X: tensor<16x8xf32> {fuse.name = "X"}) -> tensor<16x8xf32> {
  %e0 = tensor.empty() : tensor<16xf32>
  %e1 = tensor.empty() : tensor<16x8xf32>
  %M = linalg.reduce { arith.maximumf } ins(%X : tensor<16x8xf32>) outs(%e0 : tensor<16xf32>) dimensions = [1] {fuse.name = "M"}
  %Mb = linalg.broadcast ins(%M : tensor<16xf32>) outs(%e1 : tensor<16x8xf32>) dimensions = [1] {fuse.name = "Mb"}
  %S = linalg.sub {fuse.name = "S"} ins(%X, %Mb : tensor<16x8xf32>, tensor<16x8xf32>) outs(%e1 : tensor<16x8xf32>) -> tensor<16x8xf32>
  %E = linalg.exp {fuse.name = "E"} ins(%S : tensor<16x8xf32>) outs(%e1 : tensor<16x8xf32>) -> tensor<16x8xf32>
  %Z = linalg.reduce { arith.addf } ins(%E : tensor<16x8xf32>) outs(%e0 : tensor<16xf32>) dimensions = [1] {fuse.name = "Z"}
  %Zb = linalg.broadcast ins(%Z : tensor<16xf32>) outs(%e1 : tensor<16x8xf32>) dimensions = [1] {fuse.name = "Zb"}
  %Y = linalg.div {fuse.name = "Y"} ins(%E, %Zb : tensor<16x8xf32>, tensor<16x8xf32>) outs(%e1 : tensor<16x8xf32>) -> tensor<16x8xf32>
  return %Y : tensor<16x8xf32>
}
// CHECK: {{^}}M [i0, r:i1] @1/0{{$}}
// CHECK-NEXT: Mb [i0, b:i1] @1/1{{$}}
// CHECK-NEXT: S [i0, i1] @2/1{{$}}
// CHECK-NEXT: E [i0, i1] @1/2{{$}}
// CHECK-NEXT: Z [i0, r:i1] @1/1{{$}}
// CHECK-NEXT: Zb [i0, b:i1] @1/1{{$}}
// CHECK-NEXT: Y [i0, i1] @{{.*}}/1{{$}}

//--- layer-norm.mlir
// As deep as is legal, rows as they are and split.
func.func @f(%X: tensor<16x8xf32> {fuse.name = "X"}, %W: tensor<8xf32> {fuse.name = "W"}) -> tensor<16x8xf32> {
  %e0 = tensor.empty() : tensor<16x8xf32>
  %e1 = tensor.empty() : tensor<16xf32>
  %Xc = linalg.exp {fuse.name = "Xc"} ins(%X : tensor<16x8xf32>) outs(%e0 : tensor<16x8xf32>) -> tensor<16x8xf32>
  %Mu = linalg.reduce { arith.addf } ins(%Xc : tensor<16x8xf32>) outs(%e1 : tensor<16xf32>) dimensions = [1] {fuse.name = "Mu"}
  %Mb = linalg.broadcast ins(%Mu : tensor<16xf32>) outs(%e0 : tensor<16x8xf32>) dimensions = [1] {fuse.name = "Mb"}
  %D = linalg.sub {fuse.name = "D"} ins(%Xc, %Mb : tensor<16x8xf32>, tensor<16x8xf32>) outs(%e0 : tensor<16x8xf32>) -> tensor<16x8xf32>
  %Q = linalg.mul {fuse.name = "Q"} ins(%D, %D : tensor<16x8xf32>, tensor<16x8xf32>) outs(%e0 : tensor<16x8xf32>) -> tensor<16x8xf32>
  %V = linalg.reduce { arith.addf } ins(%Q : tensor<16x8xf32>) outs(%e1 : tensor<16xf32>) dimensions = [1] {fuse.name = "V"}
  %R = linalg.exp {fuse.name = "R"} ins(%V : tensor<16xf32>) outs(%e1 : tensor<16xf32>) -> tensor<16xf32>
  %Rb = linalg.broadcast ins(%R : tensor<16xf32>) outs(%e0 : tensor<16x8xf32>) dimensions = [1] {fuse.name = "Rb"}
  %Y = linalg.mul {fuse.name = "Y"} ins(%D, %Rb : tensor<16x8xf32>, tensor<16x8xf32>) outs(%e0 : tensor<16x8xf32>) -> tensor<16x8xf32>
  %Wb = linalg.broadcast ins(%W : tensor<8xf32>) outs(%e0 : tensor<16x8xf32>) dimensions = [0] {fuse.name = "Wb"}
  %O = linalg.mul {fuse.name = "O"} ins(%Y, %Wb : tensor<16x8xf32>, tensor<16x8xf32>) outs(%e0 : tensor<16x8xf32>) -> tensor<16x8xf32>
  return %O : tensor<16x8xf32>
}
// CHECK: {{^}}Xc [i0, i1] @1/0{{$}}
// CHECK-NEXT: Mu [i0, r:i1] @1/1{{$}}
// CHECK-NEXT: Mb [i0, b:i1] @1/1{{$}}
// CHECK-NEXT: D [i0, i1] @1/1{{$}}
// CHECK-NEXT: Q [i0, i1] @2/1{{$}}
// CHECK-NEXT: V [i0, r:i1] @1/2{{$}}
// CHECK-NEXT: R [i0] @1/1{{$}}
// CHECK-NEXT: Rb [i0, b:i1] @1/1{{$}}
// CHECK-NEXT: Y [i0, i1] @2/1{{$}}
// CHECK-NEXT: Wb [{{.*}}] @2/0{{$}}
// CHECK-NEXT: O [i0, i1] @{{.*}}/2{{$}}
// SPLIT: {{^}}Xc [i0o, i0i, i1] @2/0{{$}}
// SPLIT-NEXT: Mu [i0o, i0i, r:i1] @2/2{{$}}
// SPLIT-NEXT: Mb [i0o, i0i, b:i1] @2/2{{$}}
// SPLIT-NEXT: D [i0o, i0i, i1] @2/2{{$}}
// SPLIT-NEXT: Q [i0o, i0i, i1] @3/2{{$}}
// SPLIT-NEXT: V [i0o, i0i, r:i1] @2/3{{$}}
// SPLIT-NEXT: R [i0o, i0i] @2/2{{$}}
// SPLIT-NEXT: Rb [i0o, i0i, b:i1] @2/2{{$}}
// SPLIT-NEXT: Y [i0o, i0i, i1] @3/2{{$}}
// SPLIT-NEXT: Wb [{{.*}}] @3/0{{$}}
// SPLIT-NEXT: O [i0o, i0i, i1] @{{.*}}/3{{$}}

//--- siblings.mlir
// Results of one op share loops and position.
func.func @f(%T0: tensor<100x8xf32> {fuse.name = "T0"}) -> (tensor<100xf32>, tensor<100xf32>) {
  %e0 = tensor.empty() : tensor<100x8xf32>
  %e1 = tensor.empty() : tensor<100xf32>
  %T1 = linalg.exp {fuse.name = "T1"} ins(%T0 : tensor<100x8xf32>) outs(%e0 : tensor<100x8xf32>) -> tensor<100x8xf32>
  %W:2 = linalg.generic {indexing_maps = [affine_map<(a, b) -> (a, b)>, affine_map<(a, b) -> (a)>, affine_map<(a, b) -> (a)>],
    iterator_types = ["parallel", "reduction"]} ins(%T1 : tensor<100x8xf32>) outs(%e1, %e1 : tensor<100xf32>, tensor<100xf32>) attrs = {fuse.name = "W"} {
  ^bb0(%in: f32, %avg: f32, %var: f32):
    %s = arith.addf %avg, %in : f32
    %q = arith.mulf %in, %in : f32
    %v = arith.addf %var, %q : f32
    linalg.yield %s, %v : f32, f32
  } -> (tensor<100xf32>, tensor<100xf32>)
  %O = linalg.exp {fuse.name = "O"} ins(%W#1 : tensor<100xf32>) outs(%e1 : tensor<100xf32>) -> tensor<100xf32>
  return %O, %W#0 : tensor<100xf32>, tensor<100xf32>
}
// CHECK: {{^}}W [i0o, {{.*}}] @1/{{.*}}{{$}}
// CHECK-NEXT: O [i0o, i0i:unroll] @0/1{{$}}

//--- reduction-behind-the-prefix.mlir
// A reduction moves behind what is shared, unless it is shared itself.
func.func @f(%T0: tensor<16x8x6xf32> {fuse.name = "T0"}) -> tensor<16x6xf32> {
  %e0 = tensor.empty() : tensor<16x8x6xf32>
  %e1 = tensor.empty() : tensor<16x6xf32>
  %TC = linalg.exp {fuse.name = "TC"} ins(%T0 : tensor<16x8x6xf32>) outs(%e0 : tensor<16x8x6xf32>) -> tensor<16x8x6xf32>
  %T1 = linalg.reduce { arith.addf } ins(%TC : tensor<16x8x6xf32>) outs(%e1 : tensor<16x6xf32>) dimensions = [1] {fuse.name = "T1"}
  %T2 = linalg.exp {fuse.name = "T2"} ins(%T1 : tensor<16x6xf32>) outs(%e1 : tensor<16x6xf32>) -> tensor<16x6xf32>
  return %T2 : tensor<16x6xf32>
}
// CHECK: {{^}}TC [i0, i1, i2] @0/0{{$}}
// CHECK-NEXT: T1 [i0, i2, r:i1] @2/0{{$}}
// CHECK-NEXT: T2 [i0, i1] @0/2{{$}}
// FROZEN: error: {{.*}}the loops T1[i0, r:i1, i2] would have to become T1[i0, i2, r:i1], but the first 2 loops are frozen
// RANGE: error: {{.*}}position 3 of 'T2' is out of range: expected -3 to 2

//--- reduction-and-broadcast.mlir
// Crossing the broadcast loses a loop, which is no error.
func.func @f(%T0: tensor<16x8xf32> {fuse.name = "T0"}, %X: tensor<16x8xf32> {fuse.name = "X"}) -> tensor<16x8xf32> {
  %e0 = tensor.empty() : tensor<16xf32>
  %e1 = tensor.empty() : tensor<16x8xf32>
  %T1 = linalg.reduce { arith.addf } ins(%T0 : tensor<16x8xf32>) outs(%e0 : tensor<16xf32>) dimensions = [1] {fuse.name = "T1"}
  %T2 = linalg.broadcast ins(%T1 : tensor<16xf32>) outs(%e1 : tensor<16x8xf32>) dimensions = [1] {fuse.name = "T2"}
  %T3 = linalg.add {fuse.name = "T3"} ins(%T2, %X : tensor<16x8xf32>, tensor<16x8xf32>) outs(%e1 : tensor<16x8xf32>) -> tensor<16x8xf32>
  return %T3 : tensor<16x8xf32>
}
// HOIST: {{^}}T1 [i0, r:i1] @1/0{{$}}
// HOIST-NEXT: T2 [i0, b:i1] @1/1{{$}}
// HOIST-NEXT: T3 [i0, i1] @0/1{{$}}
// CHECK: {{^}}T1 [i0, r:i1] @1/0{{$}}
// CHECK-NEXT: T2 [i0, b:i1] @2/1{{$}}
// CHECK-NEXT: T3 [i0, i1] @0/2{{$}}

//--- rfactor.mlir
// A reduction made of two.
func.func @f(%T0: tensor<16x64xf32> {fuse.name = "T0"}) -> tensor<16xf32> {
  %e0 = tensor.empty() : tensor<16x64xf32>
  %e1 = tensor.empty() : tensor<16xf32>
  %TC = linalg.exp {fuse.name = "TC"} ins(%T0 : tensor<16x64xf32>) outs(%e0 : tensor<16x64xf32>) -> tensor<16x64xf32>
  %T = linalg.reduce { arith.addf } ins(%TC : tensor<16x64xf32>) outs(%e1 : tensor<16xf32>) dimensions = [1] {fuse.name = "T"}
  return %T : tensor<16xf32>
}
// PARTIAL: {{^}}TC [i0, i1] @0/0{{$}}
// PARTIAL-NEXT: T.rf [i0, i1i, r:i1o] @2/0{{$}}
// PARTIAL-NEXT: T [i0, r:i1i] @0/2{{$}}
// ROWS: {{^}}TC [i0, {{.*}}] @1/0{{$}}
// ROWS-NEXT: T.rf [i0, r:i1o, i1i] @1/1{{$}}
// ROWS-NEXT: T [i0, r:i1i] @0/1{{$}}
// MOST: {{^}}TC [i0, i1] @1/0{{$}}
// MOST-NEXT: T.rf [i0, r:i1o, i1i] @1/1{{$}}
// MOST-NEXT: T [i0, r:i1i] @{{.*}}/1{{$}}

//--- no-loops.mlir
// A tensor of rank 0.
func.func @f(%T0: tensor<16xf32> {fuse.name = "T0"}) -> tensor<f32> {
  %e0 = tensor.empty() : tensor<f32>
  %T1 = linalg.reduce { arith.addf } ins(%T0 : tensor<16xf32>) outs(%e0 : tensor<f32>) dimensions = [0] {fuse.name = "T1"}
  %T2 = linalg.exp {fuse.name = "T2"} ins(%T1 : tensor<f32>) outs(%e0 : tensor<f32>) -> tensor<f32>
  return %T2 : tensor<f32>
}
// CHECK: {{^}}T1 [r:i0] @0/0{{$}}
// CHECK-NEXT: T2 [] @0/0{{$}}
