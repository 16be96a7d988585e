// UNSUPPORTED: asan
// Where replicas take different ways, those that take the same one have one copy of
// what they write: 256 times 64 MiB, in three classes, need less than 4 GiB.
// RUN: bash -c 'ulimit -v 4194304; exec ipu-opt %s --pass-pipeline="builtin.module(func.func(ipu-estimate-cost),ipu-execute{replica-equal-report=%t.json})" -o /dev/null' | FileCheck %s
// RUN: FileCheck %s --check-prefix=STORED < %t.json

// Of groups of 64 replicas, two double w, the last one doubles it twice; all add 3 to v.
// CHECK: w : tensor<256x4xf32> = dense<{{\[\[}}3.0, 3.0, 3.0, 3.0], {{.*}}, [12.0, 12.0, 12.0, 12.0]]>
// CHECK: v : tensor<256x4xf32> = dense<{{\[\[}}6.0, 6.0, 6.0, 6.0], {{.*}}, [6.0, 6.0, 6.0, 6.0]]>

// The same is done to v in both arms: it is one class again after the branch. What has
// not executed an op is apart from what has.
// STORED: "variable": "w",
// STORED: "executions": 2,
// STORED: "stored": "{0,{{.*}},63}{64,{{.*}},191}{192,{{.*}},255}"
// STORED: "variable": "seen",
// STORED: "stored": "all"

#m = #ipu.map<[16777216], grid = [1024], blocks = [p0 * 16384 : 16384]>
#s = #ipu.map<[4], grid = [4], blocks = [p0 * 1 : 1]>
#one = #ipu.map<[1], grid = [1], blocks = [p0 * 1 : 1]>
!b = memref<?xf32, strided<[1], offset: ?>>
!w = memref<16777216xf32, #m>
!p = memref<4xf32, strided<[16384]>, #m>
!v = memref<4xf32, #s>
!i = memref<i32, #one>
!c = memref<i1, #one>
module attributes {ipu.target = #ipu.target<"gc200", {replicas = 256 : i64}>} {
  ipu.stream @w device_to_host replicated : tensor<4xf32>
  ipu.stream @v device_to_host replicated : tensor<4xf32>
  ipu.storage @w.storage : !w
  ipu.state @ws in @w.storage : tensor<16777216xf32> = dense<3.0> : tensor<16777216xf32>
  ipu.storage @v.storage : !w
  ipu.state @vs in @v.storage : tensor<16777216xf32> = dense<3.0> : tensor<16777216xf32>
  ipu.storage @n.storage : !i
  ipu.state @n in @n.storage : tensor<i32> = dense<[0, 1, 1, 2]> : tensor<4xi32> {groups = #pop.replica_groups<stride = 1, size = 64>}
  ipu.storage @c.storage : !c
  ipu.state @c in @c.storage : tensor<i1> = dense<[0, 1]> : tensor<2xi1> {groups = #pop.replica_groups<stride = 1, size = 128>}
  ipu.codelet @add(%x : !b, %y : !b, %z : !b)
      inputs 2 cost <vector, supervisor = 11, worker = 29, cycles = 3, per = 2> {
    linalg.add ins(%x, %y : !b, !b) outs(%z : !b)
  }
  func.func @main() {
    %w = ipu.var "w" of @w.storage : !w
    %v = ipu.var "v" of @v.storage : !w
    %n = ipu.var "n" of @n.storage : !i
    %c = ipu.var "c" of @c.storage : !c
    %k = ipu.var "k" : !w
    ipu.exchange "k" {
      ipu.move %v to %k : !w to !w
    }
    ipu.repeat %n : !i {
      ipu.compute_set "w+=w" {
        ipu.vertices @add ins(%w, %w : !w, !w) outs(%w : !w) access [#m, #m, #m] {ipu.replica_equal = #pop.replica_partition<none of 256>}
      }
    }
    ipu.if %c : !c {
      ipu.compute_set "v+=k" {
        ipu.vertices @add ins(%v, %k : !w, !w) outs(%v : !w) access [#m, #m, #m]
      }
    } else {
      ipu.compute_set "v+=k" {
        ipu.vertices @add ins(%k, %v : !w, !w) outs(%v : !w) access [#m, #m, #m]
      }
    }
    %part = memref.reinterpret_cast %w to offset: [0], sizes: [4], strides: [16384] : !w to !p
    %y = ipu.var "y" : !v
    ipu.exchange "part" {
      ipu.move %part to %y : !p to !v
    }
    ipu.host_store %y to @w : !v
    %seen = ipu.var "seen" : !w
    ipu.exchange "seen" {
      ipu.move %v to %seen {ipu.replica_equal = #pop.replica_partition<none of 256>} : !w to !w
    }
    %vpart = memref.reinterpret_cast %seen to offset: [0], sizes: [4], strides: [16384] : !w to !p
    ipu.exchange "part" {
      ipu.move %vpart to %y : !p to !v
    }
    ipu.host_store %y to @v : !v
    return
  }
}
