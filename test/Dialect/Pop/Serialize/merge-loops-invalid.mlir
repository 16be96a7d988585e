// RUN: ipu-opt %s --split-input-file --verify-diagnostics --pop-merge-loops

func.func @bounds(%x: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  // expected-note @below {{the first loop of the group is here}}
  %0 = scf.for %i = %c0 to %c4 step %c1 iter_args(%a = %x) -> tensor<2xf32> {
    %2 = pop.exp %a : tensor<2xf32>
    scf.yield %2 : tensor<2xf32>
  } {pop.merge_group = "rows"}
  // expected-error @below {{'scf.for' op expects to be merged with the other loops of group "rows", but their bounds differ}}
  %1 = scf.for %i = %c0 to %c3 step %c1 iter_args(%a = %x) -> tensor<2xf32> {
    %2 = pop.exp %a : tensor<2xf32>
    scf.yield %2 : tensor<2xf32>
  } {pop.merge_group = "rows"}
  return %0, %1 : tensor<2xf32>, tensor<2xf32>
}

// -----

func.func @needed_between(%x: tensor<2xf32>) -> tensor<2xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  // expected-note @below {{the first loop of the group is here}}
  %0 = scf.for %i = %c0 to %c4 step %c1 iter_args(%a = %x) -> tensor<2xf32> {
    %3 = pop.exp %a : tensor<2xf32>
    scf.yield %3 : tensor<2xf32>
  } {pop.merge_group = "rows"}
  %1 = pop.neg %0 : tensor<2xf32>
  // expected-error @below {{'scf.for' op expects to be merged with the other loops of group "rows", but an op that depends on the earlier loop is needed by the later loop}}
  %2 = scf.for %i = %c0 to %c4 step %c1 iter_args(%a = %1) -> tensor<2xf32> {
    %3 = pop.exp %a : tensor<2xf32>
    scf.yield %3 : tensor<2xf32>
  } {pop.merge_group = "rows"}
  return %2 : tensor<2xf32>
}

// -----

func.func @blocks(%x: tensor<2xf32>) -> tensor<2xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  // expected-error @below {{'scf.for' op expects to be merged with the other loops of group "rows", but they are in different blocks}}
  %0 = scf.for %i = %c0 to %c4 step %c1 iter_args(%a = %x) -> tensor<2xf32> {
    // expected-note @below {{the first loop of the group is here}}
    %1 = scf.for %j = %c0 to %c4 step %c1 iter_args(%b = %a) -> tensor<2xf32> {
      %2 = pop.exp %b : tensor<2xf32>
      scf.yield %2 : tensor<2xf32>
    } {pop.merge_group = "rows"}
    scf.yield %1 : tensor<2xf32>
  } {pop.merge_group = "rows"}
  return %0 : tensor<2xf32>
}

// -----

func.func @alone(%x: tensor<2xf32>) -> tensor<2xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-error @below {{'scf.for' op is the only loop of group "rows"; expects at least 2 loops with this 'pop.merge_group'}}
  %0 = scf.for %i = %c0 to %c1 step %c1 iter_args(%a = %x) -> tensor<2xf32> {
    %1 = pop.exp %a : tensor<2xf32>
    scf.yield %1 : tensor<2xf32>
  } {pop.merge_group = "rows"}
  return %0 : tensor<2xf32>
}

// -----

func.func @type(%x: tensor<2xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-error @below {{'scf.for' op expects attribute 'pop.merge_group' to be a string but got 1 : i64}}
  scf.for %i = %c0 to %c1 step %c1 {
  } {pop.merge_group = 1 : i64}
  return
}

// -----

func.func @place(%x: tensor<2xf32>) -> tensor<2xf32> {
  // expected-error @below {{'pop.exp' op expects attribute 'pop.merge_group' only on a loop}}
  %0 = pop.exp %x {pop.merge_group = "rows"} : tensor<2xf32>
  return %0 : tensor<2xf32>
}
