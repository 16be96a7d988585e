//===- ipu-opt.cpp - Driver of passes -------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Tools/OptDriver.h"

int main(int argc, char **argv) {
  return mlir::ipu::tools::runOptDriver(argc, argv);
}
