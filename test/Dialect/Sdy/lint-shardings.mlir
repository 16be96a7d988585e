// RUN: ipu-opt %s --sdy-lint-shardings --split-input-file --verify-diagnostics -o %t
// RUN: ipu-opt %s --sdy-import-pipeline --split-input-file --verify-diagnostics -o %t

// expected-note@+1 {{the other mesh}}
sdy.mesh @four = <["x"=2, "y"=2]>
// expected-warning@+1 {{mesh @eight has 8 devices but mesh @four has 4}}
sdy.mesh @eight = <["x"=8]>
sdy.mesh @same = <["z"=4]>
sdy.mesh @one = <[], device_ids=[3]>
sdy.mesh @none = <[]>

// -----

sdy.mesh @mesh = <["x"=2, "y"=4]>
// expected-warning@+1 {{argument 1 has a sharded dimension of size 0: #sdy.sharding<@mesh, [{"x"}]>}}
func.func @empty(%a: tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>},
                 %b: tensor<0xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) {
  return
}

// -----

sdy.mesh @mesh = <["x"=2, "y"=4, "z"=2]>
// Three rows for eight devices is padding; none of "y" has anything to do where
// "x" has used up the rows.
// expected-warning@+3 {{dimension 0 of result 0 has size 2 but all axes except the last already divide it into 2 shards; the last axis only adds empty shards: #sdy.sharding<@mesh, [{"x", "y"}]>}}
// expected-warning@+2 {{'func.func' op argument 0 expects axes that divide 'tensor<3xf32>' but got #sdy.sharding<@mesh, [{"x", "y"}]>; keeps #sdy.sharding<@mesh, [{}]>}}
// expected-warning@+1 {{'func.func' op result 0 expects axes that divide 'tensor<2xf32>' but got #sdy.sharding<@mesh, [{"x", "y"}]>; keeps #sdy.sharding<@mesh, [{"x"}]>}}
func.func @idle(%a: tensor<3xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", "y"}]>})
    -> (tensor<2xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", "y"}]>}) {
  %0 = stablehlo.slice %a [0:2] : (tensor<3xf32>) -> tensor<2xf32>
  // expected-warning@+1 {{dimension 0 of result 0 has size 2 but all axes except the last already divide it into 8 shards; the last axis only adds empty shards: #sdy.sharding<@mesh, [{"x", "y", "z"}]>}}
  %1 = stablehlo.abs %0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x", "y", "z"}]>]>} : tensor<2xf32>
  return %1 : tensor<2xf32>
}

// -----

sdy.mesh @mesh = <["x"=2]>
func.func @manual(%a: tensor<0x4xf32>) -> tensor<0x4xf32> {
  // expected-warning@+1 {{operand 0 has a sharded dimension of size 0}}
  %0 = sdy.manual_computation(%a) in_shardings=[<@mesh, [{"x"}, {}]>] out_shardings=[<@mesh, [{}, {"x"}]>]
      manual_axes={} (%b: tensor<0x4xf32>) {
    sdy.return %b : tensor<0x4xf32>
  } : (tensor<0x4xf32>) -> tensor<0x4xf32>
  return %0 : tensor<0x4xf32>
}

// -----

func.func @rules(%a: tensor<8xf32>) -> tensor<4xf32> {
  // The factor is as large as the operand's dimension: fine.
  %0 = stablehlo.custom_call @half(%a) {sdy.sharding_rule = #sdy.op_sharding_rule<([i])->([i]) {i=8}, custom>} : (tensor<8xf32>) -> tensor<4xf32>
  // expected-warning@+1 {{factor i of the rule has size 3, but in each dimension with this factor, the product of the factor sizes differs from the dimension's size}}
  %1 = stablehlo.custom_call @third(%a) {sdy.sharding_rule = #sdy.op_sharding_rule<([i])->([j]) {i=3, j=4}, custom>} : (tensor<8xf32>) -> tensor<4xf32>
  %2 = stablehlo.add %0, %1 : tensor<4xf32>
  return %2 : tensor<4xf32>
}
