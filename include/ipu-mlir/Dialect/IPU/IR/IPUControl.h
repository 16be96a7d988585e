//===- IPUControl.h - Control, state and replicas of ipu programs -*- C++ -*-=//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The ops of the ipu dialect for programs of several functions, with state,
// replicas and streaming memory. See docs/dialects/ipu.md.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_DIALECT_IPU_IR_IPUCONTROL_H
#define IPU_MLIR_DIALECT_IPU_IR_IPUCONTROL_H

#include "ipu-mlir/Dialect/IPU/IR/IPU.h"
#include "ipu-mlir/Interfaces/CodeInterfaces.h"
#include "ipu-mlir/Interfaces/ReplicaAttrInterfaces.h"
#include "mlir/Interfaces/CallInterfaces.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"

#define GET_OP_CLASSES
#include "ipu-mlir/Dialect/IPU/IR/IPUControlOps.h.inc"

#define GET_OP_CLASSES
#include "ipu-mlir/Dialect/IPU/IR/IPUStorageOps.h.inc"

#define GET_OP_CLASSES
#include "ipu-mlir/Dialect/IPU/IR/IPUReplicaOps.h.inc"

#endif // IPU_MLIR_DIALECT_IPU_IR_IPUCONTROL_H
