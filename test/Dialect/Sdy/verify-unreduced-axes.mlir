// RUN: ipu-opt %s --sdy-verify-unreduced-axes --split-input-file --verify-diagnostics | FileCheck %s

sdy.mesh @m = <["x"=2, "y"=2]>
sdy.mesh @other = <["a"=2]>

func.func private @callee(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{}], unreduced={"x"}>}) -> tensor<8xf32> {
  %0 = sdy.reshard %a <@m, [{}]> : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// CHECK-LABEL: func @valid
func.func @valid(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {}], unreduced={"x"}>}, %b: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {"y"}]>}, %c: tensor<i1>)
    -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {}], unreduced={"x"}>}, tensor<8xf32>) {
  // Kept, and more introduced.
  %0 = stablehlo.add %a, %a {sdy.sharding = #sdy.sharding_per_value<[<@m, [{}, {}], unreduced={"x"}>]>} : tensor<8x8xf32>
  %1 = stablehlo.dot_general %0, %b, contracting_dims = [1] x [1] {sdy.sharding = #sdy.sharding_per_value<[<@m, [{}, {}], unreduced={"x", "y"}>]>} : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  // Removed by what may.
  %2 = sdy.reshard %1 <@m, [{}, {}]> : tensor<8x8xf32>
  %3 = sdy.all_reduce {"x"} %a out_sharding=<@m, [{}, {}]> : tensor<8x8xf32>
  // A reduction introduces its kind.
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %4 = stablehlo.reduce(%b init: %z) applies stablehlo.maximum across dimensions = [1] {sdy.sharding = #sdy.sharding_per_value<[<@m, [{}], unreduced=max{"y"}>]>} : (tensor<8x8xf32>, tensor<f32>) -> tensor<8xf32>
  %5 = sdy.reshard %4 <@m, [{}]> : tensor<8xf32>
  %6 = stablehlo.reduce(%a init: %z) applies stablehlo.add across dimensions = [1] {sdy.sharding = #sdy.sharding_per_value<[<@m, [{}], unreduced={"x"}>]>} : (tensor<8x8xf32>, tensor<f32>) -> tensor<8xf32>
  %7 = func.call @callee(%6) : (tensor<8xf32>) -> tensor<8xf32>
  // Reshards may become anything.
  %8 = func.call @callee(%5) : (tensor<8xf32>) -> tensor<8xf32>
  // Meshes of other axes are not compared.
  %9 = stablehlo.negate %6 {sdy.sharding = #sdy.sharding_per_value<[<@other, [{}], unreduced={"a"}>]>} : tensor<8xf32>
  %10 = stablehlo.while(%i = %a) : tensor<8x8xf32> attributes {sdy.sharding = #sdy.sharding_per_value<[<@m, [{}, {}], unreduced={"x"}>]>}
  cond {
    stablehlo.return %c : tensor<i1>
  } do {
    stablehlo.return %i : tensor<8x8xf32>
  }
  %11 = sdy.manual_computation(%10) in_shardings=[<@m, [{}, {}], unreduced={"x"}>] out_shardings=[<@m, [{}, {}], unreduced={"x", "y"}>] manual_axes={"x", "y"} (%p: tensor<8x8xf32>) {
    sdy.return %p : tensor<8x8xf32>
  } : (tensor<8x8xf32>) -> tensor<8x8xf32>
  return %a, %5 : tensor<8x8xf32>, tensor<8xf32>
}

// -----

sdy.mesh @m = <["x"=2, "y"=4]>

// expected-note@+1 {{operand 1 has sharding #sdy.sharding<@m, [{}], unreduced={"x", "y"}>}}
func.func @lost(%a: tensor<8xf32>, %b: tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{}], unreduced={"x", "y"}>}) -> tensor<8xf32> {
  // expected-error@+1 {{'stablehlo.add' op does not keep unreduced axes {"x", "y":(2)2} of operand 1}}
  %0 = stablehlo.add %a, %b {sdy.sharding = #sdy.sharding_per_value<[<@m, [{}], unreduced={"y":(1)2}>]>} : tensor<8xf32>
  %1 = sdy.reshard %0 <@m, [{}]> : tensor<8xf32>
  return %1 : tensor<8xf32>
}

// -----

sdy.mesh @m = <["x"=2]>

// expected-note@+1 {{operand 0 has sharding #sdy.sharding<@m, [{}], unreduced={"x"}>}}
func.func @no_sharding_keeps_nothing(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{}], unreduced={"x"}>}) -> tensor<8xf32> {
  // expected-error@+1 {{'stablehlo.negate' op does not keep unreduced axes {"x"} of operand 0}}
  %0 = stablehlo.negate %a : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

sdy.mesh @m = <["x"=2]>

// expected-note@+1 {{operand 0 has sharding}}
func.func @other_kind(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{}], unreduced=max{"x"}>}) -> tensor<8xf32> {
  // expected-error@+1 {{'stablehlo.negate' op changes the kind of unreduced axes from max in operand 0 to sum in result 0}}
  %0 = stablehlo.negate %a {sdy.sharding = #sdy.sharding_per_value<[<@m, [{}], unreduced={"x"}>]>} : tensor<8xf32>
  %1 = sdy.reshard %0 <@m, [{}]> : tensor<8xf32>
  return %1 : tensor<8xf32>
}

// -----

sdy.mesh @m = <["x"=2]>

func.func @not_a_sum(%a: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error@+2 {{'stablehlo.negate' op introduces unreduced axes {"x"} of kind max in result 0, expected sum}}
  // expected-note@+1 {{result 0 has sharding #sdy.sharding<@m, [{}], unreduced=max{"x"}>}}
  %0 = stablehlo.negate %a {sdy.sharding = #sdy.sharding_per_value<[<@m, [{}], unreduced=max{"x"}>]>} : tensor<8xf32>
  %1 = sdy.reshard %0 <@m, [{}]> : tensor<8xf32>
  return %1 : tensor<8xf32>
}

// -----

sdy.mesh @m = <["x"=2]>

func.func @not_what_is_reduced(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}) -> (tensor<8xf32>, tensor<8xf32>) {
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  // expected-error@+2 {{'stablehlo.reduce' op introduces unreduced axes {"x"} of kind sum in result 0, expected min}}
  // expected-note@+1 {{result 0 has sharding}}
  %0 = stablehlo.reduce(%a init: %z) applies stablehlo.minimum across dimensions = [0] {sdy.sharding = #sdy.sharding_per_value<[<@m, [{}], unreduced={"x"}>]>} : (tensor<8x8xf32>, tensor<f32>) -> tensor<8xf32>
  // expected-error@+2 {{'stablehlo.reduce' op introduces unreduced axes {"x"} of kind sum in result 0, expected none}}
  // expected-note@+1 {{result 0 has sharding}}
  %1 = stablehlo.reduce(%a init: %z) applies stablehlo.multiply across dimensions = [0] {sdy.sharding = #sdy.sharding_per_value<[<@m, [{}], unreduced={"x"}>]>} : (tensor<8x8xf32>, tensor<f32>) -> tensor<8xf32>
  %2 = sdy.reshard %0 <@m, [{}]> : tensor<8xf32>
  %3 = sdy.reshard %1 <@m, [{}]> : tensor<8xf32>
  return %2, %3 : tensor<8xf32>, tensor<8xf32>
}

// -----

sdy.mesh @m = <["x"=2]>

// Whatever the dialect. An accumulator is added once, by the part of one device.
func.func @not_what_others_reduce(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {"x"}]>}, %c: tensor<8x8xf32>) {
  // expected-error@+2 {{'tosa.reduce_max' op introduces unreduced axes {"x"} of kind sum in result 0, expected max}}
  // expected-note@+1 {{result 0 has sharding}}
  %0 = tosa.reduce_max %a {axis = 1 : i32, sdy.sharding = #sdy.sharding_per_value<[<@m, [{}, {}], unreduced={"x"}>]>} : (tensor<8x8xf32>) -> tensor<8x1xf32>
  %1 = linalg.matmul {sdy.sharding = #sdy.sharding_per_value<[<@m, [{}, {}], unreduced={"x"}>]>} ins(%a, %a : tensor<8x8xf32>, tensor<8x8xf32>) outs(%c : tensor<8x8xf32>) -> tensor<8x8xf32>
  %2 = sdy.reshard %0 <@m, [{}, {}]> : tensor<8x1xf32>
  %3 = sdy.reshard %1 <@m, [{}, {}]> : tensor<8x8xf32>
  return
}

// -----

sdy.mesh @m = <["x"=2]>

// expected-note@+2 {{operand 0 has sharding #sdy.sharding<@m, [{}], unreduced={"x"}>}}
// expected-note@+1 {{result 0 of the function has no sharding}}
func.func @returned(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{}], unreduced={"x"}>}) -> tensor<8xf32> {
  // expected-error@+1 {{'func.return' op has unreduced axes {"x"} of kind sum in operand 0, expected none}}
  return %a : tensor<8xf32>
}

// -----

sdy.mesh @m = <["x"=2]>

// expected-note@+1 {{argument 0 of the callee has sharding #sdy.sharding<@m, [{}], unreduced={"x"}>}}
func.func private @callee(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{}], unreduced={"x"}>})

// expected-note@+1 {{operand 0 has no sharding}}
func.func @called(%a: tensor<8xf32>) {
  // expected-error@+1 {{'func.call' op has no unreduced axes in operand 0, expected {"x"} of kind sum}}
  call @callee(%a) : (tensor<8xf32>) -> ()
  return
}

// -----

sdy.mesh @m = <["x"=2]>

// expected-note@+1 {{operand 0 has sharding}}
func.func @into_a_loop(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{}], unreduced={"x"}>}, %c: tensor<i1>) -> tensor<8xf32> {
  // expected-error@+1 {{'stablehlo.while' op does not keep unreduced axes {"x"} of operand 0}}
  %0 = stablehlo.while(%i = %a) : tensor<8xf32> cond {
    stablehlo.return %c : tensor<i1>
  } do {
    stablehlo.return %i : tensor<8xf32>
  }
  return %0 : tensor<8xf32>
}

// -----

sdy.mesh @m = <["x"=2, "y"=2]>

func.func @out_of_a_body(%a: tensor<8xf32>) -> tensor<8xf32> {
  // expected-note@+1 {{result 0 of this op has sharding #sdy.sharding<@m, [{}]>}}
  %0 = sdy.manual_computation(%a) in_shardings=[<@m, [{}]>] out_shardings=[<@m, [{}]>] manual_axes={"x"} (%p: tensor<8xf32>) {
    // expected-note@+1 {{operand 0 has sharding #sdy.sharding<@m, [{}], unreduced={"y"}>}}
    %1 = stablehlo.negate %p {sdy.sharding = #sdy.sharding_per_value<[<@m, [{}], unreduced={"y"}>]>} : tensor<8xf32>
    // expected-error@+1 {{'sdy.return' op has unreduced axes {"y"} of kind sum in operand 0, expected none}}
    sdy.return %1 : tensor<8xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

module {
  // expected-error@+1 {{'builtin.module' op is nested in another module; run the pass on each module separately}}
  module {}
}
