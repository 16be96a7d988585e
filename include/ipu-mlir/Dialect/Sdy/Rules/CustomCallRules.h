//===- CustomCallRules.h - Sharding rules by call target --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The rules of stablehlo.custom_call, by its target. An application adds its
// own rules when the dialect is loaded:
//
//   registry.addExtension(
//       +[](MLIRContext *, stablehlo::StableHLODialect *dialect) {
//         sdy::CustomCallRules::get(*dialect).add("my_call", {getMyRule});
//       });
//
// The attribute `sdy.sharding_rule` of a single call has precedence over these
// rules.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_DIALECT_SDY_RULES_CUSTOMCALLRULES_H
#define IPU_MLIR_DIALECT_SDY_RULES_CUSTOMCALLRULES_H

#include "ipu-mlir/Interfaces/ShardingInterfaces.h"
#include "mlir/IR/DialectInterface.h"
#include "llvm/ADT/StringMap.h"
#include <functional>

namespace mlir::ipu::sdy {

/// The properties of the calls of a target.
struct CustomCallRule {
  /// The rule of a call whose tensors are static; none if nothing propagates.
  /// The function must check the number and shapes of operands and results
  /// before it relies on them, because no verifier does.
  std::function<std::optional<sharding::Rule>(Operation *op, bool conservative)>
      getRule;
  /// The class of the call for the priorities of propagation.
  sharding::OpClass opClass = sharding::OpClass::Other;
};

/// The registry. It belongs to the loaded stablehlo dialect, and therefore to a
/// context.
class CustomCallRules : public DialectInterface::Base<CustomCallRules> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(CustomCallRules)

  /// Contains the rules of the known calls of JAX and XLA.
  explicit CustomCallRules(Dialect *dialect);

  /// Returns the registry of a dialect. It is created by the first call.
  static CustomCallRules &get(Dialect &dialect);

  /// Adds the rule of a target, or replaces it. Must not be called while passes
  /// run.
  void add(StringRef target, CustomCallRule rule);
  /// Null if the target has no rule.
  const CustomCallRule *lookup(StringRef target) const;

private:
  llvm::StringMap<CustomCallRule> rules;
};

} // namespace mlir::ipu::sdy

#endif // IPU_MLIR_DIALECT_SDY_RULES_CUSTOMCALLRULES_H
