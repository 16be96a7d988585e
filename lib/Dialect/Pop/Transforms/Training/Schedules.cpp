//===- Schedules.cpp - Values of schedules ----------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Schedules.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::pop;

namespace {
/// Arithmetic on tensors of type `tensor<f32>`.
struct ScalarBuilder {
  Value constant(double value) const {
    auto type = RankedTensorType::get({}, b.getF32Type());
    return ConstantOp::create(b, loc,
                              DenseElementsAttr::get(type, float(value)));
  }
  template <typename OpT, typename... Values>
  Value build(Values... values) const {
    return OpT::create(b, loc, values...);
  }
  /// `min(update / count, 1)`.
  Value getFraction(Value update, int64_t count) const {
    Value total = constant(double(count)), one = constant(1.0);
    return build<MinOp>(build<DivOp>(update, total), one);
  }

  OpBuilder &b;
  Location loc;
};
} // namespace

static Value buildWithoutWarmup(const ScalarBuilder &on, ScheduleAttr schedule,
                                Value update) {
  double initial = schedule.getInitial().getValueAsDouble();
  double final =
      schedule.getFinal() ? schedule.getFinal().getValueAsDouble() : 0.0;
  switch (schedule.getKind()) {
  case ScheduleKind::Constant:
    return on.constant(initial);
  case ScheduleKind::Step: {
    Value steps = on.constant(double(schedule.getSteps()));
    Value count = on.build<FloorOp>(on.build<DivOp>(update, steps));
    Value factor = on.constant(schedule.getFactor().getValueAsDouble());
    Value power = on.build<PowOp>(factor, count);
    return on.build<MulOp>(power, on.constant(initial));
  }
  case ScheduleKind::Linear: {
    Value fraction = on.getFraction(update, schedule.getSteps());
    Value change = on.build<MulOp>(fraction, on.constant(final - initial));
    return on.build<AddOp>(change, on.constant(initial));
  }
  case ScheduleKind::Cosine: {
    Value fraction = on.getFraction(update, schedule.getSteps());
    Value angle = on.build<MulOp>(fraction, on.constant(llvm::numbers::pi));
    Value cosine = on.build<CosOp>(angle);
    Value sum = on.build<AddOp>(cosine, on.constant(1.0));
    Value change = on.build<MulOp>(sum, on.constant((initial - final) / 2));
    return on.build<AddOp>(change, on.constant(final));
  }
  }
  llvm_unreachable("unknown schedule");
}

Value mlir::pop::buildSchedule(OpBuilder &b, Location loc,
                               ScheduleAttr schedule, Value update) {
  ScalarBuilder on{b, loc};
  Value value = buildWithoutWarmup(on, schedule, update);
  if (schedule.getWarmup() == 0)
    return value;
  Value next = on.build<AddOp>(update, on.constant(1.0));
  Value fraction = on.getFraction(next, schedule.getWarmup());
  return on.build<MulOp>(value, fraction);
}
