//===- ShardingConflicts.h - Sharding conflicts -----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_SHARDING_SHARDINGCONFLICTS_H
#define IPU_MLIR_SHARDING_SHARDINGCONFLICTS_H

#include "ipu-mlir/Sharding/ShardingProjection.h"
#include <vector>

namespace mlir::ipu::sharding {

/// The reason why a tensor does not have an axis for a factor.
enum class Obstacle {
  /// Another factor of the tensor has the axis.
  OtherFactor,
  Replicated,
  Unreduced,
  /// The dimension is closed.
  Closed,
  /// The dimension has axes that do not divide its factors.
  Overflow,
  /// A part of the factor has no axes yet. The size of this part and the size
  /// of the axis have no common divisor greater than 1.
  Indivisible,
  /// In another tensor of the op, another factor has the axis.
  OtherTensor,
  /// Axes must not propagate along the factor.
  Blocked,
  /// Another reason: a strided view would be necessary, or priorities forbid
  /// the axis.
  View,
};

struct Refusal {
  unsigned tensor;
  AxisRef axis;
  Obstacle obstacle;
  /// For OtherFactor and OtherTensor, the factor and the tensor that have the
  /// axis.
  unsigned otherFactor = 0;
  unsigned otherTensor = 0;
};

/// A factor for which the tensors of an op have different axes. Axes that do
/// not fit the factor (overflow) are also compared.
struct Conflict {
  struct Candidate {
    AxisList axes;
    SmallVector<unsigned> tensors;
  };

  unsigned factor;
  /// The common prefix of the axes of all tensors.
  AxisList choice;
  /// The axes of the tensors that have more axes than `choice`, in the order of
  /// tensors.
  SmallVector<Candidate> candidates;
  /// The reasons why the other tensors have only `choice`.
  SmallVector<Refusal> refusals;
};

/// Returns the conflicts in the order of factors. A projection without
/// conflicts needs no communication, except for reductions and permutations.
std::vector<Conflict> findConflicts(const ShardingProjection &projection,
                                    const Rule &rule);

} // namespace mlir::ipu::sharding

#endif // IPU_MLIR_SHARDING_SHARDINGCONFLICTS_H
