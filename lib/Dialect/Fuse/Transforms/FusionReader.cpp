//===- FusionReader.cpp - Reader of the schedule of a fusion ----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: a fusion whose linalg ops have #fuse.schedule attributes. Out: a Schedule
// with a tensor for each of these ops. The root axes are the loops of the op,
// the logical axes are given by the indexing maps of its results, and the edges
// are given by the indexing maps of its operands. A view of an input is a
// separate input.
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Dialect/Fuse/Transforms/FusionSchedule.h"

#include "FusionExtents.h"
#include "FusionViews.h"
#include "ScheduleSteps.h"

#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;
using namespace mlir::fuse;

bool fuse::isReadOperand(linalg::LinalgOp op, OpOperand &operand) {
  return !op.isDpsInit(&operand) || op.getNumReductionLoops() > 0 ||
         op.payloadUsesValueFromOperand(&operand);
}

StringAttr fuse::getTensorName(Operation *op) {
  return op->getAttrOfType<StringAttr>(FuseDialect::kNameAttrName);
}

/// Where v0, v1, ... are counted.
static Operation *getNameScope(Operation *op) {
  if (auto function = op->getParentOfType<FunctionOpInterface>())
    return function;
  while (op->getParentOp())
    op = op->getParentOp();
  return op;
}

/// Calls `fn` for each schedule tensor of the function in program order, with
/// its number.
static void forEachTensor(Operation *scope,
                          function_ref<WalkResult(Operation *, unsigned)> fn) {
  unsigned index = 0;
  scope->walk<WalkOrder::PreOrder>([&](Operation *op) {
    return isScheduleTensor(op) ? fn(op, index++) : WalkResult::advance();
  });
}

static std::string getDefaultName(unsigned index) {
  return "v" + std::to_string(index);
}

void fuse::pinTensorNames(Operation *op) {
  bool isReached = false;
  forEachTensor(getNameScope(op), [&](Operation *other, unsigned index) {
    isReached |= other == op;
    if (isReached && !getTensorName(other))
      other->setAttr(FuseDialect::kNameAttrName,
                     StringAttr::get(op->getContext(), getDefaultName(index)));
    return WalkResult::advance();
  });
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

namespace mlir::fuse {
class FusionReader {
public:
  explicit FusionReader(FusionSchedule &result)
      : result(result), schedule(result.schedule),
        extents(result.fusion, result.symbols) {}

  LogicalResult run();

private:
  LogicalResult addNames();
  void addInput(Value value, StringRef name);
  LogicalResult addView(Operation *view);
  LogicalResult addOp(linalg::LinalgOp op);
  LogicalResult checkOp(linalg::LinalgOp op);
  LogicalResult addRoot(linalg::LinalgOp op, Tensor &tensor);
  LogicalResult addLogical(linalg::LinalgOp op, Tensor &tensor,
                           ArrayRef<AxisId> pieces);
  LogicalResult addOperand(linalg::LinalgOp op, OpOperand &operand,
                           Tensor &tensor);
  void addTensor(Tensor tensor, ValueRange values, linalg::LinalgOp op);
  LogicalResult markOutputs();
  LogicalResult markOutput(Value value, unsigned number);
  /// Names of ops and inputs.
  bool takeName(StringRef name, Operation *op) {
    return taken.insert({name, op}).second;
  }

  FusionSchedule &result;
  Schedule &schedule;
  FusionExtents extents;
  llvm::DenseMap<Operation *, std::string> names;
  llvm::StringMap<Operation *> taken;
  /// What rfactor leaves of the loops of a partial result.
  llvm::DenseMap<Operation *, SmallVector<AxisId>> frozenLoops;
};
} // namespace mlir::fuse

FailureOr<FusionSchedule> FusionSchedule::read(FusionOp fusion) {
  FusionSchedule result(fusion);
  if (failed(FusionReader(result).run()))
    return failure();
  return result;
}

LogicalResult FusionReader::run() {
  FusionOp fusion = result.fusion;
  if (failed(addNames()))
    return failure();
  for (Operation &op : fusion.getBody().front()) {
    if (isScheduleTensor(&op) && failed(addOp(cast<linalg::LinalgOp>(op))))
      return failure();
    if (isView(&op) && failed(addView(&op)))
      return failure();
  }
  if (failed(markOutputs()))
    return failure();
  schedule.inferBroadcasts();

  // Positions come last: they are not to keep loops from being made.
  for (auto [op, tensor] : result.tensorOfOp) {
    auto attribute =
        op->getAttrOfType<ScheduleAttr>(FuseDialect::kScheduleAttrName);
    if (!attribute)
      continue;
    Tensor &data = schedule.getTensor(tensor);
    SmallVector<AxisId> loop = std::move(data.loop);
    runSteps(schedule, getStepsAfterRFactor(attribute.getSteps()), loop);
    schedule.getTensor(tensor).loop = std::move(loop);
    schedule.getTensor(tensor).computeAt = attribute.getComputeAt();
    if (attribute.getComputeWith())
      schedule.getTensor(tensor).computeWith = *attribute.getComputeWith();
  }
  return success();
}

/// Ops first: what they are called decides what inputs cannot be called.
LogicalResult FusionReader::addNames() {
  FusionOp fusion = result.fusion;
  Block &block = fusion.getBody().front();
  LogicalResult unique = success();
  forEachTensor(getNameScope(fusion), [&](Operation *op, unsigned index) {
    if (op->getBlock() != &block)
      return WalkResult::advance();
    StringAttr given = getTensorName(op);
    std::string name = given ? given.str() : getDefaultName(index);
    auto [it, isNew] = taken.insert({name, op});
    if (isNew) {
      names[op] = name;
      return WalkResult::advance();
    }
    InFlightDiagnostic diagnostic = op->emitOpError()
                                    << "has the name '" << name
                                    << "' of another tensor of the fusion";
    diagnostic.attachNote(it->second->getLoc()) << "other tensor is here";
    unique = diagnostic;
    return WalkResult::interrupt();
  });
  if (failed(unique))
    return failure();

  for (BlockArgument argument : block.getArguments()) {
    if (!isa<RankedTensorType>(argument.getType()))
      continue;
    Value source = fusion.getInputs()[argument.getArgNumber()];
    std::string name = "in" + std::to_string(argument.getArgNumber());
    if (auto outer = dyn_cast<BlockArgument>(source)) {
      name = "arg" + std::to_string(outer.getArgNumber());
      auto function =
          dyn_cast<FunctionOpInterface>(outer.getOwner()->getParentOp());
      if (function && outer.getOwner()->isEntryBlock())
        if (auto given = function.getArgAttrOfType<StringAttr>(
                outer.getArgNumber(), FuseDialect::kNameAttrName))
          name = given.str();
    }
    while (!takeName(name, fusion))
      name += ".in";
    addInput(argument, name);
  }
  return success();
}

void FusionReader::addInput(Value value, StringRef name) {
  Tensor tensor;
  tensor.name = name.str();
  tensor.isInput = true;
  int64_t rank = cast<RankedTensorType>(value.getType()).getRank();
  for (int64_t dim = 0; dim < rank; ++dim)
    tensor.root.push_back(schedule.addAxis("i" + std::to_string(dim),
                                           extents.getDim(value, dim)));
  tensor.logical.push_back(tensor.root);
  addTensor(std::move(tensor), value, nullptr);
}

void FusionReader::addTensor(Tensor tensor, ValueRange values,
                             linalg::LinalgOp op) {
  TensorId id = schedule.addTensor(std::move(tensor));
  result.ops.push_back(op);
  if (op)
    result.tensorOfOp[op] = id;
  for (auto [number, value] : llvm::enumerate(values))
    result.tensorOfValue[value] = {id, number};
}

LogicalResult FusionReader::addView(Operation *view) {
  Value value = view->getResult(0), base = getViewBase(value);
  auto it = result.tensorOfValue.find(
      isa<BlockArgument>(base) ? getViewSource(view) : base);
  if (it == result.tensorOfValue.end())
    return success(); // of an initial value
  if (!isa<BlockArgument>(base)) {
    if (!getViewBaseMap(value))
      return view->emitOpError()
             << "cannot be scheduled: expects constant offsets, strides and "
                "inner sizes in a view of a tensor that the fusion computes";
    std::pair<TensorId, unsigned> viewed = it->second;
    result.tensorOfValue[value] = viewed;
    return success();
  }
  std::string name = schedule.getTensor(it->second.first).name + ".view";
  std::string fresh = name;
  for (unsigned i = 1; !takeName(fresh, view); ++i)
    fresh = name + std::to_string(i);
  addInput(value, fresh);
  return success();
}

/// Rewrites of other dialects may have changed the op since it was verified.
LogicalResult FusionReader::checkOp(linalg::LinalgOp op) {
  auto attribute = op->getAttr(FuseDialect::kScheduleAttrName);
  if (!attribute)
    return success();
  return op->getContext()
      ->getLoadedDialect<FuseDialect>()
      ->verifyOperationAttribute(
          op, NamedAttribute(FuseDialect::kScheduleAttrName, attribute));
}

LogicalResult FusionReader::addOp(linalg::LinalgOp op) {
  if (failed(checkOp(op)))
    return failure();
  Tensor tensor;
  tensor.name = names[op];
  if (failed(addRoot(op, tensor)))
    return failure();

  // What a partial result has instead of its reductions is made of them before
  // anything else.
  SmallVector<AxisId> loop = tensor.root, pieces;
  auto attribute =
      op->getAttrOfType<ScheduleAttr>(FuseDialect::kScheduleAttrName);
  if (const ScheduleStep *rfactor =
          attribute ? findRFactor(attribute.getSteps()) : nullptr) {
    tensor.frozen =
        runSteps(schedule, getStepsBeforeRFactor(attribute.getSteps()), loop);
    for (int64_t axis : rfactor->numbers) {
      pieces.push_back(loop[axis]);
      schedule.getAxis(loop[axis]).kind = AxisKind::Iteration;
    }
  }
  if (failed(addLogical(op, tensor, pieces)))
    return failure();
  tensor.usesIndices = op.hasIndexSemantics();
  for (OpOperand &operand : op->getOpOperands())
    if (failed(addOperand(op, operand, tensor)))
      return failure();
  addTensor(std::move(tensor), op->getResults(), op);
  if (!pieces.empty())
    schedule.getTensor(result.tensorOfOp[op]).loop = std::move(loop);
  return success();
}

LogicalResult FusionReader::addRoot(linalg::LinalgOp op, Tensor &tensor) {
  auto attribute =
      op->getAttrOfType<ScheduleAttr>(FuseDialect::kScheduleAttrName);
  for (auto [loop, type] : llvm::enumerate(op.getIteratorTypesArray())) {
    AffineExpr extent = extents.getLoop(op, loop);
    if (!extent)
      return op.emitOpError()
             << "cannot be scheduled: no dimension of a tensor "
                "has the size of loop "
             << loop;
    std::string name = attribute ? attribute.getNames()[loop].str()
                                 : "i" + std::to_string(loop);
    tensor.root.push_back(schedule.addAxis(
        name, extent,
        type == utils::IteratorType::reduction ? AxisKind::Reduction
                                               : AxisKind::Iteration));
  }
  return success();
}

LogicalResult FusionReader::addLogical(linalg::LinalgOp op, Tensor &tensor,
                                       ArrayRef<AxisId> pieces) {
  unsigned numParallel = op.getNumParallelLoops();
  for (OpResult value : op->getResults()) {
    AffineMap map = op.getIndexingMapMatchingResult(value);
    SmallVector<AxisId> &logical = tensor.logical.emplace_back();
    llvm::SmallBitVector seen(op.getNumLoops());
    bool fits = map.getNumResults() == numParallel + pieces.size();
    for (auto [dim, expr] : llvm::enumerate(map.getResults())) {
      if (!fits)
        break;
      if (dim >= numParallel) {
        AxisId piece = pieces[dim - numParallel];
        fits = isIndexOf(schedule, expr, piece, tensor.root);
        logical.push_back(piece);
        extents.setDim(value, dim, schedule.getAxis(piece).extent);
        continue;
      }
      auto loop = dyn_cast<AffineDimExpr>(expr);
      fits = loop && !seen.test(loop.getPosition()) &&
             !schedule.getAxis(tensor.root[loop.getPosition()]).isReduction();
      if (!fits)
        break;
      seen.set(loop.getPosition());
      logical.push_back(tensor.root[loop.getPosition()]);
    }
    if (!fits)
      return op.emitOpError()
             << "cannot be scheduled: expects the indexing map of result "
             << value.getResultNumber()
             << " to be a permutation of all parallel loops"
             << (pieces.empty()
                     ? ""
                     : ", followed by the dimensions of its 'rfactor',")
             << " but got " << AffineMapAttr::get(map);
  }
  return success();
}

LogicalResult FusionReader::addOperand(linalg::LinalgOp op, OpOperand &operand,
                                       Tensor &tensor) {
  Value value = operand.get();
  if (!isa<RankedTensorType>(value.getType()))
    return success();
  if (!isReadOperand(op, operand))
    return success();
  auto it = result.tensorOfValue.find(value);
  if (it == result.tensorOfValue.end()) {
    Operation *initial = getViewBase(value).getDefiningOp();
    if (isa_and_nonnull<linalg::FillOp>(initial) ||
        (op.isDpsInit(&operand) && isa_and_nonnull<tensor::EmptyOp>(initial)))
      return success();
    return op.emitOpError()
           << "cannot be scheduled: operand " << operand.getOperandNumber()
           << " is neither an input of the fusion nor "
              "computed by a linalg op of the fusion";
  }
  Operand edge;
  edge.isInit = op.isDpsInit(&operand) && op.getNumReductionLoops() > 0;
  std::tie(edge.producer, edge.result) = it->second;
  // An input is read as the view; what is computed, as its base.
  Value base = getViewBase(value);
  if (isa<BlockArgument>(base))
    base = value;
  for (auto [dim, expr] :
       llvm::enumerate(getAccessMap(op, operand).getResults())) {
    std::optional<AxisId> &axis = edge.axes.emplace_back();
    auto constant = dyn_cast<AffineConstantExpr>(expr);
    AffineExpr extent = extents.getDim(base, dim);
    auto size = dyn_cast<AffineConstantExpr>(extent);
    auto loop = dyn_cast<AffineDimExpr>(expr);
    // A slice may begin at 0 and not end where the dimension does.
    if (loop &&
        (base == value ||
         schedule.getAxis(tensor.root[loop.getPosition()]).extent == extent))
      axis = tensor.root[loop.getPosition()];
    else if (!constant || constant.getValue() != 0 || !size ||
             size.getValue() != 1)
      edge.opaque = true;
  }
  tensor.operands.push_back(std::move(edge));
  return success();
}

LogicalResult FusionReader::markOutputs() {
  Operation *yield = result.fusion.getBody().front().getTerminator();
  llvm::DenseSet<Value> partOf;
  for (auto [number, value] : llvm::enumerate(yield->getOperands())) {
    SmallVector<tensor::InsertSliceOp> join = getJoin(value);
    if (join.empty() && failed(markOutput(value, number)))
      return failure();
    for (size_t i = 0; i < join.size(); ++i) {
      tensor::InsertSliceOp insert = join[i];
      if (failed(markOutput(insert.getSource(), number)))
        return failure();
      if (!canJoin(insert))
        return insert->emitOpError()
               << "cannot be scheduled: expects the parts of result " << number
               << " to have constant offsets and strides";
      if (!partOf.insert(insert.getSource()).second)
        return insert->emitOpError()
               << "cannot be scheduled: expects each part of result " << number
               << " to be inserted only once, and into one result";
      if (llvm::any_of(ArrayRef(join).take_front(i),
                       [&](tensor::InsertSliceOp other) {
                         return !areDisjoint(insert, other);
                       }))
        return insert->emitOpError()
               << "cannot be scheduled: expects the parts of result " << number
               << " to be disjoint";
    }
  }
  for (auto [number, value] : llvm::enumerate(yield->getOperands()))
    if (partOf.contains(value))
      return yield->emitOpError() << "cannot be scheduled: result " << number
                                  << " is a part of another result";
  return success();
}

LogicalResult FusionReader::markOutput(Value value, unsigned number) {
  auto it = result.tensorOfValue.find(value);
  if (it == result.tensorOfValue.end() || getViewBase(value) != value ||
      schedule.getTensor(it->second.first).isInput)
    return result.fusion.getBody().front().getTerminator()->emitOpError()
           << "cannot be scheduled: result " << number
           << " is not computed by a linalg op of the fusion";
  schedule.getTensor(it->second.first).isOutput = true;
  return success();
}
