//===- ImportFuncCalls.cpp - Calls as computations ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
// In: calls of functions. Out: each call of a function of one block is an
// `sdy.named_computation` with the (original) name and the body of the
// function. The operands have the shardings of the function's arguments, and
// the results have the shardings of the call. A private function is erased once
// all its calls are replaced. The call's attributes are kept, and further
// attributes of the function become `sdy.func_attrs`. Calls of declarations and
// of functions of several blocks do not change.
//
//===----------------------------------------------------------------------===//

#include "CallUtils.h"
#include "FuncAttrs.h"
#include "ipu-mlir/Dialect/Sdy/Transforms/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/IRMapping.h"

namespace mlir::ipu::sdy {
#define GEN_PASS_DEF_IMPORTFUNCCALLSPASS
#include "ipu-mlir/Dialect/Sdy/Transforms/Passes.h.inc"
} // namespace mlir::ipu::sdy

using namespace mlir;
using namespace mlir::ipu;
using namespace mlir::ipu::sdy;

/// Attributes of arguments or results without shardings; null if there are
/// none.
static ArrayAttr dropShardings(ArrayAttr dictionaries) {
  SmallVector<Attribute> kept;
  bool isEmpty = true;
  if (dictionaries)
    for (auto dictionary : dictionaries.getAsRange<DictionaryAttr>()) {
      NamedAttrList attrs(dictionary);
      attrs.erase(kShardingAttrName);
      isEmpty &= attrs.empty();
      kept.push_back(attrs.getDictionary(dictionaries.getContext()));
    }
  return isEmpty ? ArrayAttr()
                 : ArrayAttr::get(dictionaries.getContext(), kept);
}

/// What a function has beside what computation and call say; null if it is
/// nothing.
static DictionaryAttr getOtherAttrs(func::FuncOp function) {
  NamedAttrList attrs(function->getAttrDictionary());
  for (StringRef name :
       {SymbolTable::getSymbolAttrName(), SymbolTable::getVisibilityAttrName(),
        function.getFunctionTypeAttrName().getValue(),
        function.getArgAttrsAttrName().getValue(),
        function.getResAttrsAttrName().getValue(),
        StringRef(kOriginalFuncNameAttrName)})
    attrs.erase(name);
  if (ArrayAttr args = dropShardings(function.getArgAttrsAttr()))
    attrs.set(function.getArgAttrsAttrName(), args);
  if (ArrayAttr results = dropShardings(function.getResAttrsAttr()))
    attrs.set(function.getResAttrsAttrName(), results);
  return attrs.empty() ? DictionaryAttr()
                       : attrs.getDictionary(function.getContext());
}

/// Moves or copies the body of `function` to where it is called.
static void importCall(func::CallOp call, func::FuncOp function, bool isLast) {
  OpBuilder builder(call);
  auto computation = NamedComputationOp::create(
      builder, call.getLoc(), call.getResultTypes(), getOriginalName(function),
      call.getOperands(), getArgShardings(function),
      call->getAttrOfType<TensorShardingPerValueAttr>(kShardingAttrName));
  for (NamedAttribute attr : call->getAttrDictionary())
    if (attr.getName() != call.getCalleeAttrName() &&
        attr.getName() != kShardingAttrName)
      computation->setDiscardableAttr(attr.getName(), attr.getValue());
  if (DictionaryAttr attrs = getOtherAttrs(function))
    computation->setDiscardableAttr(kFuncAttrsAttrName, attrs);

  if (isLast) {
    computation.getBody().takeBody(function.getBody());
  } else {
    IRMapping mapping;
    function.getBody().cloneInto(&computation.getBody(), mapping);
  }
  Operation *terminator = computation.getBody().front().getTerminator();
  builder.setInsertionPoint(terminator);
  ReturnOp::create(builder, terminator->getLoc(), terminator->getOperands());
  terminator->erase();
  call->replaceAllUsesWith(computation);
  call->erase();
}

namespace {
struct ImportFuncCallsPass
    : sdy::impl::ImportFuncCallsPassBase<ImportFuncCallsPass> {
  using ImportFuncCallsPassBase::ImportFuncCallsPassBase;
  void runOnOperation() override {
    FunctionCalls calls(getOperation());
    if (failed(verifyExpandable(calls)))
      return signalPassFailure();
    SymbolTableCollection symbols;
    SymbolUserMap users(symbols, getOperation());
    bool changed = false;
    // Callees first: a body that moves has no calls any more.
    for (FunctionOpInterface callee : calls.getPostOrder()) {
      ArrayRef<CallOpInterface> callsOf = calls.getCallsOf(callee);
      auto function = dyn_cast<func::FuncOp>(*callee);
      if (!function || !getReturn(callee) ||
          !llvm::all_of(callsOf, llvm::IsaPred<func::CallOp>))
        continue;
      bool isDead = callee.isPrivate() && !callsOf.empty() &&
                    users.getUsers(callee).size() == callsOf.size();
      for (CallOpInterface call : callsOf)
        importCall(cast<func::CallOp>(*call), function,
                   isDead && call == callsOf.back());
      changed |= !callsOf.empty();
      if (isDead)
        function.erase();
    }
    if (!changed)
      markAllAnalysesPreserved();
  }
};
} // namespace
