//===- Rule.cpp - Sharding rules --------------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Sharding/Rule.h"

#include <algorithm>

using namespace mlir::ipu::sharding;

static bool areOpposite(Direction a, Direction b) {
  return (a == Direction::Forward && b == Direction::Backward) ||
         (a == Direction::Backward && b == Direction::Forward);
}

Direction mlir::ipu::sharding::unite(Direction a, Direction b) {
  return areOpposite(a, b) ? Direction::Both : std::max(a, b);
}

Direction mlir::ipu::sharding::intersect(Direction a, Direction b) {
  return areOpposite(a, b) ? Direction::None : std::min(a, b);
}

llvm::hash_code mlir::ipu::sharding::hash_value(const Rule &rule) {
  llvm::hash_code hash = llvm::hash_combine(rule.operands.size(),
                                            rule.results.size(), rule.custom);
  for (const Factor &factor : rule.factors)
    hash = llvm::hash_combine(hash, factor.size, factor.type, factor.blocked);
  for (unsigned i = 0; i < rule.getNumTensors(); ++i)
    for (const DimMapping &dim : rule.getTensor(i))
      hash = llvm::hash_combine(
          hash, i, llvm::hash_combine_range(dim.begin(), dim.end()));
  return hash;
}
