//===- PassContracts.cpp - Contracts of passes to ipu ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Conversion/PopToIPU/Passes.h"
#include "ipu-mlir/Dialect/Pop/Transforms/Contracts.h"

using namespace mlir;
using namespace mlir::ipu;

void mlir::ipu::registerPopToIPUContracts() {
  using pop::Condition;
  static const pop::PassContract kContracts[] = {
#define GEN_PASS_CONTRACTS
#include "ipu-mlir/Conversion/PopToIPU/Contracts.inc"
  };
  pop::registerPassContracts(kContracts);
}
