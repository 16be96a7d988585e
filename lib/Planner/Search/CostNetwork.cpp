//===- CostNetwork.cpp - Minimisation of sums of costs ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Planner/Search/CostNetwork.h"

#include "ipu-mlir/Analysis/TileCounts/Count.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/SmallVectorExtras.h"
#include <map>
#include <set>

using namespace mlir;
using namespace mlir::ipu;

unsigned CostNetwork::addVariable(unsigned choices) {
  assert(choices > 0 && "expects a choice");
  numChoices.push_back(choices);
  return numChoices.size() - 1;
}

void CostNetwork::addCost(ArrayRef<unsigned> variables,
                          std::shared_ptr<const CostTable> table) {
  // A variable with one choice does not change the index of an entry. In the
  // table, it would only connect variables that no other cost connects.
  SmallVector<unsigned> open = llvm::filter_to_vector(
      variables, [&](unsigned variable) { return numChoices[variable] > 1; });
  costFunctions.push_back({std::move(open), std::move(table)});
}

/// Returns the index of the entry for `choices`, which has a choice for each
/// variable of the problem, in a table over `variables`.
static size_t getIndex(ArrayRef<unsigned> variables,
                       ArrayRef<unsigned> numChoices,
                       ArrayRef<unsigned> choices) {
  size_t index = 0;
  for (unsigned variable : variables)
    index = index * numChoices[variable] + choices[variable];
  return index;
}

int64_t CostNetwork::getCost(ArrayRef<unsigned> choices) const {
  Count sum;
  for (const CostFunction &costFunction : costFunctions)
    sum += (*costFunction
                 .table)[getIndex(costFunction.variables, numChoices, choices)];
  return sum.get();
}

SmallVector<std::optional<CostNetwork::Change>>
CostNetwork::getBestChanges(ArrayRef<unsigned> choices) const {
  // Saturated costs of many tables could overflow.
  constexpr int64_t kMaxChange = int64_t(1) << 62;
  SmallVector<SmallVector<int64_t>> costs;
  for (unsigned number : numChoices)
    costs.emplace_back(number, 0);
  SmallVector<unsigned> changed = llvm::to_vector(choices);
  for (const CostFunction &costFunction : costFunctions) {
    auto getEntry = [&] {
      return (*costFunction.table)[getIndex(costFunction.variables, numChoices,
                                            changed)];
    };
    int64_t current = getEntry();
    for (unsigned variable : costFunction.variables) {
      for (unsigned choice = 0; choice < numChoices[variable]; ++choice) {
        changed[variable] = choice;
        int64_t &cost = costs[variable][choice];
        cost = std::clamp(cost + getEntry() - current, -kMaxChange, kMaxChange);
      }
      changed[variable] = choices[variable];
    }
  }
  SmallVector<std::optional<Change>> changes(numChoices.size());
  for (auto [variable, ofVariable] : llvm::enumerate(costs))
    for (auto [choice, cost] : llvm::enumerate(ofVariable))
      if (choice != choices[variable] &&
          (!changes[variable] || cost < changes[variable]->cost))
        changes[variable] = Change{static_cast<unsigned>(choice), cost};
  return changes;
}

/// One iteration of dynamic programming.
class CostNetwork::Elimination {
public:
  Elimination(const CostNetwork &problem, const Options &options,
              ArrayRef<unsigned> start, ArrayRef<bool> wasFixed)
      : numChoices(problem.numChoices), options(options), wasFixed(wasFixed),
        costFunctions(problem.costFunctions), costFunctionsOf(start.size()),
        neighbors(start.size()) {
    choices = llvm::to_vector(start);
    isFixed.assign(start.size(), false);
    for (unsigned i = 0; i < costFunctions.size(); ++i)
      link(i);
  }

  void run();

  /// The choices of the solution, and whether each variable kept its choice.
  SmallVector<unsigned> choices;
  SmallVector<bool> isFixed;

private:
  void link(unsigned costFunction);
  int64_t getNumEntries(unsigned variable) const;
  SmallVector<CostFunction> getTerms(ArrayRef<unsigned> numbers) const;
  void fix(unsigned variable);
  void eliminate(unsigned variable);

  ArrayRef<unsigned> numChoices;
  const Options &options;
  ArrayRef<bool> wasFixed;

  std::vector<CostFunction> costFunctions;
  /// Whether each cost term is already part of the table of a later cost term.
  BitVector isReplaced;
  /// For each variable, its cost terms, including replaced ones, and the other
  /// variables of its cost terms that are not replaced.
  std::vector<SmallVector<unsigned>> costFunctionsOf;
  std::vector<std::set<unsigned>> neighbors;

  /// The best choice of an eliminated variable for each assignment to the
  /// variables `others`.
  struct Decision {
    unsigned variable;
    SmallVector<unsigned> others;
    std::vector<uint32_t> best;
  };
  std::vector<Decision> decisions;
};

void CostNetwork::Elimination::link(unsigned costFunction) {
  isReplaced.resize(costFunctions.size());
  for (unsigned variable : costFunctions[costFunction].variables) {
    costFunctionsOf[variable].push_back(costFunction);
    for (unsigned other : costFunctions[costFunction].variables)
      if (other != variable)
        neighbors[variable].insert(other);
  }
}

/// Returns the number of entries of the table of costs of a variable and its
/// neighbors.
int64_t CostNetwork::Elimination::getNumEntries(unsigned variable) const {
  Count entries = numChoices[variable];
  for (unsigned other : neighbors[variable]) {
    entries = entries * numChoices[other];
    // A variable that calls pass may have many neighbors.
    if (entries.get() == Count::kMax)
      break;
  }
  return entries.get();
}

/// Calls `visit` for each assignment to `variables` in `choices`. The choice of
/// the last variable varies fastest. The choices of other variables do not
/// change.
template <typename Fn>
static void forEachChoice(ArrayRef<unsigned> variables,
                          ArrayRef<unsigned> numChoices,
                          MutableArrayRef<unsigned> choices, Fn visit) {
  for (unsigned variable : variables)
    choices[variable] = 0;
  while (true) {
    visit();
    size_t i = variables.size();
    while (i > 0 && ++choices[variables[i - 1]] == numChoices[variables[i - 1]])
      choices[variables[--i]] = 0;
    if (i == 0)
      return;
  }
}

/// Returns the cost terms of `numbers` that are not replaced. Cost terms of the
/// same variables are added up: a variable that calls pass has a cost term for
/// each call.
SmallVector<CostNetwork::CostFunction>
CostNetwork::Elimination::getTerms(ArrayRef<unsigned> numbers) const {
  SmallVector<CostFunction> terms;
  std::map<SmallVector<unsigned>, unsigned> termOf;
  for (unsigned i : numbers) {
    if (isReplaced[i])
      continue;
    const CostFunction &costFunction = costFunctions[i];
    auto [it, isNew] = termOf.try_emplace(costFunction.variables, terms.size());
    if (isNew) {
      terms.push_back(costFunction);
      continue;
    }
    CostFunction &sum = terms[it->second];
    auto table = std::make_shared<CostTable>(*sum.table);
    for (auto [entry, more] : llvm::zip_equal(*table, *costFunction.table))
      entry = (Count(entry) + more).get();
    sum.table = std::move(table);
  }
  return terms;
}

void CostNetwork::Elimination::eliminate(unsigned variable) {
  Decision decision{variable,
                    SmallVector<unsigned>(neighbors[variable].begin(),
                                          neighbors[variable].end()),
                    {}};
  SmallVector<unsigned> mine = std::move(costFunctionsOf[variable]);
  SmallVector<CostFunction> summed = getTerms(mine);
  auto table = std::make_shared<CostTable>();
  // Returns the distance in the table between the entries of two successive
  // choices of variable `of`.
  auto getStride = [&](const CostFunction &costFunction, unsigned of) {
    size_t size = 1, stride = 0;
    for (unsigned other : llvm::reverse(costFunction.variables)) {
      if (other == of)
        stride += size;
      size *= numChoices[other];
    }
    return stride;
  };
  struct Term {
    const int64_t *entries;
    /// The number of the entry for the first choice of `variable` and the
    /// current choices of the other variables.
    size_t first;
    size_t stride;
    SmallVector<size_t> strides;
  };
  SmallVector<Term> terms;
  for (const CostFunction &costFunction : summed) {
    Term &term = terms.emplace_back();
    term.entries = costFunction.table->data();
    term.first = 0;
    term.stride = getStride(costFunction, variable);
    for (unsigned other : decision.others)
      term.strides.push_back(getStride(costFunction, other));
  }
  SmallVector<Count> sums(numChoices[variable]);
  SmallVector<unsigned> at(decision.others.size(), 0);
  while (true) {
    llvm::fill(sums, Count());
    for (const Term &term : terms) {
      size_t entry = term.first;
      for (Count &sum : sums) {
        sum += term.entries[entry];
        entry += term.stride;
      }
    }
    const Count *best = llvm::min_element(sums);
    table->push_back(best->get());
    decision.best.push_back(best - sums.begin());
    size_t dim = at.size();
    for (; dim > 0; --dim) {
      unsigned size = numChoices[decision.others[dim - 1]];
      bool isNext = ++at[dim - 1] < size;
      for (Term &term : terms)
        if (isNext)
          term.first += term.strides[dim - 1];
        else
          term.first -= term.strides[dim - 1] * (size - 1);
      if (isNext)
        break;
      at[dim - 1] = 0;
    }
    if (dim == 0)
      break;
  }
  for (unsigned other : decision.others)
    neighbors[other].erase(variable);
  for (unsigned i : mine)
    isReplaced.set(i);
  if (!decision.others.empty()) {
    costFunctions.push_back({decision.others, std::move(table)});
    link(costFunctions.size() - 1);
  }
  decisions.push_back(std::move(decision));
}

/// Removes `variable`, which keeps its choice, from all tables.
void CostNetwork::Elimination::fix(unsigned variable) {
  isFixed[variable] = true;
  for (unsigned other : neighbors[variable])
    neighbors[other].erase(variable);
  SmallVector<unsigned> scratch = choices;
  for (unsigned i : costFunctionsOf[variable]) {
    if (isReplaced[i])
      continue;
    SmallVector<unsigned> left = costFunctions[i].variables;
    llvm::erase(left, variable);
    auto table = std::make_shared<CostTable>();
    forEachChoice(left, numChoices, scratch, [&] {
      scratch[variable] = choices[variable];
      table->push_back((*costFunctions[i].table)[getIndex(
          costFunctions[i].variables, numChoices, scratch)]);
    });
    costFunctions[i] = {left, std::move(table)};
  }
  costFunctionsOf[variable].clear();
}

void CostNetwork::Elimination::run() {
  // Variables in ascending order of the sizes of their tables. Of variables
  // with equal sizes, the variables that kept their choices in the previous
  // iteration come first, so that this iteration chooses for them.
  using Key = std::tuple<int64_t, bool, unsigned>;
  std::set<Key> queue;
  SmallVector<Key> keys(numChoices.size());
  auto enqueue = [&](unsigned variable) {
    keys[variable] = {getNumEntries(variable), !wasFixed[variable], variable};
    queue.insert(keys[variable]);
  };
  for (unsigned variable = 0; variable < numChoices.size(); ++variable)
    enqueue(variable);
  while (!queue.empty()) {
    auto [entries, isNew, variable] = *queue.begin();
    bool fits = entries <= options.maxEntries;
    if (!fits) {
      // Fix the variable with the most neighbors. Variables that were fixed in
      // the previous iteration are only considered if there is no other
      // variable.
      std::tuple<bool, size_t> most = {false, 0};
      for (const Key &key : queue) {
        unsigned candidate = std::get<2>(key);
        std::tuple<bool, size_t> rank = {!wasFixed[candidate],
                                         neighbors[candidate].size()};
        if (rank > most) {
          most = rank;
          variable = candidate;
        }
      }
    }
    SmallVector<unsigned> touched(neighbors[variable].begin(),
                                  neighbors[variable].end());
    queue.erase(keys[variable]);
    for (unsigned other : touched)
      queue.erase(keys[other]);
    if (fits)
      eliminate(variable);
    else
      fix(variable);
    for (unsigned other : touched)
      enqueue(other);
  }
  for (const Decision &decision : llvm::reverse(decisions))
    choices[decision.variable] =
        decision.best[getIndex(decision.others, numChoices, choices)];
}

CostNetwork::Solution CostNetwork::solve(ArrayRef<unsigned> start,
                                         const Options &options) const {
  Solution solution{llvm::to_vector(start), 0, false};
  SmallVector<bool> wasFixed(start.size(), false);
  int64_t cost = getCost(start);
  while (solution.iterations < options.maxIterations && !solution.isOptimal) {
    Elimination elimination(*this, options, solution.choices, wasFixed);
    elimination.run();
    ++solution.iterations;
    solution.isOptimal = !llvm::is_contained(elimination.isFixed, true);
    int64_t found = getCost(elimination.choices);
    bool gains = found < cost;
    // If the first iteration does not reduce the cost, later iterations, which
    // fix other variables, may reduce it.
    if (gains || solution.isOptimal) {
      cost = found;
      solution.choices = std::move(elimination.choices);
    } else if (solution.iterations > 1) {
      break;
    }
    wasFixed = std::move(elimination.isFixed);
  }
  return solution;
}
