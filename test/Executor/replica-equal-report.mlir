// RUN: ipu-opt %s --ipu-estimate-cost --ipu-execute="inputs=x=random:1 replica-equal-report=-" -o /dev/null | FileCheck %s
// RUN: ipu-opt %s --ipu-estimate-cost --ipu-execute="inputs=x=random:1 replica-equal-report=- check-replica-equal" -o /dev/null | FileCheck %s --check-prefix=COMPARED

// Without comparing, nothing is known of a part of a variable.
// CHECK: "op": "ipu.host_load"
// CHECK: "annotated": "all"
// CHECK-NEXT: "stored": "all"
// CHECK: "op": "ipu.move"
// CHECK: "annotated": "none"
// CHECK-NEXT: "stored": null
// COMPARED: "op": "ipu.host_load"
// COMPARED: "observed": "all"
// COMPARED: "op": "ipu.move"
// COMPARED: "observed": "all"
#m = #ipu.map<[4], grid = [1], blocks = [all]>
!v = memref<4xf32, #m>
!p = memref<2xf32, strided<[1]>, #m>
module attributes {ipu.target = #ipu.target<"gc200", {tiles = 2 : i64, replicas = 4 : i64}>} {
  ipu.stream @x host_to_device : tensor<4xf32>
  func.func @main() {
    %x = ipu.var "x" : !v
    %y = ipu.var "y" : !v
    ipu.host_load @x to %x : !v {ipu.replica_equal = #pop.replica_partition<all of 4>}
    %a = memref.reinterpret_cast %x to offset: [0], sizes: [2], strides: [1] : !v to !p
    %b = memref.reinterpret_cast %y to offset: [0], sizes: [2], strides: [1] : !v to !p
    ipu.exchange "e" { ipu.move %a to %b {ipu.replica_equal = #pop.replica_partition<none of 4>} : !p to !p }
    return
  }
}
