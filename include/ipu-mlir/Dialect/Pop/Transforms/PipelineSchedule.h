//===- PipelineSchedule.h - Schedules of pipelines --------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A pipeline processes micro-batches in stages 0, 1, ... One or two loops
// execute it. In iteration j of a loop, a stage with delay d processes
// micro-batch j - d, if there is one. An iteration consists of turns. A turn
// executes its stages, and then the copies of their results to other IPUs.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_DIALECT_POP_TRANSFORMS_PIPELINESCHEDULE_H
#define IPU_MLIR_DIALECT_POP_TRANSFORMS_PIPELINESCHEDULE_H

#include "mlir/Support/LLVM.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/CommandLine.h"
#include <optional>

namespace mlir::pop {

/// The order in which a pipeline executes its stages.
enum class PipelineKind {
  /// One turn of an iteration executes each stage, as in PopART.
  Popart,
  /// One loop executes the stages of the forward pass for all micro-batches,
  /// and a second loop those of the backward pass (Huang et al., GPipe).
  GPipe,
  /// Each IPU executes a forward and a backward stage in turn (Narayanan et
  /// al., PipeDream-Flush).
  OneFOneB,
};

/// Return the name of a schedule, and the schedule of a name.
StringRef stringifyPipelineKind(PipelineKind kind);
std::optional<PipelineKind> symbolizePipelineKind(StringRef name);
/// Returns the values of an option that is a schedule.
llvm::cl::ValuesClass getPipelineKindValues();

class PipelineSchedule {
public:
  /// The position of a stage in the loops.
  struct Position {
    unsigned loop, turn;
    /// The position in the turn.
    unsigned order;
    /// The number of iterations by which the stage is later than the first
    /// stage of the loop.
    int64_t delay;
  };
  /// A loop: the stages of each turn, in the order of their execution.
  struct Loop {
    SmallVector<SmallVector<unsigned>> turns;
    /// The greatest delay of a stage.
    int64_t maxDelay;
  };

  /// The first `numForward` of `numStages` stages belong to the forward pass.
  /// There is at least one stage.
  PipelineSchedule(PipelineKind kind, unsigned numStages, unsigned numForward);

  ArrayRef<Loop> getLoops() const { return loops; }
  const Position &getPosition(unsigned stage) const { return positions[stage]; }

  /// Returns the smallest number of micro-batches for which each loop has an
  /// iteration that executes all of its stages.
  int64_t getMinMicroBatches() const;

  /// Returns whether `reader` reads a value of `writer` in the iteration in
  /// which `writer` computes it. `reader` is a later stage.
  bool readsSameIteration(unsigned writer, unsigned reader) const;
  /// Returns the number of micro-batches for which the value that `writer`
  /// computes is needed at the same time, until `reader` has read it. A value
  /// that is copied to another IPU is computed at the end of the turn of
  /// `writer` (`isCopy`). `numMicroBatches` is the number of all micro-batches.
  int64_t getNumSlots(unsigned writer, bool isCopy, unsigned reader,
                      int64_t numMicroBatches) const;

private:
  void addLoop(ArrayRef<SmallVector<unsigned>> turns,
               llvm::function_ref<int64_t(unsigned)> getDelay);

  SmallVector<Loop> loops;
  SmallVector<Position> positions;
};

} // namespace mlir::pop

#endif // IPU_MLIR_DIALECT_POP_TRANSFORMS_PIPELINESCHEDULE_H
