//===- PropagationObserver.h - Observers of propagation ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_LIB_DIALECT_SDY_TRANSFORMS_PROPAGATION_PROPAGATIONOBSERVER_H
#define IPU_MLIR_LIB_DIALECT_SDY_TRANSFORMS_PROPAGATION_PROPAGATIONOBSERVER_H

#include "ShardingState.h"

namespace mlir::ipu::sdy {

/// A step of propagation: the tensors of an op, of an edge (its sources and the
/// result of its edge op), or of a terminator (one of its operands and a result
/// of the function), and their shardings before and after the step.
struct PropagationStep {
  Operation *op = nullptr;
  /// The number of the operand, if `op` is a terminator.
  unsigned operandNumber = 0;
  bool isElementwise = false;
  const sharding::Rule &rule;
  /// The mesh of the tensors, or null if they are on several meshes.
  MeshAttr mesh;
  /// The tensors. An entry is null if the value cannot have a sharding.
  ArrayRef<ShardingState::Tensor *> tensors;
  const sharding::ShardingProjection &before;
  const sharding::ShardingProjection &after;
};

class PropagationObserver {
public:
  virtual ~PropagationObserver() = default;
  /// Called before all ops are visited with the directions of `opPriority`. In
  /// this iteration, only dimensions whose user priority is at most
  /// `userPriority` take part.
  virtual void startIteration(int64_t /*userPriority*/,
                              unsigned /*opPriority*/) {}
  /// Called before a visit of an op with a rule or of an edge. Not called if
  /// nothing has changed since the last visit.
  virtual void startVisit(Operation * /*op*/) {}
  /// Called after a visit that changed a sharding. The tensors have their new
  /// shardings.
  virtual void notifyStep(const PropagationStep & /*step*/) {}
  /// Called after `to` got the sharding of `from`, which is in the same
  /// sharding group.
  virtual void notifyCopy(const ShardingState::Tensor & /*from*/,
                          const ShardingState::Tensor & /*to*/) {}
};

} // namespace mlir::ipu::sdy

#endif // IPU_MLIR_LIB_DIALECT_SDY_TRANSFORMS_PROPAGATION_PROPAGATIONOBSERVER_H
