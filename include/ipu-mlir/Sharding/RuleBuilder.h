//===- RuleBuilder.h - Builder of sharding rules ----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_SHARDING_RULEBUILDER_H
#define IPU_MLIR_SHARDING_RULEBUILDER_H

#include "ipu-mlir/Sharding/Rule.h"

namespace mlir::ipu::sharding {

/// Calls of addFactor() give this number for a tensor, instead of the number of
/// a dimension, if no dimension of the tensor has the factor.
constexpr int64_t kNoDim = -1;

/// Builds a sharding rule. Factors are numbered in the order in which they are
/// added. Tensors of rank 0 have no factors.
class RuleBuilder {
public:
  using Shape = SmallVector<int64_t, 4>;

  /// Creates a builder for an op whose operands and results have the given
  /// shapes. Values that are not tensors have an empty shape.
  RuleBuilder(ArrayRef<Shape> operands, ArrayRef<Shape> results);

  /// Adds one factor to dimension operandDims[i] of each operand i, and to
  /// dimension resultDims[j] of each result j. If the size of the factor is 1,
  /// the factor is omitted in dimensions that have other factors.
  RuleBuilder &addFactor(ArrayRef<int64_t> operandDims,
                         ArrayRef<int64_t> resultDims, int64_t size,
                         FactorType type = FactorType::PassThrough,
                         bool blocked = false);
  /// Adds one factor to dimension `dim` of all tensors.
  RuleBuilder &addFactor(int64_t dim, int64_t size,
                         FactorType type = FactorType::PassThrough,
                         bool blocked = false);
  /// For each dimension of `shape`, adds one factor to this dimension of all
  /// tensors. If `isIncluded` is given, skips the dimensions for which it
  /// returns false.
  RuleBuilder &addPointwise(ArrayRef<int64_t> shape,
                            function_ref<bool(int64_t dim)> isIncluded = {});

  /// Adds a factor of size 1 to each dimension that has no factor, and returns
  /// the rule.
  Rule build();

private:
  void add(TensorMapping &mapping, ArrayRef<int64_t> shape, int64_t dim,
           unsigned factor);

  SmallVector<Shape, 4> operands, results;
  Rule rule;
};

} // namespace mlir::ipu::sharding

#endif // IPU_MLIR_SHARDING_RULEBUILDER_H
