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
  /// The member whose extent is the loop's: the most resolved one (y*z before
  /// y*b and y; concrete before broadcast).
  AxisId promoted = 0;
  /// 1 without a loop.
  AffineExpr extent;
  /// That of the first member which has one other than serial.
  LoopType type = LoopType::Serial;
  /// A class of broadcasts alone has no loop.
  bool hasLoop = true;
  /// The loop directly around, if any.
  std::optional<ClassId> parent;

  bool isShared() const { return members.size() > 1; }
};

class LoopClasses {
public:
  /// Unites each of the first computeAt (or computeWith, towards the first
  /// consumer) loops of a producer with the loop of each consumer that
  /// corresponds to it.
  static LoopClasses build(const Schedule &schedule);

  unsigned size() const { return classes.size(); }
  const LoopClass &operator[](ClassId id) const { return classes[id]; }
  /// The class of a loop of a tensor.
  ClassId getClass(TensorId tensor, unsigned position) const {
    return numbers[tensor][position];
  }
  ArrayRef<ClassId> getClasses(TensorId tensor) const {
    return numbers[tensor];
  }
  const AxisGroups &getGroups() const { return groups; }

  /// The loops around the statement of a tensor, outermost first: those of its
  /// own, and those that have to be around them since they are so for others.
  SmallVector<ClassId> getLoopsAround(TensorId tensor) const;
  /// Whether `outer` is around `inner` or is it.
  bool isAround(ClassId outer, ClassId inner) const;
  /// Whether "outer before inner" is acyclic. Else loops around are not known.
  bool isOrdered() const { return hasOrder; }
  /// Pairs of loops with the second directly inside of the first, in some
  /// tensor; sorted.
  SmallVector<std::pair<ClassId, ClassId>>
  getDirectOrder(const Schedule &schedule) const;
  /// The groups, sorted, that a loop of a tensor is made of; concrete ones.
  SmallVector<AxisId> getSourceGroups(const Schedule &schedule, TensorId tensor,
                                      unsigned position) const;

private:
  void setPromoted(const Schedule &schedule, LoopClass &loopClass);
  void setParents(const Schedule &schedule);
  /// Puts `added` and the loops around it on one path with `deepest`, and
  /// returns the new end of it. Of two loops without an order, that of `added`
  /// goes inside.
  ClassId joinPaths(ClassId deepest, ClassId added);

  AxisGroups groups;
  std::vector<LoopClass> classes;
  std::vector<SmallVector<ClassId>> numbers;
  bool hasOrder = true;
};

/// One condition that does not hold.
struct LegalityFinding {
  /// The conditions for each class K, where M(K) is the set of tensors in the
  /// loop K: those that have an axis in K, or in a class with K around it.
  enum class Condition {
    /// Positions are in range.
    Range,
    /// The first computeAt loops of a tensor with consumers are no reductions
    /// and each has a corresponding loop in each consumer.
    Match,
    /// No tensor has two axes in K, and no two of its root axes have the same
    /// values in shared loops.
    SelfMap,
    /// "Outer before inner" over classes, closed transitively, is acyclic.
    Order,
    /// The loop of one member gives all members their values.
    Promotion,
    /// No path of edges leaves M(K) and enters it again, nor do paths between
    /// several such sets form a cycle.
    Convexity,
    /// No descendant of a tensor with a reduction axis in K is in M(K).
    Reduction,
    /// A consumer in M(K) of a tensor that varies along K reads what the same
    /// iteration of K computes.
    Iteration,
  };
  Condition condition;
  Violation violation;
  /// Without these shared loops the condition holds for what was found:
  /// computeAt and computeWith of each tensor are to be at most `position`.
  SmallVector<LoopClass::Member> lower;
};

/// All violations that can be told at once: with some, others are not looked
/// for. None, if and only if the schedule is legal. Takes time linear in the
/// numbers of edges and loops, if there is none.
std::vector<LegalityFinding> findViolations(const Schedule &schedule,
                                            const LoopClasses &classes);

/// The first violation. The notes show the path.
MaybeViolation verifyLegality(const Schedule &schedule,
                              const LoopClasses &classes);

/// A part of the nest.
struct LoopNode {
  enum class Kind { Loop, Alloc, Init, Compute };
  Kind kind;
  /// Loop: over which class.
  ClassId loopClass = 0;
  /// Alloc, Init, Compute: of which tensor. An init sets a reduction's
  /// accumulator.
  TensorId tensor = 0;
  /// Alloc: the private loops (indices into the tensor's loops) that are the
  /// buffer's dimensions, reductions and broadcasts excepted; none: a scalar.
  /// Init: the private loops it runs over.
  SmallVector<unsigned> axes;
  /// Loop: what is in it, in order.
  std::vector<LoopNode> body;
};

/// A whole fusion as loops.
struct LoopNest {
  std::vector<LoopNode> body;
  /// Visits all nodes, each with the loops around it, outermost first, before
  /// what is in it.
  void walk(llvm::function_ref<void(const LoopNode &, ArrayRef<ClassId>)> visit)
      const;
  std::string format(const Schedule &schedule,
                     const LoopClasses &classes) const;
};

/// Builds the nest by top-down contraction; a class becomes exactly one loop.
/// Buffers of outputs and inputs are not in it. The schedule is legal.
MaybeViolation buildLoopNest(const Schedule &schedule,
                             const LoopClasses &classes, LoopNest &nest);

/// Most lanes of a vectorized loop.
constexpr int64_t kMaxLanes = 1024;

/// Whether loops may run as they are annotated: a vectorized one has a constant
/// extent of at most kMaxLanes, and no two iterations of a parallel one write
/// one element.
MaybeViolation verifyLoopTypes(const Schedule &schedule,
                               const LoopClasses &classes,
                               const LoopNest &nest);

/// For each tensor, in which loops around its statement it is computed again,
/// with the same result each time: loops that it does not vary along, or that
/// run over more than its own axis. By tensor, outermost first. The schedule is
/// legal.
std::vector<SmallVector<ClassId>> getRecomputation(const Schedule &schedule,
                                                   const LoopClasses &classes);

} // namespace mlir::fuse

#endif // IPU_MLIR_DIALECT_FUSE_SCHEDULE_LOOPNEST_H
