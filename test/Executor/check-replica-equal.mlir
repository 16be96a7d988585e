// What holds is found to hold, on memories that share nothing, with the results
// of any other run.
// RUN: ipu-opt %s --split-input-file --pass-pipeline="builtin.module(pop-to-ipu-pipeline,ipu-execute{inputs=*=random:7})" -o /dev/null > %t.shared
// RUN: ipu-opt %s --split-input-file --pass-pipeline="builtin.module(pop-to-ipu-pipeline,ipu-execute{inputs=*=random:7 check-replica-equal threads=3})" -o /dev/null > %t.apart
// RUN: ipu-opt %s --split-input-file --pass-pipeline="builtin.module(pop-to-ipu-pipeline,ipu-execute{inputs=*=random:7 check-replica-equal engine=interp})" -o /dev/null > %t.interp
// RUN: ipu-opt %s --split-input-file --pass-pipeline="builtin.module(pop-to-ipu-pipeline{merge-steps=false},ipu-execute{inputs=*=random:7 check-replica-equal check})" -o /dev/null > %t.checked
// RUN: diff %t.shared %t.apart
// RUN: diff %t.shared %t.interp
// RUN: diff %t.shared %t.checked
// RUN: FileCheck %s --input-file=%t.apart
//
// The annotation, what was equal, and what is stored once otherwise.
// RUN: ipu-opt %s --split-input-file --pass-pipeline="builtin.module(pop-to-ipu-pipeline,ipu-execute{inputs=*=random:7 check-replica-equal replica-equal-report=-})" -o /dev/null | FileCheck %s --check-prefix=REPORT
// RUN: ipu-opt %s --split-input-file --pass-pipeline="builtin.module(pop-to-ipu-pipeline,ipu-execute{inputs=*=random:7 replica-equal-report=-})" -o /dev/null | FileCheck %s --check-prefix=STORED

// Groups, a variable that is updated in place, and one that becomes equal again.
// CHECK: y : tensor<4x2x2xf32>

// REPORT: "replicas": 4,
// REPORT: "op": "ipu.host_load",
// REPORT-NEXT: "location": "{{.*}}check-replica-equal.mlir:{{[0-9]+}}:10",
// REPORT-NEXT: "variable": "pop.host_load",
// REPORT-NEXT: "constant": false,
// REPORT-NEXT: "executions": 1,
// REPORT-NEXT: "annotated": "none",
// REPORT-NEXT: "observed": "none"
// REPORT: "op": "ipu.collective",
// REPORT: "annotated": "{0,1}{2,3}",
// REPORT-NEXT: "observed": "{0,1}{2,3}"
// REPORT: "op": "ipu.move",
// REPORT-NEXT: "location": "{{.*}}check-replica-equal.mlir:{{[0-9]+}}:5",
// REPORT: "annotated": "all",
// REPORT-NEXT: "observed": "all"

// STORED: "annotated": "none",
// STORED-NEXT: "stored": "none"
// STORED: "annotated": "{0,1}{2,3}",
// STORED-NEXT: "stored": "{0,1}{2,3}"
// STORED: "annotated": "all",
// STORED-NEXT: "stored": "all"
module attributes {ipu.target = #ipu.target<"gc200", {tiles = 8 : i64, replicas = 4 : i64}>} {
  pop.stream @x host_to_device : tensor<2x2xf32>
  pop.stream @y device_to_host : tensor<2x2xf32>
  pop.variable @w : tensor<2x2xf32> = dense<1.0> : tensor<2x2xf32>
  func.func @main() {
    %w = pop.get_variable @w : !pop.ref<2x2xf32>
    %x = pop.host_load @x : tensor<2x2xf32>
    %g = pop.all_reduce add %x {groups = #pop.replica_groups<stride = 1, size = 2>} : tensor<2x2xf32>
    pop.add_ %w, %g : !pop.ref<2x2xf32>, tensor<2x2xf32>
    %0 = pop.read %w : !pop.ref<2x2xf32>
    %1 = pop.all_reduce mean %0 {groups = #pop.replica_groups<stride = 2, size = 2>} : tensor<2x2xf32>
    pop.copy_ %w, %1 : !pop.ref<2x2xf32>, tensor<2x2xf32>
    %2 = pop.read %w : !pop.ref<2x2xf32>
    pop.host_store %2, @y : tensor<2x2xf32>
    return
  }
}

// -----

// Loops, calls, and a row of a remote buffer that replicas choose.
// CHECK: y : tensor<4x4xf32>

// REPORT: "op": "ipu.remote_load",
// REPORT: "annotated": "{0,1}{2,3}",
// REPORT-NEXT: "observed": "{0,1}{2,3}"
// REPORT: "variable": "w",
// REPORT-NEXT: "constant": false,
// REPORT-NEXT: "executions": 3,
// REPORT-NEXT: "annotated": "{0,1}{2,3}",
// REPORT-NEXT: "observed": "{0,1}{2,3}"
// REPORT: "op": "ipu.vertices",
// REPORT-NEXT: "location"
// REPORT-NEXT: "variable": "pop.add",
// REPORT: "annotated": "none",
// REPORT-NEXT: "observed": "none"
module attributes {ipu.target = #ipu.target<"gc200", {tiles = 8 : i64, replicas = 4 : i64}>} {
  pop.stream @x host_to_device : tensor<4xf32>
  pop.stream @y device_to_host : tensor<4xf32>
  pop.remote_buffer @b : 4 x tensor<4xf32>
  pop.variable @w : tensor<4xf32> = dense<0.5> : tensor<4xf32>
  pop.variable @row0 : tensor<4xf32> = dense<1.0> : tensor<4xf32> {buffer = @b, row = 0 : i64}
  pop.variable @row1 : tensor<4xf32> = dense<2.0> : tensor<4xf32> {buffer = @b, row = 1 : i64}
  pop.variable @row2 : tensor<4xf32> = dense<3.0> : tensor<4xf32> {buffer = @b, row = 2 : i64}
  pop.variable @row3 : tensor<4xf32> = dense<4.0> : tensor<4xf32> {buffer = @b, row = 3 : i64}
  func.func @update(%r: !pop.ref<4xf32>, %t: tensor<4xf32>) -> tensor<4xf32> {
    pop.add_ %r, %t : !pop.ref<4xf32>, tensor<4xf32>
    %0 = pop.read %r : !pop.ref<4xf32>
    return %0 : tensor<4xf32>
  }
  func.func @main() {
    %w = pop.get_variable @w : !pop.ref<4xf32>
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c3 = arith.constant 3 : index
    %index = pop.replica_index : tensor<i32>
    %row = pop.all_reduce max %index {groups = #pop.replica_groups<stride = 1, size = 2>} : tensor<i32>
    %t = pop.remote_load @b[%row] : tensor<4xf32>
    scf.for %i = %c0 to %c3 step %c1 {
      %u = func.call @update(%w, %t) : (!pop.ref<4xf32>, tensor<4xf32>) -> tensor<4xf32>
      pop.remote_store %u, @b[%row] : tensor<4xf32>
    }
    %x = pop.host_load @x : tensor<4xf32>
    %0 = pop.remote_load @b[%row] : tensor<4xf32>
    %1 = pop.add %x, %0 : tensor<4xf32>
    pop.host_store %1, @y : tensor<4xf32>
    return
  }
}
