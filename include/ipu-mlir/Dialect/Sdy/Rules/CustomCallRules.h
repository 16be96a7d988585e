//===- CustomCallRules.h - Sharding rules by call target --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The sharding rules of stablehlo.custom_call ops, by call target. An
// application can add its own rules when the dialect is loaded:
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

/// The properties of all calls of one target.
struct CustomCallRule {
  /// A function that returns the sharding rule of a call whose tensors have
  /// static shapes, or std::nullopt if shardings do not propagate through the
  /// call. The function must check the numbers and shapes of operands and
  /// results, because no verifier checks them.
  std::function<std::optional<sharding::Rule>(Operation *op, bool conservative)>
      getRule;
  /// The class of the call, which determines its op priority.
  sharding::OpClass opClass = sharding::OpClass::Other;
};

/// The registry of rules by call target. Each context has its own registry,
/// which is an interface of the loaded stablehlo dialect.
class CustomCallRules : public DialectInterface::Base<CustomCallRules> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(CustomCallRules)

  /// Creates a registry with the rules of known call targets of JAX and XLA.
  explicit CustomCallRules(Dialect *dialect);

  /// Returns the registry of `dialect`. The first call creates the registry.
  static CustomCallRules &get(Dialect &dialect);

  /// Adds the rule of `target`, or replaces an existing rule. Must not be
  /// called while passes run.
  void add(StringRef target, CustomCallRule rule);
  /// Returns the rule of `target`, or null if it has no rule.
  const CustomCallRule *lookup(StringRef target) const;

private:
  llvm::StringMap<CustomCallRule> rules;
};

} // namespace mlir::ipu::sdy

#endif // IPU_MLIR_DIALECT_SDY_RULES_CUSTOMCALLRULES_H
