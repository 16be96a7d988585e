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

/// Whether results of `op`, or what it modifies, may be rounded with random
/// bits. An op that only moves tensors is not.
bool mayRoundStochastically(Operation *op);

/// That results are equal only on replicas that draw the same bits for them.
class StochasticRoundingSemantics : public ReplicaEqualSemantics {
public:
  /// The replicas that draw the same bits for `op`, by its
  /// `pop.stochastic_rounding_method`; null if it draws none or has no method.
  /// Before it has one nothing needs to be refined: the method that
  /// `pop-stochastic-rounding` will choose is what its results are equal on.
  ReplicaPartition getRefinement(Operation *op,
                                 ReplicaEqualContext &context) const override;
};

/// The replicas that share random bits for `op`; null if it does not say.
pop::StochasticRoundingMethodAttr getRoundingMethod(Operation *op);

/// Visits the ops that have a method if the module rounds stochastically: all
/// of functions but terminators, in order of the program.
void forEachRoundedOp(ModuleOp module, function_ref<void(Operation *)> visit);

/// The first of these ops that has none; null if all have one, and in a module
/// that rounds to nearest.
Operation *findOpWithoutRoundingMethod(ModuleOp module);

} // namespace mlir::ipu

#endif // IPU_MLIR_ANALYSIS_REPLICAEQUAL_ROUNDINGMETHODS_H
