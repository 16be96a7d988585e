//===- ContractDocs.cpp - -gen-contract-docs --------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Out: Markdown tables of the conditions, of the transforms of the catalogue
// including included ones, and of all other passes.
//
//===----------------------------------------------------------------------===//

#include "Contracts.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/TableGen/Error.h"
#include "llvm/TableGen/TableGenBackend.h"

using namespace ipu::tblgen;
using namespace llvm;

//===----------------------------------------------------------------------===//
// Cells
//===----------------------------------------------------------------------===//

static std::string join(const Records &conditions) {
  std::string text;
  raw_string_ostream os(text);
  llvm::interleaveComma(conditions, os, [&](const Record *condition) {
    os << condition->getName();
  });
  return text;
}

/// Lists the conditions that a pass preserves, or "all but" the conditions that
/// it does not preserve if this list is shorter.
static std::string describePreserved(const Record &contract,
                                     const Records &all) {
  Records preserved = getConditions(contract, "preserves");
  Records broken;
  for (const Record *condition : all)
    if (!llvm::is_contained(preserved, condition))
      broken.push_back(condition);
  if (broken.empty())
    return "all";
  if (preserved.empty())
    return "none";
  return broken.size() < preserved.size() ? "all but " + join(broken)
                                          : join(preserved);
}

static std::string describeGuarantees(const Record &contract) {
  std::string text = join(getConditions(contract, "guarantees"));
  StringRef option = contract.getValueAsString("guaranteesUnless");
  if (!text.empty() && !option.empty())
    text += (", but not with `" + option + "`").str();
  return text;
}

static std::string describeEffect(const Record &contract, StringRef field,
                                  StringRef none, StringRef some) {
  StringRef changed = getChanged(contract, field);
  return changed.empty() ? none.str() : (some + changed).str();
}

/// Returns the links to the tests of a pass, for a page in docs.
static std::string linkTests(const Record &contract) {
  std::string text;
  raw_string_ostream os(text);
  llvm::interleave(
      contract.getValueAsListOfStrings("tests"), os,
      [&](StringRef test) {
        os << "[" << test.rsplit('/').second << "](../test/" << test << ")";
      },
      ", ");
  return text;
}

//===----------------------------------------------------------------------===//
// Tables
//===----------------------------------------------------------------------===//

/// Writes the columns that both tables of passes share. They follow the first
/// columns.
static void emitPass(raw_ostream &os, const Record &contract,
                     const Records &all) {
  os << contract.getValueAsString("summary") << " | "
     << join(getConditions(contract, "assumes")) << " | "
     << describeGuarantees(contract) << " | "
     << describePreserved(contract, all) << " | "
     << describeEffect(contract, "bitEffect", "exact", "reassociates ") << " | "
     << describeEffect(contract, "drawEffect", "kept", "changes ") << " | ";
}

static void emitConditionTable(raw_ostream &os, const Records &conditions) {
  os << "### Conditions\n\n| condition | meaning |\n| --- | --- |\n";
  for (const Record *condition : conditions)
    os << "| " << condition->getName() << " | "
       << condition->getValueAsString("summary") << " |\n";
}

namespace {
/// The passes for each transform of the catalogue, and the record of each
/// included transform.
struct CatalogueRows {
  StringMap<Records> passes;
  StringMap<const Record *> included;
};
} // namespace

static CatalogueRows getRows(const RecordKeeper &keeper,
                             const Records &contracts) {
  CatalogueRows rows;
  StringSet<> names;
  for (StringRef name :
       keeper.getDef("Catalogue")->getValueAsListOfStrings("names"))
    names.insert(name);
  auto getName = [&](const Record *record) {
    StringRef name = record->getValueAsString("original");
    if (!name.empty() && !names.contains(name))
      PrintFatalError(record, "the catalogue has no transform '" + name + "'");
    return name;
  };
  for (const Record *contract : contracts)
    if (StringRef name = getName(contract); !name.empty())
      rows.passes[name].push_back(contract);
  for (const Record *included : getDefs(keeper, "Included")) {
    StringRef name = getName(included);
    if (rows.passes.contains(name) || rows.included.contains(name))
      PrintFatalError(included, "'" + name + "' is in the catalogue twice");
    rows.included[name] = included;
  }
  return rows;
}

static void emitCatalogue(raw_ostream &os, const RecordKeeper &keeper,
                          const Records &contracts, const Records &all) {
  CatalogueRows rows = getRows(keeper, contracts);
  os << "\n### Transforms of the catalogue\n\n| transform of PopART | pass | "
        "summary | assumes | guarantees | preserves | bits | draws | "
        "differences | tests |\n| --- | --- | --- | --- | --- | --- | --- | "
        "--- | "
        "--- | --- |\n";
  const Record *catalogue = keeper.getDef("Catalogue");
  for (StringRef name : catalogue->getValueAsListOfStrings("names")) {
    for (const Record *pass : rows.passes.lookup(name)) {
      os << "| " << name << " | `" << pass->getValueAsString("argument")
         << "` | ";
      emitPass(os, *pass, all);
      os << pass->getValueAsString("differs") << " | " << linkTests(*pass)
         << " |\n";
    }
    if (rows.passes.contains(name))
      continue;
    const Record *included = rows.included.lookup(name);
    if (!included)
      PrintFatalError(catalogue,
                      "there is no existing or included pass '" + name + "'");
    os << "| " << name << " | " << included->getValueAsString("state") << " | "
       << included->getValueAsString("summary") << " | | | | | | | |\n";
  }
}

static void emitOthers(raw_ostream &os, const Records &contracts,
                       const Records &all) {
  os << "\n### Other passes\n\n| pass | summary | assumes | guarantees | "
        "preserves | bits | draws | tests |\n| --- | --- | --- | --- | --- | "
        "--- | --- | --- |\n";
  for (const Record *contract : contracts) {
    if (!contract->getValueAsString("original").empty())
      continue;
    os << "| `" << contract->getValueAsString("argument") << "` | ";
    emitPass(os, *contract, all);
    os << linkTests(*contract) << " |\n";
  }
}

static void emitDocs(const RecordKeeper &keeper, raw_ostream &os) {
  Records contracts = getContracts(keeper);
  Records conditions = getDefs(keeper, "Condition");
  emitConditionTable(os, conditions);
  emitCatalogue(os, keeper, contracts, conditions);
  emitOthers(os, contracts, conditions);
}

static TableGen::Emitter::Opt
    registration("gen-contract-docs", emitDocs,
                 "Generate tables of contracts in Markdown");
