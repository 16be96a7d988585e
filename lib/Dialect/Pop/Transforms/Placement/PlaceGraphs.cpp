//===- PlaceGraphs.cpp - Graphs on the IPUs of their calls ------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: calls with virtual graphs of functions without virtual graphs. Out: the
// same calls of functions that are on the virtual graphs of their calls, and in
// the stages of their calls.
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Analysis/Effects/FunctionCalls.h"
#include "ipu-mlir/Dialect/Pop/IR/Placement.h"
#include "ipu-mlir/Dialect/Pop/Transforms/Passes.h"
#include "ipu-mlir/Dialect/Pop/Transforms/VirtualGraphs.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/MapVector.h"

namespace mlir::pop {
#define GEN_PASS_DEF_PLACEGRAPHSPASS
#include "ipu-mlir/Dialect/Pop/Transforms/Passes.h.inc"
} // namespace mlir::pop

using namespace mlir;
using namespace mlir::pop;

namespace {
class GraphPlacer {
public:
  explicit GraphPlacer(ModuleOp module) : module(module), symbols(module) {}

  LogicalResult run();

private:
  void addCalls(Operation *root);
  LogicalResult place(func::FuncOp function);

  ModuleOp module;
  SymbolTable symbols;
  /// The calls of each function, including those in clones.
  llvm::DenseMap<StringAttr, SmallVector<func::CallOp>> callsOf;
  /// The ops that load the code of functions.
  llvm::DenseMap<StringAttr, Operation *> loadOf;
};
} // namespace

void GraphPlacer::addCalls(Operation *root) {
  root->walk([&](func::CallOp call) {
    callsOf[call.getCalleeAttr().getAttr()].push_back(call);
  });
}

/// Returns the virtual graph and, if there is one, the stage of `call`; an
/// empty dictionary if the call has no virtual graph.
static DictionaryAttr getPlace(func::CallOp call) {
  NamedAttrList place;
  if (Attribute vgraph = call->getAttr(PopDialect::kVgraphAttrName)) {
    place.append(PopDialect::kVgraphAttrName, vgraph);
    if (Attribute stage = call->getAttr(PopDialect::kStageAttrName))
      place.append(PopDialect::kStageAttrName, stage);
  }
  return place.getDictionary(call.getContext());
}

/// Places all ops of `function` that compute or move values, and its calls.
static void setPlace(func::FuncOp function, DictionaryAttr place) {
  function.walk([&](Operation *op) {
    if (isPlaceable(op) && (isa<func::CallOp>(op) ||
                            isa_and_nonnull<PopDialect>(op->getDialect())))
      for (NamedAttribute attribute : place)
        op->setAttr(attribute.getName(), attribute.getValue());
  });
}

LogicalResult GraphPlacer::place(func::FuncOp function) {
  llvm::MapVector<DictionaryAttr, SmallVector<func::CallOp>> ofPlace;
  for (func::CallOp call : callsOf.lookup(function.getSymNameAttr()))
    if (DictionaryAttr place = getPlace(call); !place.empty())
      ofPlace[place].push_back(call);
  Operation *load = loadOf.lookup(function.getSymNameAttr());
  if (load && ofPlace.size() > 1) {
    InFlightDiagnostic error = function.emitOpError(
        "is called on several virtual graphs, or in several "
        "stages, so it is cloned, but its code is loaded; "
        "define a function for each of them");
    error.attachNote(load->getLoc()) << "the code is loaded here";
    return error;
  }
  // Clones are made before the function gets its placement.
  SmallVector<func::FuncOp> placed{function};
  for (size_t i = 1; i < ofPlace.size(); ++i) {
    placed.push_back(function.clone());
    symbols.insert(placed.back(), std::next(Block::iterator(placed[i - 1])));
  }
  for (auto [graph, calls] : llvm::zip(placed, ofPlace)) {
    setPlace(graph, calls.first);
    if (graph != function)
      addCalls(graph);
    for (func::CallOp call : calls.second)
      call.setCalleeAttr(FlatSymbolRefAttr::get(graph.getSymNameAttr()));
  }
  return success();
}

LogicalResult GraphPlacer::run() {
  addCalls(module);
  module.walk([&](Operation *op) {
    if (ArrayAttr graphs = getMovedGraphs(op))
      for (auto graph : graphs.getAsRange<FlatSymbolRefAttr>())
        loadOf.try_emplace(graph.getAttr(), op);
  });
  // The calls of a function have their virtual graphs after its callers have
  // theirs.
  ipu::FunctionCalls functions(module);
  SmallVector<FunctionOpInterface> order = functions.getPostOrder();
  for (FunctionOpInterface function : llvm::reverse(order)) {
    auto graph = dyn_cast<func::FuncOp>(function.getOperation());
    if (graph && !graph.isExternal() && !findFirstVgraph(graph) &&
        failed(place(graph)))
      return failure();
  }
  return success();
}

namespace {
struct PlaceGraphsPass : pop::impl::PlaceGraphsPassBase<PlaceGraphsPass> {
  void runOnOperation() override {
    if (failed(GraphPlacer(getOperation()).run()))
      signalPassFailure();
  }
};
} // namespace
