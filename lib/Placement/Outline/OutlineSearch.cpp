//===- OutlineSearch.cpp - Sequences that become functions ------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OutlineSearch.h"

#include "ipu-mlir/Analysis/Repeats/RepeatSearch.h"
#include "llvm/ADT/BitVector.h"

#include <queue>

using namespace mlir;
using namespace mlir::ipu;

/// The number of repeats that are compared exactly before the best one becomes
/// a function. Repeated layers have one repeat for each op of a layer at which
/// the sequences may start.
static constexpr unsigned kMaxTrials = 16;
/// Sequences of one repeat have equal tokens, but may use their values
/// differently. This is the number of different uses that are told apart.
static constexpr unsigned kMaxClasses = 8;

namespace {
/// A repeat in the queue. Repeats that save more come first and, of those that
/// save about the same, those with fewer live tensors at their ends.
struct Candidate {
  int64_t savedBytes, liveBytes;
  size_t repeat;

  bool operator<(const Candidate &other) const {
    return std::tuple(savedBytes, -liveBytes, other.repeat) <
           std::tuple(other.savedBytes, -other.liveBytes, repeat);
  }
};

class OutlineSearch {
public:
  OutlineSearch(const OpText &text, const GraphEffects &effects,
                OutlineCosts &costs, const OutlineLimits &limits);

  std::vector<OutlineGroup> run();

private:
  void addCosts();
  void addLiveBytes();
  Candidate estimate(size_t repeat) const;
  CodeCost getCost(unsigned position, unsigned length) const;
  std::optional<OutlineGroup> findBestGroup(const Repeat &repeat) const;
  std::vector<OutlineGroup> splitByUses(const Repeat &repeat) const;
  bool rate(OutlineGroup &group) const;
  llvm::DenseMap<MemoryLocation, bool>
  getNamedVariables(const OutlineGroup &group) const;
  bool haveAliases(const OutlineGroup &group,
                   const llvm::BitVector &modified) const;
  bool isChain(const OutlineGroup &group) const;
  void cover(const OutlineGroup &group);

  const OpText &text;
  const GraphEffects &effects;
  OutlineCosts &costs;
  const OutlineLimits &limits;
  RepeatSearch repeats;
  /// The cost of the ops before each position.
  std::vector<CodeCost> sums;
  /// The bytes of code and data of copies of the tensors that are live at each
  /// position.
  std::vector<int64_t> liveBytes;
  /// The positions that are part of a choice.
  llvm::BitVector covered;
};
} // namespace

//===----------------------------------------------------------------------===//
// Estimates
//===----------------------------------------------------------------------===//

OutlineSearch::OutlineSearch(const OpText &text, const GraphEffects &effects,
                             OutlineCosts &costs, const OutlineLimits &limits)
    : text(text), effects(effects), costs(costs), limits(limits),
      repeats(text.getTokens()), covered(text.getTokens().size()) {
  addCosts();
  addLiveBytes();
}

void OutlineSearch::addCosts() {
  sums.emplace_back();
  for (const CodeCost &cost : costs.getCosts(text)) {
    sums.push_back(sums.back());
    sums.back() += cost;
  }
}

CodeCost OutlineSearch::getCost(unsigned position, unsigned length) const {
  const CodeCost &before = sums[position], &after = sums[position + length];
  return {after.bytes - before.bytes, after.cycles - before.cycles,
          after.idleCycles - before.idleCycles};
}

void OutlineSearch::addLiveBytes() {
  size_t size = text.getTokens().size();
  llvm::DenseMap<Operation *, unsigned> positions;
  for (size_t position = 0; position < size; ++position)
    if (Operation *op = text.getOp(position))
      positions[op] = position;
  std::vector<int64_t> changes(size + 2);
  for (auto [op, position] : positions)
    for (Value result : op->getResults()) {
      unsigned last = position;
      for (Operation *user : result.getUsers())
        if (Operation *ancestor = op->getBlock()->findAncestorOpInBlock(*user))
          last = std::max(last, positions.lookup(ancestor));
      int64_t bytes = costs.getPassedBytes(result.getType());
      changes[position + 1] += bytes;
      changes[last + 1] -= bytes;
    }
  int64_t live = 0;
  for (size_t position = 0; position <= size; ++position)
    liveBytes.push_back(live += changes[position]);
}

/// Rounds savings down to five significant bits, so that small differences of
/// estimates do not decide.
static int64_t roundToBits(int64_t bytes) {
  if (bytes <= 0)
    return bytes;
  unsigned shift = llvm::Log2_64(bytes);
  shift = shift > 4 ? shift - 4 : 0;
  return bytes >> shift << shift;
}

Candidate OutlineSearch::estimate(size_t index) const {
  const Repeat &repeat = repeats.getRepeats()[index];
  unsigned position = repeats.getAnyPosition(repeat);
  int64_t code = getCost(position, repeat.length).bytes;
  return {roundToBits(code * (repeat.getNumPositions() - 1)),
          liveBytes[position] + liveBytes[position + repeat.length], index};
}

//===----------------------------------------------------------------------===//
// Groups
//===----------------------------------------------------------------------===//

/// Returns the sequences of `repeat` that do not overlap each other or earlier
/// choices, grouped by how they use their values. A call alone is no sequence,
/// because a function for it would save nothing.
std::vector<OutlineGroup>
OutlineSearch::splitByUses(const Repeat &repeat) const {
  std::vector<OutlineGroup> groups;
  if (repeat.length == 1 &&
      isa<CallOpInterface>(text.getOp(repeats.getAnyPosition(repeat))))
    return groups;
  unsigned end = 0;
  for (unsigned position : repeats.getPositions(repeat)) {
    if (position < end ||
        covered.find_first_in(position, position + repeat.length) >= 0)
      continue;
    end = position + repeat.length;
    ArrayRef<Operation *> ops = text.getOps(position, repeat.length);
    std::optional<int64_t> shift;
    for (OutlineGroup &group : groups) {
      shift = matchSequences(text, group.sequences.front(), ops);
      if (!shift)
        continue;
      group.sequences.emplace_back(ops);
      group.drawShifts.push_back(*shift);
      break;
    }
    if (shift || groups.size() == kMaxClasses)
      continue;
    OutlineGroup &group = groups.emplace_back();
    group.sequences.emplace_back(ops);
    group.drawShifts.push_back(0);
    group.cost = getCost(position, repeat.length);
    for (Operation *op : ops)
      op->walk([&](Operation *nested) {
        group.draws |= static_cast<bool>(text.getDraw(nested));
      });
  }
  return groups;
}

/// Returns the variables that the function would access by their names, and
/// whether it would modify them. The names are in the sequence or in functions
/// that it calls.
llvm::DenseMap<MemoryLocation, bool>
OutlineSearch::getNamedVariables(const OutlineGroup &group) const {
  llvm::DenseMap<MemoryLocation, bool> named;
  llvm::DenseSet<MemoryLocation> ofLeaves;
  for (Operation *leaf : group.interface.leaves)
    for (Value result : leaf->getResults())
      if (isa<pop::RefType>(result.getType()))
        ofLeaves.insert(effects.getOrigin(result).getMemoryLocation());
  for (Operation *op : group.sequences.front()) {
    bool hasCalls = op->walk([](CallOpInterface) {
                        return WalkResult::interrupt();
                      }).wasInterrupted();
    for (const auto &[location, effect] :
         effects.getEffects(op).getMemoryLocations())
      if (location.isVariable() && (hasCalls || ofLeaves.contains(location)))
        named[location] |= !effect.writes.isEmpty();
  }
  return named;
}

/// Returns whether a call would pass a tensor that the callee modifies and
/// accesses in another way, too.
bool OutlineSearch::haveAliases(const OutlineGroup &group,
                                const llvm::BitVector &modified) const {
  llvm::DenseMap<MemoryLocation, bool> named = getNamedVariables(group);
  for (size_t call = 0; call < group.sequences.size(); ++call) {
    llvm::DenseMap<MemoryLocation, bool> accessed = named;
    for (auto [index, values] : llvm::enumerate(group.interface.operands)) {
      if (!isa<pop::RefType>(values[call].getType()))
        continue;
      const RefOrigin &origin = effects.getOrigin(values[call]);
      if (!origin.isKnown())
        return true;
      auto [other, isNew] =
          accessed.try_emplace(origin.getMemoryLocation(), modified[index]);
      if (!isNew && (other->second || modified[index]))
        return true;
    }
  }
  return false;
}

/// Returns whether each sequence depends on the previous one. Sequences of
/// different blocks are executed at different times, too.
bool OutlineSearch::isChain(const OutlineGroup &group) const {
  for (size_t index = 1; index < group.sequences.size(); ++index) {
    const pop::OpSequence &previous = group.sequences[index - 1];
    const pop::OpSequence &next = group.sequences[index];
    Block *block = next.front()->getBlock();
    if (previous.front()->getBlock() != block)
      continue;
    // Ops that depend on the previous sequence.
    llvm::DenseSet<Operation *> dependents(previous.begin(), previous.end());
    bool depends = false;
    for (Operation *op = previous.back()->getNextNode();
         op != next.back()->getNextNode() && !depends; op = op->getNextNode()) {
      auto usesDependent = [&](Value value) {
        Operation *owner = value.getDefiningOp();
        return owner && dependents.contains(owner);
      };
      bool isDependent = false;
      op->walk([&](Operation *nested) {
        isDependent |= llvm::any_of(nested->getOperands(), usesDependent);
      });
      if (isDependent)
        dependents.insert(op);
      depends = isDependent && !op->isBeforeInBlock(next.front());
    }
    if (!depends)
      return false;
  }
  return true;
}

/// Computes the interface and the savings of `group`. Returns whether its
/// sequences should become calls.
bool OutlineSearch::rate(OutlineGroup &group) const {
  const pop::OpSequence &first = group.sequences.front();
  group.interface = pop::getSequenceInterface(group.sequences);
  for (ArrayRef<Value> values : group.interface.results)
    if (!pop::isReferable(values.front().getType()))
      return false;
  llvm::BitVector modified(group.interface.operands.size());
  for (auto [index, values] : llvm::enumerate(group.interface.operands))
    if (Value ref = values.front(); isa<pop::RefType>(ref.getType()))
      modified[index] = llvm::any_of(first, [this, ref](Operation *op) {
        return effects.mayWrite(op, ref);
      });
  if (haveAliases(group, modified))
    return false;
  CodeCost call = costs.getCallCost(group.interface, modified);
  auto count = static_cast<int64_t>(group.sequences.size());
  group.savedBytes = group.cost.bytes * (count - 1) - call.bytes * count -
                     costs.getPassedBytes(group.interface);
  group.addedCycles = call.cycles;
  // Calls are executed one after the other. Without calls, independent ops are
  // executed together if they use different tiles.
  if (!isChain(group))
    group.addedCycles += group.cost.idleCycles;
  return group.savedBytes >= limits.threshold &&
         group.addedCycles * 100 <= group.cost.cycles * limits.maxSlowdown;
}

std::optional<OutlineGroup>
OutlineSearch::findBestGroup(const Repeat &repeat) const {
  std::optional<OutlineGroup> best;
  for (OutlineGroup &group : splitByUses(repeat))
    if (group.sequences.size() > 1 && rate(group) &&
        (!best || best->savedBytes < group.savedBytes))
      best = std::move(group);
  return best;
}

//===----------------------------------------------------------------------===//
// Search
//===----------------------------------------------------------------------===//

/// Covers the ops of `group`, the ops in their regions, and the ops around
/// them.
void OutlineSearch::cover(const OutlineGroup &group) {
  auto coverOp = [&](Operation *op) {
    if (std::optional<unsigned> position = text.getPosition(op))
      covered.set(*position);
  };
  for (ArrayRef<Operation *> ops : group.sequences)
    for (Operation *op : ops) {
      op->walk(coverOp);
      for (Operation *parent = op->getParentOp(); parent;
           parent = parent->getParentOp())
        coverOp(parent);
    }
}

std::vector<OutlineGroup> OutlineSearch::run() {
  std::priority_queue<Candidate> queue;
  for (size_t index = 0; index < repeats.getRepeats().size(); ++index)
    if (Candidate candidate = estimate(index);
        candidate.savedBytes >= limits.threshold)
      queue.push(candidate);
  std::vector<OutlineGroup> chosen;
  while (!queue.empty()) {
    std::optional<OutlineGroup> best;
    SmallVector<Candidate> others;
    for (unsigned trial = 0; trial < kMaxTrials && !queue.empty(); ++trial) {
      Candidate candidate = queue.top();
      if (best && candidate.savedBytes <= best->savedBytes)
        break;
      queue.pop();
      std::optional<OutlineGroup> group =
          findBestGroup(repeats.getRepeats()[candidate.repeat]);
      if (!group)
        continue;
      candidate.savedBytes = group->savedBytes;
      others.push_back(candidate);
      if (!best || best->savedBytes < group->savedBytes)
        best = std::move(group);
    }
    if (!best)
      continue;
    // A group that was not chosen may have lost sequences to the choice.
    for (const Candidate &candidate : others)
      queue.push(candidate);
    cover(*best);
    chosen.push_back(std::move(*best));
  }
  return chosen;
}

std::vector<OutlineGroup> mlir::ipu::chooseGroups(const OpText &text,
                                                  const GraphEffects &effects,
                                                  OutlineCosts &costs,
                                                  const OutlineLimits &limits) {
  return OutlineSearch(text, effects, costs, limits).run();
}
