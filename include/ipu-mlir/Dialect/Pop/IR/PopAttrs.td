//===- PopAttrs.td - All attributes of the pop dialect -----*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The dialect has one attribute parser, so all attributes are generated together.
// Separate headers declare the attributes of tensor ops and the attributes of
// graphs.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_DIALECT_POP_IR_POPATTRS
#define IPU_MLIR_DIALECT_POP_IR_POPATTRS

include "ipu-mlir/Dialect/Pop/IR/PopBase.td"
include "ipu-mlir/Dialect/Pop/IR/PopGraphBase.td"
include "ipu-mlir/Dialect/Pop/IR/PopOptimizerAttrs.td"

#endif // IPU_MLIR_DIALECT_POP_IR_POPATTRS
