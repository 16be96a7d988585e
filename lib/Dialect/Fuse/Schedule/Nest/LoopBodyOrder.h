//===- LoopBodyOrder.h - Order of a loop's body -----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Groups the statements in a loop by the loops directly inside of it, and
// orders these groups so that producers come first. In: the statements in a
// loop. Out: its direct contents in order, or the statements without an order.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_LIB_DIALECT_FUSE_SCHEDULE_NEST_LOOPBODYORDER_H
#define IPU_MLIR_LIB_DIALECT_FUSE_SCHEDULE_NEST_LOOPBODYORDER_H

#include "ipu-mlir/Dialect/Fuse/Schedule/LoopNest.h"

namespace mlir::fuse {

/// A loop, or the statement of one tensor.
struct BodyItem {
  std::optional<ClassId> loop;
  /// In program order.
  std::vector<TensorId> tensors;
};

class LoopBodyOrder {
public:
  LoopBodyOrder(const Schedule &schedule, const LoopClasses &classes);

  /// All tensors that have a statement.
  std::vector<TensorId> getStatements() const;
  ArrayRef<ClassId> getLoopsAround(TensorId tensor) const {
    return paths[tensor];
  }
  /// Whether the statement of the tensor is in that loop.
  bool isInside(TensorId tensor, ClassId loop) const {
    return depths[loop] < paths[tensor].size() &&
           paths[tensor][depths[loop]] == loop;
  }
  /// How many loops are around a loop.
  unsigned getDepth(ClassId loop) const { return depths[loop]; }

  /// What the loop around `tensors`, with `depth` loops around what it holds,
  /// holds directly: in an order with producers first, by program order as far
  /// as that is free. `cycles` are sets of items without an order, at the end
  /// of the result; each is in program order.
  std::vector<BodyItem> getItems(ArrayRef<TensorId> tensors, unsigned depth,
                                 std::vector<SmallVector<unsigned>> &cycles);

private:
  std::vector<SmallVector<unsigned, 2>> getEdges(ArrayRef<BodyItem> items);

  const Schedule &schedule;
  std::vector<SmallVector<ClassId>> paths;
  std::vector<unsigned> depths;
  /// By tensor: its item, and for which call that is so.
  std::vector<unsigned> itemOf, callOf;
  /// By class, in the same way.
  std::vector<unsigned> itemOfLoop, callOfLoop;
  unsigned call = 0;
};

} // namespace mlir::fuse

#endif // IPU_MLIR_LIB_DIALECT_FUSE_SCHEDULE_NEST_LOOPBODYORDER_H
