//===- ReplicaAttrInterfaces.cpp - Attributes of replicas -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Interfaces/ReplicaAttrInterfaces.h"

using namespace mlir;
using namespace mlir::ipu;

#include "ipu-mlir/Interfaces/ReplicaAttrInterfaces.cpp.inc"

FailureOr<ReplicaGroups>
mlir::ipu::resolveReplicaGroups(ReplicaGroupsAttrInterface attr,
                                int64_t numReplicas,
                                function_ref<InFlightDiagnostic()> emitError) {
  if (numReplicas < 1 || numReplicas > ReplicaGroups::kMaxReplicas)
    return emitError() << "expects between 1 and "
                       << ReplicaGroups::kMaxReplicas << " replicas but got "
                       << numReplicas;
  if (!attr)
    return ReplicaGroups::getAll(numReplicas);
  return attr.resolve(numReplicas, emitError);
}
