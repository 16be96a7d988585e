//===- ReplicaEqualInterfaces.cpp - Replica-equal interfaces ----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Interfaces/ReplicaEqualInterfaces.h"

using namespace mlir;
using namespace mlir::ipu;

#include "ipu-mlir/Interfaces/ReplicaEqualInterfaces.cpp.inc"

const ReplicaGroups *ReplicaEqualContext::getGroups(
    Attribute attr, function_ref<FailureOr<ReplicaGroups>()> resolve) {
  auto [it, isNew] = groups.try_emplace(attr);
  if (isNew) {
    FailureOr<ReplicaGroups> resolved = resolve();
    if (succeeded(resolved))
      it->second = std::make_unique<ReplicaGroups>(std::move(*resolved));
    else
      failed = true;
  }
  return it->second.get();
}

ReplicaPartition
ReplicaEqualContext::getCached(StringLiteral name, Attribute attr,
                               int64_t number, ReplicaPartition input,
                               function_ref<ReplicaPartition()> rule) {
  Key key{{name.data(), attr.getAsOpaquePointer()},
          {number, input.getAsOpaquePointer()}};
  auto [it, isNew] = cache.try_emplace(key);
  if (isNew)
    it->second = rule();
  return it->second;
}

void ReplicaEqualOutputs::setAll(ReplicaPartition partition) {
  for (SmallVector<ReplicaPartition> *part : {&results, &operands, &states})
    llvm::fill(*part, partition);
}
