//===- Passes.td - Passes of the sdy dialect ----------------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_DIALECT_SDY_TRANSFORMS_PASSES
#define IPU_MLIR_DIALECT_SDY_TRANSFORMS_PASSES

include "mlir/Pass/PassBase.td"

//===----------------------------------------------------------------------===//
// Import
//===----------------------------------------------------------------------===//

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

//===----------------------------------------------------------------------===//
// Calls, before propagation
//===----------------------------------------------------------------------===//

def PropagateShardingFromFuncToCallPass
    : Pass<"sdy-propagate-sharding-from-func-to-call", "::mlir::ModuleOp"> {
  let summary = "Copy shardings of callees to calls";
  let description = [{
    In: calls. Out: a call whose results have no shardings has those of the
    callee's results, if that has any.

    Before:
    ```mlir
    func.func private @f(%arg0: tensor<8xf32>) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"} ]>}) {
      return %arg0 : tensor<8xf32>
    }
    func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
      %0 = call @f(%arg0) : (tensor<8xf32>) -> tensor<8xf32>
      return %0 : tensor<8xf32>
    }
    ```
    After:
    ```mlir
    func.func private @f(%arg0: tensor<8xf32>) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"} ]>}) {
      return %arg0 : tensor<8xf32>
    }
    func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
      %0 = call @f(%arg0) {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"} ]>]>} : (tensor<8xf32>) -> tensor<8xf32>
      return %0 : tensor<8xf32>
    }
    ```
  }];
}
def FlattenCallGraphPass : Pass<"sdy-flatten-call-graph", "::mlir::ModuleOp"> {
  let summary = "Clone functions so that each has one call";
  let description = [{
    In: functions that several calls share. Out: the first call of a private
    function calls it, each other one a private copy of it and of what it calls,
    which has the function's name as `sdy.original_func_name`. A public function
    stays for who calls it from elsewhere: all its calls get copies. Calls of
    declarations are left alone. Recursion is an error.

    Before:
    ```mlir
    func.func private @f(%arg0: tensor<8xf32>) -> tensor<8xf32> {
      %0 = math.exp %arg0 : tensor<8xf32>
      return %0 : tensor<8xf32>
    }
    func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
      %0 = call @f(%arg0) : (tensor<8xf32>) -> tensor<8xf32>
      %1 = call @f(%0) : (tensor<8xf32>) -> tensor<8xf32>
      return %1 : tensor<8xf32>
    }
    ```
    After:
    ```mlir
    func.func private @f(%arg0: tensor<8xf32>) -> tensor<8xf32> {
      %0 = math.exp %arg0 : tensor<8xf32>
      return %0 : tensor<8xf32>
    }
    func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
      %0 = call @f(%arg0) : (tensor<8xf32>) -> tensor<8xf32>
      %1 = call @f_0(%0) : (tensor<8xf32>) -> tensor<8xf32>
      return %1 : tensor<8xf32>
    }
    func.func private @f_0(%arg0: tensor<8xf32>) -> tensor<8xf32> attributes {sdy.original_func_name = "f"} {
      %0 = math.exp %arg0 : tensor<8xf32>
      return %0 : tensor<8xf32>
    }
    ```
  }];
  let options = [
    Option<"onlyManualAxes", "only-manual-axes", "bool", "false",
      "let calls share a function if the same axes are manual around them">,
  ];
}
def ImportFuncCallsPass : Pass<"sdy-import-func-calls", "::mlir::ModuleOp"> {
  let summary = "Turn calls into named computations";
  let description = [{
    In: calls. Out: each is an `sdy.named_computation` with the callee's body, the
    shardings of its arguments, and the shardings of the call's results. The call's
    attributes stay; what else the function had is in `sdy.func_attrs`. Private
    functions that all calls are gone of are gone. Calls of declarations and of
    functions of several blocks are left alone. Recursion is an error.

    Before:
    ```mlir
    func.func private @f(%arg0: tensor<8xf32>) -> tensor<8xf32> {
      %0 = math.exp %arg0 : tensor<8xf32>
      return %0 : tensor<8xf32>
    }
    func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
      %0 = call @f(%arg0) : (tensor<8xf32>) -> tensor<8xf32>
      return %0 : tensor<8xf32>
    }
    ```
    After:
    ```mlir
    func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
      %0 = sdy.named_computation<"f">(%arg0) (%arg1: tensor<8xf32>) {
        %1 = math.exp %arg1 : tensor<8xf32>
        sdy.return %1 : tensor<8xf32>
      } : (tensor<8xf32>) -> tensor<8xf32>
      return %0 : tensor<8xf32>
    }
    ```
  }];
  let dependentDialects = ["::mlir::ipu::sdy::SdyDialect"];
}
def AddFuncDataFlowEdgesPass
    : Pass<"sdy-add-func-data-flow-edges", "::mlir::ModuleOp"> {
  let summary = "Insert data-flow edge ops for functions and calls";
  let description = [{
    In: functions and calls. Out: each argument of a function but the main one, and
    each result of a call, has an `sdy.func_data_flow_edge` of its sharding, which
    all that used it reads instead.

    Before:
    ```mlir
    func.func private @f(%arg0: tensor<8xf32>) -> tensor<8xf32> {
      %0 = math.exp %arg0 : tensor<8xf32>
      return %0 : tensor<8xf32>
    }
    func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
      %0 = call @f(%arg0) : (tensor<8xf32>) -> tensor<8xf32>
      return %0 : tensor<8xf32>
    }
    ```
    After:
    ```mlir
    func.func private @f(%arg0: tensor<8xf32>) -> tensor<8xf32> {
      %0 = sdy.func_data_flow_edge %arg0 : tensor<8xf32>
      %1 = math.exp %0 : tensor<8xf32>
      return %1 : tensor<8xf32>
    }
    func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
      %0 = call @f(%arg0) : (tensor<8xf32>) -> tensor<8xf32>
      %1 = sdy.func_data_flow_edge %0 : tensor<8xf32>
      return %1 : tensor<8xf32>
    }
    ```
  }];
  let dependentDialects = ["::mlir::ipu::sdy::SdyDialect"];
}
def PreOrderFuncsPass : Pass<"sdy-pre-order-funcs", "::mlir::ModuleOp"> {
  let summary = "Sort functions so that callers come first";
  let description = [{
    In: functions in any order. Out: in pre-order of calls, after all else in the
    module. Propagation begins with the first.

    Before:
    ```mlir
    func.func private @f(%arg0: tensor<8xf32>) -> tensor<8xf32> {
      return %arg0 : tensor<8xf32>
    }
    func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
      %0 = call @f(%arg0) : (tensor<8xf32>) -> tensor<8xf32>
      return %0 : tensor<8xf32>
    }
    ```
    After:
    ```mlir
    func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
      %0 = call @f(%arg0) : (tensor<8xf32>) -> tensor<8xf32>
      return %0 : tensor<8xf32>
    }
    func.func private @f(%arg0: tensor<8xf32>) -> tensor<8xf32> {
      return %arg0 : tensor<8xf32>
    }
    ```
  }];
}

//===----------------------------------------------------------------------===//
// Export
//===----------------------------------------------------------------------===//

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

//===----------------------------------------------------------------------===//
// Calls, after propagation
//===----------------------------------------------------------------------===//

def ExportNamedComputationsPass
    : Pass<"sdy-export-named-computations", "::mlir::ModuleOp"> {
  let summary = "Outline named computations as functions";
  let description = [{
    In: named computations. Out: each is a call of a private function of its name,
    or of one like it if that is taken, with the name as `sdy.original_func_name`.

    Before:
    ```mlir
    func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
      %0 = sdy.named_computation<"f">(%arg0) (%arg1: tensor<8xf32>) {
        %1 = math.exp %arg1 : tensor<8xf32>
        sdy.return %1 : tensor<8xf32>
      } : (tensor<8xf32>) -> tensor<8xf32>
      return %0 : tensor<8xf32>
    }
    ```
    After:
    ```mlir
    func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
      %0 = call @f(%arg0) : (tensor<8xf32>) -> tensor<8xf32>
      return %0 : tensor<8xf32>
    }
    func.func private @f(%arg0: tensor<8xf32>) -> tensor<8xf32> attributes {sdy.original_func_name = "f"} {
      %0 = math.exp %arg0 : tensor<8xf32>
      return %0 : tensor<8xf32>
    }
    ```
  }];
  let dependentDialects = ["::mlir::func::FuncDialect"];
}
def PropagateToFuncResultsPass
    : Pass<"sdy-propagate-to-func-results", "::mlir::ModuleOp"> {
  let summary = "Copy shardings of returned values to function results";
  let description = [{
    In: functions. Out: the results of those that are called, the main one aside,
    have the shardings of the values returned, or none.

    Before:
    ```mlir
    func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
      %0 = call @f(%arg0) : (tensor<8xf32>) -> tensor<8xf32>
      return %0 : tensor<8xf32>
    }
    func.func private @f(%arg0: tensor<8xf32>) -> tensor<8xf32> {
      %0 = math.exp %arg0 {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"} ]>]>} : tensor<8xf32>
      return %0 : tensor<8xf32>
    }
    ```
    After:
    ```mlir
    func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
      %0 = call @f(%arg0) : (tensor<8xf32>) -> tensor<8xf32>
      return %0 : tensor<8xf32>
    }
    func.func private @f(%arg0: tensor<8xf32>) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"} ]>}) {
      %0 = math.exp %arg0 {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"} ]>]>} : tensor<8xf32>
      return %0 : tensor<8xf32>
    }
    ```
  }];
}
def SinkFuncDataFlowEdgesPass
    : Pass<"sdy-sink-func-data-flow-edges", "::mlir::ModuleOp"> {
  let summary = "Replace function data-flow edge ops by shardings";
  let description = [{
    In: `sdy.func_data_flow_edge`s. Out: none; their operands have their shardings.

    Before:
    ```mlir
    func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
      %0 = call @f(%arg0) : (tensor<8xf32>) -> tensor<8xf32>
      return %0 : tensor<8xf32>
    }
    func.func private @f(%arg0: tensor<8xf32>) -> tensor<8xf32> {
      %0 = sdy.func_data_flow_edge %arg0 {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"} ]>]>} : tensor<8xf32>
      return %0 : tensor<8xf32>
    }
    ```
    After:
    ```mlir
    func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
      %0 = call @f(%arg0) : (tensor<8xf32>) -> tensor<8xf32>
      return %0 : tensor<8xf32>
    }
    func.func private @f(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"} ]>}) -> tensor<8xf32> {
      return %arg0 : tensor<8xf32>
    }
    ```
  }];
}
def UnflattenCallGraphPass
    : Pass<"sdy-unflatten-call-graph", "::mlir::ModuleOp"> {
  let summary = "Merge equally sharded clones of functions";
  let description = [{
    In: functions, several of which have one `sdy.original_func_name`. Out: of those
    with equal shardings of arguments and results, within the same manual axes and
    with the same body, shardings aside, only the first called is called. No
    function has the attribute.

    Before:
    ```mlir
    func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
      %0 = call @f(%arg0) : (tensor<8xf32>) -> tensor<8xf32>
      %1 = call @f_0(%0) : (tensor<8xf32>) -> tensor<8xf32>
      return %1 : tensor<8xf32>
    }
    func.func private @f(%arg0: tensor<8xf32>) -> tensor<8xf32> attributes {sdy.original_func_name = "f"} {
      return %arg0 : tensor<8xf32>
    }
    func.func private @f_0(%arg0: tensor<8xf32>) -> tensor<8xf32> attributes {sdy.original_func_name = "f"} {
      return %arg0 : tensor<8xf32>
    }
    ```
    After:
    ```mlir
    func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
      %0 = call @f(%arg0) : (tensor<8xf32>) -> tensor<8xf32>
      %1 = call @f(%0) : (tensor<8xf32>) -> tensor<8xf32>
      return %1 : tensor<8xf32>
    }
    func.func private @f(%arg0: tensor<8xf32>) -> tensor<8xf32> {
      return %arg0 : tensor<8xf32>
    }
    func.func private @f_0(%arg0: tensor<8xf32>) -> tensor<8xf32> {
      return %arg0 : tensor<8xf32>
    }
    ```
  }];
}
def InsertFuncCallReshardsPass
    : Pass<"sdy-insert-func-call-reshards", "::mlir::ModuleOp"> {
  let summary = "Reshard results of calls where callees differ";
  let description = [{
    In: calls. Out: their results have the shardings of the callees' results; where
    these were others, a reshard to them follows.

    Before:
    ```mlir
    func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
      %0 = call @f(%arg0) {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"y"} ]>]>} : (tensor<8xf32>) -> tensor<8xf32>
      return %0 : tensor<8xf32>
    }
    func.func private @f(%arg0: tensor<8xf32>) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"} ]>}) {
      return %arg0 : tensor<8xf32>
    }
    ```
    After:
    ```mlir
    func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
      %0 = call @f(%arg0) {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"} ]>]>} : (tensor<8xf32>) -> tensor<8xf32>
      %1 = sdy.reshard %0 <@m, [{"y"} ]> : tensor<8xf32>
      return %1 : tensor<8xf32>
    }
    func.func private @f(%arg0: tensor<8xf32>) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"} ]>}) {
      return %arg0 : tensor<8xf32>
    }
    ```
  }];
  let dependentDialects = ["::mlir::ipu::sdy::SdyDialect"];
}

//===----------------------------------------------------------------------===//
// Propagation
//===----------------------------------------------------------------------===//

defvar StrategyDefault = "::mlir::ipu::sdy::PropagationStrategy::Aggressive";

defvar ConservativeOption = [
  Option<"conservative", "conservative-propagation", "bool", "false",
    "no sub-axes, and no factors that need halos">];
defvar StrategyOption = [
  Option<"strategy", "propagation-strategy",
    "::mlir::ipu::sdy::PropagationStrategy", StrategyDefault,
    "how conflicts of factors are decided", [{::llvm::cl::values(
      clEnumValN(::mlir::ipu::sdy::PropagationStrategy::Basic, "basic",
                 "a factor goes to all tensors or to none"),
      clEnumValN(::mlir::ipu::sdy::PropagationStrategy::Aggressive,
                 "aggressive", "each tensor decides for itself"),
      clEnumValN(
          ::mlir::ipu::sdy::PropagationStrategy::BasicThenAggressive,
          "basic-then-aggressive", "one after the other"))}]>];

class Sdy_Propagation<string mnemonic> : Pass<mnemonic, "::mlir::ModuleOp"> {
  let dependentDialects = ["::mlir::ipu::sdy::SdyDialect"];
  list<Option> common = ConservativeOption # [
    Option<"keepShardingRules", "keep-sharding-rules", "bool", "false",
      "leave each op's rule as its attribute `sdy.sharding_rule`">,
    Option<"report", "report", "bool", "false",
      "print visits, steps, conflicts and ops without rule to stderr">,
    Option<"reportConflicts", "report-conflicts", "bool", "false",
      "print conflicts only">,
    Option<"debugShardingOrigins", "debug-sharding-origins", "bool", "false",
      "leave where axes come from as attributes `sdy.sharding_origins`">,
    Option<"debugPropagationEdges", "debug-propagation-edge-sharding", "bool",
      "false", "leave which way axes went as attributes "
               "`sdy.propagation_edges`">,
    Option<"moduleDumpDirectory", "module-dump-directory", "std::string",
      /*default=*/"", "directory for the module after each priority">,
  ];
  list<Option> priorityOption = [
    Option<"runOpPriority", "run-op-priority-propagation", "bool", "true",
      "propagate in five op priorities, elementwise ops first">,
  ];
}

def BasicPropagatePass : Sdy_Propagation<"sdy-basic-propagate"> {
  let summary = "Propagate shardings along factors without conflicts";
  let description = [{
    Propagates by the rules of the ops: visits each op, projects the shardings of its
    tensors to factors, adds to each factor the longest list of axes that all tensors
    with the factor agree on, and gives the tensors the shardings that follow. What
    stops an axis: another factor of a tensor that uses it, axes that are replicated or
    unreduced, closed dimensions, and factors that it does not divide. Ops whose
    tensors got axes are visited again, until nothing changes. docs/sharding.md has
    the details.

    Before:
    ```mlir
    func.func @f(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {?} ]>}) -> tensor<8x8xf32> {
      %0 = math.exp %arg0 : tensor<8x8xf32>
      return %0 : tensor<8x8xf32>
    }
    ```
    After:
    ```mlir
    func.func @f(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {?} ]>}) -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x", ?}, {?} ]>}) {
      %0 = math.exp %arg0 {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x", ?}, {?} ]>]>} : tensor<8x8xf32>
      return %0 : tensor<8x8xf32>
    }
    ```
  }];
  let options = common;
}
def AggressivePropagatePass : Sdy_Propagation<"sdy-aggressive-propagate"> {
  let summary = "Propagate shardings and resolve conflicts per tensor";
  let description = [{
    As `sdy-basic-propagate`, but tensors decide conflicts by themselves: if factors
    compete for an axis, the one that comes from the largest tensor wins in each
    tensor. `propagation-strategy` runs the basic way alone, or before.
  }];
  let options = common # StrategyOption;
}
def OpPriorityPropagatePass : Sdy_Propagation<"sdy-op-priority-propagate"> {
  let summary = "Propagate shardings by op priority";
  let description = [{
    Propagates as `sdy-aggressive-propagate`, for each of five
    op priorities in turn, up to the fixed point of each:

    0. elementwise ops and ops that pass values through, and slices forward, as far as
       their tensors have one use;
    1. all of these;
    2. of other ops the factors that pass through, broadcasts backward only;
    3. all factors, broadcasts backward only;
    4. all factors of all ops.
  }];
  let options = common # StrategyOption # priorityOption;
}
def UserPriorityPropagatePass : Sdy_Propagation<"sdy-user-priority-propagate"> {
  let summary = "Propagate shardings by user priority";
  let description = [{
    Propagates as `sdy-op-priority-propagate`, first only the axes of dimensions of
    priority `p0`, or without a priority, then those of `p1` as well, and so on.
  }];
  let options = common # StrategyOption # priorityOption;
}

def PopulateOpShardingRulesPass
    : Pass<"sdy-populate-op-sharding-rules", "::mlir::ModuleOp"> {
  let summary = "Attach each op's rule as `sdy.sharding_rule`";
  let description = [{
    Writes the rule that propagation would use for each op, if it has one and no rule
    is there, as the attribute `sdy.sharding_rule`.

    Before:
    ```mlir
    func.func @f(%arg0: tensor<8xf32>) -> tensor<8xf32> {
      %0 = math.exp %arg0 : tensor<8xf32>
      return %0 : tensor<8xf32>
    }
    ```
    After:
    ```mlir
    func.func @f(%arg0: tensor<8xf32>) -> tensor<8xf32> {
      %0 = math.exp %arg0 {sdy.sharding_rule = #sdy.op_sharding_rule<([i])->([i]) {i=8}>} : tensor<8xf32>
      return %0 : tensor<8xf32>
    }
    ```
  }];
  let dependentDialects = ["::mlir::ipu::sdy::SdyDialect"];
  let options = [
    Option<"conservative", "conservative-propagation", "bool", "false",
      "leave out factors that need halos">,
  ];
}
def PrintFactorTablePass : Pass<"sdy-print-factor-table", "::mlir::ModuleOp"> {
  let summary = "Print the sharding projections of ops and a propagation step";
  let description = [{
    For each op: its rule and the table of factors as it is; which axes could go
    along each factor (step 1); the table with those that each tensor takes
    (step 2). Prints to stdout and changes nothing.
  }];
  let options = [
    Option<"op", "op", "std::string", /*default=*/"",
      "only ops of this name, as in `stablehlo.dot_general`; all, if empty">,
  ] # StrategyOption # ConservativeOption;
}

def SaveModuleOpPass : Pass<"sdy-save-module-op", "::mlir::ModuleOp"> {
  let summary = "Write the module to a file";
  let description = [{
    Prints the module, as it is here, to a file of a directory; both have options.
    Pipelines use it with `module-dump-directory`. Changes nothing.
  }];
  let options = [
    Option<"moduleDumpDirectory", "module-dump-directory", "std::string",
      /*default=*/"\".\"",
      "directory of the file; created if it does not exist">,
    Option<"fileName", "file-name", "std::string", /*default=*/"\"module\"",
      "name of the file, without `.mlir`">,
  ]; }

def RemovePropagationDebugInfoPass
    : Pass<"sdy-remove-propagation-debug-info", "::mlir::ModuleOp"> {
  let summary = "Remove debug information of propagation";
  let description = [{
    Removes the attributes that options `debug-sharding-origins` and
    `debug-propagation-edge-sharding` have left, such as `sdy.sharding_origins` and
    `sdy.propagation_edges`, from all ops, arguments and results.
  }];
}

#endif // IPU_MLIR_DIALECT_SDY_TRANSFORMS_PASSES
