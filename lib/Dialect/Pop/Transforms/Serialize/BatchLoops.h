//===- BatchLoops.h - Loops over the parts of a batch -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_LIB_DIALECT_POP_TRANSFORMS_SERIALIZE_BATCHLOOPS_H
#define IPU_MLIR_LIB_DIALECT_POP_TRANSFORMS_SERIALIZE_BATCHLOOPS_H

#include "BatchUnroller.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace mlir::pop {

/// Replaces ops of a block by loops over the parts of a batch. Each loop slices
/// the operands of one op, and stores its results by rows.
class BatchLoops {
public:
  BatchLoops(Block &block, int64_t numParts, const BatchBorders &borders)
      : block(block), numParts(numParts), borders(borders) {}

  /// Replaces `op` by a loop and returns the loop. Ops have to be replaced in
  /// the order of the program.
  scf::ForOp buildLoop(Operation *op, const BatchOp &batchOp);

private:
  void buildBounds(Operation *op);
  SmallVector<Value> buildInits(PopBuilder &b, Operation *op,
                                const BatchOp &batchOp);
  void buildBody(PopBuilder &b, scf::ForOp loop, Operation *op,
                 const BatchOp &batchOp);

  Block &block;
  int64_t numParts;
  BatchBorders borders;
  /// The bounds and the step of all loops of the block, once there is a loop.
  Value zero, end, one;
};

/// Lets `loop` store rows to refs instead of carrying the tensors of which they
/// are rows. Each row of these tensors has to be stored. Returns the loop that
/// replaces `loop`.
scf::ForOp storeRowsToRefs(scf::ForOp loop);

} // namespace mlir::pop

#endif // IPU_MLIR_LIB_DIALECT_POP_TRANSFORMS_SERIALIZE_BATCHLOOPS_H
