//===- MergeCopies.cpp - Copies between IPUs for one op ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: a program with copies between IPUs. Out: the same program, in which one
// copy copies all values that one op is the first to use.
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Dialect/Pop/IR/Placement.h"
#include "ipu-mlir/Dialect/Pop/Transforms/Passes.h"
#include "mlir/IR/Remarks.h"
#include "llvm/ADT/MapVector.h"

namespace mlir::pop {
#define GEN_PASS_DEF_MERGECOPIESPASS
#include "ipu-mlir/Dialect/Pop/Transforms/Passes.h.inc"
} // namespace mlir::pop

using namespace mlir;
using namespace mlir::pop;

/// Returns the first op in the block of `copy` that uses a result of it,
/// directly or in its regions, or null if no op of the block does.
static Operation *findFirstUser(IpuCopyOp copy) {
  Block *block = copy->getBlock();
  Operation *first = nullptr;
  for (Operation *user : copy->getUsers()) {
    Operation *own = block->findAncestorOpInBlock(*user);
    if (own && (!first || own->isBeforeInBlock(first)))
      first = own;
  }
  return first;
}

namespace {
/// Copies are merged if they have the same first user, destination and
/// attributes and, in a pipeline, the same source.
struct MergeKey {
  Operation *user;
  Attribute destination, source;
  DictionaryAttr attributes;

  bool operator==(const MergeKey &other) const {
    return std::tie(user, destination, source, attributes) ==
           std::tie(other.user, other.destination, other.source,
                    other.attributes);
  }
};
} // namespace

/// Replaces `copies`, which are in the order of the program, by one copy before
/// `user`.
static void merge(ArrayRef<IpuCopyOp> copies, Operation *user) {
  SmallVector<Value> inputs;
  SmallVector<int64_t> sources;
  SmallVector<Location> locs;
  for (IpuCopyOp copy : copies) {
    llvm::append_range(inputs, copy.getInputs());
    llvm::append_range(sources, copy.getSources());
    locs.push_back(copy.getLoc());
  }
  OpBuilder b(user);
  IpuCopyOp first = copies.front();
  auto merged = IpuCopyOp::create(b, b.getFusedLoc(locs), inputs, sources,
                                  first.getDestination());
  merged->setDiscardableAttrs(first->getDiscardableAttrDictionary());
  ResultRange results = merged.getResults();
  for (IpuCopyOp copy : copies) {
    copy->replaceAllUsesWith(results.take_front(copy->getNumResults()));
    results = results.drop_front(copy->getNumResults());
    copy->erase();
  }
  remark::passed(merged.getLoc(),
                 remark::RemarkOpts::name("MergeCopies").category("pop-graph"))
      << "one copy replaces several copies"
      << remark::metric("copies", copies.size())
      << remark::metric("tensors", merged->getNumResults());
}

static void mergeInBlock(Block &block, bool isPipelined) {
  using Group = std::pair<MergeKey, SmallVector<IpuCopyOp>>;
  // Few groups have the same user.
  llvm::MapVector<Operation *, SmallVector<Group, 1>> groups;
  for (auto copy : block.getOps<IpuCopyOp>()) {
    Operation *user = findFirstUser(copy);
    if (!user)
      continue;
    MergeKey key{user, copy.getDestinationAttr(),
                 isPipelined ? copy.getSourcesAttr() : Attribute(),
                 copy->getDiscardableAttrDictionary()};
    SmallVector<Group, 1> &ofUser = groups[user];
    auto *group = llvm::find_if(
        ofUser, [&](const Group &other) { return other.first == key; });
    if (group == ofUser.end())
      ofUser.push_back({key, {copy}});
    else
      group->second.push_back(copy);
  }
  // A user may be a copy that is merged with others for a later user.
  auto sorted = groups.takeVector();
  llvm::sort(sorted, [](const auto &a, const auto &b) {
    return a.first->isBeforeInBlock(b.first);
  });
  for (auto &[user, ofUser] : sorted)
    for (const auto &[key, copies] : ofUser)
      if (copies.size() > 1)
        merge(copies, user);
}

namespace {
struct MergeCopiesPass : pop::impl::MergeCopiesPassBase<MergeCopiesPass> {
  void runOnOperation() override {
    bool isPipelined = getOperation()
                           ->walk([](Operation *op) {
                             return getStage(op) ? WalkResult::interrupt()
                                                 : WalkResult::advance();
                           })
                           .wasInterrupted();
    getOperation()->walk(
        [&](Block *block) { mergeInBlock(*block, isPipelined); });
  }
};
} // namespace
