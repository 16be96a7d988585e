//===- ScalarValues.h - Scalar values of codelets ---------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A value is represented by its bits in a uint64_t, extended with zeros.
// Arithmetic on floats narrower than f32 is done in float or double, and the
// result is rounded once.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_LIB_EXECUTOR_SUPPORT_SCALARVALUES_H
#define IPU_MLIR_LIB_EXECUTOR_SUPPORT_SCALARVALUES_H

#include "mlir/IR/BuiltinTypes.h"
#include <cstring>

namespace mlir::ipu {

enum class ScalarKind : uint8_t {
  I1,
  I8,
  I16,
  I32,
  I64, // also index
  F16,
  BF16,
  F32,
  F64,
  // Eight-bit floats
  F8E5M2,
  F8E4M3,
  F8E4M3FN,
  F8E5M2FNUZ,
  F8E4M3FNUZ,
  F8E4M3B11FNUZ,
  F8E3M4,
  F8E8M0FNU,
};

/// Returns the kind of a type for which isCodeletScalarType() is true.
ScalarKind getScalarKind(Type type);

inline bool isFloat(ScalarKind kind) { return kind >= ScalarKind::F16; }
inline bool isNarrowFloat(ScalarKind kind) {
  return isFloat(kind) && kind != ScalarKind::F32 && kind != ScalarKind::F64;
}
unsigned getScalarWidth(ScalarKind kind);
inline unsigned getScalarBytes(ScalarKind kind) {
  return (getScalarWidth(kind) + 7) / 8;
}

template <typename To, typename From>
inline To bitCast(From from) {
  static_assert(sizeof(To) == sizeof(From), "bits of another size");
  To to;
  std::memcpy(&to, &from, sizeof(to));
  return to;
}

inline uint64_t maskTo(uint64_t bits, unsigned width) {
  return width >= 64 ? bits : bits & ((uint64_t(1) << width) - 1);
}
inline int64_t signExtend(uint64_t bits, unsigned width) {
  return static_cast<int64_t>(bits << (64 - width)) >> (64 - width);
}

inline uint64_t loadScalar(ScalarKind kind, const char *data) {
  uint64_t bits = 0;
  std::memcpy(&bits, data, getScalarBytes(kind));
  return bits;
}
inline void storeScalar(ScalarKind kind, uint64_t bits, char *data) {
  std::memcpy(data, &bits, getScalarBytes(kind));
}

/// Returns the value of a float. A double can represent the values of all
/// kinds.
double decodeScalar(ScalarKind kind, uint64_t bits);

/// Returns `value` rounded to nearest even. NaNs lose their sign and payload.
uint64_t encodeScalar(ScalarKind kind, double value);

/// Returns the integer `value` converted to a float kind and rounded once.
uint64_t encodeInteger(ScalarKind kind, uint64_t value, bool isSigned);

/// Returns a * b + c in a narrow float kind, rounded once.
uint64_t fmaNarrow(ScalarKind kind, uint64_t a, uint64_t b, uint64_t c);

/// Returns `bits` unless they encode a NaN. For every NaN, returns the bits
/// that programs get when they read the bits of a NaN.
uint64_t canonicalizeNaN(ScalarKind kind, uint64_t bits);

/// Returns whether `data`, which holds elements of `type`, contains a NaN.
bool hasNaNs(Type type, ArrayRef<char> data);

/// Replaces each element of `data` that is a NaN by the result of
/// canonicalizeNaN(). The signs and payloads of NaNs depend on how arithmetic
/// is compiled, so the host must not see them.
void canonicalizeNaNs(Type type, MutableArrayRef<char> data);

} // namespace mlir::ipu

#endif // IPU_MLIR_LIB_EXECUTOR_SUPPORT_SCALARVALUES_H
