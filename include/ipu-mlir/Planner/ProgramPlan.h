//===- ProgramPlan.h - Tile mappings of a whole program ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The choice of a tile mapping for each tensor of a function, and of those that
// it calls, such that the cycles of the whole program are few; see
// docs/planner.md.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_PLANNER_PROGRAMPLAN_H
#define IPU_MLIR_PLANNER_PROGRAMPLAN_H

#include "ipu-mlir/Analysis/Effects/FunctionCalls.h"
#include "ipu-mlir/Planner/PlanCache.h"
#include "ipu-mlir/Planner/PlannerKind.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/MapVector.h"

namespace mlir::ipu {

struct ProgramPlanOptions {
  PlanOptions plan;
  PlannerKind kind = PlannerKind::Program;
};

/// Maps of variables, by symbol.
using VariableTileMappings = llvm::MapVector<StringAttr, TileMappingAttr>;

struct ProgramPlan {
  /// What was planned: the function, and those that it calls without arguments
  /// and results.
  SmallVector<func::FuncOp, 1> functions;
  /// The tile mapping of each argument and each op's result that has storage.
  llvm::MapVector<Value, TileMappingAttr> mappings;
  /// Those of the variables that the function uses.
  VariableTileMappings variables;
  /// What ipu-estimate-cost will say of the program that results, before
  /// steps are merged. The body of a loop counts
  /// as often as it runs if that is a constant, else once; a function as often
  /// as it is called.
  int64_t cycles = 0;
  /// The same where ops of one block share what they move to equal tiles, as
  /// they do afterwards. It is not what is minimised.
  int64_t sharedCycles = 0;
  /// The same as `cycles` if each tensor had its generic map; if that takes
  /// longer than the plan, what it takes at least. And for the start of the
  /// search: each op's best map in program order.
  int64_t genericCycles = 0, greedyCycles = 0;
  /// The same of the best plan without nested partitions that was found.
  int64_t flatCycles = 0;
  /// Code of exchanges and of the program around in bytes, at most: of each
  /// exchange on the tile that has most of it.
  int64_t codeBytes = 0;
  /// Bytes of tensors at the fullest step, at most: of each on the tile that
  /// has most of it.
  int64_t dataBytes = 0;
  /// Bytes of a tile that an op takes at most, of those that have a plan that
  /// takes less and no share of their own; and ops that take more than their
  /// share: none, unless maps are generic.
  int64_t shareBytes = 0, numOverShare = 0;
  /// The share, in thousandths, that the tile mappings to choose from were
  /// listed for.
  int64_t listedPerMille = 0;
  /// Whether it is proven that no other choice from these lists takes fewer
  /// cycles: all tables were whole, none was too large to solve, and what was
  /// minimised is cycles. Maps that are in no list count for nothing.
  bool isOptimal = false;
  /// Of PlanCache: plans that were asked for, and those that were there.
  int64_t numPlans = 0, numPlanHits = 0;
  /// Cost tables of steps that were asked for, and those that were there.
  int64_t numTables = 0, numTableHits = 0;
  /// Different exchanges that were analysed.
  int64_t numExchanges = 0;
};

/// Plans `function`, decomposed, and the functions that it calls and passes
/// nothing but in variables. Maps that are there are kept, and so are those of
/// `variables`. If that code would take more than four fifths of the
/// code memory, plans with fewer runs are tried. Emits an error and fails if an
/// op is not ready for tiles.
FailureOr<ProgramPlan> planProgram(func::FuncOp function,
                                   const FunctionCalls &calls,
                                   const ProgramPlanOptions &options,
                                   const VariableTileMappings &variables = {});

/// Plans all functions of `module` in the same way, callers with those that
/// they call, and maps of `variables` that are there kept; calls `use` with
/// each function that was planned with those that it calls.
LogicalResult
planModule(ModuleOp module, const ProgramPlanOptions &options,
           VariableTileMappings &variables,
           function_ref<void(func::FuncOp, const ProgramPlan &)> use);

/// Shares of memory that plans are made for, whatever the share is, in
/// thousandths, the greatest first; the last one is 0.
ArrayRef<int64_t> getPlanShares();

/// What is to be small: first the bytes of code that do not fit, then cycles.
std::pair<int64_t, int64_t> getPlanKey(const TargetModel &target,
                                       const ProgramPlan &plan);

} // namespace mlir::ipu

#endif // IPU_MLIR_PLANNER_PROGRAMPLAN_H
