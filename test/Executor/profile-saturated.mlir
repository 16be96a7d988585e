// Costs of steps saturate at 2^53. What is printed is then a lower bound, and shares of it are unknown.
//
// RUN: ipu-run %s --engine none --summary | FileCheck %s --strict-whitespace
// CHECK: time: at least 9.22e18 cycles, at least {{.*}} us,
// CHECK: {{^}}  compute            at least 9.22e18   unknown
// CHECK: {{^}}  many {{.*}} at least 9.22e18   unknown
// CHECK: {{^}}  once {{.*}} at least 9.00e15   unknown
// CHECK: {{^}}  short {{.*}} 9,007,199,254,740,991   unknown

module attributes {ipu.target = #ipu.target<"gc200", {tiles = 2 : i64}>} {
  func.func @main() {
    ipu.repeat 2000 {
      ipu.compute_set "a" {
      } cost <cycles = [9007199254740992], total = 9007199254740992, tile = 0, flops = 0, bytes = 0> loc("many")
    } cost <cycles = [6], total = 12, tile = 0, flops = 0, bytes = 0> loc("many")
    ipu.compute_set "b" {
    } cost <cycles = [9007199254740992], total = 9007199254740992, tile = 0, flops = 0, bytes = 0> loc("once")
    ipu.compute_set "c" {
    } cost <cycles = [9007199254740991], total = 9007199254740991, tile = 0, flops = 0, bytes = 0> loc("short")
    return
  }
}
