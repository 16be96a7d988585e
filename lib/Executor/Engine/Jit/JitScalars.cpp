//===- JitScalars.cpp - Well-defined scalar ops ---------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// LLVM may compute narrow floats differently on different machines (some have
// instructions that flush denormals). LLVM does not define the results of
// integer divisions by zero, shifts by too many bits, and conversions of floats
// that fit no integer.
//
//===----------------------------------------------------------------------===//

#include "../../Support/ScalarValues.h"
#include "Jit.h"

#include "ipu-mlir/Dialect/IPU/IR/CodeletScalarOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include <cmath>

using namespace mlir;
using namespace mlir::ipu;

//===----------------------------------------------------------------------===//
// Functions of the host that compiled code calls
//===----------------------------------------------------------------------===//

static double callDecode(int64_t kind, int64_t bits) {
  return decodeScalar(static_cast<ScalarKind>(kind), bits);
}
static int64_t callEncode(int64_t kind, double value) {
  return encodeScalar(static_cast<ScalarKind>(kind), value);
}
static int64_t callEncodeInt(int64_t kind, int64_t value, int64_t isSigned) {
  return encodeInteger(static_cast<ScalarKind>(kind), value, isSigned != 0);
}
static int64_t callFma(int64_t kind, int64_t a, int64_t b, int64_t c) {
  return fmaNarrow(static_cast<ScalarKind>(kind), a, b, c);
}
static int64_t callCanonicalize(int64_t kind, int64_t bits) {
  return canonicalizeNaN(static_cast<ScalarKind>(kind), bits);
}

/// The functions of the C library are exact ones: they have the same bits
/// everywhere. LLVM calls them where the host has no instruction.
ArrayRef<JitSymbol> mlir::ipu::getJitSymbols() {
#define IPU_UNARY(name)                                                        \
  {#name, reinterpret_cast<void *>(static_cast<double (*)(double)>(::name))},  \
  {                                                                            \
    #name "f",                                                                 \
        reinterpret_cast<void *>(static_cast<float (*)(float)>(::name##f))     \
  }
  static const JitSymbol symbols[] = {
      {"ipu_decode", reinterpret_cast<void *>(&callDecode)},
      {"ipu_encode", reinterpret_cast<void *>(&callEncode)},
      {"ipu_encode_int", reinterpret_cast<void *>(&callEncodeInt)},
      {"ipu_fma", reinterpret_cast<void *>(&callFma)},
      {"ipu_canonicalize", reinterpret_cast<void *>(&callCanonicalize)},
      {"memcpy", reinterpret_cast<void *>(&::memcpy)},
      {"memmove", reinterpret_cast<void *>(&::memmove)},
      {"memset", reinterpret_cast<void *>(&::memset)},
      {"fma", reinterpret_cast<void *>(
                  static_cast<double (*)(double, double, double)>(::fma))},
      {"fmaf", reinterpret_cast<void *>(&::fmaf)},
      {"fmod", reinterpret_cast<void *>(
                   static_cast<double (*)(double, double)>(::fmod))},
      {"fmodf", reinterpret_cast<void *>(&::fmodf)},
      IPU_UNARY(floor),
      IPU_UNARY(ceil),
      IPU_UNARY(trunc),
      IPU_UNARY(round),
      // The rounding mode is never changed.
      {"roundeven",
       reinterpret_cast<void *>(static_cast<double (*)(double)>(::nearbyint))},
      {"roundevenf", reinterpret_cast<void *>(&::nearbyintf)},
  };
#undef IPU_UNARY
  return symbols;
}

//===----------------------------------------------------------------------===//
// Legalizer
//===----------------------------------------------------------------------===//

namespace {
class Legalizer {
public:
  Legalizer(func::FuncOp function, const JitTarget &target)
      : function(function), target(target),
        b(function.getLoc(), function.getContext()) {}

  void run();

private:
  void legalize(Operation *op);
  Value build(Operation *op);
  Value buildConstant(arith::ConstantOp op);
  /// What CodeletScalarOps.def names: an op's value, or none if the op is right
  /// as it is.
  Value buildAsIs(Operation *) { return {}; }
  Value buildWidened(Operation *op);
  Value buildFma(Operation *op);
  Value buildExtremeNumber(Operation *op);
  Value buildDivision(Operation *op);
  Value buildShift(Operation *op);
  Value buildFloatCast(Operation *op);
  Value buildToInteger(Operation *op);
  Value buildFromInteger(Operation *op);
  Value buildBitcast(Operation *op);

  /// `value` in f32 or, if wider, as it is.
  Value widen(Value value);
  /// A f32 or f64 as a narrower type.
  Value narrow(Value value, Type type);
  Value narrowToBF16(Value value);
  Value call(StringRef name, Type result, ValueRange operands);
  Value getKindConstant(Type type) {
    return getConstant(b.getI64Type(),
                       static_cast<int64_t>(getScalarKind(type)));
  }
  Value getConstant(Type type, int64_t value) {
    return arith::ConstantOp::create(b, b.getIntegerAttr(type, value));
  }
  Type getIntegerOfWidth(Type type) {
    return b.getIntegerType(type.getIntOrFloatBitWidth());
  }
  /// Bits of a narrow float in an i64, and the way back.
  Value toBits(Value value);
  Value fromBits(Value bits, Type type);

  func::FuncOp function;
  const JitTarget &target;
  ImplicitLocOpBuilder b;
};
} // namespace

static bool isNarrow(Type type) {
  return isa<FloatType>(type) && type.getIntOrFloatBitWidth() < 32;
}

/// Flags allow LLVM to be wrong where a promise is broken.
static void dropFlags(Operation *op) {
  MLIRContext *context = op->getContext();
  if (op->hasAttr("fastmath"))
    op->setAttr("fastmath", arith::FastMathFlagsAttr::get(
                                context, arith::FastMathFlags::none));
  if (op->hasAttr("overflowFlags"))
    op->setAttr("overflowFlags",
                arith::IntegerOverflowFlagsAttr::get(
                    context, arith::IntegerOverflowFlags::none));
  for (StringRef name : {"isExact", "nonNeg", "roundingmode"})
    if (op->hasAttr(name))
      op->removeAttr(name);
}

void Legalizer::run() {
  SmallVector<Operation *> ops;
  function.walk([&](Operation *op) {
    if (isa<arith::ArithDialect, math::MathDialect>(op->getDialect()))
      ops.push_back(op);
  });
  for (Operation *op : ops)
    legalize(op);
}

void Legalizer::legalize(Operation *op) {
  dropFlags(op);
  b.setInsertionPointAfter(op);
  b.setLoc(op->getLoc());
  Value value = build(op);
  if (!value)
    return;
  op->getResult(0).replaceAllUsesWith(value);
  op->erase();
}

Value Legalizer::build(Operation *op) {
  if (auto constant = dyn_cast<arith::ConstantOp>(op))
    return buildConstant(constant);
  std::optional<ScalarOpcode> opcode = getScalarOpcode(op);
  if (!opcode)
    return {};
  switch (*opcode) {
#define IPU_SCALAR_OP(DIALECT, OP, NAME, JIT)                                  \
  case ScalarOpcode::OP:                                                       \
    return build##JIT(op);
#include "ipu-mlir/Dialect/IPU/IR/CodeletScalarOps.def"
  }
  llvm_unreachable("unknown opcode");
}

//===----------------------------------------------------------------------===//
// Narrow floats
//===----------------------------------------------------------------------===//

Value Legalizer::call(StringRef name, Type result, ValueRange operands) {
  auto module = function->getParentOfType<ModuleOp>();
  if (!module.lookupSymbol(name)) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(module.getBody());
    auto type = b.getFunctionType(operands.getTypes(), result);
    func::FuncOp::create(b, name, type).setPrivate();
  }
  return func::CallOp::create(b, name, result, operands).getResult(0);
}

Value Legalizer::toBits(Value value) {
  Type integer = getIntegerOfWidth(value.getType());
  return arith::ExtUIOp::create(b, b.getI64Type(),
                                arith::BitcastOp::create(b, integer, value));
}

Value Legalizer::fromBits(Value bits, Type type) {
  Value truncated = arith::TruncIOp::create(b, getIntegerOfWidth(type), bits);
  return arith::BitcastOp::create(b, type, truncated);
}

Value Legalizer::widen(Value value) {
  Type type = value.getType();
  if (!isNarrow(type))
    return value;
  if (type.isF16() && target.hasF16C)
    return arith::ExtFOp::create(b, b.getF32Type(), value);
  if (type.isBF16()) {
    Value bits = arith::BitcastOp::create(b, b.getI16Type(), value);
    bits = arith::ExtUIOp::create(b, b.getI32Type(), bits);
    bits = arith::ShLIOp::create(b, bits, getConstant(b.getI32Type(), 16));
    return arith::BitcastOp::create(b, b.getF32Type(), bits);
  }
  if (hasBuiltConversions(type))
    return buildFloat8ToF32(b, value);
  Value wide = call("ipu_decode", b.getF64Type(),
                    {getKindConstant(type), toBits(value)});
  return arith::TruncFOp::create(b, b.getF32Type(), wide);
}

/// To nearest even by adding just less than half; NaNs apart.
Value Legalizer::narrowToBF16(Value value) {
  Type i32 = b.getI32Type();
  Value bits = arith::BitcastOp::create(b, i32, value);
  Value sixteen = getConstant(i32, 16);
  Value odd = arith::AndIOp::create(b, arith::ShRUIOp::create(b, bits, sixteen),
                                    getConstant(i32, 1));
  Value rounded = arith::AddIOp::create(
      b, bits, arith::AddIOp::create(b, odd, getConstant(i32, 0x7FFF)));
  rounded = arith::ShRUIOp::create(b, rounded, sixteen);
  Value isNaN =
      arith::CmpFOp::create(b, arith::CmpFPredicate::UNO, value, value);
  rounded =
      arith::SelectOp::create(b, isNaN, getConstant(i32, 0x7FC0), rounded);
  Value truncated = arith::TruncIOp::create(b, b.getI16Type(), rounded);
  return arith::BitcastOp::create(b, b.getBF16Type(), truncated);
}

Value Legalizer::narrow(Value value, Type type) {
  if (value.getType().isF32()) {
    if (type.isF16() && target.hasF16C)
      return arith::TruncFOp::create(b, type, value);
    if (type.isBF16())
      return narrowToBF16(value);
    if (hasBuiltConversions(type))
      return buildF32ToFloat8(b, value, type);
    value = arith::ExtFOp::create(b, b.getF64Type(), value);
  }
  return fromBits(
      call("ipu_encode", b.getI64Type(), {getKindConstant(type), value}), type);
}

/// The op in f32, rounded.
Value Legalizer::buildWidened(Operation *op) {
  if (!isNarrow(op->getOperand(0).getType()))
    return {};
  SmallVector<Value> operands = llvm::map_to_vector(
      op->getOperands(), [&](Value operand) { return widen(operand); });
  Type type = op->getResult(0).getType();
  OperationState state(op->getLoc(), op->getName());
  state.addOperands(operands);
  state.addTypes(isNarrow(type) ? b.getF32Type() : type);
  state.addAttributes(op->getAttrs());
  Value result = b.create(state)->getResult(0);
  return isNarrow(type) ? narrow(result, type) : result;
}

/// Neither f32 nor f64 has enough bits for f32's way of rounding twice.
Value Legalizer::buildFma(Operation *op) {
  Type type = op->getResult(0).getType();
  if (!isNarrow(type))
    return {};
  SmallVector<Value> operands = {getKindConstant(type)};
  for (Value operand : op->getOperands())
    operands.push_back(toBits(operand));
  return fromBits(call("ipu_fma", b.getI64Type(), operands), type);
}

Value Legalizer::buildExtremeNumber(Operation *op) {
  Type type = op->getResult(0).getType();
  Value lhs = widen(op->getOperand(0)), rhs = widen(op->getOperand(1));
  Value both = isa<arith::MaxNumFOp>(op)
                   ? arith::MaximumFOp::create(b, lhs, rhs).getResult()
                   : arith::MinimumFOp::create(b, lhs, rhs).getResult();
  auto isNaN = [&](Value value) {
    return arith::CmpFOp::create(b, arith::CmpFPredicate::UNO, value, value);
  };
  Value result = arith::SelectOp::create(b, isNaN(rhs), lhs, both);
  result = arith::SelectOp::create(b, isNaN(lhs), rhs, result);
  return isNarrow(type) ? narrow(result, type) : result;
}

Value Legalizer::buildConstant(arith::ConstantOp op) {
  Type type = op.getType();
  if (!isa<FloatType>(type) || type.getIntOrFloatBitWidth() >= 16)
    return {};
  APInt bits = cast<FloatAttr>(op.getValue()).getValue().bitcastToAPInt();
  return arith::BitcastOp::create(
      b, type, getConstant(getIntegerOfWidth(type), bits.getSExtValue()));
}

Value Legalizer::buildFloatCast(Operation *op) {
  Value value = widen(op->getOperand(0));
  Type type = op->getResult(0).getType();
  if (isNarrow(type))
    return narrow(value, type);
  if (value.getType() == type)
    return value;
  // What is left of f32 and f64 is as it should be.
  if (value == op->getOperand(0))
    return {};
  return arith::ExtFOp::create(b, type, value);
}

Value Legalizer::buildBitcast(Operation *op) {
  Value input = op->getOperand(0);
  Type from = input.getType(), to = op->getResult(0).getType();
  if (!isa<FloatType>(from) || !isa<IntegerType>(to))
    return {};
  ScalarKind kind = getScalarKind(from);
  Value bits = arith::BitcastOp::create(b, to, input);
  if (from.getIntOrFloatBitWidth() < 16) {
    Value wide = arith::ExtUIOp::create(b, b.getI64Type(), bits);
    return arith::TruncIOp::create(b, to,
                                   call("ipu_canonicalize", b.getI64Type(),
                                        {getKindConstant(from), wide}));
  }
  Value wide = widen(input);
  Value isNaN = arith::CmpFOp::create(b, arith::CmpFPredicate::UNO, wide, wide);
  uint64_t nan = encodeScalar(kind, std::nan(""));
  return arith::SelectOp::create(
      b, isNaN, getConstant(to, signExtend(nan, to.getIntOrFloatBitWidth())),
      bits);
}

//===----------------------------------------------------------------------===//
// Integers
//===----------------------------------------------------------------------===//

static unsigned getWidth(Type type) {
  return type.isIndex() ? 64 : type.getIntOrFloatBitWidth();
}

Value Legalizer::buildDivision(Operation *op) {
  Value lhs = op->getOperand(0), rhs = op->getOperand(1);
  Type type = lhs.getType();
  unsigned width = getWidth(type);
  auto isEqual = [&](Value value, int64_t constant) {
    return arith::CmpIOp::create(b, arith::CmpIPredicate::eq, value,
                                 getConstant(type, constant));
  };
  Value isZero = isEqual(rhs, 0);
  Value isUnsafe = isZero;
  bool isSigned = isa<arith::DivSIOp, arith::RemSIOp>(op);
  if (isSigned) {
    int64_t least = signExtend(uint64_t(1) << (width - 1), width);
    Value overflows =
        arith::AndIOp::create(b, isEqual(lhs, least), isEqual(rhs, -1));
    isUnsafe = arith::OrIOp::create(b, isZero, overflows);
  }
  // Division by one is what both cases want but for x / 0.
  Value divisor =
      arith::SelectOp::create(b, isUnsafe, getConstant(type, 1), rhs);
  // In one bit, 1 is -1: the least number again.
  if (width == 1 && isSigned)
    return isa<arith::DivSIOp>(op)
               ? arith::SelectOp::create(b, isZero, getConstant(type, -1), lhs)
                     .getResult()
               : arith::SelectOp::create(b, isZero, lhs, getConstant(type, 0))
                     .getResult();
  OperationState state(op->getLoc(), op->getName());
  state.addOperands({lhs, divisor});
  state.addTypes(type);
  Value result = b.create(state)->getResult(0);
  bool isDivision = isa<arith::DivSIOp, arith::DivUIOp>(op);
  return arith::SelectOp::create(
      b, isZero, isDivision ? getConstant(type, -1) : lhs, result);
}

Value Legalizer::buildShift(Operation *op) {
  Value lhs = op->getOperand(0), amount = op->getOperand(1);
  Type type = lhs.getType();
  if (auto constant = getConstantIntValue(amount))
    if (*constant >= 0 && *constant < getWidth(type))
      return {};
  if (getWidth(type) == 1) {
    // All shifts but by zero; the sign stays.
    if (isa<arith::ShRSIOp>(op))
      return lhs;
    return arith::SelectOp::create(b, amount, getConstant(type, 0), lhs);
  }
  Value isBig = arith::CmpIOp::create(b, arith::CmpIPredicate::uge, amount,
                                      getConstant(type, getWidth(type)));
  bool keepsSign = isa<arith::ShRSIOp>(op);
  Value safe = arith::SelectOp::create(
      b, isBig, getConstant(type, keepsSign ? getWidth(type) - 1 : 0), amount);
  OperationState state(op->getLoc(), op->getName());
  state.addOperands({lhs, safe});
  state.addTypes(type);
  Value result = b.create(state)->getResult(0);
  if (keepsSign)
    return result;
  return arith::SelectOp::create(b, isBig, getConstant(type, 0), result);
}

Value Legalizer::buildToInteger(Operation *op) {
  Value value = widen(op->getOperand(0));
  StringRef name =
      isa<arith::FPToSIOp>(op) ? "llvm.fptosi.sat" : "llvm.fptoui.sat";
  return LLVM::CallIntrinsicOp::create(b, op->getResult(0).getType(),
                                       b.getStringAttr(name), ValueRange(value))
      .getResult(0);
}

Value Legalizer::buildFromInteger(Operation *op) {
  Type type = op->getResult(0).getType();
  if (!isNarrow(type))
    return {};
  Value value = op->getOperand(0);
  bool isSigned = isa<arith::SIToFPOp>(op);
  Type i64 = b.getI64Type();
  if (value.getType() != i64)
    value = isSigned ? arith::ExtSIOp::create(b, i64, value).getResult()
                     : arith::ExtUIOp::create(b, i64, value).getResult();
  return fromBits(
      call("ipu_encode_int", i64,
           {getKindConstant(type), value, getConstant(i64, isSigned)}),
      type);
}

void mlir::ipu::legalizeScalars(func::FuncOp function,
                                const JitTarget &target) {
  Legalizer(function, target).run();
}
