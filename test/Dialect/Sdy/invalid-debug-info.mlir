// RUN: ipu-opt %s --split-input-file --verify-diagnostics

sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func @steps_twice(%a: tensor<8xf32>) {
  // expected-error@+1 {{propagation edges have duplicate step index: 3}}
  %0 = stablehlo.abs %a {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>, sdy.propagation_edges = #sdy.propagation_edges<[{step-3 = [{"x" = operand-0 -> [result-0]}]}, {step-3 = [{"y" = operand-0 -> [result-0]}]}]>} : tensor<8xf32>
  return
}

// -----

sdy.mesh @mesh = <["x"=2]>
func.func @negative_step(%a: tensor<8xf32>) {
  // expected-error@+1 {{propagation edges have negative step index: -1}}
  %0 = stablehlo.abs %a {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>, sdy.propagation_edges = #sdy.propagation_edges<[{step--1 = [{"x" = operand-0 -> [result-0]}]}]>} : tensor<8xf32>
  return
}

// -----

sdy.mesh @mesh = <["x"=2]>
func.func @to_itself(%a: tensor<8xf32>) {
  // expected-error@+1 {{propagation edges have a source that is the same as a target}}
  %0 = stablehlo.abs %a {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>, sdy.propagation_edges = #sdy.propagation_edges<[{step-0 = [{"x" = operand-0 -> [result-0, operand-0]}]}]>} : tensor<8xf32>
  return
}

// -----

sdy.mesh @mesh = <["x"=2]>
func.func @twice_there(%a: tensor<8xf32>) {
  // expected-error@+1 {{propagation edges have duplicate targets for step index: 7 and axis: x}}
  %0 = stablehlo.abs %a {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>, sdy.propagation_edges = #sdy.propagation_edges<[{step-7 = [{"x" = operand-0 -> [result-0, result-0]}]}]>} : tensor<8xf32>
  return
}

// -----

sdy.mesh @mesh = <["x"=2]>
func.func @no_such_operand(%a: tensor<8xf32>) {
  // expected-error@+1 {{expected a value ref to have an operand index in range [0, 1), got: 2}}
  %0 = stablehlo.abs %a {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>, sdy.propagation_edges = #sdy.propagation_edges<[{step-0 = [{"x" = operand-2 -> [result-0]}]}]>} : tensor<8xf32>
  return
}

// -----

sdy.mesh @mesh = <["x"=2]>
func.func @no_such_result(%a: tensor<8xf32>) {
  // expected-error@+1 {{expected a value ref to have a result index in range [0, 1), got: 1}}
  %0 = stablehlo.abs %a {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>, sdy.propagation_edges = #sdy.propagation_edges<[{step-0 = [{"x" = operand-0 -> [result-1]}]}]>} : tensor<8xf32>
  return
}

// -----

sdy.mesh @mesh = <["x"=2]>
func.func @nothing_sharded(%a: tensor<8xf32>) {
  // expected-error@+1 {{expected propagation edges attr to reference a sharding}}
  %0 = stablehlo.abs %a {sdy.propagation_edges = #sdy.propagation_edges<[{step-0 = [{"x" = operand-0 -> [result-0]}]}]>} : tensor<8xf32>
  return
}

// -----

sdy.mesh @mesh = <["x"=2]>
func.func @foreign_axis(%a: tensor<8xf32>) {
  // expected-error@+1 {{expected axis ref to be in one of the meshes, got: "z"}}
  %0 = stablehlo.abs %a {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>, sdy.propagation_edges = #sdy.propagation_edges<[{step-0 = [{"z" = operand-0 -> [result-0]}]}]>} : tensor<8xf32>
  return
}

// -----

func.func @no_steps(%a: tensor<8xf32>) {
  // expected-error@+1 {{should have a propagation edges attribute of type PropagationEdgesAttr for attr named 'sdy.propagation_edges'}}
  %0 = stablehlo.abs %a {sdy.propagation_edges = 1} : tensor<8xf32>
  return
}

// -----

func.func @no_list(%a: tensor<8xf32>) {
  // expected-error@+1 {{should have a propagation edges attribute of type ArrayAttr<PropagationEdgesAttr> for attr named 'sdy.result_propagation_edges' or 'sdy.block_arg_propagation_edges'}}
  %0 = stablehlo.optimization_barrier {sdy.result_propagation_edges = #sdy.propagation_edges<[]>} %a : tensor<8xf32>
  return
}

// -----

func.func @no_list_of_steps(%a: tensor<8xf32>) {
  // expected-error@+1 {{should have a propagation edges attribute of type ArrayAttr<PropagationEdgesAttr>}}
  %0 = stablehlo.optimization_barrier {sdy.block_arg_propagation_edges = [1]} %a : tensor<8xf32>
  return
}

// -----

func.func @steps_in_list(%a: tensor<8xf32>) {
  // expected-error@+1 {{propagation edges have negative step index: -2}}
  %0 = stablehlo.optimization_barrier {sdy.result_propagation_edges = [#sdy.propagation_edges<[{step--2 = [{"x" = operand-0 -> [result-0]}]}]>]} %a : tensor<8xf32>
  return
}

// -----

func.func @name_of_origin(%a: tensor<8xf32>) {
  // expected-error@+1 {{expects 'sdy.sharding_origin_name' to be a string that is not empty but got 3 : i64}}
  %0 = stablehlo.abs %a {sdy.sharding_origin_name = 3} : tensor<8xf32>
  return
}

// -----

func.func @origins(%a: tensor<8xf32>) {
  // expected-error@+1 {{expects 'sdy.sharding_origins' to be a dictionary of strings or an array of dictionaries of strings but got [{x = 1 : i64}]}}
  %0 = stablehlo.abs %a {sdy.sharding_origins = [{x = 1}]} : tensor<8xf32>
  return
}

// -----

func.func @origins_of_results(%a: tensor<8xf32>) {
  // expected-error@+1 {{expects 'sdy.result_sharding_origins' to be an array of dictionaries of strings but got {x = "self"}}}
  %0 = stablehlo.optimization_barrier {sdy.result_sharding_origins = {x = "self"}} %a : tensor<8xf32>
  return
}

// -----

// expected-error@+1 {{arg 0 - expects 'sdy.sharding_origins' to be a dictionary of strings but got "self"}}
func.func @origins_of_argument(%a: tensor<8xf32> {sdy.sharding_origins = "self"}) {
  return
}

// -----

// expected-error@+1 {{result 0 - should have a propagation edges attribute of type PropagationEdgesAttr}}
func.func @steps_of_result(%a: tensor<8xf32>) -> (tensor<8xf32> {sdy.propagation_edges = []}) {
  return %a : tensor<8xf32>
}

// -----

// The sources of an edge are not its operands: no range is known.
sdy.mesh @mesh = <["x"=2]>
func.func @edge(%a: tensor<8xf32>) -> tensor<8xf32> {
  %0 = stablehlo.optimization_barrier %a : tensor<8xf32>
  %1 = sdy.data_flow_edge %0 {sdy.propagation_edges = #sdy.propagation_edges<[{step-0 = [{"x" = operand-3 -> [result-0]}]}]>} : tensor<8xf32>
  return %1 : tensor<8xf32>
}
