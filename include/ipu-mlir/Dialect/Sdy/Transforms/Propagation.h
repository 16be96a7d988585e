//===- Propagation.h - Propagation of shardings -----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_DIALECT_SDY_TRANSFORMS_PROPAGATION_H
#define IPU_MLIR_DIALECT_SDY_TRANSFORMS_PROPAGATION_H

#include "mlir/IR/BuiltinOps.h"

namespace mlir::ipu::sdy {

/// The way in which propagation resolves conflicts between factors; see
/// FactorPropagation.h.
enum class PropagationStrategy { Basic, Aggressive, BasicThenAggressive };

struct PropagationOptions {
  PropagationStrategy strategy = PropagationStrategy::Aggressive;
  /// Whether ops propagate in the order of five op priorities, elementwise ops
  /// first.
  bool opPriority = true;
  /// Whether dimensions propagate in the order of their user priorities: first
  /// dimensions of priority 0, then of priority 1, and so on.
  bool userPriority = true;
  /// Whether propagation excludes all sub-axes, and all factors whose sharding
  /// needs communication within the op (halos).
  bool conservative = false;
  /// Whether the sharding rules remain as attributes of the ops.
  bool keepShardingRules = false;
  /// The stream to which a report of steps, conflicts and ops without a rule is
  /// written, or null for no report.
  raw_ostream *report = nullptr;
  /// Whether the report only contains conflicts.
  bool reportConflictsOnly = false;
  /// Whether propagation adds attributes `sdy.sharding_origins`, which give,
  /// for each axis, the sharding from which the axis was propagated.
  bool debugShardingOrigins = false;
  /// Whether propagation adds attributes `sdy.propagation_edges`, which give,
  /// for each propagation step, the axes and their sources and targets.
  bool debugPropagationEdges = false;
  /// The directory to which the module is written after each user priority. If
  /// it is empty, the module is not written.
  std::string moduleDumpDirectory;
};

/// Propagates the shardings of a module until nothing changes. Erases dead ops.
/// Fails, with a diagnostic, for tuples and dynamic shapes.
LogicalResult propagateShardings(ModuleOp module,
                                 const PropagationOptions &options);

} // namespace mlir::ipu::sdy

#endif // IPU_MLIR_DIALECT_SDY_TRANSFORMS_PROPAGATION_H
