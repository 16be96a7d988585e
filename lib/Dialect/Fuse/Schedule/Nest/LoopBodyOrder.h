//===- LoopBodyOrder.h - Order of a loop's body -----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Groups the statements in a loop by the loops directly inside of this loop,
// and orders the groups such that producers come first.
//
// Input: the statements in a loop.
// Output: the items directly in the loop, in order, or, if there is no order,
// the statements that prevent an order.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_LIB_DIALECT_FUSE_SCHEDULE_NEST_LOOPBODYORDER_H
#define IPU_MLIR_LIB_DIALECT_FUSE_SCHEDULE_NEST_LOOPBODYORDER_H

#include "ipu-mlir/Dialect/Fuse/Schedule/LoopNest.h"

namespace mlir::fuse {

/// An item directly in a loop: another loop, or the statement of one tensor.
struct BodyItem {
  std::optional<ClassId> loop;
  /// The tensors whose statements are in the item, in program order.
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

  /// Returns the items directly in the loop around `tensors`. `depth` is the
  /// number of loops around these items. Producers come before their consumers;
  /// otherwise, the order is the program order. Items that have no order are at
  /// the end of the result. `cycles` gets the sets of such items, each in
  /// program order.
  std::vector<BodyItem> getItems(ArrayRef<TensorId> tensors, unsigned depth,
                                 std::vector<SmallVector<unsigned>> &cycles);

private:
  std::vector<SmallVector<unsigned, 2>> getEdges(ArrayRef<BodyItem> items);

  const Schedule &schedule;
  std::vector<SmallVector<ClassId>> paths;
  std::vector<unsigned> depths;
  /// Indexed by tensor: the number of the item that contains its statement, and
  /// the number of the call of `getItems` that set it.
  std::vector<unsigned> itemOf, callOf;
  /// Indexed by class: the number of the item that is the loop, and the number
  /// of the call of `getItems` that set it.
  std::vector<unsigned> itemOfLoop, callOfLoop;
  unsigned call = 0;
};

} // namespace mlir::fuse

#endif // IPU_MLIR_LIB_DIALECT_FUSE_SCHEDULE_NEST_LOOPBODYORDER_H
