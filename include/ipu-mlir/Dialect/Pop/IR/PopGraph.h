//===- PopGraph.h - Graphs of the pop dialect -------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What programs of the pop dialect do beside computing tensors: refs,
// variables, streams, remote memory, replicas, and loading of code.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_DIALECT_POP_IR_POPGRAPH_H
#define IPU_MLIR_DIALECT_POP_IR_POPGRAPH_H

#include "ipu-mlir/Dialect/Pop/IR/Pop.h"
#include "ipu-mlir/Interfaces/CodeInterfaces.h"
#include "ipu-mlir/Interfaces/ReplicaEqualInterfaces.h"
#include "ipu-mlir/Replica/ReplicaGroups.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

namespace mlir::pop {

/// Ops are ordered by these: a use of a stream moves it on, a row of a remote
/// buffer is one for all, and code can be called only once it is there.
struct HostStreamResource : SideEffects::Resource::Base<HostStreamResource> {
  StringRef getName() final { return "pop.host_stream"; }
};
struct RemoteMemoryResource
    : SideEffects::Resource::Base<RemoteMemoryResource> {
  StringRef getName() final { return "pop.remote_memory"; }
};
struct CodeResource : SideEffects::Resource::Base<CodeResource> {
  StringRef getName() final { return "pop.code"; }
};

/// Marks ops whose result is a ref to what is no view of another ref.
template <typename ConcreteType>
class RefOrigin : public OpTrait::TraitBase<ConcreteType, RefOrigin> {};

/// Marks ops that `pop.remote_exchange` can do at the same time as others.
template <typename ConcreteType>
class Transfer : public OpTrait::TraitBase<ConcreteType, Transfer> {};

} // namespace mlir::pop

#include "ipu-mlir/Dialect/Pop/IR/PopGraphEnums.h.inc"

#define GET_ATTRDEF_CLASSES
#include "ipu-mlir/Dialect/Pop/IR/PopGraphAttrs.h.inc"

#define GET_TYPEDEF_CLASSES
#include "ipu-mlir/Dialect/Pop/IR/PopGraphTypes.h.inc"

#include "ipu-mlir/Dialect/Pop/IR/PopGraphInterfaces.h.inc"

#define GET_OP_CLASSES
#include "ipu-mlir/Dialect/Pop/IR/PopGraphOps.h.inc"

#define GET_OP_CLASSES
#include "ipu-mlir/Dialect/Pop/IR/PopInPlaceOps.h.inc"

#define GET_OP_CLASSES
#include "ipu-mlir/Dialect/Pop/IR/PopCollectiveOps.h.inc"

#define GET_OP_CLASSES
#include "ipu-mlir/Dialect/Pop/IR/PopRandomOps.h.inc"

namespace mlir::pop {

/// The groups of `attr` for a number of replicas; a null attribute stands for
/// one group of all. Reports why there are none.
FailureOr<ipu::ReplicaGroups>
resolveReplicaGroups(ReplicaGroupsAttr attr, int64_t numReplicas,
                     function_ref<InFlightDiagnostic()> emitError);

/// Whether there are refs to tensors of `type`: ranked ones that a pop op may
/// have as operands.
bool isReferable(Type type);

/// What `ref` is a view of, or itself if it is no view: the result of an op
/// that is a `RefOrigin` or the argument of a function, once `pop-verify-refs`
/// passed.
Value getRefOrigin(Value ref);

/// The tiles that `op` is on (`pop.tile_set`), as far as it says.
std::optional<TileSet> getTileSet(Operation *op);
inline bool isOnIOTiles(Operation *op) { return getTileSet(op) == TileSet::IO; }

/// The functions whose code `op` moves, as symbols; null if it moves none.
ArrayAttr getMovedGraphs(Operation *op);

/// How many tensors each stream moves in one run (`pop.host_transfers`).
int64_t getHostTransfers(Operation *module);

} // namespace mlir::pop

#endif // IPU_MLIR_DIALECT_POP_IR_POPGRAPH_H
