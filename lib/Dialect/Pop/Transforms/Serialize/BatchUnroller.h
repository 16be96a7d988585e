//===- BatchUnroller.h - Copies of ops for parts of a batch -----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_LIB_DIALECT_POP_TRANSFORMS_SERIALIZE_BATCHUNROLLER_H
#define IPU_MLIR_LIB_DIALECT_POP_TRANSFORMS_SERIALIZE_BATCHUNROLLER_H

#include "BatchAxes.h"
#include "ipu-mlir/Dialect/Pop/IR/PopBuilder.h"

namespace mlir::pop {

/// The placements between which the parts of a batch are assembled.
struct BatchBorders {
  bool vgraph = true, stage = true, phase = true;

  /// Returns whether parts are assembled between `producer` and `user`.
  bool separate(Operation *producer, Operation *user) const;
  /// Removes from `op` the attributes on whose change nothing is assembled.
  void removeIgnored(Operation *op) const;
};

/// Replaces ops of a block by copies for each part of a batch. The copies are
/// where the op was, in the order of the parts.
class BatchUnroller {
public:
  /// With `isDynamic`, slices have starts that are tensors, and results are
  /// assembled in place.
  BatchUnroller(int64_t numParts, const BatchBorders &borders, bool isDynamic)
      : numParts(numParts), borders(borders), isDynamic(isDynamic) {}

  /// Replaces `op`. Ops have to be replaced in the order of the program.
  void unroll(Operation *op, const BatchOp &batchOp);
  /// Erases assembled tensors that no op uses.
  void eraseUnused();

private:
  /// The parts of a tensor along a dimension.
  struct Parts {
    int64_t dim;
    SmallVector<Value> values;
  };

  /// Returns the parts of `operand` along dimension `dim`.
  SmallVector<Value> getParts(OpOperand &operand, int64_t dim);
  Value buildSlice(PopBuilder &b, Value whole, int64_t dim, int64_t part);
  /// Builds a tensor of `type` that consists of parts.
  Value assemble(PopBuilder &b, RankedTensorType type, const Parts &parts);
  Value assembleInPlace(PopBuilder &b, RankedTensorType type,
                        const Parts &parts);
  void unrollSum(PopBuilder &b, Operation *op, const BatchOp &batchOp,
                 ArrayRef<SmallVector<Value>> operands);
  void unrollResults(PopBuilder &b, Operation *op, const BatchOp &batchOp,
                     ArrayRef<SmallVector<Value>> operands);
  Operation *buildPart(PopBuilder &b, Operation *op, const BatchOp &batchOp,
                       ValueRange operands, int64_t part);

  int64_t numParts;
  BatchBorders borders;
  bool isDynamic;
  /// The parts of assembled tensors.
  llvm::DenseMap<Value, Parts> partsOf;
  /// The slices of tensors, by the tensor, the dimension and the placement.
  llvm::DenseMap<std::tuple<Value, int64_t, Attribute>, SmallVector<Value>>
      slices;
  /// The ops that assemble each tensor, the last of which has the tensor as its
  /// result.
  SmallVector<SmallVector<Operation *, 1>> assemblies;
};

} // namespace mlir::pop

#endif // IPU_MLIR_LIB_DIALECT_POP_TRANSFORMS_SERIALIZE_BATCHUNROLLER_H
