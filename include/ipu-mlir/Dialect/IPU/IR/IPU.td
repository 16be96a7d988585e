//===- IPU.td - The whole ipu dialect ----------------------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The reference page of the dialect is generated from this file. The C++ code
// is generated from each of the included files separately.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_DIALECT_IPU_IR_IPU
#define IPU_MLIR_DIALECT_IPU_IR_IPU

include "ipu-mlir/Dialect/IPU/IR/IPUControlOps.td"
include "ipu-mlir/Dialect/IPU/IR/IPUOps.td"
include "ipu-mlir/Dialect/IPU/IR/IPURandomOps.td"
include "ipu-mlir/Dialect/IPU/IR/IPUReplicaOps.td"
include "ipu-mlir/Dialect/IPU/IR/IPUStorageOps.td"

#endif // IPU_MLIR_DIALECT_IPU_IR_IPU
