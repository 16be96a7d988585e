//===- InterpScalars.cpp - Scalar ops of the interpreter ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "InterpCode.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include <algorithm>
#include <cmath>

using namespace mlir;
using namespace mlir::ipu;

//===----------------------------------------------------------------------===//
// Floats
//===----------------------------------------------------------------------===//

/// IEEE 754-2019 maximum or minimum: NaNs win, -0 is less than +0.
template <typename T>
static T getExtreme(T a, T b, bool isMaximum) {
  if (std::isnan(a) || std::isnan(b))
    return a + b;
  if (a == b)
    return std::signbit(a) == isMaximum ? b : a;
  return (a > b) == isMaximum ? a : b;
}

/// maxnum or minnum: numbers win over NaNs.
template <typename T>
static T getExtremeNumber(T a, T b, bool isMaximum) {
  if (std::isnan(a))
    return b;
  return std::isnan(b) ? a : getExtreme(a, b, isMaximum);
}

template <typename T>
static T evaluateFloat(Opcode op, T a, T b, T c) {
  switch (op) {
  case Opcode::AddF:
    return a + b;
  case Opcode::SubF:
    return a - b;
  case Opcode::MulF:
    return a * b;
  case Opcode::DivF:
    return a / b;
  case Opcode::RemF:
    return std::fmod(a, b);
  case Opcode::MaximumF:
  case Opcode::MinimumF:
    return getExtreme(a, b, op == Opcode::MaximumF);
  case Opcode::MaxNumF:
  case Opcode::MinNumF:
    return getExtremeNumber(a, b, op == Opcode::MaxNumF);
  case Opcode::CopySign:
    return std::copysign(a, b);
  case Opcode::NegF:
    return -a;
  case Opcode::AbsF:
    return std::fabs(a);
  case Opcode::Sqrt:
    return std::sqrt(a);
  case Opcode::Floor:
    return std::floor(a);
  case Opcode::Ceil:
    return std::ceil(a);
  case Opcode::Trunc:
    return std::trunc(a);
  case Opcode::Round:
    return std::round(a);
  case Opcode::RoundEven:
    // The rounding mode is never changed.
    return std::nearbyint(a);
  case Opcode::Fma:
    return std::fma(a, b, c);
  default:
    llvm_unreachable("not a float op");
  }
}

static uint64_t evaluateFloatBits(const Inst &inst, uint64_t a, uint64_t b,
                                  uint64_t c) {
  switch (inst.kind) {
  case ScalarKind::F32:
    return bitCast<uint32_t>(evaluateFloat<float>(
        inst.op, bitCast<float>(uint32_t(a)), bitCast<float>(uint32_t(b)),
        bitCast<float>(uint32_t(c))));
  case ScalarKind::F64:
    return bitCast<uint64_t>(evaluateFloat<double>(
        inst.op, bitCast<double>(a), bitCast<double>(b), bitCast<double>(c)));
  default:
    break;
  }
  if (inst.op == Opcode::Fma)
    return fmaNarrow(inst.kind, a, b, c);
  // Twice rounded, to float and from there, is rounded once: float has more
  // than twice as many bits.
  float result = evaluateFloat<float>(
      inst.op, static_cast<float>(decodeScalar(inst.kind, a)),
      static_cast<float>(decodeScalar(inst.kind, b)), 0.0f);
  return encodeScalar(inst.kind, result);
}

static bool compareFloats(uint8_t predicate, double a, double b) {
  using arith::CmpFPredicate;
  bool unordered = std::isnan(a) || std::isnan(b);
  switch (static_cast<CmpFPredicate>(predicate)) {
  case CmpFPredicate::AlwaysFalse:
    return false;
  case CmpFPredicate::OEQ:
    return !unordered && a == b;
  case CmpFPredicate::OGT:
    return !unordered && a > b;
  case CmpFPredicate::OGE:
    return !unordered && a >= b;
  case CmpFPredicate::OLT:
    return !unordered && a < b;
  case CmpFPredicate::OLE:
    return !unordered && a <= b;
  case CmpFPredicate::ONE:
    return !unordered && a != b;
  case CmpFPredicate::ORD:
    return !unordered;
  case CmpFPredicate::UEQ:
    return unordered || a == b;
  case CmpFPredicate::UGT:
    return unordered || a > b;
  case CmpFPredicate::UGE:
    return unordered || a >= b;
  case CmpFPredicate::ULT:
    return unordered || a < b;
  case CmpFPredicate::ULE:
    return unordered || a <= b;
  case CmpFPredicate::UNE:
    return unordered || a != b;
  case CmpFPredicate::UNO:
    return unordered;
  case CmpFPredicate::AlwaysTrue:
    return true;
  }
  llvm_unreachable("unknown predicate");
}

/// The integer next to `value` towards zero; the nearest one if out of range.
static uint64_t convertToInteger(double value, unsigned width, bool isSigned) {
  if (std::isnan(value))
    return 0;
  double end = std::ldexp(1.0, isSigned ? width - 1 : width);
  if (!isSigned) {
    if (value <= 0)
      return 0;
    return value >= end ? maskTo(~uint64_t(0), width)
                        : static_cast<uint64_t>(value);
  }
  uint64_t least = uint64_t(1) << (width - 1);
  if (value >= end)
    return least - 1;
  return value <= -end ? least
                       : maskTo(static_cast<int64_t>(std::trunc(value)), width);
}

//===----------------------------------------------------------------------===//
// Integers
//===----------------------------------------------------------------------===//

static bool compareIntegers(uint8_t predicate, unsigned width, uint64_t a,
                            uint64_t b) {
  using arith::CmpIPredicate;
  int64_t x = signExtend(a, width), y = signExtend(b, width);
  switch (static_cast<CmpIPredicate>(predicate)) {
  case CmpIPredicate::eq:
    return a == b;
  case CmpIPredicate::ne:
    return a != b;
  case CmpIPredicate::slt:
    return x < y;
  case CmpIPredicate::sle:
    return x <= y;
  case CmpIPredicate::sgt:
    return x > y;
  case CmpIPredicate::sge:
    return x >= y;
  case CmpIPredicate::ult:
    return a < b;
  case CmpIPredicate::ule:
    return a <= b;
  case CmpIPredicate::ugt:
    return a > b;
  case CmpIPredicate::uge:
    return a >= b;
  }
  llvm_unreachable("unknown predicate");
}

/// What LLVM leaves undefined is as Engine.h says.
static uint64_t divide(Opcode op, unsigned width, uint64_t a, uint64_t b) {
  bool isDivision = op == Opcode::DivSI || op == Opcode::DivUI;
  if (b == 0)
    return isDivision ? ~uint64_t(0) : a;
  if (op == Opcode::DivUI)
    return a / b;
  if (op == Opcode::RemUI)
    return a % b;
  int64_t x = signExtend(a, width), y = signExtend(b, width);
  if (y == -1)
    return isDivision ? 0 - a : 0;
  return isDivision ? x / y : x % y;
}

static uint64_t shift(Opcode op, unsigned width, uint64_t a, uint64_t amount) {
  if (op == Opcode::ShRSI)
    return signExtend(a, width) >> std::min<uint64_t>(amount, width - 1);
  if (amount >= width)
    return 0;
  return op == Opcode::ShLI ? a << amount : a >> amount;
}

static uint64_t evaluateInteger(Opcode op, unsigned width, uint64_t a,
                                uint64_t b) {
  int64_t x = signExtend(a, width), y = signExtend(b, width);
  switch (op) {
  case Opcode::AddI:
    return a + b;
  case Opcode::SubI:
    return a - b;
  case Opcode::MulI:
    return a * b;
  case Opcode::DivSI:
  case Opcode::DivUI:
  case Opcode::RemSI:
  case Opcode::RemUI:
    return divide(op, width, a, b);
  case Opcode::AndI:
    return a & b;
  case Opcode::OrI:
    return a | b;
  case Opcode::XOrI:
    return a ^ b;
  case Opcode::ShLI:
  case Opcode::ShRSI:
  case Opcode::ShRUI:
    return shift(op, width, a, b);
  case Opcode::MaxSI:
    return x > y ? a : b;
  case Opcode::MinSI:
    return x < y ? a : b;
  case Opcode::MaxUI:
    return std::max(a, b);
  case Opcode::MinUI:
    return std::min(a, b);
  case Opcode::AbsI:
    return x < 0 ? 0 - a : a;
  default:
    llvm_unreachable("not an integer op");
  }
}

static uint64_t convert(const Inst &inst, uint64_t a) {
  unsigned width = getScalarWidth(inst.kind);
  unsigned fromWidth = getScalarWidth(inst.from);
  switch (inst.op) {
  case Opcode::ConvertF:
    return encodeScalar(inst.kind, decodeScalar(inst.from, a));
  case Opcode::ExtSI:
    return maskTo(signExtend(a, fromWidth), width);
  case Opcode::ExtUI:
  case Opcode::TruncI:
    return maskTo(a, width);
  case Opcode::SIToFP:
    return encodeInteger(inst.kind, signExtend(a, fromWidth), true);
  case Opcode::UIToFP:
    return encodeInteger(inst.kind, a, false);
  case Opcode::FPToSI:
  case Opcode::FPToUI:
    return convertToInteger(decodeScalar(inst.from, a), width,
                            inst.op == Opcode::FPToSI);
  case Opcode::Bitcast:
    return isFloat(inst.kind) ? a : canonicalizeNaN(inst.from, a);
  default:
    llvm_unreachable("not a conversion");
  }
}

uint64_t mlir::ipu::evaluate(const Inst &inst, uint64_t a, uint64_t b,
                             uint64_t c) {
  if (inst.op <= Opcode::Fma)
    return evaluateFloatBits(inst, a, b, c);
  if (inst.op == Opcode::CmpF)
    return compareFloats(inst.predicate, decodeScalar(inst.from, a),
                         decodeScalar(inst.from, b));
  unsigned width = getScalarWidth(inst.from);
  if (inst.op <= Opcode::AbsI)
    return maskTo(evaluateInteger(inst.op, width, a, b), width);
  if (inst.op == Opcode::CmpI)
    return compareIntegers(inst.predicate, width, a, b);
  if (inst.op == Opcode::Select)
    return a ? b : c;
  return convert(inst, a);
}
