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

/// What to do where a position exceeds what is legal.
///   Standard:    an error for the producer and all tensors strictly between
///                producer and consumer; others are clipped.
///   BestEffort:  clip everywhere; tensors whose loops cannot be made equal
///                keep theirs.
///   MostInlined: as deep as is legal everywhere; trailing broadcast loops are
///                left (hoisted).
enum class InlineMode { Standard, BestEffort, MostInlined };
StringRef stringifyInlineMode(InlineMode mode);
std::optional<InlineMode> symbolizeInlineMode(StringRef name);

struct ComputeAtOptions {
  InlineMode mode = InlineMode::Standard;
  /// Leave trailing loops over broadcasts (positions shrink); default: only in
  /// MostInlined.
  std::optional<bool> hoist;
};

/// Computes `producer` in the first `position` loops of `consumer` (negative: n
/// + 1 + position). Everything between them, and what their common consumers
/// need, gets equal loop prefixes. Where that is refused, `planRecomputation`
/// says whether a clone of the producer would help.
MaybeViolation computeAt(Schedule &schedule, TensorId producer,
                         TensorId consumer, int64_t position,
                         const ComputeAtOptions &options = {});

/// One tensor, loops as they are. An error if not legal.
MaybeViolation inlineAt(Schedule &schedule, TensorId tensor, int64_t position);
/// All tensors (or those set in `only`) to the positions that match `position`
/// of `reference`, clipped to what is legal. No loops change.
void inlineAllAt(Schedule &schedule, TensorId reference, int64_t position,
                 const llvm::BitVector *only = nullptr, bool hoist = true);
/// All tensors (or those set in `only`) as deep as is legal. No loops change.
void inlineMost(Schedule &schedule, const llvm::BitVector *only = nullptr,
                bool hoist = true);

/// Computes `tensor` in the first `position` loops of the first consumer in
/// program order, but stores it where it was. position >= computeAt.
MaybeViolation computeWith(Schedule &schedule, TensorId tensor,
                           int64_t position);

/// Gives all connected tensors (or those set in `only`) loops like the first
/// `position` ones of `reference`; positions stay.
MaybeViolation propagate(Schedule &schedule, TensorId reference,
                         int64_t position,
                         const llvm::BitVector *only = nullptr);

/// A hop of the spanning tree, from a tensor whose loops are known.
struct Hop {
  TensorId from;
  TensorId to;
  /// ConsumerAsProducer: `to` is a consumer of `from`.
  ReplayDirection direction;
};
/// The maximum spanning tree from `reference`, in order of visits, where the
/// weight of a hop is how much of what feeds the first `position` loops of the
/// reference survives (see docs/fusion.md). `mayVisit`: the hops allowed.
std::vector<Hop>
getMaxInformationTree(const Schedule &schedule, TensorId reference,
                      unsigned position,
                      llvm::function_ref<bool(const Hop &)> mayVisit);

/// Tensors whose loops a computeAt makes equal: all on paths from `producer` to
/// its nearest post-dominator at or after `consumer`, that one excepted, or, if
/// there is none, the producer and all its descendants that are used.
llvm::BitVector getAffected(const Schedule &schedule, TensorId producer,
                            TensorId consumer);

/// `tensor` and all that depends on it, or that it depends on.
llvm::BitVector getDescendants(const Schedule &schedule, TensorId tensor);
llvm::BitVector getAncestors(const Schedule &schedule, TensorId tensor);

/// Which logical axes of producers can share a loop with the root axes of all
/// their consumers, whatever the loops and positions of others: the part of
/// nvFuser's ComputeAt root-domain map that is certain. An axis is unmappable
/// if it is read by a window, or if the axis of one consumer flows into a
/// reduction that another consumer comes after. What depends on other positions
/// is left to the conditions on loop classes, which refuse less.
class RootDomainMap {
public:
  explicit RootDomainMap(const Schedule &schedule);
  /// Whether a loop made of `axis`, a logical axis of `tensor`, can be shared
  /// with all consumers.
  bool isMappable(TensorId tensor, AxisId axis) const;
  /// Why not: the consumer and the path that forbids it.
  Violation explain(const Schedule &schedule, TensorId tensor,
                    AxisId axis) const;

private:
  /// The consumers that cannot share a loop and the reduction between them; all
  /// equal for a window.
  struct Reason {
    TensorId before;
    TensorId after;
    TensorId reduction;
  };
  llvm::DenseMap<std::pair<TensorId, AxisId>, Reason> unmappable;
};

/// The deepest legal position of `tensor`, by itself and by each of its
/// consumers (section "Limits" of docs/fusion.md); `why` is filled if it is not
/// all loops.
unsigned getMaxPosition(const Schedule &schedule, const RootDomainMap &map,
                        TensorId tensor, InlineMode mode,
                        Violation *why = nullptr);
/// The same for computeWith, where only `consumer`, the first one, counts and
/// axes need not be mappable.
unsigned getMaxComputeWith(const Schedule &schedule, TensorId tensor,
                           TensorId consumer, Violation *why = nullptr);

/// How to make an illegal computeAt legal by computing the producer twice.
struct Recomputation {
  /// The consumers of the producer that a clone is to serve, in program order.
  SmallVector<TensorId> consumers;
  /// The elements that the clone computes: the product of the extents of the
  /// producer's iteration space.
  AffineExpr work;
};
/// The fewest consumers, in favour of those in the loops of `consumer`, without
/// which the producer can be computed at `position`. None if the request is
/// legal as it is, or no clone helps. The caller clones and asks again.
std::optional<Recomputation> planRecomputation(const Schedule &schedule,
                                               TensorId producer,
                                               TensorId consumer,
                                               int64_t position);

} // namespace mlir::fuse

#endif // IPU_MLIR_DIALECT_FUSE_SCHEDULE_COMPUTEAT_H
