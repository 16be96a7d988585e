//===- ImportPasses.td - Passes before propagation ---------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The passes that bring shardings of a frontend into the form that propagation needs.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_DIALECT_SDY_TRANSFORMS_IMPORTPASSES
#define IPU_MLIR_DIALECT_SDY_TRANSFORMS_IMPORTPASSES

include "mlir/Pass/PassBase.td"

def LintShardingsPass : Pass<"sdy-lint-shardings", "::mlir::ModuleOp"> {
  let summary = "Warn about shardings that are legal but probably mistaken";
  let description = [{
    Warns about shardings that are legal but were probably not intended:
    - two meshes with different numbers of devices;
    - a sharded dimension of size 0;
    - an axis that shards a dimension, although earlier axes already divide this dimension
      into parts of size 1;
    - a sharding rule with a dimension whose size is not the product of the sizes of its
      factors;
    - shardings in the notation of another partitioner, which propagation does not read:
      attributes such as `mhlo.sharding`, custom calls such as `@Sharding`, and shardings
      as text in `mhlo.frontend_attributes`;
    - attributes of the sdy dialect that are not read, because their name is misspelled or
      the sharding of the value is elsewhere.

    There is one warning for each kind of the last two items, at the first op that has it.

    The pass does not change the module.
  }];
  let options = [
    Option<"nonDivisible", "non-divisible", "bool", "true",
      "also warn about axes that `sdy-update-non-divisible-input-output-shardings` "
      "will drop">,
    Option<"exportsComputations", "exports-computations", "bool", "false",
      "also warn about axes that `sdy-update-non-divisible-input-output-shardings` "
      "will drop from named computations if `sdy-export-named-computations` runs first">,
  ];
}
def IsolateCollectivesPass : Pass<"sdy-isolate-collectives", "::mlir::ModuleOp"> {
  let summary = "Fix the shardings that collectives of the program have";
  let description = [{
    A collective in a program says which axes its operand and its result have. So that
    the sharding of the operand does not change, the pass inserts a constraint with
    closed dimensions before the collective, unless the operand already has such a
    sharding. If the result has open dimensions, the pass closes them and inserts a
    constraint with the open dimensions after the collective. If the result is a member
    of a group, this constraint becomes the member.

    Before:
    ```mlir
    func.func @f(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{?} ], unreduced={"x"}>}) -> tensor<8xf32> {
      %0 = sdy.all_reduce {"x"} %arg0 out_sharding=<@m, [{?} ]> : tensor<8xf32>
      return %0 : tensor<8xf32>
    }
    ```
    After:
    ```mlir
    func.func @f(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{?} ], unreduced={"x"}>}) -> tensor<8xf32> {
      %0 = sdy.sharding_constraint %arg0 <@m, [{} ], unreduced={"x"}> : tensor<8xf32>
      %1 = sdy.all_reduce {"x"} %0 out_sharding=<@m, [{} ]> : tensor<8xf32>
      %2 = sdy.sharding_constraint %1 <@m, [{?} ]> : tensor<8xf32>
      return %2 : tensor<8xf32>
    }
    ```
  }];
  let dependentDialects = ["::mlir::ipu::sdy::SdyDialect"];
}
def LiftInlinedMeshesPass : Pass<"sdy-lift-inlined-meshes", "::mlir::ModuleOp"> {
  let summary = "Name inlined meshes and merge equal meshes";
  let description = [{
    Creates a named mesh (`@mesh`, `@mesh_0`, ...) for each mesh that a sharding contains
    inline. If several meshes are equal, all shardings use the name of the first of these
    meshes afterwards.

    Before:
    ```mlir
    sdy.mesh @a = <["x"=2]>
    sdy.mesh @b = <["x"=2]>
    func.func @f(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@b, [{"x"} ]>}, %arg1: tensor<8xf32> {sdy.sharding = #sdy.sharding<mesh<["z"=4]>, [{"z"} ]>}) {
      return
    }
    ```
    After:
    ```mlir
    sdy.mesh @mesh = <["z"=4]>
    sdy.mesh @a = <["x"=2]>
    func.func @f(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@a, [{"x"} ]>}, %arg1: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"z"} ]>}) {
      return
    }
    ```
  }];
}
def RemoveSizeOneAxesPass : Pass<"sdy-remove-size-one-axes", "::mlir::ModuleOp"> {
  let summary = "Remove axes of size 1 from shardings";
  let description = [{
    Removes axes of size 1 from shardings and collectives. Such axes would conflict with
    each other during propagation. Other ops may use the names of the axes, so the pass
    removes axes from meshes and from manual axes only if `from-meshes` is set.

    Before:
    ```mlir
    sdy.mesh @m = <["x"=1, "y"=2]>
    func.func @f(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x", "y"} ]>}) {
      return
    }
    ```
    After:
    ```mlir
    sdy.mesh @m = <["x"=1, "y"=2]>
    func.func @f(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{"y"} ]>}) {
      return
    }
    ```
  }];
  let options = [
    Option<"fromMeshes", "from-meshes", "bool", "false",
      "also remove axes of size 1 from meshes and from manual axes">,
  ];
}
def RemoveDeadSymbolsPass : Pass<"sdy-remove-dead-symbols", "::mlir::ModuleOp"> {
  let summary = "Erase private functions without callers";
  let description = [{
    If a private function is used by no symbol reference, the pass runs upstream's
    `symbol-dce` on the module. This erases all such functions, and then functions that
    only erased functions used.

    Before:
    ```mlir
    func.func private @unused(%arg0: tensor<8xf32>) -> tensor<8xf32> {
      return %arg0 : tensor<8xf32>
    }
    func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
      return %arg0 : tensor<8xf32>
    }
    ```
    After:
    ```mlir
    func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
      return %arg0 : tensor<8xf32>
    }
    ```
  }];
}
def InlineCallsPass : Pass<"sdy-inline-calls", "::mlir::ModuleOp"> {
  let summary = "Inline all calls";
  let description = [{
    Replaces each call by the body of its callee, and erases private functions without
    callers. Calls in the callee are replaced first. If the module has a call, the pass runs
    upstream's `inline` and `symbol-dce`.

    Before:
    ```mlir
    func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
      %0 = call @f(%arg0) : (tensor<8xf32>) -> tensor<8xf32>
      return %0 : tensor<8xf32>
    }
    func.func private @f(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"} ]>}) -> tensor<8xf32> {
      %0 = math.exp %arg0 : tensor<8xf32>
      return %0 : tensor<8xf32>
    }
    ```
    After:
    ```mlir
    func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
      %0 = math.exp %arg0 : tensor<8xf32>
      return %0 : tensor<8xf32>
    }
    ```
  }];
}
def InlineRegionsPass : Pass<"sdy-inline-regions", "::mlir::ModuleOp"> {
  let summary = "Inline regions that are always executed";
  let description = [{
    If a branch op has a constant condition, the pass replaces the op by the region that is
    executed. If a manual computation has no manual axes, the pass replaces it by its body.
    The pass also erases unused ops.

    Before:
    ```mlir
    func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
      %0 = sdy.manual_computation(%arg0) in_shardings=[<@m, [{"x"} ]>] out_shardings=[<@m, [{"x"} ]>] manual_axes={} (%arg1: tensor<8xf32>) {
        %1 = math.exp %arg1 : tensor<8xf32>
        sdy.return %1 : tensor<8xf32>
      } : (tensor<8xf32>) -> tensor<8xf32>
      return %0 : tensor<8xf32>
    }
    ```
    After:
    ```mlir
    func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
      %0 = math.exp %arg0 : tensor<8xf32>
      return %0 : tensor<8xf32>
    }
    ```
  }];
}
def ConstantOrScalarSplitterPass : Pass<"sdy-constant-or-scalar-splitter", "::mlir::ModuleOp"> {
  let summary = "Clone constant expressions for each use";
  let description = [{
    Clones each constant expression for each of its uses, so that propagation can give each
    use its own sharding. A constant expression is a constant, or the result of elementwise
    ops, broadcasts, reshapes, slices, named computations or calls that depend only on
    constants. If the pass clones a call, it also clones the called function.

    Before:
    ```mlir
    func.func @f(%arg0: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
      %cst = arith.constant dense<1.0> : tensor<8xf32>
      %0 = arith.addf %arg0, %cst : tensor<8xf32>
      %1 = arith.mulf %arg0, %cst : tensor<8xf32>
      return %0, %1 : tensor<8xf32>, tensor<8xf32>
    }
    ```
    After:
    ```mlir
    func.func @f(%arg0: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
      %cst = arith.constant dense<1.0> : tensor<8xf32>
      %cst_0 = arith.constant dense<1.0> : tensor<8xf32>
      %0 = arith.addf %arg0, %cst : tensor<8xf32>
      %1 = arith.mulf %arg0, %cst_0 : tensor<8xf32>
      return %0, %1 : tensor<8xf32>, tensor<8xf32>
    }
    ```
  }];
  let dependentDialects = ["::mlir::ipu::sdy::SdyDialect"];
}
def ImportFrontendRulesPass : Pass<"sdy-import-frontend-rules", "::mlir::ModuleOp"> {
  let summary = "Import sharding rules of custom calls";
  let dependentDialects = ["::mlir::ipu::sdy::SdyDialect"];
  let description = [{
    Frameworks without an `sdy` dialect write the rule of a custom call as a string in
    `mhlo.frontend_attributes = {sdy.sharding_rule = "#sdy.op_sharding_rule<...>"}` (or
    `xla.sdy.sharding_rule`). If the op has no attribute `sdy.sharding_rule`, the pass
    parses this string and attaches the rule as this attribute. The pass emits an error if
    the string is not a valid rule for the op.

    Before:
    ```mlir
    %0 = stablehlo.custom_call @f(%x) {mhlo.frontend_attributes = {sdy.sharding_rule = "#sdy.op_sharding_rule<([i])->([i]) {i=8}>"}} : (tensor<8xf32>) -> tensor<8xf32>
    ```
    After:
    ```mlir
    %0 = stablehlo.custom_call @f(%x) {sdy.sharding_rule = #sdy.op_sharding_rule<([i])->([i]) {i=8}, custom>} : (tensor<8xf32>) -> tensor<8xf32>
    ```
  }];
}
def ExplicitGatherScatterBatchingPass : Pass<"sdy-explicit-gather-scatter-batching", "::mlir::ModuleOp"> {
  let summary = "Make batching dimensions of gathers and scatters explicit";
  let description = [{
    Turns dimensions of `stablehlo.gather` and `stablehlo.scatter` into batching dimensions,
    along which shardings propagate. An index vector has one component for each indexed
    dimension of the operand. The pass searches for components that have the values 0, 1, 2,
    ... along a dimension of the indices. If this dimension has the same size as the indexed
    dimension of the component, both dimensions become batching dimensions. The pass
    recognizes such a component if the component is an iota, alone or as an operand of a
    concatenation. Reshapes, broadcasts, transposes, conversions, clamps, and selects that
    replace negative indices may follow the iota, if these ops do not change the values.
  }];
}
def ManualAxesCleanupPass : Pass<"sdy-manual-axes-cleanup", "::mlir::ModuleOp"> {
  let summary = "Sort manual axes and add them to shardings of operands and results";
  let description = [{
    Sorts the manual axes of each manual computation in the order of the mesh. If the
    sharding of an operand or result does not use a manual axis, the pass adds this axis to
    the replicated axes of the sharding. If the sharding uses only some sub-axes of a
    manual axis, the pass adds the other sub-axes. It also adds manual axes of size 1. A
    sharding on an empty mesh gets the mesh of the other shardings. The pass adds no axes
    to shardings of values without a shape.
  }];
}
def AddDataFlowEdgesPass : Pass<"sdy-add-data-flow-edges", "::mlir::ModuleOp"> {
  let summary = "Insert data-flow edge ops for region ops";
  let description = [{
    Inserts an `sdy.data_flow_edge` for each data-flow edge of an op with regions. An edge
    connects operands, block arguments and results that hold the same value, such as an
    iteration argument of a loop. The operand of the edge op is one of the connected values,
    such as the result of the loop. All users of this operand then read the result of the
    edge op. During propagation the edge op holds the common sharding of all connected
    values. `sdy-sink-data-flow-edges` removes the edge ops again.

    Before:
    ```mlir
    func.func @f(%arg0: tensor<8xf32>, %arg1: index) -> tensor<8xf32> {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %0 = scf.for %arg2 = %c0 to %arg1 step %c1 iter_args(%arg3 = %arg0) -> (tensor<8xf32>) {
        %1 = math.exp %arg3 : tensor<8xf32>
        scf.yield %1 : tensor<8xf32>
      }
      return %0 : tensor<8xf32>
    }
    ```
    After:
    ```mlir
    func.func @f(%arg0: tensor<8xf32>, %arg1: index) -> tensor<8xf32> {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %0 = scf.for %arg2 = %c0 to %arg1 step %c1 iter_args(%arg3 = %arg0) -> (tensor<8xf32>) {
        %2 = math.exp %arg3 : tensor<8xf32>
        scf.yield %2 : tensor<8xf32>
      }
      %1 = sdy.data_flow_edge %0 : tensor<8xf32>
      return %1 : tensor<8xf32>
    }
    ```
  }];
  let dependentDialects = ["::mlir::ipu::sdy::SdyDialect"];
}
def ApplyShardingConstraintsPass : Pass<"sdy-apply-sharding-constraints", "::mlir::ModuleOp"> {
  let summary = "Apply sharding constraints";
  let description = [{
    Applies the shardings that sharding constraints and the `in_shardings` of manual
    computations require:
    * A value without a sharding gets the required sharding if this sharding is closed and
      no other constraint requires a different sharding. If the value is on a data-flow
      edge, it gets no sharding. Instead, all other users of the value read the result of
      the constraint. If the required sharding has unreduced axes, the edge gets an
      open sharding with only these axes, because propagation does not add unreduced axes.
    * If the operand of a constraint is the result of another constraint, the constraints
      form a chain. If a user of the first constraint's operand comes after the chain in the
      same block, this user then reads the result of the last constraint. The return op of a
      function does not change.

    Before:
    ```mlir
    func.func @f(%arg0: tensor<8xf32>) -> tensor<8xf32> {
      %0 = math.exp %arg0 : tensor<8xf32>
      %1 = sdy.sharding_constraint %0 <@m, [{"x"} ]> : tensor<8xf32>
      return %1 : tensor<8xf32>
    }
    ```
    After:
    ```mlir
    func.func @f(%arg0: tensor<8xf32>) -> tensor<8xf32> {
      %0 = math.exp %arg0 {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"} ]>]>} : tensor<8xf32>
      %1 = sdy.sharding_constraint %0 <@m, [{"x"} ]> : tensor<8xf32>
      return %1 : tensor<8xf32>
    }
    ```
  }];
  let options = [
    Option<"debugShardingOrigins", "debug-sharding-origins", "bool", "false",
      "attach attributes `sdy.sharding_origins` with the sharding from which each axis was "
      "propagated">,
    Option<"debugPropagationEdges", "debug-propagation-edge-sharding", "bool",
      "false", "attach attributes `sdy.propagation_edges` with the axes, source and target "
               "of each propagation step">,
  ];
}
def ShardingGroupImportPass : Pass<"sdy-sharding-group-import", "::mlir::ModuleOp"> {
  let summary = "Merge sharding groups that share a value";
  let description = [{
    Merges groups that have a value in common into the group with the lowest number,
    renumbers the groups from 0, and erases duplicate members. The pass emits an error if
    members of a group have different shapes or are in different manual computations.

    Before:
    ```mlir
    func.func @f(%arg0: tensor<8xf32>, %arg1: tensor<8xf32>, %arg2: tensor<8xf32>) {
      sdy.sharding_group %arg0 group_id=3 : tensor<8xf32>
      sdy.sharding_group %arg1 group_id=3 : tensor<8xf32>
      sdy.sharding_group %arg1 group_id=7 : tensor<8xf32>
      sdy.sharding_group %arg2 group_id=7 : tensor<8xf32>
      return
    }
    ```
    After:
    ```mlir
    func.func @f(%arg0: tensor<8xf32>, %arg1: tensor<8xf32>, %arg2: tensor<8xf32>) {
      sdy.sharding_group %arg0 group_id=0 : tensor<8xf32>
      sdy.sharding_group %arg1 group_id=0 : tensor<8xf32>
      sdy.sharding_group %arg2 group_id=0 : tensor<8xf32>
      return
    }
    ```
  }];
}

#endif // IPU_MLIR_DIALECT_SDY_TRANSFORMS_IMPORTPASSES
