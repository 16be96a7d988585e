//===- LearningRate.cpp - Learning rates of updates -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LearningRate.h"

#include "llvm/Support/MathExtras.h"
#include <cmath>

using namespace mlir;
using namespace mlir::ipu;
using namespace mlir::ipu::train;

static float toFloat(FloatAttr attr) {
  return attr ? static_cast<float>(attr.getValueAsDouble()) : 0;
}

/// `min(update / count, 1)`.
static float getFraction(float update, int64_t count) {
  return std::min(update / static_cast<float>(count), 1.0f);
}

static float computeWithoutWarmup(pop::ScheduleAttr schedule, float update) {
  float initial = toFloat(schedule.getInitial());
  float change = toFloat(schedule.getFinal()) - initial;
  switch (schedule.getKind()) {
  case pop::ScheduleKind::Constant:
    return initial;
  case pop::ScheduleKind::Step: {
    float count = std::floor(update / static_cast<float>(schedule.getSteps()));
    return initial * std::pow(toFloat(schedule.getFactor()), count);
  }
  case pop::ScheduleKind::Linear:
    return initial + change * getFraction(update, schedule.getSteps());
  case pop::ScheduleKind::Cosine: {
    float angle = llvm::numbers::pif * getFraction(update, schedule.getSteps());
    return initial + change * (1 - std::cos(angle)) / 2;
  }
  }
  llvm_unreachable("unknown schedule");
}

float train::getLearningRate(pop::OptimizerAttr optimizer, int64_t number) {
  auto schedule = dyn_cast<pop::ScheduleAttr>(optimizer.getSetting("lr"));
  if (!schedule)
    return static_cast<float>(optimizer.getConstant("lr").value_or(0));
  auto update = static_cast<float>(number);
  float rate = computeWithoutWarmup(schedule, update);
  return schedule.getWarmup() == 0
             ? rate
             : rate * getFraction(update + 1, schedule.getWarmup());
}
