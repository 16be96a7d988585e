//===- ReductionOrder.cpp - Dependence on the order of members --*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Interfaces/ReductionOrder.h"

using namespace mlir::ipu;

bool mlir::ipu::ignoresMemberOrder(CollectiveOperator operation, bool isFloat,
                                   int64_t numMembers) {
  switch (operation) {
  case CollectiveOperator::Add:
  case CollectiveOperator::Mean:
  case CollectiveOperator::Mul:
  case CollectiveOperator::SquareAdd:
    return !isFloat || numMembers <= 2;
  case CollectiveOperator::Min:
  case CollectiveOperator::Max:
  case CollectiveOperator::LogicalAnd:
  case CollectiveOperator::LogicalOr:
    return true;
  case CollectiveOperator::Local:
    return false;
  }
  return false;
}
