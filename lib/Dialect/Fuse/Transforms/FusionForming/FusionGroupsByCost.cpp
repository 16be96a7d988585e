//===- FusionGroupsByCost.cpp - Which ops are worth one nest --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: a fusion of all ops that could share loops. Out: groups of those that do,
// when each is computed where it costs least.
//
//===----------------------------------------------------------------------===//

#include "FusionGroups.h"

#include "ipu-mlir/Dialect/Fuse/Transforms/AutoSchedule.h"

using namespace mlir;
using namespace mlir::fuse;

FailureOr<std::vector<SmallVector<Operation *>>>
fuse::getGroupsByCost(FusionOp fusion) {
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
    groups[numbers[tensor]].push_back(read->getOp(tensor));
  }
  return groups;
}
