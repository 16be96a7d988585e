// RUN: ipu-opt %s -split-input-file -verify-diagnostics -pop-decompose

// expected-error @+1 {{expects the number of a draw to be from 0 to 16777215 but got -1}}
func.func private @f() attributes {draw = #pop.draw<-1>}

// -----

// expected-error @+1 {{expects the number of a draw to be from 0 to 16777215 but got 16777216}}
func.func private @f() attributes {draw = #pop.draw<16777216>}

// -----

// expected-error @+1 {{expects the part of a draw to be from 0 to 15 but got 16}}
func.func private @f() attributes {draw = #pop.draw<0, part = 16>}

// -----

// expected-error @+1 {{expects the part of a draw to be from 0 to 15 but got -1}}
func.func private @f() attributes {draw = #pop.draw<0, part = -1>}

// -----

// expected-error @+1 {{expects the offset of a draw to be from -2147483648 to 2147483647 but got -2147483649}}
func.func private @f() attributes {draw = #pop.draw<0, offset = -2147483649>}

// -----

func.func @f(%x: tensor<f16>) {
  // expected-error @+1 {{'pop.neg' op expects attribute 'pop.draw' to be a '#pop.draw<...>' but got 1 : i64}}
  %0 = pop.neg %x {pop.draw = 1 : i64} : tensor<f16>
  return
}

// -----

// expected-error @+1 {{'func.func' op expects attribute 'pop.draw' only on an op that may round}}
func.func private @f() attributes {pop.draw = #pop.draw<1>}

// -----

// expected-error @+1 {{'builtin.module' op expects attribute 'pop.draw' only on an op that may round}}
module attributes {pop.draw = #pop.draw<1>} {}

// -----

func.func @f() {
  // expected-error @+1 {{'func.return' op expects attribute 'pop.draw' only on an op that may round}}
  return {pop.draw = #pop.draw<1>}
}

// -----

// Partial sums and the result are rounded, each by an op of its own.
func.func @f(%a: tensor<3x50xf16>, %b: tensor<50x5xf16>) -> tensor<3x5xf16> {
  // expected-error @+1 {{'pop.matmul' op is decomposed into 2 ops that may round, but #pop.draw<7, part = 15> allows at most 1}}
  %0 = pop.matmul %a, %b {accum = #pop.accum<blocked, block = 20, lanes = 1, partials = f16>, pop.draw = #pop.draw<7, part = 15>} : (tensor<3x50xf16>, tensor<50x5xf16>) -> tensor<3x5xf16>
  return %0 : tensor<3x5xf16>
}
