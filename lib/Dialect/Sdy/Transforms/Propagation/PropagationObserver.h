//===- PropagationObserver.h - Observers of propagation ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_LIB_DIALECT_SDY_TRANSFORMS_PROPAGATION_PROPAGATIONOBSERVER_H
#define IPU_MLIR_LIB_DIALECT_SDY_TRANSFORMS_PROPAGATION_PROPAGATIONOBSERVER_H

#include "ShardingState.h"

namespace mlir::ipu::sdy {

/// The tensors of an op, of an edge (its sources, its op's result), or of a
/// terminator (an operand of it, the function's result).
struct PropagationStep {
  Operation *op = nullptr;
  /// Of a terminator: which operand.
  unsigned operandNumber = 0;
  bool isElementwise = false;
  const sharding::Rule &rule;
  /// Null if the tensors have several.
  MeshAttr mesh;
  /// Of each tensor; null where it cannot have a sharding.
  ArrayRef<ShardingState::Tensor *> tensors;
  const sharding::ShardingProjection &before;
  const sharding::ShardingProjection &after;
};

class PropagationObserver {
public:
  virtual ~PropagationObserver() = default;
  /// All ops will be visited, with dimensions up to this user priority, by the
  /// rules of this op priority.
  virtual void startIteration(int64_t /*userPriority*/,
                              unsigned /*opPriority*/) {}
  /// Of an op with a rule, or an edge, unless it is known that nothing has
  /// changed since the last one.
  virtual void startVisit(Operation * /*op*/) {}
  /// A visit changed something: the tensors are up to date.
  virtual void notifyStep(const PropagationStep & /*step*/) {}
  /// `to` got what `from` has, as a member of its group.
  virtual void notifyCopy(const ShardingState::Tensor & /*from*/,
                          const ShardingState::Tensor & /*to*/) {}
};

} // namespace mlir::ipu::sdy

#endif // IPU_MLIR_LIB_DIALECT_SDY_TRANSFORMS_PROPAGATION_PROPAGATIONOBSERVER_H
