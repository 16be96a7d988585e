//===- ipu-opt.cpp - Driver of passes -------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ToolSetup.h"
#include "ipu-mlir/Tools/OptDriver.h"

int main(int argc, char **argv) {
  mlir::ipu::setUpTool();
  return mlir::ipu::tools::runOptDriver(argc, argv);
}
