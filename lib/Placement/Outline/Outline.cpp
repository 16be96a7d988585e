//===- Outline.cpp - Functions for repeated sequences of ops ----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: a module. Out: the same module, where calls of new functions replace
// sequences of ops that occur several times.
//
//===----------------------------------------------------------------------===//

#include "OutlineSearch.h"
#include "ipu-mlir/Analysis/ReplicaEqual/RoundingMethods.h"
#include "ipu-mlir/Dialect/IPU/IR/IPU.h"
#include "ipu-mlir/Dialect/Pop/Transforms/DrawNumbers.h"
#include "ipu-mlir/Placement/Passes.h"
#include "mlir/IR/Remarks.h"

namespace mlir::ipu {
#define GEN_PASS_DEF_OUTLINEPASS
#include "ipu-mlir/Placement/Passes.h.inc"
} // namespace mlir::ipu

using namespace mlir;
using namespace mlir::ipu;

/// The number of searches. Each search nests functions one level deeper, and
/// more levels save little.
static constexpr unsigned kMaxSearches = 8;

static void emitRemark(const OutlineGroup &group, func::FuncOp function) {
  remark::passed(function.getLoc(),
                 remark::RemarkOpts::name("Outline").category("pop-graph"))
      << "calls of a function replace equal sequences of ops"
      << remark::metric("function", function.getSymName())
      << remark::metric("calls", group.sequences.size())
      << remark::metric("ops", group.sequences.front().size())
      << remark::metric("saved-bytes", group.savedBytes)
      << remark::metric("added-cycles-of-call", group.addedCycles);
}

/// Makes each of `calls` draw the bits of its sequence. The callee does not
/// advance, because its sequences did not.
static void shiftDraws(const OutlineGroup &group, func::FuncOp function,
                       ArrayRef<func::CallOp> calls) {
  Operation *terminator = function.getBody().front().getTerminator();
  OpBuilder b(terminator);
  pop::AdvanceDrawsOp::create(b, terminator->getLoc(), /*count=*/0,
                              /*shift=*/0);
  for (auto [index, shift] : llvm::enumerate(group.drawShifts)) {
    if (shift == 0)
      continue;
    func::CallOp call = calls[index];
    b.setInsertionPoint(call);
    pop::AdvanceDrawsOp::create(b, call.getLoc(), /*count=*/0, shift);
    b.setInsertionPointAfter(call);
    pop::AdvanceDrawsOp::create(b, call.getLoc(), /*count=*/0, -shift);
  }
}

/// The arguments of `function` are on the IPU of its ops.
static void setIPU(func::FuncOp function, Operation *op) {
  Attribute vgraph = op->getAttr(pop::PopDialect::kVgraphAttrName);
  for (unsigned index = 0; vgraph && index < function.getNumArguments();
       ++index)
    function.setArgAttr(index, pop::PopDialect::kVgraphAttrName, vgraph);
}

/// Replaces the sequences of `group` by calls.
static void outline(ModuleOp module, const OutlineGroup &group,
                    SymbolTable &symbols) {
  Operation *position =
      module.getBody()->findAncestorOpInBlock(*group.sequences.front().front());
  // Values of the search may be values of sequences that are calls now.
  pop::SequenceInterface interface = pop::getSequenceInterface(group.sequences);
  func::FuncOp function = pop::createSequenceFunction(
      "outlined", position, group.sequences.front(), interface, symbols);
  removeTimes(function);
  setIPU(function, group.sequences.front().front());
  SmallVector<func::CallOp> calls =
      pop::replaceSequencesByCalls(group.sequences, interface, function);
  if (group.draws)
    shiftDraws(group, function, calls);
  emitRemark(group, function);
}

namespace {
struct OutlinePass : ipu::impl::OutlinePassBase<OutlinePass> {
  using OutlinePassBase::OutlinePassBase;

  void runOnOperation() override {
    if (failed(checkMaxSlowdown()))
      return signalPassFailure();
    ModuleOp module = getOperation();
    TargetModel target = getTargetModel(module);
    // Ops without numbers would get the numbers of their function.
    if (failed(checkReplicas(target)) || failed(pop::numberDraws(module)))
      return signalPassFailure();
    pop::separateRows(module);
    outlineGroups(target);
    pop::foldRows(module);
  }

private:
  void outlineGroups(const TargetModel &target) {
    ModuleOp module = getOperation();
    PartitionCache cache(target);
    for (unsigned search = 0; search < kMaxSearches; ++search) {
      std::vector<OutlineGroup> groups = find(target, cache);
      if (groups.empty())
        return;
      SymbolTable symbols(module);
      for (const OutlineGroup &group : groups)
        outline(module, group, symbols);
    }
  }

  LogicalResult checkMaxSlowdown() {
    if (maxSlowdown >= 0)
      return success();
    return getOperation().emitError()
           << "'" << getArgument()
           << "' expects option 'max-slowdown' to be at least 0 but got "
           << maxSlowdown.getValue();
  }

  /// An op of a function has one rounding method for all calls. Annotations
  /// keep sequences apart that need different methods.
  LogicalResult checkReplicas(const TargetModel &target) {
    ModuleOp module = getOperation();
    if (target.replicas == 1 ||
        !module->hasAttr(pop::PopDialect::kStochasticRoundingAttrName))
      return success();
    bool isAnnotated =
        module
            ->walk([](Operation *op) {
              return op->hasAttr(pop::PopDialect::kReplicaEqualAttrName) ||
                             getRoundingMethod(op)
                         ? WalkResult::interrupt()
                         : WalkResult::advance();
            })
            .wasInterrupted();
    if (isAnnotated)
      return success();
    return module.emitError()
           << "'" << getArgument()
           << "' expects ops of a module with stochastic rounding and "
           << target.replicas
           << " replicas to have annotations or rounding methods, but there "
              "are none; run pop-annotate-replica-equal before";
  }

  std::vector<OutlineGroup> find(const TargetModel &target,
                                 PartitionCache &cache) {
    GraphEffects effects(getOperation());
    OpText text(getOperation(), effects.getCalls());
    OutlineCosts costs(target, cache);
    return chooseGroups(text, effects, costs, {threshold, maxSlowdown});
  }
};
} // namespace
