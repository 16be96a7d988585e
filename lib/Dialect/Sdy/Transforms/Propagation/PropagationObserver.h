//===- PropagationObserver.h - Observers of propagation ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_LIB_DIALECT_SDY_TRANSFORMS_PROPAGATION_PROPAGATIONOBSERVER_H
#define IPU_MLIR_LIB_DIALECT_SDY_TRANSFORMS_PROPAGATION_PROPAGATIONOBSERVER_H

#include "ShardingState.h"

namespace mlir::ipu::sdy {

/// The tensors of an op, of an edge (its sources and the result of its edge
/// op), or of a terminator (one of its operands and the result of the
/// function).
struct PropagationStep {
  Operation *op = nullptr;
  /// For a terminator, the number of the operand.
  unsigned operandNumber = 0;
  bool isElementwise = false;
  const sharding::Rule &rule;
  /// Null if the tensors are on several meshes.
  MeshAttr mesh;
  /// One for each tensor; null if it cannot have a sharding.
  ArrayRef<ShardingState::Tensor *> tensors;
  const sharding::ShardingProjection &before;
  const sharding::ShardingProjection &after;
};

class PropagationObserver {
public:
  virtual ~PropagationObserver() = default;
  /// All ops will be visited with dimensions up to this user priority and by
  /// the rules of this op priority.
  virtual void startIteration(int64_t /*userPriority*/,
                              unsigned /*opPriority*/) {}
  /// Called for an op with a rule or for an edge, unless it is known that
  /// nothing has changed since the last visit.
  virtual void startVisit(Operation * /*op*/) {}
  /// A visit changed something. The tensors are up to date.
  virtual void notifyStep(const PropagationStep & /*step*/) {}
  /// `to` got the sharding of `from`, which is in the same group.
  virtual void notifyCopy(const ShardingState::Tensor & /*from*/,
                          const ShardingState::Tensor & /*to*/) {}
};

} // namespace mlir::ipu::sdy

#endif // IPU_MLIR_LIB_DIALECT_SDY_TRANSFORMS_PROPAGATION_PROPAGATIONOBSERVER_H
