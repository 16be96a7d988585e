//===- ImportFrontendRules.cpp - Sharding rules of frontends --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
// In: strings among the attributes that frontends give to ops. Out: rules as
// attributes of the sdy dialect.
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Dialect/Sdy/IR/Sdy.h"
#include "ipu-mlir/Dialect/Sdy/Transforms/Passes.h"
#include "mlir/AsmParser/AsmParser.h"

namespace mlir::ipu::sdy {
#define GEN_PASS_DEF_IMPORTFRONTENDRULESPASS
#include "ipu-mlir/Dialect/Sdy/Transforms/Passes.h.inc"
} // namespace mlir::ipu::sdy

using namespace mlir;
using namespace mlir::ipu;
using namespace mlir::ipu::sdy;

static constexpr StringLiteral kFrontendAttrName = "mhlo.frontend_attributes";

/// The rule that the text is; null after an error at the op.
static OpShardingRuleAttr parseRule(Operation *op, StringRef text) {
  std::string message;
  Attribute parsed;
  {
    ScopedDiagnosticHandler handler(op->getContext(), [&](Diagnostic &error) {
      message = error.str();
      return success();
    });
    parsed = parseAttribute(text, op->getContext());
  }
  auto rule = dyn_cast_or_null<OpShardingRuleAttr>(parsed);
  if (rule)
    return rule;
  InFlightDiagnostic diag = op->emitOpError()
                            << "frontend attribute " << kShardingRuleAttrName
                            << " should be a #sdy.op_sharding_rule, got \""
                            << text << "\"";
  if (!message.empty())
    diag.attachNote() << message;
  return {};
}

static LogicalResult importRule(Operation *op) {
  auto given = op->getAttrOfType<DictionaryAttr>(kFrontendAttrName);
  if (!given)
    return success();
  NamedAttrList rest(given);
  StringAttr text;
  for (const std::string &name : {std::string(kShardingRuleAttrName),
                                  "xla." + kShardingRuleAttrName.str()})
    if (auto found = dyn_cast_or_null<StringAttr>(rest.get(name))) {
      if (!text)
        text = found;
      rest.erase(name);
    }
  if (!text)
    return success();
  if (rest.empty())
    op->removeAttr(kFrontendAttrName);
  else
    op->setAttr(kFrontendAttrName, rest.getDictionary(op->getContext()));
  if (op->hasAttr(kShardingRuleAttrName))
    return success();
  OpShardingRuleAttr rule = parseRule(op, text);
  if (!rule || failed(verifyShardingRule(rule, op)))
    return failure();
  op->setAttr(kShardingRuleAttrName, rule);
  return success();
}

namespace {
struct ImportFrontendRulesPass
    : sdy::impl::ImportFrontendRulesPassBase<ImportFrontendRulesPass> {
  using ImportFrontendRulesPassBase::ImportFrontendRulesPassBase;
  void runOnOperation() override {
    bool hasChanged = false;
    WalkResult result = getOperation().walk([&](Operation *op) {
      if (!op->hasAttr(kFrontendAttrName))
        return WalkResult::advance();
      hasChanged = true;
      return WalkResult(importRule(op));
    });
    if (result.wasInterrupted())
      signalPassFailure();
    else if (!hasChanged)
      markAllAnalysesPreserved();
  }
};
} // namespace
