//===- TrainedFunction.cpp - The function that a pass trains ----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TrainedFunction.h"

#include "ipu-mlir/Analysis/Effects/FunctionCalls.h"

using namespace mlir;

FailureOr<func::FuncOp>
mlir::pop::getTrainedFunction(ModuleOp module, StringRef name, StringRef pass) {
  Operation *op = name.empty() ? ipu::getMainFunction(module).getOperation()
                               : SymbolTable::lookupSymbolIn(module, name);
  auto function = dyn_cast_or_null<func::FuncOp>(op);
  if (!function || function.isExternal() || !function.getBody().hasOneBlock())
    return emitError(op ? op->getLoc() : module.getLoc())
           << "'" << pass << "' expects function '"
           << (name.empty() ? "main" : name) << "' with a body of one block";
  return function;
}
