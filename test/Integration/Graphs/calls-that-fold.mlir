// RUN: ipu-opt %s --split-input-file --pop-to-ipu-pipeline --ipu-execute -o /dev/null
// RUN: ipu-opt %s --split-input-file --pop-to-ipu-pipeline="planner=generic merge-steps" --ipu-execute="check=true" -o /dev/null
// RUN: ipu-opt %s --split-input-file --pop-to-ipu-pipeline --ipu-execute="engine=interp" -o /dev/null

// Graphs whose calls go away: their code is loaded nevertheless, or they are
// left without a call.

// Nobody calls what is loaded.
module attributes {ipu.target = #ipu.target<"gc200", {tiles = 4 : i64}>} {
  func.func private @f(%x: tensor<4xi32>) -> tensor<4xi32> attributes {no_inline} {
    return %x : tensor<4xi32>
  }
  func.func @main() {
    pop.remote_code_load @f to executable
    %x = pop.constant dense<[1, 2, 3, 4]> : tensor<4xi32>
    pop.expect_eq %x, dense<[1, 2, 3, 4]> : tensor<4xi32>
    return
  }
}

// -----

// The only call of what is loaded is in a branch that is never taken.
module attributes {ipu.target = #ipu.target<"gc200", {tiles = 4 : i64}>} {
  pop.variable @w : tensor<4xi32> = dense<1> : tensor<4xi32>
  func.func private @f(%r: !pop.ref<4xi32>) attributes {no_inline} {
    pop.neg_ %r : !pop.ref<4xi32>
    return
  }
  func.func @main() {
    %no = arith.constant false
    %w = pop.get_variable @w : !pop.ref<4xi32>
    pop.remote_code_load @f to executable
    scf.if %no {
      func.call @f(%w) : (!pop.ref<4xi32>) -> ()
    }
    %0 = pop.read %w : !pop.ref<4xi32>
    pop.expect_eq %0, dense<1> : tensor<4xi32>
    return
  }
}

// -----

// The same without a load, and a loop of no rounds; @g is called by @f alone.
module attributes {ipu.target = #ipu.target<"gc200", {tiles = 4 : i64}>} {
  pop.variable @w : tensor<4xi32> = dense<1> : tensor<4xi32>
  pop.stream @out device_to_host : tensor<4xi32>
  func.func private @g(%x: tensor<4xi32>) -> tensor<4xi32> {
    pop.host_store %x, @out : tensor<4xi32>
    %0 = pop.neg %x : tensor<4xi32>
    return %0 : tensor<4xi32>
  }
  func.func private @f(%r: !pop.ref<4xi32>) {
    %0 = pop.read %r : !pop.ref<4xi32>
    %1 = func.call @g(%0) : (tensor<4xi32>) -> tensor<4xi32>
    pop.copy_ %r, %1 : !pop.ref<4xi32>, tensor<4xi32>
    return
  }
  func.func @main() {
    %no = arith.constant false
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %w = pop.get_variable @w : !pop.ref<4xi32>
    scf.if %no {
      func.call @f(%w) : (!pop.ref<4xi32>) -> ()
    }
    scf.for %i = %c0 to %c0 step %c1 {
      func.call @f(%w) : (!pop.ref<4xi32>) -> ()
    }
    %0 = pop.read %w : !pop.ref<4xi32>
    pop.expect_eq %0, dense<1> : tensor<4xi32>
    return
  }
}

// -----

// A pure call whose result nobody uses.
module attributes {ipu.target = #ipu.target<"gc200", {tiles = 4 : i64}>} {
  func.func private @f(%x: tensor<4xi32>) -> tensor<4xi32> {
    %0 = pop.neg %x : tensor<4xi32>
    return %0 : tensor<4xi32>
  }
  func.func @main() {
    %x = pop.constant dense<[1, 2, 3, 4]> : tensor<4xi32>
    %0 = func.call @f(%x) : (tensor<4xi32>) -> tensor<4xi32>
    pop.expect_eq %x, dense<[1, 2, 3, 4]> : tensor<4xi32>
    return
  }
}
