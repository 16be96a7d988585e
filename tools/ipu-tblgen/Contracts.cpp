//===- Contracts.cpp - Contracts as records ---------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Contracts.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/TableGen/Error.h"

using namespace ipu::tblgen;
using namespace llvm;

Records ipu::tblgen::getDefs(const RecordKeeper &keeper, StringRef className) {
  ArrayRef<const Record *> defs = keeper.getAllDerivedDefinitions(className);
  Records sorted(defs.begin(), defs.end());
  llvm::sort(sorted, [](const Record *a, const Record *b) {
    return a->getID() < b->getID();
  });
  return sorted;
}

Records ipu::tblgen::getContracts(const RecordKeeper &keeper) {
  Records passes = getDefs(keeper, "PassBase");
  for (const Record *pass : passes) {
    StringRef argument = pass->getValueAsString("argument");
    if (!pass->isSubClassOf("Contract"))
      PrintFatalError(pass, "pass '" + argument + "' has no contract");
    for (StringRef field : {"preserves", "bitEffect", "drawEffect", "tests"})
      if (pass->isValueUnset(field))
        PrintFatalError(pass, "the contract of pass '" + argument +
                                  "' leaves out '" + field + "'");
  }
  return passes;
}

std::string ipu::tblgen::getEnumerator(const Record &condition) {
  return convertToCamelFromSnakeCase(condition.getName().lower(),
                                     /*capitalizeFirst=*/true);
}

Records ipu::tblgen::getConditions(const Record &contract, StringRef field) {
  Records conditions = contract.getValueAsListOfDefs(field);
  llvm::sort(conditions, [](const Record *a, const Record *b) {
    return a->getID() < b->getID();
  });
  return conditions;
}

StringRef ipu::tblgen::getChanged(const Record &contract, StringRef field) {
  return contract.getValueAsDef(field)->getValueAsString("changed");
}
