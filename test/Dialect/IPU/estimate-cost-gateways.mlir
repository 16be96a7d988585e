// RUN: ipu-opt %s --split-input-file --ipu-estimate-cost | FileCheck %s

// Links connect 16 of 32 replicas of one IPU. Each replica sends 16384 bytes to 31
// others; those to 16 of them pass the gateway that four IPUs share:
// 4 * 16 * 16384 bytes at 25 GB/s are 55785 cycles, and 31 additions of 64 elements
// on a tile take 9083. A ring would have to wait 62 times.
// CHECK-LABEL: func.func @gateway
// CHECK: ipu.collective all_reduce add {{.*}} cost <cycles = [69360],
#m = #ipu.map<[4096], grid = [64], blocks = [p0 * 64 : 64]>
module attributes {ipu.target = #ipu.target<"gc200", {tiles = 64 : i64, replicas = 32 : i64}>} {
  func.func @gateway() {
    %x = ipu.var "x" : memref<4096xf32, #m>
    %y = ipu.var "y" : memref<4096xf32, #m>
    ipu.collective all_reduce add %x to %y : memref<4096xf32, #m> to memref<4096xf32, #m>
    return
  }
}

// -----

// A group of 16 replicas needs no gateway.
// CHECK-LABEL: func.func @links
// CHECK: ipu.collective all_reduce add {{.*}} cost <cycles = [13995],
#m = #ipu.map<[4096], grid = [64], blocks = [p0 * 64 : 64]>
module attributes {ipu.target = #ipu.target<"gc200", {tiles = 64 : i64, replicas = 32 : i64}>} {
  func.func @links() {
    %x = ipu.var "x" : memref<4096xf32, #m>
    %y = ipu.var "y" : memref<4096xf32, #m>
    ipu.collective all_reduce add %x to %y {groups = #pop.replica_groups<stride = 1, size = 16>} : memref<4096xf32, #m> to memref<4096xf32, #m>
    return
  }
}

// -----

// The two replicas of each of these groups are in different domains, so links do not
// connect them. The four IPUs of a machine send 16384 bytes each to other domains at the
// same time: 65536 bytes at 25 GB/s instead of 16384 bytes at 64 GB/s.
// CHECK-LABEL: func.func @strided
// CHECK: ipu.collective all_reduce add {{.*}} cost <cycles = [8218],
#m = #ipu.map<[4096], grid = [64], blocks = [p0 * 64 : 64]>
module attributes {ipu.target = #ipu.target<"gc200", {tiles = 64 : i64, replicas = 32 : i64}>} {
  func.func @strided() {
    %x = ipu.var "x" : memref<4096xf32, #m>
    %y = ipu.var "y" : memref<4096xf32, #m>
    ipu.collective all_reduce add %x to %y {groups = #pop.replica_groups<stride = 16, size = 2>} : memref<4096xf32, #m> to memref<4096xf32, #m>
    return
  }
}

// -----

// The same groups with a stride of 8 need no gateway.
// CHECK-LABEL: func.func @strided_links
// CHECK: ipu.collective all_reduce add {{.*}} cost <cycles = [5072],
#m = #ipu.map<[4096], grid = [64], blocks = [p0 * 64 : 64]>
module attributes {ipu.target = #ipu.target<"gc200", {tiles = 64 : i64, replicas = 32 : i64}>} {
  func.func @strided_links() {
    %x = ipu.var "x" : memref<4096xf32, #m>
    %y = ipu.var "y" : memref<4096xf32, #m>
    ipu.collective all_reduce add %x to %y {groups = #pop.replica_groups<stride = 8, size = 2>} : memref<4096xf32, #m> to memref<4096xf32, #m>
    return
  }
}

// -----

// Rings of large tensors: 2 * 31 parts of 131072 bytes at 25 GB/s instead of 64 GB/s.
// CHECK-LABEL: func.func @ring
// CHECK: ipu.collective all_reduce add {{.*}} cost <cycles = [
#m = #ipu.map<[1048576], grid = [64], blocks = [p0 * 16384 : 16384]>
module attributes {ipu.target = #ipu.target<"gc200", {tiles = 64 : i64, replicas = 32 : i64}>} {
  func.func @ring() {
    %x = ipu.var "x" : memref<1048576xf32, #m>
    %y = ipu.var "y" : memref<1048576xf32, #m>
    ipu.collective all_reduce add %x to %y : memref<1048576xf32, #m> to memref<1048576xf32, #m>
    return
  }
}
