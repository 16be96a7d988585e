//===- Rule.h - Sharding rules ----------------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Sharding rules as plain data. A rule has factors and, for each dimension of
// each tensor, the factors of the dimension, major to minor.
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
  /// Whether axes must not propagate along the factor.
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
  /// Whether the rule comes from the user instead of the op.
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

/// The class of an op, which determines its op priority in propagation.
/// Elementwise and PassThrough ops (transposes, reshapes) propagate from op
/// priority 0 on. Slice ops (dynamic slices) also propagate from op priority 0
/// on, but in op priorities 0 and 1 they propagate only forwards. Before the
/// last op priority, Broadcast ops propagate only backwards.
enum class OpClass { Elementwise, PassThrough, Slice, Broadcast, Other };

/// The way in which partial values along reduction factors are combined.
enum class Combiner { Sum, Max, Min };

/// The direction in which shardings propagate.
enum class Direction { None, Forward, Backward, Both };
/// Returns the union of two directions. Forward and Backward together are Both.
Direction unite(Direction a, Direction b);
/// Returns the intersection of two directions. The intersection of Forward and
/// Backward is None.
Direction intersect(Direction a, Direction b);

} // namespace mlir::ipu::sharding

#endif // IPU_MLIR_SHARDING_RULE_H
