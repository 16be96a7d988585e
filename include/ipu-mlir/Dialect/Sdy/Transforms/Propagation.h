//===- Propagation.h - Propagation of shardings -----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_DIALECT_SDY_TRANSFORMS_PROPAGATION_H
#define IPU_MLIR_DIALECT_SDY_TRANSFORMS_PROPAGATION_H

#include "mlir/IR/BuiltinOps.h"

namespace mlir::ipu::sdy {

/// The way in which conflicts of factors are resolved; see FactorPropagation.h.
enum class PropagationStrategy { Basic, Aggressive, BasicThenAggressive };

struct PropagationOptions {
  PropagationStrategy strategy = PropagationStrategy::Aggressive;
  /// Propagate in five op priorities, elementwise ops first.
  bool opPriority = true;
  /// Propagate dimensions of priority 0 first, then of priority 1, ...
  bool userPriority = true;
  /// Do not propagate sub-axes, and do not propagate along factors that need
  /// halos.
  bool conservative = false;
  /// Keep the rules as attributes of the ops.
  bool keepShardingRules = false;
  /// The stream for a report of steps, conflicts and ops without a rule; null
  /// for no report.
  raw_ostream *report = nullptr;
  /// Report only conflicts.
  bool reportConflictsOnly = false;
  /// Keep the origins and the paths of axes as attributes.
  bool debugShardingOrigins = false;
  bool debugPropagationEdges = false;
  /// The directory to which the module is written after each priority; empty
  /// for no output.
  std::string moduleDumpDirectory;
};

/// Propagates the shardings of a module until nothing changes. Erases dead ops.
/// Fails, with a diagnostic, for tuples and dynamic shapes.
LogicalResult propagateShardings(ModuleOp module,
                                 const PropagationOptions &options);

} // namespace mlir::ipu::sdy

#endif // IPU_MLIR_DIALECT_SDY_TRANSFORMS_PROPAGATION_H
