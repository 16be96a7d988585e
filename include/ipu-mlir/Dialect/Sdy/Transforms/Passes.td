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
  let summary = "warn about shardings that are allowed but odd";
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
  let summary = "give each mesh one name";
}
def RemoveSizeOneAxesPass : Pass<"sdy-remove-size-one-axes", "::mlir::ModuleOp"> {
  let summary = "remove axes of size 1 from shardings";
  let description = [{
    In: shardings and collectives with axes of size 1, which would be in each
    other's way while shardings propagate. Out: none has such axes. Meshes and
    manual axes keep theirs, as names that others may use, unless the option is
    given.
  }];
  let options = [
    Option<"fromMeshes", "from-meshes", "bool", "false",
      "remove them from meshes and from manual axes, too">,
  ];
}
def RemoveDeadSymbolsPass : Pass<"sdy-remove-dead-symbols", "::mlir::ModuleOp"> {
  let summary = "remove private functions that nobody calls";
}
def InlineCallsPass : Pass<"sdy-inline-calls", "::mlir::ModuleOp"> {
  let summary = "inline all calls";
}
def InlineRegionsPass : Pass<"sdy-inline-regions", "::mlir::ModuleOp"> {
  let summary = "inline known branches and computations without manual axes";
  let description = "Also erases what is dead.";
}
def ConstantOrScalarSplitterPass : Pass<"sdy-constant-or-scalar-splitter", "::mlir::ModuleOp"> {
  let summary = "give each use of a constant a copy of its own";
  let description = [{
    A constant here is also what is computed from nothing else: by elementwise
    ops, broadcasts, reshapes, slices, and by named computations and calls of
    functions that do nothing else. A copy of a call has a copy of the function.
  }];
  let dependentDialects = ["::mlir::ipu::sdy::SdyDialect"];
}
def ImportFrontendRulesPass : Pass<"sdy-import-frontend-rules", "::mlir::ModuleOp"> {
  let summary = "read sharding rules that frontends give as text";
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
  let summary = "make batching dimensions of gathers and scatters explicit";
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
  let summary = "put manual axes in order and into all shardings";
  let description = [{
    In: manual computations. Out: their manual axes are in the order of the mesh;
    what a sharding of an operand or result does not use of them, parts of axes
    and axes of size 1 too, is `replicated` there, on the mesh of the others where
    the sharding had an empty one. Values that are not shaped have no axes.
  }];
}
def AddDataFlowEdgesPass : Pass<"sdy-add-data-flow-edges", "::mlir::ModuleOp"> {
  let summary = "make an op for each edge of region ops";
  let dependentDialects = ["::mlir::ipu::sdy::SdyDialect"];
}
def ApplyShardingConstraintsPass : Pass<"sdy-apply-sharding-constraints", "::mlir::ModuleOp"> {
  let summary = "give values the shardings that constraints demand";
  let description = [{
    In: constraints, and manual computations with their `in_shardings`. Out:

    * A value without sharding has that which is demanded of it, if it is closed
      and nothing else demands another. A value on an edge has none of its own:
      all its other users read a constraint instead, and the edge gets the
      unreduced axes, which would not propagate.
    * Of constraints one on the other, the last is what users of the first one's
      operand read that come later in the block; functions return what they did.
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
  let summary = "merge sharding groups that share a value";
}

//===----------------------------------------------------------------------===//
// Calls, before propagation
//===----------------------------------------------------------------------===//

def PropagateShardingFromFuncToCallPass
    : Pass<"sdy-propagate-sharding-from-func-to-call", "::mlir::ModuleOp"> {
  let summary = "give calls the shardings of what they call";
  let description = [{
    In: calls. Out: a call whose results have no shardings has those of the
    callee's results, if that has any.
  }];
}
def FlattenCallGraphPass : Pass<"sdy-flatten-call-graph", "::mlir::ModuleOp"> {
  let summary = "give each call a function of its own";
  let description = [{
    In: functions that several calls share. Out: the first call of a private
    function calls it, each other one a private copy of it and of what it calls,
    which has the function's name as `sdy.original_func_name`. A public function
    stays for who calls it from elsewhere: all its calls get copies. Calls of
    declarations are left alone. Recursion is an error.
  }];
  let options = [
    Option<"onlyManualAxes", "only-manual-axes", "bool", "false",
      "let calls share a function if the same axes are manual around them">,
  ];
}
def ImportFuncCallsPass : Pass<"sdy-import-func-calls", "::mlir::ModuleOp"> {
  let summary = "turn calls into named computations";
  let description = [{
    In: calls. Out: each is an `sdy.named_computation` with the callee's body, the
    shardings of its arguments, and the shardings of the call's results. The call's
    attributes stay; what else the function had is in `sdy.func_attrs`. Private
    functions that all calls are gone of are gone. Calls of declarations and of
    functions of several blocks are left alone. Recursion is an error.
  }];
  let dependentDialects = ["::mlir::ipu::sdy::SdyDialect"];
}
def AddFuncDataFlowEdgesPass
    : Pass<"sdy-add-func-data-flow-edges", "::mlir::ModuleOp"> {
  let summary = "make an op for each edge between calls and functions";
  let description = [{
    In: functions and calls. Out: each argument of a function but the main one, and
    each result of a call, has an `sdy.func_data_flow_edge` of its sharding, which
    all that used it reads instead.
  }];
  let dependentDialects = ["::mlir::ipu::sdy::SdyDialect"];
}
def PreOrderFuncsPass : Pass<"sdy-pre-order-funcs", "::mlir::ModuleOp"> {
  let summary = "put callers before what they call";
  let description = [{
    In: functions in any order. Out: in pre-order of calls, after all else in the
    module. Propagation begins with the first.
  }];
}

//===----------------------------------------------------------------------===//
// Export
//===----------------------------------------------------------------------===//

def ConstantOrScalarMergerPass : Pass<"sdy-constant-or-scalar-merger", "::mlir::ModuleOp"> {
  let summary = "merge constants that are sharded equally";
}
def SinkDataFlowEdgesPass : Pass<"sdy-sink-data-flow-edges", "::mlir::ModuleOp"> {
  let summary = "move shardings of edges to their owners";
  let options = [
    Option<"sinkDebugShardingOrigins", "sink-debug-sharding-origins", "bool",
      "false", "move origins of axes to the ops of the owners, instead of "
               "dropping them with the edges">,
    Option<"sinkDebugPropagationEdges", "sink-debug-propagation-edge-sharding",
      "bool", "false", "likewise the steps of propagation">,
  ];
}
def RemoveShardingGroupsPass : Pass<"sdy-remove-sharding-groups", "::mlir::ModuleOp"> {
  let summary = "remove sharding groups";
}
def ShardingConstraintToReshardPass : Pass<"sdy-sharding-constraint-to-reshard", "::mlir::ModuleOp"> {
  let summary = "turn constraints into reshards";
}
def UpdateNonDivisibleInputOutputShardingsPass : Pass<"sdy-update-non-divisible-input-output-shardings", "::mlir::ModuleOp"> {
  let summary = "drop axes that do not divide inputs and outputs";
  let description = [{
    In: shardings of arguments and results of functions, calls and manual
    computations. Out: in each dimension the longest prefix of the axes that
    divides it; of an axis that fits in part, the part that does. The pass warns
    of each sharding that is another one then. In pipelines, where most of them
    come from propagation, `sdy-lint-shardings` warns instead, before it.
  }];
  let options = [
    Option<"warn", "warn", "bool", "true", "warn of what is dropped">,
  ];
}
def RemoveSubAxesInInputOutputShardingsPass : Pass<"sdy-remove-sub-axes-in-input-output-shardings", "::mlir::ModuleOp"> {
  let summary = "drop parts of axes from inputs and outputs";
}
def CloseShardingsPass : Pass<"sdy-close-shardings", "::mlir::ModuleOp"> {
  let summary = "close all dimensions";
}
def InsertExplicitReshardsPass : Pass<"sdy-insert-explicit-reshards", "::mlir::ModuleOp"> {
  let summary = "reshard tensors where the shardings of an op disagree";
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
  let summary = "remove reshards that do nothing";
}
def ReshardToCollectivesPass : Pass<"sdy-reshard-to-collectives", "::mlir::ModuleOp"> {
  let summary = "turn reshards into collectives";
  let description = [{
    In: reshards. Out: slices, at most one permutation of devices, moves of axes
    between dimensions, gathers, in this order where the sizes of axes are powers of
    one number. Of unreduced axes that the result has not, a sum comes first; those
    that the operand has not are introduced last. Other steps are taken where a
    bounded search finds that they move less; these may slice along axes of the mesh
    that neither sharding has. Reshards between meshes of other axes stay, and those
    from and to a maximal mesh.
  }];
  let dependentDialects = ["::mlir::ipu::sdy::SdyDialect"];
  let options = [
    Option<"keepRedundantReshards", "keep-redundant-reshards", "bool", "false",
      "leave reshards to the sharding that the operand has">,
  ];
}
def CanonicalizeCollectivesPass : Pass<"sdy-canonicalize-collectives", "::mlir::ModuleOp"> {
  let summary = "simplify collectives";
  let description = [{
    Canonicalisations of the collectives of this dialect and of no other op. An
    all_reduce that is sliced becomes a reduce_scatter here.
  }];
}
def RemoveAllGatherReduceScatterForCMV1Pass
    : Pass<"sdy-remove-all-gather-reduce-scatter-for-cmv1", "::mlir::ModuleOp"> {
  let summary = "leave gathers and scatters around dots to whoever partitions";
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
  let summary = "check that partial values stay partial until they are reduced";
  let description = [{
    Each op must keep the unreduced axes of its operands, in each of its results
    that has a sharding; ops introduce partial values of sums, a reduction
    those of its kind. Operands of calls and of terminators must have the unreduced axes of what
    they become exactly, unless they are reshards.
  }];
}
def InlineMeshesPass : Pass<"sdy-inline-meshes", "::mlir::ModuleOp"> {
  let summary = "write meshes into shardings";
  let description = [{
    In: shardings that name meshes. Out: shardings that have them
    (`mesh<["x"=2]>`), and no named ones.
  }];
}
def DropShardingRulesPass : Pass<"sdy-drop-sharding-rules", "::mlir::ModuleOp"> {
  let summary = "remove the rules of all ops";
}

//===----------------------------------------------------------------------===//
// Calls, after propagation
//===----------------------------------------------------------------------===//

def ExportNamedComputationsPass
    : Pass<"sdy-export-named-computations", "::mlir::ModuleOp"> {
  let summary = "turn named computations into calls";
  let description = [{
    In: named computations. Out: each is a call of a private function of its name,
    or of one like it if that is taken, with the name as `sdy.original_func_name`.
  }];
  let dependentDialects = ["::mlir::func::FuncDialect"];
}
def PropagateToFuncResultsPass
    : Pass<"sdy-propagate-to-func-results", "::mlir::ModuleOp"> {
  let summary = "give results of functions the shardings of what is returned";
  let description = [{
    In: functions. Out: the results of those that are called, the main one aside,
    have the shardings of the values returned, or none.
  }];
}
def SinkFuncDataFlowEdgesPass
    : Pass<"sdy-sink-func-data-flow-edges", "::mlir::ModuleOp"> {
  let summary = "move shardings of edges to arguments and results of calls";
  let description = [{
    In: `sdy.func_data_flow_edge`s. Out: none; their operands have their shardings.
  }];
}
def UnflattenCallGraphPass
    : Pass<"sdy-unflatten-call-graph", "::mlir::ModuleOp"> {
  let summary = "let calls share functions that are sharded equally";
  let description = [{
    In: functions, several of which have one `sdy.original_func_name`. Out: of those
    with equal shardings of arguments and results, within the same manual axes and
    with the same body, shardings aside, only the first called is called. No
    function has the attribute.
  }];
}
def InsertFuncCallReshardsPass
    : Pass<"sdy-insert-func-call-reshards", "::mlir::ModuleOp"> {
  let summary = "reshard results of calls that callees shard differently";
  let description = [{
    In: calls. Out: their results have the shardings of the callees' results; where
    these were others, a reshard to them follows.
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
      "elementwise ops first, then others, in five levels">,
  ];
}

def BasicPropagatePass : Sdy_Propagation<"sdy-basic-propagate"> {
  let summary = "propagate shardings along factors that nothing is against";
  let options = common;
}
def AggressivePropagatePass : Sdy_Propagation<"sdy-aggressive-propagate"> {
  let summary = "propagate shardings; tensors decide conflicts by themselves";
  let options = common # StrategyOption;
}
def OpPriorityPropagatePass : Sdy_Propagation<"sdy-op-priority-propagate"> {
  let summary = "propagate shardings, through elementwise ops first";
  let options = common # StrategyOption # priorityOption;
}
def UserPriorityPropagatePass : Sdy_Propagation<"sdy-user-priority-propagate"> {
  let summary = "propagate shardings by the priorities of dimensions";
  let options = common # StrategyOption # priorityOption;
}

def PopulateOpShardingRulesPass
    : Pass<"sdy-populate-op-sharding-rules", "::mlir::ModuleOp"> {
  let summary = "write each op's rule as its attribute `sdy.sharding_rule`";
  let dependentDialects = ["::mlir::ipu::sdy::SdyDialect"];
  let options = [
    Option<"conservative", "conservative-propagation", "bool", "false",
      "leave out factors that need halos">,
  ];
}
def PrintFactorTablePass : Pass<"sdy-print-factor-table", "::mlir::ModuleOp"> {
  let summary = "print the shardings of ops by factor, and what a step would do";
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
  let summary = "write the module to a file";
  let options = [
    Option<"moduleDumpDirectory", "module-dump-directory", "std::string",
      /*default=*/"\".\"", "where; made if it does not exist">,
    Option<"fileName", "file-name", "std::string", /*default=*/"\"module\"",
      "name of the file, without `.mlir`">,
  ];
}

def RemovePropagationDebugInfoPass
    : Pass<"sdy-remove-propagation-debug-info", "::mlir::ModuleOp"> {
  let summary = "remove origins and edges of propagation";
}

#endif // IPU_MLIR_DIALECT_SDY_TRANSFORMS_PASSES
