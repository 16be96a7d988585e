//===- Contracts.h - Conditions and contracts of passes ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The conditions that Contracts.td defines, their checks, and the contracts
// that passes have as a parent class in their .td files.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_DIALECT_POP_TRANSFORMS_CONTRACTS_H
#define IPU_MLIR_DIALECT_POP_TRANSFORMS_CONTRACTS_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include <initializer_list>
#include <optional>

namespace mlir::pop {

//===----------------------------------------------------------------------===//
// Conditions
//===----------------------------------------------------------------------===//

enum class Condition : unsigned {
#define GEN_CONDITIONS
#define POP_CONDITION(enumerator, name, summary) enumerator,
#include "ipu-mlir/Dialect/Pop/Transforms/Contracts.inc"
#undef POP_CONDITION
};

/// Returns all conditions, in the order of Contracts.td.
ArrayRef<Condition> getAllConditions();
/// Returns the name of the condition, such as `VGRAPH`.
StringRef stringifyCondition(Condition condition);
std::optional<Condition> symbolizeCondition(StringRef name);

class ConditionSet {
public:
  ConditionSet() = default;
  ConditionSet(std::initializer_list<Condition> conditions) {
    for (Condition condition : conditions)
      insert(condition);
  }

  bool empty() const { return bits == 0; }
  bool contains(Condition condition) const { return bits & getBit(condition); }
  void insert(Condition condition) { bits |= getBit(condition); }
  /// Returns the conditions of the set, in the order of Contracts.td.
  SmallVector<Condition> getConditions() const;

  ConditionSet operator|(ConditionSet other) const {
    return ConditionSet(bits | other.bits);
  }
  ConditionSet operator&(ConditionSet other) const {
    return ConditionSet(bits & other.bits);
  }
  ConditionSet operator-(ConditionSet other) const {
    return ConditionSet(bits & ~other.bits);
  }
  bool operator==(ConditionSet other) const { return bits == other.bits; }

private:
  explicit ConditionSet(uint32_t bits) : bits(bits) {}
  static uint32_t getBit(Condition condition) {
    return uint32_t(1) << static_cast<unsigned>(condition);
  }

  uint32_t bits = 0;
};

/// A function that starts an error at an op. The caller of this function
/// appends the description of the violation.
using EmitViolation = function_ref<InFlightDiagnostic(Operation *)>;

/// Checks that `condition` holds in `module`. Fails, with an error at the first
/// op, in program order, that violates the condition.
LogicalResult checkCondition(ModuleOp module, Condition condition,
                             EmitViolation emitError);
/// Returns the conditions in `conditions` that hold in `module`. Emits no
/// errors.
ConditionSet getHolding(ModuleOp module, ConditionSet conditions);

//===----------------------------------------------------------------------===//
// Contracts
//===----------------------------------------------------------------------===//

/// The contract that a pass declares; see Contracts.td.
struct PassContract {
  StringRef pass;
  ConditionSet assumes, guarantees, preserves;
  StringRef guaranteesUnless;
  /// Texts that describe how the pass changes bits of results, and how it
  /// changes draws. A text is empty if the pass makes no such changes.
  StringRef changedBits, changedDraws;
};

/// Registers contracts of passes. A pass that already has a contract keeps it.
/// The contracts are not copied, so `contracts` must remain valid. This
/// project's own passes on `pop` need no registration of their contracts. Must
/// not be called while passes run.
void registerPassContracts(ArrayRef<PassContract> contracts);
/// Returns the contract of the pass with the argument name `pass`, or null if
/// no contract is registered for it.
const PassContract *lookupPassContract(StringRef pass);

} // namespace mlir::pop

#endif // IPU_MLIR_DIALECT_POP_TRANSFORMS_CONTRACTS_H
