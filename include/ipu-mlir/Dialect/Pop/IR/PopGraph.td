//===- PopGraph.td - All definitions of graphs -------------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_DIALECT_POP_IR_POPGRAPH
#define IPU_MLIR_DIALECT_POP_IR_POPGRAPH

include "ipu-mlir/Dialect/Pop/IR/PopCollectiveOps.td"
include "ipu-mlir/Dialect/Pop/IR/PopGraphOps.td"
include "ipu-mlir/Dialect/Pop/IR/PopInPlaceOps.td"
include "ipu-mlir/Dialect/Pop/IR/PopOptimizerOps.td"
include "ipu-mlir/Dialect/Pop/IR/PopPlacementOps.td"
include "ipu-mlir/Dialect/Pop/IR/PopRandomOps.td"
include "ipu-mlir/Dialect/Pop/IR/PopTransferOps.td"

#endif // IPU_MLIR_DIALECT_POP_IR_POPGRAPH
