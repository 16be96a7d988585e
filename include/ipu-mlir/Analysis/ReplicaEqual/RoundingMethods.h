//===- RoundingMethods.h - Stochastic rounding and equal values -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Relates stochastic rounding to the replica-equal analysis: results are at
// most as equal as the random bits with which they are rounded.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_ANALYSIS_REPLICAEQUAL_ROUNDINGMETHODS_H
#define IPU_MLIR_ANALYSIS_REPLICAEQUAL_ROUNDINGMETHODS_H

#include "ipu-mlir/Analysis/ReplicaEqual/ReplicaEqual.h"
#include "ipu-mlir/Dialect/Pop/IR/PopGraph.h"

namespace mlir::ipu {

/// Whether results of `op`, or elements that it modifies, may be rounded with
/// random bits. False for an op that only moves tensors.
bool mayRoundStochastically(Operation *op);

/// Results are equal only on replicas that draw the same random bits for them.
class StochasticRoundingSemantics : public ReplicaEqualSemantics {
public:
  /// The replicas that draw the same bits for `op`, by its
  /// `pop.stochastic_rounding_method`. Null if the op draws no bits or has no
  /// method. Without a method, no refinement is needed:
  /// `pop-stochastic-rounding` will choose the partition of the results as the
  /// method.
  ReplicaPartition getRefinement(Operation *op,
                                 ReplicaEqualContext &context) const override;
};

/// The replicas that share random bits for `op`; null if the op has no rounding
/// method.
pop::StochasticRoundingMethodAttr getRoundingMethod(Operation *op);

/// Visits the ops that need a method if the module rounds stochastically: all
/// ops of functions except terminators, in the order of the program.
void forEachRoundedOp(ModuleOp module, function_ref<void(Operation *)> visit);

/// The first of these ops that has no method. Null if all have one, or if the
/// module rounds to nearest.
Operation *findOpWithoutRoundingMethod(ModuleOp module);

} // namespace mlir::ipu

#endif // IPU_MLIR_ANALYSIS_REPLICAEQUAL_ROUNDINGMETHODS_H
