//===- AssignmentSearch.h - The search for cheap assignments ----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Chooses a candidate for each tensor of a model. The search knows only the
// model, the candidates and their costs.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_PLANNER_SEARCH_ASSIGNMENTSEARCH_H
#define IPU_MLIR_PLANNER_SEARCH_ASSIGNMENTSEARCH_H

#include "ipu-mlir/Planner/Cost/AssignmentCosts.h"
#include "ipu-mlir/Planner/Search/CostNetwork.h"

namespace mlir::ipu {

/// The cost tables of steps. The keys have only what determines the costs, so
/// that equal layers share their tables.
using StepTableCache = llvm::StringMap<std::shared_ptr<const CostTable>>;

class AssignmentSearch {
public:
  /// The candidates of `costs` must not change between the methods that are
  /// called.
  AssignmentSearch(const AssignmentCosts &costs, StepTableCache &tables)
      : costs(costs), model(costs.getModel()), tables(tables) {}

  /// Returns the network whose variables are the tensors and whose cost
  /// functions are the cycles of the steps. The exchanges of all tables are
  /// analysed together, so that all threads have work.
  CostNetwork createNetwork();

  /// Returns the best candidate of each result of a Compute or Move step,
  /// chosen in program order. Other tensors have their first candidates.
  Assignment chooseInOrder() const;

  /// Returns whether the cost functions of the network add up to the cycles of
  /// all assignments. This does not hold if a step has a table for each
  /// operand.
  bool isExact() const { return exact; }

  /// Return the number of requested tables, and the number of requests that
  /// were in the cache.
  int64_t getNumTables() const { return numTables; }
  int64_t getNumTableHits() const { return numHits; }

private:
  /// A table of the cycles of a step for all candidates of the tensors
  /// `variables`. The other tensors of the step have their first candidate.
  struct StepTable {
    std::shared_ptr<CostTable> costs;
    ModelStep step;
    bool isExchangeOnly;
    SmallVector<unsigned> variables;
  };
  using StepTables = SmallVector<StepTable, 0>;

  void addStep(CostNetwork &network, const ModelStep &step, StepTables &added);
  std::shared_ptr<const CostTable> getTable(const ModelStep &step,
                                            bool isExchangeOnly,
                                            ArrayRef<unsigned> variables,
                                            StepTables &added);
  std::string getKey(const ModelStep &step, bool isExchangeOnly,
                     ArrayRef<unsigned> variables) const;
  void fill(const StepTable &table) const;

  const AssignmentCosts &costs;
  const PlanModel &model;
  StepTableCache &tables;
  bool exact = true;
  int64_t numTables = 0, numHits = 0;

  /// The greatest number of entries of the table of one step. A step that needs
  /// a larger table has a table for each tensor that it reads, as if it moved
  /// these tensors one after the other.
  static constexpr int64_t kMaxStepEntries = 4096;
};

} // namespace mlir::ipu

#endif // IPU_MLIR_PLANNER_SEARCH_ASSIGNMENTSEARCH_H
