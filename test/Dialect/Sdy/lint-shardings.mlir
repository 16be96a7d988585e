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

// -----

// Shardings in other notations are ignored, but not silently: one warning for each
// attribute name and each target.
// expected-warning@+1 {{'builtin.module' op has a sharding as attribute 'mhlo.spmd_output_sharding', which is ignored: only shardings of the sdy dialect are read}}
module attributes {mhlo.num_partitions = 4 : i32, mhlo.spmd_output_sharding = "{replicated}"} {
  // expected-warning@+2 {{'func.func' op argument 1 has a sharding as attribute 'mhlo.sharding', which is ignored: only shardings of the sdy dialect are read (the first of 3)}}
  // expected-warning@+1 {{'func.func' op result 0 has a sharding as frontend attribute 'xla.sdy.sharding', which is ignored: only shardings of the sdy dialect are read}}
  func.func @foreign(%a: tensor<8xf32>, %b: tensor<8xf32> {mhlo.sharding = "{devices=[4]<=[4]}"})
      -> (tensor<8xf32> {mhlo.frontend_attributes = {xla.sdy.sharding = "#sdy.sharding<@mesh, [{}]>"}},
          tensor<8xf32> {mhlo.sharding = "{devices=[4]<=[4]}"}) {
    %0 = stablehlo.abs %a {mhlo.sharding = "{devices=[4]<=[4]}"} : tensor<8xf32>
    // expected-warning@+1 {{'stablehlo.custom_call' op has a sharding as custom call '@Sharding', which is ignored: only shardings of the sdy dialect are read (the first of 2)}}
    %1 = stablehlo.custom_call @Sharding(%0) {mhlo.sharding = "{devices=[4]<=[4]}"} : (tensor<8xf32>) -> tensor<8xf32>
    %2 = stablehlo.custom_call @Sharding(%1) {mhlo.sharding = "{replicated}"} : (tensor<8xf32>) -> tensor<8xf32>
    // expected-warning@+1 {{custom call '@SPMDFullToShardShape'}}
    %3 = stablehlo.custom_call @SPMDFullToShardShape(%2) {mhlo.sharding = "{manual}"} : (tensor<8xf32>) -> tensor<2xf32>
    // expected-warning@+1 {{custom call '@SPMDShardToFullShape'}}
    %4 = stablehlo.custom_call @SPMDShardToFullShape(%3) : (tensor<2xf32>) -> tensor<8xf32>
    // expected-warning@+1 {{custom call '@xla.sdy.FuncResultSharding'}}
    %5 = stablehlo.custom_call @xla.sdy.FuncResultSharding(%4) {mhlo.frontend_attributes = {xla.sdy.sharding = "#sdy.sharding_per_value<[<@mesh, [{}]>]>"}} : (tensor<8xf32>) -> tensor<8xf32>
    // A rule is imported.
    %6 = stablehlo.custom_call @rule(%5) {mhlo.frontend_attributes = {xla.sdy.sharding_rule = "#sdy.op_sharding_rule<([i])->([i]) {i=8}, custom>"}} : (tensor<8xf32>) -> tensor<8xf32>
    return %5, %6 : tensor<8xf32>, tensor<8xf32>
  }
}

// -----

sdy.mesh @mesh = <["x"=2]>
// expected-warning@+1 {{'func.func' op argument 0 has attribute 'sdy.shardin', which is ignored: the sdy dialect has no such attribute}}
func.func @ignored(%a: tensor<8xf32> {sdy.shardin = #sdy.sharding<@mesh, [{"x"}]>}, %n: index) -> tensor<8xf32> {
  // expected-warning@+1 {{'stablehlo.negate' op has attribute 'sharding', which is ignored: the names of attributes that are read begin with 'sdy.'}}
  %0 = stablehlo.negate %a {sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : tensor<8xf32>
  // expected-warning@+1 {{'sdy.sharding_constraint' op has attribute 'sdy.sharding', which is ignored: ops such as 'sdy.sharding_constraint' have their shardings in their own syntax}}
  %1 = sdy.sharding_constraint %0 <@mesh, [{"x"}]> {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}]>]>} : tensor<8xf32>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-warning@+1 {{'scf.for' op has attribute 'sdy.block_arg_sharding', which is ignored: the sharding of a block argument is that of a result of 'scf.for', or none}}
  %2 = scf.for %i = %c0 to %n step %c1 iter_args(%x = %1) -> tensor<8xf32> {
    scf.yield %x : tensor<8xf32>
  } {sdy.block_arg_sharding = #sdy.sharding_per_value<[<@mesh, []>, <@mesh, [{"x"}]>]>}
  return %2 : tensor<8xf32>
}
