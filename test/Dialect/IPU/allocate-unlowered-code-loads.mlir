// RUN: ipu-opt %s --ipu-allocate | FileCheck %s

// Code loads count as steps, and make room for loaded code, before they are
// lowered to ops of ipu.

#t = #ipu.map<[1024], grid = [4], blocks = [p0 * 256 : 256]>
!t = memref<1024xf32, #t>
module attributes {ipu.target = #ipu.target<"gc200", {tiles = 4 : i64}>} {
  func.func @f() attributes {no_inline} {
    ipu.sync internal
    return
  }
  // CHECK: func.func @main() attributes {ipu.memory = #ipu.memory_summary<
  // CHECK-SAME: step = 4, {{.*}} bytes = 6248,
  // CHECK-SAME: control_code = 84
  func.func @main() {
    %x = ipu.var "x" : !t
    %y = ipu.var "y" : !t
    pop.remote_code_load @f to executable
    ipu.sync internal
    ipu.call @f
    pop.code_copy @f from executable to compute_buffer
    pop.code_copy @f from compute_buffer to executable
    ipu.call @f
    return
  }
}
