//===- PopGraphTraits.td - Traits of graph ops -------------*- tablegen -*-===//
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
/// An op that changes no state that a value could depend on.
defvar Pop_NoReplicaState = ReplicaEqualOpInterface;
/// An op with its own replica-equal rule.
defvar Pop_ReplicaEqual = DeclareOpInterfaceMethods<
    ReplicaEqualOpInterface, ["inferReplicaEqual"]>;
/// An op that refers to state by a symbol and follows the default replica-equal
/// rule.
defvar Pop_UsesReplicaState = DeclareOpInterfaceMethods<
    ReplicaEqualOpInterface, ["getReplicaStateUses"]>;
defvar Pop_ReplicaStart = DeclareOpInterfaceMethods<ReplicaStateOpInterface>;
defvar Pop_ReplicaParts =
    DeclareOpInterfaceMethods<ReplicaStateOpInterface, ["getNumReplicaParts"]>;
defvar Pop_HostReplicaState =
    DeclareOpInterfaceMethods<ReplicaStateOpInterface, ["isReadOnce"]>;
defvar Pop_Replicated = DeclareOpInterfaceMethods<Pop_ReplicatedOpInterface>;

#endif // IPU_MLIR_DIALECT_POP_IR_POPGRAPHTRAITS
