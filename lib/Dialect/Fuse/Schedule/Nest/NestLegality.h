//===- NestLegality.h - Legality of loop nests ------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The checks of the conditions in LoopNest.h. This header is private to the
// library.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_LIB_DIALECT_FUSE_SCHEDULE_NEST_NESTLEGALITY_H
#define IPU_MLIR_LIB_DIALECT_FUSE_SCHEDULE_NEST_NESTLEGALITY_H

#include "LoopBodyOrder.h"

namespace mlir::fuse {

class LegalityChecker {
public:
  LegalityChecker(const Schedule &schedule, const LoopClasses &classes)
      : schedule(schedule), classes(classes) {}

  std::vector<LegalityFinding> run();

private:
  using Condition = LegalityFinding::Condition;

  void checkRange(TensorId id);
  void checkMatch(TensorId id);
  void checkInit(TensorId id);
  void checkSelfMap(ClassId loop);
  void checkGroups(TensorId id, bool withBroadcasts);
  void checkOrder();
  void checkPromotion(ClassId loop);

  //===--- LegalityPaths.cpp ----------------------------------------------===//

  struct Cycle;
  /// Checks the conditions Convexity and Reduction, and then the condition
  /// Iteration.
  void checkPaths();
  void checkBody(ArrayRef<TensorId> tensors, unsigned depth);
  void checkCycle(const Cycle &cycle);
  bool checkConvexity(const Cycle &cycle, ClassId loop);
  void addCycle(const Cycle &cycle);
  void checkIteration(TensorId producer, TensorId consumer);

  //===--------------------------------------------------------------------===//

  LegalityFinding &add(Condition condition, TensorId tensor, std::string text);
  /// Adds a note to `finding` for each edge of `path`.
  void notePath(ArrayRef<TensorId> path, LegalityFinding &finding) const;
  void noteOrder(ClassId outer, ClassId inner, LegalityFinding &finding) const;
  /// Requests in `finding` lower positions of all tensors with several
  /// consumers in `loop` or, if there are no such tensors, of all tensors in
  /// `loop`.
  void lowerForks(ClassId loop, LegalityFinding &finding);
  /// Requests in `finding` lower positions of the tensors that share loops made
  /// from axes of `group`.
  void lowerGroup(AxisId group, LegalityFinding &finding);
  /// Requests in `finding` positions that move the statement of `tensor` out of
  /// `loop`: a lower position of `tensor` or, if this is not possible, lower
  /// positions of its producers. With `producersOnly`, only requests lower
  /// positions of producers.
  void takeOut(TensorId tensor, ClassId loop, bool producersOnly,
               LegalityFinding &finding);
  /// Returns the position of the first loop of `tensor` that is `loop` or
  /// inside of `loop`, or std::nullopt if there is none.
  std::optional<unsigned> getPosition(TensorId tensor, ClassId loop) const;
  /// Returns the number of first loops of `tensor` that are shared with a
  /// consumer.
  unsigned getSharedCount(TensorId tensor) const;
  bool reducesOver(TensorId tensor, ClassId loop) const;

  std::string quote(TensorId tensor) const;
  std::string quoteLoop(ClassId loop) const;
  std::string quoteAxis(TensorId tensor, unsigned position) const;

  const Schedule &schedule;
  const LoopClasses &classes;
  std::optional<LoopBodyOrder> bodyOrder;
  std::vector<LegalityFinding> findings;
  /// Indexed by group: for each tensor, its first shared loop that is made from
  /// axes of the group. The entries are computed on demand.
  llvm::DenseMap<AxisId, SmallVector<LoopClass::Member>> sharedByGroup;
};

} // namespace mlir::fuse

#endif // IPU_MLIR_LIB_DIALECT_FUSE_SCHEDULE_NEST_NESTLEGALITY_H
