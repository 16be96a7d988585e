//===- TrainingRole.h - Roles of ops in training ----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The role of an op says which part of training the op belongs to. It is a part
// of the placement of the op, so that it stays when functions are inlined and
// ops are decomposed. Only ops that are placed have one.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_DIALECT_POP_IR_TRAININGROLE_H
#define IPU_MLIR_DIALECT_POP_IR_TRAININGROLE_H

#include "mlir/Support/LLVM.h"
#include "llvm/ADT/StringRef.h"
#include <optional>

namespace mlir {
class Operation;
} // namespace mlir

namespace mlir::pop {

/// Attribute of an op: its role in training (a string, `stringify` of the
/// role). Ops of the forward pass, and of programs that are not trained, do not
/// have the attribute.
constexpr StringLiteral kTrainingRoleAttrName = "pop.training_role";

enum class TrainingRole {
  /// The op computes gradients.
  Backward,
  /// The op computes a value of the forward pass again, for gradients.
  Recomputed,
  /// The op updates weights or the states of optimizers.
  Update,
};

StringRef stringify(TrainingRole role);
std::optional<TrainingRole> symbolizeTrainingRole(StringRef text);

/// Returns the role of `op`, or std::nullopt if it has none.
std::optional<TrainingRole> getTrainingRole(Operation *op);

/// Sets the role of `op` if `op` has an IPU, a stage or a phase. Constants are
/// not executed, so they have no role.
void setTrainingRole(Operation *op, TrainingRole role);

/// Sets the role of `to` to that of `from`, if `from` has one.
void inheritTrainingRole(Operation *from, Operation *to);

} // namespace mlir::pop

#endif // IPU_MLIR_DIALECT_POP_IR_TRAININGROLE_H
