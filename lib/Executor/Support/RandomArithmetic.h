//===- RandomArithmetic.h - Random numbers as arith ops ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: the operands of an op of a codelet that uses random numbers.
// Out: the result of the op as arith ops, which compute the same bits as the
// functions in RandomBits.h.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_LIB_EXECUTOR_SUPPORT_RANDOMARITHMETIC_H
#define IPU_MLIR_LIB_EXECUTOR_SUPPORT_RANDOMARITHMETIC_H

#include "ipu-mlir/Dialect/IPU/IR/IPU.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include <array>

namespace mlir::ipu {

/// Builds integer arithmetic of one width, and constants of this width.
class Words {
public:
  Words(ImplicitLocOpBuilder &b, unsigned width)
      : b(b), type(b.getIntegerType(width)), width(width) {}

  Value get(uint64_t value) {
    return arith::ConstantOp::create(
        b, b.getIntegerAttr(type, APInt(width, value, /*isSigned=*/false,
                                        /*implicitTrunc=*/true)));
  }
  /// Truncates `value` to the width, or extends it with zeros.
  Value get(Value value) {
    unsigned from = value.getType().getIntOrFloatBitWidth();
    if (from == width)
      return value;
    return from < width ? arith::ExtUIOp::create(b, type, value).getResult()
                        : arith::TruncIOp::create(b, type, value).getResult();
  }
  Value add(Value x, Value y) { return arith::AddIOp::create(b, x, y); }
  Value sub(Value x, Value y) { return arith::SubIOp::create(b, x, y); }
  Value mul(Value x, Value y) { return arith::MulIOp::create(b, x, y); }
  Value bitAnd(Value x, Value y) { return arith::AndIOp::create(b, x, y); }
  Value bitOr(Value x, Value y) { return arith::OrIOp::create(b, x, y); }
  Value bitXOr(Value x, Value y) { return arith::XOrIOp::create(b, x, y); }
  /// A shift by the width or more results in 0, as CodeletScalarOps.def
  /// defines.
  Value shl(Value x, Value y) { return arith::ShLIOp::create(b, x, y); }
  Value shr(Value x, Value y) { return arith::ShRUIOp::create(b, x, y); }
  Value shl(Value x, unsigned by) { return shl(x, get(uint64_t(by))); }
  Value shr(Value x, unsigned by) { return shr(x, get(uint64_t(by))); }
  Value rotl(Value x, unsigned by) {
    return bitOr(shl(x, by), shr(x, width - by));
  }
  Value maxSigned(Value x, Value y) { return arith::MaxSIOp::create(b, x, y); }
  Value isEqual(Value x, Value y) {
    return arith::CmpIOp::create(b, arith::CmpIPredicate::eq, x, y);
  }
  Value isLess(Value x, Value y) {
    return arith::CmpIOp::create(b, arith::CmpIPredicate::ult, x, y);
  }
  Value select(Value condition, Value x, Value y) {
    return arith::SelectOp::create(b, condition, x, y);
  }

private:
  ImplicitLocOpBuilder &b;
  Type type;
  unsigned width;
};

/// Builds the ops that compute philox4x32().
std::array<Value, 4> buildPhilox(ImplicitLocOpBuilder &b,
                                 std::array<Value, 2> key,
                                 std::array<Value, 4> counter);

/// The bits that generator `stream` draws from its state, and its new state.
struct StreamDraw {
  Value drawn, s0, s1;
};

/// Builds the ops that compute Xoroshiro128AOX.
StreamDraw buildStreamDraw(ImplicitLocOpBuilder &b, Value s0, Value s1);

/// Builds the ops that compute roundStochastic() for `op`.
Value buildRounding(ImplicitLocOpBuilder &b, RoundStochasticOp op);

} // namespace mlir::ipu

#endif // IPU_MLIR_LIB_EXECUTOR_SUPPORT_RANDOMARITHMETIC_H
