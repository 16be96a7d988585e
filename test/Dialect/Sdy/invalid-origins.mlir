// RUN: ipu-opt %s --split-input-file --verify-diagnostics

sdy.mesh @mesh = <["x"=2, "y"=8]>
func.func @no_entry(%a: tensor<8xf32>) {
  // expected-error@+1 {{'stablehlo.tanh' op expects 'sdy.sharding_origins' to have one entry for each of 1 results but got 0}}
  %0 = stablehlo.tanh %a {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>, sdy.sharding_origins = []} : tensor<8xf32>
  return
}

// -----

sdy.mesh @mesh = <["x"=2, "y"=8]>
func.func @two_entries(%a: tensor<8xf32>) {
  // expected-error@+1 {{'stablehlo.tanh' op expects 'sdy.sharding_origins' to have one entry for each of 1 results but got 2}}
  %0 = stablehlo.tanh %a {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>, sdy.sharding_origins = [{x = "self"}, {}]} : tensor<8xf32>
  return
}

// -----

sdy.mesh @mesh = <["x"=2, "y"=8]>
func.func @one_for_two(%a: tensor<8xf32>, %b: tensor<8xf32>) {
  // expected-error@+1 {{expects 'sdy.sharding_origins' to have one entry for each of 2 results but got 1}}
  %0:2 = stablehlo.optimization_barrier {sdy.sharding_origins = {x = "self"}} %a, %b : tensor<8xf32>, tensor<8xf32>
  return
}

// -----

sdy.mesh @mesh = <["x"=2, "y"=8]>
func.func @foreign_axis(%a: tensor<8xf32>) {
  // expected-error@+1 {{'stablehlo.tanh' op key of 'sdy.sharding_origins' - unknown axis name: "q"}}
  %0 = stablehlo.tanh %a {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>, sdy.sharding_origins = [{q = "self"}]} : tensor<8xf32>
  return
}

// -----

func.func @foreign_axis_of_inlined_mesh(%a: tensor<8xf32>) {
  // expected-error@+1 {{key of 'sdy.sharding_origins' - unknown axis name: "y"}}
  %0 = stablehlo.tanh %a {sdy.sharding = #sdy.sharding_per_value<[<mesh<["x"=2]>, [{"x"}]>]>, sdy.sharding_origins = [{y = "self"}]} : tensor<8xf32>
  return
}

// -----

sdy.mesh @mesh = <["x"=2, "y"=8]>
func.func @no_part(%a: tensor<8xf32>) {
  // expected-error@+1 {{key of 'sdy.sharding_origins' - sub-axis next pre-size "y":(1)9 doesn't divide the size of the full axis: 8}}
  %0 = stablehlo.tanh %a {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>, sdy.sharding_origins = [{"y:(1)9" = "self"}]} : tensor<8xf32>
  return
}

// -----

sdy.mesh @mesh = <["x"=2, "y"=8]>
func.func @half_a_part(%a: tensor<8xf32>) {
  // expected-error@+1 {{'stablehlo.tanh' op expects keys of 'sdy.sharding_origins' to be axes or sub-axes but got "y:(1"}}
  %0 = stablehlo.tanh %a {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>, sdy.sharding_origins = [{"y:(1" = "self"}]} : tensor<8xf32>
  return
}

// -----

// No mesh is known here, but this is no axis of any.
func.func @part_of_nothing(%a: tensor<8xf32>) {
  // expected-error@+1 {{expects keys of 'sdy.sharding_origins' to be axes or sub-axes but got "y:(0)2"}}
  %0 = stablehlo.tanh %a {sdy.sharding_origins = [{"y:(0)2" = "self"}]} : tensor<8xf32>
  return
}

// -----

sdy.mesh @mesh = <["x"=2, "y"=8]>
func.func @from_nowhere(%a: tensor<8xf32>) {
  // expected-error@+1 {{'stablehlo.tanh' op expects 'sdy.sharding_origins' to say where "x" comes from but got an empty string}}
  %0 = stablehlo.tanh %a {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>, sdy.sharding_origins = [{x = ""}]} : tensor<8xf32>
  return
}

// -----

func.func @no_name(%a: tensor<8xf32>) {
  // expected-error@+1 {{expects 'sdy.sharding_origin_name' to be a string that is not empty but got ""}}
  %0 = stablehlo.tanh %a {sdy.sharding_origin_name = ""} : tensor<8xf32>
  return
}

// -----

sdy.mesh @mesh = <["x"=2, "y"=8]>
func.func @of_constraint(%a: tensor<8xf32>) {
  // expected-error@+1 {{'sdy.sharding_constraint' op key of 'sdy.sharding_origins' - unknown axis name: "z"}}
  %0 = sdy.sharding_constraint %a <@mesh, [{"x"}]> {sdy.sharding_origins = {z = "self"}} : tensor<8xf32>
  return
}

// -----

sdy.mesh @mesh = <["x"=2, "y"=8]>
// expected-error@+1 {{arg 0 - key of 'sdy.sharding_origins' - sub-axis next pre-size "x":(2)2 doesn't divide the size of the full axis: 2}}
func.func @of_argument(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>, sdy.sharding_origins = {"x:(2)2" = "self"}}) {
  return
}

// -----

sdy.mesh @mesh = <["x"=2, "y"=8]>
// expected-error@+1 {{result 0 - expects 'sdy.sharding_origins' to say where "x" comes from}}
func.func @of_result(%a: tensor<8xf32>) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>, sdy.sharding_origins = {x = ""}}) {
  return %a : tensor<8xf32>
}

// -----

func.func @arguments_of_plain_op(%a: tensor<8xf32>) {
  // expected-error@+1 {{'stablehlo.tanh' op expects no 'sdy.block_arg_sharding_origins', which is only for ops with data-flow edges}}
  %0 = stablehlo.tanh %a {sdy.block_arg_sharding_origins = [{}]} : tensor<8xf32>
  return
}

// -----

func.func @results_of_plain_op(%a: tensor<8xf32>) {
  // expected-error@+1 {{'stablehlo.tanh' op expects no 'sdy.result_sharding_origins'}}
  %0 = stablehlo.tanh %a {sdy.result_sharding_origins = [{x = "self"}]} : tensor<8xf32>
  return
}

// -----

func.func @steps_of_plain_op(%a: tensor<8xf32>) {
  // expected-error@+1 {{'stablehlo.tanh' op expects no 'sdy.result_propagation_edges'}}
  %0 = stablehlo.tanh %a {sdy.result_propagation_edges = [#sdy.propagation_edges<[]>]} : tensor<8xf32>
  return
}

// -----

func.func @no_block(%a: tensor<8xf32>) {
  // expected-error@+1 {{expects 'sdy.block_arg_propagation_edges' to have one entry for each argument of one of the op's regions but got 1}}
  %0 = stablehlo.optimization_barrier {sdy.block_arg_propagation_edges = [#sdy.propagation_edges<[]>]} %a : tensor<8xf32>
  return
}

// -----

func.func @too_many_of_results(%a: tensor<8xf32>) {
  // expected-error@+1 {{expects 'sdy.result_sharding_origins' to have one entry for each of 1 results but got 2}}
  %0 = stablehlo.optimization_barrier {sdy.result_sharding_origins = [{}, {}]} %a : tensor<8xf32>
  return
}

// -----

sdy.mesh @mesh = <["x"=2, "y"=8]>
func.func @manual(%a: tensor<16xf32>) -> tensor<16xf32> {
  // expected-error@+1 {{'sdy.manual_computation' op key of 'sdy.block_arg_sharding_origins' - unknown axis name: "v"}}
  %0 = sdy.manual_computation(%a) in_shardings=[<@mesh, [{"x"}]>] out_shardings=[<@mesh, [{"x"}]>] manual_axes={"x"} (%b: tensor<8xf32>) {
    sdy.return %b : tensor<8xf32>
  } {sdy.block_arg_sharding_origins = [{v = "self"}]} : (tensor<16xf32>) -> tensor<16xf32>
  return %0 : tensor<16xf32>
}

// -----

sdy.mesh @mesh = <["x"=2, "y"=8]>
func.func @too_few_of_arguments(%a: tensor<16xf32>) -> tensor<16xf32> {
  // expected-error@+1 {{expects 'sdy.block_arg_sharding_origins' to have one entry for each argument of one of the op's regions but got 0}}
  %0 = sdy.manual_computation(%a) in_shardings=[<@mesh, [{"x"}]>] out_shardings=[<@mesh, [{"x"}]>] manual_axes={"x"} (%b: tensor<8xf32>) {
    sdy.return %b : tensor<8xf32>
  } {sdy.block_arg_sharding_origins = []} : (tensor<16xf32>) -> tensor<16xf32>
  return %0 : tensor<16xf32>
}

// -----

// An axis may be named like a part of another.
sdy.mesh @mesh = <["x"=2, "x:(1)2"=4]>
func.func @legal(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x:(1)2"}]>, sdy.sharding_origins = {"x:(1)2" = "self", "x:(1)2:(2)2" = "self"}}) {
  %0 = stablehlo.tanh %a {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>, sdy.sharding_origins = [{}]} : tensor<8xf32>
  return
}
