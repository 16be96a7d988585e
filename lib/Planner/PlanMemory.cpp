//===- PlanMemory.cpp - Memory of a plan ------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Predicts the results of ipu-liveness and ipu-allocate: the steps in which
// tensors are live, and the memory of a tile that live tensors take.
//
//===----------------------------------------------------------------------===//

#include "ProgramGraph.h"

#include "ipu-mlir/Analysis/TileCounts/Count.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace mlir::ipu;

/// Returns, for each tensor, the numbers of the first and the last step in
/// which it is live. Tensors that exist before the program are live in all
/// steps.
SmallVector<std::pair<size_t, size_t>> ProgramGraph::getLiveRanges() const {
  DenseSet<StringAttr> scratches;
  if (auto module = function->getParentOfType<ModuleOp>())
    for (auto scratch : module.getOps<pop::ScratchOp>())
      scratches.insert(scratch.getSymNameAttr());
  SmallVector<std::pair<size_t, size_t>> ranges(tensors.size(), {SIZE_MAX, 0});
  for (auto [number, step] : llvm::enumerate(steps))
    for (unsigned tensor : getTensors(step)) {
      ranges[tensor].first = std::min(ranges[tensor].first, number);
      ranges[tensor].second = std::max(ranges[tensor].second, number);
    }
  for (unsigned index = 0; index < tensors.size(); ++index) {
    const PlanTensor &tensor = tensors[index];
    auto variable = tensor.value.getDefiningOp<pop::GetVariableOp>();
    bool isState =
        variable && !scratches.contains(variable.getVariableAttr().getAttr());
    if (isState || tensor.isConstant())
      ranges[index] = {0, steps.size() - 1};
    size_t &first = ranges[index].first, &last = ranges[index].second;
    // A tensor from outside of a loop that the loop uses, or a variable that
    // the loop writes, is live in the whole loop.
    for (auto [begin, end] : loops)
      if (first < end && last >= begin && (first < begin || variable)) {
        first = std::min(first, begin);
        last = std::max(last, end - 1);
      }
    // The steps of a function are numbered at its first call. A tensor that is
    // live across a later call must not share memory with the tensors that
    // these steps write. Therefore its live range is extended to the first step
    // of the function.
    const auto *call = llvm::partition_point(
        laterCalls, [&](auto call) { return call.first <= first; });
    for (; first > 0 && call != laterCalls.end() && call->first <= last; ++call)
      first = std::min(first, call->second);
  }
  return ranges;
}

/// Returns the number of bytes of the copies of operands that a step reads on
/// its fullest tile.
int64_t ProgramGraph::getBytesOfOperands(const PlanStep &step,
                                         ArrayRef<unsigned> choices) const {
  const TileMappingChoice &result =
      tensors[step.tensor].choices[choices[step.tensor]];
  if (step.kind != PlanStep::Kind::Compute || !result.problem)
    return 0;
  Count bytes;
  for (const PlanOperand &operand : step.operands) {
    const PlanTensor &tensor = tensors[operand.tensor];
    TileMappingAttr access = result.inputs[operand.index];
    if (!operand.isWhole ||
        !tensor.choices[choices[operand.tensor]].mapping.isEquivalentTo(access))
      bytes += Count(access.getMaxElements()) * operand.elementBytes;
  }
  return bytes.get();
}

int64_t ProgramGraph::getDataBytes(ArrayRef<unsigned> choices) const {
  if (steps.empty())
    return 0;
  // A tensor that its op writes directly to the target of a copy, or that is
  // rounded before it is written, takes no memory of its own.
  SmallVector<bool> isElsewhere(tensors.size(), false);
  for (const PlanStep &step : steps)
    if (isForwarded(step, choices) ||
        (step.kind == PlanStep::Kind::Compute && isFree(step, choices)))
      isElsewhere[step.operands.front().tensor] = true;
  SmallVector<Count> begun(steps.size()), ended(steps.size());
  // Equal constants are clones, which are merged if they have equal tile
  // mappings.
  DenseSet<std::pair<Attribute, Attribute>> constants;
  for (auto [index, range] : llvm::enumerate(getLiveRanges())) {
    if (range.first > range.second || isElsewhere[index])
      continue;
    const PlanTensor &tensor = tensors[index];
    TileMappingAttr mapping = tensor.choices[choices[index]].mapping;
    if (tensor.isConstant() &&
        !constants.insert({tensor.op->getAttrDictionary(), mapping}).second)
      continue;
    Count bytes = Count(mapping.getMaxElements()) * tensor.elementBytes;
    begun[range.first] += bytes;
    ended[range.second] += bytes;
  }
  int64_t live = 0, most = 0;
  for (auto [number, step] : llvm::enumerate(steps)) {
    live += begun[number].get();
    most =
        std::max(most, (Count(live) + getBytesOfOperands(step, choices)).get());
    live -= ended[number].get();
  }
  return most;
}

int64_t ProgramGraph::getVertexBytes() const {
  Count bytes;
  llvm::StringSet<> codelets;
  for (const PlanStep &step : steps) {
    const PartitionProblem *problem =
        tensors[step.tensor].choices.front().problem;
    if (step.kind != PlanStep::Kind::Compute || !problem)
      continue;
    bytes += target.vertex_bytes + Count(target.vertex_edge_bytes) *
                                       (problem->form.inputs.size() + 1);
    // Ops of one kind with equal types mostly share a codelet.
    ContentKey key;
    key << step.op->getName().getAsOpaquePointer();
    for (Type type : problem->inputTypes)
      key << type.getAsOpaquePointer();
    if (codelets.insert(key.get()).second)
      bytes += hasLayouts(tensors[step.tensor]) ? target.codelet_amp_bytes
                                                : target.codelet_reduce_bytes;
  }
  return bytes.get();
}
