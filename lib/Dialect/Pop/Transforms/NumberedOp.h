//===- NumberedOp.h - Numbers of decomposed ops -----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_LIB_DIALECT_POP_TRANSFORMS_NUMBEREDOP_H
#define IPU_MLIR_LIB_DIALECT_POP_TRANSFORMS_NUMBEREDOP_H

#include "ipu-mlir/Dialect/Pop/IR/PopGraph.h"

namespace mlir::pop {

/// An op whose draw was numbered before it was decomposed. The ops into which
/// it is decomposed get the same number and different parts.
class NumberedOp {
public:
  /// Returns `op` as a numbered op, or std::nullopt if `op` has no number.
  static std::optional<NumberedOp> get(Operation *op);

  /// Gives the next part to `op`, which was created by the decomposition, if it
  /// may round and has no draw yet. The order of the calls determines the bits,
  /// so it must be the order of the program.
  void addPart(Operation *op);
  /// Fails, with an error, if there are more parts than a number allows.
  LogicalResult verifyNumParts() const;

private:
  NumberedOp(Operation *op, DrawAttr draw)
      : loc(op->getLoc()), name(op->getName()), draw(draw) {}

  Location loc;
  OperationName name;
  DrawAttr draw;
  int64_t numParts = 0;
};

} // namespace mlir::pop

#endif // IPU_MLIR_LIB_DIALECT_POP_TRANSFORMS_NUMBEREDOP_H
