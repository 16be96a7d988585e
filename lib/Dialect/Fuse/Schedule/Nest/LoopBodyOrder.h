//===- LoopBodyOrder.h - Order of a loop's body -----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Groups the statements in a loop by the loops directly inside of it, and
// orders these groups so that producers come first.
// In: the statements in a loop.
// Out: the direct contents of the loop in order or, if there is no order, the
// statements that prevent it.
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

  /// Returns all tensors that have a statement.
  std::vector<TensorId> getStatements() const;
  ArrayRef<ClassId> getLoopsAround(TensorId tensor) const {
    return paths[tensor];
  }
  /// Returns whether the statement of the tensor is in the loop.
  bool isInside(TensorId tensor, ClassId loop) const {
    return depths[loop] < paths[tensor].size() &&
           paths[tensor][depths[loop]] == loop;
  }
  /// Returns the number of loops around a loop.
  unsigned getDepth(ClassId loop) const { return depths[loop]; }

  /// Returns the direct contents of the loop around `tensors`, where `depth` is
  /// the number of loops around these contents. Producers come first;
  /// otherwise, the order is the program order. `cycles` are sets of items
  /// without an order, each in program order, at the end of the result.
  std::vector<BodyItem> getItems(ArrayRef<TensorId> tensors, unsigned depth,
                                 std::vector<SmallVector<unsigned>> &cycles);

private:
  std::vector<SmallVector<unsigned, 2>> getEdges(ArrayRef<BodyItem> items);

  const Schedule &schedule;
  std::vector<SmallVector<ClassId>> paths;
  std::vector<unsigned> depths;
  /// Indexed by tensor: its item, and the call for which the item is valid.
  std::vector<unsigned> itemOf, callOf;
  /// The same, indexed by class.
  std::vector<unsigned> itemOfLoop, callOfLoop;
  unsigned call = 0;
};

} // namespace mlir::fuse

#endif // IPU_MLIR_LIB_DIALECT_FUSE_SCHEDULE_NEST_LOOPBODYORDER_H
