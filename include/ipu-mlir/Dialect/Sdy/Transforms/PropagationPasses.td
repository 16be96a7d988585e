//===- PropagationPasses.td - Passes that propagate --------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The passes that propagate shardings along the factors of ops, and those that
// show what propagation does.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_DIALECT_SDY_TRANSFORMS_PROPAGATIONPASSES
#define IPU_MLIR_DIALECT_SDY_TRANSFORMS_PROPAGATIONPASSES

include "mlir/Pass/PassBase.td"

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
  ];
}

def RemovePropagationDebugInfoPass
    : Pass<"sdy-remove-propagation-debug-info", "::mlir::ModuleOp"> {
  let summary = "Remove debug information of propagation";
  let description = [{
    Removes the attributes that options `debug-sharding-origins` and
    `debug-propagation-edge-sharding` have left, such as `sdy.sharding_origins` and
    `sdy.propagation_edges`, from all ops, arguments and results.
  }];
}

#endif // IPU_MLIR_DIALECT_SDY_TRANSFORMS_PROPAGATIONPASSES
