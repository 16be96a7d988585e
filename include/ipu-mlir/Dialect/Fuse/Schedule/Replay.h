//===- Replay.h - Replay of transforms along an edge ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Functions for an edge from a producer to a consumer. They find the
// corresponding loops of the two tensors, and create loops of one tensor that
// correspond to given loops of the other tensor.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_DIALECT_FUSE_SCHEDULE_REPLAY_H
#define IPU_MLIR_DIALECT_FUSE_SCHEDULE_REPLAY_H

#include "ipu-mlir/Dialect/Fuse/Schedule/Schedule.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/MapVector.h"

namespace mlir::fuse {

/// The correspondence between root axes of the consumer (Tensor::root) and
/// logical axes of the producer (Tensor::logical), for one edge. If a consumer
/// reads a producer twice with different indexing maps, axes that the two reads
/// index differently do not correspond.
struct PairwiseMap {
  llvm::MapVector<AxisId, AxisId> consumerToProducer;
  llvm::MapVector<AxisId, AxisId> producerToConsumer;
  /// Root axes of the consumer that correspond to no axis of the producer (new
  /// broadcasts), and logical axes of the producer that correspond to no axis
  /// of the consumer (squeezes and windows).
  SmallVector<AxisId> consumerOnly;
  SmallVector<AxisId> producerOnly;
  /// The two parts of `producerOnly`. Axes in `squeezed` have extent 1 and are
  /// read at index 0. Loops over axes in `unmappable` cannot be shared: these
  /// axes are read through windows, or two reads index them differently.
  SmallVector<AxisId> squeezed;
  SmallVector<AxisId> unmappable;
};
PairwiseMap getPairwiseMap(const Schedule &schedule, TensorId producer,
                           TensorId consumer);

enum class ReplayDirection {
  ProducerAsConsumer, ///< Changes loops of the producer (PasC).
  ConsumerAsProducer, ///< Changes loops of the consumer (CasP).
};

/// The result of a replay. `loop` contains the new loops of the changed tensor.
/// A replay is requested for the first loops of the other tensor. The first
/// `position` loops of `loop` correspond to these loops.
struct ReplayResult {
  SmallVector<AxisId> loop;
  unsigned position = 0;
};

/// Creates loops of the producer whose first loops correspond to the first
/// `position` loops of the consumer. A loop over an axis that the consumer
/// broadcasts has no counterpart in the producer. Therefore the number of
/// corresponding loops may be less than `position`. This number is
/// `result.position`. The axes are created in `schedule`, but the loop list of
/// the producer is not changed.
MaybeViolation replayProducerAsConsumer(Schedule &schedule, TensorId producer,
                                        TensorId consumer, unsigned position,
                                        ReplayResult &result);
/// Creates loops of the consumer whose first loops correspond to the first
/// `position` loops of the producer. The first `position` loops of the producer
/// must not be reductions.
MaybeViolation replayConsumerAsProducer(Schedule &schedule, TensorId consumer,
                                        TensorId producer, unsigned position,
                                        ReplayResult &result);

/// Replaces the loops of `tensor` by `loop`. Returns a violation if this would
/// change a frozen loop (Schedule::getNumFrozenLoops).
MaybeViolation installLoops(Schedule &schedule, TensorId tensor,
                            ArrayRef<AxisId> loop);

/// For ProducerAsConsumer, returns the position of the producer that
/// corresponds to `position` of the consumer. For ConsumerAsProducer, returns
/// the position of the consumer that corresponds to `position` of the producer.
/// Loops do not change. Returns std::nullopt if the loops before the position
/// do not correspond.
std::optional<unsigned> matchPosition(const Schedule &schedule,
                                      TensorId producer, TensorId consumer,
                                      unsigned position,
                                      ReplayDirection direction);
/// Returns the result of `matchPosition` for `position` or, if this result is
/// std::nullopt, for the next smaller position whose result is not
/// std::nullopt.
unsigned matchClosest(const Schedule &schedule, TensorId producer,
                      TensorId consumer, unsigned position,
                      ReplayDirection direction);

/// Returns, for each of the first `count` loops of the producer, the index of
/// the corresponding loop of the consumer, or std::nullopt for reductions and
/// squeezed axes of the producer. If any other loop of the producer has no
/// corresponding loop, the list ends before this loop.
SmallVector<std::optional<unsigned>> matchLoops(const Schedule &schedule,
                                                TensorId producer,
                                                TensorId consumer,
                                                unsigned count);

} // namespace mlir::fuse

#endif // IPU_MLIR_DIALECT_FUSE_SCHEDULE_REPLAY_H
