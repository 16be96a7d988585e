// RUN: ipu-opt %s --split-input-file --verify-diagnostics --pop-verify-placement=complete

module attributes {ipu.target = #ipu.target<"gc200", {ipus = 2 : i64}>} {
  func.func @complete(%x: tensor<4xf32>) -> tensor<4xf32> {
    %0 = pop.exp %x {pop.vgraph = 0 : i64} : tensor<4xf32>
    %1 = pop.ipu_copy %0 from 0 to 1 : tensor<4xf32>
    %2 = pop.exp %1 {pop.vgraph = 1 : i64} : tensor<4xf32>
    return %2 : tensor<4xf32>
  }
}

// -----

func.func @unplaced(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = pop.exp %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

module attributes {ipu.target = #ipu.target<"gc200", {ipus = 2 : i64}>} {
  func.func @incomplete(%x: tensor<4xf32>) -> tensor<4xf32> {
    // expected-error @below {{'pop.exp' op expects attribute 'pop.vgraph'}}
    %0 = pop.exp %x : tensor<4xf32>
    // expected-note @below {{the program is placed, because this is on virtual graph 1}}
    %1 = pop.exp %0 {pop.vgraph = 1 : i64} : tensor<4xf32>
    return %1 : tensor<4xf32>
  }
}

// -----

module attributes {ipu.target = #ipu.target<"gc200", {ipus = 2 : i64}>} {
  func.func @implicit_copy(%x: tensor<4xf32>) -> tensor<4xf32> {
    // expected-note @below {{the value is defined here}}
    %0 = pop.exp %x {pop.vgraph = 0 : i64} : tensor<4xf32>
    // expected-error @below {{'pop.exp' op reads operand #0 on virtual graph 1, but the operand is on virtual graph 0}}
    // expected-note @below {{insert 'pop.ipu_copy', which copies the operand to the virtual graph of the op}}
    %1 = pop.exp %0 {pop.vgraph = 1 : i64} : tensor<4xf32>
    return %1 : tensor<4xf32>
  }
}

// -----

// A module without a target has one IPU.

func.func @no_target(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{'pop.ipu_copy' op is on virtual graph 1, but a replica of the target has 1 IPU}}
  %0 = pop.ipu_copy %x from 0 to 1 : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

module attributes {ipu.target = #ipu.target<"gc200", {ipus = 2 : i64}>} {
  // expected-error @below {{argument is on virtual graph 2, but a replica of the target has 2 IPUs}}
  func.func @argument(%x: tensor<4xf32> {pop.vgraph = 2 : i64}) -> tensor<4xf32> {
    return %x : tensor<4xf32>
  }
}
