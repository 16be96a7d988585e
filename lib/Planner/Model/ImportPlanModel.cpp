//===- ImportPlanModel.cpp - Models of pop functions ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Planner/Model/ImportPlanModel.h"

#include "ExecutionCounts.h"
#include "ipu-mlir/Dialect/Pop/IR/Placement.h"
#include "ipu-mlir/Dialect/Pop/IR/PopGraph.h"
#include "ipu-mlir/Planner/Model/TensorStorage.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace mlir::ipu;

/// Returns the type of a tensor or of the tensor to which a ref refers.
static ShapedType getTensorType(Value value) {
  return cast<ShapedType>(value.getType());
}

static bool isStaticTensor(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type && type.hasStaticShape();
}

namespace {
class ModelImporter {
public:
  ModelImporter(func::FuncOp function, const FunctionCalls &calls,
                const TargetModel &target, PartitionCache &cache,
                const VariableTileMappings &variables, ConstantCopies copies,
                const ConstantClones &clones)
      : function(function), calls(calls), target(target), cache(cache),
        variables(variables), copies(copies), clones(clones),
        builder(function.getContext(), target) {}

  FailureOr<ImportedModel> run();

private:
  LogicalResult addCall(func::FuncOp callee);
  LogicalResult addBlock(Block &block);
  LogicalResult addOp(Operation *op);
  LogicalResult addRegions(Operation *op);
  LogicalResult verifyTiles(Operation *op) const;
  LogicalResult addStored(Operation *op);
  LogicalResult addCodelet(CodeletOpInterface op);
  void addArgument(BlockArgument argument);
  void addVariable(pop::GetVariableOp op);
  void addCopyInto(pop::CopyInPlaceOp op);
  void addView(TileViewOpInterface op);
  void addMove(TileMoveOpInterface op, unsigned tensor);
  void addReturn(Operation *op);

  ModelTensor createTensor(Value value, Operation *op, TileMappingAttr given);
  unsigned addTensor(ModelTensor tensor, TensorBinding binding);
  void setStorage(Value value, unsigned tensor);
  std::optional<ModelOperand> getOperand(Value value) const;
  bool isInOrder(Operation *op) const;
  void addFurtherResults(Operation *op, unsigned tensor);
  unsigned addCopy(Value value, Operation *view);
  unsigned getWhole(Value value);

  func::FuncOp function;
  const FunctionCalls &calls;
  const TargetModel &target;
  PartitionCache &cache;
  const VariableTileMappings &variables;
  ConstantCopies copies;
  const ConstantClones &clones;

  PlanModelBuilder builder;
  SmallVector<TensorBinding, 0> bindings;
  llvm::SetVector<Operation *> functions;
  /// The number of executions of each function, and the call depth of the
  /// current function.
  DenseMap<Operation *, int64_t> timesOf;
  unsigned callDepth = 0;
  /// The numbers [begin, end) of the steps of each function.
  DenseMap<Operation *, std::pair<size_t, size_t>> stepsOf;
  DenseMap<Value, TensorStorage> storage;
  DenseMap<Value, unsigned> tensorOf;
  /// The numbers in exchanges of the results of ops after the first ones.
  DenseMap<Value, unsigned> sourceOfFurther;
  /// The ref that represents a symbol in all functions.
  DenseMap<StringAttr, Value> refOfVariable;
  /// All scratch variables, and those in which calls pass operands to the only
  /// op with splits in a function (findPassed()).
  DenseSet<StringAttr> scratches, passed;
};
} // namespace

//===----------------------------------------------------------------------===//
// Tensors
//===----------------------------------------------------------------------===//

/// Returns the partition problems of `op`. For a domain that the op does not
/// support, returns null without an error. There are few domains, but many
/// requests.
static GetPartitionProblem getProblems(CodeletOpInterface op,
                                       PartitionCache &cache) {
  SmallVector<std::pair<SmallVector<int64_t>, const PartitionProblem *>> known;
  return [op, &cache, known](ArrayRef<int64_t> domain) mutable {
    for (auto &[other, problem] : known)
      if (domain == ArrayRef(other))
        return problem;
    const PartitionProblem *problem = succeeded(op.getTileForm(domain))
                                          ? cache.getProblem(op, domain)
                                          : nullptr;
    known.push_back({llvm::to_vector(domain), problem});
    return problem;
  };
}

/// Returns a tensor with storage that `op`, which may be null, computes. The
/// tile mapping `given` may be null, and numbers the tiles of the replica. It
/// may be on any tiles.
ModelTensor ModelImporter::createTensor(Value value, Operation *op,
                                        TileMappingAttr given) {
  ShapedType type = getTensorType(value);
  ModelTensor tensor;
  tensor.shape = llvm::to_vector(type.getShape());
  tensor.elementType = type.getElementType();
  tensor.elementBytes = getStoredBytes(type.getElementType());
  tensor.given = given;
  if (!given)
    tensor.space = getTileSpace(value);
  if (!op)
    return tensor;
  tensor.memoryPerMille = getAvailableMemory(op);
  tensor.readsInOrder = isInOrder(op);
  tensor.isMovedForOneUse = isa<TileMoveOpInterface>(op) && op->hasOneUse();
  if (auto codelet = dyn_cast<CodeletOpInterface>(op))
    tensor.getProblem = getProblems(codelet, cache);
  return tensor;
}

unsigned ModelImporter::addTensor(ModelTensor tensor, TensorBinding binding) {
  FailureOr<unsigned> number = builder.addTensor(std::move(tensor));
  assert(succeeded(number) && "expects a tensor with a generic tile mapping");
  bindings.push_back(std::move(binding));
  return *number;
}

/// `value` is the whole tensor with the number `tensor`.
void ModelImporter::setStorage(Value value, unsigned tensor) {
  storage[value] = TensorStorage::own(value, getTensorType(value).getShape());
  tensorOf[value] = tensor;
}

std::optional<ModelOperand> ModelImporter::getOperand(Value value) const {
  auto it = storage.find(value);
  if (it == storage.end())
    return std::nullopt;
  Value root = it->second.root;
  unsigned tensor = tensorOf.lookup(root);
  auto further = sourceOfFurther.find(root);
  return ModelOperand{
      tensor, it->second.view,
      it->second.isWhole(builder.getTensor(tensor).getNumElements()),
      further == sourceOfFurther.end() ? tensor : further->second,
      getStoredBytes(getTensorType(root).getElementType())};
}

bool ModelImporter::isInOrder(Operation *op) const {
  return llvm::all_of(op->getOperands(), [&](Value operand) {
    std::optional<ModelOperand> from = getOperand(operand);
    return !from || from->isWhole;
  });
}

/// Adds a copy of `value` in its row-major order and returns its number. If
/// `view` is set, it is a view of all elements of the copy, and the tile
/// mapping of the copy may be chosen. Otherwise the copy has the row-major tile
/// mapping.
unsigned ModelImporter::addCopy(Value value, Operation *view) {
  ModelOperand operand = *getOperand(value);
  unsigned copy;
  if (view) {
    auto given =
        view->getAttrOfType<TileMappingAttr>(IPUDialect::kTileMappingAttrName);
    copy = addTensor(createTensor(view->getResult(0), view, given),
                     {view->getResult(0), view});
  } else {
    ModelTensor tensor = createTensor(value, nullptr, /*given=*/nullptr);
    tensor.given =
        getRowMajorTileMapping(function.getContext(), target, tensor.space,
                               tensor.getNumElements(), tensor.elementType);
    copy = addTensor(std::move(tensor), {value});
  }
  builder.addStep({ModelStep::Kind::Reorder, {}, copy, {operand}});
  return copy;
}

/// Returns the number of the tensor whose storage is `value` in row-major
/// order. Adds a copy if `value` is not such a tensor.
unsigned ModelImporter::getWhole(Value value) {
  ModelOperand operand = *getOperand(value);
  return operand.isWhole ? operand.tensor : addCopy(value, /*view=*/nullptr);
}

/// Adds the results of `op` after the first one, whose tensor is `tensor`, to
/// this tensor.
void ModelImporter::addFurtherResults(Operation *op, unsigned tensor) {
  for (Value result : llvm::drop_begin(op->getResults())) {
    ShapedType type = getTensorType(result);
    assert(type.getShape() == ArrayRef(builder.getTensor(tensor).shape) &&
           "expects results with one tile mapping");
    setStorage(result, tensor);
    // There are fewer tensors than this number.
    constexpr unsigned kFirstSource = 1u << 31;
    sourceOfFurther[result] = kFirstSource + sourceOfFurther.size();
    builder.addElementBytes(tensor, getStoredBytes(type.getElementType()));
  }
}

//===----------------------------------------------------------------------===//
// Functions, calls and control flow
//===----------------------------------------------------------------------===//

/// Returns whether `value`, which is a ref or a tensor that is read from a ref,
/// has no users except copies and `reader`, directly or through views.
static bool isUsedBy(Value value, Operation *reader) {
  return llvm::all_of(value.getUsers(), [&](Operation *user) {
    if (isa<TileViewOpInterface>(user))
      return isUsedBy(user->getResult(0), reader);
    return user == reader || isa<pop::CopyInPlaceOp>(user);
  });
}

/// Returns the scratch variables, of those in `scratches`, that only copies
/// write, and that only copies and one op read. The op is the only op with
/// splits in a function that must not be inlined, such as a function for the
/// parts of an op. The op needs its operands on the tiles that read them.
/// Therefore it takes no more memory if the variables are already on these
/// tiles.
static DenseSet<StringAttr> findPassed(ModuleOp module,
                                       const DenseSet<StringAttr> &scratches) {
  DenseSet<StringAttr> passed = scratches;
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

FailureOr<ImportedModel> ModelImporter::run() {
  functions.insert(function);
  if (auto module = function->getParentOfType<ModuleOp>()) {
    for (auto scratch : module.getOps<pop::ScratchOp>())
      if (!scratch.getValue())
        scratches.insert(scratch.getSymNameAttr());
    passed = findPassed(module, scratches);
  }
  timesOf = countExecutions(function, calls);
  for (BlockArgument argument : function.getArguments())
    addArgument(argument);
  if (function.getNumArguments() > 0)
    builder.addFixedCycles(target.sync_ipus_cycles);
  for (Block &block : function.getBody())
    if (failed(addBlock(block)))
      return failure();
  ImportedModel result{builder.finish(), std::move(bindings), {}};
  for (Operation *op : functions)
    result.functions.push_back(cast<func::FuncOp>(op));
  return result;
}

void ModelImporter::addArgument(BlockArgument argument) {
  if (!isStaticTensor(argument))
    return;
  auto given = function.getArgAttrOfType<TileMappingAttr>(
      argument.getArgNumber(), IPUDialect::kTileMappingAttrName);
  ModelTensor tensor = createTensor(argument, nullptr, given);
  tensor.origin = ModelTensor::Origin::Argument;
  unsigned number = addTensor(std::move(tensor), {argument});
  setStorage(argument, number);
  builder.addStep({ModelStep::Kind::HostLoad, {}, number, {}});
}

/// Steps are merged only with steps of the same block, and not across other
/// blocks.
LogicalResult ModelImporter::addBlock(Block &block) {
  unsigned outer = builder.getBlock();
  builder.beginBlock();
  for (Operation &op : block)
    if (failed(addOp(&op)))
      return failure();
  builder.continueBlock(outer);
  return success();
}

/// Adds the ops in the regions of `op`, which is control flow or a sequence.
/// Control flow passes values only in refs.
LogicalResult ModelImporter::addRegions(Operation *op) {
  int64_t outside = builder.setTimes(getTimesIn(op, builder.getTimes()));
  size_t begin = builder.getNumSteps();
  for (Region &region : op->getRegions())
    for (Block &block : region)
      if (failed(addBlock(block)))
        return failure();
  builder.setTimes(outside);
  if (isa<LoopLikeOpInterface>(op))
    builder.addLoop(begin);
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

/// Adds the ops of a function at its first call. Their cost is the cost of all
/// calls together.
LogicalResult ModelImporter::addCall(func::FuncOp callee) {
  // Nested calls use the stack of this process. Functions in more nested calls
  // are planned separately.
  constexpr unsigned kMaxCallDepth = 500;
  builder.addFixedCycles(target.call_cycles, builder.getTimes());
  builder.continueBlock(builder.getBlock());
  if (callDepth == kMaxCallDepth)
    return success();
  if (!functions.insert(callee)) {
    auto [begin, end] = stepsOf.lookup(callee);
    builder.addLaterCall(begin, end);
    return success();
  }
  size_t begin = builder.getNumSteps();
  stepsOf[callee] = {begin, begin};
  ++callDepth;
  // countExecutions() does not count all functions of a recursion, for which
  // another pass emits an error.
  int64_t outside =
      builder.setTimes(std::max<int64_t>(timesOf.lookup(callee), 1));
  for (Block &block : callee.getBody())
    if (failed(addBlock(block)))
      return failure();
  builder.setTimes(outside);
  stepsOf[callee].second = builder.getNumSteps();
  --callDepth;
  return success();
}

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

LogicalResult ModelImporter::addOp(Operation *op) {
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
    if (func::FuncOp callee = getJoinedCallee(call, calls))
      return addCall(callee);
  if (op->getNumRegions() > 0)
    return addRegions(op);
  auto codelet = dyn_cast<CodeletOpInterface>(op);
  if (codelet && isStaticTensor(op->getResult(0)))
    return addCodelet(codelet);
  // Other ops read whole operands: host copies, collectives and predicates.
  if (!isa<TileMoveOpInterface, pop::FromTensorOp>(op))
    for (Value operand : op->getOperands())
      if (isStaticTensor(operand) && getOperand(operand))
        getWhole(operand);
  if (op->getNumResults() != 1)
    return success();
  Type type = op->getResult(0).getType();
  if (!isStaticTensor(op->getResult(0)) && !isa<pop::RefType>(type))
    return success();
  return addStored(op);
}

/// Fails if the target does not have the tiles on which `op` is placed.
LogicalResult ModelImporter::verifyTiles(Operation *op) const {
  if (pop::getTileSet(op->getResult(0)) != pop::TileSet::IO ||
      target.io_tiles > 0)
    return success();
  return op->emitOpError(
      "is placed on I/O tiles but the target has no I/O tiles");
}

/// Adds the single result of `op`, which no codelet computes.
LogicalResult ModelImporter::addStored(Operation *op) {
  Value result = op->getResult(0);
  if (failed(verifyTiles(op)))
    return failure();
  // Large clones that may not have copies are one tensor.
  auto clone = clones.find(op);
  bool isMerged = clone != clones.end() && clone->second.isLarge &&
                  copies != ConstantCopies::OfAll;
  if (isMerged && clone->second.first != op) {
    Value first = clone->second.first->getResult(0);
    storage[result] = TensorStorage(storage.find(first)->second);
    bindings[tensorOf.lookup(first)].clones.push_back(result);
    return success();
  }
  auto given =
      op->getAttrOfType<TileMappingAttr>(IPUDialect::kTileMappingAttrName);
  ModelTensor tensor = createTensor(result, op, given);
  if (!given && op->hasTrait<pop::Transfer>() && pop::isOnIOTiles(op))
    tensor.given =
        getRowMajorTileMapping(op->getContext(), target, tensor.space,
                               tensor.getNumElements(), tensor.elementType);
  if (matchPattern(op, m_Constant())) {
    tensor.origin = ModelTensor::Origin::Constant;
    tensor.content = op->getAttrDictionary().getAsOpaquePointer();
    // A second reader would have to receive the constant from the copies.
    tensor.mayHaveCopies =
        copies != ConstantCopies::None && !isMerged && op->hasOneUse();
  }
  unsigned number = addTensor(std::move(tensor), {result, op});
  if (auto move = dyn_cast<TileMoveOpInterface>(op))
    addMove(move, number);
  if (auto copied = dyn_cast<pop::FromTensorOp>(op))
    if (std::optional<ModelOperand> from = getOperand(copied.getInput()))
      builder.addStep({ModelStep::Kind::Copy,
                       {op->getName().getStringRef()},
                       number,
                       {*from}});
  setStorage(result, number);
  return success();
}

LogicalResult ModelImporter::addCodelet(CodeletOpInterface op) {
  if (failed(verifyTiles(op)))
    return failure();
  Value result = op->getResult(0);
  auto given =
      op->getAttrOfType<TileMappingAttr>(IPUDialect::kTileMappingAttrName);
  ModelTensor tensor = createTensor(result, op, given);
  if (!given) {
    TileMappingAttr linear =
        getRowMajorTileMapping(op->getContext(), target, tensor.space,
                               tensor.getNumElements(), tensor.elementType);
    if (!cache.getProblem(op, linear.getDomain()))
      return failure();
  }
  FailureOr<unsigned> number = builder.addTensor(std::move(tensor));
  if (failed(number))
    return op->emitOpError("cannot be split over tiles");
  bindings.push_back({result, op});
  ModelStep step{
      ModelStep::Kind::Compute, {op->getName().getStringRef()}, *number, {}};
  step.mayJoinProducer = isRoundingOfSums(op);
  for (Value operand : op->getOperands()) {
    std::optional<ModelOperand> from = getOperand(operand);
    if (!from)
      return success();
    from->index = step.operands.size();
    step.operands.push_back(*from);
  }
  builder.addStep(std::move(step));
  setStorage(result, *number);
  addFurtherResults(op, *number);
  return success();
}

/// Adds a ref to a variable. All refs to one variable share its storage.
void ModelImporter::addVariable(pop::GetVariableOp op) {
  StringAttr name = op.getVariableAttr().getAttr();
  auto [it, isNew] = refOfVariable.try_emplace(name, op.getResult());
  storage[op.getResult()] =
      TensorStorage::own(it->second, getTensorType(it->second).getShape());
  if (!isNew)
    return;
  ModelTensor tensor =
      createTensor(op.getResult(), nullptr, variables.lookup(name));
  tensor.origin = scratches.contains(name) ? ModelTensor::Origin::Scratch
                                           : ModelTensor::Origin::Variable;
  tensor.mayHaveCopies = passed.contains(name);
  TensorBinding binding{op.getResult()};
  binding.variable = name;
  tensorOf[op.getResult()] = addTensor(std::move(tensor), std::move(binding));
}

void ModelImporter::addCopyInto(pop::CopyInPlaceOp op) {
  std::optional<ModelOperand> from = getOperand(op.getValue());
  std::optional<ModelOperand> to = getOperand(op.getTarget());
  if (!from || !to)
    return;
  if (!to->isWhole)
    from->to = to->view;
  ModelStep step{ModelStep::Kind::Copy,
                 {op->getName().getStringRef()},
                 to->tensor,
                 {*from}};
  step.canForward =
      to->isWhole && from->isWhole && op.getValue().hasOneUse() &&
      isa_and_nonnull<CodeletOpInterface>(op.getValue().getDefiningOp()) &&
      op.getValue().getDefiningOp()->getNumResults() == 1;
  builder.addStep(std::move(step));
}

/// Adds a view. It shares the storage of its operand. If no strides express it,
/// the conversion will copy the operand, and the view shares the storage of the
/// copy.
void ModelImporter::addView(TileViewOpInterface op) {
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

/// Adds the move that writes `tensor`, with the region of each operand in it.
void ModelImporter::addMove(TileMoveOpInterface op, unsigned tensor) {
  SmallVector<int64_t> strides =
      computeStrides(builder.getTensor(tensor).shape);
  ModelStep step{
      ModelStep::Kind::Move, {op->getName().getStringRef()}, tensor, {}};
  step.fills = static_cast<bool>(op.getTileFill());
  for (const TileMove &move : op.getTileMoves()) {
    std::optional<ModelOperand> from = getOperand(op->getOperand(move.operand));
    if (!from)
      return;
    from->index = step.operands.size();
    from->to = StridedView{0, from->view.sizes, strides};
    for (auto [offset, stride] : llvm::zip_equal(move.offsets, strides))
      from->to->offset += offset * stride;
    step.operands.push_back(*from);
  }
  builder.addStep(std::move(step));
}

void ModelImporter::addReturn(Operation *op) {
  bool any = false;
  for (auto [index, operand] : llvm::enumerate(op->getOperands())) {
    std::optional<ModelOperand> from = getOperand(operand);
    if (!from)
      continue;
    any = true;
    unsigned whole = from->tensor;
    if (!from->isWhole) {
      auto given = cast<func::FuncOp>(op->getParentOp())
                       .getResultAttrOfType<TileMappingAttr>(
                           index, IPUDialect::kTileMappingAttrName);
      TensorBinding binding{operand};
      binding.result = index;
      whole =
          addTensor(createTensor(operand, nullptr, given), std::move(binding));
      builder.addStep({ModelStep::Kind::Reorder, {}, whole, {*from}});
    }
    builder.addStep({ModelStep::Kind::HostStore, {}, whole, {}});
  }
  if (any)
    builder.addFixedCycles(target.sync_ipus_cycles);
}

FailureOr<ImportedModel>
mlir::ipu::importPlanModel(func::FuncOp function, const FunctionCalls &calls,
                           const TargetModel &target, PartitionCache &cache,
                           const VariableTileMappings &variables,
                           ConstantCopies copies,
                           const ConstantClones &clones) {
  return ModelImporter(function, calls, target, cache, variables, copies,
                       clones)
      .run();
}
