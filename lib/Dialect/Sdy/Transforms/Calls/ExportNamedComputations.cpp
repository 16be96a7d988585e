//===- ExportNamedComputations.cpp - Computations as calls ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
// In: `sdy.named_computation`s. Out: calls of private functions instead of the
// computations. The function has the name of the computation, or a similar name
// if this name is taken. It has the shardings of the operands, and the name of
// the computation as `sdy.original_func_name`. The call has the attributes of
// the computation and the shardings of the results.
//
//===----------------------------------------------------------------------===//

#include "../ShardingUtils.h"
#include "CallUtils.h"
#include "FuncAttrs.h"
#include "ipu-mlir/Dialect/Sdy/Transforms/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace mlir::ipu::sdy {
#define GEN_PASS_DEF_EXPORTNAMEDCOMPUTATIONSPASS
#include "ipu-mlir/Dialect/Sdy/Transforms/Passes.h.inc"
} // namespace mlir::ipu::sdy

using namespace mlir;
using namespace mlir::ipu;
using namespace mlir::ipu::sdy;

/// Gives back what else the function had that the computation was, as far as it
/// still fits.
static void setOtherAttrs(func::FuncOp function, DictionaryAttr attrs) {
  auto isList = [](Attribute attr, size_t size) {
    auto list = dyn_cast<ArrayAttr>(attr);
    return list && list.size() == size &&
           llvm::all_of(list, llvm::IsaPred<DictionaryAttr>);
  };
  for (NamedAttribute attr : attrs) {
    StringAttr name = attr.getName();
    bool fits = true;
    if (name == function.getArgAttrsAttrName())
      fits = isList(attr.getValue(), function.getNumArguments());
    else if (name == function.getResAttrsAttrName())
      fits = isList(attr.getValue(), function.getNumResults());
    else
      fits = name != function.getFunctionTypeAttrName() &&
             name != SymbolTable::getSymbolAttrName();
    if (fits)
      function->setAttr(name, attr.getValue());
  }
}

/// What edges say of propagation belongs to the function.
static void moveDebugInfo(func::CallOp call, func::FuncOp function) {
  auto move = [&](StringRef from, auto set) {
    if (auto list = dyn_cast_or_null<ArrayAttr>(call->removeAttr(from)))
      for (auto [i, entry] : llvm::enumerate(list))
        set(i, entry);
  };
  auto setOfArgument = [&](StringRef name) {
    return [=](unsigned i, Attribute entry) mutable {
      function.setArgAttr(i, name, entry);
    };
  };
  auto setOfResult = [&](StringRef name) {
    return [=](unsigned i, Attribute entry) mutable {
      function.setResultAttr(i, name, entry);
    };
  };
  move(kBlockArgShardingOriginsAttrName,
       setOfArgument(kShardingOriginsAttrName));
  move(kBlockArgPropagationEdgesAttrName,
       setOfArgument(kPropagationEdgesAttrName));
  if (Attribute origins = call->getAttr(kResultShardingOriginsAttrName))
    call->setAttr(kShardingOriginsAttrName, origins);
  move(kResultShardingOriginsAttrName, setOfResult(kShardingOriginsAttrName));
  move(kResultPropagationEdgesAttrName, setOfResult(kPropagationEdgesAttrName));
}

static void exportComputation(NamedComputationOp computation,
                              SymbolTable &symbols) {
  OpBuilder builder(computation.getContext());
  // A symbol cannot be empty.
  StringAttr name = computation.getName().empty()
                        ? builder.getStringAttr("computation")
                        : computation.getNameAttr();
  auto function = func::FuncOp::create(
      builder, computation.getLoc(), name,
      builder.getFunctionType(computation.getBody().getArgumentTypes(),
                              computation.getResultTypes()));
  if (auto attrs =
          computation->getAttrOfType<DictionaryAttr>(kFuncAttrsAttrName))
    setOtherAttrs(function, attrs);
  function.setPrivate();
  function->setAttr(kOriginalFuncNameAttrName, name);
  function.getBody().takeBody(computation.getBody());
  Operation *terminator = function.front().getTerminator();
  builder.setInsertionPoint(terminator);
  func::ReturnOp::create(builder, terminator->getLoc(),
                         terminator->getOperands());
  terminator->erase();
  if (TensorShardingPerValueAttr in = computation.getInShardingsAttr())
    for (auto [i, sharding] : llvm::enumerate(in.getShardings()))
      function.setArgAttr(i, kShardingAttrName, sharding);
  symbols.insert(function);

  builder.setInsertionPoint(computation);
  auto call = func::CallOp::create(builder, computation.getLoc(), function,
                                   computation.getOperands());
  for (NamedAttribute attr : computation->getDiscardableAttrs())
    if (attr.getName() != kFuncAttrsAttrName &&
        attr.getName() != call.getCalleeAttrName())
      call->setAttr(attr.getName(), attr.getValue());
  if (TensorShardingPerValueAttr out = computation.getOutShardingsAttr())
    call->setAttr(kShardingAttrName, out);
  moveDebugInfo(call, function);
  computation->replaceAllUsesWith(call);
  computation->erase();
}

namespace {
struct ExportNamedComputationsPass
    : sdy::impl::ExportNamedComputationsPassBase<ExportNamedComputationsPass> {
  using ExportNamedComputationsPassBase::ExportNamedComputationsPassBase;
  void runOnOperation() override {
    if (failed(verifyNoModulesInside(getOperation())))
      return signalPassFailure();
    SmallVector<NamedComputationOp> computations;
    // Those inside of others first.
    getOperation().walk(
        [&](NamedComputationOp op) { computations.push_back(op); });
    if (computations.empty())
      return markAllAnalysesPreserved();
    SymbolTable symbols(getOperation());
    for (NamedComputationOp op : computations)
      exportComputation(op, symbols);
  }
};
} // namespace
