//===- LoopNest.h - Loop nest of a schedule ---------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Loop classes (axes that share one loop), the conditions for their legality,
// and the tree of loops, buffers and statements that the generated program
// executes. The statement of a tensor computes one element.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_DIALECT_FUSE_SCHEDULE_LOOPNEST_H
#define IPU_MLIR_DIALECT_FUSE_SCHEDULE_LOOPNEST_H

#include "ipu-mlir/Dialect/Fuse/Schedule/AxisGroups.h"

namespace mlir::fuse {

/// A loop class: axes of different tensors that share one loop.
struct LoopClass {
  struct Member {
    TensorId tensor;
    unsigned position;
  };
  /// The axes, in program order: loop `position` of each `tensor`.
  SmallVector<Member> members;
  /// The member that determines the extent of the loop: the member that is made
  /// from the most axes. For example, a member made from y*z is chosen before a
  /// member made from y, and a concrete axis before a broadcast.
  AxisId promoted = 0;
  /// The extent of the loop, or 1 if there is no loop.
  AffineExpr extent;
  /// The type of the first member whose type is not serial.
  LoopType type = LoopType::Serial;
  /// A class that contains only broadcasts has no loop.
  bool hasLoop = true;
  /// The class of the directly enclosing loop, or std::nullopt if no loop
  /// encloses this one.
  std::optional<ClassId> parent;

  bool isShared() const { return members.size() > 1; }
};

class LoopClasses {
public:
  /// Creates the classes. Unites each of the first `computeAt` loops of a
  /// producer with the corresponding loop of each consumer. For the first
  /// consumer, unites the first `computeWith` loops instead; see
  /// Tensor::computeWith.
  static LoopClasses build(const Schedule &schedule);

  unsigned size() const { return classes.size(); }
  const LoopClass &operator[](ClassId id) const { return classes[id]; }
  /// Returns the class of loop `position` of `tensor`.
  ClassId getClass(TensorId tensor, unsigned position) const {
    return numbers[tensor][position];
  }
  ArrayRef<ClassId> getClasses(TensorId tensor) const {
    return numbers[tensor];
  }
  const AxisGroups &getGroups() const { return groups; }

  /// Returns the loops around the statement of `tensor`, outermost first: the
  /// loops of the tensor, and loops of other tensors that enclose them.
  SmallVector<ClassId> getLoopsAround(TensorId tensor) const;
  /// Returns whether loop `outer` encloses loop `inner`, or whether both are
  /// the same loop.
  bool isAround(ClassId outer, ClassId inner) const;
  /// Returns whether the relation "loop a encloses loop b" is acyclic. If it
  /// has a cycle, the enclosing loops are not known.
  bool isOrdered() const { return hasOrder; }
  /// Returns the pairs (outer, inner) of loops such that `inner` directly
  /// follows `outer` in the loop list of some tensor. The pairs are sorted.
  SmallVector<std::pair<ClassId, ClassId>>
  getDirectOrder(const Schedule &schedule) const;
  /// Returns the sorted concrete groups (AxisGroups) of the axes from which
  /// loop `position` of `tensor` is made.
  SmallVector<AxisId> getSourceGroups(const Schedule &schedule, TensorId tensor,
                                      unsigned position) const;

private:
  void setPromoted(const Schedule &schedule, LoopClass &loopClass);
  void setParents(const Schedule &schedule);
  /// Joins two sequences of nested loops into one sequence, in which each loop
  /// encloses the next one: `deepest` with the loops around it, and `added`
  /// with the loops around it. Returns the innermost loop of the result. If
  /// neither of two loops encloses the other loop, the loop that comes from the
  /// sequence of `added` becomes the inner loop.
  ClassId joinPaths(ClassId deepest, ClassId added);

  AxisGroups groups;
  std::vector<LoopClass> classes;
  std::vector<SmallVector<ClassId>> numbers;
  bool hasOrder = true;
};

/// A violated condition for the legality of a schedule.
struct LegalityFinding {
  /// The conditions for the legality of a schedule. K is a loop class. M(K) is
  /// the set of tensors in the loop of K: tensors that have an axis in K, or in
  /// a class that K encloses.
  enum class Condition {
    /// Each position is at least 0 and at most the number of loops.
    Range,
    /// If a tensor has consumers, its first `computeAt` loops are not
    /// reductions, and each of these loops has a corresponding loop in each
    /// consumer.
    Match,
    /// No tensor has two axes in K, and shared loops do not force two root axes
    /// of one tensor to have equal indices.
    SelfMap,
    /// The transitive closure of the relation "class K encloses class L" is
    /// acyclic.
    Order,
    /// The values of all members of K can be computed from the loop of one
    /// member.
    Promotion,
    /// No path of edges leaves M(K) and enters M(K) again. Paths between the
    /// sets M(K) of several classes do not form a cycle.
    Convexity,
    /// M(K) contains no descendant of a tensor that has a reduction axis in K.
    Reduction,
    /// If a tensor in M(K) varies along K, its consumers in M(K) read only
    /// elements that the same iteration of K computes.
    Iteration,
  };
  Condition condition;
  Violation violation;
  /// Changes of positions that remove the violation: the computeAt and
  /// computeWith positions of each `tensor` in the list must be at most
  /// `position`.
  SmallVector<LoopClass::Member> lower;
};

/// Returns the violations of a schedule. The list is empty if and only if the
/// schedule is legal. It may be incomplete, because violations of some
/// conditions end the search. For a legal schedule, the time is linear in the
/// numbers of edges and loops.
std::vector<LegalityFinding> findViolations(const Schedule &schedule,
                                            const LoopClasses &classes);

/// Returns the first violation, or std::nullopt if the schedule is legal. The
/// notes of the violation name the tensors on the path that violates the
/// condition.
MaybeViolation verifyLegality(const Schedule &schedule,
                              const LoopClasses &classes);

/// A node of the tree of loops, buffers and statements.
struct LoopNode {
  enum class Kind { Loop, Alloc, Init, Compute };
  Kind kind;
  /// Loop: the class of the loop.
  ClassId loopClass = 0;
  /// Alloc, Init, Compute: the tensor. A node of kind Init sets the accumulator
  /// of a reduction to its initial value.
  TensorId tensor = 0;
  /// Alloc: the loops (indices of loops of the tensor) that are the dimensions
  /// of the buffer. These loops are *private*, that is, not shared with
  /// consumers, and are neither reductions nor broadcasts. The list is empty
  /// for a scalar. Init: the private loops of the initialisation.
  SmallVector<unsigned> axes;
  /// Loop: the nodes in the loop, in order.
  std::vector<LoopNode> body;
};

/// The loop nest of a whole fusion.
struct LoopNest {
  std::vector<LoopNode> body;
  /// Calls `visit` with each node and the loops around the node, outermost
  /// first. A node is visited before the nodes in its body.
  void walk(llvm::function_ref<void(const LoopNode &, ArrayRef<ClassId>)> visit)
      const;
  std::string format(const Schedule &schedule,
                     const LoopClasses &classes) const;
};

/// Builds the nest of a legal schedule from the outermost loops to the
/// innermost loops. All loops of a class of `classes` become one loop of the
/// nest. The nest contains no Alloc nodes for inputs and outputs.
MaybeViolation buildLoopNest(const Schedule &schedule,
                             const LoopClasses &classes, LoopNest &nest);

/// The greatest number of lanes of a vectorized loop.
constexpr int64_t kMaxLanes = 1024;

/// Returns a violation if a loop cannot be executed as its type requires. A
/// vectorized loop must have a constant extent of at most kMaxLanes. No two
/// iterations of a parallel loop may write the same element.
MaybeViolation verifyLoopTypes(const Schedule &schedule,
                               const LoopClasses &classes,
                               const LoopNest &nest);

/// Returns, for each tensor of a legal schedule, the loops around its statement
/// that compute the same element more than once, outermost first. These are
/// loops along which the tensor does not vary, and loops in which the tensor
/// has an axis whose number of values is less than the number of iterations.
/// The result is indexed by tensor.
std::vector<SmallVector<ClassId>> getRecomputation(const Schedule &schedule,
                                                   const LoopClasses &classes);

} // namespace mlir::fuse

#endif // IPU_MLIR_DIALECT_FUSE_SCHEDULE_LOOPNEST_H
