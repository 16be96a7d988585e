//===- Entry.cpp - Entry function of a module -----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Support/Entry.h"

#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"

using namespace mlir;

FailureOr<func::FuncOp> mlir::ipu::lookupEntry(ModuleOp module,
                                               StringRef name) {
  Operation *symbol = SymbolTable::lookupSymbolIn(module, name);
  if (auto function = dyn_cast_or_null<func::FuncOp>(symbol);
      function && !function.isExternal())
    return function;
  InFlightDiagnostic diag = (symbol ? symbol : module)->emitOpError();
  diag << "expects a func.func '" << name << "' with a body; ";
  SmallVector<func::FuncOp> functions;
  for (auto function : module.getOps<func::FuncOp>())
    if (!function.isExternal())
      functions.push_back(function);
  if (functions.empty())
    return diag << "the module has no functions";
  diag << "the functions of the module are ";
  llvm::interleaveComma(functions, diag, [&](func::FuncOp function) {
    diag << "'" << function.getSymName() << "'";
  });
  return diag;
}
