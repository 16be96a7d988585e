//===- SplitPlan.cpp - Splits of the ops of a program -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Planner/Splits/SplitPlan.h"

#include "OpSplits.h"
#include "PartFunctions.h"
#include "ipu-mlir/Dialect/IPU/IR/IPU.h"
#include "ipu-mlir/Dialect/Pop/IR/PopGraph.h"

#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace mlir::ipu;

//===----------------------------------------------------------------------===//
// SplitPlan
//===----------------------------------------------------------------------===//

/// Returns the entry of the visited op number `op`, or null if there is none.
template <typename Entry>
static const Entry *findEntry(ArrayRef<Entry> entries, int64_t op) {
  auto *entry = llvm::partition_point(
      entries, [&](const Entry &other) { return other.op < op; });
  return entry != entries.end() && entry->op == op ? entry : nullptr;
}

bool SplitPlan::hasSerialParts() const {
  return llvm::any_of(decisions, [](const SplitDecision &decision) {
    return decision.variant.split.isSerial;
  });
}

const SplitDecision *SplitPlan::findDecision(int64_t op) const {
  return findEntry(ArrayRef(decisions), op);
}

const SplitExcess *SplitPlan::findExcess(int64_t op) const {
  return findEntry(ArrayRef(excesses), op);
}

//===----------------------------------------------------------------------===//
// Visits
//===----------------------------------------------------------------------===//

/// The greatest number of parts of one op of the program that may be split
/// again.
static constexpr int64_t kMaxNested = 256;

namespace {
/// Visits the ops of a module, and replaces them by their parts.
class SplitVisitor {
public:
  using Decide =
      function_ref<std::optional<SplitDecision>(const VisitedOp &op)>;

  SplitVisitor(ModuleOp module, const SplitPlan &plan, Decide decide)
      : module(module), decide(decide), sumsParts(plan.sumsParts) {
    if (plan.sharesCode)
      functions.emplace(module);
  }

  bool run();

private:
  void visitFunction(func::FuncOp function);
  void visitWithParts(TilePlanOpInterface op);
  void visit(TilePlanOpInterface op, bool isPart, bool staysWhole);
  void replace(TilePlanOpInterface op, const SplitDecision &decision);

  ModuleOp module;
  Decide decide;
  bool sumsParts;
  bool hasSerialParts = false, hasSums = false;
  /// Functions for equal parts; std::nullopt if each part has its own code.
  std::optional<PartFunctions> functions;
  /// If this flag is set, parts of ops of the current function may become
  /// calls.
  bool mayShareCode = false;
  int64_t numVisited = 0;
  /// The parts of the current op that are still to be visited, and all parts
  /// that may share code.
  SmallVector<TilePlanOpInterface> worklist;
  llvm::SetVector<Operation *> serialParts;
};
} // namespace

/// Returns whether tiles compute `op`, and its tile mapping is not given.
static bool maySplit(TilePlanOpInterface op) {
  auto codelet = dyn_cast<CodeletOpInterface>(op.getOperation());
  return codelet && succeeded(codelet.getTileForm({})) &&
         !op->hasAttr(IPUDialect::kTileMappingAttrName);
}

bool SplitVisitor::run() {
  llvm::DenseSet<StringAttr> loaded;
  module.walk([&](Operation *op) {
    if (ArrayAttr graphs = pop::getMovedGraphs(op))
      for (auto graph : graphs.getAsRange<FlatSymbolRefAttr>())
        loaded.insert(graph.getAttr());
  });
  // The list excludes functions that the visitor creates, which need no split.
  for (auto function : llvm::to_vector(module.getOps<func::FuncOp>())) {
    // The function of a part is not loaded together with its caller. Its code
    // would always be on the tiles. Therefore functions whose code is loaded
    // have no such parts.
    mayShareCode = functions && !loaded.contains(function.getSymNameAttr());
    visitFunction(function);
  }
  return hasSerialParts && (!sumsParts || hasSums) &&
         (!functions || functions->getNumFunctions() > 0);
}

void SplitVisitor::visitFunction(func::FuncOp function) {
  SmallVector<TilePlanOpInterface> ops;
  function.walk([&](TilePlanOpInterface op) { ops.push_back(op); });
  for (TilePlanOpInterface op : llvm::reverse(ops))
    visitWithParts(op);
}

/// Visits an op of the program and the parts into which it is split.
void SplitVisitor::visitWithParts(TilePlanOpInterface op) {
  visit(op, /*isPart=*/false, /*staysWhole=*/false);
  for (int64_t i = 0; i < kMaxNested && !worklist.empty(); ++i)
    visit(worklist.pop_back_val(), /*isPart=*/true, /*staysWhole=*/false);
  while (!worklist.empty())
    visit(worklist.pop_back_val(), /*isPart=*/true, /*staysWhole=*/true);
  if (mayShareCode)
    functions->share(serialParts.getArrayRef());
  serialParts.clear();
}

void SplitVisitor::visit(TilePlanOpInterface op, bool isPart, bool staysWhole) {
  int64_t number = numVisited++;
  if (!maySplit(op))
    return;
  std::optional<SplitDecision> decision =
      decide({op, number, isPart, mayShareCode, staysWhole});
  if (decision)
    replace(op, *decision);
}

void SplitVisitor::replace(TilePlanOpInterface op,
                           const SplitDecision &decision) {
  bool isSerial = decision.variant.split.isSerial;
  hasSerialParts |= isSerial;
  BuiltSplit built = buildSplit(op, decision.variant);
  for (Operation *made : built.ops) {
    auto part = dyn_cast<TilePlanOpInterface>(made);
    if (!part)
      continue;
    if (decision.visitsParts)
      worklist.push_back(part);
    if (isSerial)
      serialParts.insert(part);
  }
  op->replaceAllUsesWith(built.results);
  serialParts.remove(op);
  op->erase();
  if (isSerial && (mayShareCode || sumsParts))
    hasSums |= sinkUsesIntoParts(built.results.front(), sumsParts);
}

bool mlir::ipu::visitSplits(ModuleOp module, const SplitPlan &plan,
                            SplitVisitor::Decide decide) {
  return SplitVisitor(module, plan, decide).run();
}
