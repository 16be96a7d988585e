//===- ExportPasses.td - Passes after propagation ----------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The passes that turn propagated shardings into a partitioned program. They make
// reshards and collectives explicit and remove what only propagation needs.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_DIALECT_SDY_TRANSFORMS_EXPORTPASSES
#define IPU_MLIR_DIALECT_SDY_TRANSFORMS_EXPORTPASSES

include "mlir/Pass/PassBase.td"

def ConstantOrScalarMergerPass : Pass<"sdy-constant-or-scalar-merger", "::mlir::ModuleOp"> {
  let summary = "Merge equal constants with equal shardings";
  let description = [{
    Erases a constant expression if an earlier expression in the same block has the same
    ops, attributes and shardings. Users of its values then read those of the earlier
    expression. The pass merges the expressions that `sdy-constant-or-scalar-splitter` has
    cloned for propagation.

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
    Erases each `sdy.data_flow_edge` and gives its sharding to the owner of the edge. The
    owner is the op whose result, or whose block argument, the edge reads.

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
      "false", "move origins of axes to the owners of edges instead of "
               "dropping them">,
    Option<"sinkDebugPropagationEdges", "sink-debug-propagation-edge-sharding",
      "bool", "false", "also move the steps of propagation">,
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
    Replaces each `sdy.sharding_constraint` by an `sdy.reshard` to the same sharding. After
    propagation a constraint only changes the sharding of its operand.

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
    Shortens the shardings of arguments and results of functions, calls and manual
    computations. In each dimension the pass keeps the longest prefix of the axes whose
    product divides the dimension. If only a part of the next axis divides the
    rest of the dimension, the pass keeps this sub-axis. The pass warns of each
    sharding that changes. In pipelines most of these shardings come from
    propagation; there `sdy-lint-shardings` emits the warnings before
    propagation.

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
    Option<"warn", "warn", "bool", "true", "warn of axes that are dropped">,
  ];
}
def RemoveSubAxesInInputOutputShardingsPass : Pass<"sdy-remove-sub-axes-in-input-output-shardings", "::mlir::ModuleOp"> {
  let summary = "Drop sub-axes from inputs and outputs";
  let description = [{
    Drops the first sub-axis, and the axes after it, from each open dimension of an
    argument or result of the main function. Afterwards frontends that do not support
    sub-axes can read the signature.

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
    Removes `?` from all dimensions of all shardings, so that no pass can add axes.

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
    Inserts `sdy.reshard` where an op needs another sharding of a value than the value
    has. The shardings must be closed. With `enable-full-version=true` the pass inserts
    - reshards of operands and results, so that each op with a sharding rule (also a rule
      that a user gave) can be computed shard by shard;
    - reshards of sources of data-flow edges, operands of calls, and returned values to the
      shardings of their targets;
    - `sdy.all_reduce` of an unreduced value before its uses, and after an op that reduces
      along sharded factors;
    - `sdy.replicated_to_unreduced` and `sdy.sharded_to_unreduced` where a value gets
      unreduced axes;
    - reshards of all operands of an op that one device executes to this device.

    Without the option the partitioner inserts most of the reshards, and this pass reshards
    only the dimensions of
    - operands of calls and named computations, and values that named computations return;
    - operands and results of concatenations;
    - the result of a dot product if one of its dimensions would otherwise have the axes of
      a contracting dimension in place of those of the operand's dimension.

    Unreduced axes are treated as in the full version.

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
      "insert reshards for all ops">,
    Option<"avoidReshardsOnNamedComputations",
      "avoid-reshards-on-named-computations", "bool", "false",
      "do not reshard operands of named computations; returned values are "
      "resharded">,
  ];
}
def CanonicalizeReshardsPass : Pass<"sdy-canonicalize-reshards", "::mlir::ModuleOp"> {
  let summary = "Remove reshards without effect";
  let description = [{
    If a reshard reads the result of another reshard, the pass makes it read the operand of
    the other one. If there are several reshards of the same tensor to the same sharding,
    the pass keeps only the first. Two values are the same tensor if reshapes and
    transposes compute both from one value, with the same dimensions and strides. Reshards
    without users stay.

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
    Replaces reshards by sequences of collectives. If the sizes of all axes are powers of
    one number, the sequence consists of slices, at most one permutation of devices, moves
    of axes between dimensions, and gathers, in this order. Unreduced axes that the result
    does not have are reduced first; unreduced axes that the operand does not have are
    introduced last. The pass uses another sequence if a bounded search finds one that
    moves less data; such a sequence may slice along axes of the mesh that neither sharding
    uses. Reshards between meshes with different axes, and reshards from or to a maximal
    mesh, stay.

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
      "keep reshards to the sharding that the operand already has">,
  ];
}
def CanonicalizeCollectivesPass : Pass<"sdy-canonicalize-collectives", "::mlir::ModuleOp"> {
  let summary = "Canonicalize collectives";
  let description = [{
    Applies the canonicalization patterns of this dialect's collectives, and of no other
    op. For example, an all_reduce whose result is sliced becomes a reduce_scatter.
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
    Removes collectives that the partitioner can overlap with a dot ("collective matmul"):
    - If only dots use an all_gather along one dimension, and none of them contracts this
      dimension or has it in both operands, the dots use the operand of the all_gather.
    - If a reduce_scatter along such a dimension is the only user of a dot, the dot gets
      the sharding of the reduce_scatter.

    A dot is an op whose rule has a reduction factor that two operands share, and no
    factors that need replication or halos.

    Before:
    ```mlir
    %0 = sdy.all_gather [{"x"}, {} ] %a out_sharding=<@m, [{}, {} ]> : tensor<8x16xf32>
    %1 = stablehlo.dot_general %0, %b, contracting_dims = [1] x [0] {sdy.sharding = #sdy.sharding_per_value<[<@m, [{}, {} ]>]>} : (tensor<8x16xf32>, tensor<16x4xf32>) -> tensor<8x4xf32>
    ```
    After:
    ```mlir
    %1 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] {sdy.sharding = #sdy.sharding_per_value<[<@m, [{}, {} ]>]>} : (tensor<8x16xf32>, tensor<16x4xf32>) -> tensor<8x4xf32>
    ```
  }];
}
def VerifyUnreducedAxesPass : Pass<"sdy-verify-unreduced-axes", "::mlir::ModuleOp"> {
  let summary = "Verify that partial values are reduced before other uses";
  let description = [{
    Emits an error if an op uses partial values in a wrong way. Each op must keep the
    unreduced axes of its operands in each of its results that has a sharding. Unreduced
    axes that an op introduces must hold partial values of a sum, or of the op's own
    reduction kind if it is a reduction. Operands of calls and terminators must have
    exactly the unreduced axes of the values that they become, unless they are reshards.
  }];
}
def InlineMeshesPass : Pass<"sdy-inline-meshes", "::mlir::ModuleOp"> {
  let summary = "Inline meshes into shardings";
  let description = [{
    Replaces the name of a mesh in each sharding by the mesh itself (`mesh<["x"=2]>`), and
    erases all `sdy.mesh` ops.

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
    Removes the attribute `sdy.sharding_rule` of all ops, including rules that a user has
    given, because it has no meaning after propagation.

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
