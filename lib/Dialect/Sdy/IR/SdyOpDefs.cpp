//===- SdyOpDefs.cpp - Definitions that ODS generates ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// This file is compiled once for each shard of the definitions: see
// ipu_op_shards().
//
//===----------------------------------------------------------------------===//

#include "SdyDetail.h"

#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace mlir::ipu;
using namespace mlir::ipu::sdy;

#include "ipu-mlir/Dialect/Sdy/IR/SdyOps.cpp.inc"
