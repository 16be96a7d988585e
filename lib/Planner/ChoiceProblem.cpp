//===- ChoiceProblem.cpp - Minimisation of sums of costs --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Planner/ChoiceProblem.h"

#include "ipu-mlir/Analysis/TileCounts/Count.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/SmallVectorExtras.h"
#include <map>
#include <set>

using namespace mlir;
using namespace mlir::ipu;

unsigned ChoiceProblem::addVariable(unsigned choices) {
  assert(choices > 0 && "expects a choice");
  numChoices.push_back(choices);
  return numChoices.size() - 1;
}

void ChoiceProblem::addCost(ArrayRef<unsigned> variables,
                            std::shared_ptr<const CostTable> table) {
  // A variable with one choice changes no index. It would only connect all
  // variables that it shares a cost with.
  SmallVector<unsigned> open = llvm::filter_to_vector(
      variables, [&](unsigned variable) { return numChoices[variable] > 1; });
  costFunctions.push_back({std::move(open), std::move(table)});
}

/// The entry of a table for `choices` of all variables.
static size_t getIndex(ArrayRef<unsigned> variables,
                       ArrayRef<unsigned> numChoices,
                       ArrayRef<unsigned> choices) {
  size_t index = 0;
  for (unsigned variable : variables)
    index = index * numChoices[variable] + choices[variable];
  return index;
}

int64_t ChoiceProblem::getCost(ArrayRef<unsigned> choices) const {
  Count sum;
  for (const CostFunction &costFunction : costFunctions)
    sum += (*costFunction
                 .table)[getIndex(costFunction.variables, numChoices, choices)];
  return sum.get();
}

/// One iteration of dynamic programming.
class ChoiceProblem::Elimination {
public:
  Elimination(const ChoiceProblem &problem, const Options &options,
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

  /// The choices found, and the variables that kept theirs.
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
  /// Cost terms that others took the place of.
  BitVector isReplaced;
  /// Cost terms of each variable, those that were replaced included, and other
  /// variables in those that are left.
  std::vector<SmallVector<unsigned>> costFunctionsOf;
  std::vector<std::set<unsigned>> neighbors;

  /// For each variable that was eliminated, its best choice for those of the
  /// others.
  struct Decision {
    unsigned variable;
    SmallVector<unsigned> others;
    std::vector<uint32_t> best;
  };
  std::vector<Decision> decisions;
};

void ChoiceProblem::Elimination::link(unsigned costFunction) {
  isReplaced.resize(costFunctions.size());
  for (unsigned variable : costFunctions[costFunction].variables) {
    costFunctionsOf[variable].push_back(costFunction);
    for (unsigned other : costFunctions[costFunction].variables)
      if (other != variable)
        neighbors[variable].insert(other);
  }
}

/// Of the table of costs of a variable and its neighbors.
int64_t ChoiceProblem::Elimination::getNumEntries(unsigned variable) const {
  Count entries = numChoices[variable];
  for (unsigned other : neighbors[variable]) {
    entries = entries * numChoices[other];
    // What calls pass has many neighbors.
    if (entries.get() == Count::kMax)
      break;
  }
  return entries.get();
}

/// Calls `visit` with each assignment to `variables`, the last one's varying
/// fastest; others stay as they are.
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

/// Those that are left of `numbers`, cost terms of the same variables added up:
/// what calls pass has as many as there are calls.
SmallVector<ChoiceProblem::CostFunction>
ChoiceProblem::Elimination::getTerms(ArrayRef<unsigned> numbers) const {
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

void ChoiceProblem::Elimination::eliminate(unsigned variable) {
  Decision decision{variable,
                    SmallVector<unsigned>(neighbors[variable].begin(),
                                          neighbors[variable].end()),
                    {}};
  SmallVector<unsigned> mine = std::move(costFunctionsOf[variable]);
  SmallVector<CostFunction> summed = getTerms(mine);
  auto table = std::make_shared<CostTable>();
  // How far entries of one choice and the next of a variable are apart.
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
    /// The entry for the first choice of `variable` and those of the others.
    const int64_t *entry;
    size_t stride;
    SmallVector<size_t> strides;
  };
  SmallVector<Term> terms;
  for (const CostFunction &costFunction : summed) {
    Term &term = terms.emplace_back();
    term.entry = costFunction.table->data();
    term.stride = getStride(costFunction, variable);
    for (unsigned other : decision.others)
      term.strides.push_back(getStride(costFunction, other));
  }
  SmallVector<Count> sums(numChoices[variable]);
  SmallVector<unsigned> at(decision.others.size(), 0);
  while (true) {
    llvm::fill(sums, Count());
    for (const Term &term : terms) {
      const int64_t *entry = term.entry;
      for (Count &sum : sums) {
        sum += *entry;
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
          term.entry += term.strides[dim - 1];
        else
          term.entry -= term.strides[dim - 1] * (size - 1);
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

/// Takes a variable that keeps its choice out of all tables.
void ChoiceProblem::Elimination::fix(unsigned variable) {
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

void ChoiceProblem::Elimination::run() {
  // Variables by the size of their tables. Those that kept their choice in the
  // iteration before come first, so that others do now.
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
      // The one with most neighbors; not one that was fixed before, if there
      // is another.
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

ChoiceProblem::Solution ChoiceProblem::solve(ArrayRef<unsigned> start,
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
    // Where the first iteration gains nothing, others may with other variables
    // fixed.
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
