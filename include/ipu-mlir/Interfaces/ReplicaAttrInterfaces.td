//===- ReplicaAttrInterfaces.td - Attributes of replicas ----*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_INTERFACES_REPLICAATTRINTERFACES
#define IPU_MLIR_INTERFACES_REPLICAATTRINTERFACES

include "mlir/IR/OpBase.td"

def ReplicaGroupsAttrInterface : AttrInterface<"ReplicaGroupsAttrInterface"> {
  let cppNamespace = "::mlir::ipu";
  let summary = "How replicas are divided into groups of one size";
  let description = [{
    Groups of replicas, whatever their number: `#pop.replica_groups`, in any
    dialect. `resolveReplicaGroups` takes one that may be absent.
  }];
  let methods = [
    InterfaceMethod<"How many replicas each group has.",
      "int64_t", "getGroupSize">,
    InterfaceMethod<[{
      The groups of a number of replicas, from 1 to `ReplicaGroups::kMaxReplicas`.
      Reports why there are none.
    }], "::mlir::FailureOr<::mlir::ipu::ReplicaGroups>", "resolve",
    (ins "int64_t":$numReplicas,
         "::llvm::function_ref<::mlir::InFlightDiagnostic()>":$emitError)>,
  ];
}

def ReplicaPartitionAttrInterface
    : AttrInterface<"ReplicaPartitionAttrInterface"> {
  let cppNamespace = "::mlir::ipu";
  let summary = "On which replicas a value is the same";
  let description = [{
    Classes of replicas: `#pop.replica_partition`, in any dialect.
  }];
  let methods = [
    InterfaceMethod<[{
      The class of each replica; classes are numbered by their least replica.
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
