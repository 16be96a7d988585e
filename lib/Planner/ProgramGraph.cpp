//===- ProgramGraph.cpp - Tensors and steps of a function -------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Predicts, op by op, the steps that convert-pop-to-ipu and
// ipu-materialize-exchange will create.
//
//===----------------------------------------------------------------------===//

#include "ProgramGraph.h"

#include "ipu-mlir/Analysis/TileCounts/Count.h"
#include "ipu-mlir/Dialect/Pop/IR/Placement.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/LoopLikeInterface.h"

using namespace mlir;
using namespace mlir::ipu;

/// The greatest known number of executions. With this limit, products and sums
/// of numbers of executions do not overflow.
static constexpr int64_t kMaxTimes = 1 << 20;

/// Returns the type of a tensor or of the tensor to which a ref refers.
static ShapedType getTensorType(Value value) {
  return cast<ShapedType>(value.getType());
}

static bool isStaticTensor(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type && type.hasStaticShape();
}

//===----------------------------------------------------------------------===//
// Construction
//===----------------------------------------------------------------------===//

TileMappingAttr ProgramGraph::getDefaultTileMapping(Value value) const {
  ShapedType type = getTensorType(value);
  return getLinearTileMapping(context, target, type.getNumElements(),
                              type.getElementType());
}

PlanOptions ProgramGraph::getOptions(Operation *op) const {
  PlanOptions own = options;
  if (op)
    if (std::optional<int64_t> perMille = getAvailableMemory(op))
      own.memoryPerMille = *perMille;
  return own;
}

/// Adds a tensor with storage and returns its number. If `given` is null, the
/// caller must add its choices.
unsigned ProgramGraph::addTensor(Value value, Operation *op,
                                 TileMappingAttr given) {
  unsigned index = tensors.size();
  PlanTensor &tensor = tensors.emplace_back();
  tensor.value = value;
  tensor.op = op;
  tensor.elementBytes = getStoredBytes(getTensorType(value).getElementType());
  if (given) {
    tensor.isFixed = true;
    std::optional<TileMappingChoice> choice = getChoice(index, given);
    tensors[index].choices.push_back(choice ? *choice
                                            : TileMappingChoice{given});
  }
  return index;
}

/// Returns the choice with `mapping`, or std::nullopt if the op of the tensor
/// cannot be split in this way.
std::optional<TileMappingChoice>
ProgramGraph::getChoice(unsigned tensor, TileMappingAttr mapping) {
  auto codelet = dyn_cast_or_null<CodeletOpInterface>(tensors[tensor].op);
  if (!codelet)
    return TileMappingChoice{mapping};
  if (failed(codelet.getTileForm(mapping.getDomain())))
    return std::nullopt;
  const PartitionProblem *problem =
      cache.getProblem(codelet, mapping.getDomain());
  if (!problem)
    return std::nullopt;
  const TileForm &form = problem->form;
  std::optional<LoopBlocks> blocks =
      getPartition(form, form.results.front(), mapping);
  if (!blocks)
    return std::nullopt;
  // Vertices that require a layout of the result always write this layout.
  if (AffineMap layout = form.results.front().layout)
    mapping = mapping.withFittedLayout(layout);
  TileMappingChoice choice{mapping, problem, *blocks};
  for (unsigned input = 0; input < form.inputs.size(); ++input)
    choice.inputs.push_back(getInputTileMapping(form, *blocks, input, mapping,
                                                /*operand=*/nullptr));
  choice.computeCycles = getComputeSetCycles(target, *problem, *blocks);
  return choice;
}

std::optional<PlanOperand> ProgramGraph::getOperand(Value value) const {
  auto it = storage.find(value);
  if (it == storage.end())
    return std::nullopt;
  Value root = it->second.root;
  unsigned tensor = tensorOf.lookup(root);
  auto further = sourceOfFurther.find(root);
  return PlanOperand{
      tensor, it->second.view,
      it->second.isWhole(tensors[tensor].getType().getNumElements()),
      further == sourceOfFurther.end() ? tensor : further->second,
      getStoredBytes(getTensorType(root).getElementType())};
}

/// Adds a copy of `value` in its row-major order and returns its number. If
/// `view` is set, it is a view of all elements of the copy, and the tile
/// mapping of the copy is a choice. Otherwise the copy has the default tile
/// mapping.
unsigned ProgramGraph::addCopy(Value value, Operation *view) {
  PlanOperand operand = *getOperand(value);
  unsigned copy;
  if (view) {
    copy = addTensor(
        view->getResult(0), view,
        view->getAttrOfType<TileMappingAttr>(IPUDialect::kTileMappingAttrName));
    if (!tensors[copy].isFixed)
      tensors[copy].choices.push_back({getDefaultTileMapping(value)});
  } else {
    copy = addTensor(value, nullptr, getDefaultTileMapping(value));
  }
  addStep({PlanStep::Kind::Copy, nullptr, copy, {operand}});
  return copy;
}

/// Returns the number of the tensor whose storage is `value` in row-major
/// order. Adds a copy if `value` is not such a tensor.
unsigned ProgramGraph::getWhole(Value value) {
  PlanOperand operand = *getOperand(value);
  return operand.isWhole ? operand.tensor : addCopy(value, /*view=*/nullptr);
}

/// Returns whether `value`, which is a ref or a tensor that is read from a ref,
/// has no users except copies and `reader`, directly or through views.
static bool isUsedBy(Value value, Operation *reader) {
  return llvm::all_of(value.getUsers(), [&](Operation *user) {
    if (isa<TileViewOpInterface>(user))
      return isUsedBy(user->getResult(0), reader);
    return user == reader || isa<pop::CopyInPlaceOp>(user);
  });
}

/// Returns the scratch variables that only copies write, and that only copies
/// and one op read. The op is the only op with splits in a function that must
/// not be inlined, such as a function for the parts of an op. The op needs its
/// operands on the tiles that read them. Therefore it takes no more memory if
/// the variables are already on these tiles.
static DenseSet<StringAttr> findPassed(ModuleOp module) {
  DenseSet<StringAttr> passed;
  for (auto scratch : module.getOps<pop::ScratchOp>())
    passed.insert(scratch.getSymNameAttr());
  if (passed.empty())
    return passed;
  for (auto function : module.getOps<func::FuncOp>()) {
    Operation *only = nullptr;
    int64_t count = 0;
    if (function.getNoInline())
      function.walk([&](TilePlanOpInterface op) {
        only = op;
        ++count;
      });
    function.walk([&](pop::GetVariableOp op) {
      if (!isUsedBy(op.getResult(), count == 1 ? only : nullptr))
        passed.erase(op.getVariableAttr().getAttr());
    });
  }
  return passed;
}

LogicalResult ProgramGraph::build() {
  functions.insert(function);
  if (auto module = function->getParentOfType<ModuleOp>())
    passed = findPassed(module);
  countCalls();
  for (BlockArgument argument : function.getArguments()) {
    if (!isStaticTensor(argument))
      continue;
    auto given = function.getArgAttrOfType<TileMappingAttr>(
        argument.getArgNumber(), IPUDialect::kTileMappingAttrName);
    unsigned tensor = addTensor(argument, nullptr, given);
    tensors[tensor].isLeaf = true;
    if (!given)
      tensors[tensor].choices.push_back({getDefaultTileMapping(argument)});
    storage[argument] =
        TensorStorage::own(argument, getTensorType(argument).getShape());
    tensorOf[argument] = tensor;
    addStep({PlanStep::Kind::HostLoad, nullptr, tensor, {}});
  }
  if (function.getNumArguments() > 0)
    fixedCost += target.sync_ipus_cycles;
  for (Block &block : function.getBody())
    if (failed(addBlock(block)))
      return failure();
  return success();
}

bool ProgramGraph::hasTiles() const {
  return llvm::all_of(tensors, [&](const PlanTensor &tensor) {
    if (!tensor.isFixed)
      return true;
    TileMappingAttr mapping = tensor.choices.front().mapping;
    return mapping.getFirst() + mapping.getNumTiles() <=
           target.getTilesPerReplica();
  });
}

/// Steps are merged only with steps of the same block, and not across other
/// blocks.
LogicalResult ProgramGraph::addBlock(Block &block) {
  numOutside = numExchanges;
  for (Operation &op : block)
    if (failed(addOp(&op)))
      return failure();
  numOutside = numExchanges;
  return success();
}

/// Adds a step. `exchanges` states whether the step likely has an exchange for
/// all choices.
void ProgramGraph::addStep(PlanStep step, bool exchanges) {
  step.times = times;
  for (PlanOperand &operand : step.operands) {
    ++tensors[operand.tensor].numReaders;
    operand.isEarly = std::max(tensors[operand.tensor].numExchanges,
                               numOutside) < numExchanges;
  }
  if (exchanges)
    ++numExchanges;
  if (step.kind != PlanStep::Kind::HostStore)
    tensors[step.tensor].numExchanges = numExchanges;
  steps.push_back(std::move(step));
}

/// Returns the number of executions of the regions of `op` if `op` is executed
/// `times` times. A loop whose trip count is not known counts once.
static int64_t getTimesIn(Operation *op, int64_t times) {
  auto loop = dyn_cast<LoopLikeOpInterface>(op);
  std::optional<APInt> count =
      loop ? loop.getStaticTripCount() : std::optional<APInt>();
  if (!count)
    return times;
  return std::clamp<int64_t>(count->getLimitedValue(kMaxTimes), 1,
                             kMaxTimes / times) *
         times;
}

/// Adds the ops in the regions of `op`, which is control flow or a sequence.
/// Control flow passes values only in refs.
LogicalResult ProgramGraph::addRegions(Operation *op) {
  int64_t outside = std::exchange(times, getTimesIn(op, times));
  size_t begin = steps.size();
  for (Region &region : op->getRegions())
    for (Block &block : region)
      if (failed(addBlock(block)))
        return failure();
  times = outside;
  if (isa<LoopLikeOpInterface>(op) && begin < steps.size())
    loops.push_back({begin, steps.size()});
  // The values that a sequence yields are its results.
  Operation *last = op->getRegion(0).empty() || op->getRegion(0).front().empty()
                        ? nullptr
                        : &op->getRegion(0).front().back();
  if (auto yield = dyn_cast_or_null<pop::YieldOp>(last))
    for (auto [result, value] :
         llvm::zip_equal(op->getResults(), yield.getResults()))
      if (auto it = storage.find(value); it != storage.end())
        storage[result] = TensorStorage(it->second);
  return success();
}

/// Adds a ref to a variable. All refs to one variable share its storage.
void ProgramGraph::addVariable(pop::GetVariableOp op) {
  auto [it, isNew] =
      refOfVariable.try_emplace(op.getVariableAttr().getAttr(), op.getResult());
  storage[op.getResult()] =
      TensorStorage::own(it->second, getTensorType(it->second).getShape());
  if (!isNew)
    return;
  const auto *given = variables.find(it->first);
  unsigned tensor =
      addTensor(op.getResult(), nullptr,
                given == variables.end() ? TileMappingAttr() : given->second);
  tensors[tensor].isLeaf = true;
  tensors[tensor].mayHaveCopies = passed.contains(it->first);
  if (given == variables.end())
    tensors[tensor].choices.push_back({getDefaultTileMapping(op.getResult())});
  tensorOf[op.getResult()] = tensor;
}

void ProgramGraph::addCopyInto(pop::CopyInPlaceOp op) {
  std::optional<PlanOperand> from = getOperand(op.getValue());
  std::optional<PlanOperand> to = getOperand(op.getTarget());
  if (!from || !to)
    return;
  PlanStep step{PlanStep::Kind::Copy, op, to->tensor, {*from}};
  if (!to->isWhole)
    step.to = to->view;
  step.canForward =
      to->isWhole && from->isWhole && op.getValue().hasOneUse() &&
      isa_and_nonnull<CodeletOpInterface>(op.getValue().getDefiningOp()) &&
      op.getValue().getDefiningOp()->getNumResults() == 1;
  addStep(std::move(step));
}

/// Returns the function that `call` calls if it has no arguments and results,
/// so that values are passed only in variables. Otherwise returns null.
func::FuncOp ProgramGraph::getJoined(CallOpInterface call) const {
  FunctionOpInterface function = calls.getCallee(call);
  auto callee =
      function ? dyn_cast<func::FuncOp>(function.getOperation()) : nullptr;
  return callee && !callee.isExternal() && callee.getNumArguments() == 0 &&
                 callee.getNumResults() == 0
             ? callee
             : nullptr;
}

/// Computes the number of executions of each function.
void ProgramGraph::countCalls() {
  timesOf[function] = 1;
  if (calls.getCallsIn(function).empty())
    return;
  SmallVector<FunctionOpInterface> order = calls.getPostOrder();
  for (FunctionOpInterface caller : llvm::reverse(order)) {
    auto it = timesOf.find(caller);
    if (it == timesOf.end())
      continue;
    int64_t timesOfCaller = it->second;
    for (CallOpInterface call : calls.getCallsIn(caller)) {
      func::FuncOp callee = getJoined(call);
      if (!callee)
        continue;
      int64_t timesOfCall = timesOfCaller;
      for (Operation *op = call->getParentOp(); op != caller;
           op = op->getParentOp())
        timesOfCall = getTimesIn(op, timesOfCall);
      int64_t &sum = timesOf[callee];
      sum = std::min(sum + timesOfCall, kMaxTimes);
    }
  }
}

/// Adds the ops of a function at its first call. Their cost is the cost of all
/// calls together.
LogicalResult ProgramGraph::addCall(func::FuncOp callee) {
  // Nested calls use the stack of this process. Functions in more nested calls
  // are planned separately.
  constexpr unsigned kMaxCallDepth = 500;
  fixedCost = (Count(target.call_cycles) * times + fixedCost).get();
  numOutside = numExchanges;
  if (callDepth == kMaxCallDepth)
    return success();
  if (!functions.insert(callee)) {
    laterCalls.push_back({steps.size(), firstStepOf.lookup(callee)});
    return success();
  }
  firstStepOf[callee] = steps.size();
  ++callDepth;
  // countCalls() does not count all functions of a recursion, for which another
  // pass emits an error.
  int64_t ofCallee = std::max<int64_t>(timesOf.lookup(callee), 1);
  int64_t outside = std::exchange(times, ofCallee);
  for (Block &block : callee.getBody())
    if (failed(addBlock(block)))
      return failure();
  times = outside;
  --callDepth;
  return success();
}

LogicalResult ProgramGraph::addOp(Operation *op) {
  if (auto view = dyn_cast<TileViewOpInterface>(op)) {
    addView(view);
    return success();
  }
  if (isa<func::ReturnOp>(op)) {
    addReturn(op);
    return success();
  }
  if (auto variable = dyn_cast<pop::GetVariableOp>(op)) {
    addVariable(variable);
    return success();
  }
  if (auto copy = dyn_cast<pop::CopyInPlaceOp>(op)) {
    addCopyInto(copy);
    return success();
  }
  if (auto call = dyn_cast<CallOpInterface>(op))
    if (func::FuncOp callee = getJoined(call))
      return addCall(callee);
  if (op->getNumRegions() > 0)
    return addRegions(op);
  auto codelet = dyn_cast<CodeletOpInterface>(op);
  if (codelet && isStaticTensor(op->getResult(0)))
    return addCodelet(codelet);
  auto move = dyn_cast<TileMoveOpInterface>(op);
  auto copied = dyn_cast<pop::FromTensorOp>(op);
  // Other ops read whole operands: host copies, collectives and predicates.
  if (!move && !copied)
    for (Value operand : op->getOperands())
      if (isStaticTensor(operand) && getOperand(operand))
        getWhole(operand);
  if (op->getNumResults() != 1)
    return success();
  Value result = op->getResult(0);
  if (!isStaticTensor(result) && !isa<pop::RefType>(result.getType()))
    return success();
  bool isTransfer = op->hasTrait<pop::Transfer>() && pop::isOnIOTiles(op);
  if (isTransfer && target.io_tiles == 0)
    return op->emitOpError(
        "is placed on I/O tiles but the target has no I/O tiles");
  auto given =
      op->getAttrOfType<TileMappingAttr>(IPUDialect::kTileMappingAttrName);
  if (!given && isTransfer)
    given = getIOTileMapping(context, target,
                             getTensorType(result).getNumElements(),
                             getTensorType(result).getElementType());
  // Large clones that may not have copies are one tensor.
  auto clone = kinds.clones.find(op);
  bool isMerged = clone != kinds.clones.end() && clone->second.isLarge &&
                  kinds.copies != ConstantCopies::OfAll;
  if (isMerged && clone->second.first != op) {
    Value first = clone->second.first->getResult(0);
    storage[result] = TensorStorage(storage.find(first)->second);
    tensors[tensorOf.lookup(first)].clones.push_back(result);
    return success();
  }
  unsigned tensor = addTensor(result, op, given);
  tensors[tensor].isLeaf = matchPattern(op, m_Constant());
  // A second reader would have to receive the constant from the copies.
  tensors[tensor].mayHaveCopies = kinds.copies != ConstantCopies::None &&
                                  !isMerged && tensors[tensor].isConstant() &&
                                  op->hasOneUse();
  if (!given)
    tensors[tensor].choices.push_back({getDefaultTileMapping(result)});
  if (move)
    addMove(move);
  if (copied)
    if (std::optional<PlanOperand> from = getOperand(copied.getInput()))
      addStep({PlanStep::Kind::Copy, op, tensor, {*from}});
  storage[result] =
      TensorStorage::own(result, getTensorType(result).getShape());
  tensorOf[result] = tensor;
  return success();
}

/// Returns whether parts of the results share elements of `input`. At least one
/// of these parts is not on the tile of the elements.
static bool isShared(const TileForm &form, const TileAccess &input) {
  return llvm::any_of(form.results.front().dims, [&](const DimAccess &dim) {
    return dim.loop >= 0 && form.loops[dim.loop] > 1 &&
           llvm::none_of(input.dims, [&](const DimAccess &own) {
             return own.loop == dim.loop;
           });
  });
}

/// Adds the results of `op` after the first one, whose tensor is `tensor`, to
/// this tensor.
void ProgramGraph::addFurtherResults(Operation *op, unsigned tensor) {
  for (Value result : llvm::drop_begin(op->getResults())) {
    ShapedType type = getTensorType(result);
    assert(type.getShape() == tensors[tensor].getType().getShape() &&
           "expects results with one tile mapping");
    storage[result] = TensorStorage::own(result, type.getShape());
    tensorOf[result] = tensor;
    // There are fewer tensors than this number.
    constexpr unsigned kFirstSource = 1u << 31;
    sourceOfFurther[result] = kFirstSource + sourceOfFurther.size();
    tensors[tensor].elementBytes += getStoredBytes(type.getElementType());
  }
}

LogicalResult ProgramGraph::addCodelet(CodeletOpInterface op) {
  Value result = op->getResult(0);
  auto given =
      op->getAttrOfType<TileMappingAttr>(IPUDialect::kTileMappingAttrName);
  unsigned tensor = addTensor(result, op, given);
  if (!given) {
    // The generic choice is the row-major tile mapping or, if it is not a
    // partition of the op, the first legal partition.
    TileMappingAttr linear = getDefaultTileMapping(result);
    const PartitionProblem *problem = cache.getProblem(op, linear.getDomain());
    if (!problem)
      return failure();
    std::optional<TileMappingChoice> choice = getChoice(tensor, linear);
    if (!choice) {
      const TileForm &form = problem->form;
      choice = getChoice(tensor,
                         getAccessTileMapping(context, form,
                                              getFirstPartition(target, form),
                                              form.results.front()));
    }
    if (!choice)
      return op->emitOpError("cannot be split over tiles");
    tensors[tensor].choices.push_back(*choice);
  }
  PlanStep step{PlanStep::Kind::Compute, op, tensor, {}};
  step.roundsSums = isRoundingOfSums(op);
  for (Value operand : op->getOperands()) {
    std::optional<PlanOperand> from = getOperand(operand);
    if (!from)
      return success();
    from->index = step.operands.size();
    step.operands.push_back(*from);
  }
  const PartitionProblem *problem = tensors[tensor].choices.front().problem;
  // Constants with copies need no exchange.
  bool exchanges =
      problem && llvm::any_of(step.operands, [&](const PlanOperand &operand) {
        return !tensors[operand.tensor].mayHaveCopies &&
               isShared(problem->form, problem->form.inputs[operand.index]);
      });
  addStep(std::move(step), exchanges);
  storage[result] =
      TensorStorage::own(result, getTensorType(result).getShape());
  tensorOf[result] = tensor;
  addFurtherResults(op, tensor);
  return success();
}

/// Adds a view. It shares the storage of its operand. If no strides express it,
/// the conversion will copy the operand, and the view shares the storage of the
/// copy.
void ProgramGraph::addView(TileViewOpInterface op) {
  Value operand = op->getOperand(0), result = op->getResult(0);
  auto it = storage.find(operand);
  if (it == storage.end())
    return;
  TensorStorage from = it->second;
  FailureOr<StridedView> view = op.getTileView(from.view);
  if (failed(view)) {
    ArrayRef<int64_t> shape = getTensorType(operand).getShape();
    view = op.getTileView(StridedView::identity(shape));
    if (failed(view))
      return;
    // The result represents the copy, which is not a value of the program.
    bool showsAll =
        view->isContiguous() && view->getNumElements() == computeProduct(shape);
    from.root = result;
    tensorOf[result] = addCopy(operand, showsAll ? op : nullptr);
  }
  storage[result] = {from.root, *view};
}

void ProgramGraph::addMove(TileMoveOpInterface op) {
  PlanStep step{
      PlanStep::Kind::Move, op, static_cast<unsigned>(tensors.size() - 1), {}};
  for (const TileMove &move : op.getTileMoves()) {
    std::optional<PlanOperand> from = getOperand(op->getOperand(move.operand));
    if (!from)
      return;
    from->index = step.operands.size();
    step.operands.push_back(*from);
  }
  addStep(std::move(step));
}

void ProgramGraph::addReturn(Operation *op) {
  bool any = false;
  for (auto [index, operand] : llvm::enumerate(op->getOperands())) {
    std::optional<PlanOperand> from = getOperand(operand);
    if (!from)
      continue;
    any = true;
    unsigned whole = from->tensor;
    if (!from->isWhole) {
      auto given = cast<func::FuncOp>(op->getParentOp())
                       .getResultAttrOfType<TileMappingAttr>(
                           index, IPUDialect::kTileMappingAttrName);
      whole = addTensor(operand, nullptr, given);
      tensors[whole].result = index;
      if (!given)
        tensors[whole].choices.push_back({getDefaultTileMapping(operand)});
      addStep({PlanStep::Kind::Copy, nullptr, whole, {*from}});
    }
    addStep({PlanStep::Kind::HostStore, op, whole, {}});
  }
  if (any)
    fixedCost += target.sync_ipus_cycles;
}
