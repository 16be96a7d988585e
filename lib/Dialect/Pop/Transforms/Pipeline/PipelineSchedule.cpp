//===- PipelineSchedule.cpp - Schedules of pipelines ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Dialect/Pop/Transforms/PipelineSchedule.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/ErrorHandling.h"
#include <algorithm>
#include <tuple>

using namespace mlir;
using namespace mlir::pop;

static constexpr std::pair<PipelineKind, StringLiteral> kKinds[] = {
    {PipelineKind::Popart, "popart"},
    {PipelineKind::GPipe, "gpipe"},
    {PipelineKind::OneFOneB, "1f1b"}};

StringRef mlir::pop::stringifyPipelineKind(PipelineKind kind) {
  for (auto [other, name] : kKinds)
    if (other == kind)
      return name;
  llvm_unreachable("unknown schedule");
}

std::optional<PipelineKind> mlir::pop::symbolizePipelineKind(StringRef name) {
  for (auto [kind, other] : kKinds)
    if (other == name)
      return kind;
  return std::nullopt;
}

llvm::cl::ValuesClass mlir::pop::getPipelineKindValues() {
  return llvm::cl::values(
      clEnumValN(PipelineKind::Popart, "popart",
                 "an iteration executes each stage once"),
      clEnumValN(PipelineKind::GPipe, "gpipe",
                 "the forward pass of all micro-batches, then the backward "
                 "pass"),
      clEnumValN(PipelineKind::OneFOneB, "1f1b",
                 "a forward and a backward stage in turn"));
}

/// Returns the stages from `first` to the one before `last`, with a distance of
/// `step`, in descending order. A stage that reads what an earlier stage saved
/// for it is thus executed before the earlier stage saves the next value.
static SmallVector<unsigned> getStages(unsigned first, unsigned last,
                                       unsigned step = 1) {
  SmallVector<unsigned> stages;
  for (unsigned stage = first; stage < last; stage += step)
    stages.push_back(stage);
  std::reverse(stages.begin(), stages.end());
  return stages;
}

void PipelineSchedule::addLoop(ArrayRef<SmallVector<unsigned>> turns,
                               llvm::function_ref<int64_t(unsigned)> getDelay) {
  Loop loop{llvm::to_vector(turns), /*maxDelay=*/0};
  for (auto [turn, stages] : llvm::enumerate(turns))
    for (auto [order, stage] : llvm::enumerate(stages)) {
      int64_t delay = getDelay(stage);
      positions[stage] = {static_cast<unsigned>(loops.size()),
                          static_cast<unsigned>(turn),
                          static_cast<unsigned>(order), delay};
      loop.maxDelay = std::max(loop.maxDelay, delay);
    }
  loops.push_back(std::move(loop));
}

PipelineSchedule::PipelineSchedule(PipelineKind kind, unsigned numStages,
                                   unsigned numForward)
    : positions(numStages) {
  bool hasBackward = numForward < numStages;
  auto getStage = [](unsigned stage) { return static_cast<int64_t>(stage); };
  if (kind == PipelineKind::Popart || !hasBackward) {
    addLoop({getStages(0, numStages)}, getStage);
  } else if (kind == PipelineKind::GPipe) {
    addLoop({getStages(0, numForward)}, getStage);
    addLoop({getStages(numForward, numStages)}, [&](unsigned stage) {
      return static_cast<int64_t>(stage - numForward);
    });
  } else {
    // A stage of the forward pass is executed in every second turn, and its
    // IPU executes its stage of the backward pass in the other turns.
    addLoop({getStages(0, numStages, /*step=*/2),
             getStages(1, numStages, /*step=*/2)},
            [](unsigned stage) { return static_cast<int64_t>(stage / 2); });
  }
}

int64_t PipelineSchedule::getMinMicroBatches() const {
  int64_t number = 1;
  for (const Loop &loop : loops)
    number = std::max(number, loop.maxDelay + 1);
  return number;
}

bool PipelineSchedule::readsSameIteration(unsigned writer,
                                          unsigned reader) const {
  const Position &from = positions[writer], &to = positions[reader];
  return from.loop == to.loop && from.delay == to.delay;
}

int64_t PipelineSchedule::getNumSlots(unsigned writer, bool isCopy,
                                      unsigned reader,
                                      int64_t numMicroBatches) const {
  const Position &from = positions[writer], &to = positions[reader];
  if (from.loop != to.loop)
    return numMicroBatches;
  // A copy comes after all stages of its turn.
  bool writesFirst = std::make_tuple(from.turn, isCopy, from.order) <
                     std::make_tuple(to.turn, false, to.order);
  return std::max<int64_t>(to.delay - from.delay + (writesFirst ? 1 : 0), 1);
}
