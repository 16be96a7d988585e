//===- PopOpDefs.cpp - Definitions that ODS generates ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// This file is compiled once for each shard of the definitions: see
// ipu_op_shards().
//
//===----------------------------------------------------------------------===//

#include "PopDetail.h"

#include "ipu-mlir/Dialect/Pop/IR/PopGraph.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace mlir::pop;

#include "ipu-mlir/Dialect/Pop/IR/PopOps.cpp.inc"
