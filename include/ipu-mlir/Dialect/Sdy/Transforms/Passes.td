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

def LiftInlinedMeshesPass : Pass<"sdy-lift-inlined-meshes", "::mlir::ModuleOp"> {
  let summary = "give each mesh one name";
}
def RemoveSizeOneAxesPass : Pass<"sdy-remove-size-one-axes", "::mlir::ModuleOp"> {
  let summary = "remove axes of size 1 from meshes and shardings";
}
def InlineRegionsPass : Pass<"sdy-inline-regions", "::mlir::ModuleOp"> {
  let summary = "inline known branches and computations without manual axes";
  let description = "Also erases what is dead.";
}
def ConstantOrScalarSplitterPass : Pass<"sdy-constant-or-scalar-splitter", "::mlir::ModuleOp"> {
  let summary = "give each use of a constant a copy of its own";
}
def ManualAxesCleanupPass : Pass<"sdy-manual-axes-cleanup", "::mlir::ModuleOp"> {
  let summary = "put manual axes in order and into all shardings";
}
def AddDataFlowEdgesPass : Pass<"sdy-add-data-flow-edges", "::mlir::ModuleOp"> {
  let summary = "make an op for each edge of region ops";
}
def ApplyShardingConstraintsPass : Pass<"sdy-apply-sharding-constraints", "::mlir::ModuleOp"> {
  let summary = "give values the shardings that constraints demand";
}
def ShardingGroupImportPass : Pass<"sdy-sharding-group-import", "::mlir::ModuleOp"> {
  let summary = "merge sharding groups that share a value";
}

//===----------------------------------------------------------------------===//
// Export
//===----------------------------------------------------------------------===//

def ConstantOrScalarMergerPass : Pass<"sdy-constant-or-scalar-merger", "::mlir::ModuleOp"> {
  let summary = "merge constants that are sharded alike";
}
def SinkDataFlowEdgesPass : Pass<"sdy-sink-data-flow-edges", "::mlir::ModuleOp"> {
  let summary = "move shardings of edges to their owners";
}
def RemoveShardingGroupsPass : Pass<"sdy-remove-sharding-groups", "::mlir::ModuleOp"> {
  let summary = "remove sharding groups";
}
def ShardingConstraintToReshardPass : Pass<"sdy-sharding-constraint-to-reshard", "::mlir::ModuleOp"> {
  let summary = "turn constraints into reshards";
}
def UpdateNonDivisibleInputOutputShardingsPass : Pass<"sdy-update-non-divisible-input-output-shardings", "::mlir::ModuleOp"> {
  let summary = "drop axes that do not divide inputs and outputs";
}
def RemoveSubAxesInInputOutputShardingsPass : Pass<"sdy-remove-sub-axes-in-input-output-shardings", "::mlir::ModuleOp"> {
  let summary = "drop parts of axes from inputs and outputs";
}
def CloseShardingsPass : Pass<"sdy-close-shardings", "::mlir::ModuleOp"> {
  let summary = "close all dimensions";
}
def InsertExplicitReshardsPass : Pass<"sdy-insert-explicit-reshards", "::mlir::ModuleOp"> {
  let summary = "reshard operands that must be sharded like the result";
}
def CanonicalizeReshardsPass : Pass<"sdy-canonicalize-reshards", "::mlir::ModuleOp"> {
  let summary = "remove reshards that do nothing";
}
def DropShardingRulesPass : Pass<"sdy-drop-sharding-rules", "::mlir::ModuleOp"> {
  let summary = "remove the rules of all ops";
}

//===----------------------------------------------------------------------===//
// Propagation
//===----------------------------------------------------------------------===//

defvar StrategyDefault = "::mlir::ipu::sdy::PropagationStrategy::Aggressive";

class Sdy_Propagation<string mnemonic> : Pass<mnemonic, "::mlir::ModuleOp"> {
  let dependentDialects = ["::mlir::ipu::sdy::SdyDialect"];
  list<Option> common = [
    Option<"keepShardingRules", "keep-sharding-rules", "bool", "false",
      "leave each op's rule as its attribute `sdy.sharding_rule`">,
    Option<"conservative", "conservative-propagation", "bool", "false",
      "no sub-axes, and no factors that need halos">,
  ];
  list<Option> strategyOption = [
    Option<"strategy", "propagation-strategy",
      "::mlir::ipu::sdy::PropagationStrategy", StrategyDefault,
      "how conflicts of factors are decided", [{::llvm::cl::values(
        clEnumValN(::mlir::ipu::sdy::PropagationStrategy::Basic, "basic",
                   "a factor goes to all tensors or to none"),
        clEnumValN(::mlir::ipu::sdy::PropagationStrategy::Aggressive,
                   "aggressive", "each tensor decides for itself"),
        clEnumValN(
            ::mlir::ipu::sdy::PropagationStrategy::BasicThenAggressive,
            "basic-then-aggressive", "one after the other"))}]>,
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
  let options = common # strategyOption;
}
def OpPriorityPropagatePass : Sdy_Propagation<"sdy-op-priority-propagate"> {
  let summary = "propagate shardings, through elementwise ops first";
  let options = common # strategyOption # priorityOption;
}
def UserPriorityPropagatePass : Sdy_Propagation<"sdy-user-priority-propagate"> {
  let summary = "propagate shardings by the priorities of dimensions";
  let options = common # strategyOption # priorityOption;
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

#endif // IPU_MLIR_DIALECT_SDY_TRANSFORMS_PASSES
