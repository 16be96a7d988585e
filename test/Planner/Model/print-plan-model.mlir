// RUN: ipu-test-opt %s --test-print-plan-model -o /dev/null | FileCheck %s
// RUN: ipu-test-opt %s --test-print-plan-model=candidates -o /dev/null | FileCheck %s --check-prefix=CANDIDATES

// A function is planned with its callees. Their steps are at the first call. The
// transfer on I/O tiles numbers these tiles from 0.

module attributes {ipu.target = #ipu.target<"gc200", {tiles = 12 : i64, io_tiles = 2 : i64}>} {
  pop.stream @in host_to_device : tensor<16x24xf32>
  pop.scratch @v : tensor<16x24xf32>
  pop.variable @state : tensor<16x24xf32> = dense<0.0> : tensor<16x24xf32>

  // CHECK-LABEL: model of @main
  // CHECK-NEXT: tensor 0: result 16x24xf32 on I/O tiles, live in steps 0 to 0, given #ipu.map<[384], grid = [2], blocks = [p0 * 192 : 192]>
  // CHECK-NEXT: tensor 1: scratch variable 16x24xf32 on compute tiles, live in steps 0 to 4, generic #ipu.map<[384], grid = [10], blocks = [p0 * 39 : 39]>
  // CHECK-NEXT: tensor 2: constant 24x24xf32 on compute tiles, live in steps 0 to 4, may have copies, generic
  // CHECK-NEXT: tensor 3: result 16x24xf32 on compute tiles, live in steps 1 to 2, generic
  // CHECK-NEXT: tensor 4: result 16x24xf32 on compute tiles, live in steps 2 to 4, generic
  // CHECK-NEXT: tensor 5: result 16x30xf32 on compute tiles, live in steps 3 to 3, generic
  // CHECK-NEXT: tensor 6: variable 16x24xf32 on compute tiles, live in steps 0 to 4, generic
  // CHECK-NEXT: step 0 in block 1: copy pop.copy_ to tensor 1, reads tensor 0
  // CHECK-NEXT: step 1 in block 2: compute pop.matmul to tensor 3, reads tensor 1, reads tensor 2, 2 times
  // CHECK-NEXT: step 2 in block 2: compute pop.relu to tensor 4, reads tensor 3, 2 times
  // CHECK-NEXT: step 3 in block 2: move pop.pad to tensor 5, reads tensor 4 to [offset 3, sizes [16, 24], strides [30, 1]], fills, 2 times
  // CHECK-NEXT: step 4 in block 2: copy pop.copy_ to tensor 6, reads tensor 4, 2 times
  // CHECK-NEXT: fixed cycles: 24
  // CHECK-NOT: candidate

  // CANDIDATES: fixed cycles: 24
  // CANDIDATES-NEXT: candidate of tensor 0 by given: #ipu.map<[384], grid = [2], blocks = [p0 * 192 : 192]>
  // CANDIDATES-NEXT: candidate of tensor 1 by reader: #ipu.map<[1, 16, 24], grid = [3, 3]
  // CANDIDATES: candidate of tensor 1 by generic: #ipu.map<[384], grid = [10]
  // CANDIDATES-NEXT: candidate of tensor 2 by copies: #ipu.map<[1, 24, 24], grid = [3, 3]
  // CANDIDATES: candidate of tensor 3 by best: #ipu.map<[1, 16, 24], grid = [3, 3]
  // CANDIDATES-NEXT: candidate of tensor 3 by partition: #ipu.map<[1, 16, 24], grid = [2, 3]
  // CANDIDATES: candidate of tensor 3 by operand-once:
  // CANDIDATES: candidate of tensor 4 by operand: #ipu.map<[1, 16, 24], grid = [3, 3]
  // CANDIDATES: candidate of tensor 6 by copied: #ipu.map<[1, 16, 24], grid = [3, 3]
  func.func @main() {
    %0 = pop.host_load @in {pop.tile_set = #pop<tile_set io>} : tensor<16x24xf32>
    %r = pop.get_variable @v : !pop.ref<16x24xf32>
    pop.copy_ %r, %0 : !pop.ref<16x24xf32>, tensor<16x24xf32>
    call @f() : () -> ()
    call @f() : () -> ()
    return
  }
  func.func private @f() {
    %w = pop.constant dense<0.5> : tensor<24x24xf32>
    %r = pop.get_variable @v : !pop.ref<16x24xf32>
    %x = pop.read %r : !pop.ref<16x24xf32>
    %0 = pop.matmul %x, %w {accum = #pop.accum<chain>} : (tensor<16x24xf32>, tensor<24x24xf32>) -> tensor<16x24xf32>
    %1 = pop.relu %0 : tensor<16x24xf32>
    %2 = pop.pad %1 {low = array<i64: 0, 3>, high = array<i64: 0, 3>, value = 1.0 : f32} : tensor<16x24xf32> -> tensor<16x30xf32>
    %s = pop.get_variable @state : !pop.ref<16x24xf32>
    pop.copy_ %s, %1 : !pop.ref<16x24xf32>, tensor<16x24xf32>
    return
  }
}
