//===- Propagation.h - Propagation of shardings -----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_DIALECT_SDY_TRANSFORMS_PROPAGATION_H
#define IPU_MLIR_DIALECT_SDY_TRANSFORMS_PROPAGATION_H

#include "mlir/IR/BuiltinOps.h"

namespace mlir::ipu::sdy {

/// How conflicts of factors are decided; see FactorPropagation.h.
enum class PropagationStrategy { Basic, Aggressive, BasicThenAggressive };

struct PropagationOptions {
  PropagationStrategy strategy = PropagationStrategy::Aggressive;
  /// Elementwise ops first, then others, in five levels.
  bool opPriority = true;
  /// Dimensions of priority 0 first, then 1, ...
  bool userPriority = true;
  /// No sub-axes, and no factors that need halos.
  bool conservative = false;
  /// Leave the rules as attributes of the ops.
  bool keepShardingRules = false;
  /// Where to report each step, conflicts and ops without rule; null: nowhere.
  raw_ostream *report = nullptr;
  /// Of these, conflicts only.
  bool reportConflictsOnly = false;
  /// Leave where axes come from, and which way they went, as attributes.
  bool debugShardingOrigins = false;
  bool debugPropagationEdges = false;
  /// Where to write the module after each priority; empty: nowhere.
  std::string moduleDumpDirectory;
};

/// Propagates the shardings of a module until nothing changes. Erases ops that
/// are dead. Fails, with a diagnostic, on tuples and dynamic shapes.
LogicalResult propagateShardings(ModuleOp module,
                                 const PropagationOptions &options);

} // namespace mlir::ipu::sdy

#endif // IPU_MLIR_DIALECT_SDY_TRANSFORMS_PROPAGATION_H
