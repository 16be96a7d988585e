//===- AssignmentMemory.cpp - Bytes of assignments --------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Predicts the results of ipu-liveness and ipu-allocate: the memory of a tile
// that live tensors take.
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Planner/Cost/AssignmentCosts.h"

#include "ipu-mlir/Analysis/TileCounts/Count.h"
#include "ipu-mlir/Dialect/IPU/IR/Views.h"
#include "ipu-mlir/Support/ContentKey.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace mlir::ipu;

int64_t AssignmentCosts::getBytes(unsigned tensor,
                                  const Candidate &candidate) const {
  return (Count(candidate.mapping.getMaxElements()) *
          model.getTensor(tensor).elementBytes)
      .get();
}

/// Returns the number of bytes of the copies of operands that a step reads on
/// its fullest tile.
int64_t AssignmentCosts::getBytesOfOperands(const ModelStep &step,
                                            ArrayRef<unsigned> choices) const {
  const Candidate &result = getChosen(step.tensor, choices);
  if (step.kind != ModelStep::Kind::Compute || !result.problem)
    return 0;
  Count bytes;
  for (const ModelOperand &operand : step.operands) {
    TileMappingAttr access = result.inputs[operand.index];
    if (!isHeldAs(getTileMapping(operand, choices), operand.view,
                  moveTiles(access, step.tileOffset)))
      bytes += Count(access.getMaxElements()) * operand.elementBytes;
  }
  return bytes.get();
}

/// Visits all steps in order, with the bytes that are live in the step, until
/// `visit` returns false.
void AssignmentCosts::visitLiveBytes(
    ArrayRef<unsigned> choices,
    function_ref<bool(const ModelStep &, int64_t bytes)> visit) const {
  ArrayRef<ModelStep> steps = model.getSteps();
  if (steps.empty())
    return;
  // A tensor that its op writes directly to the target of a copy takes no
  // memory of its own.
  SmallVector<bool> isElsewhere(model.getTensors().size(), false);
  for (const ModelStep &step : steps)
    if (isForwarded(step, choices))
      isElsewhere[step.operands.front().tensor] = true;
  SmallVector<Count> begun(steps.size()), ended(steps.size());
  // Equal constants are clones, which are merged if they have equal tile
  // mappings.
  DenseSet<std::pair<const void *, Attribute>> constants;
  for (auto [number, tensor] : llvm::enumerate(model.getTensors())) {
    if (tensor.firstStep > tensor.lastStep || isElsewhere[number])
      continue;
    const Candidate &chosen = getChosen(number, choices);
    if (tensor.content &&
        !constants.insert({tensor.content, chosen.mapping}).second)
      continue;
    Count bytes = getBytes(number, chosen);
    begun[tensor.firstStep] += bytes;
    ended[tensor.lastStep] += bytes;
  }
  int64_t live = 0;
  for (auto [number, step] : llvm::enumerate(steps)) {
    live += begun[number].get();
    if (!visit(step, (Count(live) + getBytesOfOperands(step, choices)).get()))
      return;
    live -= ended[number].get();
  }
}

int64_t AssignmentCosts::getPeakBytes(ArrayRef<unsigned> choices,
                                      int64_t limit) const {
  int64_t most = 0;
  visitLiveBytes(choices, [&](const ModelStep &, int64_t bytes) {
    most = std::max(most, bytes);
    return most <= limit;
  });
  return most;
}

SmallVector<int64_t>
AssignmentCosts::getSmallerShares(ArrayRef<unsigned> choices,
                                  int64_t room) const {
  SmallVector<int64_t> shares;
  for (unsigned tensor = 0; tensor < lists.size(); ++tensor)
    shares.push_back(lists.getOptions(tensor).memoryPerMille);
  bool anySmaller = false;
  visitLiveBytes(choices, [&](const ModelStep &step, int64_t bytes) {
    if (bytes <= room || getBytesOfOperands(step, choices) == 0)
      return true;
    // If the partition takes fewer bytes by the excess, the step fits.
    int64_t fitting =
        lists.getOpBytes(getChosen(step.tensor, choices)) - (bytes - room);
    int64_t share =
        std::max<int64_t>((Count(std::max<int64_t>(fitting, 0)) * 1000).get() /
                              model.getTarget().tile_memory,
                          0);
    if (share < shares[step.tensor]) {
      shares[step.tensor] = share;
      anySmaller = true;
    }
    return true;
  });
  if (!anySmaller)
    shares.clear();
  return shares;
}

int64_t AssignmentCosts::getVertexBytes() const {
  const TargetModel &target = model.getTarget();
  Count bytes;
  llvm::StringSet<> codelets;
  for (const ModelStep &step : model.getSteps()) {
    const PartitionProblem *problem = lists[step.tensor].front().problem;
    if (step.kind != ModelStep::Kind::Compute || !problem)
      continue;
    bytes += target.vertex_bytes + Count(target.vertex_edge_bytes) *
                                       (problem->form.inputs.size() + 1);
    // Ops of one kind with equal types mostly share a codelet.
    ContentKey key;
    for (StringRef op : step.ops)
      key << op;
    for (Type type : problem->inputTypes)
      key << type.getAsOpaquePointer();
    if (codelets.insert(key.get()).second)
      bytes += lists.requiresLayouts(step.tensor) ? target.codelet_amp_bytes
                                                  : target.codelet_reduce_bytes;
  }
  return bytes.get();
}

ShareNeed AssignmentCosts::getShareNeed(ArrayRef<unsigned> choices,
                                        PartitionCache &cache) const {
  ShareNeed need;
  PlanOptions fewest;
  fewest.memoryPerMille = 0;
  for (auto [number, tensor] : llvm::enumerate(model.getTensors())) {
    const Candidate &candidate = getChosen(number, choices);
    if (tensor.given || !candidate.problem)
      continue;
    int64_t bytes = lists.getOpBytes(candidate);
    // Bytes that even the smallest partition of the op needs do not depend on
    // the share.
    if (bytes <= lists.getAllowedBytes(number) ||
        bytes <= cache.getPlans(candidate.problem, fewest, tensor.space)
                     .front()
                     .bytes)
      continue;
    if (bytes > getMemoryLimit(model.getTarget(), lists.getOptions(number)))
      ++need.numOver;
    if (!tensor.memoryPerMille)
      need.bytes = std::max(need.bytes, bytes);
  }
  return need;
}
