//===- RoundingMethods.h - Stochastic rounding and equal values -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Relates stochastic rounding to the replica-equal analysis: replicas that
// round with different random bits have different results.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_ANALYSIS_REPLICAEQUAL_ROUNDINGMETHODS_H
#define IPU_MLIR_ANALYSIS_REPLICAEQUAL_ROUNDINGMETHODS_H

#include "ipu-mlir/Analysis/ReplicaEqual/ReplicaEqual.h"
#include "ipu-mlir/Dialect/Pop/IR/PopGraph.h"

namespace mlir::ipu {

/// Returns whether results of `op`, or elements that it modifies, may be
/// rounded with random bits. Returns false for an op that only moves tensors.
bool mayRoundStochastically(Operation *op);

/// The semantics for stochastic rounding: results are equal only on replicas
/// that draw the same random bits for these results.
class StochasticRoundingSemantics : public ReplicaEqualSemantics {
public:
  /// Returns the rounding method of `op` (`pop.stochastic_rounding_method`):
  /// replicas of one class draw the same bits for `op`. Returns null if `op`
  /// draws no bits or has no rounding method. An op without a rounding method
  /// needs no refinement, because `pop-stochastic-rounding` will choose the
  /// partition of the op's results as the op's rounding method.
  ReplicaPartition getRefinement(Operation *op,
                                 ReplicaEqualContext &context) const override;
};

/// Returns the rounding method of `op`, or null if it has none.
pop::StochasticRoundingMethodAttr getRoundingMethod(Operation *op);

/// Visits all ops of functions except terminators, in the order of the program.
/// If the module rounds stochastically, each of these ops needs a rounding
/// method.
void forEachRoundedOp(ModuleOp module, function_ref<void(Operation *)> visit);

/// Returns the first op that forEachRoundedOp() visits and that has no method.
/// Returns null if all of these ops have a method, or if the module rounds to
/// nearest.
Operation *findOpWithoutRoundingMethod(ModuleOp module);

} // namespace mlir::ipu

#endif // IPU_MLIR_ANALYSIS_REPLICAEQUAL_ROUNDINGMETHODS_H
