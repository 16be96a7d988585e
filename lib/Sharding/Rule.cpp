//===- Rule.cpp - Which dimensions of an op go together -------------------===//
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
