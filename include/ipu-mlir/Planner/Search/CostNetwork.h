//===- CostNetwork.h - Minimisation of sums of costs ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A minimisation problem. The unknowns of the problem, called variables in this
// file, have a few choices each. Each cost depends on the choices of a few
// variables, and the sum of all costs is minimised. The solver uses dynamic
// programming, which eliminates one variable after the other. If the costs
// connect the variables in a chain, this is Viterbi's algorithm. In a tree,
// leaves are eliminated first. Problems whose graphs have a small treewidth are
// also solved exactly.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_PLANNER_SEARCH_COSTNETWORK_H
#define IPU_MLIR_PLANNER_SEARCH_COSTNETWORK_H

#include "mlir/Support/LLVM.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include <cstdint>
#include <memory>
#include <optional>

namespace mlir::ipu {

/// The costs for all combinations of choices of some variables. The choice of
/// the last variable varies fastest.
using CostTable = std::vector<int64_t>;

class CostNetwork {
public:
  /// Adds a variable with `numChoices` choices, of which there must be at least
  /// one. Returns the number of the variable.
  unsigned addVariable(unsigned numChoices);

  /// Adds a cost that depends on `variables`, which must be distinct. Costs
  /// must be from 0 to 2^53.
  void addCost(ArrayRef<unsigned> variables,
               std::shared_ptr<const CostTable> table);

  unsigned getNumVariables() const { return numChoices.size(); }
  unsigned getNumChoices(unsigned variable) const {
    return numChoices[variable];
  }

  /// Returns the sum of all costs if each variable has its choice in `choices`.
  int64_t getCost(ArrayRef<unsigned> choices) const;

  /// Another choice of one variable.
  struct Change {
    unsigned choice;
    /// The difference that the choice makes to the sum of all costs if the
    /// other variables keep their choices.
    int64_t cost;
  };
  /// Returns, for each variable, the change of `choices` with the lowest cost.
  /// Returns std::nullopt for variables with a single choice.
  SmallVector<std::optional<Change>>
  getBestChanges(ArrayRef<unsigned> choices) const;

  struct Options {
    /// A variable may be eliminated only if its table has at most this number
    /// of entries. The table has an entry for each combination of choices of
    /// the variable and its neighbours.
    int64_t maxEntries = int64_t(1) << 16;
    /// The greatest number of iterations of dynamic programming.
    unsigned maxIterations = 4;
  };
  struct Solution {
    SmallVector<unsigned> choices;
    /// The number of iterations.
    unsigned iterations = 0;
    /// Whether it is proven that there is no better solution.
    bool isOptimal = false;
  };

  /// Returns choices whose cost is at most the cost of `start`. Each iteration
  /// of dynamic programming starts with the best choices found so far. The
  /// variable with the smallest table is eliminated first. If the tables of all
  /// remaining variables are too large, the variable with the most neighbours
  /// keeps its choice in this iteration. Neighbours are variables on which the
  /// same cost depends. The result is deterministic: of choices with equal
  /// costs, the first one is used.
  Solution solve(ArrayRef<unsigned> start, const Options &options) const;
  Solution solve(ArrayRef<unsigned> start) const {
    return solve(start, Options());
  }

private:
  struct CostFunction {
    SmallVector<unsigned> variables;
    std::shared_ptr<const CostTable> table;
  };
  class Elimination;

  SmallVector<unsigned> numChoices;
  std::vector<CostFunction> costFunctions;
};

} // namespace mlir::ipu

#endif // IPU_MLIR_PLANNER_SEARCH_COSTNETWORK_H
