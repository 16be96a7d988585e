//===- ContractTable.cpp - -gen-pass-contracts ------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Out: the conditions as uses of a macro, if GEN_CONDITIONS is defined, and the
// initializers of `PassContract`, if GEN_PASS_CONTRACTS is defined.
//
//===----------------------------------------------------------------------===//

#include "Contracts.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/TableGen/TableGenBackend.h"

using namespace ipu::tblgen;
using namespace llvm;

static void emitString(raw_ostream &os, StringRef text) {
  os << '"';
  os.write_escaped(text) << '"';
}

static void emitConditions(raw_ostream &os, const Record &contract,
                           StringRef field) {
  os << "   /*" << field << "=*/{";
  llvm::interleaveComma(getConditions(contract, field), os,
                        [&](const Record *condition) {
                          os << "Condition::" << getEnumerator(*condition);
                        });
  os << "},\n";
}

static void emitContract(raw_ostream &os, const Record &contract) {
  os << "  {";
  emitString(os, contract.getValueAsString("argument"));
  os << ",\n";
  emitConditions(os, contract, "assumes");
  emitConditions(os, contract, "guarantees");
  emitConditions(os, contract, "preserves");
  os << "   /*guaranteesUnless=*/";
  emitString(os, contract.getValueAsString("guaranteesUnless"));
  os << ",\n   /*changedBits=*/";
  emitString(os, getChanged(contract, "bitEffect"));
  os << ",\n   /*changedDraws=*/";
  emitString(os, getChanged(contract, "drawEffect"));
  os << "},\n";
}

static void emitTable(const RecordKeeper &keeper, raw_ostream &os) {
  emitSourceFileHeader("Contracts of passes", os, keeper);
  os << "#ifdef GEN_CONDITIONS\n";
  for (const Record *condition : getDefs(keeper, "Condition")) {
    os << "POP_CONDITION(" << getEnumerator(*condition) << ", ";
    emitString(os, condition->getName());
    os << ", ";
    emitString(os, condition->getValueAsString("summary"));
    os << ")\n";
  }
  os << "#undef GEN_CONDITIONS\n#endif // GEN_CONDITIONS\n\n"
        "#ifdef GEN_PASS_CONTRACTS\n";
  for (const Record *contract : getContracts(keeper))
    emitContract(os, *contract);
  os << "#undef GEN_PASS_CONTRACTS\n#endif // GEN_PASS_CONTRACTS\n";
}

static TableGen::Emitter::Opt registration("gen-pass-contracts", emitTable,
                                           "Generate contracts of passes");
