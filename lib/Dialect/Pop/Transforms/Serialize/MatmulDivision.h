//===- MatmulDivision.h - Divisions of matmuls into parts -------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The possible divisions of a matmul into parts that run one after the other
// and have the same bits, and the bytes that they need.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_LIB_DIALECT_POP_TRANSFORMS_SERIALIZE_MATMULDIVISION_H
#define IPU_MLIR_LIB_DIALECT_POP_TRANSFORMS_SERIALIZE_MATMULDIVISION_H

#include "ipu-mlir/Dialect/Pop/IR/Serialization.h"
#include "ipu-mlir/Dialect/Pop/Transforms/SerializeOptions.h"

namespace mlir::pop {

/// Consecutive positions of a dimension.
struct PartRange {
  int64_t start, size;
};

/// The division of one dimension of a matmul into parts.
///
/// The dimension consists of units. In general, a unit is one position. If the
/// dimension is summed in blocks, a unit is a block, or a group of blocks, of
/// the order of accumulation: a sum that is split elsewhere has other bits. The
/// last unit may be shorter. All parts have equal numbers of units.
class MatmulDivision {
public:
  /// `op` must have an order of accumulation.
  MatmulDivision(MatmulOp op, SerializeMode mode);

  /// Returns whether the dimension can be divided into `factor` parts.
  bool isPossible(int64_t factor) const;
  /// Returns the possible numbers of parts, in ascending order. Each is at
  /// least 2 and at most kMaxSerializeFactor.
  SmallVector<int64_t> getPossibleFactors() const;
  /// Returns the greatest possible number of parts of at most `limit`, or 1.
  int64_t getGreatestFactor(int64_t limit) const;
  /// Returns the `factor` parts, in ascending order.
  SmallVector<PartRange> getParts(int64_t factor) const;

private:
  int64_t size, unit = 1;
  int64_t numUnits;
};

/// The bytes of the tensors that a matmul needs while it is computed: whole
/// operands and results, or those of one part.
struct MatmulBytes {
  int64_t lhs, rhs, result;

  explicit MatmulBytes(MatmulOp op);

  int64_t getWhole() const { return lhs + rhs + result; }
  /// Returns the bytes with `factor` parts. If `isConsumed` is set, each part
  /// of the result is used before the next part is computed, so that the whole
  /// result never exists. The sums of a part of ReducingDim are other storage
  /// than the sums that the part continues.
  int64_t getOfParts(SerializeMode mode, int64_t factor, bool isConsumed) const;
};

} // namespace mlir::pop

#endif // IPU_MLIR_LIB_DIALECT_POP_TRANSFORMS_SERIALIZE_MATMULDIVISION_H
