//===- Schedules.cpp - Values of schedules ----------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Schedules.h"

#include "ipu-mlir/Dialect/Pop/IR/PopBuilder.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::pop;

/// Builds a 0-d tensor of f32.
static Value buildConstant(PopBuilder &b, double value) {
  return b.splat(value, b.getF32Type());
}

/// `min(update / count, 1)`.
static Value getFraction(PopBuilder &b, Value update, int64_t count) {
  Value total = buildConstant(b, double(count)), one = buildConstant(b, 1.0);
  return b.min(b.div(update, total), one);
}

static Value buildWithoutWarmup(PopBuilder &b, ScheduleAttr schedule,
                                Value update) {
  double initial = schedule.getInitial().getValueAsDouble();
  double final =
      schedule.getFinal() ? schedule.getFinal().getValueAsDouble() : 0.0;
  switch (schedule.getKind()) {
  case ScheduleKind::Constant:
    return buildConstant(b, initial);
  case ScheduleKind::Step: {
    Value steps = buildConstant(b, double(schedule.getSteps()));
    Value count = b.create<FloorOp>(b.div(update, steps));
    Value factor = buildConstant(b, schedule.getFactor().getValueAsDouble());
    Value power = b.create<PowOp>(factor, count);
    return b.mul(power, buildConstant(b, initial));
  }
  case ScheduleKind::Linear: {
    Value fraction = getFraction(b, update, schedule.getSteps());
    Value change = b.mul(fraction, buildConstant(b, final - initial));
    return b.add(change, buildConstant(b, initial));
  }
  case ScheduleKind::Cosine: {
    Value fraction = getFraction(b, update, schedule.getSteps());
    Value angle = b.mul(fraction, buildConstant(b, llvm::numbers::pi));
    Value cosine = b.create<CosOp>(angle);
    Value sum = b.add(cosine, buildConstant(b, 1.0));
    Value change = b.mul(sum, buildConstant(b, (initial - final) / 2));
    return b.add(change, buildConstant(b, final));
  }
  }
  llvm_unreachable("unknown schedule");
}

Value mlir::pop::buildSchedule(OpBuilder &builder, Location loc,
                               ScheduleAttr schedule, Value update) {
  PopBuilder b(builder, loc);
  Value value = buildWithoutWarmup(b, schedule, update);
  if (schedule.getWarmup() == 0)
    return value;
  Value next = b.add(update, buildConstant(b, 1.0));
  Value fraction = getFraction(b, next, schedule.getWarmup());
  return b.mul(value, fraction);
}
