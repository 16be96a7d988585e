//===- UnflattenCallGraph.cpp - Merging of equal functions ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
// In: functions, several of which may be copies of one function. Out: calls of
// copies with equal shardings of arguments and results, and with the same
// manual axes around them, call the copy that the program calls first. The
// other copies stay, without calls. The names of originals are removed.
//
// Functions are copies if an attribute gives them the same original name. The
// attribute may be wrong, so the bodies are compared too, except for shardings
// and debug attributes of propagation.
//
//===----------------------------------------------------------------------===//

#include "../Propagation/OriginNames.h"
#include "CallUtils.h"
#include "ipu-mlir/Dialect/Sdy/Transforms/Passes.h"
#include "mlir/IR/AttrTypeSubElements.h"

namespace mlir::ipu::sdy {
#define GEN_PASS_DEF_UNFLATTENCALLGRAPHPASS
#include "ipu-mlir/Dialect/Sdy/Transforms/Passes.h.inc"
} // namespace mlir::ipu::sdy

using namespace mlir;
using namespace mlir::ipu;
using namespace mlir::ipu::sdy;

namespace {
/// Decides whether functions say the same, shardings aside.
class ProgramComparison {
public:
  ProgramComparison() {
    auto drop = [](auto attr) -> std::pair<Attribute, WalkResult> {
      return {UnitAttr::get(attr.getContext()), WalkResult::skip()};
    };
    replacer.addReplacement([=](TensorShardingAttr a) { return drop(a); });
    replacer.addReplacement(
        [=](TensorShardingPerValueAttr a) { return drop(a); });
  }

  bool areEqual(FunctionOpInterface a, FunctionOpInterface b) {
    using Flags = OperationEquivalence::Flags;
    return OperationEquivalence::isRegionEquivalentTo(
               &a.getFunctionBody(), &b.getFunctionBody(),
               Flags::IgnoreLocations | Flags::IgnoreDiscardableAttrs |
                   Flags::IgnoreProperties) &&
           getAttrs(a) == getAttrs(b);
  }

private:
  /// The attributes of all ops, in order.
  SmallVector<Attribute> getAttrs(FunctionOpInterface function) {
    SmallVector<Attribute> all;
    function->walk<WalkOrder::PreOrder>([&](Operation *op) {
      NamedAttrList attrs(getAttrsWithoutDebugInfo(op));
      attrs.erase(kShardingAttrName);
      if (op == function)
        for (StringRef name : {SymbolTable::getSymbolAttrName(),
                               SymbolTable::getVisibilityAttrName(),
                               StringRef(kOriginalFuncNameAttrName),
                               StringRef("arg_attrs"), StringRef("res_attrs")})
          attrs.erase(name);
      all.push_back(replacer.replace(attrs.getDictionary(op->getContext())));
    });
    return all;
  }

  AttrTypeReplacer replacer;
};

class Unflattener {
public:
  explicit Unflattener(ModuleOp module) : module(module), calls(module) {}

  /// Whether a call has another callee now.
  bool run();

private:
  /// Functions by the height of what they call, the first called first: when
  /// one's turn comes, what it calls is as it will be.
  SmallVector<FunctionOpInterface> getOrder() const;
  /// What copies of one function have in common if they can be one.
  Attribute getKey(FunctionOpInterface function);
  Attribute getManualAxes(FunctionOpInterface function);
  /// What comes from ops in `gone` comes from those in `kept`, which is equal.
  void joinOrigins(FunctionOpInterface kept, FunctionOpInterface gone);

  ModuleOp module;
  FunctionCalls calls;
  OriginRenames renames;
  ProgramComparison programs;
  llvm::DenseMap<Operation *, Attribute> manualAxes;
};
} // namespace

SmallVector<FunctionOpInterface> Unflattener::getOrder() const {
  llvm::DenseMap<Operation *, unsigned> heights;
  for (FunctionOpInterface function : calls.getPostOrder()) {
    unsigned height = 0;
    for (CallOpInterface call : calls.getCallsIn(function))
      height = std::max(height, heights.lookup(calls.getCallee(call)) + 1);
    heights[function] = height;
  }
  SmallVector<SmallVector<FunctionOpInterface>> byHeight;
  llvm::SmallDenseSet<Operation *> seen;
  for (FunctionOpInterface function : calls.getFunctions())
    for (CallOpInterface call : calls.getCallsIn(function)) {
      FunctionOpInterface callee = calls.getCallee(call);
      if (callee.isExternal() || !seen.insert(callee).second)
        continue;
      unsigned height = heights.lookup(callee);
      byHeight.resize(std::max<size_t>(byHeight.size(), height + 1));
      byHeight[height].push_back(callee);
    }
  SmallVector<FunctionOpInterface> order;
  for (ArrayRef<FunctionOpInterface> functions : byHeight)
    llvm::append_range(order, functions);
  return order;
}

Attribute Unflattener::getManualAxes(FunctionOpInterface function) {
  if (Attribute given = function->getAttr(kFuncManualAxesAttrName))
    return given;
  return manualAxes.lookup(function);
}

Attribute Unflattener::getKey(FunctionOpInterface function) {
  MLIRContext *context = function->getContext();
  auto orNothing = [&](Attribute attr) {
    return attr ? attr : UnitAttr::get(context);
  };
  return ArrayAttr::get(context, {getOriginalName(function),
                                  orNothing(getManualAxes(function)),
                                  orNothing(getArgShardings(function)),
                                  orNothing(getResultShardings(function))});
}

void Unflattener::joinOrigins(FunctionOpInterface kept,
                              FunctionOpInterface gone) {
  SmallVector<Operation *> ops;
  kept->walk<WalkOrder::PreOrder>([&](Operation *op) { ops.push_back(op); });
  auto *next = ops.begin();
  gone->walk<WalkOrder::PreOrder>(
      [&](Operation *op) { renames.add(*next++, op); });
}

bool Unflattener::run() {
  // Callers first: their calls say what is manual around callees. Calls that
  // share a function say the same.
  SmallVector<FunctionOpInterface> postOrder = calls.getPostOrder();
  for (FunctionOpInterface function : llvm::reverse(postOrder)) {
    auto around = cast_or_null<ArrayAttr>(manualAxes.lookup(function));
    for (CallOpInterface call : calls.getCallsIn(function))
      manualAxes.try_emplace(calls.getCallee(call),
                             getManualAxesAround(call, around));
  }
  bool changed = false;
  llvm::DenseMap<Attribute, SmallVector<FunctionOpInterface, 1>> known;
  for (FunctionOpInterface function : getOrder()) {
    SmallVector<FunctionOpInterface, 1> &copies = known[getKey(function)];
    auto *it = llvm::find_if(copies, [&](FunctionOpInterface other) {
      return programs.areEqual(function, other);
    });
    if (it == copies.end()) {
      copies.push_back(function);
      continue;
    }
    for (CallOpInterface call : calls.getCallsOf(function))
      setCallee(call, *it);
    joinOrigins(*it, function);
    changed = true;
  }
  for (FunctionOpInterface function : calls.getFunctions())
    for (StringRef name : {kOriginalFuncNameAttrName, kFuncManualAxesAttrName})
      changed |= static_cast<bool>(function->removeAttr(name));
  renames.apply(module);
  return changed;
}

namespace {
struct UnflattenCallGraphPass
    : sdy::impl::UnflattenCallGraphPassBase<UnflattenCallGraphPass> {
  using UnflattenCallGraphPassBase::UnflattenCallGraphPassBase;
  void runOnOperation() override {
    if (!Unflattener(getOperation()).run())
      markAllAnalysesPreserved();
  }
};
} // namespace
