//===- AnnotateReplicaEqual.cpp - Replica-equal annotations ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: a module of functions with ops of any dialects. Out: the same module,
// with attributes that say on which replicas results, operands and modified
// refs are equal. With an option, a function is cloned if an argument is equal
// on different sets of replicas in different calls.
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Analysis/Effects/FunctionCalls.h"
#include "ipu-mlir/Analysis/ReplicaEqual/ReplicaEqual.h"
#include "ipu-mlir/Analysis/ReplicaEqual/RoundingMethods.h"
#include "ipu-mlir/Dialect/IPU/IR/IPU.h"
#include "ipu-mlir/Dialect/Pop/IR/PopGraph.h"
#include "ipu-mlir/Dialect/Pop/Transforms/Passes.h"

#include "llvm/ADT/MapVector.h"

namespace mlir::pop {
#define GEN_PASS_DEF_ANNOTATEREPLICAEQUALPASS
#include "ipu-mlir/Dialect/Pop/Transforms/Passes.h.inc"
} // namespace mlir::pop

using namespace mlir;
using namespace mlir::ipu;
using namespace mlir::pop;

//===----------------------------------------------------------------------===//
// Clones
//===----------------------------------------------------------------------===//

/// Whether all uses of a function are calls, none of which it makes itself.
static bool canClone(FunctionOpInterface function, const FunctionCalls &calls,
                     ModuleOp module) {
  auto uses = SymbolTable::getSymbolUses(function, module);
  if (!uses || std::distance(uses->begin(), uses->end()) !=
                   static_cast<ptrdiff_t>(calls.getCallsOf(function).size()))
    return false;
  llvm::SmallPtrSet<Operation *, 8> reached;
  SmallVector<FunctionOpInterface> queue{function};
  while (!queue.empty())
    for (CallOpInterface call : calls.getCallsIn(queue.pop_back_val())) {
      FunctionOpInterface callee = calls.getCallee(call);
      if (callee == function)
        return false;
      if (reached.insert(callee).second)
        queue.push_back(callee);
    }
  return true;
}

/// Most clones that are made: chains of calls that disagree have exponentially
/// many ways. Warnings show where others still disagree.
static constexpr size_t kMaxClones = 1024;

/// Clones `function` for each combination of partitions that calls pass but
/// the first. Returns how many clones there are; none if they are too many.
static size_t cloneFor(FunctionOpInterface function, const FunctionCalls &calls,
                       const ReplicaEqual &analysis, SymbolTable &symbols,
                       size_t most) {
  llvm::DenseMap<Operation *, SmallVector<const void *>> passedBy;
  for (const ReplicaDisagreement &found : analysis.getDisagreements())
    if (found.callee == function)
      for (auto [call, partition] : found.calls)
        passedBy[call].push_back(partition.getAsOpaquePointer());
  llvm::MapVector<SmallVector<const void *>, SmallVector<CallOpInterface>>
      callsByArguments;
  for (CallOpInterface call : calls.getCallsOf(function))
    callsByArguments[passedBy.lookup(call)].push_back(call);
  if (callsByArguments.size() - 1 > most)
    return 0;
  Operation *last = function;
  for (auto &[key, group] : llvm::drop_begin(callsByArguments)) {
    Operation *clone = function->clone();
    symbols.insert(clone, std::next(Block::iterator(last)));
    SymbolTable::setSymbolVisibility(clone, SymbolTable::Visibility::Private);
    for (CallOpInterface call : group)
      call.setCalleeFromCallable(
          FlatSymbolRefAttr::get(SymbolTable::getSymbolName(clone)));
    last = clone;
  }
  return callsByArguments.size() - 1;
}

/// Clones a function whose calls disagree, at most `most` times. Returns how
/// many clones there are; none if there is no such function.
static size_t cloneCallee(ModuleOp module, const ReplicaEqual &analysis,
                          size_t most) {
  FunctionCalls calls(module);
  SymbolTable symbols(module);
  // Outer calls first: what they pass decides what inner ones pass.
  llvm::SmallPtrSet<Operation *, 8> disagreeing;
  for (const ReplicaDisagreement &found : analysis.getDisagreements())
    disagreeing.insert(found.callee);
  SmallVector<FunctionOpInterface> order = calls.getPostOrder();
  for (FunctionOpInterface function : llvm::reverse(order)) {
    if (!disagreeing.contains(function) || !canClone(function, calls, module))
      continue;
    if (size_t clones = cloneFor(function, calls, analysis, symbols, most))
      return clones;
  }
  return 0;
}

//===----------------------------------------------------------------------===//
// Attributes
//===----------------------------------------------------------------------===//

namespace {
class Annotator {
public:
  Annotator(const ReplicaEqual &analysis, MLIRContext *context)
      : analysis(analysis), builder(context),
        equalName(builder.getStringAttr(PopDialect::kReplicaEqualAttrName)),
        operandsName(
            builder.getStringAttr(PopDialect::kReplicaEqualOperandsAttrName)),
        modifiedName(
            builder.getStringAttr(PopDialect::kReplicaEqualModifiedAttrName)) {}

  void annotate(FunctionOpInterface function) {
    for (BlockArgument argument : function.getArguments())
      function.setArgAttr(argument.getArgNumber(), equalName,
                          get(analysis.get(argument)));
    function.getFunctionBody().walk([&](Operation *op) { annotate(op); });
  }

private:
  void annotate(Operation *op) {
    SmallVector<Attribute> results, operands, modified;
    if (llvm::any_of(op->getResultTypes(), llvm::IsaPred<ShapedType>))
      for (Value result : op->getResults())
        results.push_back(get(analysis.get(result)));
    // What ends a region gives its results, which have answers of their own.
    if (!op->hasTrait<OpTrait::IsTerminator>() &&
        llvm::any_of(op->getOperandTypes(), llvm::IsaPred<ShapedType, RefType>))
      for (OpOperand &operand : op->getOpOperands())
        operands.push_back(get(analysis.getInput(operand)));
    if (llvm::any_of(op->getOperandTypes(), llvm::IsaPred<RefType>))
      for (auto [operand, partition] : analysis.getModified(op))
        if (isa<RefType>(operand->get().getType()))
          modified.push_back(get(partition));
    DictionaryAttr old = op->getRawDictionaryAttrs();
    if (old.empty() && results.empty() && operands.empty() && modified.empty())
      return;
    // All at once: each dictionary is kept as long as the context.
    NamedAttrList made(old);
    set(made, equalName, results);
    set(made, operandsName, operands);
    set(made, modifiedName, modified);
    op->setDiscardableAttrs(made.getDictionary(builder.getContext()));
  }

  void set(NamedAttrList &made, StringAttr name,
           ArrayRef<Attribute> partitions) {
    if (!partitions.empty())
      made.set(name, builder.getArrayAttr(partitions));
    else
      made.erase(name);
  }

  Attribute get(ReplicaPartition partition) {
    Attribute &attr = attrs[partition.getAsOpaquePointer()];
    if (!attr)
      attr = ReplicaPartitionAttr::get(builder.getContext(),
                                       partition.getClasses());
    return attr;
  }

  const ReplicaEqual &analysis;
  Builder builder;
  StringAttr equalName, operandsName, modifiedName;
  llvm::DenseMap<const void *, Attribute> attrs;
};

/// The semantics of a program, of whose ops folds may be left out.
class Semantics : public StochasticRoundingSemantics {
public:
  explicit Semantics(bool knowsFolds) : knowsFolds(knowsFolds) {}

  bool folds(Operation *) const override { return knowsFolds; }

private:
  bool knowsFolds;
};

struct AnnotateReplicaEqualPass
    : pop::impl::AnnotateReplicaEqualPassBase<AnnotateReplicaEqualPass> {
  using AnnotateReplicaEqualPassBase::AnnotateReplicaEqualPassBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    if (onlyReplicated && replicas == 0 && getTargetModel(module).replicas == 1)
      return markAllAnalysesPreserved();
    int64_t count = getNumReplicas(module, replicas);
    size_t clones = 0;
    while (true) {
      FailureOr<ReplicaEqual> analysis =
          ReplicaEqual::create(module, count, Semantics(fold));
      if (failed(analysis))
        return signalPassFailure();
      if (cloneCallees) {
        size_t more = cloneCallee(module, *analysis, kMaxClones - clones);
        clones += more;
        if (more > 0)
          continue;
      }
      Annotator annotator(*analysis, &getContext());
      for (auto function : module.getOps<FunctionOpInterface>())
        if (!function.isExternal())
          annotator.annotate(function);
      warnOfReplicaDisagreements(*analysis);
      warnOfReplicaDrifts(*analysis);
      return;
    }
  }
};
} // namespace
