//===- RuleBuilder.cpp - Builder of sharding rules ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Sharding/RuleBuilder.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace mlir::ipu::sharding;

RuleBuilder::RuleBuilder(ArrayRef<Shape> operands, ArrayRef<Shape> results)
    : operands(operands), results(results) {
  for (const Shape &shape : operands)
    rule.operands.emplace_back(shape.size());
  for (const Shape &shape : results)
    rule.results.emplace_back(shape.size());
}

void RuleBuilder::add(TensorMapping &mapping, ArrayRef<int64_t> shape,
                      int64_t dim, unsigned factor) {
  if (shape.empty() || dim == kNoDim)
    return;
  if (rule.factors[factor].size == 1 && !mapping[dim].empty())
    return;
  mapping[dim].push_back(factor);
}

RuleBuilder &RuleBuilder::addFactor(ArrayRef<int64_t> operandDims,
                                    ArrayRef<int64_t> resultDims, int64_t size,
                                    FactorType type, bool blocked) {
  unsigned factor = rule.factors.size();
  rule.factors.push_back({size, type, blocked});
  for (auto [mapping, shape, dim] :
       llvm::zip_equal(rule.operands, operands, operandDims))
    add(mapping, shape, dim, factor);
  for (auto [mapping, shape, dim] :
       llvm::zip_equal(rule.results, results, resultDims))
    add(mapping, shape, dim, factor);
  return *this;
}

RuleBuilder &RuleBuilder::addFactor(int64_t dim, int64_t size, FactorType type,
                                    bool blocked) {
  return addFactor(SmallVector<int64_t>(operands.size(), dim),
                   SmallVector<int64_t>(results.size(), dim), size, type,
                   blocked);
}

RuleBuilder &
RuleBuilder::addPointwise(ArrayRef<int64_t> shape,
                          function_ref<bool(int64_t dim)> isIncluded) {
  for (auto [dim, size] : llvm::enumerate(shape))
    if (!isIncluded || isIncluded(dim))
      addFactor(dim, size);
  return *this;
}

Rule RuleBuilder::build() {
  for (TensorMapping *mapping : [&] {
         SmallVector<TensorMapping *> all;
         for (TensorMapping &operand : rule.operands)
           all.push_back(&operand);
         for (TensorMapping &result : rule.results)
           all.push_back(&result);
         return all;
       }())
    for (DimMapping &dim : *mapping)
      if (dim.empty()) {
        dim.push_back(rule.factors.size());
        rule.factors.push_back(Factor{1});
      }
  return std::move(rule);
}
