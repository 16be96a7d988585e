//===- LowerCalls.cpp - Calls without arguments and results -----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: functions that call each other with tensors and refs.
// Out: the same functions without arguments and results, except those of the
// entry.
//
// Variables that both sides use hold the passed values. A ref to the same
// variable in all calls of a function is replaced by this variable. The
// contents of other refs are copied in, and copied out if the function modifies
// them. If the previous call passed the same tensor, the tensor is already in
// its variable.
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Dialect/Pop/Transforms/LowerCalls.h"
#include "ipu-mlir/Analysis/Effects/GraphEffects.h"
#include "ipu-mlir/Dialect/Pop/IR/PopBuilder.h"
#include "ipu-mlir/Dialect/Pop/IR/PopGraph.h"
#include "ipu-mlir/Dialect/Pop/Transforms/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/SmallSet.h"
#include <optional>

namespace mlir::pop {
#define GEN_PASS_DEF_LOWERCALLSPASS
#include "ipu-mlir/Dialect/Pop/Transforms/Passes.h.inc"
} // namespace mlir::pop

using namespace mlir;
using namespace mlir::ipu;
using namespace mlir::pop;

namespace {
class CallLowering {
public:
  CallLowering(ModuleOp module, func::FuncOp entry)
      : module(module), entry(entry), symbols(module), functions(module) {}

  LogicalResult run();

private:
  LogicalResult check(func::FuncOp function) const;
  void findModified(ArrayRef<func::FuncOp> called);
  void lower(func::FuncOp function);
  void lowerRef(BlockArgument argument);
  void lowerTensor(BlockArgument argument);
  void lowerResult(func::FuncOp function, unsigned index);

  FlatSymbolRefAttr createScratch(Location loc, func::FuncOp function,
                                  const Twine &name, Type type);
  FlatSymbolRefAttr getCommonVariable(unsigned operand);
  void promote(Operation *alloc, func::FuncOp function);

  ModuleOp module;
  func::FuncOp entry;
  SymbolTable symbols;
  FunctionCalls functions;
  /// The numbers of the arguments that each function may modify.
  llvm::DenseMap<Operation *, llvm::SmallSet<unsigned, 4>> modified;
  /// Of the function that is being lowered.
  SmallVector<func::CallOp> calls;
};
} // namespace

static Value buildVariable(OpBuilder &b, Location loc, FlatSymbolRefAttr symbol,
                           Type type) {
  auto ref = dyn_cast<RefType>(type);
  return GetVariableOp::create(
      b, loc, ref ? ref : RefType::get(cast<RankedTensorType>(type)), symbol);
}

/// Tensors that functions share, undefined until a call fills them.
FlatSymbolRefAttr CallLowering::createScratch(Location loc,
                                              func::FuncOp function,
                                              const Twine &name, Type type) {
  auto ref = dyn_cast<RefType>(type);
  OpBuilder b(function);
  auto scratch = ScratchOp::create(
      b, loc, (function.getSymName() + "." + name).str(),
      ref ? ref.getTensorType() : cast<RankedTensorType>(type),
      /*value=*/nullptr);
  symbols.insert(scratch, Block::iterator(function));
  return FlatSymbolRefAttr::get(scratch.getSymNameAttr());
}

//===----------------------------------------------------------------------===//
// Arguments and results
//===----------------------------------------------------------------------===//

/// A tensor that one op of a function allocates and all calls of another use:
/// makes it a variable.
void CallLowering::promote(Operation *alloc, func::FuncOp function) {
  Location loc = alloc->getLoc();
  PopBuilder b(alloc);
  Type type = alloc->getResult(0).getType();
  FlatSymbolRefAttr symbol = createScratch(loc, function, "alloc", type);
  Value ref = buildVariable(b, loc, symbol, type);
  if (auto from = dyn_cast<FromTensorOp>(alloc))
    CopyInPlaceOp::create(b, loc, ref, from.getInput());
  else if (cast<AllocOp>(alloc).getInit() == AllocInit::Zero)
    ZeroInPlaceOp::create(b, loc, ref);
  alloc->getResult(0).replaceAllUsesWith(ref);
  alloc->erase();
}

/// The variable that operand `operand` of all calls is; null if there is none.
FlatSymbolRefAttr CallLowering::getCommonVariable(unsigned operand) {
  if (calls.empty())
    return {};
  Operation *first = calls.front().getOperand(operand).getDefiningOp();
  bool isSame = llvm::all_of(calls, [&](func::CallOp call) {
    return call.getOperand(operand).getDefiningOp() == first;
  });
  if (isSame && isa_and_nonnull<AllocOp, FromTensorOp>(first))
    promote(first, first->getParentOfType<func::FuncOp>());
  FlatSymbolRefAttr common;
  for (func::CallOp call : calls) {
    auto variable = call.getOperand(operand).getDefiningOp<GetVariableOp>();
    if (!variable || (common && variable.getVariableAttr() != common))
      return {};
    common = variable.getVariableAttr();
  }
  return common;
}

void CallLowering::lowerRef(BlockArgument argument) {
  auto function = cast<func::FuncOp>(argument.getOwner()->getParentOp());
  unsigned index = argument.getArgNumber();
  Location loc = argument.getLoc();
  bool isModified = modified[function].contains(index);
  FlatSymbolRefAttr symbol = getCommonVariable(index);
  if (!symbol) {
    symbol =
        createScratch(loc, function, "arg" + Twine(index), argument.getType());
    for (func::CallOp call : calls) {
      PopBuilder b(call);
      Value actual = call.getOperand(index);
      Value formal = buildVariable(b, call.getLoc(), symbol, actual.getType());
      auto type = cast<RefType>(actual.getType()).getTensorType();
      CopyInPlaceOp::create(b, call.getLoc(), formal,
                            ReadOp::create(b, call.getLoc(), type, actual));
      if (!isModified)
        continue;
      b.setInsertionPointAfter(call);
      CopyInPlaceOp::create(b, call.getLoc(), actual,
                            ReadOp::create(b, call.getLoc(), type, formal));
    }
  }
  OpBuilder b = OpBuilder::atBlockBegin(argument.getOwner());
  argument.replaceAllUsesWith(
      buildVariable(b, loc, symbol, argument.getType()));
}

/// Whether no op of a block from `first` on and before `last` calls anything.
static bool callsNothing(Operation *first, Operation *last) {
  for (Operation *op = first; op != last; op = op->getNextNode())
    if (op->walk([](CallOpInterface) {
            return WalkResult::interrupt();
          }).wasInterrupted())
      return false;
  return true;
}

/// Whether `call` finds its operand `index` where `previous`, the call of the
/// same function before it, left it.
static bool hasSameOperand(func::CallOp previous, func::CallOp call,
                           unsigned index) {
  return previous && previous->getBlock() == call->getBlock() &&
         previous.getOperand(index) == call.getOperand(index) &&
         callsNothing(previous->getNextNode(), call);
}

void CallLowering::lowerTensor(BlockArgument argument) {
  auto function = cast<func::FuncOp>(argument.getOwner()->getParentOp());
  unsigned index = argument.getArgNumber();
  Type type = argument.getType();
  Location loc = argument.getLoc();
  FlatSymbolRefAttr symbol =
      createScratch(loc, function, "arg" + Twine(index), type);
  func::CallOp previous;
  for (func::CallOp call : calls) {
    if (hasSameOperand(std::exchange(previous, call), call, index))
      continue;
    PopBuilder b(call);
    CopyInPlaceOp::create(b, call.getLoc(),
                          buildVariable(b, call.getLoc(), symbol, type),
                          call.getOperand(index));
  }
  OpBuilder b = OpBuilder::atBlockBegin(argument.getOwner());
  Value formal = buildVariable(b, loc, symbol, type);
  argument.replaceAllUsesWith(ReadOp::create(b, loc, type, formal));
}

void CallLowering::lowerResult(func::FuncOp function, unsigned index) {
  Operation *terminator = function.getBody().front().getTerminator();
  Type type = function.getResultTypes()[index];
  Location loc = terminator->getLoc();
  FlatSymbolRefAttr symbol =
      createScratch(loc, function, "result" + Twine(index), type);
  OpBuilder b(terminator);
  CopyInPlaceOp::create(b, loc, buildVariable(b, loc, symbol, type),
                        terminator->getOperand(index));
  for (func::CallOp call : calls) {
    PopBuilder b(call);
    b.setInsertionPointAfter(call);
    Value result = buildVariable(b, call.getLoc(), symbol, type);
    call.getResult(index).replaceAllUsesWith(
        ReadOp::create(b, call.getLoc(), type, result));
  }
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

static bool passesNothing(func::FuncOp function) {
  return function.getFunctionType().getNumInputs() == 0 &&
         function.getNumResults() == 0;
}

void CallLowering::lower(func::FuncOp function) {
  if (passesNothing(function))
    return;
  calls.clear();
  // Other call ops pass nothing.
  for (CallOpInterface call : functions.getCallsOf(function))
    calls.push_back(cast<func::CallOp>(call.getOperation()));
  Block &body = function.getBody().front();
  for (BlockArgument argument : body.getArguments()) {
    if (isa<RefType>(argument.getType()))
      lowerRef(argument);
    else
      lowerTensor(argument);
  }
  for (unsigned i = 0; i < function.getNumResults(); ++i)
    lowerResult(function, i);

  OpBuilder b(function.getContext());
  for (func::CallOp call : calls) {
    b.setInsertionPoint(call);
    auto bare = func::CallOp::create(b, call.getLoc(), TypeRange(),
                                     function.getSymName(), ValueRange());
    bare->setDiscardableAttrs(call->getDiscardableAttrDictionary());
    call.erase();
  }
  b.setInsertionPoint(body.getTerminator());
  func::ReturnOp::create(b, body.getTerminator()->getLoc());
  body.getTerminator()->erase();
  body.eraseArguments(0, body.getNumArguments());
  function.setType(b.getFunctionType({}, {}));
  function.removeArgAttrsAttr();
  function.removeResAttrsAttr();
}

LogicalResult CallLowering::check(func::FuncOp function) const {
  if (!function.getBody().hasOneBlock())
    return function.emitOpError("expects a called function with a body of one "
                                "block");
  for (Type type : llvm::concat<const Type>(function.getArgumentTypes(),
                                            function.getResultTypes()))
    if (!isa<RefType>(type) && !isReferable(type))
      return function.emitOpError()
             << "passes a value of type " << type << " but calls can only pass "
             << (isa<RankedTensorType>(type)
                     ? "tensors of static shape and pop element type"
                     : "tensors and refs");
  for (auto [index, type] : llvm::enumerate(function.getResultTypes()))
    if (isa<RefType>(type))
      return function.emitOpError() << "returns a ref as result " << index
                                    << "; expects only tensors as results";
  return success();
}

/// Effects are those before any changes. Most programs pass no refs.
void CallLowering::findModified(ArrayRef<func::FuncOp> called) {
  std::optional<GraphEffects> effects;
  for (func::FuncOp function : called)
    for (BlockArgument argument : function.getArguments()) {
      if (!isa<RefType>(argument.getType()))
        continue;
      if (!effects)
        effects.emplace(module);
      if (effects->getEffects(function).mayWrite(
              MemoryLocation::getRoot(argument)))
        modified[function].insert(argument.getArgNumber());
    }
}

LogicalResult CallLowering::run() {
  if (failed(functions.verifyNoRecursion()))
    return failure();
  if (entry)
    for (auto [index, type] : llvm::enumerate(entry.getArgumentTypes()))
      if (isa<RefType>(type))
        return entry.emitOpError()
               << "is the entry function, but its argument " << index
               << " is a ref; expects a tensor, or a variable instead of the "
                  "argument";
  // Code that is loaded is that of a graph, even if nothing calls it any more.
  llvm::DenseSet<StringAttr> loaded;
  module->walk([&](Operation *op) {
    if (ArrayAttr graphs = getMovedGraphs(op))
      for (auto graph : graphs.getAsRange<FlatSymbolRefAttr>())
        loaded.insert(graph.getAttr());
  });
  SmallVector<func::FuncOp> called;
  SmallVector<FunctionOpInterface> order = functions.getPostOrder();
  for (FunctionOpInterface function : llvm::reverse(order)) {
    auto graph = dyn_cast<func::FuncOp>(function.getOperation());
    if (!graph || (functions.getCallsOf(function).empty() &&
                   !loaded.contains(graph.getSymNameAttr())))
      continue;
    if (entry && graph == entry)
      return entry.emitOpError("is the entry function and cannot be called");
    if (failed(check(graph)))
      return failure();
    called.push_back(graph);
  }
  findModified(called);
  // Callers first: what they pass on is a variable already.
  for (func::FuncOp function : called)
    lower(function);
  return success();
}

LogicalResult mlir::pop::lowerCalls(ModuleOp module, func::FuncOp entry) {
  return CallLowering(module, entry).run();
}

namespace {
struct LowerCalls : pop::impl::LowerCallsPassBase<LowerCalls> {
  using LowerCallsPassBase::LowerCallsPassBase;

  void runOnOperation() override {
    auto function =
        dyn_cast_or_null<func::FuncOp>(getOperation().lookupSymbol(entry));
    // A pass that needs a program says so.
    if (!function)
      return markAllAnalysesPreserved();
    if (failed(lowerCalls(getOperation(), function)))
      signalPassFailure();
  }
};
} // namespace
