// RUN: ipu-opt %s --split-input-file --verify-diagnostics --sdy-insert-explicit-reshards=enable-full-version=true

sdy.mesh @single = <[], device_ids=[3]>
// expected-error@+1 {{'func.func' op arg 0 has sharding #sdy.sharding<@single, []> on one device, expected a sharding on the axes of a mesh}}
func.func @arg(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@single, []>}) {
  return
}

// -----

sdy.mesh @single = <[], device_ids=[3]>
// expected-error@+1 {{'func.func' op result 0 has sharding #sdy.sharding<@single, []> on one device}}
func.func @result(%a: tensor<8xf32>) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@single, []>}) {
  return %a : tensor<8xf32>
}

// -----

sdy.mesh @mesh = <["x"=2]>
// expected-note@+1 {{result 0 of the function has sharding #sdy.sharding<@mesh, [{}], unreduced=max{"x"}>}}
func.func @maxima_begin(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}], unreduced=max{"x"}>}) {
  // expected-error@+1 {{'func.return' op cannot compute partial values of kind max for operand 0: expected unreduced axis "x" of kind max, found none}}
  return %a : tensor<8xf32>
}

// -----

sdy.mesh @mesh = <["x"=2, "y"=2]>
// expected-note@+1 {{result 1 of the function has sharding #sdy.sharding<@mesh, [{}], unreduced=min{"y"}>}}
func.func @maxima_become_minima(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}], unreduced=max{"x", "y"}>}, %b: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}], unreduced=min{"y"}>}) {
  // expected-error@+1 {{'func.return' op cannot compute partial values of kind min for operand 1: expected unreduced axis "y" of kind min, found kind max}}
  return %b, %a : tensor<8xf32>, tensor<8xf32>
}

// -----

sdy.mesh @mesh = <["x"=2, "y"=2]>
// expected-note@+1 {{result 0 of the function}}
func.func @more_maxima(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}], unreduced=max{"x"}>}) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}], unreduced=max{"x", "y"}>}) {
  // expected-error@+1 {{cannot compute partial values of kind max for operand 0: expected unreduced axis "y" of kind max, found other axes}}
  return %a : tensor<8xf32>
}

// -----

sdy.mesh @mesh = <["x"=2, "y"=2]>
sdy.mesh @other = <["x"=4]>
// expected-note@+1 {{result 0 of the function}}
func.func @maxima_elsewhere(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@other, [{}], unreduced=max{"x"}>}) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}], unreduced=max{"x"}>}) {
  // expected-error@+1 {{cannot compute partial values of kind max for operand 0: expected unreduced axis "x" of kind max, found another mesh}}
  return %a : tensor<8xf32>
}

// -----

sdy.mesh @mesh = <["x"=2]>
func.func @results_disagree(%a: tensor<8xf32>) {
  // expected-error@+1 {{results have different unreduced axes: #sdy.sharding<@mesh, [{}], unreduced={"x"}> and #sdy.sharding<@mesh, [{}]>}}
  %0:2 = stablehlo.custom_call @f(%a) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}], unreduced={"x"}>, <@mesh, [{}]>]>} : (tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>)
  return
}

// -----

module {
  // expected-error@+1 {{is nested in another module; run the pass on each module separately}}
  module {
  }
}

// -----

sdy.mesh @mesh = <["x"=2]>
func.func @maxima_of_a_sum(%a: tensor<8x8xf32>) -> tensor<8x8xf32> {
  // expected-error@+1 {{'stablehlo.dot_general' op cannot compute partial values of kind max for a result: expected unreduced axis "x" of kind max, found none}}
  %0 = stablehlo.dot_general %a, %a, contracting_dims = [1] x [0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}], unreduced=max{"x"}>]>} : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}

// -----

sdy.mesh @mesh = <["x"=2]>
func.func @maxima_of_a_constant() {
  // expected-error@+1 {{'stablehlo.constant' op cannot compute partial values of kind max for a result}}
  %0 = stablehlo.constant {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}], unreduced=max{"x"}>]>} dense<1.0> : tensor<8xf32>
  %1 = sdy.reshard %0 <@mesh, [{}]> : tensor<8xf32>
  return
}

// -----

sdy.mesh @mesh = <["x"=2]>
sdy.mesh @other = <["a"=2]>
func.func @other_axes(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, %b: tensor<8xf32> {sdy.sharding = #sdy.sharding<@other, [{"a"}]>}) -> tensor<8xf32> {
  // expected-warning@+1 {{'stablehlo.add' op has tensors on meshes with different axes, @mesh and @other: no reshards are inserted around the op}}
  %0 = stablehlo.add %a, %b : tensor<8xf32>
  return %0 : tensor<8xf32>
}
