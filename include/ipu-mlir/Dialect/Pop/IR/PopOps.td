//===- PopOps.td - All ops of the pop dialect --------------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_DIALECT_POP_IR_POPOPS
#define IPU_MLIR_DIALECT_POP_IR_POPOPS

include "ipu-mlir/Dialect/Pop/IR/PopContractionOps.td"
include "ipu-mlir/Dialect/Pop/IR/PopElementwiseOps.td"
include "ipu-mlir/Dialect/Pop/IR/PopLossOps.td"
include "ipu-mlir/Dialect/Pop/IR/PopReductionOps.td"
include "ipu-mlir/Dialect/Pop/IR/PopScatterOps.td"
include "ipu-mlir/Dialect/Pop/IR/PopShapeOps.td"
include "ipu-mlir/Dialect/Pop/IR/PopSortOps.td"

#endif // IPU_MLIR_DIALECT_POP_IR_POPOPS
