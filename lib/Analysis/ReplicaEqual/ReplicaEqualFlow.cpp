//===- ReplicaEqualFlow.cpp - Ways through regions and loops --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ReplicaEqualFlow.h"

#include "ReplicaEqualAtoms.h"

#include "ipu-mlir/Dialect/IPU/IR/Views.h"
#include "ipu-mlir/Dialect/Pop/IR/PopGraph.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/CastInterfaces.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::ipu;
using namespace mlir::ipu::replica_equal;

//===----------------------------------------------------------------------===//
// Regions
//===----------------------------------------------------------------------===//

/// The constants among the operands of `op`.
static SmallVector<Attribute> getConstants(Operation *op) {
  SmallVector<Attribute> constants(op->getNumOperands());
  for (auto [operand, constant] : llvm::zip_equal(op->getOperands(), constants))
    matchPattern(operand, m_Constant(&constant));
  return constants;
}

static std::optional<APInt> getTripCount(Operation *op) {
  auto loop = dyn_cast<LoopLikeOpInterface>(op);
  return loop ? loop.getStaticTripCount() : std::nullopt;
}

/// Whether the body of a loop is executed at least once.
static bool isEntered(Operation *op) {
  std::optional<APInt> count = getTripCount(op);
  return count && !count->isZero();
}

static SmallVector<RegionSuccessor> getSuccessors(RegionBranchOpInterface op,
                                                  RegionBranchPoint point) {
  SmallVector<RegionSuccessor> successors;
  if (!point.isParent()) {
    op.getSuccessorRegions(point, successors);
    return successors;
  }
  op.getEntrySuccessorRegions(getConstants(op), successors);
  std::optional<APInt> count = getTripCount(op);
  if (count && successors.size() > 1)
    llvm::erase_if(successors, [&](RegionSuccessor successor) {
      return successor.isParent() != count->isZero();
    });
  return successors;
}

/// Sets what results and arguments are that no way changes.
static void findConstants(RegionBranchOpInterface op, RegionFlow &flow) {
  llvm::SmallMapVector<Value, SmallVector<Value, 2>, 4> passed;
  for (const RegionFlow::Edge &edge : flow.edges)
    for (auto [input, operand] :
         llvm::zip(edge.to.getSuccessorInputs(),
                   op.getSuccessorOperands(edge.from, edge.to)))
      passed[input].push_back(operand);
  auto isFromOutside = [&](Value value) {
    return !op->isAncestor(value.getParentBlock()->getParentOp()) &&
           value.getDefiningOp() != op;
  };
  bool isChanged = true;
  while (isChanged) {
    isChanged = false;
    for (auto &[input, operands] : passed) {
      if (flow.constant.contains(input))
        continue;
      Value single;
      bool isSingle = true;
      for (Value operand : operands) {
        if (Value known = flow.constant.lookup(operand))
          operand = known;
        if (operand == input || operand == single)
          continue;
        isSingle &= !single;
        single = operand;
      }
      if (!isSingle || !single || !isFromOutside(single))
        continue;
      flow.constant[input] = single;
      isChanged = true;
    }
  }
}

RegionFlow replica_equal::getRegionFlow(RegionBranchOpInterface op) {
  RegionFlow flow;
  llvm::SmallPtrSet<Region *, 4> reached;
  SmallVector<Region *> queue;
  auto addEdges = [&](RegionBranchPoint point) {
    for (RegionSuccessor successor : getSuccessors(op, point)) {
      flow.edges.push_back({point, successor});
      if (successor.isParent())
        continue;
      Region *region = successor.getSuccessor();
      if (!point.isParent())
        flow.repeated.insert(region);
      if (reached.insert(region).second)
        queue.push_back(region);
    }
  };
  addEdges(RegionBranchPoint::parent());
  while (!queue.empty())
    for (Block &block : *queue.pop_back_val())
      if (!block.empty())
        if (auto exit =
                dyn_cast<RegionBranchTerminatorOpInterface>(block.back()))
          addEdges(exit);
  findConstants(op, flow);
  return flow;
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

/// The counter of a loop as its bounds say.
static std::optional<NumberRange> getCounterRange(BlockArgument argument) {
  auto loop = dyn_cast_if_present<LoopLikeOpInterface>(
      argument.getOwner()->getParentOp());
  if (!loop || loop.getSingleInductionVar() != Value(argument))
    return std::nullopt;
  auto getNumber = [](std::optional<OpFoldResult> value) {
    return value ? getConstantIntValue(*value) : std::nullopt;
  };
  std::optional<int64_t> first = getNumber(loop.getSingleLowerBound()),
                         step = getNumber(loop.getSingleStep());
  if (!first || !step || !isEntered(loop))
    return std::nullopt;
  APInt count = *loop.getStaticTripCount();
  if (count.getActiveBits() > 62)
    return std::nullopt;
  return NumberRange{
      {*first, {static_cast<int64_t>(count.getZExtValue())}, {*step}}, loop};
}

/// Whether all numbers can be of `type`, whatever its sign is.
static bool fits(const NumberRange &range, Type type) {
  std::optional<StridedView> numbers = normalizeView(range.numbers);
  Type element = getElementTypeOrSelf(type);
  if (!numbers || numbers->offset < 0 || !element.isIntOrIndex())
    return false;
  int64_t last = getRange(*numbers)->second;
  return element.isIndex() ||
         llvm::Log2_64_Ceil(static_cast<uint64_t>(last) + 1) <
             element.getIntOrFloatBitWidth();
}

static bool isSingle(Type type) {
  auto shaped = dyn_cast<ShapedType>(type);
  return !shaped || (shaped.hasStaticShape() && shaped.getNumElements() == 1);
}

/// `range` by `factor`, plus `addend`.
static std::optional<NumberRange> scale(NumberRange range, int64_t factor,
                                        int64_t addend) {
  int64_t &offset = range.numbers.offset;
  if (llvm::MulOverflow(offset, factor, offset) ||
      llvm::AddOverflow(offset, addend, offset))
    return std::nullopt;
  for (int64_t &stride : range.numbers.strides)
    if (llvm::MulOverflow(stride, factor, stride))
      return std::nullopt;
  return range;
}

/// The number that `value` is always.
static std::optional<int64_t> getConstantNumber(Value value) {
  APInt number;
  if (!matchPattern(value, m_ConstantInt(&number)) ||
      number.getSignificantBits() > 63)
    return std::nullopt;
  return number.getSExtValue();
}

/// The only op that writes a ref after it was made; null if there are others or
/// somebody else may write it.
static pop::CopyInPlaceOp getOnlyWrite(Value ref) {
  pop::CopyInPlaceOp write;
  for (Operation *user : ref.getUsers()) {
    if (isa<pop::ReadOp>(user))
      continue;
    auto copy = dyn_cast<pop::CopyInPlaceOp>(user);
    if (!copy || write)
      return {};
    write = copy;
  }
  return write;
}

/// By how much each iteration counts on a ref that `write` in its body writes.
static std::optional<int64_t> getRefStep(pop::CopyInPlaceOp write) {
  auto sum = write.getValue().getDefiningOp<pop::AddOp>();
  if (!sum)
    return std::nullopt;
  for (unsigned i : {0, 1}) {
    auto last = sum->getOperand(i).getDefiningOp<pop::ReadOp>();
    if (last && last.getTarget() == write.getTarget() &&
        last->getBlock() == write->getBlock() && last->isBeforeInBlock(write))
      return getConstantNumber(sum->getOperand(1 - i));
  }
  return std::nullopt;
}

/// A counter that a loop keeps in a ref, as pop-lower-control-flow makes it:
/// starts as a constant right before the loop, and is written once in the body.
static std::optional<NumberRange> getRefRange(pop::ReadOp read) {
  auto made = read.getTarget().getDefiningOp<pop::FromTensorOp>();
  pop::CopyInPlaceOp write = getOnlyWrite(read.getTarget());
  if (!made || !write)
    return std::nullopt;
  auto loop = dyn_cast_if_present<LoopLikeOpInterface>(
      made->getBlock()->findAncestorOpInBlock(*read));
  if (!loop || !made->isBeforeInBlock(loop) || !isEntered(loop) ||
      write->getParentOp() != loop ||
      !write->getParentRegion()->hasOneBlock() || loop->getNumRegions() != 1)
    return std::nullopt;
  std::optional<int64_t> first = getConstantNumber(made.getInput()),
                         step = getRefStep(write);
  APInt count = *loop.getStaticTripCount();
  if (!first || !step || count.getActiveBits() > 62)
    return std::nullopt;
  Operation *at = write->getBlock()->findAncestorOpInBlock(*read);
  if (!at->isBeforeInBlock(write) && llvm::AddOverflow(*first, *step, *first))
    return std::nullopt;
  return NumberRange{
      {*first, {static_cast<int64_t>(count.getZExtValue())}, {*step}}, loop};
}

/// A number that follows from another one and constants.
static std::optional<NumberRange> getResultRange(Operation *op) {
  if (auto read = dyn_cast<pop::ReadOp>(op))
    return getRefRange(read);
  if (isa<CastOpInterface, pop::FromScalarOp, tensor::FromElementsOp>(op)) {
    if (op->getNumOperands() != 1)
      return std::nullopt;
    return getNumberRange(op->getOperand(0));
  }
  bool adds = isa<arith::AddIOp, pop::AddOp>(op);
  if (!adds && !isa<arith::MulIOp, pop::MulOp>(op))
    return std::nullopt;
  for (unsigned i : {0, 1}) {
    std::optional<int64_t> number = getConstantNumber(op->getOperand(i));
    if (!number)
      continue;
    std::optional<NumberRange> other = getNumberRange(op->getOperand(1 - i));
    if (!other)
      return std::nullopt;
    return adds ? scale(*other, 1, *number) : scale(*other, *number, 0);
  }
  return std::nullopt;
}

std::optional<NumberRange> replica_equal::getNumberRange(Value number) {
  std::optional<NumberRange> range;
  if (!isSingle(number.getType()))
    return std::nullopt;
  if (std::optional<int64_t> constant = getConstantNumber(number)) {
    range = NumberRange{{*constant, {}, {}}};
  } else if (auto argument = dyn_cast<BlockArgument>(number)) {
    range = getCounterRange(argument);
  } else {
    range = getResultRange(number.getDefiningOp());
  }
  return range && fits(*range, number.getType()) ? range : std::nullopt;
}

bool replica_equal::isExecutedEachIteration(Operation *op, Operation *loop) {
  for (Operation *at = op; at != loop; at = at->getParentOp()) {
    Region *region = at->getParentRegion();
    Operation *outer = region->getParentOp();
    if (!region->hasOneBlock())
      return false;
    if (outer == loop || isEntered(outer))
      continue;
    auto branches = dyn_cast<RegionBranchOpInterface>(outer);
    if (!branches)
      return false;
    SmallVector<InvocationBounds> bounds;
    branches.getRegionInvocationBounds(getConstants(outer), bounds);
    unsigned number = region->getRegionNumber();
    if (number >= bounds.size() || bounds[number].getLowerBound() < 1)
      return false;
  }
  return true;
}
