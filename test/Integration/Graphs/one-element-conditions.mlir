// RUN: ipu-opt %s --pop-to-ipu-pipeline --ipu-execute="engine=jit" -o /dev/null | FileCheck %s
// RUN: ipu-opt %s --pop-to-ipu-pipeline --ipu-execute="check" -o /dev/null | FileCheck %s

// Conditions and numbers of rounds are tensors of one element, whatever their rank; a loop
// without rounds does nothing.

// w is 1: 1 > 0, so that it becomes 3; three rounds of doubling make 24; none change it;
// as long as it is under 40 it is doubled.
// CHECK: y : tensor<1xf32> = dense<[48.0]>

module attributes {ipu.target = #ipu.target<"gc200", {tiles = 4 : i64}>} {
  pop.variable @w : tensor<1xf32> = dense<1.0> : tensor<1xf32>
  pop.variable @n : tensor<1x1xi32> = dense<3> : tensor<1x1xi32>
  pop.stream @y device_to_host : tensor<1xf32>
  func.func @main() {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %w = pop.get_variable @w : !pop.ref<1xf32>
    %zero = pop.constant dense<0.0> : tensor<1xf32>
    %two = pop.constant dense<2.0> : tensor<1xf32>
    %forty = pop.constant dense<40.0> : tensor<1xf32>
    %0 = pop.read %w : !pop.ref<1xf32>
    %1 = pop.greater %0, %zero : (tensor<1xf32>, tensor<1xf32>) -> tensor<1xi1>
    %p = tensor.extract %1[%c0] : tensor<1xi1>
    scf.if %p {
      pop.add_ %w, %two : !pop.ref<1xf32>, tensor<1xf32>
    }
    %nr = pop.get_variable @n : !pop.ref<1x1xi32>
    %2 = pop.read %nr : !pop.ref<1x1xi32>
    %3 = tensor.extract %2[%c0, %c0] : tensor<1x1xi32>
    %n = arith.index_cast %3 : i32 to index
    scf.for %i = %c0 to %n step %c1 {
      pop.mul_ %w, %two : !pop.ref<1xf32>, tensor<1xf32>
    }
    scf.for %i = %c0 to %c0 step %c1 {
      pop.mul_ %w, %two : !pop.ref<1xf32>, tensor<1xf32>
    }
    scf.while : () -> () {
      %4 = pop.read %w : !pop.ref<1xf32>
      %5 = pop.less %4, %forty : (tensor<1xf32>, tensor<1xf32>) -> tensor<1xi1>
      %q = tensor.extract %5[%c0] : tensor<1xi1>
      scf.condition(%q)
    } do {
      pop.mul_ %w, %two : !pop.ref<1xf32>, tensor<1xf32>
      scf.yield
    }
    %y = pop.read %w : !pop.ref<1xf32>
    pop.host_store %y, @y : tensor<1xf32>
    return
  }
}
