//===- Passes.td - Passes of the sdy dialect ----------------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_DIALECT_SDY_TRANSFORMS_PASSES
#define IPU_MLIR_DIALECT_SDY_TRANSFORMS_PASSES

include "mlir/Pass/PassBase.td"

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
