// RUN: ipu-opt %s --split-input-file --verify-diagnostics

// expected-error @+1 {{axis size must be at least 1, got: 0}}
sdy.mesh @m = <["x"=0]>

// -----

// expected-error @+1 {{device id must be non-negative, got: -1}}
sdy.mesh @m = <["x"=2], device_ids=[-1, 0]>

// -----

// expected-error @+1 {{expected 1 device id for an empty axis list, got: 2}}
sdy.mesh @m = <[], device_ids=[0, 1]>

// -----

// expected-error @+1 {{duplicate axis name: "x"}}
sdy.mesh @m = <["x"=2, "x"=4]>

// -----

// expected-error @+1 {{total product of axis sizes must match total number of device ids, got: 2 != 1}}
sdy.mesh @m = <["x"=2], device_ids=[0]>

// -----

// expected-error @+1 {{sorted device ids must be iota(product(axes)), got: 0, 2}}
sdy.mesh @m = <["x"=2], device_ids=[2, 0]>

// -----

// expected-error @+1 {{total product of axis sizes exceeds 2^63}}
sdy.mesh @m = <["x"=4611686018427387904, "y"=4]>

// -----

func.func @f() {
  // expected-error @+1 {{expects parent op 'builtin.module'}}
  sdy.mesh @m = <[]>
  return
}

// -----

// expected-error @+1 {{expected '?' to be the last element}}
#s = #sdy.sharding<@m, [{"x", ?, "y"}]>

// -----

// expected-error @+1 {{expecting priority in format 'p<number>'}}
#s = #sdy.sharding<@m, [{"x"}p01]>

// -----

// expected-error @+1 {{expecting priority in format}}
#s = #sdy.sharding<@m, [{"x"}q1]>

// -----

// expected-error @+1 {{expected 'replicated' or 'unreduced', each at most once, but got 'replicated'}}
#s = #sdy.sharding<@m, [{}], replicated={}, replicated={}>

// -----

// expected-error @+1 {{expected sum, max or min but got 'mean'}}
#s = #sdy.sharding<@m, [{}], unreduced=mean{"x"}>

// -----

sdy.mesh @m = <["x"=2, "y"=4, "z"=12]>
// expected-error @+1 {{arg 0 - unknown mesh: @n}}
func.func private @f(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@n, [{}]>})

// -----

sdy.mesh @m = <[], device_ids=[0]>
// expected-error @+1 {{a maximal sharding can only have a sharding with rank 0 and no axes, got rank 1}}
func.func private @f(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{}]>})

// -----

sdy.mesh @m = <["x"=2, "y"=4, "z"=12]>
// expected-error @+1 {{ops can only have a sharding for a tuple of size 1}}
func.func private @f(%a: tuple<tensor<8xf32>, tensor<8xf32>> {sdy.sharding = #sdy.sharding<@m, [{}]>})

// -----

sdy.mesh @m = <["x"=2, "y"=4, "z"=12]>
// expected-error @+1 {{non-shaped tensors can only have a sharding with rank 0 and no axes}}
func.func private @f(%a: i32 {sdy.sharding = #sdy.sharding<@m, [{}]>})

// -----

sdy.mesh @m = <["x"=2, "y"=4, "z"=12]>
// expected-error @+1 {{only ranked tensors with a static shape can have a sharding}}
func.func private @f(%a: tensor<*xf32> {sdy.sharding = #sdy.sharding<@m, [{}]>})

// -----

sdy.mesh @m = <["x"=2, "y"=4, "z"=12]>
// expected-error @+1 {{sharding doesn't match tensor rank: 2 != 1}}
func.func private @f(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {}]>})

// -----

sdy.mesh @m = <["x"=2, "y"=4, "z"=12]>
// expected-error @+1 {{dim 0 is empty and closed but has a priority}}
func.func private @f(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{}p1]>})

// -----

sdy.mesh @m = <["x"=2, "y"=4, "z"=12]>
// expected-error @+1 {{replicated axes are not ordered w.r.t. mesh}}
func.func private @f(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{}], replicated={"y", "x"}>})

// -----

sdy.mesh @m = <["x"=2, "y"=4, "z"=12]>
// expected-error @+1 {{unreduced axes are not ordered w.r.t. mesh}}
func.func private @f(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{}], unreduced={"z":(2)2, "z":(1)2}>})

// -----

sdy.mesh @m = <["x"=2, "y"=4, "z"=12]>
// expected-error @+1 {{unknown axis name: "w"}}
func.func private @f(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{"w"}]>})

// -----

sdy.mesh @m = <["x"=2, "y"=4, "z"=12]>
// expected-error @+1 {{duplicate axis ref: "x"}}
func.func private @f(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}], replicated={"x"}>})

// -----

sdy.mesh @m = <["x"=2, "y"=4, "z"=12]>
// expected-error @+1 {{two consecutive sub-axes can be merged: "z":(1)2, "z":(2)2}}
func.func private @f(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{"z":(1)2, "z":(2)2}]>})

// -----

sdy.mesh @m = <["x"=2, "y"=4, "z"=12]>
// expected-error @+1 {{both sub-axis and full-axis are used for axis name: "z"}}
func.func private @f(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"z"}, {"z":(1)2}]>})

// -----

sdy.mesh @m = <["x"=2, "y"=4, "z"=12]>
// expected-error @+1 {{sub-axis pre-size must be at least 1: "z":(0)2}}
func.func private @f(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{"z":(0)2}]>})

// -----

sdy.mesh @m = <["x"=2, "y"=4, "z"=12]>
// expected-error @+1 {{sub-axis size must be greater than 1: "z":(1)1}}
func.func private @f(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{"z":(1)1}]>})

// -----

sdy.mesh @m = <["x"=2, "y"=4, "z"=12]>
// expected-error @+1 {{sub-axis next pre-size "z":(2)5 doesn't divide the size of the full axis: 12}}
func.func private @f(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{"z":(2)5}]>})

// -----

sdy.mesh @m = <["x"=2, "y"=4, "z"=12]>
// expected-error @+1 {{doesn't divide the size of the full axis: 12}}
func.func private @f(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{"z":(4611686018427387904)4}]>})

// -----

sdy.mesh @m = <["x"=2, "y"=4, "z"=12]>
// expected-error @+1 {{sub-axis size is equal to the full axis size: "y":(1)4}}
func.func private @f(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{"y":(1)4}]>})

// -----

sdy.mesh @m = <["x"=2, "y"=4, "z"=12]>
// expected-error @+1 {{overlapping sub-axes: "z":(1)4, "z":(2)2}}
func.func private @f(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"z":(1)4}, {"z":(2)2}]>})

// -----

sdy.mesh @m = <["x"=2, "y"=4, "z"=12]>
// expected-error @+1 {{should have a sharding attribute of type TensorShardingAttr}}
func.func private @f(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding_per_value<[]>})

// -----

sdy.mesh @m = <["x"=2, "y"=4, "z"=12]>
// expected-error @+1 {{result 0 - unknown axis name: "w"}}
func.func private @f() -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{"w"}]>})

// -----

sdy.mesh @m = <["x"=2, "y"=4, "z"=12]>
func.func @f(%a: tensor<8xf32>) {
  // expected-error @+1 {{should have a sharding attribute of type TensorShardingPerValueAttr}}
  %0 = stablehlo.negate %a {sdy.sharding = #sdy.sharding<@m, [{}]>} : tensor<8xf32>
  return
}

// -----

sdy.mesh @m = <["x"=2, "y"=4, "z"=12]>
func.func @f(%a: tensor<8xf32>) {
  // expected-error @+1 {{result shardings don't match number of values: 2 shardings vs 1 values}}
  %0 = stablehlo.negate %a {sdy.sharding = #sdy.sharding_per_value<[<@m, [{}]>, <@m, [{}]>]>} : tensor<8xf32>
  return
}

// -----

sdy.mesh @m = <["x"=2, "y"=4, "z"=12]>
func.func @f(%a: tensor<8xf32>) {
  // expected-error @+1 {{result 1 - unknown axis name: "w"}}
  %0:2 = stablehlo.optimization_barrier {sdy.sharding = #sdy.sharding_per_value<[<@m, [{}]>, <@m, [{"w"}]>]>} %a, %a : tensor<8xf32>, tensor<8xf32>
  return
}

// -----

sdy.mesh @m = <["x"=2, "y"=4, "z"=12]>
func.func @f(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x", "y"}, {}]>}) {
  // expected-error @+1 {{cannot specify `BOTH` as the direction}}
  %0 = sdy.propagation_barrier %a allowed_direction=BOTH : tensor<8x8xf32>
  return
}

// -----

sdy.mesh @m = <["x"=2, "y"=4, "z"=12]>
func.func @f(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x", "y"}, {}]>}) {
  // expected-error @+1 {{unknown axis name: "w"}}
  %0 = sdy.sharding_constraint %a <@m, [{"w"}, {}]> : tensor<8x8xf32>
  return
}

// -----

sdy.mesh @m = <["x"=2, "y"=4, "z"=12]>
func.func @f(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x", "y"}, {}]>}) {
  // expected-error @+1 {{cannot introduce unreduced axis "z" of kind max}}
  %0 = sdy.reshard %a <@m, [{}, {}], unreduced=max{"z"}> : tensor<8x8xf32>
  return
}

// -----

sdy.mesh @m = <["x"=2, "y"=4, "z"=12]>
func.func @f(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {}], unreduced=max{"x"}>}) {
  // expected-error @+1 {{cannot remove unreduced axis "x" of kind max}}
  %0 = sdy.all_reduce {"x"} %a out_sharding=<@m, [{}, {}]> : tensor<8x8xf32>
  return
}

// -----

sdy.mesh @m = <["x"=2, "y"=4, "z"=12]>
func.func @f(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {}], unreduced=max{"x"}>}) {
  // expected-error @+1 {{cannot change the kind of unreduced axis "x" from max to sum}}
  %0 = sdy.reshard %a <@m, [{}, {}], unreduced={"x"}> : tensor<8x8xf32>
  return
}

// -----

sdy.mesh @m = <["x"=2, "y"=4, "z"=12]>
func.func @f(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x", "y"}, {}]>}) {
  // expected-error @+1 {{input of data_flow_edge must have a single user}}
  %0 = sdy.data_flow_edge %a : tensor<8x8xf32>
  %1 = stablehlo.negate %a : tensor<8x8xf32>
  return
}

// -----

sdy.mesh @m = <["x"=2, "y"=4, "z"=12]>
func.func @f(%a: tensor<8xf32>) {
  %0 = sdy.reshard %a <@m, [{}]> : tensor<8xf32>
  // expected-error @+1 {{input of data_flow_edge cannot be defined by an op of the sdy dialect: sdy.reshard}}
  %1 = sdy.data_flow_edge %0 : tensor<8xf32>
  return
}

// -----

func.func @f(%a: tensor<8xf32>) {
  %0 = stablehlo.negate %a : tensor<8xf32>
  // expected-error @+1 {{input of func_data_flow_edge must be an argument of a function or a result of a call}}
  %1 = sdy.func_data_flow_edge %0 : tensor<8xf32>
  return
}

// -----

func.func @f(%a: tensor<8xf32>) {
  cf.br ^next(%a : tensor<8xf32>)
^next(%b: tensor<8xf32>):
  // expected-error @+1 {{input of func_data_flow_edge must be an argument of a function or a result of a call}}
  %0 = sdy.func_data_flow_edge %b : tensor<8xf32>
  return
}

// -----

sdy.mesh @m = <["x"=2, "y"=4, "z"=12]>
func.func @f(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x", "y"}, {}]>}) {
  // expected-error @+1 {{can't apply gathering axes {"x"} to operand axes {"x", "y"} on dimension 0}}
  %0 = sdy.all_gather [{"x"}, {}] %a out_sharding=<@m, [{"y"}, {}]> : tensor<8x8xf32>
  return
}

// -----

sdy.mesh @m = <["x"=2, "y"=4, "z"=12]>
func.func @f(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x", "y"}, {}]>}) {
  // expected-error @+1 {{result sharding doesn't match expected sharding {"x"} on dimension 0}}
  %0 = sdy.all_gather [{"y"}, {}] %a out_sharding=<@m, [{}, {}]> : tensor<8x8xf32>
  return
}

// -----

sdy.mesh @m = <["x"=2, "y"=4, "z"=12]>
func.func @f(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x", "y"}, {}]>}) {
  // expected-error @+1 {{result sharding has rank 2 but collective axes has rank 1}}
  %0 = sdy.all_gather [{"y"}] %a out_sharding=<@m, [{"x"}, {}]> : tensor<8x8xf32>
  return
}

// -----

sdy.mesh @m = <["x"=2, "y"=4, "z"=12]>
func.func @f(%a: tensor<8x8xf32>) {
  // expected-error @+1 {{collective on operand without sharding}}
  %0 = sdy.all_gather [{}, {}] %a out_sharding=<@m, [{}, {}]> : tensor<8x8xf32>
  return
}

// -----

sdy.mesh @m = <["x"=2, "y"=4, "z"=12]>
func.func @f(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x", "y"}, {}]>}) {
  // expected-error @+1 {{result sharding doesn't match expected sharding {"z"} on dimension 1}}
  %0 = sdy.all_slice [{}, {"z"}] %a out_sharding=<@m, [{"x", "y"}, {}]> : tensor<8x8xf32>
  return
}

// -----

sdy.mesh @m = <["x"=2, "y"=4, "z"=12]>
func.func @f(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x", "y"}, {}]>}) {
  // expected-error @+1 {{parameter list is empty}}
  %0 = sdy.all_to_all [] %a out_sharding=<@m, [{"x", "y"}, {}]> : tensor<8x8xf32>
  return
}

// -----

sdy.mesh @m = <["x"=2, "y"=4, "z"=12]>
func.func @f(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x", "y"}, {}]>}) {
  // expected-error @+1 {{dimension 2 is out of range [0, 2)}}
  %0 = sdy.all_to_all [{"y"}: 0->2] %a out_sharding=<@m, [{"x", "y"}, {}]> : tensor<8x8xf32>
  return
}

// -----

sdy.mesh @m = <["x"=2, "y"=4, "z"=12]>
func.func @f(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x", "y"}, {}]>}) {
  // expected-error @+1 {{overlapping source/target dimension: 0}}
  %0 = sdy.all_to_all [{"y"}: 0->0] %a out_sharding=<@m, [{"x", "y"}, {}]> : tensor<8x8xf32>
  return
}

// -----

sdy.mesh @m = <["x"=2, "y"=4, "z"=12]>
func.func @f(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x", "y"}, {}]>}) {
  // expected-error @+1 {{can't move axes {"x"} from operand axes {"x", "y"} on dimension 0}}
  %0 = sdy.all_to_all [{"x"}: 0->1] %a out_sharding=<@m, [{"y"}, {"x"}]> : tensor<8x8xf32>
  return
}

// -----

sdy.mesh @m = <["x"=2, "y"=4, "z"=12]>
func.func @f(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x", "y"}, {}]>}) {
  // expected-error @+1 {{sharded size of result doesn't match operand on dimension 0: 2 != 8}}
  %0 = sdy.collective_permute %a out_sharding=<@m, [{"x"}, {"y"}]> : tensor<8x8xf32>
  return
}

// -----

sdy.mesh @m = <["x"=2, "y"=4, "z"=12]>
func.func @f(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x", "y"}, {}]>}) {
  // expected-error @+1 {{axis {"x"} overlaps with operand sharding or unreduced axes}}
  %0 = sdy.replicated_to_unreduced {"x"} %a out_sharding=<@m, [{"x", "y"}, {}], unreduced={"z"}> : tensor<8x8xf32>
  return
}

// -----

sdy.mesh @m = <["x"=2, "y"=4, "z"=12]>
func.func @f(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x", "y"}, {}]>}) {
  // expected-error @+1 {{result unreduced axes {} don't match expected ones {"z"}}}
  %0 = sdy.replicated_to_unreduced {"z"} %a out_sharding=<@m, [{"x", "y"}, {}]> : tensor<8x8xf32>
  return
}

// -----

sdy.mesh @m = <["x"=2, "y"=4, "z"=12]>
func.func @f(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x", "y"}, {}]>}) {
  // expected-error @+1 {{reduction axis {"x"} overlaps with operand sharding or replicated axes}}
  %0 = sdy.all_reduce {"x"} %a out_sharding=<@m, [{"x", "y"}, {}]> : tensor<8x8xf32>
  return
}

// -----

sdy.mesh @m = <["x"=2, "y"=4, "z"=12]>
func.func @f(%a: tensor<8x8xf32>) {
  // expected-error @+1 {{operand sharding at index 0 must have all manual axes come before free axes in its dimension sharding at index 0}}
  %0 = sdy.manual_computation(%a) in_shardings=[<@m, [{"y", "x"}, {}]>] out_shardings=[<@m, [{"x"}, {}]>] manual_axes={"x"} (%b: tensor<4x8xf32>) {
    sdy.return %b : tensor<4x8xf32>
  } : (tensor<8x8xf32>) -> tensor<8x8xf32>
  return
}

// -----

sdy.mesh @m = <["x"=2, "y"=4, "z"=12]>
func.func @f(%a: tensor<8x8xf32>) {
  // expected-error @+1 {{operand dimension size 8 is not divisible by the number of shards 12 of manual axes, at index 0 and dimension 0}}
  %0 = sdy.manual_computation(%a) in_shardings=[<@m, [{"z"}, {}]>] out_shardings=[<@m, [{"z"}, {}]>] manual_axes={"z"} (%b: tensor<4x8xf32>) {
    sdy.return %b : tensor<4x8xf32>
  } : (tensor<8x8xf32>) -> tensor<8x8xf32>
  return
}

// -----

sdy.mesh @m = <["x"=2, "y"=4, "z"=12]>
func.func @f(%a: tensor<8x8xf32>) {
  // expected-error @+1 {{operand 0 has local type 'tensor<2x8xf32>' in the body but the global type and the manual axes give 'tensor<4x8xf32>'}}
  %0 = sdy.manual_computation(%a) in_shardings=[<@m, [{"x"}, {}]>] out_shardings=[<@m, [{"x"}, {}]>] manual_axes={"x"} (%b: tensor<2x8xf32>) {
    sdy.return %b : tensor<2x8xf32>
  } : (tensor<8x8xf32>) -> tensor<8x8xf32>
  return
}

// -----

sdy.mesh @m = <["x"=2, "y"=4, "z"=12]>
sdy.mesh @n = <["x"=2]>
func.func @f(%a: tensor<8xf32>) {
  // expected-error @+1 {{all in/out shardings must be bound to the same mesh}}
  %0 = sdy.manual_computation(%a) in_shardings=[<@m, [{"x"}]>] out_shardings=[<@n, [{"x"}]>] manual_axes={"x"} (%b: tensor<4xf32>) {
    sdy.return %b : tensor<4xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  return
}

// -----

sdy.mesh @m = <["x"=2, "y"=4, "z"=12]>
func.func @f(%a: tensor<8xf32>) {
  // expected-note @+1 {{parent bounding this axis as manual}}
  %0 = sdy.manual_computation(%a) in_shardings=[<@m, [{"x"}]>] out_shardings=[<@m, [{"x"}]>] manual_axes={"x"} (%b: tensor<4xf32>) {
    // expected-error @+1 {{operates on axis "x" which is already bound by a parent sdy.manual_computation op}}
    %1 = sdy.sharding_constraint %b <@m, [{"x"}]> : tensor<4xf32>
    sdy.return %1 : tensor<4xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  return
}

// -----

sdy.mesh @m = <["x"=2, "y"=4, "z"=12]>
func.func @f(%a: tensor<8xf32>) {
  // expected-error @+1 {{expects the body to take values of the operands' types ('tensor<8xf32>') but got ('tensor<4xf32>')}}
  %0 = sdy.named_computation<"g">(%a) (%b: tensor<4xf32>) {
    sdy.return %b : tensor<4xf32>
  } : (tensor<8xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @f(%a: tensor<8x4xf32>) {
  // expected-error @+1 {{number of operands and mappings must match: 1 != 2}}
  %0 = stablehlo.negate %a {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [i, j])->([i, j]) {i=8, j=4}>} : tensor<8x4xf32>
  return
}

// -----

func.func @f(%a: tensor<8x4xf32>) {
  // expected-error @+1 {{operand 0 mapping rank must match: 1 != 2}}
  %0 = stablehlo.negate %a {sdy.sharding_rule = #sdy.op_sharding_rule<([i])->([i]) {i=8}>} : tensor<8x4xf32>
  return
}

// -----

func.func @f(%a: tensor<8x4xf32>) {
  // expected-error @+1 {{operand 0 has a factor out of range: k}}
  %0 = stablehlo.negate %a {sdy.sharding_rule = #sdy.op_sharding_rule<([i, k])->([i, j]) {i=8, j=4}>} : tensor<8x4xf32>
  return
}

// -----

func.func @f(%a: tensor<8x4xf32>) {
  // expected-error @+1 {{cannot reuse factor i in operand 0}}
  %0 = stablehlo.negate %a {sdy.sharding_rule = #sdy.op_sharding_rule<([i, i])->([i, j]) {i=8, j=4}>} : tensor<8x4xf32>
  return
}

// -----

func.func @f(%a: tensor<8x4xf32>) {
  // expected-error @+1 {{dimension with several factors has a factor of size 1: k}}
  %0 = stablehlo.negate %a {sdy.sharding_rule = #sdy.op_sharding_rule<([ik, j])->([i, j]) {i=8, j=4, k=1}>} : tensor<8x4xf32>
  return
}

// -----

func.func @f(%a: tensor<8x4xf32>) {
  // expected-error @+1 {{has factor j=-4 of negative size}}
  %0 = stablehlo.custom_call @f(%a) {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=8, j=-4}>} : (tensor<8x4xf32>) -> tensor<8x4xf32>
  return
}

// -----

func.func @f(%a: tensor<8x4xf32>) {
  // expected-error @+1 {{has factor k=2 that isn't used in operand and result mappings}}
  %0 = stablehlo.negate %a {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=8, j=4, k=2}>} : tensor<8x4xf32>
  return
}

// -----

func.func @f(%a: tensor<8x4xf32>) {
  // expected-error @+1 {{indices of permutation factors must be unique and sorted}}
  %0 = stablehlo.negate %a {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=8, j=4} permutation={j, i}>} : tensor<8x4xf32>
  return
}

// -----

func.func @f(%a: tensor<8x4xf32>) {
  // expected-error @+1 {{permutation factor out of range: k}}
  %0 = stablehlo.negate %a {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=8, j=4} permutation={k}>} : tensor<8x4xf32>
  return
}

// -----

func.func @f(%a: tensor<8x4xf32>) {
  // expected-error @+1 {{factor i can only be in one of the reduction, need_replication and permutation sets}}
  %0 = stablehlo.negate %a {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=8, j=4} need_replication={i} permutation={i}>} : tensor<8x4xf32>
  return
}

// -----

func.func @f(%a: tensor<8x4xf32>) {
  // expected-error @+1 {{reduction factor j cannot be in a result}}
  %0 = stablehlo.negate %a {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=8, j=4} reduction={j}>} : tensor<8x4xf32>
  return
}

// -----

func.func @f(%a: tensor<?xf32>) {
  // expected-error @+1 {{expected operand 0 to be a ranked, static tensor}}
  %0 = stablehlo.negate %a {sdy.sharding_rule = #sdy.op_sharding_rule<([i])->([i]) {i=8}>} : tensor<?xf32>
  return
}

// -----

func.func @f(%a: tensor<8xf32>) {
  // expected-error @+1 {{should have a sharding rule attribute of type OpShardingRuleAttr}}
  %0 = stablehlo.negate %a {sdy.sharding_rule = 1 : i32} : tensor<8xf32>
  return
}

// -----

// expected-error @+1 {{expecting factor symbols i to z, z_1, z_2, ... but got 'a'}}
#r = #sdy.op_sharding_rule<([a])->([i]) {i=8}>

// -----

// expected-error @+1 {{but got 'z_0'}}
#r = #sdy.op_sharding_rule<([z_0])->([i]) {i=8}>

// -----

// expected-error @+1 {{expecting factor indices to be ordered like an iota}}
#r = #sdy.op_sharding_rule<([i])->([i]) {j=8}>

// -----

// expected-error @+1 {{expecting one factor symbol but got 2}}
#r = #sdy.op_sharding_rule<([i])->([i]) {ij=8}>

// -----

// expected-error @+1 {{expecting operand or result but got 'value'}}
#e = #sdy.propagation_edges<[{step-1 = [{"x" = value-0 -> []}]}]>

// -----

// expected-error @+1 {{expected '-'}}
#e = #sdy.propagation_edges<[{step 1 = []}]>
