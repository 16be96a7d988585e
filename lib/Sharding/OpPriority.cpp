//===- OpPriority.cpp - Op priorities ---------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Sharding/OpPriority.h"

using namespace mlir::ipu::sharding;

Direction mlir::ipu::sharding::getOpPriorityDirection(OpClass opClass,
                                                      FactorType type,
                                                      bool hasSingleUses,
                                                      unsigned opPriority) {
  Direction early =
      opClass == OpClass::Elementwise || opClass == OpClass::PassThrough
          ? Direction::Both
      : opClass == OpClass::Slice ? Direction::Forward
                                  : Direction::None;
  Direction late =
      opClass == OpClass::Broadcast ? Direction::Backward : Direction::Both;
  switch (opPriority) {
  case 0:
    return hasSingleUses ? early : Direction::None;
  case 1:
    return early;
  case 2:
    return type == FactorType::PassThrough ? unite(early, late) : early;
  case 3:
    return unite(early, late);
  default:
    return Direction::Both;
  }
}
