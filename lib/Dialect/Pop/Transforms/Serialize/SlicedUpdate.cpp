//===- SlicedUpdate.cpp - Updates of refs by parts of a tensor ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SlicedUpdate.h"

#include "../Training/ElementwiseOps.h"
#include "../Training/OptimizerSteps.h"
#include "ipu-mlir/Dialect/Pop/IR/Placement.h"

using namespace mlir;
using namespace mlir::ipu;
using namespace mlir::pop;

static ArrayRef<int64_t> getShape(Value value) {
  return cast<ShapedType>(value.getType()).getShape();
}

//===----------------------------------------------------------------------===//
// Ops that can be divided
//===----------------------------------------------------------------------===//

/// Returns the dimension of the result of `op`, a permutation or another shape
/// of its operand, that is dimension `axis` of the operand. Returns
/// std::nullopt if there is none.
static std::optional<int64_t> getAxisOfView(Operation *op, int64_t axis) {
  if (!isa<ReshapeOp, TransposeOp>(op))
    return std::nullopt;
  StridedView input = StridedView::identity(getShape(op->getOperand(0)));
  FailureOr<StridedView> view =
      cast<TileViewOpInterface>(op).getTileView(input);
  if (failed(view))
    return std::nullopt;
  for (auto [i, size] : llvm::enumerate(view->sizes))
    if (size == input.sizes[axis] && view->strides[i] == input.strides[axis])
      return i;
  return std::nullopt;
}

/// Returns whether `op` is executed on the same IPU and in the same stage,
/// phases and fragment of the program as `other`.
static bool isExecutedWith(Operation *op, Operation *other) {
  return op->getBlock() == other->getBlock() &&
         getSchedule(op) == getSchedule(other) &&
         getTileSet(op) == getTileSet(other) &&
         getExecutionContext(op) == getExecutionContext(other);
}

/// Adds `op`, which uses `value`, to the update. Adds its results to
/// `worklist`. Returns false if `op` cannot be divided.
bool SlicedUpdate::addUser(Operation *op, Value value,
                           SmallVectorImpl<Value> &worklist) {
  // Random bits depend on the position of an element in the whole result.
  if (!isExecutedWith(op, source) || op->hasAttr(PopDialect::kDrawAttrName))
    return false;
  std::optional<int64_t> axis = getAxisOfView(op, axes.at(value));
  if (!axis && isElementwise(op, getShape(value)))
    axis = axes.at(value);
  if (!axis)
    return false;
  auto [it, isNew] = ops.try_emplace(op, *axis);
  if (!isNew)
    return it->second == *axis;
  for (Value result : op->getResults())
    if (!getShape(result).empty()) {
      axes[result] = *axis;
      worklist.push_back(result);
    }
  return true;
}

/// Returns whether ops write refs of known origin, and whether two ops that
/// write the same elements write the same slices of them, so that the order of
/// the writes of an element does not change.
bool SlicedUpdate::writesAlongOneAxis() const {
  SmallVector<std::pair<InPlaceOpInterface, int64_t>> writes;
  for (auto [op, axis] : ops)
    if (auto write = dyn_cast<InPlaceOpInterface>(op))
      writes.emplace_back(write, axis);
  for (auto [write, axis] : writes)
    for (auto [other, otherAxis] : writes) {
      InPlaceOpInterface a = write, b = other;
      if (!effectful.getEffects().getOrigin(a.getTarget()).isKnown())
        return false;
      bool isSame = a.getTarget() == b.getTarget() && axis == otherAxis;
      if (!isSame && effectful.getEffects().mayWrite(a, b.getTarget()))
        return false;
    }
  return !writes.empty();
}

bool SlicedUpdate::findOps(int64_t axis) {
  axes[source->getResult(0)] = axis;
  SmallVector<Value> worklist{source->getResult(0)};
  while (!worklist.empty()) {
    Value value = worklist.pop_back_val();
    for (Operation *user : value.getUsers())
      if (!addUser(user, value, worklist))
        return false;
  }
  auto sorted = ops.takeVector();
  llvm::sort(sorted, [](const auto &a, const auto &b) {
    return a.first->isBeforeInBlock(b.first);
  });
  for (auto [op, axisOfOp] : sorted)
    ops[op] = axisOfOp;
  return writesAlongOneAxis();
}

std::optional<SlicedUpdate> SlicedUpdate::find(Operation *source, int64_t axis,
                                               EffectfulOps &effectful) {
  SlicedUpdate update(source, effectful);
  if (!update.findOps(axis))
    return std::nullopt;
  auto ops = llvm::to_vector(llvm::make_first_range(update.ops));
  update.hoisted.emplace(source, ops, effectful);
  if (!update.hoisted->findEarlierOps())
    return std::nullopt;
  return update;
}

void SlicedUpdate::prepare() {
  hoisted->moveEarlierOps();
  previous = source->getPrevNode();
}

//===----------------------------------------------------------------------===//
// Parts
//===----------------------------------------------------------------------===//

/// Returns whether a read of a slice along `axis`, directly before the update
/// of this slice, gives the elements that `read` gives.
bool SlicedUpdate::canReadAgain(ReadOp read, int64_t axis) const {
  const GraphEffects &effects = effectful.getEffects();
  const ipu::RefOrigin &origin = effects.getOrigin(read.getTarget());
  if (read->getBlock() != source->getBlock() || !origin.isKnown())
    return false;
  Operation *last = ops.back().first;
  for (Operation *op :
       effectful.getOpsOf(*source->getBlock(), origin.getMemoryLocation())) {
    if (!effects.mayWrite(op, origin) || op->isBeforeInBlock(read) ||
        last->isBeforeInBlock(op))
      continue;
    const auto *it = ops.find(op);
    bool isSame = it != ops.end() && it->second == axis &&
                  cast<InPlaceOpInterface>(op).getTarget() == read.getTarget();
    if (!isSame)
      return false;
  }
  return true;
}

/// Returns the slice of a tensor or of a ref. Slices of refs share the storage
/// of the refs, and slices of what is read before updates do not.
Value SlicedUpdate::getSlice(PopBuilder &b, Value value, int64_t axis,
                             PartRange range) {
  if (Value slice = slices.lookup({value, axis}))
    return slice;
  Value slice;
  auto read = value.getDefiningOp<ReadOp>();
  if (isa<RefType>(value.getType())) {
    ArrayRef<int64_t> shape = getShape(value);
    SmallVector<int64_t> starts(shape.size(), 0), sizes(shape),
        steps(shape.size(), 1);
    starts[axis] = range.start;
    sizes[axis] = range.size;
    slice = RefSliceOp::create(b, value, starts, sizes, steps);
  } else if (read && canReadAgain(read, axis)) {
    slice = ReadOp::create(b, getSlice(b, read.getTarget(), axis, range));
  } else {
    slice = b.slice(value, axis, range.start, range.size);
  }
  slices[{value, axis}] = slice;
  return slice;
}

/// Returns the operand of the part of `op` that corresponds to `operand`.
Value SlicedUpdate::getOperand(PopBuilder &b, Operation *op, Value operand,
                               PartRange range) {
  if (isDivided(operand))
    return parts.lookup(operand);
  auto divided = llvm::find_if(op->getOperands(),
                               [&](Value other) { return isDivided(other); });
  ArrayRef<int64_t> shape = getShape(*divided), own = getShape(operand);
  int64_t axis = ops.lookup(op);
  // Leading dimensions may be absent, and dimensions of size 1 broadcast.
  int64_t dim = axis - static_cast<int64_t>(shape.size() - own.size());
  if (dim < 0 || own[dim] != shape[axis])
    return operand;
  return getSlice(b, operand, dim, range);
}

void SlicedUpdate::build(OpBuilder &b, PartRange range, Value part) {
  slices.clear();
  parts[source->getResult(0)] = part;
  // Refs are read before any op writes them. Views of divided tensors have no
  // other operands.
  for (auto [op, axis] : ops) {
    PopBuilder ofOp(b, op);
    for (Value operand : op->getOperands())
      if (!isDivided(operand))
        (void)getOperand(ofOp, op, operand, range);
  }
  for (auto [op, axis] : ops) {
    PopBuilder ofOp(b, op);
    SmallVector<Value> operands;
    for (Value operand : op->getOperands())
      operands.push_back(getOperand(ofOp, op, operand, range));
    Operation *created = b.clone(*op);
    created->setOperands(operands);
    for (auto [result, ofPart] :
         llvm::zip_equal(op->getResults(), created->getResults())) {
      if (!isDivided(result)) {
        scalars.insert({result, ofPart});
        continue;
      }
      SmallVector<int64_t> shape(getShape(result));
      shape[axis] = range.size;
      ofPart.setType(cast<RankedTensorType>(result.getType()).clone(shape));
      parts[result] = ofPart;
    }
  }
}

void SlicedUpdate::finish() {
  Block *block = source->getBlock();
  Block::iterator first =
      previous ? std::next(Block::iterator(previous)) : block->begin();
  SmallVector<Operation *> created;
  for (Operation &op : llvm::make_range(first, Block::iterator(source)))
    created.push_back(&op);
  for (auto [result, ofPart] : scalars)
    result.replaceAllUsesWith(ofPart);
  llvm::SetVector<Operation *> operandOps;
  for (auto [op, axis] : ops)
    for (Value operand : op->getOperands())
      if (Operation *operandOp = operand.getDefiningOp())
        operandOps.insert(operandOp);
  for (auto [op, axis] : llvm::reverse(ops)) {
    operandOps.remove(op);
    effectful.erase(op);
  }
  // The source and reads of whole refs.
  for (Operation *op : operandOps)
    if (isOpTriviallyDead(op))
      effectful.erase(op);
  effectful.add(*block, created);
}
