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
#define IPU_FLOAT_OP(DIALECT, OP, NAME, ARITY, JIT, VALUE, NOTE)               \
  case Opcode::OP:                                                             \
    return VALUE;
#include "ipu-mlir/Dialect/IPU/IR/CodeletScalarOps.def"
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

static uint64_t divideSigned(int64_t x, int64_t y) {
  if (y == 0)
    return ~uint64_t(0);
  return y == -1 ? 0 - static_cast<uint64_t>(x) : x / y;
}

static uint64_t getRemainder(int64_t x, int64_t y) {
  if (y == 0)
    return x;
  return y == -1 ? 0 : x % y;
}

static uint64_t evaluateInteger(const Inst &inst, uint64_t a, uint64_t b) {
  unsigned width = getScalarWidth(inst.from);
  int64_t x = signExtend(a, width), y = signExtend(b, width);
  auto getValue = [&]() -> uint64_t {
    switch (inst.op) {
#define IPU_INTEGER_OP(DIALECT, OP, NAME, ARITY, JIT, VALUE, NOTE)             \
  case Opcode::OP:                                                             \
    return VALUE;
#include "ipu-mlir/Dialect/IPU/IR/CodeletScalarOps.def"
    default:
      llvm_unreachable("not an integer op");
    }
  };
  return maskTo(getValue(), width);
}

static uint64_t convert(const Inst &inst, uint64_t a) {
  ScalarKind from = inst.from, to = inst.kind;
  unsigned width = getScalarWidth(to);
  int64_t x = signExtend(a, getScalarWidth(from));
  auto getValue = [&]() -> uint64_t {
    switch (inst.op) {
#define IPU_CAST_OP(DIALECT, OP, NAME, JIT, VALUE, NOTE)                       \
  case Opcode::OP:                                                             \
    return VALUE;
#include "ipu-mlir/Dialect/IPU/IR/CodeletScalarOps.def"
    default:
      llvm_unreachable("not a conversion");
    }
  };
  return maskTo(getValue(), width);
}

uint64_t mlir::ipu::evaluate(const Inst &inst, uint64_t a, uint64_t b,
                             uint64_t c) {
  switch (inst.op) {
#define IPU_FLOAT_OP(DIALECT, OP, NAME, ARITY, JIT, VALUE, NOTE)               \
  case Opcode::OP:
#include "ipu-mlir/Dialect/IPU/IR/CodeletScalarOps.def"
    return evaluateFloatBits(inst, a, b, c);
#define IPU_INTEGER_OP(DIALECT, OP, NAME, ARITY, JIT, VALUE, NOTE)             \
  case Opcode::OP:
#include "ipu-mlir/Dialect/IPU/IR/CodeletScalarOps.def"
    return evaluateInteger(inst, a, b);
#define IPU_CAST_OP(DIALECT, OP, NAME, JIT, VALUE, NOTE) case Opcode::OP:
#include "ipu-mlir/Dialect/IPU/IR/CodeletScalarOps.def"
    return convert(inst, a);
#define IPU_COMPARE_OP(DIALECT, OP, NAME, KIND, JIT, VALUE, NOTE)              \
  case Opcode::OP:                                                             \
    return VALUE;
#define IPU_SELECT_OP(DIALECT, OP, NAME, JIT, VALUE, NOTE)                     \
  case Opcode::OP:                                                             \
    return VALUE;
#include "ipu-mlir/Dialect/IPU/IR/CodeletScalarOps.def"
  default:
    llvm_unreachable("not a scalar op");
  }
}
