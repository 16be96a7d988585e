//===- ReplicaEqualAnnotations.cpp - Replica-equal annotations of steps ---===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Copies the annotations that pop-annotate-replica-equal attaches to tensors to
// the steps that write these tensors.
//
//===----------------------------------------------------------------------===//

#include "FunctionConverter.h"
#include "ipu-mlir/Replica/ReplicaPartition.h"

using namespace mlir;
using namespace mlir::ipu;

static pop::ReplicaPartitionAttr getElement(Operation *op, StringRef name,
                                            unsigned index) {
  auto array = op->getAttrOfType<ArrayAttr>(name);
  if (!array || index >= array.size())
    return {};
  return dyn_cast<pop::ReplicaPartitionAttr>(array[index]);
}

pop::ReplicaPartitionAttr mlir::ipu::getReplicaEqual(Value tensor) {
  StringRef name = pop::PopDialect::kReplicaEqualAttrName;
  // The elements of a ref may change.
  if (!isa<RankedTensorType>(tensor.getType()))
    return {};
  if (auto result = dyn_cast<OpResult>(tensor))
    return getElement(result.getOwner(), name, result.getResultNumber());
  auto argument = cast<BlockArgument>(tensor);
  auto function =
      dyn_cast<FunctionOpInterface>(argument.getOwner()->getParentOp());
  if (!function)
    return {};
  return function.getArgAttrOfType<pop::ReplicaPartitionAttr>(
      argument.getArgNumber(), name);
}

pop::ReplicaPartitionAttr mlir::ipu::getReplicaEqual(ValueRange tensors) {
  if (tensors.empty())
    return {};
  pop::ReplicaPartitionAttr first = getReplicaEqual(tensors.front());
  if (!first || tensors.size() == 1)
    return first;
  ReplicaPartitions partitions(first.getNumReplicas());
  ReplicaPartition meet = partitions.getAll();
  for (Value tensor : tensors) {
    pop::ReplicaPartitionAttr own = getReplicaEqual(tensor);
    if (!own || own.getNumReplicas() != first.getNumReplicas())
      return {};
    meet = partitions.meet(meet, partitions.get(own.getClasses()));
  }
  return pop::ReplicaPartitionAttr::get(first.getContext(), meet.getClasses());
}

pop::ReplicaPartitionAttr mlir::ipu::getReplicaEqualMade(Operation *op) {
  return getElement(op, pop::PopDialect::kReplicaEqualAttrName, 0);
}

pop::ReplicaPartitionAttr
mlir::ipu::getReplicaEqualModified(pop::CopyInPlaceOp op) {
  return getElement(op, pop::PopDialect::kReplicaEqualModifiedAttrName, 0);
}

void mlir::ipu::setReplicaEqualAnnotation(
    Operation *writer, pop::ReplicaPartitionAttr annotation) {
  if (annotation)
    writer->setAttr(IPUDialect::kReplicaEqualAttrName, annotation);
}
