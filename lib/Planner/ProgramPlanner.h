//===- ProgramPlanner.h - Choices for one share of memory -------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The search for the best tile mappings of a function and its callees, for one
// share of memory and one target. ProgramPlan.cpp compares the plans for
// several shares and targets.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_LIB_PLANNER_PROGRAMPLANNER_H
#define IPU_MLIR_LIB_PLANNER_PROGRAMPLANNER_H

#include "ProgramGraph.h"
#include "ipu-mlir/Planner/ChoiceProblem.h"

namespace mlir::ipu {

/// The caches that all plans of one function for one target share.
struct PlanKnowledge {
  /// In the costs, each run of an exchange takes `runCycles` additional cycles.
  PlanKnowledge(TargetModel own, int64_t runCycles)
      : target(withRunCycles(own, runCycles)), countsCycles(runCycles == 0),
        cache(target), costs(target, kMaxPieces) {}
  PlanKnowledge(const PlanKnowledge &) = delete;

  static TargetModel withRunCycles(TargetModel target, int64_t more) {
    target.exchange_run_cycles += more;
    return target;
  }

  TargetModel target;
  /// Whether costs are cycles, without additional cycles for runs that reduce
  /// the code.
  bool countsCycles;
  PlanCache cache;
  StepCosts costs;
  llvm::StringMap<std::shared_ptr<const CostTable>> tables;

  /// The greatest number of pieces of a move that the analysis visits while the
  /// planner compares costs. The limit is low because there are thousands of
  /// moves.
  static constexpr int64_t kMaxPieces = int64_t(1) << 19;
};

class ProgramPlanner {
public:
  /// `ownCosts` computes the costs of the target. The planner minimises the
  /// costs of `known`. With `start`, plans of ops are nested, and the search
  /// starts from this plan, which evaluate() evaluates.
  ProgramPlanner(func::FuncOp function, const FunctionCalls &calls,
                 const ProgramPlanOptions &options,
                 const VariableTileMappings &variables, StepCosts &ownCosts,
                 PlanKnowledge &known, const ProgramPlan *start)
      : function(function), options(options), cache(known.cache),
        costs(known.costs), ownCosts(ownCosts), tables(known.tables),
        isExact(known.countsCycles), start(start),
        graph(function, calls, known.target, cache, options.plan, variables,
              {/*isNested=*/start != nullptr, options.copies, options.clones}) {
  }

  /// Returns the best plan. If no plan takes fewer than `tooMany` cycles, or if
  /// it is unlikely that one does, returns a plan whose number of cycles is
  /// INT64_MAX.
  FailureOr<ProgramPlan> run(int64_t tooMany);
  /// Returns the plan `start` with its cycles and bytes on the target.
  FailureOr<ProgramPlan> evaluate();

private:
  using Choices = SmallVector<unsigned>;

  int64_t getCost(ArrayRef<unsigned> choices, StepCosts &costs);
  int64_t getCost(ArrayRef<unsigned> choices) {
    return getCost(choices, costs);
  }
  void evaluateGeneric(int64_t limit);
  Choices chooseInOrder();
  Choices getStart();
  ChoiceProblem createProblem();
  Choices chooseTogether(const ChoiceProblem &problem,
                         ArrayRef<unsigned> start);
  Choices chooseTiles(ArrayRef<unsigned> choices);
  /// A table of the costs of a step for all choices of the tensors `variables`.
  /// The other tensors of the step have their first choice.
  struct StepTable {
    std::shared_ptr<CostTable> costs;
    PlanStep step;
    SmallVector<unsigned> variables;
  };
  using StepTables = SmallVector<StepTable, 0>;
  void addStepCost(ChoiceProblem &problem, const PlanStep &step,
                   StepTables &newTables);
  std::shared_ptr<const CostTable> getTable(const PlanStep &step,
                                            ArrayRef<unsigned> variables,
                                            StepTables &newTables);
  void fill(const StepTable &table);
  int64_t takeCodeBytes();
  void setMemoryAndSharing(ArrayRef<unsigned> choices);
  void setTileMappings(ArrayRef<unsigned> choices);
  void setTileMapping(const PlanTensor &tensor, TileMappingAttr mapping);

  func::FuncOp function;
  const ProgramPlanOptions &options;
  PlanCache &cache;
  StepCosts &costs, &ownCosts;
  llvm::StringMap<std::shared_ptr<const CostTable>> &tables;
  /// Whether the entries of the tables add up to the cycles for all choices.
  bool isExact;
  const ProgramPlan *start;
  ProgramGraph graph;
  ProgramPlan plan;

  /// The greatest number of entries of the table of one step. A step that needs
  /// a larger table has a table for each tensor that it reads, as if it moved
  /// these tensors one after the other.
  static constexpr int64_t kMaxStepEntries = 4096;
};

} // namespace mlir::ipu

#endif // IPU_MLIR_LIB_PLANNER_PROGRAMPLANNER_H
