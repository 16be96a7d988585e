//===- Contracts.h - Conditions and contracts of passes ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The conditions of Contracts.td, their checks, and the contracts that passes
// declare there.
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

/// In the order of Contracts.td.
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
  /// In the order of Contracts.td.
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

/// Starts an error at the op. The caller appends the violation.
using EmitViolation = function_ref<InFlightDiagnostic(Operation *)>;

/// Fails, with an error at the first op in the order of the program that
/// violates the condition.
LogicalResult checkCondition(ModuleOp module, Condition condition,
                             EmitViolation emitError);
/// Returns the conditions in `conditions` that hold. Emits no errors.
ConditionSet getHolding(ModuleOp module, ConditionSet conditions);

//===----------------------------------------------------------------------===//
// Contracts
//===----------------------------------------------------------------------===//

/// The contract that a pass declares; see Contracts.td.
struct PassContract {
  StringRef pass;
  ConditionSet assumes, guarantees, preserves;
  StringRef guaranteesUnless;
  /// Empty if no bits or draws are changed.
  StringRef changedBits, changedDraws;
};

/// Registers contracts of passes that have none yet. The array must outlive its
/// use. The contracts of passes on pop are registered from the start. Must not
/// be called while passes run.
void registerPassContracts(ArrayRef<PassContract> contracts);
/// Null if the pass has not declared a contract.
const PassContract *lookupPassContract(StringRef pass);

} // namespace mlir::pop

#endif // IPU_MLIR_DIALECT_POP_TRANSFORMS_CONTRACTS_H
