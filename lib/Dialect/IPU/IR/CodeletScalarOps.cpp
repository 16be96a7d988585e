//===- CodeletScalarOps.cpp - Scalar ops of codelets ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Dialect/IPU/IR/CodeletScalarOps.h"

#include "ipu-mlir/Dialect/IPU/IR/IPU.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::ipu;

std::optional<ScalarOpcode> mlir::ipu::getScalarOpcode(Operation *op) {
  using Result = std::optional<ScalarOpcode>;
  return llvm::TypeSwitch<Operation *, Result>(op)
#define IPU_SCALAR_OP(DIALECT, OP, NAME, JIT)                                  \
  .Case([](DIALECT::OP##Op) { return ScalarOpcode::OP; })
#include "ipu-mlir/Dialect/IPU/IR/CodeletScalarOps.def"
      .Default([](Operation *) { return std::nullopt; });
}

bool mlir::ipu::isRandomScalarOp(Operation *op) {
  return llvm::TypeSwitch<Operation *, bool>(op)
#define IPU_RANDOM_OP(OP, NAME, NOTE) .Case([](OP##Op) { return true; })
#include "ipu-mlir/Dialect/IPU/IR/CodeletScalarOps.def"
      .Default([](Operation *) { return false; });
}
