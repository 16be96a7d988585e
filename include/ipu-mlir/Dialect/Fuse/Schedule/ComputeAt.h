//===- ComputeAt.h - computeAt and inlining ---------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Implements computeAt and inlining: finds the tensors that a computeAt
// affects, makes their loops equal along a maximum-information spanning tree,
// and finds the deepest legal position of each tensor. A position is the number
// of outer loops that a tensor shares with its consumers.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_DIALECT_FUSE_SCHEDULE_COMPUTEAT_H
#define IPU_MLIR_DIALECT_FUSE_SCHEDULE_COMPUTEAT_H

#include "ipu-mlir/Dialect/Fuse/Schedule/Replay.h"
#include "llvm/ADT/BitVector.h"

namespace mlir::fuse {

/// The treatment of positions that are not legal.
/// - Standard: an illegal position is an error for the producer and for all
///   tensors strictly between the producer and the consumer. The positions of
///   other tensors are reduced to legal positions.
/// - BestEffort: all positions are reduced to legal positions. Tensors whose
///   loops cannot be made equal keep their loops.
/// - MostInlined: each tensor gets its deepest legal position. Trailing
///   broadcast loops are hoisted, which means that the position does not
///   include them.
enum class InlineMode { Standard, BestEffort, MostInlined };
StringRef stringifyInlineMode(InlineMode mode);
std::optional<InlineMode> symbolizeInlineMode(StringRef name);

struct ComputeAtOptions {
  InlineMode mode = InlineMode::Standard;
  /// Whether positions end before innermost loops that are loops over
  /// broadcasts. The default is true for MostInlined and false for the other
  /// modes.
  std::optional<bool> hoist;
};

/// Computes `producer` in the first `position` loops of `consumer`. If
/// `consumer` has n loops, a negative position means n + 1 + position. The
/// first loops of all tensors in getAffected become equal. If the request is
/// refused, `planRecomputation` determines whether a clone of the producer
/// would make the request legal.
MaybeViolation computeAt(Schedule &schedule, TensorId producer,
                         TensorId consumer, int64_t position,
                         const ComputeAtOptions &options = {});

/// Changes the position of one tensor without changing its loops. Returns a
/// violation if the position is not legal.
MaybeViolation inlineAt(Schedule &schedule, TensorId tensor, int64_t position);
/// Changes the positions of all tensors (or of those set in `only`). The new
/// position of a tensor matches `position` of `reference`, or is the tensor's
/// deepest legal position if that is smaller. No loops change.
void inlineAllAt(Schedule &schedule, TensorId reference, int64_t position,
                 const llvm::BitVector *only = nullptr, bool hoist = true);
/// Changes the positions of all tensors (or of those set in `only`) to the
/// deepest legal positions. No loops change.
void inlineMost(Schedule &schedule, const llvm::BitVector *only = nullptr,
                bool hoist = true);

/// Computes `tensor` in the first `position` loops of its first consumer in
/// program order. The tensor is still stored at its computeAt position, which
/// is at most `position`.
MaybeViolation computeWith(Schedule &schedule, TensorId tensor,
                           int64_t position);

/// Changes the loops of the tensors in `only` (by default, all tensors that are
/// connected with `reference`): they get loops that correspond to the first
/// `position` loops of `reference`. Positions do not change.
MaybeViolation propagate(Schedule &schedule, TensorId reference,
                         int64_t position,
                         const llvm::BitVector *only = nullptr);

/// An edge of the spanning tree. It starts at a tensor whose loops are already
/// known.
struct Hop {
  TensorId from;
  TensorId to;
  /// ConsumerAsProducer if `to` is a consumer of `from`.
  ReplayDirection direction;
};
/// Returns the edges of the maximum spanning tree that starts at `reference`,
/// in the order in which tensors are visited. An edge preserves some of the
/// axes of the first `position` loops of `reference`. The weight of the edge
/// depends on these preserved axes (see docs/fusion.md). Edges for which
/// `mayVisit` returns false are not used.
std::vector<Hop>
getMaxInformationTree(const Schedule &schedule, TensorId reference,
                      unsigned position,
                      llvm::function_ref<bool(const Hop &)> mayVisit);

/// Returns the tensors whose loops a computeAt makes equal. Let D be the
/// nearest post-dominator of `producer` that is `consumer` or depends on
/// `consumer`. Returns all tensors on paths from `producer` to D, without D. If
/// there is no D, returns `producer` and all tensors that depend on `producer`,
/// except tensors that no other tensor reads.
llvm::BitVector getAffected(const Schedule &schedule, TensorId producer,
                            TensorId consumer);

/// Return `tensor` and all tensors that depend on `tensor` (getDescendants), or
/// `tensor` and all tensors on which `tensor` depends (getAncestors).
llvm::BitVector getDescendants(const Schedule &schedule, TensorId tensor);
llvm::BitVector getAncestors(const Schedule &schedule, TensorId tensor);

/// Determines which logical axes of a producer can share a loop with the root
/// axes of all consumers. The result does not depend on the loops and positions
/// of other tensors. This is the part of nvFuser's ComputeAt root-domain map
/// that does not depend on positions. A logical axis that cannot share a loop
/// with the root axes of all consumers is unmappable. An axis is unmappable if
/// a consumer reads it through a window. It is also unmappable if one consumer,
/// or a tensor that is computed from this consumer, reduces the corresponding
/// axis, and another consumer depends on the result of this reduction. The
/// conditions on loop classes (LoopNest.h) decide all cases that depend on
/// positions of other tensors. These conditions refuse fewer requests than
/// nvFuser.
class RootDomainMap {
public:
  explicit RootDomainMap(const Schedule &schedule);
  /// Returns whether a loop that is made from `axis`, a logical axis of
  /// `tensor`, can be shared with all consumers.
  bool isMappable(TensorId tensor, AxisId axis) const;
  /// Returns the reason why `axis` is not mappable: the consumer and the path
  /// that forbid a shared loop.
  Violation explain(const Schedule &schedule, TensorId tensor,
                    AxisId axis) const;

private:
  /// The two consumers that cannot share a loop, and the reduction between
  /// them. If the axis is read through a window, all three are the same tensor.
  struct Reason {
    TensorId before;
    TensorId after;
    TensorId reduction;
  };
  llvm::DenseMap<std::pair<TensorId, AxisId>, Reason> unmappable;
};

/// Returns the deepest legal position of `tensor`, as limited by its own loops
/// and by each of its consumers (section "Limits" of docs/fusion.md). If the
/// position does not include all loops, sets `why` to the reason.
unsigned getMaxPosition(const Schedule &schedule, const RootDomainMap &map,
                        TensorId tensor, InlineMode mode,
                        Violation *why = nullptr);
/// Returns the deepest legal computeWith position of `tensor`. Only `consumer`,
/// the first consumer of `tensor`, limits this position, and axes need not be
/// mappable.
unsigned getMaxComputeWith(const Schedule &schedule, TensorId tensor,
                           TensorId consumer, Violation *why = nullptr);

/// A way to make an illegal computeAt legal by computing the producer twice.
struct Recomputation {
  /// The consumers of the producer that use the clone, in program order.
  SmallVector<TensorId> consumers;
  /// The number of elements that the clone computes: the product of the extents
  /// of the producer's iteration space.
  AffineExpr work;
};
/// Returns the consumers of `producer` that must read a clone, so that
/// `producer` can be computed at `position`. The function first visits the
/// consumers from which `consumer` is computed, and then the other consumers;
/// in both groups, it visits later consumers before earlier ones. A visited
/// consumer keeps reading the producer if the position is legal with this
/// consumer and all consumers that already keep reading the producer;
/// otherwise, the consumer must read the clone. At least one consumer from
/// which `consumer` is computed must keep the producer. Returns std::nullopt if
/// the request is legal without a clone, or if no such clone makes the request
/// legal. The caller creates the clone and repeats the request.
std::optional<Recomputation> planRecomputation(const Schedule &schedule,
                                               TensorId producer,
                                               TensorId consumer,
                                               int64_t position);

} // namespace mlir::fuse

#endif // IPU_MLIR_DIALECT_FUSE_SCHEDULE_COMPUTEAT_H
