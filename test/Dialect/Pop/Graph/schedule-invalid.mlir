// RUN: ipu-opt %s --split-input-file --verify-diagnostics --pop-schedule

// Random bits of the generator `stream` depend on the order of ops.
module attributes {pop.stochastic_rounding = #pop.stochastic_rounding<stream>} {
  func.func @stream(%x: tensor<4xf16>) -> tensor<4xf16> {
    // expected-warning @below {{'pop-schedule' expects random bits of generator 'counter' but got 'stream'; it keeps the order of all ops, because the bits depend on it}}
    %0 = pop.add %x, %x : tensor<4xf16>
    %1 = pop.mul %0, %x : tensor<4xf16>
    return %1 : tensor<4xf16>
  }
}

// -----

func.func @type(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{'pop.exp' op expects attribute 'pop.schedule_priority' to be an i64 but got 1 : i32}}
  %0 = pop.exp %x {pop.schedule_priority = 1 : i32} : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// expected-error @below {{'func.func' op expects attribute 'pop.schedule_priority' only on an op other than a module, function or terminator}}
func.func @function(%x: tensor<4xf32>) -> tensor<4xf32> attributes {pop.schedule_priority = 1 : i64} {
  return %x : tensor<4xf32>
}
