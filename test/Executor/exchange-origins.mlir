// Transfers with streaming memory that one step does at the same time share its cost,
// also if the step has an origin of its own.

// RUN: ipu-opt %s --ipu-estimate-cost | FileCheck %s
// CHECK: cost <cycles = [6659], {{.*}}shares = [<<"pop.remote_load", name = "a">, cycles = [3330], flops = 0, bytes = 16>, <<"pop.remote_load", name = "b">, cycles = [3329], flops = 0, bytes = 16>]>
#m = #ipu.map<[4], grid = [1], blocks = [p0 * 4 : 4]>
module attributes {ipu.target = #ipu.target<"gc200", {tiles = 2 : i64}>} {
  ipu.remote_buffer @w : 2 x tensor<4xf32>
  func.func @main() {
    %0 = ipu.var "a" : memref<4xf32, #m>
    %1 = ipu.var "b" : memref<4xf32, #m>
    ipu.remote_exchange "both" {
      ipu.remote_load @w[0] to %0 {ipu.origins = [#ipu.origin<"pop.remote_load", name = "a", place = "">]} : memref<4xf32, #m>
      ipu.remote_load @w[1] to %1 {ipu.origins = [#ipu.origin<"pop.remote_load", name = "b", place = "">]} : memref<4xf32, #m>
    } {ipu.origins = [#ipu.origin<"pop.remote_exchange", name = "a", place = "">, #ipu.origin<"pop.remote_exchange", name = "b", place = "">]}
    return
  }
}
