//===- ImportPasses.td - Passes before propagation ---------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The passes that bring shardings of a frontend into the form that propagation
// works on.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_DIALECT_SDY_TRANSFORMS_IMPORTPASSES
#define IPU_MLIR_DIALECT_SDY_TRANSFORMS_IMPORTPASSES

include "mlir/Pass/PassBase.td"

def LintShardingsPass : Pass<"sdy-lint-shardings", "::mlir::ModuleOp"> {
  let summary = "Warn about shardings that are legal but probably mistaken";
  let description = [{
    Reports what is legal but was probably not meant, as warnings: two meshes of
    different numbers of devices, a sharded dimension of size 0, an axis that has
    nothing to divide after the axes before it, and sizes of factors in rules that
    make up no dimension. Changes nothing.
  }];
  let options = [
    Option<"nonDivisible", "non-divisible", "bool", "true",
      "also of axes that `sdy-update-non-divisible-input-output-shardings` will "
      "drop">,
    Option<"exportsComputations", "exports-computations", "bool", "false",
      "`sdy-export-named-computations` runs before that pass, so that it drops "
      "axes of named computations, too">,
  ];
}
def LiftInlinedMeshesPass : Pass<"sdy-lift-inlined-meshes", "::mlir::ModuleOp"> {
  let summary = "Merge equal meshes";
  let description = [{
    Gives each mesh that is written in a sharding a name, `@mesh`, `@mesh_0` and so
    on, and replaces all names of equal meshes by the first of them.

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
    In: shardings and collectives with axes of size 1, which would be in each
    other's way while shardings propagate. Out: none has such axes. Meshes and
    manual axes keep theirs, as names that others may use, unless the option is
    given.

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
      "remove them from meshes and from manual axes, too">,
  ];
}
def RemoveDeadSymbolsPass : Pass<"sdy-remove-dead-symbols", "::mlir::ModuleOp"> {
  let summary = "Erase private functions without callers";
  let description = [{
    Erases private functions that no call and no other symbol reference uses, until
    none is left (upstream's `symbol-dce`, which runs only if there is something to do).

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
    Replaces each call by the body of its callee, callees first, and erases private
    functions without callers (upstream's `inline` and `symbol-dce`, which run only if
    there is something to do).

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
  let summary = "Inline regions whose execution is known";
  let description = [{
    Replaces branches whose condition is a constant, and manual computations without
    manual axes, by their bodies. Erases unused ops.

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
    A constant here is also what is computed from nothing else: by elementwise
    ops, broadcasts, reshapes, slices, and by named computations and calls of
    functions that do nothing else. A copy of a call has a copy of the function.

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
    A framework that has no `sdy` dialect gives the rule of a custom call as a
    string: `mhlo.frontend_attributes = {sdy.sharding_rule =
    "#sdy.op_sharding_rule<...>"}` (or `xla.sdy.sharding_rule`). It becomes the
    attribute `sdy.sharding_rule` of the op, unless the op has one. Anything else
    than a rule that fits the op is an error.
  }];
}
def ExplicitGatherScatterBatchingPass : Pass<"sdy-explicit-gather-scatter-batching", "::mlir::ModuleOp"> {
  let summary = "Make batching dimensions of gathers and scatters explicit";
  let description = [{
    An index of stablehlo.gather or scatter that counts along a dimension of the
    indices of the size of the dimension that it indexes, makes of both a batching
    dimension, along which shardings propagate. To count, it has to be an iota,
    alone or as a part of a concatenation, after reshapes, broadcasts, transposes,
    conversions, clamps, and selects that replace negative indices: as far as these
    change no element.
  }];
}
def ManualAxesCleanupPass : Pass<"sdy-manual-axes-cleanup", "::mlir::ModuleOp"> {
  let summary = "Sort manual axes and add them to in and out shardings";
  let description = [{
    In: manual computations. Out: their manual axes are in the order of the mesh;
    what a sharding of an operand or result does not use of them, parts of axes
    and axes of size 1 too, is `replicated` there, on the mesh of the others where
    the sharding had an empty one. Values that are not shaped have no axes.
  }];
}
def AddDataFlowEdgesPass : Pass<"sdy-add-data-flow-edges", "::mlir::ModuleOp"> {
  let summary = "Insert data-flow edge ops for region ops";
  let description = [{
    Inserts an `sdy.data_flow_edge` for each edge of an op with regions: a value that
    the op makes the same as operands, block arguments or results, such as an
    iteration argument of a loop. All users of the value read the edge, which holds
    the one sharding of all of them while shardings propagate.
    `sdy-sink-data-flow-edges` is the reverse.

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
    In: constraints, and manual computations with their `in_shardings`. Out:

    * A value without sharding has that which is demanded of it, if it is closed
      and nothing else demands another. A value on an edge has none of its own:
      all its other users read a constraint instead, and the edge gets the
      unreduced axes, which would not propagate.
    * Of constraints one on the other, the last is what users of the first one's
      operand read that come later in the block; functions return what they did.

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
      "leave where axes come from as attributes `sdy.sharding_origins`">,
    Option<"debugPropagationEdges", "debug-propagation-edge-sharding", "bool",
      "false", "leave what got the sharding of a constraint as attributes "
               "`sdy.propagation_edges`">,
  ];
}
def ShardingGroupImportPass : Pass<"sdy-sharding-group-import", "::mlir::ModuleOp"> {
  let summary = "Merge sharding groups that share a value";
  let description = [{
    Merges the groups that have a value in common into the one of the lowest number,
    numbers the groups from 0, and erases repeated members. Members of different shapes,
    or in different manual computations, are errors.

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
