//===- PopGraph.h - Graphs of the pop dialect -------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The ops and types of the pop dialect for refs, variables, streams, streaming
// memory, replicas and code loading.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_DIALECT_POP_IR_POPGRAPH_H
#define IPU_MLIR_DIALECT_POP_IR_POPGRAPH_H

#include "ipu-mlir/Dialect/Pop/IR/Pop.h"
#include "ipu-mlir/Interfaces/CodeInterfaces.h"
#include "ipu-mlir/Interfaces/DeviceEnums.h"
#include "ipu-mlir/Interfaces/DeviceResources.h"
#include "ipu-mlir/Interfaces/ReplicaAttrInterfaces.h"
#include "ipu-mlir/Interfaces/ReplicaEqualInterfaces.h"
#include "ipu-mlir/Replica/ReplicaGroups.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

namespace mlir::pop {

/// Marks ops whose result is a ref that is not a view of another ref.
template <typename ConcreteType>
class RefOrigin : public OpTrait::TraitBase<ConcreteType, RefOrigin> {};

/// Marks ops that only move elements, although they are decomposed into ops
/// that compute. Results of marked ops are not rounded.
template <typename ConcreteType>
class MovesElements : public OpTrait::TraitBase<ConcreteType, MovesElements> {};

/// Marks ops that `pop.remote_exchange` can execute at the same time as other
/// transfers.
template <typename ConcreteType>
class Transfer : public OpTrait::TraitBase<ConcreteType, Transfer> {};

} // namespace mlir::pop

#include "ipu-mlir/Dialect/Pop/IR/PopGraphEnums.h.inc"
#include "ipu-mlir/Dialect/Pop/IR/PopOptimizerEnums.h.inc"

#define GET_ATTRDEF_CLASSES
#include "ipu-mlir/Dialect/Pop/IR/PopGraphAttrs.h.inc"

#define GET_ATTRDEF_CLASSES
#include "ipu-mlir/Dialect/Pop/IR/PopOptimizerAttrs.h.inc"

#define GET_TYPEDEF_CLASSES
#include "ipu-mlir/Dialect/Pop/IR/PopGraphTypes.h.inc"

#include "ipu-mlir/Dialect/Pop/IR/PopGraphInterfaces.h.inc"
#include "ipu-mlir/Dialect/Pop/IR/PopPlacementInterface.h.inc"

#define GET_OP_CLASSES
#include "ipu-mlir/Dialect/Pop/IR/PopGraphOps.h.inc"

#define GET_OP_CLASSES
#include "ipu-mlir/Dialect/Pop/IR/PopTransferOps.h.inc"

#define GET_OP_CLASSES
#include "ipu-mlir/Dialect/Pop/IR/PopInPlaceOps.h.inc"

#define GET_OP_CLASSES
#include "ipu-mlir/Dialect/Pop/IR/PopCollectiveOps.h.inc"

#define GET_OP_CLASSES
#include "ipu-mlir/Dialect/Pop/IR/PopRandomOps.h.inc"

#define GET_OP_CLASSES
#include "ipu-mlir/Dialect/Pop/IR/PopOptimizerOps.h.inc"

#define GET_OP_CLASSES
#include "ipu-mlir/Dialect/Pop/IR/PopPlacementOps.h.inc"

namespace mlir::pop {

/// Returns whether a ref can refer to tensors of `type`. This holds for ranked
/// tensors that may be operands of pop ops.
bool isReferable(Type type);

/// Returns the value of which `ref` is a view, directly or through other views.
/// Returns `ref` itself if `ref` is not a view. In a module that
/// `pop-verify-refs` accepts, the result is a function argument or the result
/// of an op with the trait `RefOrigin`.
Value getRefOrigin(Value ref);

/// Returns the symbols of the functions whose code `op` moves, or null if `op`
/// moves no code.
ArrayAttr getMovedGraphs(Operation *op);

/// Returns the number of tensors that `stream` transfers in one run: the
/// attribute `transfers` of the stream; if there is none, the attribute
/// `pop.host_transfers` of the module; and if there is none, 1.
int64_t getHostTransfers(StreamOp stream);

} // namespace mlir::pop

#endif // IPU_MLIR_DIALECT_POP_IR_POPGRAPH_H
