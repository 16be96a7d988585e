//===- ReplicaAttrInterfaces.td - Attributes of replicas ---*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_INTERFACES_REPLICAATTRINTERFACES
#define IPU_MLIR_INTERFACES_REPLICAATTRINTERFACES

include "mlir/IR/OpBase.td"

def ReplicaGroupsAttrInterface : AttrInterface<"ReplicaGroupsAttrInterface"> {
  let cppNamespace = "::mlir::ipu";
  let summary = "Replica groups of equal size";
  let description = [{
    An attribute that describes replica groups for any number of replicas, such as
    `#pop.replica_groups`. `resolveReplicaGroups` also accepts an absent attribute.
  }];
  let methods = [
    InterfaceMethod<"Returns the number of replicas of each group.",
      "int64_t", "getGroupSize">,
    InterfaceMethod<[{
      Returns the groups for `numReplicas` replicas. `numReplicas` is at least 1 and at
      most `ReplicaGroups::kMaxReplicas`. Emits an error and fails if this number of
      replicas cannot be divided into the groups, for example because it is not a
      multiple of the group size.
    }], "::mlir::FailureOr<::mlir::ipu::ReplicaGroups>", "resolve",
    (ins "int64_t":$numReplicas,
         "::llvm::function_ref<::mlir::InFlightDiagnostic()>":$emitError)>,
  ];
}

def ReplicaPartitionAttrInterface
    : AttrInterface<"ReplicaPartitionAttrInterface"> {
  let cppNamespace = "::mlir::ipu";
  let summary = "Partition of the replicas into equality classes";
  let description = [{
    A partition of the replicas into equality classes, such as `#pop.replica_partition`.
  }];
  let methods = [
    InterfaceMethod<[{
      Returns the number of the equality class of each replica. Classes are numbered from
      0, in the order of the least replica of each class.
    }], "::llvm::ArrayRef<int64_t>", "getClasses">,
  ];
  let extraSharedClassDeclaration = [{
    int64_t getNumReplicas() const { return $_attr.getClasses().size(); }
    int64_t getNumClasses() const {
      return *::llvm::max_element($_attr.getClasses()) + 1;
    }
    bool isAll() const { return getNumClasses() == 1; }
  }];
}

#endif // IPU_MLIR_INTERFACES_REPLICAATTRINTERFACES
