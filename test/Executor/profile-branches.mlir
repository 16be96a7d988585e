// RUN: ipu-opt %s --ipu-execute="engine=none profile=%t.json" -o /dev/null
// RUN: %python %S/Inputs/check-profile.py %t.json
// RUN: FileCheck %s < %t.json
// RUN: ipu-run %s --pass-pipeline 'builtin.module()' --engine none --trace %t.trace --summary --report %t.html | FileCheck %s --check-prefix=SUMMARY
// RUN: %python %src_root/test/Tools/ipu-run/Inputs/check-trace.py %t.trace %t.json

// Without values, the costlier body of a branch is counted; both bodies have steps. A run
// in which the conditions choose these bodies has the same profile.
// RUN: ipu-opt %s --ipu-execute="engine=interp profile=%t.interp" -o /dev/null
// RUN: cmp %t.json %t.interp

// The second IPU takes 20 in the body "else", and 15 in the other. In the function, which is
// called in each of three rounds and once more, the branch with the loop takes 4 * 9, and
// the other 30. Then the inner branch is costlier if it has no else: 1000 * 7.
//   20 + 1 + 4 * (36 + 1 + 7000 + 1 + 2) + 3 * 3
// SUMMARY: time: 28190 cycles
// CHECK: "cycles": 28190,
// CHECK: "name": "then",
// CHECK: "count": 0,
// CHECK: "cycles": [
// CHECK-NEXT: 18,
// CHECK: "name": "else",
// CHECK: "count": 1,
// CHECK: "name": "round",
// CHECK: "count": 16,
// CHECK: "name": "short",
// CHECK: "count": 0,
// CHECK: "name": "long",
// CHECK: "count": 4000,

// Conditions are on both IPUs, so that no IPU waits for them.
#both = #ipu.map<[1], grid = [2], blocks = [all], ipus = [2] * 2>
!p = memref<i1, #both>
module attributes {ipu.target = #ipu.target<"gc200", {tiles = 2 : i64, ipus = 2 : i64}>} {
  func.func @f() {
    %no = ipu.var "no" copies init(dense<false> : tensor<i1>) : !p
    %yes = ipu.var "yes" copies init(dense<true> : tensor<i1>) : !p
    ipu.sync ipus cost <cycles = [0, 0], total = 0, tile = 0, flops = 0, bytes = 0>
    ipu.if %yes : !p {
      ipu.repeat 4 {
        ipu.compute_set "round" {
        } cost <cycles = [9, 1], total = 20, tile = 0, flops = 0, bytes = 0>
      } cost <cycles = [0, 0], total = 0, tile = 0, flops = 0, bytes = 0>
    } else {
      ipu.compute_set "short" {
      } cost <cycles = [30, 30], total = 120, tile = 0, flops = 0, bytes = 0>
    } cost <cycles = [1, 1], total = 4, tile = 0, flops = 0, bytes = 0>
    ipu.if %no : !p {
    } else {
      ipu.repeat 1000 {
        ipu.compute_set "long" {
        } cost <cycles = [7, 7], total = 28, tile = 0, flops = 0, bytes = 0>
      } cost <cycles = [0, 0], total = 0, tile = 0, flops = 0, bytes = 0>
    } cost <cycles = [1, 1], total = 4, tile = 0, flops = 0, bytes = 0>
    return
  }
  func.func @main() {
    %no = ipu.var "no" copies init(dense<false> : tensor<i1>) : !p
    ipu.if %no : !p {
      ipu.compute_set "then" {
      } cost <cycles = [18, 15], total = 66, tile = 0, flops = 0, bytes = 0>
    } else {
      ipu.compute_set "else" {
      } cost <cycles = [10, 20], total = 60, tile = 2, flops = 0, bytes = 0>
    } cost <cycles = [1, 1], total = 4, tile = 0, flops = 0, bytes = 0>
    ipu.repeat 3 {
      ipu.call @f cost <cycles = [2, 2], total = 8, tile = 0, flops = 0, bytes = 0>
    } cost <cycles = [3, 3], total = 12, tile = 0, flops = 0, bytes = 0>
    ipu.call @f cost <cycles = [2, 2], total = 8, tile = 0, flops = 0, bytes = 0>
    return
  }
}
