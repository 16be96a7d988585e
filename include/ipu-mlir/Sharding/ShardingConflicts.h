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

/// Why a tensor does not take an axis along a factor.
enum class Obstacle {
  /// Another factor of the tensor has it.
  OtherFactor,
  Replicated,
  Unreduced,
  /// The dimension is closed.
  Closed,
  /// The dimension has axes that do not divide its factors.
  Overflow,
  /// The axis does not divide what is left of the factor.
  Indivisible,
  /// Another factor of another tensor of the op has it.
  OtherTensor,
  /// Nothing propagates along the factor.
  Blocked,
  /// None of these: a strided view would be needed, or priorities forbid it.
  View,
};

struct Refusal {
  unsigned tensor;
  AxisRef axis;
  Obstacle obstacle;
  /// Who has the axis, of OtherFactor and OtherTensor.
  unsigned otherFactor = 0;
  unsigned otherTensor = 0;
};

/// A factor that the tensors of an op have different axes for, those that do
/// not fit it (overflow) included.
struct Conflict {
  struct Candidate {
    AxisList axes;
    SmallVector<unsigned> tensors;
  };

  unsigned factor;
  /// What all of the tensors have.
  AxisList choice;
  /// What some have beyond it, in the order of tensors.
  SmallVector<Candidate> candidates;
  /// Why the others have no more than `choice`.
  SmallVector<Refusal> refusals;
};

/// In the order of factors. A projection without conflicts needs no
/// communication but that of reductions and permutations.
std::vector<Conflict> findConflicts(const ShardingProjection &projection,
                                    const Rule &rule);

} // namespace mlir::ipu::sharding

#endif // IPU_MLIR_SHARDING_SHARDINGCONFLICTS_H
