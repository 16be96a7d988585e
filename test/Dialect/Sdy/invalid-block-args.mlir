// RUN: ipu-opt %s --split-input-file --verify-diagnostics

sdy.mesh @mesh = <["x"=2]>

func.func @kind(%a: tensor<8xf32>, %p: i1) {
  // expected-error@+1 {{should have a block argument sharding attribute of type TensorShardingPerValueAttr}}
  scf.while (%v = %a) : (tensor<8xf32>) -> () {
    scf.condition(%p)
  } do {
    scf.yield %a : tensor<8xf32>
  } attributes {sdy.block_arg_sharding = #sdy.sharding<@mesh, [{"x"}]>}
  return
}

// -----

sdy.mesh @mesh = <["x"=2]>

func.func @no_region(%a: tensor<8xf32>) {
  // expected-error@+1 {{has shardings of block arguments but no block in its first region}}
  %0 = math.exp %a {sdy.block_arg_sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : tensor<8xf32>
  return
}

// -----

sdy.mesh @mesh = <["x"=2]>

func.func @count(%a: tensor<8xf32>, %p: i1) {
  // expected-error@+1 {{block argument shardings don't match number of values: 2 shardings vs 1 values}}
  scf.while (%v = %a) : (tensor<8xf32>) -> () {
    scf.condition(%p)
  } do {
    scf.yield %a : tensor<8xf32>
  } attributes {sdy.block_arg_sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>, <@mesh, [{"x"}]>]>}
  return
}

// -----

sdy.mesh @mesh = <["x"=2]>

func.func @axis(%a: tensor<8xf32>, %p: i1) {
  // expected-error@+1 {{block argument - unknown axis name: "y"}}
  scf.while (%v = %a) : (tensor<8xf32>) -> () {
    scf.condition(%p)
  } do {
    scf.yield %a : tensor<8xf32>
  } attributes {sdy.block_arg_sharding = #sdy.sharding_per_value<[<@mesh, [{"y"}]>]>}
  return
}
