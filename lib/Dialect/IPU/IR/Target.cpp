//===- Target.cpp - Constants of the device model ---------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Dialect/IPU/IR/Target.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace mlir::ipu;

ArrayRef<TargetModel::Constant> TargetModel::getConstants() {
  static const Constant constants[] = {
#define IPU_CONSTANT(key, unit, minimum, gc2, gc200, bow, c600, confidence,    \
                     source, what)                                             \
  {#key,                                                                       \
   unit,                                                                       \
   confidence,                                                                 \
   source,                                                                     \
   what,                                                                       \
   minimum,                                                                    \
   {gc2, gc200, bow, c600},                                                    \
   &TargetModel::key},
#include "ipu-mlir/Dialect/IPU/IR/TargetConstants.def"
  };
  return constants;
}

const TargetModel::Constant *TargetModel::findConstant(StringRef key) {
  const auto *it = llvm::find_if(
      getConstants(), [&](const Constant &c) { return c.key == key; });
  return it == getConstants().end() ? nullptr : it;
}

ArrayRef<StringRef> TargetModel::getPresets() {
  static const StringRef presets[] = {"gc2", "gc200", "bow", "c600"};
  return presets;
}

std::optional<TargetModel> TargetModel::getPreset(StringRef name) {
  const auto *it = llvm::find(getPresets(), name);
  if (it == getPresets().end())
    return std::nullopt;
  TargetModel model;
  for (const Constant &constant : getConstants())
    model.*constant.member = constant.defaults[it - getPresets().begin()];
  return model;
}

/// ceil(a * b / c) for non-negative values, saturating.
static int64_t scaleUp(int64_t a, int64_t b, int64_t c) {
  unsigned __int128 product = static_cast<unsigned __int128>(a) * b;
  unsigned __int128 result = (product + c - 1) / c;
  return result > INT64_MAX ? INT64_MAX : static_cast<int64_t>(result);
}

int64_t TargetModel::getTransferCycles(int64_t bytes,
                                       int64_t bytesPerSecond) const {
  return scaleUp(bytes, clock_hz, bytesPerSecond);
}

int64_t TargetModel::getLatencyCycles(int64_t ns) const {
  return scaleUp(ns, clock_hz, 1000000000);
}
