//===- StableHLOOpDefs.cpp - Definitions that ODS generates ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// This file is compiled once for each shard of the definitions: see
// ipu_op_shards().
//
//===----------------------------------------------------------------------===//

#include "StableHLOAssembly.h"

#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace mlir::ipu::stablehlo;

namespace stablehlo = mlir::ipu::stablehlo;

#include "ipu-mlir/Dialect/StableHLO/IR/StableHLOOps.cpp.inc"
