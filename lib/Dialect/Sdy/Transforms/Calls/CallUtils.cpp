//===- CallUtils.cpp - Calls, callees and their shardings -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CallUtils.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::ipu;
using namespace mlir::ipu::sdy;

//===----------------------------------------------------------------------===//
// Functions and calls
//===----------------------------------------------------------------------===//

void sdy::setCallee(CallOpInterface call, FunctionOpInterface callee) {
  call.setCalleeFromCallable(
      FlatSymbolRefAttr::get(SymbolTable::getSymbolName(callee)));
}

FunctionOpInterface sdy::copyFunction(FunctionOpInterface function,
                                      SymbolTable &symbols) {
  auto copy = cast<FunctionOpInterface>(function->clone());
  copy->setAttr(kOriginalFuncNameAttrName, getOriginalName(function));
  copy.setPrivate();
  symbols.insert(copy);
  return copy;
}

FunctionOpInterface sdy::copyCallTree(FunctionOpInterface function,
                                      SymbolTable &symbols) {
  SmallVector<FunctionOpInterface> callees;
  function->walk([&](CallOpInterface call) {
    FunctionOpInterface callee = lookupCallee(call, symbols);
    callees.push_back(callee && !callee.isExternal()
                          ? copyCallTree(callee, symbols)
                          : FunctionOpInterface());
  });
  FunctionOpInterface copy = copyFunction(function, symbols);
  unsigned i = 0;
  copy->walk([&](CallOpInterface call) {
    if (FunctionOpInterface callee = callees[i++])
      setCallee(call, callee);
  });
  return copy;
}

StringAttr sdy::getOriginalName(FunctionOpInterface function) {
  auto name = function->getAttrOfType<StringAttr>(kOriginalFuncNameAttrName);
  return name ? name : SymbolTable::getSymbolName(function);
}

ArrayAttr sdy::getManualAxesAround(Operation *op, ArrayAttr outer) {
  SmallVector<StringAttr> axes;
  if (outer)
    llvm::append_range(axes, outer.getAsRange<StringAttr>());
  for (auto manual = op->getParentOfType<ManualComputationOp>(); manual;
       manual = manual->getParentOfType<ManualComputationOp>())
    llvm::append_range(axes, manual.getManualAxes().getValue());
  llvm::sort(axes, [](StringAttr a, StringAttr b) {
    return a.getValue() < b.getValue();
  });
  axes.erase(llvm::unique(axes), axes.end());
  return ArrayAttr::get(op->getContext(),
                        SmallVector<Attribute>(axes.begin(), axes.end()));
}

Operation *sdy::getReturn(FunctionOpInterface function) {
  if (!function.getFunctionBody().hasOneBlock())
    return nullptr;
  Block &body = function.getFunctionBody().front();
  if (!body.mightHaveTerminator())
    return nullptr;
  Operation *terminator = body.getTerminator();
  bool isReturn =
      terminator->hasTrait<OpTrait::ReturnLike>() &&
      llvm::equal(terminator->getOperandTypes(), function.getResultTypes());
  return isReturn ? terminator : nullptr;
}

//===----------------------------------------------------------------------===//
// Shardings
//===----------------------------------------------------------------------===//

TensorShardingPerValueAttr
sdy::collectShardings(TypeRange types,
                      function_ref<TensorShardingAttr(unsigned)> getSharding) {
  SmallVector<TensorShardingAttr> shardings;
  TensorShardingAttr given;
  for (unsigned i = 0; i < types.size(); ++i) {
    shardings.push_back(getSharding(i));
    given = given ? given : shardings.back();
  }
  if (!given)
    return {};
  for (auto [type, sharding] : llvm::zip_equal(types, shardings)) {
    auto shaped = dyn_cast<ShapedType>(type);
    if (!sharding)
      sharding = TensorShardingAttr::getFullyOpen(
          given.getContext(), shaped && shaped.hasRank() ? shaped.getRank() : 0,
          given.getMeshOrRef());
  }
  return TensorShardingPerValueAttr::get(given.getContext(), shardings);
}

TensorShardingPerValueAttr sdy::getArgShardings(FunctionOpInterface function) {
  return collectShardings(function.getArgumentTypes(), [&](unsigned i) {
    return function.getArgAttrOfType<TensorShardingAttr>(i, kShardingAttrName);
  });
}

TensorShardingPerValueAttr
sdy::getResultShardings(FunctionOpInterface function) {
  return collectShardings(function.getResultTypes(), [&](unsigned i) {
    return function.getResultAttrOfType<TensorShardingAttr>(i,
                                                            kShardingAttrName);
  });
}

//===----------------------------------------------------------------------===//
// Limits
//===----------------------------------------------------------------------===//

/// Functions that call each other twice are, a copy for each call, soon more
/// than any memory holds.
static constexpr uint64_t maxNumOps = 1 << 22;
/// Ops in ops use the stack of the process. So does MLIR's verifier, which
/// turns to the next computation while it waits for what is in one.
static constexpr unsigned maxDepth = 1000;
static constexpr uint64_t maxNumNested = 1 << 12;

namespace {
/// What would have this number of clones: of a function if each call had its
/// own.
struct Expansion {
  uint64_t numCopies = 0;
  unsigned depth = 0;
};
} // namespace

LogicalResult sdy::verifyExpandable(const FunctionCalls &functionCalls) {
  if (failed(functionCalls.verifyNoRecursion()))
    return failure();
  llvm::DenseMap<Operation *, Expansion> expansions;
  uint64_t numNewOps = 0, numNested = 0;
  FunctionOpInterface most;
  // Callers first: all calls of a function are known when its turn comes.
  SmallVector<FunctionOpInterface> postOrder = functionCalls.getPostOrder();
  for (FunctionOpInterface function : llvm::reverse(postOrder)) {
    Expansion own = expansions.lookup(function);
    ArrayRef<CallOpInterface> calls = functionCalls.getCallsIn(function);
    if (!calls.empty())
      numNested = llvm::SaturatingAdd(numNested, own.numCopies);
    if (function.isPublic() || own.numCopies == 0)
      own.numCopies = llvm::SaturatingAdd(own.numCopies, uint64_t(1));
    expansions[function] = own;
    function->walk([&](Operation *) {
      numNewOps = llvm::SaturatingAdd(numNewOps, own.numCopies - 1);
    });
    if (!most || own.numCopies > expansions.lookup(most).numCopies)
      most = function;
    for (CallOpInterface call : calls) {
      Expansion &callee = expansions[functionCalls.getCallee(call)];
      callee.numCopies = llvm::SaturatingAdd(callee.numCopies, own.numCopies);
      callee.depth = std::max(callee.depth, own.depth + 1);
      if (callee.depth > maxDepth)
        return call->emitOpError() << "expects at most " << maxDepth
                                   << " nested calls but is nested in more";
    }
  }
  if (numNested <= maxNumNested && numNewOps <= maxNumOps)
    return success();
  // Not at an op: that could be printed with all that is in it.
  InFlightDiagnostic diagnostic =
      emitError(most.getLoc())
      << "cannot give each call its own function: @"
      << SymbolTable::getSymbolName(most).getValue() << " would have "
      << expansions.lookup(most).numCopies << " copies";
  if (numNested > maxNumNested)
    return diagnostic << "; expects at most " << maxNumNested
                      << " functions that contain calls but got " << numNested;
  return diagnostic << "; expects at most " << maxNumOps << " new ops but got "
                    << numNewOps;
}
