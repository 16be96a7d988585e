//===- ReplicaAttrInterfaces.h - Attributes of replicas ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Interfaces of attributes that describe groups or partitions of replicas. One
// dialect defines the attributes, and all dialects use them through these
// interfaces.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_INTERFACES_REPLICAATTRINTERFACES_H
#define IPU_MLIR_INTERFACES_REPLICAATTRINTERFACES_H

#include "ipu-mlir/Replica/ReplicaGroups.h"
#include "mlir/IR/Attributes.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/STLExtras.h"

#include "ipu-mlir/Interfaces/ReplicaAttrInterfaces.h.inc"

namespace mlir::ipu {

/// Returns the groups of `attr` for `numReplicas` replicas. A null attribute
/// means one group of all replicas. Emits an error and fails if this number of
/// replicas cannot be divided into the groups.
FailureOr<ReplicaGroups>
resolveReplicaGroups(ReplicaGroupsAttrInterface attr, int64_t numReplicas,
                     function_ref<InFlightDiagnostic()> emitError);

} // namespace mlir::ipu

#endif // IPU_MLIR_INTERFACES_REPLICAATTRINTERFACES_H
