// RUN: split-file %s %t
// RUN: ipu-opt %t/two-broadcasts.mlir --fuse-form \
// RUN:   --fuse-compute-at="producer=T1 consumer=T2 position=-1 hoist=true" \
// RUN:   --fuse-print-schedule | FileCheck %t/two-broadcasts.mlir --check-prefix=HOIST
// RUN: ipu-opt %t/two-broadcasts.mlir --fuse-form \
// RUN:   --fuse-compute-at="producer=T1 consumer=T2 position=-1" \
// RUN:   --fuse-print-schedule | FileCheck %t/two-broadcasts.mlir
// RUN: ipu-opt %t/two-outer-broadcasts.mlir --fuse-form \
// RUN:   --fuse-compute-at="producer=T1 consumer=T2 position=-1" \
// RUN:   --fuse-print-schedule | FileCheck %t/two-outer-broadcasts.mlir
// RUN: ipu-opt %t/chain-with-broadcast.mlir --fuse-form \
// RUN:   --fuse-compute-at="producer=T1 consumer=T3 position=2" \
// RUN:   --fuse-print-schedule | FileCheck %t/chain-with-broadcast.mlir
// RUN: ipu-opt %t/chain-with-broadcast.mlir --fuse-form \
// RUN:   --fuse-compute-at="producer=T1 consumer=T3 position=2 hoist=true" \
// RUN:   --fuse-print-schedule | FileCheck %t/chain-with-broadcast.mlir --check-prefix=HOIST
// RUN: ipu-opt %t/merge-across-broadcasts.mlir --fuse-form \
// RUN:   --fuse-merge="tensor=T7 axis=0" --fuse-merge="tensor=T7 axis=0" \
// RUN:   --fuse-compute-at="producer=T0 consumer=T7 position=-1" \
// RUN:   --fuse-print-schedule | FileCheck %t/merge-across-broadcasts.mlir
// RUN: ipu-opt %t/back-off.mlir --fuse-form \
// RUN:   --fuse-compute-at="producer=T0 consumer=T10 position=-2 hoist=true" \
// RUN:   --fuse-compute-at="producer=T1 consumer=T10 position=-2 hoist=true" \
// RUN:   --fuse-compute-at="producer=T2 consumer=T10 position=-2 hoist=true" \
// RUN:   --fuse-print-schedule | FileCheck %t/back-off.mlir
// RUN: ipu-opt %t/squeeze.mlir --fuse-form --fuse-merge="tensor=T1 axis=0" \
// RUN:   --fuse-split="tensor=T1 axis=0 factor=128" \
// RUN:   --fuse-propagate="tensor=T1" --fuse-inline-most \
// RUN:   --fuse-print-schedule | FileCheck %t/squeeze.mlir
// RUN: ipu-opt %t/transposed-chain.mlir --fuse-form --fuse-inline-most \
// RUN:   --fuse-print-schedule | FileCheck %t/transposed-chain.mlir
// RUN: ipu-opt %t/transposed-chain.mlir --fuse-form \
// RUN:   --fuse-merge="tensor=T3 axis=1" --fuse-inline-most \
// RUN:   --fuse-print-schedule | FileCheck %t/transposed-chain.mlir --check-prefix=MERGED
// RUN: ipu-opt %t/matmul-tiles.mlir --fuse-form \
// RUN:   --fuse-split="tensor=C axis=2 factor=16" \
// RUN:   --fuse-split="tensor=C axis=1 factor=64" \
// RUN:   --fuse-split="tensor=C axis=0 factor=32" \
// RUN:   --fuse-reorder="tensor=C order=0,2,4,1,3,5" \
// RUN:   --fuse-compute-at="producer=As consumer=C position=3" \
// RUN:   --fuse-compute-at="producer=Bs consumer=C position=3" \
// RUN:   --fuse-compute-at="producer=P consumer=C position=-1" \
// RUN:   --fuse-print-schedule | FileCheck %t/matmul-tiles.mlir
// RUN: ipu-opt %t/second-request.mlir --fuse-form \
// RUN:   --fuse-split="tensor=T7 axis=1 factor=2" \
// RUN:   --fuse-merge="tensor=T7 axis=0" \
// RUN:   --fuse-compute-at="producer=T0 consumer=T7 position=1" \
// RUN:   --fuse-print-schedule | FileCheck %t/second-request.mlir
// RUN: ipu-opt %t/second-request.mlir --fuse-form \
// RUN:   --fuse-split="tensor=T7 axis=1 factor=2" \
// RUN:   --fuse-merge="tensor=T7 axis=0" \
// RUN:   --fuse-compute-at="producer=T0 consumer=T7 position=1" \
// RUN:   --fuse-compute-at="producer=T0 consumer=T4 position=-1" \
// RUN:   --fuse-compute-at="producer=T2 consumer=T4 position=-1" \
// RUN:   --fuse-print-schedule | FileCheck %t/second-request.mlir

//--- two-broadcasts.mlir
// Two broadcasts of one producer; hoisted, they are made outside of the loop over what they broadcast.
func.func @f(%T0: tensor<16xf32> {fuse.name = "T0"}, %X: tensor<16x8xf32> {fuse.name = "X"}) -> tensor<16x8xf32> {
  %e0 = tensor.empty() : tensor<16xf32>
  %e1 = tensor.empty() : tensor<16x8xf32>
  %T1 = linalg.exp {fuse.name = "T1"} ins(%T0 : tensor<16xf32>) outs(%e0 : tensor<16xf32>) -> tensor<16xf32>
  %T2 = linalg.broadcast ins(%T1 : tensor<16xf32>) outs(%e1 : tensor<16x8xf32>) dimensions = [1] {fuse.name = "T2"}
  %T3 = linalg.broadcast ins(%T1 : tensor<16xf32>) outs(%e1 : tensor<16x8xf32>) dimensions = [1] {fuse.name = "T3"}
  %T = linalg.add {fuse.name = "T"} ins(%T2, %T3 : tensor<16x8xf32>, tensor<16x8xf32>) outs(%e1 : tensor<16x8xf32>) -> tensor<16x8xf32>
  %T4 = linalg.add {fuse.name = "T4"} ins(%T, %X : tensor<16x8xf32>, tensor<16x8xf32>) outs(%e1 : tensor<16x8xf32>) -> tensor<16x8xf32>
  return %T4 : tensor<16x8xf32>
}
// HOIST: {{^}}T1 [i0] @1/0{{$}}
// HOIST-NEXT: T2 [i0, b:i1] @1/1{{$}}
// HOIST-NEXT: T3 [i0, b:i1] @1/1{{$}}
// HOIST-NEXT: T [i0, b:i1] @0/1{{$}}
// CHECK: {{^}}T1 [i0] @1/0{{$}}
// CHECK-NEXT: T2 [i0, b:i1] @2/1{{$}}
// CHECK-NEXT: T3 [i0, b:i1] @2/1{{$}}
// CHECK-NEXT: T [i0, b:i1] @0/2{{$}}

//--- two-outer-broadcasts.mlir
// The producer is computed once per element of the broadcast.
func.func @f(%T0: tensor<16xf32> {fuse.name = "T0"}, %X: tensor<8x16xf32> {fuse.name = "X"}) -> tensor<8x16xf32> {
  %e0 = tensor.empty() : tensor<16xf32>
  %e1 = tensor.empty() : tensor<8x16xf32>
  %T1 = linalg.exp {fuse.name = "T1"} ins(%T0 : tensor<16xf32>) outs(%e0 : tensor<16xf32>) -> tensor<16xf32>
  %T2 = linalg.broadcast ins(%T1 : tensor<16xf32>) outs(%e1 : tensor<8x16xf32>) dimensions = [0] {fuse.name = "T2"}
  %T3 = linalg.broadcast ins(%T1 : tensor<16xf32>) outs(%e1 : tensor<8x16xf32>) dimensions = [0] {fuse.name = "T3"}
  %T = linalg.add {fuse.name = "T"} ins(%T2, %T3 : tensor<8x16xf32>, tensor<8x16xf32>) outs(%e1 : tensor<8x16xf32>) -> tensor<8x16xf32>
  %T4 = linalg.add {fuse.name = "T4"} ins(%T, %X : tensor<8x16xf32>, tensor<8x16xf32>) outs(%e1 : tensor<8x16xf32>) -> tensor<8x16xf32>
  return %T4 : tensor<8x16xf32>
}
// CHECK: {{^}}T1 [i0] @1/0{{$}}
// CHECK-NEXT: T2 [b:i0, i1] @2/2{{$}}
// CHECK-NEXT: T3 [b:i0, i1] @2/2{{$}}
// CHECK-NEXT: T [b:i0, i1] @0/2{{$}}

//--- chain-with-broadcast.mlir
// A broadcast between: its producer has one loop less.
func.func @f(%T0: tensor<16x6xf32> {fuse.name = "T0"}, %X: tensor<16x8x6xf32> {fuse.name = "X"}) -> tensor<16x8x6xf32> {
  %e0 = tensor.empty() : tensor<16x6xf32>
  %e1 = tensor.empty() : tensor<16x8x6xf32>
  %T1 = linalg.exp {fuse.name = "T1"} ins(%T0 : tensor<16x6xf32>) outs(%e0 : tensor<16x6xf32>) -> tensor<16x6xf32>
  %T2 = linalg.broadcast ins(%T1 : tensor<16x6xf32>) outs(%e1 : tensor<16x8x6xf32>) dimensions = [1] {fuse.name = "T2"}
  %T3 = linalg.add {fuse.name = "T3"} ins(%T2, %X : tensor<16x8x6xf32>, tensor<16x8x6xf32>) outs(%e1 : tensor<16x8x6xf32>) -> tensor<16x8x6xf32>
  return %T3 : tensor<16x8x6xf32>
}
// CHECK: {{^}}T1 [i0, i1] @1/0{{$}}
// CHECK-NEXT: T2 [i0, b:i1, i2] @2/1{{$}}
// CHECK-NEXT: T3 [i0, i1, i2] @0/2{{$}}
// HOIST: {{^}}T1 [i0, i1] @1/0{{$}}
// HOIST-NEXT: T2 [i0, b:i1, i2] @1/1{{$}}
// HOIST-NEXT: T3 [i0, i1, i2] @0/1{{$}}

//--- merge-across-broadcasts.mlir
// A loop merged of broadcasts and others is one loop for all.
func.func @f(%T0: tensor<7xf32> {fuse.name = "T0"}, %T3: tensor<7x9xf32> {fuse.name = "T3"}, %T6: tensor<3x7x9xf32> {fuse.name = "T6"}) -> tensor<3x7x9xf32> {
  %e0 = tensor.empty() : tensor<7xf32>
  %e1 = tensor.empty() : tensor<7x9xf32>
  %e2 = tensor.empty() : tensor<3x7x9xf32>
  %T1 = linalg.exp {fuse.name = "T1"} ins(%T0 : tensor<7xf32>) outs(%e0 : tensor<7xf32>) -> tensor<7xf32>
  %T2 = linalg.broadcast ins(%T1 : tensor<7xf32>) outs(%e1 : tensor<7x9xf32>) dimensions = [1] {fuse.name = "T2"}
  %T4 = linalg.mul {fuse.name = "T4"} ins(%T2, %T3 : tensor<7x9xf32>, tensor<7x9xf32>) outs(%e1 : tensor<7x9xf32>) -> tensor<7x9xf32>
  %T5 = linalg.broadcast ins(%T4 : tensor<7x9xf32>) outs(%e2 : tensor<3x7x9xf32>) dimensions = [0] {fuse.name = "T5"}
  %T7 = linalg.add {fuse.name = "T7"} ins(%T5, %T6 : tensor<3x7x9xf32>, tensor<3x7x9xf32>) outs(%e2 : tensor<3x7x9xf32>) -> tensor<3x7x9xf32>
  return %T7 : tensor<3x7x9xf32>
}
// CHECK: {{^}}T1 [i0] @1/0{{$}}
// CHECK-NEXT: T2 [(i0*i1)] @1/1{{$}}
// CHECK-NEXT: T4 [(i0*i1)] @1/1{{$}}
// CHECK-NEXT: T5 [{{.*}}] @1/1{{$}}
// CHECK-NEXT: T7 [((i0*i1)*i2)] @0/1{{$}}

//--- back-off.mlir
// Trailing broadcasts are left.
func.func @f(%T0: tensor<4xf32> {fuse.name = "T0"}, %T1: tensor<4x3xf32> {fuse.name = "T1"}, %T2: tensor<4x3x6x5xf32> {fuse.name = "T2"}) -> tensor<4x3x6x5xf32> {
  %e0 = tensor.empty() : tensor<4x3x6x5xf32>
  %T3 = linalg.broadcast ins(%T0 : tensor<4xf32>) outs(%e0 : tensor<4x3x6x5xf32>) dimensions = [1, 2, 3] {fuse.name = "T3"}
  %T4 = linalg.broadcast ins(%T1 : tensor<4x3xf32>) outs(%e0 : tensor<4x3x6x5xf32>) dimensions = [2, 3] {fuse.name = "T4"}
  %T5 = linalg.exp {fuse.name = "T5"} ins(%T2 : tensor<4x3x6x5xf32>) outs(%e0 : tensor<4x3x6x5xf32>) -> tensor<4x3x6x5xf32>
  %T6 = linalg.add {fuse.name = "T6"} ins(%T3, %T5 : tensor<4x3x6x5xf32>, tensor<4x3x6x5xf32>) outs(%e0 : tensor<4x3x6x5xf32>) -> tensor<4x3x6x5xf32>
  %T7 = linalg.add {fuse.name = "T7"} ins(%T4, %T5 : tensor<4x3x6x5xf32>, tensor<4x3x6x5xf32>) outs(%e0 : tensor<4x3x6x5xf32>) -> tensor<4x3x6x5xf32>
  %T8 = linalg.add {fuse.name = "T8"} ins(%T3, %T4 : tensor<4x3x6x5xf32>, tensor<4x3x6x5xf32>) outs(%e0 : tensor<4x3x6x5xf32>) -> tensor<4x3x6x5xf32>
  %T9 = linalg.add {fuse.name = "T9"} ins(%T6, %T7 : tensor<4x3x6x5xf32>, tensor<4x3x6x5xf32>) outs(%e0 : tensor<4x3x6x5xf32>) -> tensor<4x3x6x5xf32>
  %T10 = linalg.add {fuse.name = "T10"} ins(%T9, %T8 : tensor<4x3x6x5xf32>, tensor<4x3x6x5xf32>) outs(%e0 : tensor<4x3x6x5xf32>) -> tensor<4x3x6x5xf32>
  return %T10 : tensor<4x3x6x5xf32>
}
// CHECK: {{^}}T3 [i0, b:i1, b:i2, b:i3] @1/0{{$}}
// CHECK-NEXT: T4 [i0, i1, b:i2, b:i3] @2/0{{$}}
// CHECK-NEXT: T5 [i0, i1, i2, i3] @3/0{{$}}
// CHECK-NEXT: T6 [i0, i1, i2, i3] @{{.*}}/3{{$}}
// CHECK-NEXT: T7 [i0, i1, i2, i3] @{{.*}}/3{{$}}
// CHECK-NEXT: T8 [i0, i1, b:i2, b:i3] @{{.*}}/2{{$}}

//--- squeeze.mlir
// A sum over one element is a squeeze, which merging passes by.
func.func @f(%T0: tensor<1x500xf32> {fuse.name = "T0"}) -> tensor<500xf32> {
  %e0 = tensor.empty() : tensor<1x500xf32>
  %e1 = tensor.empty() : tensor<500xf32>
  %T1 = linalg.exp {fuse.name = "T1"} ins(%T0 : tensor<1x500xf32>) outs(%e0 : tensor<1x500xf32>) -> tensor<1x500xf32>
  %T2 = linalg.reduce { arith.addf } ins(%T1 : tensor<1x500xf32>) outs(%e1 : tensor<500xf32>) dimensions = [0] {fuse.name = "T2"}
  return %T2 : tensor<500xf32>
}
// CHECK: {{^}}T1 [{{[^,]*}}, {{[^,]*}}] @2/0{{$}}
// CHECK-NEXT: T2 [i0o, i0i] @{{.*}}/2{{$}}

//--- transposed-chain.mlir
// Loops in another order are shared up to the first that differs.
func.func @f(%T0: tensor<16x8x6xf32> {fuse.name = "T0"}) -> tensor<16x6x8xf32> {
  %e0 = tensor.empty() : tensor<16x8x6xf32>
  %e1 = tensor.empty() : tensor<16x6x8xf32>
  %T1 = linalg.exp {fuse.name = "T1"} ins(%T0 : tensor<16x8x6xf32>) outs(%e0 : tensor<16x8x6xf32>) -> tensor<16x8x6xf32>
  %T2 = linalg.exp {fuse.name = "T2"} ins(%T1 : tensor<16x8x6xf32>) outs(%e0 : tensor<16x8x6xf32>) -> tensor<16x8x6xf32>
  %T3 = linalg.transpose ins(%T2 : tensor<16x8x6xf32>) outs(%e1 : tensor<16x6x8xf32>) permutation = [0, 2, 1] {fuse.name = "T3"}
  %T4 = linalg.exp {fuse.name = "T4"} ins(%T3 : tensor<16x6x8xf32>) outs(%e1 : tensor<16x6x8xf32>) -> tensor<16x6x8xf32>
  %T5 = linalg.exp {fuse.name = "T5"} ins(%T4 : tensor<16x6x8xf32>) outs(%e1 : tensor<16x6x8xf32>) -> tensor<16x6x8xf32>
  return %T5 : tensor<16x6x8xf32>
}
// CHECK: {{^}}T1 [i0, i1, i2] @3/0{{$}}
// CHECK-NEXT: T2 [i0, i1, i2] @1/3{{$}}
// CHECK-NEXT: T3 [i0, i1, i2] @3/1{{$}}
// CHECK-NEXT: T4 [i0, i1, i2] @3/3{{$}}
// MERGED: {{^}}T1 [i0, i1, i2] @3/0{{$}}
// MERGED-NEXT: T2 [i0, i1, i2] @1/3{{$}}
// MERGED-NEXT: T3 [i0, (i1*i2)] @1/1{{$}}
// MERGED-NEXT: T4 [i0, i1, i2] @3/1{{$}}

//--- matmul-tiles.mlir
// Tiles of the operands are loaded in the loops over tiles.
func.func @f(%A: tensor<64x48xf32> {fuse.name = "A"}, %B: tensor<128x48xf32> {fuse.name = "B"}) -> tensor<64x128xf32> {
  %e0 = tensor.empty() : tensor<64x48xf32>
  %e1 = tensor.empty() : tensor<128x48xf32>
  %e2 = tensor.empty() : tensor<64x128x48xf32>
  %e3 = tensor.empty() : tensor<64x128xf32>
  %As = linalg.exp {fuse.name = "As"} ins(%A : tensor<64x48xf32>) outs(%e0 : tensor<64x48xf32>) -> tensor<64x48xf32>
  %Bs = linalg.exp {fuse.name = "Bs"} ins(%B : tensor<128x48xf32>) outs(%e1 : tensor<128x48xf32>) -> tensor<128x48xf32>
  %Ab = linalg.broadcast ins(%As : tensor<64x48xf32>) outs(%e2 : tensor<64x128x48xf32>) dimensions = [1] {fuse.name = "Ab"}
  %Bb = linalg.broadcast ins(%Bs : tensor<128x48xf32>) outs(%e2 : tensor<64x128x48xf32>) dimensions = [0] {fuse.name = "Bb"}
  %P = linalg.mul {fuse.name = "P"} ins(%Ab, %Bb : tensor<64x128x48xf32>, tensor<64x128x48xf32>) outs(%e2 : tensor<64x128x48xf32>) -> tensor<64x128x48xf32>
  %C = linalg.reduce { arith.addf } ins(%P : tensor<64x128x48xf32>) outs(%e3 : tensor<64x128xf32>) dimensions = [2] {fuse.name = "C"}
  return %C : tensor<64x128xf32>
}
// CHECK: {{^}}As [i0o, i1o, i0i, i1i] @2/0{{$}}
// CHECK-NEXT: Bs [i0o, i1o, i0i, i1i] @2/0{{$}}
// CHECK-NEXT: Ab [i0o, b:i1o, i2o, i0i, b:i1i, i2i] @3/3{{$}}
// CHECK-NEXT: Bb [b:i0o, i1o, i2o, b:i0i, i1i, i2i] @3/3{{$}}
// CHECK-NEXT: P [i0o, i1o, i2o, i0i, i1i, i2i] @6/3{{$}}
// CHECK-NEXT: C [i0o, i1o, r:i2o, i0i, i1i, r:i2i] @0/6{{$}}

//--- second-request.mlir
// What a request made is kept by those that follow.
func.func @f(%T0: tensor<16xf32> {fuse.name = "T0"}, %T2: tensor<16xf32> {fuse.name = "T2"}, %T6: tensor<16x8xf32> {fuse.name = "T6"}) -> tensor<16x8xf32> {
  %e0 = tensor.empty() : tensor<16xf32>
  %e1 = tensor.empty() : tensor<16x8xf32>
  %T1 = linalg.exp {fuse.name = "T1"} ins(%T0 : tensor<16xf32>) outs(%e0 : tensor<16xf32>) -> tensor<16xf32>
  %T3 = linalg.exp {fuse.name = "T3"} ins(%T2 : tensor<16xf32>) outs(%e0 : tensor<16xf32>) -> tensor<16xf32>
  %T4 = linalg.add {fuse.name = "T4"} ins(%T1, %T3 : tensor<16xf32>, tensor<16xf32>) outs(%e0 : tensor<16xf32>) -> tensor<16xf32>
  %T5 = linalg.broadcast ins(%T4 : tensor<16xf32>) outs(%e1 : tensor<16x8xf32>) dimensions = [1] {fuse.name = "T5"}
  %T7 = linalg.add {fuse.name = "T7"} ins(%T5, %T6 : tensor<16x8xf32>, tensor<16x8xf32>) outs(%e1 : tensor<16x8xf32>) -> tensor<16x8xf32>
  return %T7 : tensor<16x8xf32>
}
// CHECK: {{^}}T5 [{{.*}}, {{.*}}] @1/1{{$}}
// CHECK-NEXT: T7 [(i0*i1o), i1i] @0/1{{$}}
