//===- ProgramPlan.h - Tile mappings of a whole program ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Chooses a tile mapping for each tensor of a function and of the functions
// that it calls, such that the whole program takes few cycles; see
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

/// The tile mappings of variables, by symbol.
using VariableTileMappings = llvm::MapVector<StringAttr, TileMappingAttr>;

struct ProgramPlan {
  /// The functions that were planned together: the function, and the functions
  /// without arguments and results that it calls.
  SmallVector<func::FuncOp, 1> functions;
  /// The tile mapping of each argument and of each op result that has storage.
  llvm::MapVector<Value, TileMappingAttr> mappings;
  /// The tile mappings of returned values that are copied, by the number of the
  /// result.
  llvm::MapVector<unsigned, TileMappingAttr> results;
  /// The tile mappings of the variables that the function uses.
  VariableTileMappings variables;
  /// The cycles that ipu-estimate-cost will compute for the resulting program,
  /// before steps are merged. The body of a loop counts as often as it is
  /// executed if this number is constant, and otherwise once. A function counts
  /// as often as it is called.
  int64_t cycles = 0;
  /// The cycles if ops of one block share data that they move to the same
  /// tiles, as in the final program. The planner does not minimise this number.
  int64_t sharedCycles = 0;
  /// `genericCycles` are the cycles with the generic tile mapping for each
  /// tensor. If this number exceeds `cycles`, it is only a lower bound, because
  /// the planner then does not compute the exact number. `greedyCycles` are the
  /// cycles at the start of the search, with the best tile mapping of each op
  /// in program order.
  int64_t genericCycles = 0, greedyCycles = 0;
  /// The cycles of the best plan without nested partitions that was found.
  int64_t flatCycles = 0;
  /// An upper bound of the bytes of code of exchanges and of the sequence of
  /// steps. Each exchange counts with its largest code on a tile.
  int64_t codeBytes = 0;
  /// An upper bound of the bytes of tensors on a tile at the fullest step. Each
  /// tensor counts with its bytes on the tile that has most of it.
  int64_t dataBytes = 0;
  /// `shareBytes` is the greatest number of bytes of a tile that an op uses,
  /// among ops without a share of their own for which a plan with fewer bytes
  /// exists. `numOverShare` is the number of ops that exceed their share; it is
  /// 0 unless tile mappings are generic.
  int64_t shareBytes = 0, numOverShare = 0;
  /// The number of IPUs, from the first one on, that have elements of tensors.
  int64_t numIPUs = 1;
  /// The share, in thousandths, for which the lists of possible tile mappings
  /// were made.
  int64_t listedPerMille = 0;
  /// Whether it is proven that no other choice from these lists takes fewer
  /// cycles. This holds if all tables were complete, no table was too large to
  /// solve, and cycles were minimised. Tile mappings that are in no list are
  /// not considered.
  bool isOptimal = false;
  /// The numbers of requested plans, and of plans that were in the cache.
  int64_t numPlans = 0, numPlanHits = 0;
  /// The numbers of requested cost tables of steps, and of tables that were in
  /// the cache.
  int64_t numTables = 0, numTableHits = 0;
  /// The number of different exchanges that were analysed.
  int64_t numExchanges = 0;
};

/// Plans `function`, which must be decomposed, and the functions to which it
/// passes values only in variables. Existing tile mappings do not change,
/// including those of `variables`. If the resulting code would take more than
/// four fifths of the code memory, plans with fewer runs are tried. Emits an
/// error and fails if an op cannot be executed on tiles in its present form.
FailureOr<ProgramPlan> planProgram(func::FuncOp function,
                                   const FunctionCalls &calls,
                                   const ProgramPlanOptions &options,
                                   const VariableTileMappings &variables = {});

/// Plans all functions of `module` by planProgram(), callers together with
/// their callees. Existing tile mappings of `variables` do not change. Calls
/// `use` with each function that was planned together with its callees.
LogicalResult
planModule(ModuleOp module, const ProgramPlanOptions &options,
           VariableTileMappings &variables,
           function_ref<void(func::FuncOp, const ProgramPlan &)> use);

/// Returns the key that the planner minimises: first the bytes of code that do
/// not fit, and then the cycles.
std::pair<int64_t, int64_t> getPlanKey(const TargetModel &target,
                                       const ProgramPlan &plan);

} // namespace mlir::ipu

#endif // IPU_MLIR_PLANNER_PROGRAMPLAN_H
