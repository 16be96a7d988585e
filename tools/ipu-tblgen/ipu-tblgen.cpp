//===- ipu-tblgen.cpp - TableGen backends of the project --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "llvm/Support/CommandLine.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/TableGen/Main.h"

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  llvm::cl::ParseCommandLineOptions(argc, argv,
                                    "TableGen backends of ipu-mlir\n");
  return llvm::TableGenMain(argv[0],
                            static_cast<llvm::TableGenMainFn>(nullptr));
}
