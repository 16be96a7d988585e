//===- PopElementwiseCodelets.cpp - Elementwise codelets --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../PopDetail.h"
#include "PopScalars.h"
#include "ipu-mlir/Support/ComposedMath.h"
#include "ipu-mlir/Support/DoubleMath.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Utils/StructuredOpsUtils.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace mlir::pop;
using namespace mlir::pop::detail;
using mlir::ipu::DimAccess;
using mlir::ipu::TileAccess;
using mlir::ipu::TileForm;

//===----------------------------------------------------------------------===//
// Form
//===----------------------------------------------------------------------===//

static RankedTensorType getResultType(Operation *op) {
  return cast<RankedTensorType>(op->getResult(0).getType());
}

/// How an operand of an elementwise op lies relative to the result.
enum class OperandKind { Whole, Scalar, Broadcast };

static OperandKind classify(Value operand, RankedTensorType result) {
  // Dimensions of 1 aside, shapes with the same number of elements are equal,
  // and then so is the row-major order.
  int64_t count = cast<RankedTensorType>(operand.getType()).getNumElements();
  if (count == result.getNumElements())
    return OperandKind::Whole;
  return count == 1 ? OperandKind::Scalar : OperandKind::Broadcast;
}

TileAccess pop::detail::getWholeAccess(ArrayRef<int64_t> domain) {
  TileAccess access;
  access.domain = llvm::to_vector(domain);
  for (size_t i = 0; i < domain.size(); ++i)
    access.dims.push_back({static_cast<int64_t>(i)});
  return access;
}

/// Whether an operand of `shape` has all elements of each of the result's
/// dimensions `domain`, as far as it has more than one; none if a dimension has
/// elements of dimensions that the operand has and of others that it has not.
static std::optional<SmallVector<bool>> getOwnDims(ArrayRef<int64_t> shape,
                                                   ArrayRef<int64_t> result,
                                                   ArrayRef<int64_t> domain) {
  SmallVector<bool> isOwn;
  size_t dim = 0;
  while (dim < result.size()) {
    // Neighbouring dimensions that the operand has, or has not.
    int64_t size = 1;
    std::optional<bool> own;
    for (; dim < result.size(); ++dim) {
      if (result[dim] == 1)
        continue;
      bool hasDim = shape[dim] == result[dim];
      if (own && *own != hasDim)
        break;
      own = hasDim;
      size *= result[dim];
    }
    int64_t product = 1;
    while (isOwn.size() < domain.size() &&
           (product < size || domain[isOwn.size()] == 1)) {
      product *= domain[isOwn.size()];
      isOwn.push_back(own.value_or(true));
    }
    if (product != size)
      return std::nullopt;
  }
  if (isOwn.size() != domain.size())
    return std::nullopt;
  return isOwn;
}

TileForm pop::detail::getElementwiseTileForm(Operation *op,
                                             ArrayRef<int64_t> domain) {
  RankedTensorType result = getResultType(op);
  auto getOwn = [&](Value operand, ArrayRef<int64_t> domain) {
    ArrayRef<int64_t> shape =
        cast<RankedTensorType>(operand.getType()).getShape();
    return getOwnDims(padShape(shape, result.getRank()), result.getShape(),
                      domain);
  };
  TileForm form;
  auto isBroadcast = [&](Value operand) {
    return classify(operand, result) == OperandKind::Broadcast;
  };
  if (llvm::none_of(op->getOperands(), isBroadcast)) {
    if (!domain.empty())
      form.loops = llvm::to_vector(domain);
    else if (result.getRank() > 0)
      form.loops = {result.getNumElements()};
  } else {
    bool isPossible =
        !domain.empty() && result.getNumElements() > 0 &&
        llvm::all_of(op->getOperands(), [&](Value operand) {
          return !isBroadcast(operand) || getOwn(operand, domain).has_value();
        });
    form.loops = llvm::to_vector(isPossible ? domain : result.getShape());
  }
  form.results.push_back(getWholeAccess(form.loops));

  for (Value operand : op->getOperands()) {
    OperandKind kind = classify(operand, result);
    if (kind == OperandKind::Scalar) {
      form.inputs.emplace_back();
      continue;
    }
    TileAccess &access = form.inputs.emplace_back(getWholeAccess(form.loops));
    if (kind == OperandKind::Whole)
      continue;
    SmallVector<int64_t> shape = padShape(
        cast<RankedTensorType>(operand.getType()).getShape(), result.getRank());
    std::optional<SmallVector<bool>> own;
    if (result.getNumElements() > 0)
      own = getOwn(operand, form.loops);
    for (size_t i = 0; i < form.loops.size(); ++i)
      if (own ? !(*own)[i] : shape[i] != result.getDimSize(i)) {
        access.domain[i] = 1;
        access.dims[i] = DimAccess();
      }
  }
  return form;
}

//===----------------------------------------------------------------------===//
// Body
//===----------------------------------------------------------------------===//

/// The indexing map from the loops to the elements of an operand's buffer.
static AffineMap getOperandMap(const TileAccess &access, unsigned numLoops,
                               MLIRContext *context) {
  SmallVector<AffineExpr> exprs;
  for (const DimAccess &dim : access.dims)
    exprs.push_back(dim.loop >= 0 ? getAffineDimExpr(dim.loop, context)
                                  : getAffineConstantExpr(0, context));
  return AffineMap::get(numLoops, 0, exprs, context);
}

void pop::detail::buildElementwiseCodelet(OpBuilder &builder, Location loc,
                                          ValueRange buffers,
                                          const TileForm &form,
                                          ScalarBuilder scalar) {
  Value output = buffers.back();
  unsigned numLoops = cast<MemRefType>(output.getType()).getRank();
  SmallVector<AffineMap> maps;
  for (const TileAccess &access : form.inputs)
    maps.push_back(getOperandMap(access, numLoops, builder.getContext()));
  maps.push_back(builder.getMultiDimIdentityMap(numLoops));
  SmallVector<utils::IteratorType> iterators(numLoops,
                                             utils::IteratorType::parallel);
  linalg::GenericOp::create(
      builder, loc, buffers.drop_back(), output, maps, iterators,
      [&](OpBuilder &b, Location loc, ValueRange args) {
        SmallVector<Value> extended;
        for (Value arg : args.drop_back())
          extended.push_back(buildExtend(b, loc, arg));
        Value y = scalar(b, loc, extended);
        // The one rounding of an op that computes in a wider type.
        if (y.getType() != args.back().getType())
          y = arith::TruncFOp::create(b, loc, args.back().getType(), y);
        linalg::YieldOp::create(b, loc, y);
      });
}

//===----------------------------------------------------------------------===//
// Scalars
//===----------------------------------------------------------------------===//

Value pop::detail::buildNumber(OpBuilder &b, Location loc, Type type,
                               double value) {
  TypedAttr attr;
  if (isa<FloatType>(type))
    attr = b.getFloatAttr(type, value);
  else
    attr = b.getIntegerAttr(
        type, APInt(type.getIntOrFloatBitWidth(), static_cast<int64_t>(value),
                    /*isSigned=*/true, /*implicitTrunc=*/true));
  return arith::ConstantOp::create(b, loc, attr);
}

static bool isUnsigned(Value tensor) {
  return getElementTypeOrSelf(tensor).isUnsignedInteger();
}

Value AbsOp::buildScalar(OpBuilder &b, Location loc, ValueRange args) {
  Value x = args[0];
  if (isFloat(x))
    return math::AbsFOp::create(b, loc, x);
  if (isUnsigned(getInput()))
    return x;
  // The least integer is its own negation.
  Value zero = buildNumber(b, loc, x.getType(), 0);
  Value negated = arith::SubIOp::create(b, loc, zero, x);
  return arith::MaxSIOp::create(b, loc, x, negated);
}

Value NegOp::buildScalar(OpBuilder &b, Location loc, ValueRange args) {
  Value x = args[0];
  if (isFloat(x))
    return arith::NegFOp::create(b, loc, x);
  Value zero = buildNumber(b, loc, x.getType(), 0);
  return arith::SubIOp::create(b, loc, zero, x);
}

Value SignOp::buildScalar(OpBuilder &b, Location loc, ValueRange args) {
  Value x = args[0];
  Value zero = buildNumber(b, loc, x.getType(), 0);
  Value one = buildNumber(b, loc, x.getType(), 1);
  Value minusOne = buildNumber(b, loc, x.getType(), -1);
  if (isFloat(x)) {
    using arith::CmpFPredicate;
    Value isZero = arith::CmpFOp::create(b, loc, CmpFPredicate::OEQ, x, zero);
    Value isLess = arith::CmpFOp::create(b, loc, CmpFPredicate::OLT, x, zero);
    Value isGreater =
        arith::CmpFOp::create(b, loc, CmpFPredicate::OGT, x, zero);
    Value y = arith::SelectOp::create(b, loc, isZero, zero, x);
    y = arith::SelectOp::create(b, loc, isLess, minusOne, y);
    return arith::SelectOp::create(b, loc, isGreater, one, y);
  }
  if (isUnsigned(getInput()))
    return arith::MinUIOp::create(b, loc, x, one);
  Value y = arith::MaxSIOp::create(b, loc, x, minusOne);
  return arith::MinSIOp::create(b, loc, y, one);
}

Value ReluOp::buildScalar(OpBuilder &b, Location loc, ValueRange args) {
  Value zero = buildNumber(b, loc, args[0].getType(), 0);
  return pop::detail::buildCombine(
      b, loc, ReduceKind::Max, getElementTypeOrSelf(getInput()), args[0], zero);
}

Value ExpOp::buildScalar(OpBuilder &b, Location loc, ValueRange args) {
  return math::ExpOp::create(b, loc, args[0]);
}

Value Expm1Op::buildScalar(OpBuilder &b, Location loc, ValueRange args) {
  return math::ExpM1Op::create(b, loc, args[0]);
}

Value LogOp::buildScalar(OpBuilder &b, Location loc, ValueRange args) {
  return math::LogOp::create(b, loc, args[0]);
}

Value Log1pOp::buildScalar(OpBuilder &b, Location loc, ValueRange args) {
  return math::Log1pOp::create(b, loc, args[0]);
}

Value SqrtOp::buildScalar(OpBuilder &b, Location loc, ValueRange args) {
  return math::SqrtOp::create(b, loc, args[0]);
}

static Value buildReciprocal(OpBuilder &b, Location loc, Value x) {
  Value one = buildNumber(b, loc, x.getType(), 1);
  return arith::DivFOp::create(b, loc, one, x);
}

Value RsqrtOp::buildScalar(OpBuilder &b, Location loc, ValueRange args) {
  if (args[0].getType().isF64())
    return math::RsqrtOp::create(b, loc, args[0]);
  return buildReciprocal(b, loc, math::SqrtOp::create(b, loc, args[0]));
}

Value ReciprocalOp::buildScalar(OpBuilder &b, Location loc, ValueRange args) {
  return buildReciprocal(b, loc, args[0]);
}

Value TanhOp::buildScalar(OpBuilder &b, Location loc, ValueRange args) {
  return math::TanhOp::create(b, loc, args[0]);
}

Value SigmoidOp::buildScalar(OpBuilder &b, Location loc, ValueRange args) {
  Value x = args[0];
  if (x.getType().isF64())
    return ipu::DoubleMath(b, loc).sigmoid(x);
  // e^-|x| does not overflow: for negative x, 1 / (1 + e^-x) = e^x / (1 + e^x).
  Value zero = buildNumber(b, loc, x.getType(), 0);
  Value one = buildNumber(b, loc, x.getType(), 1);
  Value magnitude = math::AbsFOp::create(b, loc, x);
  Value power =
      math::ExpOp::create(b, loc, arith::NegFOp::create(b, loc, magnitude));
  Value isNegative =
      arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OLT, x, zero);
  Value numerator = arith::SelectOp::create(b, loc, isNegative, power, one);
  return arith::DivFOp::create(b, loc, numerator,
                               arith::AddFOp::create(b, loc, one, power));
}

Value ErfOp::buildScalar(OpBuilder &b, Location loc, ValueRange args) {
  return math::ErfOp::create(b, loc, args[0]);
}

/// e^-s * (1 - r) where s is the rounded square and r what it was rounded by.
Value GaussianOp::buildScalar(OpBuilder &b, Location loc, ValueRange args) {
  Value x = args[0];
  // Beyond these bounds the result is 0.
  Value greatest = buildNumber(b, loc, x.getType(), 32);
  Value least = buildNumber(b, loc, x.getType(), -32);
  x = arith::MinimumFOp::create(b, loc, x, greatest);
  x = arith::MaximumFOp::create(b, loc, x, least);
  Value square = arith::MulFOp::create(b, loc, x, x);
  Value negated = arith::NegFOp::create(b, loc, square);
  Value rest = math::FmaOp::create(b, loc, x, x, negated);
  Value power = math::ExpOp::create(b, loc, negated);
  Value minusPower = arith::NegFOp::create(b, loc, power);
  return math::FmaOp::create(b, loc, minusPower, rest, power);
}

/// Builds a function of ComposedMath, which `build` is called with.
template <typename Build>
static Value buildComposed(OpBuilder &b, Location loc, Value x, Build build) {
  if (x.getType().isF64())
    return build(ipu::ComposedMath<ipu::DoubleMath>(b, loc), x);
  Value wide = arith::ExtFOp::create(b, loc, b.getF64Type(), x);
  Value y = build(ipu::ComposedMath<ipu::WideMath>(b, loc), wide);
  return arith::TruncFOp::create(b, loc, x.getType(), y);
}

Value GeluOp::buildScalar(OpBuilder &b, Location loc, ValueRange args) {
  return buildComposed(b, loc, args[0], [&](auto math, Value x) {
    return getApproximate() ? math.tanhGelu(x) : math.gelu(x);
  });
}

Value GeluSlopeOp::buildScalar(OpBuilder &b, Location loc, ValueRange args) {
  return buildComposed(b, loc, args[0], [&](auto math, Value x) {
    return getApproximate() ? math.tanhGeluSlope(x) : math.geluSlope(x);
  });
}

Value SinhOp::buildScalar(OpBuilder &b, Location loc, ValueRange args) {
  return math::SinhOp::create(b, loc, args[0]);
}

Value CoshOp::buildScalar(OpBuilder &b, Location loc, ValueRange args) {
  return math::CoshOp::create(b, loc, args[0]);
}

Value AsinhOp::buildScalar(OpBuilder &b, Location loc, ValueRange args) {
  return math::AsinhOp::create(b, loc, args[0]);
}

Value AcoshOp::buildScalar(OpBuilder &b, Location loc, ValueRange args) {
  return math::AcoshOp::create(b, loc, args[0]);
}

Value AtanhOp::buildScalar(OpBuilder &b, Location loc, ValueRange args) {
  return math::AtanhOp::create(b, loc, args[0]);
}

Value AsinOp::buildScalar(OpBuilder &b, Location loc, ValueRange args) {
  return math::AsinOp::create(b, loc, args[0]);
}

Value AcosOp::buildScalar(OpBuilder &b, Location loc, ValueRange args) {
  return math::AcosOp::create(b, loc, args[0]);
}

Value AtanOp::buildScalar(OpBuilder &b, Location loc, ValueRange args) {
  return math::AtanOp::create(b, loc, args[0]);
}

Value SinOp::buildScalar(OpBuilder &b, Location loc, ValueRange args) {
  return math::SinOp::create(b, loc, args[0]);
}

Value CosOp::buildScalar(OpBuilder &b, Location loc, ValueRange args) {
  return math::CosOp::create(b, loc, args[0]);
}

Value FloorOp::buildScalar(OpBuilder &b, Location loc, ValueRange args) {
  return math::FloorOp::create(b, loc, args[0]);
}

Value CeilOp::buildScalar(OpBuilder &b, Location loc, ValueRange args) {
  return math::CeilOp::create(b, loc, args[0]);
}

Value RoundOp::buildScalar(OpBuilder &b, Location loc, ValueRange args) {
  return math::RoundEvenOp::create(b, loc, args[0]);
}

Value NotOp::buildScalar(OpBuilder &b, Location loc, ValueRange args) {
  Value ones = buildNumber(b, loc, args[0].getType(), -1);
  return arith::XOrIOp::create(b, loc, args[0], ones);
}

Value IsNanOp::buildScalar(OpBuilder &b, Location loc, ValueRange args) {
  return arith::CmpFOp::create(b, loc, arith::CmpFPredicate::UNO, args[0],
                               args[0]);
}

Value IsInfOp::buildScalar(OpBuilder &b, Location loc, ValueRange args) {
  Value infinity = buildNumber(b, loc, args[0].getType(),
                               std::numeric_limits<double>::infinity());
  Value magnitude = math::AbsFOp::create(b, loc, args[0]);
  return arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OEQ, magnitude,
                               infinity);
}

//===----------------------------------------------------------------------===//
// Scalars of binary ops and comparisons
//===----------------------------------------------------------------------===//

Value AddOp::buildScalar(OpBuilder &b, Location loc, ValueRange args) {
  return pop::detail::buildCombine(b, loc, ReduceKind::Sum,
                                   getElementTypeOrSelf(getLhs()), args[0],
                                   args[1]);
}

Value SumOp::buildScalar(OpBuilder &b, Location loc, ValueRange args) {
  Value sum = args.front();
  for (Value arg : args.drop_front())
    sum = pop::detail::buildCombine(b, loc, ReduceKind::Sum,
                                    getElementTypeOrSelf(getInputs().front()),
                                    sum, arg);
  return sum;
}

ipu::CodeletCost SumOp::getCodeletCost() {
  ipu::CodeletCost cost =
      pop::detail::getCost(*this, ipu::CodeletCostKind::Vector);
  cost.combined = getInputs().size();
  return cost;
}

Value SubOp::buildScalar(OpBuilder &b, Location loc, ValueRange args) {
  if (isFloat(args[0]))
    return arith::SubFOp::create(b, loc, args[0], args[1]);
  return arith::SubIOp::create(b, loc, args[0], args[1]);
}

Value MulOp::buildScalar(OpBuilder &b, Location loc, ValueRange args) {
  return pop::detail::buildCombine(b, loc, ReduceKind::Prod,
                                   getElementTypeOrSelf(getLhs()), args[0],
                                   args[1]);
}

/// A divisor that does not trap, and whether the real one is zero. Division by
/// 1 gives what the least integer divided by -1 is defined to be.
static std::pair<Value, Value> buildDivisor(OpBuilder &b, Location loc,
                                            ValueRange args, bool isUnsigned) {
  using arith::CmpIPredicate;
  Type type = args[0].getType();
  Value one = buildNumber(b, loc, type, 1);
  Value zero = buildNumber(b, loc, type, 0);
  Value isZero =
      arith::CmpIOp::create(b, loc, CmpIPredicate::eq, args[1], zero);
  Value divisor = arith::SelectOp::create(b, loc, isZero, one, args[1]);
  if (isUnsigned)
    return {divisor, isZero};
  TypedAttr leastAttr = b.getIntegerAttr(
      type, APInt::getSignedMinValue(type.getIntOrFloatBitWidth()));
  Value least = arith::ConstantOp::create(b, loc, leastAttr);
  Value minusOne = buildNumber(b, loc, type, -1);
  Value isLeast =
      arith::CmpIOp::create(b, loc, CmpIPredicate::eq, args[0], least);
  Value isMinusOne =
      arith::CmpIOp::create(b, loc, CmpIPredicate::eq, args[1], minusOne);
  Value overflows = arith::AndIOp::create(b, loc, isLeast, isMinusOne);
  return {arith::SelectOp::create(b, loc, overflows, one, divisor), isZero};
}

Value DivOp::buildScalar(OpBuilder &b, Location loc, ValueRange args) {
  if (isFloat(args[0]))
    return arith::DivFOp::create(b, loc, args[0], args[1]);
  bool isUi = isUnsigned(getLhs());
  auto [divisor, isZero] = buildDivisor(b, loc, args, isUi);
  Value quotient;
  if (isUi)
    quotient = arith::DivUIOp::create(b, loc, args[0], divisor);
  else
    quotient = arith::DivSIOp::create(b, loc, args[0], divisor);
  Value ones = buildNumber(b, loc, args[0].getType(), -1);
  return arith::SelectOp::create(b, loc, isZero, ones, quotient);
}

Value RemOp::buildScalar(OpBuilder &b, Location loc, ValueRange args) {
  if (isFloat(args[0]))
    return arith::RemFOp::create(b, loc, args[0], args[1]);
  bool isUi = isUnsigned(getLhs());
  auto [divisor, isZero] = buildDivisor(b, loc, args, isUi);
  Value remainder;
  if (isUi)
    remainder = arith::RemUIOp::create(b, loc, args[0], divisor);
  else
    remainder = arith::RemSIOp::create(b, loc, args[0], divisor);
  return arith::SelectOp::create(b, loc, isZero, args[0], remainder);
}

Value PowOp::buildScalar(OpBuilder &b, Location loc, ValueRange args) {
  return math::PowFOp::create(b, loc, args[0], args[1]);
}

Value Atan2Op::buildScalar(OpBuilder &b, Location loc, ValueRange args) {
  return math::Atan2Op::create(b, loc, args[0], args[1]);
}

Value MaxOp::buildScalar(OpBuilder &b, Location loc, ValueRange args) {
  return pop::detail::buildCombine(b, loc, ReduceKind::Max,
                                   getElementTypeOrSelf(getLhs()), args[0],
                                   args[1]);
}

Value MinOp::buildScalar(OpBuilder &b, Location loc, ValueRange args) {
  return pop::detail::buildCombine(b, loc, ReduceKind::Min,
                                   getElementTypeOrSelf(getLhs()), args[0],
                                   args[1]);
}

Value AndOp::buildScalar(OpBuilder &b, Location loc, ValueRange args) {
  return arith::AndIOp::create(b, loc, args[0], args[1]);
}

Value OrOp::buildScalar(OpBuilder &b, Location loc, ValueRange args) {
  return arith::OrIOp::create(b, loc, args[0], args[1]);
}

Value XorOp::buildScalar(OpBuilder &b, Location loc, ValueRange args) {
  return arith::XOrIOp::create(b, loc, args[0], args[1]);
}

// Codelets define shifts by counts that are not less than the width, and a
// negative count is such a count as an unsigned number.
Value ShiftLeftOp::buildScalar(OpBuilder &b, Location loc, ValueRange args) {
  return arith::ShLIOp::create(b, loc, args[0], args[1]);
}

Value ShiftRightLogicalOp::buildScalar(OpBuilder &b, Location loc,
                                       ValueRange args) {
  return arith::ShRUIOp::create(b, loc, args[0], args[1]);
}

Value ShiftRightArithmeticOp::buildScalar(OpBuilder &b, Location loc,
                                          ValueRange args) {
  return arith::ShRSIOp::create(b, loc, args[0], args[1]);
}

/// The comparison of two scalars by the predicate of their kind of type.
static Value buildCompare(OpBuilder &b, Location loc, Value tensor,
                          ValueRange args, arith::CmpFPredicate ofFloats,
                          arith::CmpIPredicate ofSigned,
                          arith::CmpIPredicate ofUnsigned) {
  if (isFloat(args[0]))
    return arith::CmpFOp::create(b, loc, ofFloats, args[0], args[1]);
  return arith::CmpIOp::create(
      b, loc, isUnsigned(tensor) ? ofUnsigned : ofSigned, args[0], args[1]);
}

Value EqualOp::buildScalar(OpBuilder &b, Location loc, ValueRange args) {
  return buildCompare(b, loc, getLhs(), args, arith::CmpFPredicate::OEQ,
                      arith::CmpIPredicate::eq, arith::CmpIPredicate::eq);
}

Value NotEqualOp::buildScalar(OpBuilder &b, Location loc, ValueRange args) {
  return buildCompare(b, loc, getLhs(), args, arith::CmpFPredicate::UNE,
                      arith::CmpIPredicate::ne, arith::CmpIPredicate::ne);
}

Value LessOp::buildScalar(OpBuilder &b, Location loc, ValueRange args) {
  return buildCompare(b, loc, getLhs(), args, arith::CmpFPredicate::OLT,
                      arith::CmpIPredicate::slt, arith::CmpIPredicate::ult);
}

Value LessEqualOp::buildScalar(OpBuilder &b, Location loc, ValueRange args) {
  return buildCompare(b, loc, getLhs(), args, arith::CmpFPredicate::OLE,
                      arith::CmpIPredicate::sle, arith::CmpIPredicate::ule);
}

Value GreaterOp::buildScalar(OpBuilder &b, Location loc, ValueRange args) {
  return buildCompare(b, loc, getLhs(), args, arith::CmpFPredicate::OGT,
                      arith::CmpIPredicate::sgt, arith::CmpIPredicate::ugt);
}

Value GreaterEqualOp::buildScalar(OpBuilder &b, Location loc, ValueRange args) {
  return buildCompare(b, loc, getLhs(), args, arith::CmpFPredicate::OGE,
                      arith::CmpIPredicate::sge, arith::CmpIPredicate::uge);
}

Value SelectOp::buildScalar(OpBuilder &b, Location loc, ValueRange args) {
  return arith::SelectOp::create(b, loc, args[0], args[1], args[2]);
}
