//===- FusionSchedule.cpp - The schedule of a fuse.fusion -------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Answers queries about the schedule of a fusion, and writes the schedule back.
// FusionReader.cpp reads the schedule, and FusionRewrites.cpp changes it
// together with the ops.
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Dialect/Fuse/Transforms/FusionSchedule.h"

#include "FusionViews.h"
#include "ScheduleSteps.h"

using namespace mlir;
using namespace mlir::fuse;

std::optional<TensorId> FusionSchedule::getTensor(Operation *op) const {
  const auto *it = tensorOfOp.find(op);
  if (it == tensorOfOp.end())
    return std::nullopt;
  return it->second;
}

std::optional<TensorId> FusionSchedule::getTensor(Value value) const {
  auto it = tensorOfValue.find(value);
  if (it == tensorOfValue.end())
    return std::nullopt;
  return it->second.first;
}

Value FusionSchedule::getFillValue(TensorId tensor, unsigned result) const {
  linalg::LinalgOp op = ops[tensor];
  auto fill = getViewBase(op.getDpsInitOperand(result)->get())
                  .getDefiningOp<linalg::FillOp>();
  return fill ? fill.value() : Value();
}

LogicalResult FusionSchedule::report(const Violation &violation,
                                     EmitErrorFn emitError) const {
  InFlightDiagnostic diagnostic = emitError();
  diagnostic << violation.text;
  for (const Violation::Note &note : violation.notes) {
    linalg::LinalgOp op = ops[note.tensor];
    diagnostic.attachNote(op ? op.getLoc() : fusion->getLoc()) << note.text;
  }
  return diagnostic;
}

LogicalResult FusionSchedule::apply(const MaybeViolation &violation,
                                    EmitErrorFn emitError) {
  if (violation)
    return report(*violation, emitError);
  write();
  return success();
}

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

void FusionSchedule::write() {
  for (auto [op, tensor] : tensorOfOp) {
    if (ScheduleAttr attribute = getScheduleAttr(schedule, tensor))
      op->setAttr(FuseDialect::kScheduleAttrName, attribute);
    else
      op->removeAttr(FuseDialect::kScheduleAttrName);
  }
}
