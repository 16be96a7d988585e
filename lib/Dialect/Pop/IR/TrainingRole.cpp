//===- TrainingRole.cpp - Roles of ops in training --------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Dialect/Pop/IR/TrainingRole.h"

#include "ipu-mlir/Dialect/Pop/IR/Placement.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace mlir::pop;

StringRef mlir::pop::stringify(TrainingRole role) {
  switch (role) {
  case TrainingRole::Backward:
    return "backward";
  case TrainingRole::Recomputed:
    return "recomputed";
  case TrainingRole::Update:
    return "update";
  }
  llvm_unreachable("unknown role");
}

std::optional<TrainingRole> mlir::pop::symbolizeTrainingRole(StringRef text) {
  return llvm::StringSwitch<std::optional<TrainingRole>>(text)
      .Case("backward", TrainingRole::Backward)
      .Case("recomputed", TrainingRole::Recomputed)
      .Case("update", TrainingRole::Update)
      .Default(std::nullopt);
}

std::optional<TrainingRole> mlir::pop::getTrainingRole(Operation *op) {
  auto text = op->getAttrOfType<StringAttr>(kTrainingRoleAttrName);
  return text ? symbolizeTrainingRole(text.getValue()) : std::nullopt;
}

void mlir::pop::setTrainingRole(Operation *op, TrainingRole role) {
  // A copy between IPUs states its IPUs without attributes of a placement.
  bool isPlaced =
      hasSchedule(op) || llvm::any_of(op->getResults(), [](Value v) {
        return getVgraph(v).has_value();
      });
  if (isPlaced && !op->hasTrait<OpTrait::ConstantLike>())
    op->setAttr(kTrainingRoleAttrName,
                StringAttr::get(op->getContext(), stringify(role)));
}

void mlir::pop::inheritTrainingRole(Operation *from, Operation *to) {
  if (std::optional<TrainingRole> role = getTrainingRole(from))
    setTrainingRole(to, *role);
}
