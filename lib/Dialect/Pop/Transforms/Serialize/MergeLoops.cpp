//===- MergeLoops.cpp - Merging of loops of equal trip counts ---*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: a module. Out: the same module, where loops of a block with equal bounds
// are one loop, if no dependence prevents it.
//
//===----------------------------------------------------------------------===//

#include "../Graph/GraphTransforms.h"
#include "LoopMerger.h"
#include "ipu-mlir/Dialect/Pop/IR/SerializationMarks.h"
#include "ipu-mlir/Dialect/Pop/Transforms/DrawNumbers.h"
#include "ipu-mlir/Dialect/Pop/Transforms/Passes.h"

namespace mlir::pop {
#define GEN_PASS_DEF_MERGELOOPSPASS
#include "ipu-mlir/Dialect/Pop/Transforms/Passes.h.inc"
} // namespace mlir::pop

using namespace mlir;
using namespace mlir::pop;

/// Returns whether `loop` and `other` will be merged.
static bool isMerged(const LoopMerger &merger, scf::ForOp loop,
                     scf::ForOp other) {
  FailureOr<size_t> group = merger.getGroup(loop);
  FailureOr<size_t> otherGroup = merger.getGroup(other);
  return succeeded(group) && succeeded(otherGroup) && *group == *otherGroup;
}

/// Checks that the loops of each named group will be merged.
static LogicalResult verifyNamedGroups(const LoopMerger &merger) {
  llvm::MapVector<StringAttr, SmallVector<scf::ForOp>> groups;
  for (scf::ForOp loop : merger.getCandidates())
    if (auto name = loop->getAttrOfType<StringAttr>(kMergeGroupAttrName))
      groups[name].push_back(loop);
  for (const auto &[name, loops] : groups) {
    scf::ForOp first = loops.front();
    if (loops.size() == 1)
      return first.emitOpError() << "is the only loop of group " << name
                                 << "; expects at least 2 loops with this '"
                                 << kMergeGroupAttrName << "'";
    for (scf::ForOp loop : ArrayRef(loops).drop_front()) {
      if (isMerged(merger, loop, first))
        continue;
      InFlightDiagnostic error = loop.emitOpError();
      error << "expects to be merged with the other loops of group " << name
            << ", but " << merger.explain(loop, first);
      error.attachNote(first.getLoc()) << "the first loop of the group is here";
      return error;
    }
  }
  return success();
}

/// Emits the reason for each loop that is not merged with the loop before it.
static void emitRemarks(const LoopMerger &merger) {
  scf::ForOp previous;
  for (scf::ForOp loop : merger.getCandidates()) {
    if (previous && previous->getBlock() == loop->getBlock()) {
      if (isMerged(merger, loop, previous))
        remark::passed(loop.getLoc(), getGraphRemark("MergeLoops"))
            << "the loop is merged with the loop before it";
      else
        remark::missed(loop.getLoc(), getGraphRemark("MergeLoops"))
            << "the loop is not merged with the loop before it: "
            << merger.explain(loop, previous);
    }
    previous = loop;
  }
}

namespace {
struct MergeLoopsPass : pop::impl::MergeLoopsPassBase<MergeLoopsPass> {
  void runOnOperation() override {
    // Ops without numbers would get numbers in their new order.
    if (failed(numberDraws(getOperation())))
      return signalPassFailure();
    LoopMerger merger(getOperation());
    merger.find([](scf::ForOp) { return true; });
    if (failed(verifyNamedGroups(merger)))
      return signalPassFailure();
    emitRemarks(merger);
    merger.merge();
  }
};
} // namespace
