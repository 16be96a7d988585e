//===- Replay.h - Replay of transforms along an edge ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For an edge from a producer to a consumer: the correspondence of their loops,
// and the creation of one side's loops on the other side.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_DIALECT_FUSE_SCHEDULE_REPLAY_H
#define IPU_MLIR_DIALECT_FUSE_SCHEDULE_REPLAY_H

#include "ipu-mlir/Dialect/Fuse/Schedule/Schedule.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/MapVector.h"

namespace mlir::fuse {

/// Root axes of a consumer and logical axes of a producer that are the same,
/// for one edge. A consumer that reads a producer twice with different maps has
/// no pair on which the two disagree.
struct PairwiseMap {
  llvm::MapVector<AxisId, AxisId> consumerToProducer;
  llvm::MapVector<AxisId, AxisId> producerToConsumer;
  /// Root axes of the consumer without a partner (new broadcasts), and logical
  /// axes of the producer without one (squeezes, windows).
  SmallVector<AxisId> consumerOnly;
  SmallVector<AxisId> producerOnly;
  /// producerOnly in two parts: those of extent 1, read at index 0, and those
  /// that no loop may be shared over: windows, and axes on which two reads
  /// disagree.
  SmallVector<AxisId> squeezed;
  SmallVector<AxisId> unmappable;
};
PairwiseMap getPairwiseMap(const Schedule &schedule, TensorId producer,
                           TensorId consumer);

enum class ReplayDirection {
  ProducerAsConsumer, ///< changes the producer (PasC)
  ConsumerAsProducer, ///< changes the consumer (CasP)
};

/// What a replay gives: the new loops of the changed tensor, and how many of
/// them, from the front, correspond to the prefix that was asked for.
struct ReplayResult {
  SmallVector<AxisId> loop;
  unsigned position = 0;
};

/// The loops of the producer such that a front part of them corresponds to the
/// first `position` loops of the consumer. Crossing a broadcast backwards loses
/// axes, hence the position returned. The axes are made in `schedule`, but the
/// producer's loop list is not changed.
MaybeViolation replayProducerAsConsumer(Schedule &schedule, TensorId producer,
                                        TensorId consumer, unsigned position,
                                        ReplayResult &result);
/// The loops of the consumer such that a front part of them corresponds to the
/// first `position` loops of the producer, reductions excepted.
MaybeViolation replayConsumerAsProducer(Schedule &schedule, TensorId consumer,
                                        TensorId producer, unsigned position,
                                        ReplayResult &result);

/// Replaces the loops of `tensor`, unless one of those that are frozen would
/// change.
MaybeViolation installLoops(Schedule &schedule, TensorId tensor,
                            ArrayRef<AxisId> loop);

/// Where the producer's loops stand when the consumer's have come to
/// `position`, with nothing changed (PasC); or the other way round (CasP). None
/// if the loops do not correspond up to there.
std::optional<unsigned> matchPosition(const Schedule &schedule,
                                      TensorId producer, TensorId consumer,
                                      unsigned position,
                                      ReplayDirection direction);
/// The match of the largest position up to `position` that has one.
unsigned matchClosest(const Schedule &schedule, TensorId producer,
                      TensorId consumer, unsigned position,
                      ReplayDirection direction);

/// For each loop of the producer, up to `count`, the loop of the consumer that
/// corresponds to it (an index), if any; reductions and squeezed axes of the
/// producer have none. The list ends before the first that fails to match.
SmallVector<std::optional<unsigned>> matchLoops(const Schedule &schedule,
                                                TensorId producer,
                                                TensorId consumer,
                                                unsigned count);

} // namespace mlir::fuse

#endif // IPU_MLIR_DIALECT_FUSE_SCHEDULE_REPLAY_H
