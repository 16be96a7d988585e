//===- ReplicaEqualNumbers.cpp - Constant and counted numbers -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ReplicaEqualNumbers.h"

#include "ReplicaEqualFlow.h"
#include "ipu-mlir/Dialect/IPU/IR/Views.h"
#include "ipu-mlir/Dialect/Pop/IR/PopGraph.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/CastInterfaces.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::ipu;
using namespace mlir::ipu::replica_equal;

/// A number that more ops than these compute is not known. A sum follows both
/// operands, so a value that is added to itself again and again would be
/// visited exponentially often.
static constexpr unsigned kMaxOps = 64;

//===----------------------------------------------------------------------===//
// Ranges
//===----------------------------------------------------------------------===//

Operation *NumberRange::getOutermostLoop() const {
  // All loops are around the same uses, so of two one is around the other.
  Operation *outermost = nullptr;
  for (Operation *loop : loops)
    if (!outermost || loop->isAncestor(outermost))
      outermost = loop;
  return outermost;
}

/// Whether all numbers can be of `type`. What is computed from such numbers and
/// can be of its type does not wrap around.
static bool fits(const NumberRange &range, Type type) {
  auto bounds = getRange(range.numbers);
  Type element = getElementTypeOrSelf(type);
  if (!bounds || !element.isIntOrIndex())
    return false;
  if (element.isIndex())
    return true;
  unsigned width = element.getIntOrFloatBitWidth();
  // Whether a number of one bit is negative depends on the op.
  bool isSigned = !element.isUnsignedInteger() && width > 1;
  return width > 0 && llvm::isIntN(width, bounds->first) &&
         llvm::isIntN(width, bounds->second) &&
         (bounds->first >= 0 || isSigned);
}

static bool isSingle(Type type) {
  auto shaped = dyn_cast<ShapedType>(type);
  return !shaped || (shaped.hasStaticShape() && shaped.getNumElements() == 1);
}

static bool isNegative(const NumberRange &range) {
  auto bounds = getRange(range.numbers);
  return !bounds || bounds->first < 0;
}

/// `range` by `factor`.
static std::optional<NumberRange> scale(NumberRange range, int64_t factor) {
  int64_t &offset = range.numbers.offset;
  if (llvm::MulOverflow(offset, factor, offset))
    return std::nullopt;
  for (int64_t &stride : range.numbers.strides)
    if (llvm::MulOverflow(stride, factor, stride))
      return std::nullopt;
  return range;
}

/// The sum of two numbers. What both count by the same loop, they count in the
/// same iteration; what they count by different loops takes any two values.
static std::optional<NumberRange> add(NumberRange sum,
                                      const NumberRange &other) {
  StridedView &to = sum.numbers;
  if (llvm::AddOverflow(to.offset, other.numbers.offset, to.offset))
    return std::nullopt;
  for (auto [loop, size, stride] : llvm::zip_equal(
           other.loops, other.numbers.sizes, other.numbers.strides)) {
    auto *same = llvm::find(sum.loops, loop);
    if (same == sum.loops.end()) {
      sum.loops.push_back(loop);
      to.sizes.push_back(size);
      to.strides.push_back(stride);
      continue;
    }
    int64_t &own = to.strides[same - sum.loops.begin()];
    if (llvm::AddOverflow(own, stride, own))
      return std::nullopt;
  }
  int64_t numElements = 1;
  for (int64_t size : to.sizes)
    if (llvm::MulOverflow(numElements, size, numElements))
      return std::nullopt;
  return sum;
}

/// The number that `value` is always.
static std::optional<int64_t> getConstantNumber(Value value) {
  APInt number;
  if (!matchPattern(value, m_ConstantInt(&number)) ||
      number.getSignificantBits() > 63)
    return std::nullopt;
  int64_t constant = number.getSExtValue();
  return fits({{constant, {}, {}}}, value.getType()) ? std::optional(constant)
                                                     : std::nullopt;
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

/// The number that is `first` in the first iteration of `loop`, which is
/// entered, and `step` more in each other one.
static std::optional<NumberRange>
getIterationRange(LoopLikeOpInterface loop, int64_t first, int64_t step) {
  APInt count = *loop.getStaticTripCount();
  if (count.getActiveBits() > 62)
    return std::nullopt;
  return NumberRange{
      {first, {static_cast<int64_t>(count.getZExtValue())}, {step}}, {loop}};
}

static bool isSum(Operation *op) { return isa<arith::AddIOp, pop::AddOp>(op); }

static bool isDifference(Operation *op) {
  return isa<arith::SubIOp, pop::SubOp>(op);
}

/// What is added to the value that `isLast` knows to make `next`.
static std::optional<int64_t> getStep(Value next,
                                      function_ref<bool(Value)> isLast) {
  Operation *op = next.getDefiningOp();
  if (!op)
    return std::nullopt;
  if (isSum(op))
    for (unsigned i : {0, 1})
      if (isLast(op->getOperand(i)))
        return getConstantNumber(op->getOperand(1 - i));
  if (!isDifference(op) || !isLast(op->getOperand(0)))
    return std::nullopt;
  std::optional<int64_t> number = getConstantNumber(op->getOperand(1));
  return number ? std::optional(-*number) : std::nullopt;
}

/// The counter of a loop as its bounds say.
static std::optional<NumberRange> getCounterRange(LoopLikeOpInterface loop) {
  auto getNumber = [](std::optional<OpFoldResult> value) {
    return value ? getConstantIntValue(*value) : std::nullopt;
  };
  std::optional<int64_t> first = getNumber(loop.getSingleLowerBound()),
                         step = getNumber(loop.getSingleStep());
  if (!first || !step)
    return std::nullopt;
  return getIterationRange(loop, *first, *step);
}

/// A counter that a loop carries, or that its bounds make.
static std::optional<NumberRange> getArgumentRange(BlockArgument argument) {
  auto loop = dyn_cast_if_present<LoopLikeOpInterface>(
      argument.getOwner()->getParentOp());
  if (!loop || !isEntered(loop))
    return std::nullopt;
  if (loop.getSingleInductionVar() == Value(argument))
    return getCounterRange(loop);
  OpOperand *init = loop.getTiedLoopInit(argument),
            *next = loop.getTiedLoopYieldedValue(argument);
  if (!init || !next)
    return std::nullopt;
  std::optional<int64_t> first = getConstantNumber(init->get()),
                         step = getStep(next->get(), [&](Value value) {
                           return value == Value(argument);
                         });
  if (!first || !step)
    return std::nullopt;
  return getIterationRange(loop, *first, *step);
}

/// The only op that writes a ref after it was made; null if there are others,
/// or if an op that is not a read or a copy uses the ref.
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
  return getStep(write.getValue(), [&](Value value) {
    auto last = value.getDefiningOp<pop::ReadOp>();
    return last && last.getTarget() == write.getTarget() &&
           last->getBlock() == write->getBlock() &&
           last->isBeforeInBlock(write);
  });
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
  if (!first || !step)
    return std::nullopt;
  Operation *at = write->getBlock()->findAncestorOpInBlock(*read);
  if (!at->isBeforeInBlock(write) && llvm::AddOverflow(*first, *step, *first))
    return std::nullopt;
  return getIterationRange(loop, *first, *step);
}

//===----------------------------------------------------------------------===//
// Numbers
//===----------------------------------------------------------------------===//

namespace {

/// Follows a number to the constants and the loops that it is computed from.
class NumberFinder {
public:
  std::optional<NumberRange> find(Value number) {
    if (numVisited++ >= kMaxOps || !isSingle(number.getType()))
      return std::nullopt;
    std::optional<NumberRange> range;
    if (std::optional<int64_t> constant = getConstantNumber(number))
      range = NumberRange{{*constant, {}, {}}};
    else if (auto argument = dyn_cast<BlockArgument>(number))
      range = getArgumentRange(argument);
    else
      range = findResult(number.getDefiningOp());
    return range && fits(*range, number.getType()) ? range : std::nullopt;
  }

private:
  /// A number that follows from others.
  std::optional<NumberRange> findResult(Operation *op) {
    if (auto read = dyn_cast<pop::ReadOp>(op))
      return getRefRange(read);
    if (isa<CastOpInterface, pop::FromScalarOp, tensor::FromElementsOp>(op))
      return findCast(op);
    if (isSum(op))
      return findSum(op, 1);
    if (isDifference(op))
      return findSum(op, -1);
    if (isa<arith::MulIOp, pop::MulOp>(op))
      return findProduct(op);
    if (!isa<pop::NegOp>(op))
      return std::nullopt;
    std::optional<NumberRange> range = find(op->getOperand(0));
    return range ? scale(*range, -1) : std::nullopt;
  }

  std::optional<NumberRange> findCast(Operation *op) {
    if (op->getNumOperands() != 1)
      return std::nullopt;
    std::optional<NumberRange> range = find(op->getOperand(0));
    // Casts differ in what they make of a sign.
    return range && !isNegative(*range) ? range : std::nullopt;
  }

  /// The first operand plus `sign` times the second one.
  std::optional<NumberRange> findSum(Operation *op, int64_t sign) {
    std::optional<NumberRange> lhs = find(op->getOperand(0)),
                               rhs = find(op->getOperand(1));
    if (rhs)
      rhs = scale(*rhs, sign);
    return lhs && rhs ? add(*lhs, *rhs) : std::nullopt;
  }

  std::optional<NumberRange> findProduct(Operation *op) {
    for (unsigned i : {0, 1})
      if (std::optional<int64_t> factor = getConstantNumber(op->getOperand(i)))
        if (std::optional<NumberRange> range = find(op->getOperand(1 - i)))
          return scale(*range, *factor);
    return std::nullopt;
  }

  unsigned numVisited = 0;
};

} // namespace

std::optional<NumberRange> replica_equal::getNumberRange(Value number) {
  std::optional<NumberRange> range = NumberFinder().find(number);
  return range && !isNegative(*range) ? range : std::nullopt;
}
