//===- Rule.h - Sharding rules ----------------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A sharding rule as plain data: factors, and for each dimension of each tensor
// the factors that it is made of, major to minor.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_SHARDING_RULE_H
#define IPU_MLIR_SHARDING_RULE_H

#include "mlir/Support/LLVM.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/Hashing.h"
#include "llvm/ADT/SmallVector.h"

namespace mlir::ipu::sharding {

enum class FactorType { PassThrough, Reduction, NeedReplication, Permutation };

struct Factor {
  int64_t size = 1;
  FactorType type = FactorType::PassThrough;
  /// Nothing propagates along it.
  bool blocked = false;

  bool operator==(const Factor &other) const {
    return size == other.size && type == other.type && blocked == other.blocked;
  }
};

/// The factors of a dimension, major to minor.
using DimMapping = SmallVector<unsigned, 1>;
using TensorMapping = SmallVector<DimMapping, 4>;

struct Rule {
  SmallVector<Factor, 4> factors;
  SmallVector<TensorMapping, 3> operands;
  SmallVector<TensorMapping, 1> results;
  /// Given by the user, not derived from the op.
  bool custom = false;

  unsigned getNumTensors() const { return operands.size() + results.size(); }
  const TensorMapping &getTensor(unsigned i) const {
    return i < operands.size() ? operands[i] : results[i - operands.size()];
  }
  bool operator==(const Rule &other) const {
    return factors == other.factors && operands == other.operands &&
           results == other.results && custom == other.custom;
  }
};
llvm::hash_code hash_value(const Rule &rule);

/// What an op is to the priorities of propagation. Elementwise and PassThrough
/// ops (transposes, reshapes) come first, Slice ops (dynamic slices) with them
/// but forwards only; Broadcast ops go backwards until the last op priority.
enum class OpClass { Elementwise, PassThrough, Slice, Broadcast, Other };

/// How what is computed of parts along reduction factors becomes the whole.
enum class Combiner { Sum, Max, Min };

/// Along which way shardings go.
enum class Direction { None, Forward, Backward, Both };
/// Forward and Backward together are Both, else the larger.
Direction unite(Direction a, Direction b);
/// Forward and Backward have None in common, else the smaller.
Direction intersect(Direction a, Direction b);

} // namespace mlir::ipu::sharding

#endif // IPU_MLIR_SHARDING_RULE_H
