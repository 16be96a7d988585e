//===- PlacementContracts.cpp - Contracts of passes of this folder --------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Dialect/Pop/Transforms/Contracts.h"
#include "ipu-mlir/Placement/Passes.h"

using namespace mlir;
using namespace mlir::ipu;

void mlir::ipu::registerPlacementContracts() {
  using pop::Condition;
  static const pop::PassContract kContracts[] = {
#define GEN_PASS_CONTRACTS
#include "ipu-mlir/Placement/Contracts.inc"
  };
  pop::registerPassContracts(kContracts);
}
