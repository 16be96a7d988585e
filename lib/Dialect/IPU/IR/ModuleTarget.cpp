//===- ModuleTarget.cpp - Target of a module ------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Dialect/IPU/IR/ModuleTarget.h"

#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;
using namespace mlir::ipu;

LogicalResult
mlir::ipu::setTarget(ModuleOp module, StringRef preset,
                     ArrayRef<std::pair<std::string, int64_t>> constants) {
  MLIRContext *context = module.getContext();
  context->loadDialect<IPUDialect>();
  auto old = module->getAttrOfType<TargetAttr>(IPUDialect::kTargetAttrName);
  NamedAttrList overrides;
  if (preset.empty() && old) {
    preset = old.getPreset();
    overrides = old.getOverrides();
  }
  if (preset.empty())
    preset = kDefaultPreset;
  auto i64 = IntegerType::get(context, 64);
  for (const auto &[key, value] : constants)
    overrides.set(key, IntegerAttr::get(i64, value));
  auto target = TargetAttr::getChecked(
      [&] { return emitError(UnknownLoc::get(context)); }, context, preset,
      overrides.empty() ? nullptr : overrides.getDictionary(context));
  if (!target)
    return failure();
  module->setAttr(IPUDialect::kTargetAttrName, target);
  module.walk([](FunctionOpInterface function) {
    function->removeAttr(IPUDialect::kMemoryAttrName);
  });
  return success();
}
