// RUN: ipu-opt %s --split-input-file --verify-diagnostics --sdy-propagation-pipeline

func.func public @dynamic(%a: tensor<?xf32>) -> tensor<?xf32> {
  // expected-error @below {{'stablehlo.negate' op cannot take part in the propagation of shardings: expects static shapes and no tuples but result 0 is 'tensor<?xf32>'}}
  %0 = stablehlo.negate %a : tensor<?xf32>
  return %0 : tensor<?xf32>
}

// -----

func.func public @group_shapes(%a: tensor<8xf32>, %b: tensor<4xf32>) {
  // expected-note @below {{another member is of type 'tensor<8xf32>'}}
  sdy.sharding_group %a group_id=0 : tensor<8xf32>
  // expected-error @below {{'sdy.sharding_group' op of group 0 expects members of one shape but got 'tensor<4xf32>'}}
  sdy.sharding_group %b group_id=0 : tensor<4xf32>
  return
}

// -----

sdy.mesh @mesh = <["x"=2]>

func.func public @group_across_computations(%a: tensor<8xf32>) -> tensor<8xf32> {
  %0 = sdy.manual_computation(%a) in_shardings=[<@mesh, [{}], replicated={"x"}>] out_shardings=[<@mesh, [{}], replicated={"x"}>] manual_axes={"x"} (%b: tensor<8xf32>) {
    // expected-note @below {{another member is here}}
    sdy.sharding_group %b group_id=0 : tensor<8xf32>
    sdy.return %b : tensor<8xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  // expected-error @below {{'sdy.sharding_group' op of group 0 expects all members in one manual computation, or all outside of manual computations}}
  sdy.sharding_group %0 group_id=0 : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

func.func private @beside()
// expected-error @below {{'builtin.module' op is nested in another module; run the pass on each module separately}}
module {
  sdy.mesh @mesh = <["x"=1]>
}
