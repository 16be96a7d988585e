//===- PopRandomCodelets.cpp - Codelets of random ops -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: a random op and the buffers of a vertex: its elements of the result and
// of a tensor of the same shape, and the whole seed. Out: one linalg.generic
// over the result, which hashes the number of each element.
//
//===----------------------------------------------------------------------===//

#include "../PopDetail.h"

#include "ipu-mlir/Interfaces/RandomInterfaces.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StructuredOpsUtils.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include <cmath>

using namespace mlir;
using namespace mlir::pop;
using mlir::ipu::CodeletCost;
using mlir::ipu::CodeletCostKind;
using mlir::ipu::TileForm;

/// The last words of counters, which tell ops apart.
static constexpr int64_t kUniform = 0x80000000;
static constexpr int64_t kNormal = 0x80000001;
static constexpr int64_t kBernoulli = 0x80000002;
static constexpr int64_t kDropout = 0x80000003;
static constexpr int64_t kSplitSeed = 0x80000004;

//===----------------------------------------------------------------------===//
// Form and frame
//===----------------------------------------------------------------------===//

/// Loops over the result as it lies on the tiles. Every vertex has the seed,
/// the last operand, whole.
static TileForm getRandomTileForm(Operation *op, ArrayRef<int64_t> domain) {
  auto result = cast<RankedTensorType>(op->getResult(0).getType());
  TileForm form;
  if (!domain.empty())
    form.loops = llvm::to_vector(domain);
  else if (result.getRank() > 0)
    form.loops = {result.getNumElements()};
  form.results.push_back(pop::detail::getWholeAccess(form.loops));
  form.inputs.assign(op->getNumOperands() - 1, form.results.front());
  form.inputs.push_back({{2}, {{-1}}});
  return form;
}

namespace {
/// What an element of the result is made of: the words of its counter, its
/// number, and the element of the input, if there is one.
struct Draw {
  ValueRange words;
  Value number, input;
};
} // namespace

/// Builds an element in the type that those of the result are computed in.
using DrawBuilder = function_ref<Value(ImplicitLocOpBuilder &, const Draw &)>;

static Value buildInteger(ImplicitLocOpBuilder &b, Type type, uint64_t value) {
  APInt bits(type.getIntOrFloatBitWidth(), value, /*isSigned=*/false,
             /*implicitTrunc=*/true);
  return arith::ConstantOp::create(b, b.getIntegerAttr(type, bits));
}

static Value buildReal(ImplicitLocOpBuilder &b, Type type, double value) {
  return arith::ConstantOp::create(b, b.getFloatAttr(type, value));
}

/// One linalg.generic over the result. Element n has counter (n, 0, 0, op), or
/// with `perCounter` of 2 counter (n / 2, 0, 0, op).
static void buildRandomCodelet(OpBuilder &builder, Location loc,
                               ValueRange buffers, int64_t op,
                               unsigned perCounter, DrawBuilder draw) {
  const auto &ops = ipu::RandomOpBuilderInterface::get(builder.getContext());
  Value output = buffers.back(), seed = buffers.drop_back().back();
  SmallVector<Value> key;
  for (int64_t i : {0, 1}) {
    Value index = arith::ConstantIndexOp::create(builder, loc, i);
    key.push_back(memref::LoadOp::create(builder, loc, seed, index));
  }
  unsigned numLoops = cast<MemRefType>(output.getType()).getRank();
  ValueRange inputs = buffers.drop_back(2);
  SmallVector<AffineMap> maps(inputs.size() + 1,
                              builder.getMultiDimIdentityMap(numLoops));
  SmallVector<utils::IteratorType> iterators(numLoops,
                                             utils::IteratorType::parallel);
  linalg::GenericOp::create(
      builder, loc, inputs, output, maps, iterators,
      [&](OpBuilder &inner, Location loc, ValueRange args) {
        ImplicitLocOpBuilder b(loc, inner);
        SmallVector<Value> indices;
        for (unsigned i = 0; i < numLoops; ++i)
          indices.push_back(linalg::IndexOp::create(b, i));
        Value number = ops.buildElementNumber(b, loc, output, indices);
        Value first = number, zero = buildInteger(b, b.getI32Type(), 0);
        if (perCounter == 2)
          first = arith::ShRUIOp::create(b, number,
                                         buildInteger(b, b.getI32Type(), 1));
        Value last = buildInteger(b, b.getI32Type(), op);
        ValueRange words =
            ops.buildPhilox(b, loc, key, {first, zero, zero, last});
        Value input;
        if (args.size() > 1)
          input = pop::detail::buildExtend(b, loc, args[0]);
        Value y = draw(b, {words, number, input});
        // The one rounding of an op that computes in a wider type.
        if (y.getType() != args.back().getType())
          y = arith::TruncFOp::create(b, args.back().getType(), y);
        linalg::YieldOp::create(b, y);
      });
}

#define IPU_RANDOM_OP(Op)                                                      \
  FailureOr<TileForm> Op::getTileForm(ArrayRef<int64_t> domain) {              \
    return getRandomTileForm(*this, domain);                                   \
  }                                                                            \
  CodeletCost Op::getCodeletCost() {                                           \
    return pop::detail::getCost(*this, CodeletCostKind::Vector);               \
  }
IPU_RANDOM_OP(RandomUniformOp)
IPU_RANDOM_OP(RandomNormalOp)
IPU_RANDOM_OP(RandomBernoulliOp)
IPU_RANDOM_OP(DropoutOp)
IPU_RANDOM_OP(SplitSeedOp)
#undef IPU_RANDOM_OP

//===----------------------------------------------------------------------===//
// Parts of bodies
//===----------------------------------------------------------------------===//

/// Two words as a number of 64 bits.
static Value buildJoined(ImplicitLocOpBuilder &b, Value high, Value low) {
  Type type = b.getI64Type();
  high = arith::ExtUIOp::create(b, type, high);
  high = arith::ShLIOp::create(b, high, buildInteger(b, type, 32));
  return arith::OrIOp::create(b, high, arith::ExtUIOp::create(b, type, low));
}

static Value buildShiftedRight(ImplicitLocOpBuilder &b, Value x, int64_t bits) {
  return arith::ShRUIOp::create(b, x, buildInteger(b, x.getType(), bits));
}

/// Whether a word is below floor(share * 2^32): so are `share` of all words.
static Value buildIsBelow(ImplicitLocOpBuilder &b, Value word, double share) {
  if (share == 1)
    return buildInteger(b, b.getI1Type(), 1);
  auto bound = static_cast<uint64_t>(std::floor(std::ldexp(share, 32)));
  return arith::CmpIOp::create(b, arith::CmpIPredicate::ult, word,
                               buildInteger(b, word.getType(), bound));
}

//===----------------------------------------------------------------------===//
// Bodies
//===----------------------------------------------------------------------===//

/// low + (high - low) * u, with as many random bits as the type has.
static Value buildUniformFloat(ImplicitLocOpBuilder &b, RandomUniformOp op,
                               const Draw &draw) {
  Type type = getComputeType(op.getType().getElementType());
  bool isDouble = type.isF64();
  Value bits = isDouble
                   ? buildShiftedRight(
                         b, buildJoined(b, draw.words[0], draw.words[1]), 11)
                   : buildShiftedRight(b, draw.words[0], 8);
  Value u = arith::UIToFPOp::create(b, type, bits);
  u = arith::MulFOp::create(
      b, u, buildReal(b, type, std::ldexp(1.0, isDouble ? -53 : -24)));
  double low = op.getLow().convertToDouble();
  double high = op.getHigh().convertToDouble();
  double range = high - low;
  if (!isDouble) {
    low = static_cast<float>(low);
    range = static_cast<float>(high) - static_cast<float>(low);
  }
  Value scaled = arith::MulFOp::create(b, u, buildReal(b, type, range));
  return arith::AddFOp::create(b, buildReal(b, type, low), scaled);
}

/// The bits of an integer that `value` is.
static uint64_t getIntegerBits(double value) {
  return value < 0 ? static_cast<uint64_t>(static_cast<int64_t>(value))
                   : static_cast<uint64_t>(value);
}

/// low + floor(w * count / 2^64), where w has 64 random bits and count is at
/// most 2^32.
static Value buildUniformInteger(ImplicitLocOpBuilder &b, RandomUniformOp op,
                                 const Draw &draw) {
  Type wide = b.getI64Type();
  double low = op.getLow().convertToDouble();
  double high = op.getHigh().convertToDouble();
  Value count = buildInteger(b, wide, getIntegerBits(high - low) + 1);
  auto getProduct = [&](Value word) -> Value {
    return arith::MulIOp::create(b, arith::ExtUIOp::create(b, wide, word),
                                 count);
  };
  // Neither the products nor their sum reach 2^64.
  Value carried = buildShiftedRight(b, getProduct(draw.words[1]), 32);
  Value sum = arith::AddIOp::create(b, getProduct(draw.words[0]), carried);
  Value y = buildShiftedRight(b, sum, 32);
  y = arith::AddIOp::create(b, y, buildInteger(b, wide, getIntegerBits(low)));
  unsigned width = op.getType().getElementTypeBitWidth();
  if (width < 64)
    y = arith::TruncIOp::create(b, b.getIntegerType(width), y);
  return y;
}

void RandomUniformOp::buildCodelet(OpBuilder &builder, Location loc,
                                   ValueRange buffers, const TileForm &) {
  bool isFloat = isa<FloatType>(getType().getElementType());
  buildRandomCodelet(builder, loc, buffers, kUniform, /*perCounter=*/1,
                     [&](ImplicitLocOpBuilder &b, const Draw &draw) {
                       return isFloat ? buildUniformFloat(b, *this, draw)
                                      : buildUniformInteger(b, *this, draw);
                     });
}

void RandomNormalOp::buildCodelet(OpBuilder &builder, Location loc,
                                  ValueRange buffers, const TileForm &) {
  Type type = getComputeType(getType().getElementType());
  buildRandomCodelet(
      builder, loc, buffers, kNormal, /*perCounter=*/1,
      [&](ImplicitLocOpBuilder &b, const Draw &draw) -> Value {
        Type f64 = b.getF64Type();
        Value bits = buildShiftedRight(
            b, buildJoined(b, draw.words[0], draw.words[1]), 12);
        Value u = arith::UIToFPOp::create(b, f64, bits);
        u = arith::AddFOp::create(b, u, buildReal(b, f64, 0.5));
        u = arith::MulFOp::create(b, u,
                                  buildReal(b, f64, std::ldexp(1.0, -52)));
        Value z = pop::detail::buildInverseNormal(b, loc, u);
        Value deviation = buildReal(b, f64, getStdDev().convertToDouble());
        Value mean = buildReal(b, f64, getMean().convertToDouble());
        Value y = arith::AddFOp::create(b, mean,
                                        arith::MulFOp::create(b, deviation, z));
        return type.isF64() ? y : arith::TruncFOp::create(b, type, y);
      });
}

void RandomBernoulliOp::buildCodelet(OpBuilder &builder, Location loc,
                                     ValueRange buffers, const TileForm &) {
  Type element = getType().getElementType();
  buildRandomCodelet(
      builder, loc, buffers, kBernoulli, /*perCounter=*/1,
      [&](ImplicitLocOpBuilder &b, const Draw &draw) -> Value {
        Value isOne = buildIsBelow(b, draw.words[0], getP().convertToDouble());
        if (element.isInteger(1))
          return isOne;
        Value one, zero;
        if (isa<FloatType>(element)) {
          Type type = getComputeType(element);
          one = buildReal(b, type, 1), zero = buildReal(b, type, 0);
        } else {
          Type type = b.getIntegerType(element.getIntOrFloatBitWidth());
          one = buildInteger(b, type, 1), zero = buildInteger(b, type, 0);
        }
        return arith::SelectOp::create(b, isOne, one, zero);
      });
}

void DropoutOp::buildCodelet(OpBuilder &builder, Location loc,
                             ValueRange buffers, const TileForm &) {
  Type type = getComputeType(getType().getElementType());
  double ratio = getRatio().convertToDouble();
  buildRandomCodelet(builder, loc, buffers, kDropout, /*perCounter=*/1,
                     [&](ImplicitLocOpBuilder &b, const Draw &draw) -> Value {
                       Value isDropped = buildIsBelow(b, draw.words[0], ratio);
                       Value scaled = arith::MulFOp::create(
                           b, draw.input, buildReal(b, type, 1 / (1 - ratio)));
                       return arith::SelectOp::create(
                           b, isDropped, buildReal(b, type, 0), scaled);
                     });
}

void SplitSeedOp::buildCodelet(OpBuilder &builder, Location loc,
                               ValueRange buffers, const TileForm &) {
  buildRandomCodelet(
      builder, loc, buffers, kSplitSeed, /*perCounter=*/2,
      [&](ImplicitLocOpBuilder &b, const Draw &draw) -> Value {
        Value parity = arith::TruncIOp::create(b, b.getI1Type(), draw.number);
        return arith::SelectOp::create(b, parity, draw.words[1], draw.words[0]);
      });
}
