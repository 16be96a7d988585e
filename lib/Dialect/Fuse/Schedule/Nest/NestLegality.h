//===- NestLegality.h - Legality of loop nests ------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The conditions of LoopNest.h, one by one. Private to the library.
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
  /// Checks convexity and reductions, and then the reads of consumers.
  void checkPaths();
  void checkBody(ArrayRef<TensorId> tensors, unsigned depth);
  void checkCycle(const Cycle &cycle);
  bool checkConvexity(const Cycle &cycle, ClassId loop);
  void addCycle(const Cycle &cycle);
  void checkIteration(TensorId producer, TensorId consumer);

  //===--------------------------------------------------------------------===//

  LegalityFinding &add(Condition condition, TensorId tensor, std::string text);
  /// Adds one note for each edge.
  void notePath(ArrayRef<TensorId> path, LegalityFinding &finding) const;
  void noteOrder(ClassId outer, ClassId inner, LegalityFinding &finding) const;
  /// Lowers all tensors with several consumers in the loop, or all tensors in
  /// it if there are none.
  void lowerForks(ClassId loop, LegalityFinding &finding);
  /// The same for all loops that are made from a group.
  void lowerGroup(AxisId group, LegalityFinding &finding);
  /// Moves the statement of `tensor` out of `loop`, by changing its own
  /// position or otherwise those of its producers. With `producersOnly`,
  /// changes only those of its producers.
  void takeOut(TensorId tensor, ClassId loop, bool producersOnly,
               LegalityFinding &finding);
  /// Returns the first own loop of a tensor that is `loop` or inside of it.
  std::optional<unsigned> getPosition(TensorId tensor, ClassId loop) const;
  /// Returns the number of loops that are shared with a consumer.
  unsigned getSharedCount(TensorId tensor) const;
  bool reducesOver(TensorId tensor, ClassId loop) const;

  std::string quote(TensorId tensor) const;
  std::string quoteLoop(ClassId loop) const;
  std::string quoteAxis(TensorId tensor, unsigned position) const;

  const Schedule &schedule;
  const LoopClasses &classes;
  std::optional<LoopBodyOrder> bodyOrder;
  std::vector<LegalityFinding> findings;
  /// The first shared loop of each tensor that is made from a group. Computed
  /// on demand.
  llvm::DenseMap<AxisId, SmallVector<LoopClass::Member>> sharedByGroup;
};

} // namespace mlir::fuse

#endif // IPU_MLIR_LIB_DIALECT_FUSE_SCHEDULE_NEST_NESTLEGALITY_H
