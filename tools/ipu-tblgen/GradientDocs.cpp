//===- GradientDocs.cpp - -gen-gradient-docs --------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Out: a Markdown table of the ops of `pop` on floats, with their gradients or
// the reason why they have no gradient.
//
//===----------------------------------------------------------------------===//

#include "Contracts.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/TableGen/Error.h"
#include "llvm/TableGen/TableGenBackend.h"

using namespace ipu::tblgen;
using namespace llvm;

//===----------------------------------------------------------------------===//
// Ops with gradients
//===----------------------------------------------------------------------===//

/// Returns whether the condition of `predicate` contains the predicate `found`.
static bool mentions(const Record &predicate, StringRef found) {
  if (predicate.isSubClassOf("CPred"))
    return predicate.getValueAsString("predExpr").contains(found);
  return llvm::any_of(
      predicate.getValueAsListOfDefs("children"),
      [&](const Record *child) { return mentions(*child, found); });
}

/// Returns the constraint on the type of an operand or a result, or null for an
/// attribute.
static const Record *getTypeConstraint(const Init *value) {
  const Record *record = cast<DefInit>(value)->getDef();
  if (record->isSubClassOf("OpVariable"))
    record = record->getValueAsDef("constraint");
  return record->isSubClassOf("TypeConstraint") ? record : nullptr;
}

/// Returns whether types that satisfy `constraint` can have float elements.
static bool allowsFloats(const Record &constraint) {
  const Record &predicate = *constraint.getValueAsDef("predicate");
  return mentions(predicate, "isPopElementType") &&
         !mentions(predicate, "isa<::mlir::IntegerType>");
}

static bool isRef(const Record &constraint) {
  return mentions(*constraint.getValueAsDef("predicate"), "RefType");
}

/// Returns whether the op has float operands or results. `field` chooses
/// between operands and results.
static bool hasFloats(const Record &op, StringRef field) {
  return llvm::any_of(op.getValueAsDag(field)->getArgs(),
                      [](const Init *value) {
                        const Record *type = getTypeConstraint(value);
                        return type && allowsFloats(*type);
                      });
}

/// Returns whether the op writes a ref operand.
static bool writesRef(const Record &op) {
  return llvm::any_of(
      op.getValueAsDag("arguments")->getArgs(), [](const Init *value) {
        const Record *variable = cast<DefInit>(value)->getDef();
        const Record *type = getTypeConstraint(value);
        return type && isRef(*type) && variable->isSubClassOf("OpVariable") &&
               llvm::any_of(variable->getValueAsListOfDefs("decorators"),
                            [](const Record *decorator) {
                              return decorator->getName() == "MemWrite" ||
                                     decorator->isSubClassOf("MemWrite");
                            });
      });
}

//===----------------------------------------------------------------------===//
// Table
//===----------------------------------------------------------------------===//

/// Returns the text of the table for `op`, or an empty string if no float
/// result depends on float operands.
static std::string describe(const Record &op) {
  std::string text;
  for (const Record *trait : op.getValueAsListOfDefs("traits")) {
    bool hasNone = trait->isSubClassOf("Pop_NoGradient");
    if (!hasNone && !trait->isSubClassOf("Pop_Gradient") &&
        !trait->isSubClassOf("Pop_ZeroGradient"))
      continue;
    if (!text.empty())
      PrintFatalError(&op, "the op has several descriptions of its gradients");
    text = hasNone ? ("none: " + trait->getValueAsString("reason")).str()
                   : trait->getValueAsString("gradient").str();
  }
  if (!hasFloats(op, "arguments"))
    return {};
  if (text.empty() && (hasFloats(op, "results") || writesRef(op)))
    PrintFatalError(&op, "floats go through op 'pop." +
                             op.getValueAsString("opName") +
                             "', which has neither gradients nor a reason why "
                             "it has none");
  return text;
}

/// Writes the table. Successive ops with the same gradients share a row.
static void emitDocs(const RecordKeeper &keeper, raw_ostream &os) {
  std::vector<std::pair<std::string, std::string>> rows;
  for (const Record *op : getDefs(keeper, "Pop_Op")) {
    std::string text = describe(*op);
    if (text.empty())
      continue;
    std::string name = ("`" + op->getValueAsString("opName") + "`").str();
    if (!rows.empty() && rows.back().second == text)
      rows.back().first += ", " + name;
    else
      rows.emplace_back(name, text);
  }
  os << "| op | gradients |\n| --- | --- |\n";
  for (const auto &[names, text] : rows)
    os << "| " << names << " | " << text << " |\n";
}

static TableGen::Emitter::Opt
    registration("gen-gradient-docs", emitDocs,
                 "Generate the table of gradients in Markdown");
