//===- InsertedCopies.h - Copies of values for their readers ----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_LIB_DIALECT_POP_TRANSFORMS_PLACEMENT_INSERTEDCOPIES_H
#define IPU_MLIR_LIB_DIALECT_POP_TRANSFORMS_PLACEMENT_INSERTEDCOPIES_H

#include "mlir/IR/Builders.h"
#include "llvm/ADT/DenseMap.h"

namespace mlir::pop {

/// The copies of values to other IPUs or tile sets that a pass inserts. Each
/// value is copied once to each destination.
class InsertedCopies {
public:
  using CreateFn = function_ref<Value(OpBuilder &b, Location loc)>;

  /// Makes `operand` read the copy of its value at `destination`. Calls
  /// `create` if there is no such copy yet. Callers visit operands in the order
  /// of the program, so that a copy is before the first op that reads it. If
  /// this op is in a loop or branch and the value is not, the copy is before
  /// the loop or branch. If the op is in another block of the function, the
  /// copy is after the value. `name` names the destination in the location of
  /// the copy.
  void redirect(OpOperand &operand, int64_t destination, const Twine &name,
                CreateFn create);

private:
  llvm::DenseMap<std::pair<Value, int64_t>, Value> copies;
};

} // namespace mlir::pop

#endif // IPU_MLIR_LIB_DIALECT_POP_TRANSFORMS_PLACEMENT_INSERTEDCOPIES_H
