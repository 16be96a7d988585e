//===- ExportPasses.td - Passes after propagation ----------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The passes that turn propagated shardings into a partitioned program. The passes make
// reshards and collectives explicit, and remove ops and attributes that only propagation
// needs.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_DIALECT_SDY_TRANSFORMS_EXPORTPASSES
#define IPU_MLIR_DIALECT_SDY_TRANSFORMS_EXPORTPASSES

include "mlir/Pass/PassBase.td"

def ConstantOrScalarMergerPass : Pass<"sdy-constant-or-scalar-merger", "::mlir::ModuleOp"> {
  let summary = "Merge equal constants with equal shardings";
  let description = [{
    Erases a constant expression if an earlier expression in the same block has the same
    ops, attributes and shardings. Users of the erased expression then read the earlier
    expression. In this way the pass merges expressions that
    `sdy-constant-or-scalar-splitter` has cloned for propagation.

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
def InferUnreducedAxesPass : Pass<"sdy-infer-unreduced-axes", "::mlir::ModuleOp"> {
  let summary = "Declare the values that reductions of the program reduce as unreduced";
  let description = [{
    An `sdy.all_reduce` or `sdy.reduce_scatter` in a program reduces partial values. The
    pass finds the op that makes these partial values, or the value that is declared to be
    unreduced. Between it and the reduction, there may be ops that turn partial values
    into partial values, such as a negation. The pass adds the unreduced axes to the
    shardings of all values between. Otherwise the partial values would be reduced before
    the first of these ops, and the reduction of the program would then add whole values.

    Before:
    ```mlir
    func.func @f(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{} ], unreduced={"x"}>}) -> tensor<8xf32> {
      %0 = stablehlo.negate %arg0 : tensor<8xf32>
      %1 = sdy.all_reduce {"x"} %0 out_sharding=<@m, [{} ]> : tensor<8xf32>
      return %1 : tensor<8xf32>
    }
    ```
    After:
    ```mlir
    func.func @f(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{} ], unreduced={"x"}>}) -> tensor<8xf32> {
      %0 = stablehlo.negate %arg0 {sdy.sharding = #sdy.sharding_per_value<[<@m, [{?} ], unreduced={"x"}>]>} : tensor<8xf32>
      %1 = sdy.all_reduce {"x"} %0 out_sharding=<@m, [{} ]> : tensor<8xf32>
      return %1 : tensor<8xf32>
    }
    ```
  }];
  let options = [
    Option<"isFinal", "final", "bool", "false",
      "close the dimensions of new shardings, and warn about sums whose operands are not "
      "partial values: each device adds the whole value">,
  ];
}
def SinkDataFlowEdgesPass : Pass<"sdy-sink-data-flow-edges", "::mlir::ModuleOp"> {
  let summary = "Replace data-flow edge ops by shardings of the edges' owners";
  let description = [{
    Erases each `sdy.data_flow_edge`. The result or block argument that the erased op reads
    is the owner of the edge. The owner gets the sharding of the erased op.

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
      "false", "keep the attributes `sdy.sharding_origins` of edges, and move them to the "
               "owners of the edges">,
    Option<"sinkDebugPropagationEdges", "sink-debug-propagation-edge-sharding",
      "bool", "false", "keep the attributes `sdy.propagation_edges` of edges, and move "
                       "them to the owners of the edges">,
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
    computations. In each dimension, the pass keeps the first axes, as long as the
    product of their sizes divides the size of the dimension. If a sub-axis of the next
    axis divides the quotient of the size of the dimension and this product, the pass
    also keeps this sub-axis. The pass warns about each sharding that changes. Pipelines
    disable these warnings, because in pipelines most of the shardings come from
    propagation. Instead, `sdy-lint-shardings` emits the warnings before propagation.

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
    Option<"warn", "warn", "bool", "true", "warn about axes that are dropped">,
  ];
}
def RemoveSubAxesInInputOutputShardingsPass : Pass<"sdy-remove-sub-axes-in-input-output-shardings", "::mlir::ModuleOp"> {
  let summary = "Drop sub-axes from inputs and outputs";
  let description = [{
    In each open dimension of an argument or result of the main function, the pass drops the
    first sub-axis and all axes after this sub-axis. Frontends that do not support sub-axes
    can then read the shardings of the main function.

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
    Inserts an `sdy.reshard` where the sharding of a value differs from the sharding that an
    op needs. The shardings must be closed. With `enable-full-version=true` the pass inserts
    - reshards of operands and results, so that each op with a sharding rule (including
      rules from the user) can be computed shard by shard;
    - reshards of the sources of a data-flow edge to the sharding of the edge;
    - reshards of the operands of a call to the shardings of the callee's arguments;
    - reshards of returned values to the shardings of the function's results;
    - `sdy.all_reduce` of unreduced values before their uses, and of results of ops that
      reduce along sharded factors;
    - `sdy.replicated_to_unreduced` and `sdy.sharded_to_unreduced` where a value gets
      unreduced axes;
    - reshards to one device, for the operands of an op that only this device executes.

    Without the option, the pass leaves most of the reshards to the partitioner, and
    reshards only
    - operands of calls and named computations, and values that named computations return;
    - operands and results of concatenations;
    - the result of a dot product, if a dimension of the result has the axes of a
      contracting dimension, and the corresponding dimension of an operand has other
      axes.

    These reshards change only the axes of dimensions. For unreduced axes, the pass inserts
    the same ops as with `enable-full-version=true`.

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
      "do not reshard operands of named computations, but only the values that they "
      "return">,
  ];
}
def CanonicalizeReshardsPass : Pass<"sdy-canonicalize-reshards", "::mlir::ModuleOp"> {
  let summary = "Remove reshards without effect";
  let description = [{
    If reshard B is the only user of reshard A, the pass changes B to read the operand
    of A, and erases A. If there are several reshards of the same tensor to the same
    sharding, the pass keeps only the first reshard. Two values count as the same tensor
    if both are results of reshapes and transposes of the same value, and if both have
    the same dimensions, with the same strides in that value. The pass erases no
    other reshards, even if they have no users.

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
    one prime number, the sequence has the following steps, in this order: slices, at most
    one permutation of devices, moves of axes between dimensions, and gathers. Before these
    collectives, the sequence reduces unreduced axes that the result does not have. After
    these collectives, the sequence introduces unreduced axes that the operand does not
    have. The pass uses another sequence if a bounded search finds a sequence that moves
    less data. This sequence may slice along axes of the mesh that neither the operand's nor
    the result's sharding uses. Reshards from or to a maximal mesh (a mesh of one device) do
    not change. A reshard between meshes with different axes remains, unless the tensor is
    replicated on both meshes. If the two meshes have the same devices in the same order,
    collectives on the operand's mesh can move the data first, and the reshard then moves no
    data.

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
    Applies only the canonicalization patterns of this dialect's collectives. For example,
    an all_reduce whose result is sliced becomes a reduce_scatter.

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
  let summary = "Remove collectives that the partitioner overlaps with dots";
  let description = [{
    Removes collectives that the partitioner can overlap with a dot ("collective matmul"). A
    dot is an op whose sharding rule meets two conditions: two operands share a reduction
    factor, and no factor needs replication or halos. The collective must be along exactly
    one dimension. The dot must not contract this dimension, and exactly one operand of the
    dot must have it.
    - If only dots use an all_gather, these dots use the operand of the all_gather instead.
    - If a reduce_scatter is the only user of a dot, the dot gets the sharding of the
      reduce_scatter.

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
    Emits an error if an op does not handle unreduced axes correctly. Each result that has a
    sharding must have the unreduced axes of the op's operands, with the same reduction
    kind. If an op introduces unreduced axes, the reduction kind of these axes must be a sum
    or, if the op is a reduction, the kind of this reduction. An operand of a call must have
    exactly the unreduced axes of the corresponding argument of the callee. An operand of a
    terminator must have exactly the unreduced axes of the corresponding result. The pass
    does not check operands that a reshard computes.
  }];
}
def InlineMeshesPass : Pass<"sdy-inline-meshes", "::mlir::ModuleOp"> {
  let summary = "Inline meshes into shardings";
  let description = [{
    In each sharding, the pass replaces the name of the mesh by the mesh itself
    (`mesh<["x"=2]>`). It erases all `sdy.mesh` ops.

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
    Removes the attribute `sdy.sharding_rule` from all ops, including rules from the user.
    The attribute has no meaning after propagation.

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
