//===- ComputeAt.h - computeAt and inlining ---------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The tensors that a computeAt affects, the transforms that make their loops
// equal (along a maximum-information spanning tree), and their deepest legal
// positions.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_DIALECT_FUSE_SCHEDULE_COMPUTEAT_H
#define IPU_MLIR_DIALECT_FUSE_SCHEDULE_COMPUTEAT_H

#include "ipu-mlir/Dialect/Fuse/Schedule/Replay.h"
#include "llvm/ADT/BitVector.h"

namespace mlir::fuse {

/// The treatment of positions that are not legal.
/// - Standard: an error for the producer and all tensors strictly between the
///   producer and the consumer; positions of other tensors are clipped.
/// - BestEffort: all positions are clipped; tensors whose loops cannot be made
///   equal keep their loops.
/// - MostInlined: all tensors have the deepest legal positions; trailing
///   broadcast loops are not included (they are hoisted).
enum class InlineMode { Standard, BestEffort, MostInlined };
StringRef stringifyInlineMode(InlineMode mode);
std::optional<InlineMode> symbolizeInlineMode(StringRef name);

struct ComputeAtOptions {
  InlineMode mode = InlineMode::Standard;
  /// Do not include trailing loops over broadcasts, so that positions become
  /// smaller. By default, this is done only in MostInlined.
  std::optional<bool> hoist;
};

/// Computes `producer` in the first `position` loops of `consumer`; a negative
/// position means n + 1 + position. All tensors between the two, and the
/// tensors that their common consumers need, get equal loop prefixes. If the
/// request is refused, `planRecomputation` determines whether a clone of the
/// producer would help.
MaybeViolation computeAt(Schedule &schedule, TensorId producer,
                         TensorId consumer, int64_t position,
                         const ComputeAtOptions &options = {});

/// Changes the position of one tensor without changing its loops. An error if
/// the position is not legal.
MaybeViolation inlineAt(Schedule &schedule, TensorId tensor, int64_t position);
/// Changes the positions of all tensors (or those set in `only`) to the
/// positions that match `position` of `reference`, clipped to legal positions.
/// No loops change.
void inlineAllAt(Schedule &schedule, TensorId reference, int64_t position,
                 const llvm::BitVector *only = nullptr, bool hoist = true);
/// Changes the positions of all tensors (or those set in `only`) to the deepest
/// legal positions. No loops change.
void inlineMost(Schedule &schedule, const llvm::BitVector *only = nullptr,
                bool hoist = true);

/// Computes `tensor` in the first `position` loops of the first consumer in
/// program order, but does not change where the tensor is stored. `position` is
/// at least `computeAt`.
MaybeViolation computeWith(Schedule &schedule, TensorId tensor,
                           int64_t position);

/// Gives all connected tensors (or those set in `only`) loops like the first
/// `position` loops of `reference`. Positions do not change.
MaybeViolation propagate(Schedule &schedule, TensorId reference,
                         int64_t position,
                         const llvm::BitVector *only = nullptr);

/// An edge of the spanning tree, from a tensor whose loops are known.
struct Hop {
  TensorId from;
  TensorId to;
  /// ConsumerAsProducer: `to` is a consumer of `from`.
  ReplayDirection direction;
};
/// The maximum spanning tree from `reference`, in the order of visits. The
/// weight of an edge is the part of the axes of the first `position` loops of
/// the reference that the edge preserves (see docs/fusion.md). `mayVisit`
/// decides which edges are allowed.
std::vector<Hop>
getMaxInformationTree(const Schedule &schedule, TensorId reference,
                      unsigned position,
                      llvm::function_ref<bool(const Hop &)> mayVisit);

/// Tensors whose loops a computeAt makes equal: all tensors on paths from
/// `producer` to its nearest post-dominator at or after `consumer`, without
/// this post-dominator. If there is no post-dominator, the producer and all its
/// descendants that are used.
llvm::BitVector getAffected(const Schedule &schedule, TensorId producer,
                            TensorId consumer);

/// `tensor`, and all tensors that depend on it (or on which it depends).
llvm::BitVector getDescendants(const Schedule &schedule, TensorId tensor);
llvm::BitVector getAncestors(const Schedule &schedule, TensorId tensor);

/// Determines which logical axes of producers can share a loop with the root
/// axes of all their consumers, for all loops and positions of other tensors.
/// This is the part of nvFuser's ComputeAt root-domain map that does not depend
/// on positions. An axis is unmappable if a window reads it, or if the axis of
/// one consumer flows into a reduction on which another consumer depends. The
/// conditions on loop classes decide all that depends on other positions; they
/// refuse less.
class RootDomainMap {
public:
  explicit RootDomainMap(const Schedule &schedule);
  /// Whether a loop that is made from `axis`, a logical axis of `tensor`, can
  /// be shared with all consumers.
  bool isMappable(TensorId tensor, AxisId axis) const;
  /// The reason why an axis is not mappable: the consumer and the path that
  /// forbid it.
  Violation explain(const Schedule &schedule, TensorId tensor,
                    AxisId axis) const;

private:
  /// The consumers that cannot share a loop, and the reduction between them.
  /// All three are equal for a window.
  struct Reason {
    TensorId before;
    TensorId after;
    TensorId reduction;
  };
  llvm::DenseMap<std::pair<TensorId, AxisId>, Reason> unmappable;
};

/// The deepest legal position of `tensor`, by its own loops and by each of its
/// consumers (section "Limits" of docs/fusion.md). `why` is set if the position
/// does not include all loops.
unsigned getMaxPosition(const Schedule &schedule, const RootDomainMap &map,
                        TensorId tensor, InlineMode mode,
                        Violation *why = nullptr);
/// The same for computeWith. Only `consumer`, the first consumer, counts, and
/// axes need not be mappable.
unsigned getMaxComputeWith(const Schedule &schedule, TensorId tensor,
                           TensorId consumer, Violation *why = nullptr);

/// A way to make an illegal computeAt legal by computing the producer twice.
struct Recomputation {
  /// The consumers of the producer that use the clone, in program order.
  SmallVector<TensorId> consumers;
  /// The elements that the clone computes: the product of the extents of the
  /// producer's iteration space.
  AffineExpr work;
};
/// A smallest set of consumers without which the producer can be computed at
/// `position`. Consumers in the loops of `consumer` are preferred. None if the
/// request is legal without a clone, or if no clone helps. The caller creates
/// the clone and repeats the request.
std::optional<Recomputation> planRecomputation(const Schedule &schedule,
                                               TensorId producer,
                                               TensorId consumer,
                                               int64_t position);

} // namespace mlir::fuse

#endif // IPU_MLIR_DIALECT_FUSE_SCHEDULE_COMPUTEAT_H
