//===- OptimizerStates.cpp - States of optimizers ---------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Dialect/Pop/IR/OptimizerStates.h"

#include "ipu-mlir/Dialect/Pop/IR/PopUtils.h"

using namespace mlir;
using namespace mlir::pop;

Type mlir::pop::getStateType(OptimizerAttr optimizer, Type weight) {
  if (auto type = dyn_cast_or_null<TypeAttr>(optimizer.getSetting("state")))
    return type.getValue();
  return getComputeType(weight);
}

/// Whether the steps of an adaptive optimizer have a velocity.
static bool hasVelocity(OptimizerAttr optimizer) {
  return optimizer.getConstant("momentum") != 0.0;
}

SmallVector<OptimizerState>
mlir::pop::getOptimizerStates(OptimizerAttr optimizer,
                              RankedTensorType weight) {
  auto elements =
      weight.clone(getStateType(optimizer, weight.getElementType()));
  auto scalar =
      RankedTensorType::get({}, Float32Type::get(weight.getContext()));
  SmallVector<OptimizerState> states;
  auto add = [&](StringRef name, RankedTensorType type) {
    states.push_back({name, type});
  };
  switch (optimizer.getKind()) {
  case OptimizerKind::SGD0:
    break;
  case OptimizerKind::SGD1:
  case OptimizerKind::SGD2:
    add("Accl___", elements);
    break;
  case OptimizerKind::Adam:
  case OptimizerKind::AdaMax:
  case OptimizerKind::Lamb:
    add("Accl1___", elements);
    add("Accl2___", elements);
    add(kStepState, scalar);
    break;
  case OptimizerKind::AdamNoBias:
  case OptimizerKind::LambNoBias:
  case OptimizerKind::CenteredRMSProp:
  case OptimizerKind::AdaDelta:
    add("Accl1___", elements);
    add("Accl2___", elements);
    break;
  case OptimizerKind::AdaGrad:
  case OptimizerKind::RMSProp:
    add("Accl1___", elements);
    break;
  }
  bool isAdaptive = optimizer.hasSetting("tensorflow");
  if (isAdaptive && hasVelocity(optimizer))
    add("Accl3___", elements);
  if (optimizer.isSet("master"))
    add(kMasterState, elements);
  return states;
}
