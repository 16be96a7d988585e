//===- ipu-lsp-server.cpp - Language server ---------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ToolSetup.h"
#include "ipu-mlir/InitAll.h"

#include "mlir/IR/DialectRegistry.h"
#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/Tools/mlir-lsp-server/MlirLspServerMain.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/LogicalResult.h"

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  mlir::ipu::setUpTool();
  mlir::DialectRegistry registry;
  mlir::registerAllDialects(registry);
  mlir::registerAllExtensions(registry);
  mlir::ipu::registerAllDialects(registry);
  return failed(mlir::MlirLspServerMain(argc, argv, registry));
}
