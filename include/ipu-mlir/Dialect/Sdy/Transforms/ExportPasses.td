//===- ExportPasses.td - Passes after propagation ----------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The passes that make a partitioned program of propagated shardings: explicit
// reshards and collectives, and nothing that only propagation needs.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_DIALECT_SDY_TRANSFORMS_EXPORTPASSES
#define IPU_MLIR_DIALECT_SDY_TRANSFORMS_EXPORTPASSES

include "mlir/Pass/PassBase.td"

def ConstantOrScalarMergerPass : Pass<"sdy-constant-or-scalar-merger", "::mlir::ModuleOp"> {
  let summary = "Merge equal constants with equal shardings";
  let description = [{
    Erases a constant expression if one before it in the same block has the same ops,
    attributes and shardings, and lets users of its values read those of the earlier
    one. It merges what `sdy-constant-or-scalar-splitter` has cloned for propagation.

    Before:
    ```mlir
    func.func @f(%arg0: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
      %0 = sdy.constant {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"} ]>]>} dense<1.0> : tensor<8xf32>
      %1 = sdy.constant {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"} ]>]>} dense<1.0> : tensor<8xf32>
      %2 = arith.addf %arg0, %0 : tensor<8xf32>
      %3 = arith.mulf %arg0, %1 : tensor<8xf32>
      return %2, %3 : tensor<8xf32>, tensor<8xf32>
    }
    ```
    After:
    ```mlir
    func.func @f(%arg0: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
      %0 = sdy.constant {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"} ]>]>} dense<1.0> : tensor<8xf32>
      %1 = arith.addf %arg0, %0 : tensor<8xf32>
      %2 = arith.mulf %arg0, %0 : tensor<8xf32>
      return %1, %2 : tensor<8xf32>, tensor<8xf32>
    }
    ```
  }];
}
def SinkDataFlowEdgesPass : Pass<"sdy-sink-data-flow-edges", "::mlir::ModuleOp"> {
  let summary = "Replace data-flow edge ops by shardings of their owners";
  let description = [{
    Erases each `sdy.data_flow_edge` and gives its sharding to the owner of the edge:
    the op whose result it reads, or the op whose block argument it reads.

    Before:
    ```mlir
    func.func @f(%arg0: tensor<8xf32>, %arg1: index) -> tensor<8xf32> {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %0 = scf.for %arg2 = %c0 to %arg1 step %c1 iter_args(%arg3 = %arg0) -> (tensor<8xf32>) {
        %2 = math.exp %arg3 : tensor<8xf32>
        scf.yield %2 : tensor<8xf32>
      }
      %1 = sdy.data_flow_edge %0 sharding=<@m, [{"x"} ]> : tensor<8xf32>
      return %1 : tensor<8xf32>
    }
    ```
    After:
    ```mlir
    func.func @f(%arg0: tensor<8xf32>, %arg1: index) -> tensor<8xf32> {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %0 = scf.for %arg2 = %c0 to %arg1 step %c1 iter_args(%arg3 = %arg0) -> (tensor<8xf32>) {
        %1 = math.exp %arg3 : tensor<8xf32>
        scf.yield %1 : tensor<8xf32>
      } {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"} ]>]>}
      return %0 : tensor<8xf32>
    }
    ```
  }];
  let options = [
    Option<"sinkDebugShardingOrigins", "sink-debug-sharding-origins", "bool",
      "false", "move origins of axes to the ops of the owners, instead of "
               "dropping them with the edges">,
    Option<"sinkDebugPropagationEdges", "sink-debug-propagation-edge-sharding",
      "bool", "false", "likewise the steps of propagation">,
  ];
}
def RemoveShardingGroupsPass : Pass<"sdy-remove-sharding-groups", "::mlir::ModuleOp"> {
  let summary = "Remove sharding groups";
  let description = [{
    Erases all `sdy.sharding_group` ops, which have no meaning after propagation.

    Before:
    ```mlir
    func.func @f(%arg0: tensor<8xf32>) {
      sdy.sharding_group %arg0 group_id=0 : tensor<8xf32>
      return
    }
    ```
    After:
    ```mlir
    func.func @f(%arg0: tensor<8xf32>) {
      return
    }
    ```
  }];
}
def ShardingConstraintToReshardPass : Pass<"sdy-sharding-constraint-to-reshard", "::mlir::ModuleOp"> {
  let summary = "Turn sharding constraints into reshards";
  let description = [{
    Replaces each `sdy.sharding_constraint` by an `sdy.reshard` to the same sharding:
    after propagation a constraint is a change of its operand's sharding.

    Before:
    ```mlir
    func.func @f(%arg0: tensor<8xf32>) -> tensor<8xf32> {
      %0 = sdy.sharding_constraint %arg0 <@m, [{"x"} ]> : tensor<8xf32>
      return %0 : tensor<8xf32>
    }
    ```
    After:
    ```mlir
    func.func @f(%arg0: tensor<8xf32>) -> tensor<8xf32> {
      %0 = sdy.reshard %arg0 <@m, [{"x"} ]> : tensor<8xf32>
      return %0 : tensor<8xf32>
    }
    ```
  }];
}
def UpdateNonDivisibleInputOutputShardingsPass : Pass<"sdy-update-non-divisible-input-output-shardings", "::mlir::ModuleOp"> {
  let summary = "Drop axes that do not divide inputs and outputs";
  let description = [{
    In: shardings of arguments and results of functions, calls and manual
    computations. Out: in each dimension the longest prefix of the axes that
    divides it; of an axis that fits in part, the part that does. The pass warns
    of each sharding that is another one then. In pipelines, where most of them
    come from propagation, `sdy-lint-shardings` warns instead, before it.

    Before:
    ```mlir
    sdy.mesh @m = <["x"=2, "y"=4]>
    func.func @f(%arg0: tensor<6xf32> {sdy.sharding = #sdy.sharding<@m, [{"x", "y"} ]>}) {
      return
    }
    ```
    After:
    ```mlir
    sdy.mesh @m = <["x"=2, "y"=4]>
    func.func @f(%arg0: tensor<6xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"} ]>}) {
      return
    }
    ```
  }];
  let options = [
    Option<"warn", "warn", "bool", "true", "warn of what is dropped">,
  ];
}
def RemoveSubAxesInInputOutputShardingsPass : Pass<"sdy-remove-sub-axes-in-input-output-shardings", "::mlir::ModuleOp"> {
  let summary = "Drop sub-axes from inputs and outputs";
  let description = [{
    Drops, from each open dimension of an argument or result of the main function, the
    first sub-axis and the axes after it. Frontends that cannot write sub-axes then
    read the signature.

    Before:
    ```mlir
    sdy.mesh @m = <["x"=2, "y"=4]>
    func.func @main(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x", "y":(1)2, ?} ]>}) {
      return
    }
    ```
    After:
    ```mlir
    sdy.mesh @m = <["x"=2, "y"=4]>
    func.func @main(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x", ?} ]>}) {
      return
    }
    ```
  }];
}
def CloseShardingsPass : Pass<"sdy-close-shardings", "::mlir::ModuleOp"> {
  let summary = "Close all dimensions of shardings";
  let description = [{
    Removes `?` from all dimensions of all shardings: nothing may add axes any more.

    Before:
    ```mlir
    func.func @f(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x", ?} ]>}) {
      return
    }
    ```
    After:
    ```mlir
    func.func @f(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"} ]>}) {
      return
    }
    ```
  }];
}
def InsertExplicitReshardsPass : Pass<"sdy-insert-explicit-reshards", "::mlir::ModuleOp"> {
  let summary = "Insert explicit reshards";
  let dependentDialects = ["::mlir::ipu::sdy::SdyDialect"];
  let description = [{
    In: closed shardings. Out, full version: `sdy.reshard`s such that each op with a
    rule, of the user's too, can be computed shard by shard; that sources of edges,
    operands of calls and what functions return is sharded like what they go to;
    `sdy.all_reduce` of what is unreduced before it is used, and after ops that
    reduce along sharded factors; `sdy.replicated_to_unreduced` and
    `sdy.sharded_to_unreduced` where unreduced axes begin; ops of one device with
    all operands there.

    Otherwise dimensions are resharded of operands of calls and named computations,
    of what the latter's bodies return, of tensors of concatenations, and of the
    result of a dot product that would have, in one dimension, the axes that are
    summed up along in place of those of the operand; the partitioner reshards the
    others. Unreduced axes begin and end as in the full version.

    Before:
    ```mlir
    func.func @f(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"} ]>}, %arg1: tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{"y"} ]>}) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"} ]>}) {
      %0 = arith.addf %arg0, %arg1 {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"} ]>]>} : tensor<8xf32>
      return %0 : tensor<8xf32>
    }
    ```
    After, with `enable-full-version=true`:
    ```mlir
    func.func @f(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"} ]>}, %arg1: tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{"y"} ]>}) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"} ]>}) {
      %0 = sdy.reshard %arg1 <@m, [{"x"} ]> : tensor<8xf32>
      %1 = arith.addf %arg0, %0 {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"} ]>]>} : tensor<8xf32>
      return %1 : tensor<8xf32>
    }
    ```
  }];
  let options = [
    Option<"enableFullVersion", "enable-full-version", "bool", "false",
      "reshard for all ops">,
    Option<"avoidReshardsOnNamedComputations",
      "avoid-reshards-on-named-computations", "bool", "false",
      "leave operands of named computations as they are; what bodies return is "
      "resharded">,
  ];
}
def CanonicalizeReshardsPass : Pass<"sdy-canonicalize-reshards", "::mlir::ModuleOp"> {
  let summary = "Remove reshards without effect";
  let description = [{
    Lets a reshard of a reshard's result read the operand of the first one, and erases
    reshards of the same tensor to the same sharding but for the first. Values are the
    same tensor if both are made of one value by reshapes and transposes that lead to
    the same dimensions with the same strides. Reshards without users stay.

    Before:
    ```mlir
    func.func @f(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"} ]>}) -> tensor<8xf32> {
      %0 = sdy.reshard %arg0 <@m, [{"y"} ]> : tensor<8xf32>
      %1 = sdy.reshard %0 <@m, [{"x", "y"} ]> : tensor<8xf32>
      return %1 : tensor<8xf32>
    }
    ```
    After:
    ```mlir
    func.func @f(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"} ]>}) -> tensor<8xf32> {
      %0 = sdy.reshard %arg0 <@m, [{"x", "y"} ]> : tensor<8xf32>
      return %0 : tensor<8xf32>
    }
    ```
  }];
}
def ReshardToCollectivesPass : Pass<"sdy-reshard-to-collectives", "::mlir::ModuleOp"> {
  let summary = "Turn reshards into collectives";
  let description = [{
    In: reshards. Out: slices, at most one permutation of devices, moves of axes
    between dimensions, gathers, in this order where the sizes of axes are powers of
    one number. Of unreduced axes that the result has not, a sum comes first; those
    that the operand has not are introduced last. Other steps are taken where a
    bounded search finds that they move less; these may slice along axes of the mesh
    that neither sharding has. Reshards between meshes of other axes stay, and those
    from and to a maximal mesh.

    Before:
    ```mlir
    func.func @f(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {} ]>}) -> tensor<8x8xf32> {
      %0 = sdy.reshard %arg0 <@m, [{}, {"x", "y"} ]> : tensor<8x8xf32>
      return %0 : tensor<8x8xf32>
    }
    ```
    After:
    ```mlir
    func.func @f(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {} ]>}) -> tensor<8x8xf32> {
      %0 = sdy.all_slice [{"y"}, {} ] %arg0 out_sharding=<@m, [{"x", "y"}, {} ]> : tensor<8x8xf32>
      %1 = sdy.all_to_all [{"x", "y"}: 0->1] %0 out_sharding=<@m, [{}, {"x", "y"} ]> : tensor<8x8xf32>
      return %1 : tensor<8x8xf32>
    }
    ```
  }];
  let dependentDialects = ["::mlir::ipu::sdy::SdyDialect"];
  let options = [
    Option<"keepRedundantReshards", "keep-redundant-reshards", "bool", "false",
      "leave reshards to the sharding that the operand has">,
  ];
}
def CanonicalizeCollectivesPass : Pass<"sdy-canonicalize-collectives", "::mlir::ModuleOp"> {
  let summary = "Canonicalize collectives";
  let description = [{
    Canonicalisations of the collectives of this dialect and of no other op. An
    all_reduce that is sliced becomes a reduce_scatter here.

    Before:
    ```mlir
    func.func @f(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{} ], unreduced={"x"}>}) -> tensor<8xf32> {
      %0 = sdy.all_reduce {"x"} %arg0 out_sharding=<@m, [{} ]> : tensor<8xf32>
      %1 = sdy.all_slice [{"x"} ] %0 out_sharding=<@m, [{"x"} ]> : tensor<8xf32>
      return %1 : tensor<8xf32>
    }
    ```
    After:
    ```mlir
    func.func @f(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{} ], unreduced={"x"}>}) -> tensor<8xf32> {
      %0 = sdy.reduce_scatter [{"x"} ] %arg0 out_sharding=<@m, [{"x"} ]> : tensor<8xf32>
      return %0 : tensor<8xf32>
    }
    ```
  }];
}
def RemoveAllGatherReduceScatterForCMV1Pass
    : Pass<"sdy-remove-all-gather-reduce-scatter-for-cmv1", "::mlir::ModuleOp"> {
  let summary = "Leave collectives around dots to the partitioner";
  let description = [{
    For partitioners that overlap these with the dot ("collective matmul"). In: an
    all_gather along one dimension that only dots use, none of which contracts that
    dimension or has it in both operands; out: they use what was gathered. In: a
    reduce_scatter along one such dimension, the only user of a dot; out: the dot
    has the scatter's sharding. A dot is an op whose rule has a factor that is
    summed up in two operands, and none that needs replication or halos.
  }];
}
def VerifyUnreducedAxesPass : Pass<"sdy-verify-unreduced-axes", "::mlir::ModuleOp"> {
  let summary = "Verify that partial values are reduced before other uses";
  let description = [{
    Each op must keep the unreduced axes of its operands, in each of its results
    that has a sharding; ops introduce partial values of sums, a reduction
    those of its kind. Operands of calls and of terminators must have the unreduced axes of what
    they become exactly, unless they are reshards.
  }];
}
def InlineMeshesPass : Pass<"sdy-inline-meshes", "::mlir::ModuleOp"> {
  let summary = "Inline meshes into shardings";
  let description = [{
    In: shardings that name meshes. Out: shardings that have them
    (`mesh<["x"=2]>`), and no named ones.

    Before:
    ```mlir
    sdy.mesh @m = <["x"=2, "y"=2]>
    func.func @f(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"} ]>}) {
      return
    }
    ```
    After:
    ```mlir
    func.func @f(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<mesh<["x"=2, "y"=2]>, [{"x"} ]>}) {
      return
    }
    ```
  }];
}
def DropShardingRulesPass : Pass<"sdy-drop-sharding-rules", "::mlir::ModuleOp"> {
  let summary = "Remove sharding rules";
  let description = [{
    Removes the attribute `sdy.sharding_rule` of all ops, also of those whose rule a
    user gave: after propagation it has no meaning.

    Before:
    ```mlir
    func.func @f(%arg0: tensor<8xf32>) -> tensor<8xf32> {
      %0 = math.exp %arg0 {sdy.sharding_rule = #sdy.op_sharding_rule<([i])->([i]) {i=8}>} : tensor<8xf32>
      return %0 : tensor<8xf32>
    }
    ```
    After:
    ```mlir
    func.func @f(%arg0: tensor<8xf32>) -> tensor<8xf32> {
      %0 = math.exp %arg0 : tensor<8xf32>
      return %0 : tensor<8xf32>
    }
    ```
  }];
}

#endif // IPU_MLIR_DIALECT_SDY_TRANSFORMS_EXPORTPASSES
