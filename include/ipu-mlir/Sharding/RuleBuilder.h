//===- RuleBuilder.h - Builder of sharding rules ----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_SHARDING_RULEBUILDER_H
#define IPU_MLIR_SHARDING_RULEBUILDER_H

#include "ipu-mlir/Sharding/Rule.h"

namespace mlir::ipu::sharding {

/// No dimension of the tensor has the factor.
constexpr int64_t kNoDim = -1;

/// Factors are numbered as they are added. Tensors of rank 0 have none.
class RuleBuilder {
public:
  using Shape = SmallVector<int64_t, 4>;

  /// The shapes of the op's operands and results; empty of what is no tensor.
  RuleBuilder(ArrayRef<Shape> operands, ArrayRef<Shape> results);

  /// A factor of dimension operandDims[i] of operand i and resultDims[j] of
  /// result j. One of size 1 is left out of dimensions that have others.
  RuleBuilder &addFactor(ArrayRef<int64_t> operandDims,
                         ArrayRef<int64_t> resultDims, int64_t size,
                         FactorType type = FactorType::PassThrough,
                         bool blocked = false);
  /// Of the same dimension of all tensors.
  RuleBuilder &addFactor(int64_t dim, int64_t size,
                         FactorType type = FactorType::PassThrough,
                         bool blocked = false);
  /// A factor for each dimension of `shape` that `isIncluded`, of all tensors.
  RuleBuilder &addPointwise(ArrayRef<int64_t> shape,
                            function_ref<bool(int64_t dim)> isIncluded = {});

  /// Dimensions without factor get one of their own.
  Rule build();

private:
  void add(TensorMapping &mapping, ArrayRef<int64_t> shape, int64_t dim,
           unsigned factor);

  SmallVector<Shape, 4> operands, results;
  Rule rule;
};

} // namespace mlir::ipu::sharding

#endif // IPU_MLIR_SHARDING_RULEBUILDER_H
