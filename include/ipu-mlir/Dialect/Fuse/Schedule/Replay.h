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

/// Corresponding root axes of the consumer and logical axes of the producer of
/// one edge. If a consumer reads a producer twice with different indexing maps,
/// axes on which the two reads disagree do not correspond.
struct PairwiseMap {
  llvm::MapVector<AxisId, AxisId> consumerToProducer;
  llvm::MapVector<AxisId, AxisId> producerToConsumer;
  /// Root axes of the consumer without a partner (new broadcasts), and logical
  /// axes of the producer without a partner (squeezes, windows).
  SmallVector<AxisId> consumerOnly;
  SmallVector<AxisId> producerOnly;
  /// The two parts of producerOnly: axes of extent 1, which are read at index
  /// 0, and axes over which no loop may be shared: windows, and axes on which
  /// two reads disagree.
  SmallVector<AxisId> squeezed;
  SmallVector<AxisId> unmappable;
};
PairwiseMap getPairwiseMap(const Schedule &schedule, TensorId producer,
                           TensorId consumer);

enum class ReplayDirection {
  ProducerAsConsumer, ///< changes the producer (PasC)
  ConsumerAsProducer, ///< changes the consumer (CasP)
};

/// The result of a replay: the new loops of the changed tensor, and the number
/// of its first loops that correspond to the requested prefix.
struct ReplayResult {
  SmallVector<AxisId> loop;
  unsigned position = 0;
};

/// Creates loops of the producer whose first loops correspond to the first
/// `position` loops of the consumer. Axes are lost if a broadcast is crossed
/// backwards, so the result contains a position. The axes are created in
/// `schedule`, but the loop list of the producer is not changed.
MaybeViolation replayProducerAsConsumer(Schedule &schedule, TensorId producer,
                                        TensorId consumer, unsigned position,
                                        ReplayResult &result);
/// Creates loops of the consumer whose first loops correspond to the first
/// `position` loops of the producer, without reductions.
MaybeViolation replayConsumerAsProducer(Schedule &schedule, TensorId consumer,
                                        TensorId producer, unsigned position,
                                        ReplayResult &result);

/// Replaces the loops of `tensor`. Fails if a frozen loop would change.
MaybeViolation installLoops(Schedule &schedule, TensorId tensor,
                            ArrayRef<AxisId> loop);

/// Returns the position of the producer that corresponds to `position` of the
/// consumer with unchanged loops (PasC), or the reverse (CasP). Returns
/// std::nullopt if the loops before the position do not correspond.
std::optional<unsigned> matchPosition(const Schedule &schedule,
                                      TensorId producer, TensorId consumer,
                                      unsigned position,
                                      ReplayDirection direction);
/// Returns the match of the greatest position up to `position` that has a
/// match.
unsigned matchClosest(const Schedule &schedule, TensorId producer,
                      TensorId consumer, unsigned position,
                      ReplayDirection direction);

/// For each of the first `count` loops of the producer, the index of the
/// corresponding loop of the consumer, if any. Reductions and squeezed axes of
/// the producer have none. The list ends before the first loop that fails to
/// match.
SmallVector<std::optional<unsigned>> matchLoops(const Schedule &schedule,
                                                TensorId producer,
                                                TensorId consumer,
                                                unsigned count);

} // namespace mlir::fuse

#endif // IPU_MLIR_DIALECT_FUSE_SCHEDULE_REPLAY_H
