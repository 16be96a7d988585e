//===- InputCaches.cpp - Shared passes over an input ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "InputCaches.h"

#include "FusionViews.h"

#include "ipu-mlir/Dialect/Fuse/Transforms/AutoSchedule.h"

#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace mlir::fuse;

/// Larger fusions are not tried: each trial looks at all of one.
static constexpr unsigned kMaxTensors = 512;

bool fuse::goesOver(linalg::LinalgOp op, OpOperand &operand) {
  auto type = dyn_cast<RankedTensorType>(operand.get().getType());
  return type && type.getRank() > 0 && isReadOperand(op, operand) &&
         op.getMatchingIndexingMap(&operand).isPermutation();
}

static bool hasSeveralReaders(Value input) {
  llvm::SetVector<Operation *> readers;
  for (OpOperand &use : input.getUses())
    if (isScheduleTensor(use.getOwner()) &&
        goesOver(cast<linalg::LinalgOp>(use.getOwner()), use))
      readers.insert(use.getOwner());
  return readers.size() > 1;
}

namespace {
/// What a fusion moves, and a tensor's position for that.
struct Trial {
  double bytes = 0;
  unsigned position = 0;
};
} // namespace

static std::optional<Trial> tryFusion(FusionOp fusion, Operation *op) {
  FailureOr<FusionSchedule> read = FusionSchedule::read(fusion);
  if (failed(read) || read->schedule.getNumTensors() > kMaxTensors)
    return std::nullopt;
  Trial trial;
  trial.bytes = choosePositions(read->schedule, getTensorCosts(*read)).bytes;
  if (op)
    trial.position = read->schedule.getTensor(*read->getTensor(op)).computeAt;
  return trial;
}

/// The name of the op that reads `input` for others; none if it is taken.
static StringAttr getCacheName(FusionOp fusion, Value input) {
  FailureOr<FusionSchedule> read = FusionSchedule::read(fusion);
  std::string name =
      read->schedule.getTensor(*read->getTensor(input)).name + ".cache";
  return read->schedule.lookup(name)
             ? StringAttr()
             : StringAttr::get(fusion.getContext(), name);
}

void fuse::removeCache(linalg::GenericOp cache) {
  cache.getResult(0).replaceAllUsesWith(cache.getInputs().front());
  cache.erase();
}

SmallVector<linalg::GenericOp> fuse::addUsefulCaches(FusionOp fusion) {
  SmallVector<Value> inputs;
  Block &body = fusion.getBody().front();
  auto addInput = [&](Value input) {
    if (hasSeveralReaders(input))
      inputs.push_back(input);
  };
  llvm::for_each(body.getArguments(), addInput);
  for (Operation &op : body)
    if (isView(&op) && isa<BlockArgument>(getViewBase(op.getResult(0))))
      addInput(op.getResult(0));
  SmallVector<linalg::GenericOp> caches;
  if (inputs.empty())
    return caches;

  // What cannot be read is reported when it has to be.
  ScopedDiagnosticHandler quiet(fusion.getContext(),
                                [](Diagnostic &) { return success(); });
  std::optional<Trial> best = tryFusion(fusion, nullptr);
  for (Value input : inputs) {
    StringAttr name = best ? getCacheName(fusion, input) : StringAttr();
    if (!name)
      continue;
    linalg::GenericOp cache = createCache(fusion, input);
    cache->setAttr(FuseDialect::kNameAttrName, name);
    std::optional<Trial> trial = tryFusion(fusion, cache);
    if (!trial || trial->bytes >= best->bytes || trial->position == 0) {
      removeCache(cache);
      continue;
    }
    best = trial;
    caches.push_back(cache);
  }
  return caches;
}
