// RUN: split-file %s %t
// RUN: ipu-opt %t/chain.mlir --fuse-form \
// RUN:   --fuse-split="tensor=T3 axis=0 factor=4" \
// RUN:   --fuse-compute-at="producer=T1 consumer=T3 position=0" \
// RUN:   --fuse-print-schedule | FileCheck %t/chain.mlir --check-prefix=P0
// RUN: ipu-opt %t/chain.mlir --fuse-form \
// RUN:   --fuse-split="tensor=T3 axis=0 factor=4" \
// RUN:   --fuse-compute-at="producer=T1 consumer=T3 position=1" \
// RUN:   --fuse-print-schedule | FileCheck %t/chain.mlir --check-prefix=P1
// RUN: ipu-opt %t/chain.mlir --fuse-form \
// RUN:   --fuse-split="tensor=T3 axis=0 factor=4" \
// RUN:   --fuse-compute-at="producer=T1 consumer=T3 position=2" \
// RUN:   --fuse-print-schedule | FileCheck %t/chain.mlir --check-prefix=P2
// RUN: ipu-opt %t/chain.mlir --fuse-form \
// RUN:   --fuse-split="tensor=T3 axis=0 factor=4" \
// RUN:   --fuse-compute-at="producer=T1 consumer=T3 position=3" \
// RUN:   --fuse-print-schedule | FileCheck %t/chain.mlir --check-prefix=P3
// RUN: ipu-opt %t/chain.mlir --fuse-form \
// RUN:   --fuse-split="tensor=T3 axis=0 factor=4" \
// RUN:   --fuse-compute-at="producer=T1 consumer=T3 position=-1" \
// RUN:   --fuse-print-schedule | FileCheck %t/chain.mlir --check-prefix=P3
// RUN: ipu-opt %t/chain.mlir --fuse-form \
// RUN:   --fuse-split="tensor=T3 axis=0 factor=4" \
// RUN:   --fuse-compute-at="producer=T1 consumer=T3" \
// RUN:   --fuse-print-schedule | FileCheck %t/chain.mlir --check-prefix=P3
// RUN: ipu-opt %t/chain.mlir --fuse-form \
// RUN:   --fuse-split="tensor=T3 axis=0 factor=4" \
// RUN:   --fuse-compute-at="producer=T1 consumer=T3 position=-2" \
// RUN:   --fuse-print-schedule | FileCheck %t/chain.mlir --check-prefix=P2
// RUN: ipu-opt %t/chain.mlir --fuse-form \
// RUN:   --fuse-split="tensor=T3 axis=0 factor=4" \
// RUN:   --fuse-compute-at="producer=T1 consumer=T3 position=-4" \
// RUN:   --fuse-print-schedule | FileCheck %t/chain.mlir --check-prefix=P0
// RUN: not ipu-opt %t/chain.mlir --fuse-form \
// RUN:   --fuse-split="tensor=T3 axis=0 factor=4" \
// RUN:   --fuse-compute-at="producer=T1 consumer=T3 position=4" \
// RUN:   2>&1 | FileCheck %t/chain.mlir --check-prefix=HIGH
// RUN: not ipu-opt %t/chain.mlir --fuse-form \
// RUN:   --fuse-split="tensor=T3 axis=0 factor=4" \
// RUN:   --fuse-compute-at="producer=T1 consumer=T3 position=-5" \
// RUN:   2>&1 | FileCheck %t/chain.mlir --check-prefix=LOW
// RUN: ipu-opt %t/unrelated-consumers.mlir --fuse-form \
// RUN:   --fuse-split="tensor=T3 axis=0 factor=128" \
// RUN:   --fuse-compute-at="producer=T1 consumer=T3 position=1" \
// RUN:   --fuse-print-schedule | FileCheck %t/unrelated-consumers.mlir
// RUN: ipu-opt %t/diamond-and-tail.mlir --fuse-form \
// RUN:   --fuse-split="tensor=T3 axis=0 factor=4" \
// RUN:   --fuse-compute-at="producer=T1 consumer=T3 position=1" \
// RUN:   --fuse-print-schedule | FileCheck %t/diamond-and-tail.mlir
// RUN: ipu-opt %t/diamond-with-a-long-arm.mlir --fuse-form \
// RUN:   --fuse-merge="tensor=T3 axis=0" \
// RUN:   --fuse-split="tensor=T3 axis=0 factor=128" \
// RUN:   --fuse-split="tensor=T3 axis=0 factor=4" \
// RUN:   --fuse-compute-at="producer=T1 consumer=T3 position=1" \
// RUN:   --fuse-print-schedule | FileCheck %t/diamond-with-a-long-arm.mlir
// RUN: ipu-opt %t/diamond-and-output.mlir --fuse-form \
// RUN:   --fuse-merge="tensor=T3 axis=0" \
// RUN:   --fuse-split="tensor=T3 axis=0 factor=128" \
// RUN:   --fuse-split="tensor=T3 axis=0 factor=4" \
// RUN:   --fuse-compute-at="producer=T1 consumer=T3 position=1" \
// RUN:   --fuse-print-schedule | FileCheck %t/diamond-and-output.mlir
// RUN: ipu-opt %t/no-common-consumer.mlir --fuse-form \
// RUN:   --fuse-merge="tensor=T3 axis=0" \
// RUN:   --fuse-split="tensor=T3 axis=0 factor=128" \
// RUN:   --fuse-compute-at="producer=T1 consumer=T3 position=1" \
// RUN:   --fuse-print-schedule | FileCheck %t/no-common-consumer.mlir
// RUN: ipu-opt %t/producer-with-uses-outside.mlir --fuse-form \
// RUN:   --fuse-split="tensor=T7 axis=0 factor=4" \
// RUN:   --fuse-compute-at="producer=T0 consumer=T7 position=1" \
// RUN:   --fuse-print-schedule | FileCheck %t/producer-with-uses-outside.mlir
// RUN: ipu-opt %t/output-that-is-read.mlir --fuse-form \
// RUN:   --fuse-compute-at="producer=T0 consumer=T2 position=-1" \
// RUN:   --fuse-print-schedule | FileCheck %t/output-that-is-read.mlir
// RUN: ipu-opt %t/factor-that-does-not-divide.mlir --fuse-form \
// RUN:   --fuse-split="tensor=T3 axis=0 factor=32" \
// RUN:   --fuse-compute-at="producer=T1 consumer=T3 position=2" \
// RUN:   --fuse-print-schedule | FileCheck %t/factor-that-does-not-divide.mlir
// RUN: ipu-opt %t/overlapping-requests.mlir --fuse-form \
// RUN:   --fuse-split="tensor=T5 axis=0 factor=2" \
// RUN:   --fuse-split="tensor=T5 axis=0 factor=4" \
// RUN:   --fuse-split="tensor=T5 axis=0 factor=8" \
// RUN:   --fuse-propagate="tensor=T5" \
// RUN:   --fuse-compute-at="producer=T1 consumer=T2 position=-1" \
// RUN:   --fuse-compute-at="producer=T3 consumer=T4 position=-2" \
// RUN:   --fuse-compute-at="producer=T2 consumer=T5 position=-4" \
// RUN:   --fuse-compute-at="producer=T4 consumer=T5 position=-3" \
// RUN:   --fuse-print-schedule | FileCheck %t/overlapping-requests.mlir

//--- chain.mlir
// A chain; negative positions count from behind.
func.func @f(%T0: tensor<16x8xf32> {fuse.name = "T0"}) -> tensor<16x8xf32> {
  %e0 = tensor.empty() : tensor<16x8xf32>
  %T1 = linalg.exp {fuse.name = "T1"} ins(%T0 : tensor<16x8xf32>) outs(%e0 : tensor<16x8xf32>) -> tensor<16x8xf32>
  %T2 = linalg.exp {fuse.name = "T2"} ins(%T1 : tensor<16x8xf32>) outs(%e0 : tensor<16x8xf32>) -> tensor<16x8xf32>
  %T3 = linalg.exp {fuse.name = "T3"} ins(%T2 : tensor<16x8xf32>) outs(%e0 : tensor<16x8xf32>) -> tensor<16x8xf32>
  return %T3 : tensor<16x8xf32>
}
// P0: {{^}}T1 [i0, i1] @0/0{{$}}
// P0-NEXT: T2 [i0, i1] @0/0{{$}}
// P0-NEXT: T3 [i0o, i0i, i1] @0/0{{$}}
// P1: {{^}}T1 [i0o, i0i, i1] @1/0{{$}}
// P1-NEXT: T2 [i0o, i0i, i1] @1/1{{$}}
// P1-NEXT: T3 [i0o, i0i, i1] @0/1{{$}}
// P2: {{^}}T1 [i0o, i0i, i1] @2/0{{$}}
// P2-NEXT: T2 [i0o, i0i, i1] @2/2{{$}}
// P2-NEXT: T3 [i0o, i0i, i1] @0/2{{$}}
// P3: {{^}}T1 [i0o, i0i, i1] @3/0{{$}}
// P3-NEXT: T2 [i0o, i0i, i1] @3/3{{$}}
// P3-NEXT: T3 [i0o, i0i, i1] @0/3{{$}}
// HIGH: error: {{.*}}position 4 of 'T3' is out of range: expected -4 to 3
// LOW: error: {{.*}}position -5 of 'T3' is out of range: expected -4 to 3

//--- unrelated-consumers.mlir
// Two consumers that do not depend on each other.
func.func @f(%T0: tensor<1000xf32> {fuse.name = "T0"}) -> (tensor<1000xf32>, tensor<1000xf32>) {
  %e0 = tensor.empty() : tensor<1000xf32>
  %T1 = linalg.exp {fuse.name = "T1"} ins(%T0 : tensor<1000xf32>) outs(%e0 : tensor<1000xf32>) -> tensor<1000xf32>
  %T2 = linalg.exp {fuse.name = "T2"} ins(%T1 : tensor<1000xf32>) outs(%e0 : tensor<1000xf32>) -> tensor<1000xf32>
  %T3 = linalg.exp {fuse.name = "T3"} ins(%T1 : tensor<1000xf32>) outs(%e0 : tensor<1000xf32>) -> tensor<1000xf32>
  return %T2, %T3 : tensor<1000xf32>, tensor<1000xf32>
}
// CHECK: {{^}}T1 [i0o, i0i] @1/0{{$}}
// CHECK-NEXT: T2 [i0o, i0i] @0/1{{$}}
// CHECK-NEXT: T3 [i0o, i0i] @0/1{{$}}

//--- diamond-and-tail.mlir
// What is beyond the common consumer stays as it is.
func.func @f(%T0: tensor<16xf32> {fuse.name = "T0"}) -> tensor<16xf32> {
  %e0 = tensor.empty() : tensor<16xf32>
  %T1 = linalg.exp {fuse.name = "T1"} ins(%T0 : tensor<16xf32>) outs(%e0 : tensor<16xf32>) -> tensor<16xf32>
  %T2 = linalg.exp {fuse.name = "T2"} ins(%T1 : tensor<16xf32>) outs(%e0 : tensor<16xf32>) -> tensor<16xf32>
  %T3 = linalg.exp {fuse.name = "T3"} ins(%T1 : tensor<16xf32>) outs(%e0 : tensor<16xf32>) -> tensor<16xf32>
  %T4 = linalg.add {fuse.name = "T4"} ins(%T2, %T3 : tensor<16xf32>, tensor<16xf32>) outs(%e0 : tensor<16xf32>) -> tensor<16xf32>
  %T5 = linalg.exp {fuse.name = "T5"} ins(%T4 : tensor<16xf32>) outs(%e0 : tensor<16xf32>) -> tensor<16xf32>
  return %T5 : tensor<16xf32>
}
// CHECK: {{^}}T1 [i0o, i0i] @1/0{{$}}
// CHECK-NEXT: T2 [i0o, i0i] @1/1{{$}}
// CHECK-NEXT: T3 [i0o, i0i] @1/1{{$}}
// CHECK-NEXT: T4 [i0o, i0i] @0/1{{$}}
// CHECK-NEXT: T5 [i0] @0/0{{$}}

//--- diamond-with-a-long-arm.mlir
// Arms of a diamond of different lengths.
func.func @f(%T0: tensor<100x50xf32> {fuse.name = "T0"}) -> tensor<100x50xf32> {
  %e0 = tensor.empty() : tensor<100x50xf32>
  %T1 = linalg.exp {fuse.name = "T1"} ins(%T0 : tensor<100x50xf32>) outs(%e0 : tensor<100x50xf32>) -> tensor<100x50xf32>
  %T2 = linalg.exp {fuse.name = "T2"} ins(%T1 : tensor<100x50xf32>) outs(%e0 : tensor<100x50xf32>) -> tensor<100x50xf32>
  %T3 = linalg.exp {fuse.name = "T3"} ins(%T2 : tensor<100x50xf32>) outs(%e0 : tensor<100x50xf32>) -> tensor<100x50xf32>
  %T4 = linalg.exp {fuse.name = "T4"} ins(%T1 : tensor<100x50xf32>) outs(%e0 : tensor<100x50xf32>) -> tensor<100x50xf32>
  %T5 = linalg.add {fuse.name = "T5"} ins(%T3, %T4 : tensor<100x50xf32>, tensor<100x50xf32>) outs(%e0 : tensor<100x50xf32>) -> tensor<100x50xf32>
  return %T5 : tensor<100x50xf32>
}
// CHECK: {{^}}T1 [{{[^,]*}}, {{[^,]*}}, {{[^,]*}}] @1/0{{$}}
// CHECK-NEXT: T2 [{{[^,]*}}, {{[^,]*}}, {{[^,]*}}] @1/1{{$}}
// CHECK-NEXT: T3 [{{[^,]*}}, {{[^,]*}}, {{[^,]*}}] @1/1{{$}}
// CHECK-NEXT: T4 [{{[^,]*}}, {{[^,]*}}, {{[^,]*}}] @1/1{{$}}
// CHECK-NEXT: T5 [{{[^,]*}}, {{[^,]*}}, {{[^,]*}}] @0/1{{$}}

//--- diamond-and-output.mlir
// No tensor is on all paths from the producer.
func.func @f(%T0: tensor<100x50xf32> {fuse.name = "T0"}) -> (tensor<100x50xf32>, tensor<100x50xf32>) {
  %e0 = tensor.empty() : tensor<100x50xf32>
  %T1 = linalg.exp {fuse.name = "T1"} ins(%T0 : tensor<100x50xf32>) outs(%e0 : tensor<100x50xf32>) -> tensor<100x50xf32>
  %T2 = linalg.exp {fuse.name = "T2"} ins(%T1 : tensor<100x50xf32>) outs(%e0 : tensor<100x50xf32>) -> tensor<100x50xf32>
  %T3 = linalg.exp {fuse.name = "T3"} ins(%T2 : tensor<100x50xf32>) outs(%e0 : tensor<100x50xf32>) -> tensor<100x50xf32>
  %T4 = linalg.exp {fuse.name = "T4"} ins(%T1 : tensor<100x50xf32>) outs(%e0 : tensor<100x50xf32>) -> tensor<100x50xf32>
  %T5 = linalg.add {fuse.name = "T5"} ins(%T3, %T4 : tensor<100x50xf32>, tensor<100x50xf32>) outs(%e0 : tensor<100x50xf32>) -> tensor<100x50xf32>
  %T6 = linalg.exp {fuse.name = "T6"} ins(%T1 : tensor<100x50xf32>) outs(%e0 : tensor<100x50xf32>) -> tensor<100x50xf32>
  return %T5, %T6 : tensor<100x50xf32>, tensor<100x50xf32>
}
// CHECK: {{^}}T1 [{{[^,]*}}, {{[^,]*}}, {{[^,]*}}] @1/0{{$}}
// CHECK-NEXT: T2 [{{[^,]*}}, {{[^,]*}}, {{[^,]*}}] @1/1{{$}}
// CHECK-NEXT: T3 [{{[^,]*}}, {{[^,]*}}, {{[^,]*}}] @1/1{{$}}
// CHECK-NEXT: T4 [{{[^,]*}}, {{[^,]*}}, {{[^,]*}}] @1/1{{$}}
// CHECK-NEXT: T5 [{{[^,]*}}, {{[^,]*}}, {{[^,]*}}] @0/1{{$}}
// CHECK-NEXT: T6 [{{[^,]*}}, {{[^,]*}}, {{[^,]*}}] @0/1{{$}}

//--- no-common-consumer.mlir
// The same with a tail behind the diamond.
func.func @f(%T0: tensor<100x50xf32> {fuse.name = "T0"}) -> (tensor<100x50xf32>, tensor<100x50xf32>) {
  %e0 = tensor.empty() : tensor<100x50xf32>
  %T1 = linalg.exp {fuse.name = "T1"} ins(%T0 : tensor<100x50xf32>) outs(%e0 : tensor<100x50xf32>) -> tensor<100x50xf32>
  %T2 = linalg.exp {fuse.name = "T2"} ins(%T1 : tensor<100x50xf32>) outs(%e0 : tensor<100x50xf32>) -> tensor<100x50xf32>
  %T3 = linalg.exp {fuse.name = "T3"} ins(%T1 : tensor<100x50xf32>) outs(%e0 : tensor<100x50xf32>) -> tensor<100x50xf32>
  %T4 = linalg.add {fuse.name = "T4"} ins(%T2, %T3 : tensor<100x50xf32>, tensor<100x50xf32>) outs(%e0 : tensor<100x50xf32>) -> tensor<100x50xf32>
  %T5 = linalg.exp {fuse.name = "T5"} ins(%T4 : tensor<100x50xf32>) outs(%e0 : tensor<100x50xf32>) -> tensor<100x50xf32>
  %T6 = linalg.exp {fuse.name = "T6"} ins(%T1 : tensor<100x50xf32>) outs(%e0 : tensor<100x50xf32>) -> tensor<100x50xf32>
  return %T5, %T6 : tensor<100x50xf32>, tensor<100x50xf32>
}
// CHECK: {{^}}T1 [{{[^,]*}}, {{[^,]*}}] @1/0{{$}}
// CHECK-NEXT: T2 [{{[^,]*}}, {{[^,]*}}] @1/1{{$}}
// CHECK-NEXT: T3 [{{[^,]*}}, {{[^,]*}}] @1/1{{$}}
// CHECK-NEXT: T4 [{{[^,]*}}, {{[^,]*}}] @1/1{{$}}
// CHECK-NEXT: T5 [{{[^,]*}}, {{[^,]*}}] @0/1{{$}}
// CHECK-NEXT: T6 [{{[^,]*}}, {{[^,]*}}] @0/1{{$}}

//--- producer-with-uses-outside.mlir
// From an input: all that is made of it and used goes along.
func.func @f(%T0: tensor<16xf32> {fuse.name = "T0"}) -> (tensor<16xf32>, tensor<16xf32>) {
  %e0 = tensor.empty() : tensor<16xf32>
  %T1 = linalg.exp {fuse.name = "T1"} ins(%T0 : tensor<16xf32>) outs(%e0 : tensor<16xf32>) -> tensor<16xf32>
  %T2 = linalg.exp {fuse.name = "T2"} ins(%T1 : tensor<16xf32>) outs(%e0 : tensor<16xf32>) -> tensor<16xf32>
  %T3 = linalg.exp {fuse.name = "T3"} ins(%T1 : tensor<16xf32>) outs(%e0 : tensor<16xf32>) -> tensor<16xf32>
  %T4 = linalg.exp {fuse.name = "T4"} ins(%T1 : tensor<16xf32>) outs(%e0 : tensor<16xf32>) -> tensor<16xf32>
  %T5 = linalg.add {fuse.name = "T5"} ins(%T3, %T2 : tensor<16xf32>, tensor<16xf32>) outs(%e0 : tensor<16xf32>) -> tensor<16xf32>
  %T6 = linalg.add {fuse.name = "T6"} ins(%T5, %T4 : tensor<16xf32>, tensor<16xf32>) outs(%e0 : tensor<16xf32>) -> tensor<16xf32>
  %T7 = linalg.add {fuse.name = "T7"} ins(%T1, %T4 : tensor<16xf32>, tensor<16xf32>) outs(%e0 : tensor<16xf32>) -> tensor<16xf32>
  return %T6, %T7 : tensor<16xf32>, tensor<16xf32>
}
// CHECK: {{^}}T1 [i0o, i0i] @1/0{{$}}
// CHECK-NEXT: T2 [i0o, i0i] @1/1{{$}}
// CHECK-NEXT: T3 [i0o, i0i] @1/1{{$}}
// CHECK-NEXT: T4 [i0o, i0i] @1/1{{$}}
// CHECK-NEXT: T5 [i0o, i0i] @1/1{{$}}
// CHECK-NEXT: T6 [i0o, i0i] @0/1{{$}}
// CHECK-NEXT: T7 [i0o, i0i] @0/1{{$}}

//--- output-that-is-read.mlir
// An output that has readers.
func.func @f(%T0: tensor<16xf32> {fuse.name = "T0"}) -> (tensor<16xf32>, tensor<16xf32>, tensor<16xf32>) {
  %e0 = tensor.empty() : tensor<16xf32>
  %T1 = linalg.exp {fuse.name = "T1"} ins(%T0 : tensor<16xf32>) outs(%e0 : tensor<16xf32>) -> tensor<16xf32>
  %T2 = linalg.exp {fuse.name = "T2"} ins(%T1 : tensor<16xf32>) outs(%e0 : tensor<16xf32>) -> tensor<16xf32>
  %T3 = linalg.exp {fuse.name = "T3"} ins(%T1 : tensor<16xf32>) outs(%e0 : tensor<16xf32>) -> tensor<16xf32>
  %T4 = linalg.exp {fuse.name = "T4"} ins(%T3 : tensor<16xf32>) outs(%e0 : tensor<16xf32>) -> tensor<16xf32>
  return %T2, %T3, %T4 : tensor<16xf32>, tensor<16xf32>, tensor<16xf32>
}
// CHECK: {{^}}T1 [i0] @1/0{{$}}
// CHECK-NEXT: T2 [i0] @0/1{{$}}
// CHECK-NEXT: T3 [i0] @1/1{{$}}
// CHECK-NEXT: T4 [i0] @0/1{{$}}

//--- factor-that-does-not-divide.mlir
// Positions do not depend on whether a factor divides.
func.func @f(%T0: tensor<100x8xf32> {fuse.name = "T0"}) -> tensor<100x8xf32> {
  %e0 = tensor.empty() : tensor<100x8xf32>
  %T1 = linalg.exp {fuse.name = "T1"} ins(%T0 : tensor<100x8xf32>) outs(%e0 : tensor<100x8xf32>) -> tensor<100x8xf32>
  %T2 = linalg.exp {fuse.name = "T2"} ins(%T1 : tensor<100x8xf32>) outs(%e0 : tensor<100x8xf32>) -> tensor<100x8xf32>
  %T3 = linalg.exp {fuse.name = "T3"} ins(%T2 : tensor<100x8xf32>) outs(%e0 : tensor<100x8xf32>) -> tensor<100x8xf32>
  return %T3 : tensor<100x8xf32>
}
// CHECK: {{^}}T1 [i0o, i0i, i1] @2/0{{$}}
// CHECK-NEXT: T2 [i0o, i0i, i1] @2/2{{$}}
// CHECK-NEXT: T3 [i0o, i0i, i1] @0/2{{$}}

//--- overlapping-requests.mlir
// Requests that meet.
func.func @f(%T0: tensor<100xf32> {fuse.name = "T0"}) -> tensor<100xf32> {
  %e0 = tensor.empty() : tensor<100xf32>
  %T1 = linalg.exp {fuse.name = "T1"} ins(%T0 : tensor<100xf32>) outs(%e0 : tensor<100xf32>) -> tensor<100xf32>
  %T2 = linalg.exp {fuse.name = "T2"} ins(%T1 : tensor<100xf32>) outs(%e0 : tensor<100xf32>) -> tensor<100xf32>
  %T3 = linalg.exp {fuse.name = "T3"} ins(%T0 : tensor<100xf32>) outs(%e0 : tensor<100xf32>) -> tensor<100xf32>
  %T4 = linalg.exp {fuse.name = "T4"} ins(%T3 : tensor<100xf32>) outs(%e0 : tensor<100xf32>) -> tensor<100xf32>
  %T5 = linalg.add {fuse.name = "T5"} ins(%T2, %T4 : tensor<100xf32>, tensor<100xf32>) outs(%e0 : tensor<100xf32>) -> tensor<100xf32>
  return %T5 : tensor<100xf32>
}
// CHECK: {{^}}T1 [{{[^,]*}}, {{[^,]*}}, {{[^,]*}}, {{[^,]*}}] @4/0{{$}}
// CHECK-NEXT: T2 [{{[^,]*}}, {{[^,]*}}, {{[^,]*}}, {{[^,]*}}] @1/4{{$}}
// CHECK-NEXT: T3 [{{[^,]*}}, {{[^,]*}}, {{[^,]*}}, {{[^,]*}}] @3/0{{$}}
// CHECK-NEXT: T4 [{{[^,]*}}, {{[^,]*}}, {{[^,]*}}, {{[^,]*}}] @2/3{{$}}
// CHECK-NEXT: T5 [{{[^,]*}}, {{[^,]*}}, {{[^,]*}}, {{[^,]*}}] @0/2{{$}}
