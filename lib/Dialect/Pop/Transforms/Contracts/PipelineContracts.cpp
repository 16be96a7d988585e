//===- PipelineContracts.cpp - Contracts of pipelines ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// MLIR has no interface that lists the passes which a pass runs on nested ops.
// The text of a pipeline lists them.
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Dialect/Pop/Transforms/PipelineContracts.h"

#include "ContractsDetail.h"
#include "ipu-mlir/Dialect/Pop/Transforms/Passes.h"
#include "ipu-mlir/Support/TakePasses.h"
#include "llvm/ADT/StringExtras.h"
#include <map>
#include <vector>

using namespace mlir;
using namespace mlir::pop;

//===----------------------------------------------------------------------===//
// Texts of pipelines
//===----------------------------------------------------------------------===//

/// The length of the bracket that `text` begins with; all if it is open.
static size_t getBracketLength(StringRef text, char open, char close) {
  unsigned depth = 0;
  for (auto [i, c] : llvm::enumerate(text)) {
    if (c == open)
      ++depth;
    else if (c == close && --depth == 0)
      return i + 1;
  }
  return text.size();
}

/// The length of the name of a pass or an op that `text` begins with. A pass
/// without a name is printed as `unknown<class>`.
static size_t getNameLength(StringRef text) {
  constexpr StringLiteral kUnknown = "unknown<";
  if (text.starts_with(kUnknown)) {
    size_t start = kUnknown.size() - 1;
    return start + getBracketLength(text.drop_front(start), '<', '>');
  }
  return std::min(text.find_first_of(",(){} \t\n"), text.size());
}

SmallVector<PassUse> mlir::pop::parsePassUses(StringRef pipeline) {
  SmallVector<PassUse> passes;
  while (!pipeline.empty()) {
    size_t length = getNameLength(pipeline);
    if (length == 0) {
      pipeline = pipeline.drop_front();
      continue;
    }
    StringRef name = pipeline.take_front(length);
    pipeline = pipeline.drop_front(length);
    // The op that a nested pipeline runs on.
    if (pipeline.starts_with("("))
      continue;
    PassUse &use = passes.emplace_back();
    use.pass = name.str();
    if (!pipeline.starts_with("{"))
      continue;
    size_t optionsLength = getBracketLength(pipeline, '{', '}');
    use.options = pipeline.slice(1, optionsLength - 1).str();
    pipeline = pipeline.drop_front(optionsLength);
  }
  return passes;
}

SmallVector<PassUse> pop::detail::getPassUses(Pass &pass) {
  std::string text;
  llvm::raw_string_ostream os(text);
  pass.printAsTextualPipeline(os);
  return parsePassUses(text);
}

std::string pop::detail::joinNames(ArrayRef<PassUse> passes) {
  return llvm::join(
      llvm::map_range(passes,
                      [](const PassUse &use) -> StringRef { return use.pass; }),
      ", ");
}

std::string mlir::pop::getPassNames(Pass &pass) {
  return pop::detail::joinNames(pop::detail::getPassUses(pass));
}

//===----------------------------------------------------------------------===//
// Passes in a row
//===----------------------------------------------------------------------===//

static ConditionSet getGuarantees(const PassContract &contract,
                                  StringRef options) {
  if (contract.guaranteesUnless.empty())
    return contract.guarantees;
  std::string isSet = (contract.guaranteesUnless + "=true").str();
  return llvm::is_contained(llvm::split(options, ' '), isSet)
             ? ConditionSet()
             : contract.guarantees;
}

CombinedContract mlir::pop::combineContracts(ArrayRef<PassUse> passes) {
  CombinedContract combined;
  for (Condition condition : getAllConditions())
    combined.preserves.insert(condition);
  bool isKnown = true;
  for (const PassUse &use : passes) {
    const PassContract *contract = lookupPassContract(use.pass);
    if (!contract) {
      combined.guarantees = combined.preserves = ConditionSet();
      isKnown = false;
      continue;
    }
    // What others of the passes establish need not hold before.
    if (isKnown)
      combined.assumes =
          combined.assumes | (contract->assumes - combined.guarantees);
    ConditionSet guarantees = getGuarantees(*contract, use.options);
    combined.guarantees =
        (combined.guarantees & contract->preserves) | guarantees;
    combined.preserves =
        (combined.preserves & contract->preserves) | guarantees;
  }
  return combined;
}

LogicalResult mlir::pop::verifyPipelineContracts(const OpPassManager &manager,
                                                 Location location) {
  std::string text;
  llvm::raw_string_ostream os(text);
  manager.printAsTextualPipeline(os);
  // The last pass that did not preserve a condition, which no other has
  // established since.
  std::map<Condition, std::string> brokenBy;
  for (const PassUse &use : parsePassUses(text)) {
    const PassContract *contract = lookupPassContract(use.pass);
    if (!contract)
      continue;
    for (Condition condition : contract->assumes.getConditions())
      if (auto it = brokenBy.find(condition); it != brokenBy.end())
        return emitError(location)
               << "pass '" << use.pass << "' assumes "
               << stringifyCondition(condition) << ", which pass '"
               << it->second << "' does not preserve";
    ConditionSet guarantees = getGuarantees(*contract, use.options);
    for (Condition condition : getAllConditions())
      if (guarantees.contains(condition))
        brokenBy.erase(condition);
      else if (!contract->preserves.contains(condition))
        brokenBy[condition] = use.pass;
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Passes that check
//===----------------------------------------------------------------------===//

static void addCheck(OpPassManager &manager, ConditionSet conditions,
                     StringRef before, StringRef after) {
  if (conditions.empty())
    return;
  VerifyContractsPassOptions options;
  for (Condition condition : conditions.getConditions())
    options.conditions.push_back(stringifyCondition(condition).str());
  options.before = before.str();
  options.after = after.str();
  manager.addPass(createVerifyContractsPass(options));
}

void mlir::pop::addContractChecks(OpPassManager &manager, size_t first) {
  // What was checked and has been preserved since.
  ConditionSet held;
  for (auto &&[i, pass] : llvm::enumerate(ipu::takePasses(manager))) {
    if (i < first) {
      manager.addPass(std::move(pass));
      continue;
    }
    SmallVector<PassUse> uses = pop::detail::getPassUses(*pass);
    CombinedContract contract = combineContracts(uses);
    std::string names = pop::detail::joinNames(uses);
    addCheck(manager, contract.assumes - held, /*before=*/names, /*after=*/"");
    manager.addPass(std::move(pass));
    held =
        ((held | contract.assumes) & contract.preserves) | contract.guarantees;
    addCheck(manager, held, /*before=*/"", /*after=*/names);
  }
}
