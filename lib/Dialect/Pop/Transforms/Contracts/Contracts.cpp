//===- Contracts.cpp - Tables of conditions and contracts -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Dialect/Pop/Transforms/Contracts.h"

#include "llvm/ADT/StringMap.h"

using namespace mlir;
using namespace mlir::pop;

//===----------------------------------------------------------------------===//
// Conditions
//===----------------------------------------------------------------------===//

ArrayRef<Condition> mlir::pop::getAllConditions() {
  static constexpr Condition kAll[] = {
#define GEN_CONDITIONS
#define POP_CONDITION(enumerator, name, summary) Condition::enumerator,
#include "ipu-mlir/Dialect/Pop/Transforms/Contracts.inc"
#undef POP_CONDITION
  };
  return kAll;
}

StringRef mlir::pop::stringifyCondition(Condition condition) {
  switch (condition) {
#define GEN_CONDITIONS
#define POP_CONDITION(enumerator, name, summary)                               \
  case Condition::enumerator:                                                  \
    return name;
#include "ipu-mlir/Dialect/Pop/Transforms/Contracts.inc"
#undef POP_CONDITION
  }
  llvm_unreachable("not a condition");
}

std::optional<Condition> mlir::pop::symbolizeCondition(StringRef name) {
  for (Condition condition : getAllConditions())
    if (stringifyCondition(condition) == name)
      return condition;
  return std::nullopt;
}

SmallVector<Condition> ConditionSet::getConditions() const {
  return llvm::filter_to_vector(getAllConditions(), [&](Condition condition) {
    return contains(condition);
  });
}

//===----------------------------------------------------------------------===//
// Contracts
//===----------------------------------------------------------------------===//

static const PassContract kContracts[] = {
#define GEN_PASS_CONTRACTS
#include "ipu-mlir/Dialect/Pop/Transforms/Contracts.inc"
};

static llvm::StringMap<const PassContract *> &getRegistry() {
  static llvm::StringMap<const PassContract *> registry = [] {
    llvm::StringMap<const PassContract *> contracts;
    for (const PassContract &contract : kContracts)
      contracts.try_emplace(contract.pass, &contract);
    return contracts;
  }();
  return registry;
}

void mlir::pop::registerPassContracts(ArrayRef<PassContract> contracts) {
  for (const PassContract &contract : contracts)
    getRegistry().try_emplace(contract.pass, &contract);
}

const PassContract *mlir::pop::lookupPassContract(StringRef pass) {
  return getRegistry().lookup(pass);
}
