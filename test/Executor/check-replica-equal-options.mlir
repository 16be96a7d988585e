// RUN: not ipu-opt %s --ipu-execute="engine=none check-replica-equal" -o /dev/null 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: not ipu-opt %s --ipu-execute="engine=none replica-equal-report=-" -o /dev/null 2>&1 | FileCheck %s --check-prefix=NOTHING
// RUN: not ipu-opt %s --ipu-execute="check-replica-equal" -o /dev/null 2>&1 | FileCheck %s --check-prefix=REPLICAS
// RUN: not ipu-opt %s --ipu-execute="replica-equal-report=/no/such/folder/report.json entry=right" -o /dev/null 2>&1 | FileCheck %s --check-prefix=FILE
// RUN: ipu-opt %s --ipu-execute="check-replica-equal entry=right replica-equal-report=-" -o /dev/null 2>&1 | FileCheck %s --check-prefix=RIGHT

// NONE: error: engine 'none' computes no values: expects no option 'inputs', 'check' or 'check-replica-equal'; to compute values, choose engine 'jit' or 'interp'
// NOTHING: error: engine 'none' has nothing to report to '-'
// REPLICAS: :[[# @LINE + 13]]:7: error: 'ipu.vertices' op expects 'ipu.replica_equal' to be for 2 replicas but got a partition of 4
// FILE: error: cannot write '/no/such/folder/report.json': No such file or directory
#one = #ipu.map<[1], grid = [1], blocks = [p0 * 1 : 1]>
!b = memref<?xi32, strided<[1], offset: ?>>
!v = memref<1xi32, #one>
module attributes {ipu.target = #ipu.target<"gc200", {tiles = 2 : i64, replicas = 2 : i64}>} {
  ipu.codelet @fill(%y : !b) inputs 0 cost <vector, supervisor = 1, worker = 1, cycles = 1, per = 1> {
    %c = arith.constant 3 : i32
    linalg.fill ins(%c : i32) outs(%y : !b)
  }
  func.func @main() {
    %y = ipu.var "y" : !v
    ipu.compute_set "y" {
      ipu.vertices @fill outs(%y : !v) access [#one] {ipu.replica_equal = #pop.replica_partition<all of 4>}
    } cost <cycles = [1], total = 1, tile = 0, flops = 0, bytes = 0>
    return
  }
  // RIGHT: "op": "ipu.vertices",
  // RIGHT-NEXT: "location": "{{.*}}:[[# @LINE + 7]]:7",
  // RIGHT-NEXT: "variable": "y",
  // RIGHT-NEXT: "constant": true,
  // RIGHT-NEXT: "executions": 1,
  func.func @right() {
    %y = ipu.var "y" : !v
    ipu.compute_set "y" {
      ipu.vertices @fill outs(%y : !v) access [#one] {ipu.replica_equal = #pop.replica_partition<all of 2>}
    } cost <cycles = [1], total = 1, tile = 0, flops = 0, bytes = 0>
    return
  }
}
