//===- FusionGroupsByCost.cpp - Profitable groups of ops --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: a fusion of all ops that could share loops. Out: the groups of ops that
// do share loops if each op is computed at the position of least cost.
//
//===----------------------------------------------------------------------===//

#include "FusionGroups.h"

#include "../InputCaches.h"

#include "ipu-mlir/Dialect/Fuse/Transforms/AutoSchedule.h"

using namespace mlir;
using namespace mlir::fuse;

FailureOr<std::vector<SmallVector<Operation *>>>
fuse::getGroupsByCost(FusionOp fusion) {
  SmallVector<linalg::GenericOp> caches = addUsefulCaches(fusion);
  FailureOr<FusionSchedule> read = FusionSchedule::read(fusion);
  if (failed(read))
    return failure();
  choosePositions(read->schedule, getTensorCosts(*read));
  std::vector<SmallVector<Operation *>> groups;
  std::vector<unsigned> numbers = groupByNest(read->schedule);
  for (TensorId tensor : read->schedule.getProgramOrder()) {
    if (read->schedule.getTensor(tensor).isInput)
      continue;
    if (numbers[tensor] >= groups.size())
      groups.resize(numbers[tensor] + 1);
    if (!llvm::is_contained(caches, read->getOp(tensor).getOperation()))
      groups[numbers[tensor]].push_back(read->getOp(tensor));
  }
  llvm::for_each(caches, removeCache);
  llvm::erase_if(groups, [](ArrayRef<Operation *> ops) { return ops.empty(); });
  return groups;
}
