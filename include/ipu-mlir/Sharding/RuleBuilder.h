//===- RuleBuilder.h - Builder of sharding rules ----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_SHARDING_RULEBUILDER_H
#define IPU_MLIR_SHARDING_RULEBUILDER_H

#include "ipu-mlir/Sharding/Rule.h"

namespace mlir::ipu::sharding {

/// A number in place of a dimension, which means that no dimension of the
/// tensor has the factor.
constexpr int64_t kNoDim = -1;

/// Builds a sharding rule. Factors are numbered in the order in which they are
/// added. Tensors of rank 0 have no factors.
class RuleBuilder {
public:
  using Shape = SmallVector<int64_t, 4>;

  /// Creates a builder for an op whose operands and results have the given
  /// shapes. Values that are not tensors have an empty shape.
  RuleBuilder(ArrayRef<Shape> operands, ArrayRef<Shape> results);

  /// Adds a factor of dimension operandDims[i] of each operand i and of
  /// dimension resultDims[j] of each result j. A factor of size 1 is omitted in
  /// dimensions that have other factors.
  RuleBuilder &addFactor(ArrayRef<int64_t> operandDims,
                         ArrayRef<int64_t> resultDims, int64_t size,
                         FactorType type = FactorType::PassThrough,
                         bool blocked = false);
  /// Adds a factor of dimension `dim` of all tensors.
  RuleBuilder &addFactor(int64_t dim, int64_t size,
                         FactorType type = FactorType::PassThrough,
                         bool blocked = false);
  /// Adds a factor of all tensors for each dimension of `shape` for which
  /// `isIncluded` holds or, without `isIncluded`, for all dimensions.
  RuleBuilder &addPointwise(ArrayRef<int64_t> shape,
                            function_ref<bool(int64_t dim)> isIncluded = {});

  /// Adds a factor for each dimension that has none, and returns the rule.
  Rule build();

private:
  void add(TensorMapping &mapping, ArrayRef<int64_t> shape, int64_t dim,
           unsigned factor);

  SmallVector<Shape, 4> operands, results;
  Rule rule;
};

} // namespace mlir::ipu::sharding

#endif // IPU_MLIR_SHARDING_RULEBUILDER_H
