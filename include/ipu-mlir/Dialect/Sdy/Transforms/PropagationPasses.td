//===- PropagationPasses.td - Passes that propagate --------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The passes that propagate shardings along the factors of ops, and the passes that show
// the steps of propagation.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_DIALECT_SDY_TRANSFORMS_PROPAGATIONPASSES
#define IPU_MLIR_DIALECT_SDY_TRANSFORMS_PROPAGATIONPASSES

include "mlir/Pass/PassBase.td"

defvar StrategyDefault = "::mlir::ipu::sdy::PropagationStrategy::Aggressive";

defvar ConservativeOption = [
  Option<"conservative", "conservative-propagation", "bool", "false",
    "do not propagate sub-axes, and do not propagate along factors that need halos">];
defvar StrategyOption = [
  Option<"strategy", "propagation-strategy",
    "::mlir::ipu::sdy::PropagationStrategy", StrategyDefault,
    "how conflicts between factors are resolved", [{::llvm::cl::values(
      clEnumValN(::mlir::ipu::sdy::PropagationStrategy::Basic, "basic",
                 "an axis propagates along a factor to all tensors or to none"),
      clEnumValN(::mlir::ipu::sdy::PropagationStrategy::Aggressive,
                 "aggressive", "conflicts are resolved separately for each tensor"),
      clEnumValN(
          ::mlir::ipu::sdy::PropagationStrategy::BasicThenAggressive,
          "basic-then-aggressive", "basic first, then aggressive"))}]>];

class Sdy_Propagation<string mnemonic> : Pass<mnemonic, "::mlir::ModuleOp"> {
  let dependentDialects = ["::mlir::ipu::sdy::SdyDialect"];
  list<Option> common = ConservativeOption # [
    Option<"keepShardingRules", "keep-sharding-rules", "bool", "false",
      "attach the sharding rule of each op as attribute `sdy.sharding_rule`">,
    Option<"report", "report", "bool", "false",
      "print visits, steps, conflicts, and ops without a rule to stderr">,
    Option<"reportConflicts", "report-conflicts", "bool", "false",
      "print only conflicts to stderr">,
    Option<"debugShardingOrigins", "debug-sharding-origins", "bool", "false",
      "attach attributes `sdy.sharding_origins` with the sharding from which each axis was "
      "propagated">,
    Option<"debugPropagationEdges", "debug-propagation-edge-sharding", "bool",
      "false", "attach attributes `sdy.propagation_edges` with the axes, source and target "
               "of each propagation step">,
    Option<"moduleDumpDirectory", "module-dump-directory", "std::string",
      /*default=*/"", "directory to which the module is written after each user "
      "priority">,
  ];
  list<Option> priorityOption = [
    Option<"runOpPriority", "run-op-priority-propagation", "bool", "true",
      "propagate in five op priorities, elementwise ops first">,
  ];
}

def BasicPropagatePass : Sdy_Propagation<"sdy-basic-propagate"> {
  let summary = "Propagate shardings along factors without conflicts";
  let description = [{
    Propagates shardings by the sharding rules of ops. The pass visits each op and projects
    the shardings of its tensors to factors. For each factor, the pass finds the longest
    list of axes on which all tensors with this factor agree, and adds these axes to the
    factor. It then converts the factors back to shardings of the tensors. An axis is not
    added to a tensor in four cases: another factor of the tensor uses the axis, the axis is
    replicated or unreduced in the tensor, the dimension is closed, or the size of the axis
    does not divide the factor. When the pass adds axes to a tensor, it visits the ops that
    compute or use this tensor again. The pass ends when no sharding changes.
    docs/sharding.md has the details.

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
    Propagates like `sdy-basic-propagate`, but resolves conflicts separately for each
    tensor. If several factors of a tensor could get the same axis, the pass compares the
    tensors from which the axis propagates to these factors. The pass adds the axis only to
    the factor to which the axis propagates from the largest of these tensors.
    `propagation-strategy` can select the basic strategy alone, or the basic strategy
    followed by the aggressive strategy.

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
  let options = common # StrategyOption;
}
def OpPriorityPropagatePass : Sdy_Propagation<"sdy-op-priority-propagate"> {
  let summary = "Propagate shardings by op priority";
  let description = [{
    For each of five op priorities in turn, the pass propagates like
    `sdy-aggressive-propagate` until no sharding changes. Each priority includes the earlier
    priorities:

    0. Elementwise ops and ops that pass values through propagate in both directions, and
       slices propagate forward only. Each of these ops must be the only user of its
       operands, except scalars.
    1. The ops of priority 0 propagate even if their operands have other users.
    2. Pass-through factors of all ops; broadcasts propagate backward only. Pass-through
       factors are those that the rule does not list after `reduction=`,
       `need_replication=` or `permutation=`.
    3. All factors of all ops; broadcasts propagate backward only.
    4. All factors of all ops in both directions.
  }];
  let options = common # StrategyOption # priorityOption;
}
def UserPriorityPropagatePass : Sdy_Propagation<"sdy-user-priority-propagate"> {
  let summary = "Propagate shardings by user priority";
  let description = [{
    Propagates like `sdy-op-priority-propagate`, once for each user priority in ascending
    order. The first propagation uses only the axes of dimensions with priority `p0` or
    without a priority. The second propagation also uses the axes of dimensions with
    priority `p1`, and so on.
  }];
  let options = common # StrategyOption # priorityOption;
}

def PopulateOpShardingRulesPass
    : Pass<"sdy-populate-op-sharding-rules", "::mlir::ModuleOp"> {
  let summary = "Attach the sharding rule of each op as an attribute";
  let description = [{
    The pass attaches the attribute `sdy.sharding_rule` to each op. The attribute is the
    sharding rule that propagation would use. The pass does not change ops that have no
    rule, or that already have the attribute.

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
      "omit factors that need halos">,
  ];
}

def PrintFactorTablePass : Pass<"sdy-print-factor-table", "::mlir::ModuleOp"> {
  let summary = "Print the projection and one propagation step of each op";
  let description = [{
    For each op, the pass prints the sharding rule and the table of the rule's factors. The
    pass then prints the axes that could propagate along each factor (step 1), and the same
    table with the axes that each tensor would get (step 2). The pass prints to the standard
    output and does not change the module.
  }];
  let options = [
    Option<"op", "op", "std::string", /*default=*/"",
      "name of the ops to print, as in `stablehlo.dot_general`; empty: all ops">,
  ] # StrategyOption # ConservativeOption;
}

def SaveModuleOpPass : Pass<"sdy-save-module-op", "::mlir::ModuleOp"> {
  let summary = "Write the module to a file";
  let description = [{
    Writes the module to a file in a directory. Options set the name of the file and the
    directory. Pipelines with the option `module-dump-directory` use this pass. The pass
    does not change the module.
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
    Removes the attributes that the options `debug-sharding-origins` and
    `debug-propagation-edge-sharding` attach, such as `sdy.sharding_origins` and
    `sdy.propagation_edges`, from all ops, arguments and results.
  }];
}

#endif // IPU_MLIR_DIALECT_SDY_TRANSFORMS_PROPAGATIONPASSES
