//===- PopGraphTraits.td - traits of ops of graphs ---------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_DIALECT_POP_IR_POPGRAPHTRAITS
#define IPU_MLIR_DIALECT_POP_IR_POPGRAPHTRAITS

include "ipu-mlir/Dialect/Pop/IR/PopGraphBase.td"
include "ipu-mlir/Dialect/Pop/IR/PopGraphInterfaces.td"
include "ipu-mlir/Interfaces/AttrConstraints.td"
include "ipu-mlir/Interfaces/CodeInterfaces.td"
include "ipu-mlir/Interfaces/DeviceResources.td"
include "ipu-mlir/Interfaces/ReplicaEqualInterfaces.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/ViewLikeInterface.td"

defvar Pop_SymbolUser = DeclareOpInterfaceMethods<SymbolUserOpInterface>;
/// Moves nothing that a value could depend on.
defvar Pop_NoReplicaState = ReplicaEqualOpInterface;
/// Has a rule of its own.
defvar Pop_ReplicaEqual = DeclareOpInterfaceMethods<
    ReplicaEqualOpInterface, ["inferReplicaEqual"]>;
/// Uses state by its symbol, under the default rule.
defvar Pop_UsesReplicaState = DeclareOpInterfaceMethods<
    ReplicaEqualOpInterface, ["getReplicaStateUses"]>;
defvar Pop_ReplicaStart = DeclareOpInterfaceMethods<ReplicaStateOpInterface>;
defvar Pop_ReplicaParts =
    DeclareOpInterfaceMethods<ReplicaStateOpInterface, ["getNumReplicaParts"]>;
defvar Pop_HostReplicaState =
    DeclareOpInterfaceMethods<ReplicaStateOpInterface, ["isReadOnce"]>;
defvar Pop_Replicated = DeclareOpInterfaceMethods<Pop_ReplicatedOpInterface>;

#endif // IPU_MLIR_DIALECT_POP_IR_POPGRAPHTRAITS
