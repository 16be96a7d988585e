//===- SharedInputs.cpp - Groups that share a pass over an input ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: groups of ops of a block. Out: the same groups, where several groups that
// can share one pass over an input become one group, with an op that reads the
// input for all of them. To decide whether groups can share a pass, a fusion is
// built, examined, and dissolved again.
//
//===----------------------------------------------------------------------===//

#include "FusionGroups.h"

#include "../FusionViews.h"
#include "../InputCaches.h"

#include "llvm/ADT/EquivalenceClasses.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace mlir::fuse;

namespace {
/// Groups, by number, that may become one.
class SharedInputs {
public:
  SharedInputs(std::vector<OpGroup> &groups, ArrayRef<unsigned> numbers)
      : groups(groups), numbers(numbers) {
    for (unsigned number : numbers)
      for (Operation *op : groups[number].ops) {
        groupOf[op] = number;
        ops.push_back(op);
      }
    llvm::sort(
        ops, [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
  }

  /// Joins those that it is worth it for. Groups that were joined to others are
  /// left empty.
  void run();

private:
  bool haveDifferentNames() const;

  std::vector<OpGroup> &groups;
  ArrayRef<unsigned> numbers;
  SmallVector<Operation *> ops;
  llvm::DenseMap<Operation *, unsigned> groupOf;
};
} // namespace

bool SharedInputs::haveDifferentNames() const {
  llvm::StringSet<> names;
  return llvm::all_of(ops, [&](Operation *op) {
    StringAttr name = getTensorName(op);
    return !name || names.insert(name.getValue()).second;
  });
}

void SharedInputs::run() {
  if (!haveDifferentNames())
    return;
  FusionOp fusion = buildFusion(ops);
  llvm::EquivalenceClasses<unsigned> joined;
  for (unsigned number : numbers)
    joined.insert(number);
  for (linalg::GenericOp cache : addUsefulCaches(fusion)) {
    std::optional<unsigned> last;
    for (Operation *reader : cache->getUsers()) {
      unsigned number = groupOf.at(reader);
      joined.unionSets(last.value_or(number), number);
      last = number;
    }
    removeCache(cache);
  }
  dissolve(fusion);

  for (unsigned number : numbers)
    groups[number].ops.clear();
  llvm::DenseMap<unsigned, unsigned> first;
  for (Operation *op : ops) {
    unsigned number = groupOf[op];
    auto it = first.insert({joined.getLeaderValue(number), number}).first;
    groups[it->second].ops.push_back(op);
  }
}

namespace {
/// Finds groups that go over one value which is there before them.
class SharedInputFinder {
public:
  explicit SharedInputFinder(ArrayRef<OpGroup> groups) {
    for (unsigned number = 0, e = groups.size(); number < e; ++number) {
      connected.insert(number);
      addGroup(number, groups[number]);
    }
  }

  /// Sets of two or more groups.
  std::vector<SmallVector<unsigned>> getSets(unsigned numGroups) const {
    llvm::MapVector<unsigned, SmallVector<unsigned>> sets;
    for (unsigned number = 0; number < numGroups; ++number)
      sets[connected.getLeaderValue(number)].push_back(number);
    std::vector<SmallVector<unsigned>> result;
    for (auto &[leader, numbers] : sets)
      if (numbers.size() > 1)
        result.push_back(std::move(numbers));
    return result;
  }

private:
  void addGroup(unsigned number, const OpGroup &group) {
    llvm::SmallPtrSet<Operation *, 16> members(group.ops.begin(),
                                               group.ops.end());
    for (Operation *op : group.ops)
      for (OpOperand &operand : op->getOpOperands()) {
        Operation *base = getViewBase(operand.get()).getDefiningOp();
        if (!goesOver(cast<linalg::LinalgOp>(op), operand) ||
            isa_and_nonnull<tensor::EmptyOp, linalg::FillOp>(base) ||
            (base && members.contains(base)))
          continue;
        auto [other, isFirst] =
            readers.insert({{operand.get(), group.level}, number});
        if (!isFirst)
          connected.unionSets(other->second, number);
      }
  }

  llvm::EquivalenceClasses<unsigned> connected;
  /// The first group of a level that goes over a value.
  llvm::DenseMap<std::pair<Value, unsigned>, unsigned> readers;
};
} // namespace

void fuse::joinBySharedInputs(std::vector<OpGroup> &groups) {
  for (ArrayRef<unsigned> numbers :
       SharedInputFinder(groups).getSets(groups.size()))
    SharedInputs(groups, numbers).run();
  llvm::erase_if(groups,
                 [](const OpGroup &group) { return group.ops.empty(); });
}
