//===- LowerControlFlow.cpp - Loops and branches without values -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: scf.for, scf.while, scf.if and scf.index_switch on tensors, whose
// predicates and bounds are constants or elements of 0-d tensors; and
// arith.selects of tensors by such predicates.
// Out: the same ops, whose only operands and results are these scalars.
// Allocated refs hold the values that the ops carried, but not a value that
// only the next value of the same argument depends on. Loops count from 0 by 1.
// A switch is a chain of scf.ifs. Selects are ops of pop.
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Dialect/Pop/IR/PopBuilder.h"
#include "ipu-mlir/Dialect/Pop/Transforms/Passes.h"
#include "ipu-mlir/Dialect/Pop/Transforms/Scalars.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/TypeSwitch.h"

namespace mlir::pop {
#define GEN_PASS_DEF_LOWERCONTROLFLOWPASS
#include "ipu-mlir/Dialect/Pop/Transforms/Passes.h.inc"
} // namespace mlir::pop

using namespace mlir;
using namespace mlir::pop;

//===----------------------------------------------------------------------===//
// Refs
//===----------------------------------------------------------------------===//

/// The element of `tensor`, 0-d.
static Value buildExtract(OpBuilder &b, Location loc, Value tensor) {
  return tensor::ExtractOp::create(b, loc, tensor, ValueRange());
}

static RefType getRefType(Type tensor) {
  auto type = cast<RankedTensorType>(tensor);
  return RefType::get(type);
}

/// Returns a new ref that holds `init`. Zeros need no constant, which would
/// take as much memory as the ref.
static Value buildRef(OpBuilder &b, Location loc, Value init) {
  RefType type = getRefType(init.getType());
  if (matchPattern(init, m_PosZeroFloat()) || matchPattern(init, m_Zero()))
    return AllocOp::create(b, loc, type, AllocInit::Zero);
  return FromTensorOp::create(b, loc, type, init);
}

static Value buildAlloc(OpBuilder &b, Location loc, Type tensor) {
  return AllocOp::create(b, loc, getRefType(tensor), AllocInit::Undef);
}

/// Tensors only can lie in refs; an error at `op` for anything else.
static LogicalResult checkCarried(Operation *op, TypeRange types) {
  for (Type type : types)
    if (!isReferable(type))
      return op->emitOpError()
             << "carries a value of type " << type << " but only tensors"
             << (isa<RankedTensorType>(type)
                     ? " of static shape and pop element type"
                     : "")
             << " can be carried";
  return success();
}

/// Replaces the arguments of `block` from `first` on by reads of `refs` at its
/// start, and erases them. An argument without uses may have a null ref.
static void readArguments(Block &block, unsigned first, ValueRange refs) {
  OpBuilder b = OpBuilder::atBlockBegin(&block);
  for (auto [argument, ref] :
       llvm::zip_equal(block.getArguments().drop_front(first), refs))
    if (!argument.use_empty())
      argument.replaceAllUsesWith(
          ReadOp::create(b, argument.getLoc(), argument.getType(), ref));
  block.eraseArguments(first, refs.size());
}

/// Replaces `results` by reads of `refs`.
static void readResults(OpBuilder &b, ResultRange results, ValueRange refs) {
  for (auto [result, ref] : llvm::zip_equal(results, refs))
    if (!result.use_empty())
      result.replaceAllUsesWith(
          ReadOp::create(b, result.getLoc(), result.getType(), ref));
}

static void copyInto(OpBuilder &b, Location loc, ValueRange refs,
                     ValueRange values) {
  for (auto [ref, value] : llvm::zip_equal(refs, values))
    if (ref)
      CopyInPlaceOp::create(b, loc, ref, value);
}

/// Replaces results that all regions yield as one value from outside of `op`:
/// that value is equal on replicas which take different branches.
static void replaceEqualResults(Operation *op) {
  for (OpResult result : op->getResults()) {
    auto getYielded = [&](Region &region) {
      return region.front().getTerminator()->getOperand(
          result.getResultNumber());
    };
    Value value = getYielded(op->getRegion(0));
    bool isEqual = llvm::all_of(op->getRegions(), [&](Region &region) {
      return getYielded(region) == value;
    });
    if (isEqual && !op->isAncestor(value.getParentBlock()->getParentOp()))
      result.replaceAllUsesWith(value);
  }
}

/// A ref for each result of `op` that has a use, and null for the others.
static SmallVector<Value> buildResultRefs(OpBuilder &b, Operation *op) {
  SmallVector<Value> refs;
  for (OpResult result : op->getResults())
    refs.push_back(result.use_empty()
                       ? Value()
                       : buildAlloc(b, op->getLoc(), result.getType()));
  return refs;
}

/// Copies what the terminator of `block` yields into `refs`, but for null ones;
/// a terminator without operands takes its place.
static void storeYields(Block &block, ValueRange refs) {
  Operation *yield = block.getTerminator();
  OpBuilder b(yield);
  copyInto(b, yield->getLoc(), refs, yield->getOperands());
  scf::YieldOp::create(b, yield->getLoc());
  yield->erase();
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

/// The number of iterations, as a 0-d tensor: ceil((upper - lower) / step), not
/// more than 0 if there are none.
static Value buildTripCount(PopBuilder &b, Value lower, Value upper,
                            int64_t step) {
  lower = b.cast(lower, b.getI32Type());
  upper = b.cast(upper, b.getI32Type());
  if (step == 1)
    return b.sub(upper, lower);
  // Without signs, no difference of two i32 is too large; the sum of it and a
  // step may be.
  upper = b.max(upper, lower);
  Type element = b.getIntegerType(32, /*isSigned=*/false);
  Value span = b.cast(b.sub(upper, lower), element);
  Value divisor = b.splat(b.getIntegerAttr(element, step));
  Value whole = b.div(span, divisor);
  Value rest = b.sub(span, b.mul(whole, divisor));
  Value part = b.min(rest, b.splat(b.getIntegerAttr(element, 1)));
  return b.cast(b.add(whole, part), b.getI32Type());
}

/// The upper bound of the loop from 0 by 1 that iterates as often as `op`; null
/// after an error.
static Value getCount(PopBuilder &b, scf::ForOp op) {
  Location loc = op.getLoc();
  APInt lower, upper, step;
  Type type = op.getInductionVar().getType();
  if (!type.isIndex() && type.getIntOrFloatBitWidth() > 64) {
    op.emitOpError() << "expects bounds of at most 64 bits but got " << type;
    return {};
  }
  if (op.getUnsignedCmp()) {
    op.emitOpError("expects a signed comparison of its bounds");
    return {};
  }
  if (!matchPattern(op.getStep(), m_ConstantInt(&step)) ||
      !step.isStrictlyPositive()) {
    op.emitOpError("expects its step to be a positive constant");
    return {};
  }
  bool isLowerConstant =
      matchPattern(op.getLowerBound(), m_ConstantInt(&lower));
  if (isLowerConstant &&
      matchPattern(op.getUpperBound(), m_ConstantInt(&upper))) {
    // In 128 bits nothing overflows.
    APInt span = upper.sext(128) - lower.sext(128);
    APInt count = span.isStrictlyPositive()
                      ? llvm::APIntOps::RoundingUDiv(span, step.sext(128),
                                                     APInt::Rounding::UP)
                      : APInt(128, 0);
    if (count.getActiveBits() > 31) {
      op.emitOpError("has more than 2^31 - 1 iterations");
      return {};
    }
    return arith::ConstantIndexOp::create(b, loc, count.getZExtValue());
  }
  if (step.getActiveBits() > 31) {
    op.emitOpError("expects its step to be less than 2^31");
    return {};
  }
  Value from = buildTensorOfScalar(b, op, "lower bound", op.getLowerBound());
  Value to = from
                 ? buildTensorOfScalar(b, op, "upper bound", op.getUpperBound())
                 : Value();
  if (!to)
    return {};
  Value count = isLowerConstant && lower.isZero() && step.isOne()
                    ? b.cast(to, b.getI32Type())
                    : buildTripCount(b, from, to, step.getSExtValue());
  return arith::IndexCastOp::create(b, loc, b.getIndexType(),
                                    buildExtract(b, loc, count));
}

/// Whether the indices of `op`, which iterates `count` times, are i32. What is
/// no constant is.
static bool hasNarrowIndices(scf::ForOp op, Value count) {
  APInt lower, step, times;
  if (!matchPattern(count, m_ConstantInt(&times)) || times.isZero() ||
      !matchPattern(op.getLowerBound(), m_ConstantInt(&lower)) ||
      !matchPattern(op.getStep(), m_ConstantInt(&step)))
    return true;
  APInt last = lower.sext(128) + (times.sext(128) - 1) * step.sext(128);
  return lower.isSignedIntN(32) && last.isSignedIntN(32);
}

/// Replaces `users`, which make the iteration index of `op` a tensor, by reads
/// of a ref. It starts at the lower bound and grows by the step at the end of
/// the body.
static LogicalResult buildIndex(PopBuilder &b, scf::ForOp op,
                                ArrayRef<Operation *> users) {
  Location loc = op.getLoc();
  Value lower = buildTensorOfScalar(b, op, "lower bound", op.getLowerBound());
  if (!lower)
    return failure();
  Value ref = FromTensorOp::create(
      b, loc, getRefType(RankedTensorType::get({}, b.getI32Type())),
      b.cast(lower, b.getI32Type()));
  PopBuilder inner(OpBuilder::atBlockBegin(op.getBody()), loc);
  auto type = RankedTensorType::get({}, b.getI32Type());
  Value value = ReadOp::create(inner, loc, type, ref);
  for (Operation *user : users) {
    OpBuilder atUser(user);
    Value tensor = value;
    if (user->getResult(0).getType() != type)
      tensor = CastOp::create(atUser, user->getLoc(),
                              user->getResult(0).getType(), value);
    user->getResult(0).replaceAllUsesWith(tensor);
    user->erase();
  }
  inner.setInsertionPoint(op.getBody()->getTerminator());
  APInt step;
  matchPattern(op.getStep(), m_ConstantInt(&step));
  Value next =
      inner.add(value, inner.splat(b.getI32IntegerAttr(step.getSExtValue())));
  CopyInPlaceOp::create(inner, loc, ref, next);
  return success();
}

/// Replaces the iteration index by a tensor in a ref, if anything uses it. Each
/// IPU that uses the index counts for itself.
static LogicalResult lowerIndex(PopBuilder &b, scf::ForOp op, Value count) {
  Value index = op.getInductionVar();
  if (index.use_empty())
    return success();
  llvm::MapVector<Attribute, SmallVector<Operation *>> usersOfVgraph;
  for (Operation *user : index.getUsers()) {
    if (isa<FromScalarOp>(user)) {
      usersOfVgraph[user->getAttr(PopDialect::kVgraphAttrName)].push_back(user);
      continue;
    }
    InFlightDiagnostic diag =
        user->emitOpError("uses the iteration index of a loop as a scalar; "
                          "expects 'pop.from_scalar' to make it a tensor");
    diag.attachNote(op.getLoc()) << "loop defined here";
    return diag;
  }
  if (!hasNarrowIndices(op, count))
    return op.emitOpError("expects iteration indices that fit 32 bits, because "
                          "the body uses them");
  for (auto &[vgraph, users] : usersOfVgraph)
    if (failed(buildIndex(b, op, users)))
      return failure();
  return success();
}

/// Erases the ops of `loop` that compute the next value of argument `number`
/// from the argument if nothing else depends on it. Returns whether it did.
static bool eraseUnusedCarried(scf::ForOp loop, unsigned number) {
  if (!loop.getResult(number).use_empty())
    return false;
  Operation *yield = loop.getBody()->getTerminator();
  llvm::SetVector<Operation *> users;
  SmallVector<Value> worklist = {loop.getRegionIterArg(number)};
  while (!worklist.empty()) {
    Value value = worklist.pop_back_val();
    for (OpOperand &use : value.getUses()) {
      Operation *user = use.getOwner();
      if (user == yield && use.getOperandNumber() == number)
        continue;
      if (user->getBlock() != loop.getBody() || user->getNumRegions() > 0 ||
          user->hasTrait<OpTrait::IsTerminator>() || !isMemoryEffectFree(user))
        return false;
      if (users.insert(user))
        llvm::append_range(worklist, user->getResults());
    }
  }
  yield->setOperand(number, loop.getInitArgs()[number]);
  for (Operation *user : users)
    user->dropAllReferences();
  for (Operation *user : users)
    user->erase();
  return true;
}

static LogicalResult lowerFor(scf::ForOp op) {
  if (failed(checkCarried(op, op.getResultTypes())))
    return failure();
  Location loc = op.getLoc();
  PopBuilder b(OpBuilder(op), loc);
  Value count = getCount(b, op);
  if (!count || failed(lowerIndex(b, op, count)))
    return failure();
  SmallVector<Value> refs;
  for (auto [i, init] : llvm::enumerate(op.getInitArgs()))
    refs.push_back(eraseUnusedCarried(op, i) ? Value()
                                             : buildRef(b, loc, init));
  Value zero = arith::ConstantIndexOp::create(b, loc, 0);
  Value one = arith::ConstantIndexOp::create(b, loc, 1);
  auto loop = scf::ForOp::create(b, loc, zero, count, one);
  loop->setDiscardableAttrs(op->getDiscardableAttrDictionary());
  readArguments(*op.getBody(), 1, refs);
  storeYields(*op.getBody(), refs);
  loop.getBody()->erase();
  loop.getRegion().takeBody(op.getRegion());
  // The index has another type now, and no uses.
  loop.getRegion().front().getArgument(0).setType(b.getIndexType());
  readResults(b, op.getResults(), refs);
  op.erase();
  return success();
}

static LogicalResult lowerWhile(scf::WhileOp op) {
  Block &before = op.getBefore().front(), &after = op.getAfter().front();
  auto condition = op.getConditionOp();
  if (failed(checkCarried(op, op.getOperandTypes())) ||
      failed(checkCarried(op, op.getResultTypes())))
    return failure();
  OpBuilder b(op);
  Location loc = op.getLoc();
  SmallVector<Value> carried, forwarded;
  for (Value init : op.getInits())
    carried.push_back(buildRef(b, loc, init));
  Value go = buildAlloc(b, loc, RankedTensorType::get({}, b.getI1Type()));

  OpBuilder inner(condition);
  Value predicate =
      buildTensorOfScalar(inner, op, "condition", condition.getCondition());
  if (!predicate)
    return failure();
  for (Value value : condition.getArgs()) {
    // What is carried as it was stays where it is.
    auto argument = dyn_cast<BlockArgument>(value);
    if (argument && argument.getOwner() == &before) {
      forwarded.push_back(carried[argument.getArgNumber()]);
      continue;
    }
    forwarded.push_back(buildAlloc(b, loc, value.getType()));
    CopyInPlaceOp::create(inner, loc, forwarded.back(), value);
  }
  CopyInPlaceOp::create(inner, loc, go, predicate);
  Value extracted = buildExtract(
      inner, loc,
      ReadOp::create(inner, loc, RankedTensorType::get({}, b.getI1Type()), go));
  scf::ConditionOp::create(inner, loc, extracted, ValueRange());
  condition.erase();

  readArguments(before, 0, carried);
  readArguments(after, 0, forwarded);
  storeYields(after, carried);
  auto loop = scf::WhileOp::create(b, loc, TypeRange(), ValueRange());
  loop->setDiscardableAttrs(op->getDiscardableAttrDictionary());
  loop.getBefore().takeBody(op.getBefore());
  loop.getAfter().takeBody(op.getAfter());
  readResults(b, op.getResults(), forwarded);
  op.erase();
  return success();
}

//===----------------------------------------------------------------------===//
// Branches
//===----------------------------------------------------------------------===//

static LogicalResult lowerIf(scf::IfOp op) {
  if (failed(checkCarried(op, op.getResultTypes())))
    return failure();
  OpBuilder b(op);
  Location loc = op.getLoc();
  Value predicate = buildTensorOfScalar(b, op, "condition", op.getCondition());
  if (!predicate)
    return failure();
  replaceEqualResults(op);
  SmallVector<Value> refs = buildResultRefs(b, op);
  auto branch =
      scf::IfOp::create(b, loc, TypeRange(), buildExtract(b, loc, predicate),
                        /*addThenBlock=*/false,
                        /*addElseBlock=*/false);
  branch->setDiscardableAttrs(op->getDiscardableAttrDictionary());
  for (Region *region : op.getRegions())
    if (!region->empty())
      storeYields(region->front(), refs);
  branch.getThenRegion().takeBody(op.getThenRegion());
  branch.getElseRegion().takeBody(op.getElseRegion());
  readResults(b, op.getResults(), refs);
  op.erase();
  return success();
}

/// A chain of branches, each of which compares with one case.
static LogicalResult lowerSwitch(scf::IndexSwitchOp op) {
  if (failed(checkCarried(op, op.getResultTypes())))
    return failure();
  for (int64_t value : op.getCases())
    if (!llvm::isInt<32>(value))
      return op.emitOpError()
             << "expects cases that fit 32 bits but got " << value;
  Location loc = op.getLoc();
  PopBuilder b(OpBuilder(op), loc);
  Value argument = buildTensorOfScalar(b, op, "argument", op.getArg());
  if (!argument)
    return failure();
  argument = b.cast(argument, b.getI32Type());
  replaceEqualResults(op);
  SmallVector<Value> refs = buildResultRefs(b, op);
  for (Region *region : op.getRegions())
    storeYields(region->front(), refs);
  PopBuilder inner(b, loc);
  for (auto [value, region] :
       llvm::zip_equal(op.getCases(), op.getCaseRegions())) {
    Value isCase =
        inner.equal(argument, inner.splat(b.getI32IntegerAttr(value)));
    auto branch = scf::IfOp::create(inner, loc, TypeRange(),
                                    buildExtract(inner, loc, isCase),
                                    /*addThenBlock=*/false,
                                    /*addElseBlock=*/true);
    branch->setDiscardableAttrs(op->getDiscardableAttrDictionary());
    branch.getThenRegion().takeBody(region);
    inner.setInsertionPointToStart(branch.elseBlock());
    inner.setInsertionPoint(scf::YieldOp::create(inner, loc));
  }
  Block &rest = op.getDefaultBlock();
  rest.getTerminator()->erase();
  inner.getInsertionBlock()->getOperations().splice(inner.getInsertionPoint(),
                                                    rest.getOperations());
  readResults(b, op.getResults(), refs);
  op.erase();
  return success();
}

/// What canonicalization makes of a branch that only chooses between tensors.
static LogicalResult lowerSelect(arith::SelectOp op) {
  if (!isReferable(op.getType()) || !op.getCondition().getType().isInteger(1))
    return success();
  OpBuilder b(op);
  Value predicate = buildTensorOfScalar(b, op, "condition", op.getCondition());
  if (!predicate)
    return failure();
  op.replaceAllUsesWith(SelectOp::create(b, op.getLoc(), op.getType(),
                                         predicate, op.getTrueValue(),
                                         op.getFalseValue())
                            .getResult());
  op.erase();
  return success();
}

namespace {
struct LowerControlFlow
    : pop::impl::LowerControlFlowPassBase<LowerControlFlow> {
  void runOnOperation() override {
    // Inner ops first: each is replaced by another op of its kind.
    SmallVector<Operation *> ops;
    getOperation()->walk([&](Operation *op) {
      if (isa<scf::ForOp, scf::WhileOp, scf::IfOp, scf::IndexSwitchOp,
              arith::SelectOp>(op))
        ops.push_back(op);
    });
    for (Operation *op : ops) {
      LogicalResult result =
          llvm::TypeSwitch<Operation *, LogicalResult>(op)
              .Case([](scf::ForOp loop) { return lowerFor(loop); })
              .Case([](scf::WhileOp loop) { return lowerWhile(loop); })
              .Case([](scf::IfOp branch) { return lowerIf(branch); })
              .Case([](scf::IndexSwitchOp op) { return lowerSwitch(op); })
              .Case([](arith::SelectOp op) { return lowerSelect(op); });
      if (failed(result))
        return signalPassFailure();
    }
    if (ops.empty())
      markAllAnalysesPreserved();
  }
};
} // namespace
