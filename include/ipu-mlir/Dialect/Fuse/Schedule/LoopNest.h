//===- LoopNest.h - Loop nest of a schedule ---------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Loop classes (axes that share one loop), the four conditions for their
// legality, and the tree of loops, buffers and statements.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_DIALECT_FUSE_SCHEDULE_LOOPNEST_H
#define IPU_MLIR_DIALECT_FUSE_SCHEDULE_LOOPNEST_H

#include "ipu-mlir/Dialect/Fuse/Schedule/AxisGroups.h"

namespace mlir::fuse {

/// Axes that share one loop.
struct LoopClass {
  struct Member {
    TensorId tensor;
    unsigned position;
  };
  /// In program order.
  SmallVector<Member> members;
  /// The member whose extent is the extent of the loop: the most resolved
  /// member (y*z before y*b and y; concrete before broadcast).
  AxisId promoted = 0;
  /// 1 if there is no loop.
  AffineExpr extent;
  /// The type of the first member whose type is not serial.
  LoopType type = LoopType::Serial;
  /// A class that contains only broadcasts has no loop.
  bool hasLoop = true;
  /// The class of the directly enclosing loop, if any.
  std::optional<ClassId> parent;

  bool isShared() const { return members.size() > 1; }
};

class LoopClasses {
public:
  /// Unites each of the first computeAt loops of a producer with the
  /// corresponding loop of each consumer. For the first consumer, it unites the
  /// first computeWith loops.
  static LoopClasses build(const Schedule &schedule);

  unsigned size() const { return classes.size(); }
  const LoopClass &operator[](ClassId id) const { return classes[id]; }
  /// Returns the class of a loop of a tensor.
  ClassId getClass(TensorId tensor, unsigned position) const {
    return numbers[tensor][position];
  }
  ArrayRef<ClassId> getClasses(TensorId tensor) const {
    return numbers[tensor];
  }
  const AxisGroups &getGroups() const { return groups; }

  /// Returns the loops around the statement of a tensor, outermost first: the
  /// loops of the tensor, and the loops that must be around these because of
  /// other tensors.
  SmallVector<ClassId> getLoopsAround(TensorId tensor) const;
  /// Returns whether `outer` is around `inner` or equal to it.
  bool isAround(ClassId outer, ClassId inner) const;
  /// Returns whether the relation "outer before inner" is acyclic. Otherwise
  /// the enclosing loops are not known.
  bool isOrdered() const { return hasOrder; }
  /// Pairs of loops such that the second one is directly inside of the first
  /// one in some tensor; sorted.
  SmallVector<std::pair<ClassId, ClassId>>
  getDirectOrder(const Schedule &schedule) const;
  /// Returns the sorted concrete groups from which a loop of a tensor is made.
  SmallVector<AxisId> getSourceGroups(const Schedule &schedule, TensorId tensor,
                                      unsigned position) const;

private:
  void setPromoted(const Schedule &schedule, LoopClass &loopClass);
  void setParents(const Schedule &schedule);
  /// Puts `added` and the loops around it on one path with `deepest`, and
  /// returns the new end of the path. If two loops are not ordered, the loop of
  /// `added` becomes the inner one.
  ClassId joinPaths(ClassId deepest, ClassId added);

  AxisGroups groups;
  std::vector<LoopClass> classes;
  std::vector<SmallVector<ClassId>> numbers;
  bool hasOrder = true;
};

/// A condition that is violated.
struct LegalityFinding {
  /// The conditions for each class K. M(K) is the set of tensors in the loop K:
  /// tensors that have an axis in K, or in a class that K encloses.
  enum class Condition {
    /// Positions are in range.
    Range,
    /// The first computeAt loops of a tensor that has consumers are not
    /// reductions, and each of them has a corresponding loop in each consumer.
    Match,
    /// No tensor has two axes in K, and no two of its root axes have the same
    /// values in shared loops.
    SelfMap,
    /// Returns the transitive closure of "outer before inner" over classes is
    /// acyclic.
    Order,
    /// Returns the loop of one member gives all members their values.
    Promotion,
    /// No path of edges leaves M(K) and enters it again, and paths between
    /// several such sets do not form a cycle.
    Convexity,
    /// M(K) contains no descendant of a tensor that has a reduction axis in K.
    Reduction,
    /// A consumer in M(K) of a tensor that varies along K reads only elements
    /// that the same iteration of K computes.
    Iteration,
  };
  Condition condition;
  Violation violation;
  /// The violation disappears without these shared loops: computeAt and
  /// computeWith of each of these tensors must be at most `position`.
  SmallVector<LoopClass::Member> lower;
};

/// Returns all violations that can be determined together; after some
/// violations, the others are not searched. Empty if and only if the schedule
/// is legal. For a legal schedule, the time is linear in the numbers of edges
/// and loops.
std::vector<LegalityFinding> findViolations(const Schedule &schedule,
                                            const LoopClasses &classes);

/// Returns the first violation. The notes show the path.
MaybeViolation verifyLegality(const Schedule &schedule,
                              const LoopClasses &classes);

/// A part of the nest.
struct LoopNode {
  enum class Kind { Loop, Alloc, Init, Compute };
  Kind kind;
  /// Loop: the class of the loop.
  ClassId loopClass = 0;
  /// Alloc, Init, Compute: the tensor. An init sets the accumulator of a
  /// reduction.
  TensorId tensor = 0;
  /// Alloc: the private loops (indices of loops of the tensor) that are the
  /// dimensions of the buffer, without reductions and broadcasts; empty for a
  /// scalar. Init: the private loops of the initialisation.
  SmallVector<unsigned> axes;
  /// Loop: its contents, in order.
  std::vector<LoopNode> body;
};

/// A whole fusion as loops.
struct LoopNest {
  std::vector<LoopNode> body;
  /// Visits each node before its contents, with the loops around it, outermost
  /// first.
  void walk(llvm::function_ref<void(const LoopNode &, ArrayRef<ClassId>)> visit)
      const;
  std::string format(const Schedule &schedule,
                     const LoopClasses &classes) const;
};

/// Builds the nest of a legal schedule by top-down contraction. Each class
/// becomes exactly one loop. The nest does not contain the buffers of inputs
/// and outputs.
MaybeViolation buildLoopNest(const Schedule &schedule,
                             const LoopClasses &classes, LoopNest &nest);

/// The greatest number of lanes of a vectorized loop.
constexpr int64_t kMaxLanes = 1024;

/// Returns whether the loops may run as their types say. A vectorized loop must
/// have a constant extent of at most kMaxLanes. No two iterations of a parallel
/// loop may write the same element.
MaybeViolation verifyLoopTypes(const Schedule &schedule,
                               const LoopClasses &classes,
                               const LoopNest &nest);

/// For each tensor of a legal schedule: the loops around its statement in which
/// it is computed again with the same result. These are loops along which the
/// tensor does not vary, and loops that run over more values than the tensor's
/// own axis. Indexed by tensor, outermost loops first.
std::vector<SmallVector<ClassId>> getRecomputation(const Schedule &schedule,
                                                   const LoopClasses &classes);

} // namespace mlir::fuse

#endif // IPU_MLIR_DIALECT_FUSE_SCHEDULE_LOOPNEST_H
