//===- Stitch.cpp - Forward and backward graph of a joint graph -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A stitching strategy determines how the backward graph gets the values of the
// forward graph: either the forward graph returns them, or the backward graph
// computes them again from the arguments and results of the forward graph. This
// is PopART's AutodiffStitchStrategy.
//
//===----------------------------------------------------------------------===//

#include "../DrawAdvances.h"
#include "Differentiator.h"
#include "RegionScope.h"
#include "ipu-mlir/Dialect/Pop/IR/TrainingRole.h"

using namespace mlir;
using namespace mlir::pop;

namespace {
class Stitcher {
public:
  Stitcher(JointGraph &joint, ModuleOp module, DrawShifter &shifter,
           function_ref<void(Value, Value)> replace)
      : joint(joint), module(module), shifter(shifter), replace(replace),
        block(joint.function.getBody().front()) {}

  /// Completes the advances of the gradients, and records where the ops of the
  /// forward graph are. Must be called first.
  void countAdvances();
  /// Lets the backward graph compute what it needs from the arguments of the
  /// forward graph and, with `resultsAreInputs`, from its results.
  LogicalResult computeAgain(bool resultsAreInputs);
  /// Lets the forward graph return what the backward graph needs.
  LogicalResult addForwardOutputs();
  /// Lets calls of backward graphs draw the random bits of the forward calls,
  /// however many advances are between the calls.
  LogicalResult shiftCalls();
  BackwardGraph finish();

private:
  bool isRepeatable(Operation *op) const;
  bool isRepeatable(CallOpInterface call) const;
  LogicalResult verifyRepeatable(Operation *op) const;
  LogicalResult reportUnknownAdvances(Operation *draw) const;
  auto getForwardOps() {
    return llvm::make_range(block.begin(), joint.firstGradient->getIterator());
  }
  bool draws();
  NamedAttrList getForwardPlacement(GraphValueAttr value) const;
  void eraseUnusedForward();
  LogicalResult shiftForward();
  Value addInput(Value value, GraphValueAttr attribute);
  bool isMovable(Operation *op) const;
  LogicalResult verifyUses() const;
  void extendCalls(TypeRange types);
  SmallVector<Value> moveForward();

  JointGraph &joint;
  ModuleOp module;
  DrawShifter &shifter;
  function_ref<void(Value, Value)> replace;
  Block &block;
  /// What the arguments after the provided gradients are.
  SmallVector<GraphValueAttr> inputs;
  AdvanceCounts advances;
  /// For each op of the forward graph, also if it is erased, the number of
  /// advances between the op and the end of the forward graph, or std::nullopt
  /// if this number is not a constant.
  llvm::DenseMap<Operation *, std::optional<int64_t>> advancesAfter;
};
} // namespace

/// Marks a copy of an op of the forward graph. It stays in the stage of the
/// forward graph: what it reads may be on other IPUs, and the stage of each is
/// no later.
static void markRecomputed(Operation *op) {
  op->walk([](Operation *nested) {
    setTrainingRole(nested, TrainingRole::Recomputed);
  });
}

static std::optional<int64_t> add(std::optional<int64_t> a,
                                  std::optional<int64_t> b) {
  return a && b ? std::optional(*a + *b) : std::nullopt;
}

static GraphValueAttr getResult(MLIRContext *context, unsigned index) {
  return GraphValueAttr::get(context, GraphValueKind::Result, index);
}

/// Erases the ops from `last` back to `first`, and in their regions, whose
/// results have no use and for which `canErase` returns true.
static void eraseUnused(Operation *first, Operation *last,
                        function_ref<bool(Operation *)> canErase) {
  if (!first || !last)
    return;
  Operation *stop = first->getPrevNode(), *previous;
  for (Operation *op = last; op != stop; op = previous) {
    previous = op->getPrevNode();
    if (op->use_empty() && canErase(op)) {
      op->erase();
      continue;
    }
    for (Region &region : op->getRegions())
      for (Block &block : region)
        if (!block.without_terminator().empty())
          eraseUnused(&block.front(), block.getTerminator()->getPrevNode(),
                      canErase);
  }
}

//===----------------------------------------------------------------------===//
// Computing again
//===----------------------------------------------------------------------===//

/// Whether a call of the same function gives the same again and does nothing
/// else.
bool Stitcher::isRepeatable(CallOpInterface call) const {
  auto symbol = dyn_cast<SymbolRefAttr>(call.getCallableForCallee());
  auto callee = symbol ? joint.callees->find(symbol.getLeafReference())
                       : joint.callees->end();
  if (callee == joint.callees->end() || !callee->second.isReadOnly)
    return false;
  const GraphContext &context = *joint.context;
  return llvm::none_of(callee->second.readVariables,
                       [&](StringAttr variable) {
                         return context.writtenVariables.contains(variable);
                       }) &&
         llvm::none_of(call.getArgOperands(), [&](Value operand) {
           return isa<RefType>(operand.getType()) &&
                  context.findWriter(operand);
         });
}

/// Whether executing `op`, but for what is in its regions, gives the same again
/// and does nothing else.
bool Stitcher::isRepeatable(Operation *op) const {
  if (auto call = dyn_cast<CallOpInterface>(op))
    return isRepeatable(call);
  return isa<AdvanceDrawsOp>(op) ||
         op->hasTrait<OpTrait::HasRecursiveMemoryEffects>() ||
         pop::isRepeatable(op, *joint.context);
}

LogicalResult Stitcher::verifyRepeatable(Operation *op) const {
  WalkResult result = op->walk([&](Operation *nested) {
    if (isRepeatable(nested))
      return WalkResult::advance();
    nested->emitOpError() << "is needed for gradients of @"
                          << joint.forward.getSymName()
                          << " but cannot be recomputed; expects stitching "
                             "strategy 'add_fwd_outputs'";
    return WalkResult::interrupt();
  });
  return failure(result.wasInterrupted());
}

/// Reports that `draw` would draw other random bits if it were recomputed.
LogicalResult Stitcher::reportUnknownAdvances(Operation *draw) const {
  return draw->emitOpError()
         << "draws random bits and is needed for gradients of @"
         << joint.forward.getSymName()
         << " but cannot be recomputed with the same bits, because the number "
            "of advances of random bits from the op to its recomputation is "
            "not a constant; expects stitching strategy 'add_fwd_outputs'";
}

/// Returns whether the ops that are left of the forward graph draw random bits.
bool Stitcher::draws() {
  return usesDrawNumbers(module) &&
         llvm::any_of(getForwardOps(), [](Operation &op) {
           return findNumberedDraw(&op) != nullptr;
         });
}

/// Erases what the backward graph need not recompute, whatever effects it has.
/// Regions that draw must advance as they do in the forward graph.
void Stitcher::eraseUnusedForward() {
  Operation *lastForward = joint.firstGradient->getPrevNode();
  if (usesDrawNumbers(module))
    eraseUnused(&block.front(), lastForward, [&](Operation *op) {
      return op->getBlock() == &block || advances.get(op) == 0;
    });
  if (!draws())
    eraseUnused(&block.front(), joint.firstGradient->getPrevNode(),
                [](Operation *) { return true; });
}

void Stitcher::countAdvances() {
  if (!usesDrawNumbers(module))
    return;
  addAdvances(joint.function);
  std::optional<int64_t> after = 0;
  for (Operation &op : llvm::reverse(getForwardOps())) {
    advancesAfter[&op] = after;
    after = add(after, advances.get(&op));
  }
}

/// Lets the ops that are left of the forward graph draw the bits that they draw
/// in the forward graph. The backward graph starts at the end of the forward
/// graph.
LogicalResult Stitcher::shiftForward() {
  std::optional<int64_t> executed = 0;
  for (Operation &op : getForwardOps()) {
    executed = add(executed, advances.get(&op));
    Operation *draw = findNumberedDraw(&op);
    if (!draw)
      continue;
    // Both graphs have the advances of the op itself.
    std::optional<int64_t> distance = add(advancesAfter.lookup(&op), executed);
    if (!distance)
      return reportUnknownAdvances(draw);
    if (failed(shifter.shift(&op, -*distance)))
      return failure();
  }
  return success();
}

LogicalResult Stitcher::shiftCalls() {
  for (const auto &[forward, backward] : joint.context->drawsAgain) {
    std::optional<int64_t> distance =
        add(advancesAfter.lookup(forward),
            advances.get(block.begin(), backward->getIterator()));
    if (!distance)
      return reportUnknownAdvances(backward);
    if (failed(shifter.shift(backward, -*distance)))
      return failure();
  }
  return success();
}

LogicalResult Stitcher::computeAgain(bool resultsAreInputs) {
  MLIRContext *context = module.getContext();
  unsigned numArguments = block.getNumArguments() - joint.getNumProvided();
  for (unsigned i = 0; i < numArguments; ++i)
    inputs.push_back(GraphValueAttr::get(context, GraphValueKind::Argument, i));
  llvm::DenseSet<Value> done;
  for (auto [i, value] : llvm::enumerate(joint.results))
    if (resultsAreInputs && value.getDefiningOp() && done.insert(value).second)
      value.replaceAllUsesWith(addInput(value, getResult(context, i)));
  eraseUnusedForward();
  for (Operation &op : getForwardOps()) {
    if (failed(verifyRepeatable(&op)))
      return failure();
    markRecomputed(&op);
  }
  return draws() ? shiftForward() : success();
}

/// An argument of the backward graph for `value` of the forward graph.
Value Stitcher::addInput(Value value, GraphValueAttr attribute) {
  inputs.push_back(attribute);
  return block.addArgument(value.getType(), value.getLoc());
}

//===----------------------------------------------------------------------===//
// Results of the forward graph
//===----------------------------------------------------------------------===//

/// Whether the backward graph has `op` instead of its results: they are no
/// tensors, or cost nothing.
bool Stitcher::isMovable(Operation *op) const {
  if (op->hasTrait<OpTrait::ConstantLike>())
    return true;
  if (auto read = dyn_cast<ReadOp>(op)) {
    Value origin = getRefOrigin(read.getTarget());
    return isRepeatable(op) && (isa<BlockArgument>(origin) ||
                                origin.getDefiningOp<GetVariableOp>());
  }
  bool isPure =
      isMemoryEffectFree(op) || (op->hasTrait<RefOrigin>() && isRepeatable(op));
  return isPure &&
         llvm::none_of(op->getResultTypes(), llvm::IsaPred<RankedTensorType>);
}

/// Moves the forward ops into the forward function. Returns what takes the
/// place of its arguments in the joint graph.
SmallVector<Value> Stitcher::moveForward() {
  Block &forward = joint.forward.getBody().front();
  forward.walk([](Operation *op) { op->dropAllReferences(); });
  while (!forward.empty())
    forward.back().erase();
  forward.getOperations().splice(forward.end(), block.getOperations(),
                                 block.begin(),
                                 joint.firstGradient->getIterator());
  auto arguments = block.getArguments().drop_front(joint.getNumProvided());
  for (auto [from, to] : llvm::zip_equal(arguments, forward.getArguments()))
    from.replaceUsesWithIf(to, [&](OpOperand &use) {
      return joint.forward->isAncestor(use.getOwner());
    });
  return llvm::to_vector_of<Value>(arguments);
}

/// Whether all that names the forward graph calls it, or moves its code; an
/// error if not.
LogicalResult Stitcher::verifyUses() const {
  for (Operation *user : joint.users)
    if (!isa<func::CallOp, ipu::CodeLoadOpInterface>(user))
      return user->emitOpError()
             << "uses @" << joint.forward.getSymName()
             << ", to which stitching strategy 'add_fwd_outputs' adds results; "
                "expects calls only";
  return success();
}

/// Adds results to the calls of the forward graph.
void Stitcher::extendCalls(TypeRange types) {
  for (Operation *user : joint.users) {
    auto call = dyn_cast<func::CallOp>(user);
    if (!call)
      continue;
    OpBuilder b(call);
    SmallVector<Type> results(call.getResultTypes());
    llvm::append_range(results, types);
    auto extended = func::CallOp::create(b, call.getLoc(), results,
                                         call.getOperands(), call->getAttrs());
    ResultRange replacements =
        extended.getResults().take_front(call.getNumResults());
    for (auto [from, to] : llvm::zip_equal(call.getResults(), replacements))
      replace(from, to);
    call.replaceAllUsesWith(replacements);
    call.erase();
  }
}

LogicalResult Stitcher::addForwardOutputs() {
  MLIRContext *context = module.getContext();
  SmallVector<Value> arguments = moveForward();
  for (unsigned i = 0; i < arguments.size(); ++i)
    inputs.push_back(GraphValueAttr::get(context, GraphValueKind::Argument, i));

  Block &forward = joint.forward.getBody().front();
  auto isUsedOutside = [&](Value value) {
    return llvm::any_of(value.getUses(), [&](OpOperand &use) {
      return !joint.forward->isAncestor(use.getOwner());
    });
  };
  // Results of the forward graph, by their first number.
  llvm::DenseMap<Value, unsigned> numbers;
  for (auto [i, value] : llvm::enumerate(joint.results))
    numbers.try_emplace(value, i);
  SmallVector<Value> outputs(joint.results);
  for (Operation &op : llvm::reverse(forward)) {
    if (!llvm::any_of(op.getResults(), isUsedOutside))
      continue;
    if (!isMovable(&op))
      continue;
    // Its operands are used in the backward graph from now on.
    OpBuilder b = OpBuilder::atBlockBegin(&block);
    Operation *clone = b.clone(op);
    markRecomputed(clone);
    for (auto [from, to] :
         llvm::zip_equal(op.getResults(), clone->getResults()))
      from.replaceUsesWithIf(to, [&](OpOperand &use) {
        return !joint.forward->isAncestor(use.getOwner());
      });
    clone->walk([&](Operation *nested) {
      for (OpOperand &operand : nested->getOpOperands())
        if (auto argument = dyn_cast<BlockArgument>(operand.get()))
          if (argument.getOwner() == &forward)
            operand.set(arguments[argument.getArgNumber()]);
    });
  }
  for (Operation &op : forward)
    for (Value value : op.getResults()) {
      if (!isUsedOutside(value))
        continue;
      if (!isa<RankedTensorType>(value.getType()))
        return op.emitOpError()
               << "has a result of type " << value.getType()
               << " that is needed for gradients of @"
               << joint.forward.getSymName()
               << ", but only ranked tensors can become results of @"
               << joint.forward.getSymName();
      auto [number, isNew] = numbers.try_emplace(value, outputs.size());
      if (isNew)
        outputs.push_back(value);
      Value input = addInput(value, getResult(context, number->second));
      value.replaceUsesWithIf(input, [&](OpOperand &use) {
        return !joint.forward->isAncestor(use.getOwner());
      });
    }
  for (Operation &op : llvm::make_early_inc_range(forward))
    if (isa<GetVariableOp>(op) && op.use_empty())
      op.erase();
  OpBuilder b = OpBuilder::atBlockEnd(&forward);
  for (Value &output : outputs)
    if (auto argument = dyn_cast<BlockArgument>(output))
      if (argument.getOwner() == &block)
        output = forward.getArgument(argument.getArgNumber() -
                                     joint.getNumProvided());
  func::ReturnOp::create(b, joint.forward.getLoc(), outputs);
  auto types = ValueRange(outputs).drop_front(joint.results.size()).getTypes();
  unsigned numResults = joint.forward.getNumResults();
  SmallVector<unsigned> positions(types.size(), numResults);
  SmallVector<DictionaryAttr> attributes(types.size());
  LogicalResult inserted = joint.forward.insertResults(
      positions, SmallVector<Type>(types), attributes);
  assert(succeeded(inserted) && "any type may be one of a result");
  (void)inserted;
  if (types.empty())
    return success();
  if (failed(verifyUses()))
    return failure();
  extendCalls(types);
  return success();
}

//===----------------------------------------------------------------------===//
// Backward graphs
//===----------------------------------------------------------------------===//

/// Returns the virtual graph and the tile set of an argument or result of the
/// forward graph.
NamedAttrList Stitcher::getForwardPlacement(GraphValueAttr attribute) const {
  Block &forward = joint.forward.getBody().front();
  unsigned index = attribute.getIndex();
  Value value = attribute.getKind() == GraphValueKind::Argument
                    ? forward.getArgument(index)
                    : forward.getTerminator()->getOperand(index);
  Builder b(value.getContext());
  NamedAttrList placement;
  if (std::optional<int64_t> vgraph = getVgraph(value))
    placement.set(PopDialect::kVgraphAttrName, b.getI64IntegerAttr(*vgraph));
  if (TileSet set = getTileSet(value); set != TileSet::Compute)
    placement.set(PopDialect::kTileSetAttrName,
                  TileSetAttr::get(b.getContext(), set));
  return placement;
}

/// Gives the backward function its arguments and results.
BackwardGraph Stitcher::finish() {
  MLIRContext *context = module.getContext();
  func::FuncOp function = joint.function;
  Operation *terminator = block.getTerminator();
  if (!block.without_terminator().empty())
    eraseUnused(&block.front(), terminator->getPrevNode(), isMemoryEffectFree);

  if (usesDrawNumbers(module))
    addAdvances(function);
  bool drawsAgain = usesDrawNumbers(module) && findNumberedDraw(function);

  BackwardGraph graph{function, {}, joint.outputs, drawsAgain};
  for (unsigned result : joint.provided)
    graph.inputs.push_back({getResult(context, result), /*isGradient=*/true});
  BitVector unused(block.getNumArguments());
  for (auto [i, input] : llvm::enumerate(inputs)) {
    unsigned number = joint.getNumProvided() + i;
    if (block.getArgument(number).use_empty())
      unused.set(number);
    else
      graph.inputs.push_back({input, /*isGradient=*/false});
  }
  block.eraseArguments(unused);
  function.setType(FunctionType::get(context, block.getArgumentTypes(),
                                     terminator->getOperandTypes()));
  SmallVector<Attribute> argumentAttrs, resultAttrs;
  auto addAttrs = [&](SmallVectorImpl<Attribute> &all, StringRef name,
                      GraphValueAttr value, NamedAttrList attributes = {}) {
    attributes.set(name, value);
    all.push_back(attributes.getDictionary(context));
  };
  for (const BackwardGraph::Input &input : graph.inputs)
    addAttrs(argumentAttrs,
             input.isGradient ? PopDialect::kGradientOfAttrName
                              : PopDialect::kForwardValueAttrName,
             input.value, getForwardPlacement(input.value));
  for (GraphValueAttr output : graph.outputs)
    addAttrs(resultAttrs, PopDialect::kGradientOfAttrName, output);
  function.setArgAttrsAttr(ArrayAttr::get(context, argumentAttrs));
  function.setResAttrsAttr(ArrayAttr::get(context, resultAttrs));
  return graph;
}

FailureOr<BackwardGraph>
mlir::pop::stitch(JointGraph joint, const AutodiffSettings &settings,
                  ModuleOp module, DrawShifter &shifter,
                  function_ref<void(Value, Value)> replace) {
  Stitch strategy = settings.stitch;
  bool isEntry = settings.entry == joint.forward;
  if (isEntry && strategy == Stitch::AddFwdOutputs)
    return joint.forward.emitOpError()
           << "is the entry function, to which stitching strategy "
              "'add_fwd_outputs' cannot add results; expects "
              "'safe_add_fwd_outputs' or a strategy that recomputes";
  Stitcher stitcher(joint, module, shifter, replace);
  // Gradients that are not used would keep forward values.
  joint.function.getBody().front().getTerminator()->setOperands(
      joint.gradients);
  Operation *terminator = joint.function.getBody().front().getTerminator();
  if (joint.firstGradient != terminator) {
    Operation *before = joint.firstGradient->getPrevNode();
    eraseUnused(joint.firstGradient, terminator->getPrevNode(),
                isMemoryEffectFree);
    joint.firstGradient = before ? before->getNextNode()
                                 : &joint.function.getBody().front().front();
  }
  stitcher.countAdvances();
  LogicalResult result = success();
  switch (strategy) {
  case Stitch::AddFwdOutputs:
    result = stitcher.addForwardOutputs();
    break;
  case Stitch::SafeAddFwdOutputs:
    // Other modules may call a public function.
    result = isEntry || joint.forward.isPublic()
                 ? stitcher.computeAgain(/*resultsAreInputs=*/false)
                 : stitcher.addForwardOutputs();
    break;
  case Stitch::RecomputeMinimal:
    result = stitcher.computeAgain(/*resultsAreInputs=*/true);
    break;
  case Stitch::RecomputeAllNonInputs:
    result = stitcher.computeAgain(/*resultsAreInputs=*/false);
    break;
  }
  if (failed(result) || failed(stitcher.shiftCalls()))
    return failure();
  return stitcher.finish();
}
