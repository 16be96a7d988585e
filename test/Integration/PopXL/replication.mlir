// replication: six ways to give the replicas of eight their variables. Each variable has
// one more dimension in front of its value where there are several groups.
// What the host reads of them is tested by PopXLSessionTest.
//
// RUN: ipu-opt %s -o /dev/null --pass-pipeline='builtin.module(pop-to-ipu-pipeline,ipu-execute{engine=jit})' | FileCheck %s
// RUN: ipu-opt %s -o /dev/null --pass-pipeline='builtin.module(pop-to-ipu-pipeline,ipu-execute{check})' | FileCheck %s

// CHECK{LITERAL}: out_each : tensor<8x3xi32> = dense<[[0, 4, 8], [10, 14, 18], [20, 24, 28], [30, 34, 38], [40, 44, 48], [50, 54, 58], [60, 64, 68], [70, 74, 78]]>
// CHECK-NEXT{LITERAL}: out_pairs : tensor<8x3xi32> = dense<[[100, 104, 108], [100, 104, 108], [110, 114, 118], [110, 114, 118], [120, 124, 128], [120, 124, 128], [130, 134, 138], [130, 134, 138]]>
// CHECK-NEXT{LITERAL}: out_strided : tensor<8x3xi32> = dense<[[200, 204, 208], [210, 214, 218], [220, 224, 228], [230, 234, 238], [200, 204, 208], [210, 214, 218], [220, 224, 228], [230, 234, 238]]>
// CHECK-NEXT{LITERAL}: out_fours : tensor<8x3xi32> = dense<[[300, 304, 308], [300, 304, 308], [300, 304, 308], [300, 304, 308], [310, 314, 318], [310, 314, 318], [310, 314, 318], [310, 314, 318]]>
// CHECK-NEXT{LITERAL}: out_all : tensor<8x3xi32> = dense<[[400, 404, 408], [400, 404, 408], [400, 404, 408], [400, 404, 408], [400, 404, 408], [400, 404, 408], [400, 404, 408], [400, 404, 408]]>
// CHECK-NEXT{LITERAL}: out_pairs_all_replicas : tensor<8x3xi32> = dense<[[500, 504, 508], [500, 504, 508], [510, 514, 518], [510, 514, 518], [520, 524, 528], [520, 524, 528], [530, 534, 538], [530, 534, 538]]>
module attributes {ipu.target = #ipu.target<"gc200", {tiles = 4 : i64, replicas = 8 : i64}>} {
  pop.variable @each : tensor<3x3xi32> = dense<[
    [[0, 1, 2], [3, 4, 5], [6, 7, 8]],
    [[10, 11, 12], [13, 14, 15], [16, 17, 18]],
    [[20, 21, 22], [23, 24, 25], [26, 27, 28]],
    [[30, 31, 32], [33, 34, 35], [36, 37, 38]],
    [[40, 41, 42], [43, 44, 45], [46, 47, 48]],
    [[50, 51, 52], [53, 54, 55], [56, 57, 58]],
    [[60, 61, 62], [63, 64, 65], [66, 67, 68]],
    [[70, 71, 72], [73, 74, 75], [76, 77, 78]]]> : tensor<8x3x3xi32> {groups = #pop.replica_groups<stride = 1, size = 1>}
  pop.variable @pairs : tensor<3x3xi32> = dense<[
    [[100, 101, 102], [103, 104, 105], [106, 107, 108]],
    [[110, 111, 112], [113, 114, 115], [116, 117, 118]],
    [[120, 121, 122], [123, 124, 125], [126, 127, 128]],
    [[130, 131, 132], [133, 134, 135], [136, 137, 138]]]> : tensor<4x3x3xi32> {groups = #pop.replica_groups<stride = 1, size = 2>}
  pop.variable @strided : tensor<3x3xi32> = dense<[
    [[200, 201, 202], [203, 204, 205], [206, 207, 208]],
    [[210, 211, 212], [213, 214, 215], [216, 217, 218]],
    [[220, 221, 222], [223, 224, 225], [226, 227, 228]],
    [[230, 231, 232], [233, 234, 235], [236, 237, 238]]]> : tensor<4x3x3xi32> {groups = #pop.replica_groups<stride = 4, size = 2>}
  pop.variable @fours : tensor<3x3xi32> = dense<[
    [[300, 301, 302], [303, 304, 305], [306, 307, 308]],
    [[310, 311, 312], [313, 314, 315], [316, 317, 318]]]> : tensor<2x3x3xi32> {groups = #pop.replica_groups<stride = 1, size = 4>}
  pop.variable @all : tensor<3x3xi32> = dense<[[400, 401, 402], [403, 404, 405], [406, 407, 408]]> : tensor<3x3xi32>
  pop.variable @pairs_all_replicas : tensor<3x3xi32> = dense<[
    [[500, 501, 502], [503, 504, 505], [506, 507, 508]],
    [[510, 511, 512], [513, 514, 515], [516, 517, 518]],
    [[520, 521, 522], [523, 524, 525], [526, 527, 528]],
    [[530, 531, 532], [533, 534, 535], [536, 537, 538]]]> : tensor<4x3x3xi32> {groups = #pop.replica_groups<stride = 1, size = 2>, retrieval = #pop<retrieval all_replicas>}
  pop.stream @out_each device_to_host : tensor<3xi32>
  pop.stream @out_pairs device_to_host : tensor<3xi32>
  pop.stream @out_strided device_to_host : tensor<3xi32>
  pop.stream @out_fours device_to_host : tensor<3xi32>
  pop.stream @out_all device_to_host : tensor<3xi32>
  pop.stream @out_pairs_all_replicas device_to_host : tensor<3xi32>
  func.func @main() {
    // The diagonal of each.
    %each = pop.get_variable @each : !pop.ref<3x3xi32>
    %d0 = pop.ref_reshape %each : !pop.ref<3x3xi32> to !pop.ref<9xi32>
    %e0 = pop.ref_slice %d0 {starts = array<i64: 0>, sizes = array<i64: 3>, steps = array<i64: 4>} : !pop.ref<9xi32> -> !pop.ref<3xi32>
    %f0 = pop.read %e0 : !pop.ref<3xi32>
    pop.host_store %f0, @out_each : tensor<3xi32>
    %pairs = pop.get_variable @pairs : !pop.ref<3x3xi32>
    %d1 = pop.ref_reshape %pairs : !pop.ref<3x3xi32> to !pop.ref<9xi32>
    %e1 = pop.ref_slice %d1 {starts = array<i64: 0>, sizes = array<i64: 3>, steps = array<i64: 4>} : !pop.ref<9xi32> -> !pop.ref<3xi32>
    %f1 = pop.read %e1 : !pop.ref<3xi32>
    pop.host_store %f1, @out_pairs : tensor<3xi32>
    %strided = pop.get_variable @strided : !pop.ref<3x3xi32>
    %d2 = pop.ref_reshape %strided : !pop.ref<3x3xi32> to !pop.ref<9xi32>
    %e2 = pop.ref_slice %d2 {starts = array<i64: 0>, sizes = array<i64: 3>, steps = array<i64: 4>} : !pop.ref<9xi32> -> !pop.ref<3xi32>
    %f2 = pop.read %e2 : !pop.ref<3xi32>
    pop.host_store %f2, @out_strided : tensor<3xi32>
    %fours = pop.get_variable @fours : !pop.ref<3x3xi32>
    %d3 = pop.ref_reshape %fours : !pop.ref<3x3xi32> to !pop.ref<9xi32>
    %e3 = pop.ref_slice %d3 {starts = array<i64: 0>, sizes = array<i64: 3>, steps = array<i64: 4>} : !pop.ref<9xi32> -> !pop.ref<3xi32>
    %f3 = pop.read %e3 : !pop.ref<3xi32>
    pop.host_store %f3, @out_fours : tensor<3xi32>
    %all = pop.get_variable @all : !pop.ref<3x3xi32>
    %d4 = pop.ref_reshape %all : !pop.ref<3x3xi32> to !pop.ref<9xi32>
    %e4 = pop.ref_slice %d4 {starts = array<i64: 0>, sizes = array<i64: 3>, steps = array<i64: 4>} : !pop.ref<9xi32> -> !pop.ref<3xi32>
    %f4 = pop.read %e4 : !pop.ref<3xi32>
    pop.host_store %f4, @out_all : tensor<3xi32>
    %pairs_all_replicas = pop.get_variable @pairs_all_replicas : !pop.ref<3x3xi32>
    %d5 = pop.ref_reshape %pairs_all_replicas : !pop.ref<3x3xi32> to !pop.ref<9xi32>
    %e5 = pop.ref_slice %d5 {starts = array<i64: 0>, sizes = array<i64: 3>, steps = array<i64: 4>} : !pop.ref<9xi32> -> !pop.ref<3xi32>
    %f5 = pop.read %e5 : !pop.ref<3xi32>
    pop.host_store %f5, @out_pairs_all_replicas : tensor<3xi32>
    return
  }
}
