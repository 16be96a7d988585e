//===- ScalarValues.cpp - Scalar values of codelets -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ScalarValues.h"

#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/TypeSwitch.h"
#include <array>
#include <cmath>

using namespace mlir;
using namespace mlir::ipu;
using llvm::APFloat;

ScalarKind mlir::ipu::getScalarKind(Type type) {
  if (type.isIndex())
    return ScalarKind::I64;
  if (auto integer = dyn_cast<IntegerType>(type)) {
    switch (integer.getWidth()) {
    case 1:
      return ScalarKind::I1;
    case 8:
      return ScalarKind::I8;
    case 16:
      return ScalarKind::I16;
    case 32:
      return ScalarKind::I32;
    default:
      return ScalarKind::I64;
    }
  }
  return llvm::TypeSwitch<Type, ScalarKind>(type)
      .Case<Float16Type>([](Type) { return ScalarKind::F16; })
      .Case<BFloat16Type>([](Type) { return ScalarKind::BF16; })
      .Case<Float32Type>([](Type) { return ScalarKind::F32; })
      .Case<Float64Type>([](Type) { return ScalarKind::F64; })
      .Case<Float8E5M2Type>([](Type) { return ScalarKind::F8E5M2; })
      .Case<Float8E4M3Type>([](Type) { return ScalarKind::F8E4M3; })
      .Case<Float8E4M3FNType>([](Type) { return ScalarKind::F8E4M3FN; })
      .Case<Float8E5M2FNUZType>([](Type) { return ScalarKind::F8E5M2FNUZ; })
      .Case<Float8E4M3FNUZType>([](Type) { return ScalarKind::F8E4M3FNUZ; })
      .Case<Float8E4M3B11FNUZType>(
          [](Type) { return ScalarKind::F8E4M3B11FNUZ; })
      .Case<Float8E3M4Type>([](Type) { return ScalarKind::F8E3M4; })
      .Default([](Type) { return ScalarKind::F8E8M0FNU; });
}

unsigned mlir::ipu::getScalarWidth(ScalarKind kind) {
  switch (kind) {
  case ScalarKind::I1:
    return 1;
  case ScalarKind::I16:
  case ScalarKind::F16:
  case ScalarKind::BF16:
    return 16;
  case ScalarKind::I32:
  case ScalarKind::F32:
    return 32;
  case ScalarKind::I64:
  case ScalarKind::F64:
    return 64;
  default:
    return 8;
  }
}

static const llvm::fltSemantics &getSemantics(ScalarKind kind) {
  switch (kind) {
  case ScalarKind::F8E5M2:
    return APFloat::Float8E5M2();
  case ScalarKind::F8E4M3:
    return APFloat::Float8E4M3();
  case ScalarKind::F8E4M3FN:
    return APFloat::Float8E4M3FN();
  case ScalarKind::F8E5M2FNUZ:
    return APFloat::Float8E5M2FNUZ();
  case ScalarKind::F8E4M3FNUZ:
    return APFloat::Float8E4M3FNUZ();
  case ScalarKind::F8E4M3B11FNUZ:
    return APFloat::Float8E4M3B11FNUZ();
  case ScalarKind::F8E3M4:
    return APFloat::Float8E3M4();
  default:
    return APFloat::Float8E8M0FNU();
  }
}

//===----------------------------------------------------------------------===//
// IEEE formats of 16 bits
//===----------------------------------------------------------------------===//

namespace {
/// A sign, `exponentBits`, and the rest of 16 bits for the mantissa.
struct Format16 {
  int exponentBits;
  int mantissaBits;
  int getBias() const { return (1 << (exponentBits - 1)) - 1; }
  uint64_t getInfinity() const {
    return ((uint64_t(1) << exponentBits) - 1) << mantissaBits;
  }
};
} // namespace

static constexpr Format16 kF16{5, 10};
static constexpr Format16 kBF16{8, 7};

static double decode16(Format16 format, uint64_t bits) {
  uint64_t sign = (bits >> 15 & 1) << 63;
  uint64_t exponent =
      bits >> format.mantissaBits & ((uint64_t(1) << format.exponentBits) - 1);
  uint64_t mantissa = bits & ((uint64_t(1) << format.mantissaBits) - 1);
  uint64_t maxExponent = (uint64_t(1) << format.exponentBits) - 1;
  if (exponent == 0) {
    double value = std::ldexp(static_cast<double>(mantissa),
                              1 - format.getBias() - format.mantissaBits);
    return bitCast<double>(bitCast<uint64_t>(value) | sign);
  }
  uint64_t wide = exponent == maxExponent ? uint64_t(0x7FF)
                                          : exponent - format.getBias() + 1023;
  return bitCast<double>(sign | wide << 52 |
                         mantissa << (52 - format.mantissaBits));
}

static uint64_t encode16(Format16 format, double value) {
  uint64_t bits = bitCast<uint64_t>(value);
  uint64_t sign = bits >> 63 << 15;
  uint64_t magnitude = bits & ~(uint64_t(1) << 63);
  uint64_t infinity = format.getInfinity();
  if (magnitude > uint64_t(0x7FF) << 52)
    return infinity | uint64_t(1) << (format.mantissaBits - 1);
  int exponent = static_cast<int>(magnitude >> 52) - 1023 + format.getBias();
  if (exponent >= (1 << format.exponentBits) - 1)
    return sign | infinity;
  // The mantissa with its leading one, and how much of it is dropped.
  uint64_t mantissa = (magnitude & ((uint64_t(1) << 52) - 1)) | uint64_t(1)
                                                                    << 52;
  int shift = 52 - format.mantissaBits;
  if (exponent <= 0) {
    shift += 1 - exponent;
    exponent = 1;
    // Less than half of the least number. Denormal doubles end here too.
    if (shift > 54)
      return sign;
  }
  uint64_t half = uint64_t(1) << (shift - 1);
  uint64_t rest = mantissa & ((half << 1) - 1);
  mantissa >>= shift;
  mantissa += rest > half || (rest == half && (mantissa & 1));
  // A carry moves on into the exponent, and from the greatest to infinity.
  return sign | ((static_cast<uint64_t>(exponent - 1) << format.mantissaBits) +
                 mantissa);
}

//===----------------------------------------------------------------------===//
// All formats
//===----------------------------------------------------------------------===//

static double decode8(ScalarKind kind, uint64_t bits) {
  APFloat value(getSemantics(kind), llvm::APInt(8, bits));
  bool losesInfo;
  value.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven,
                &losesInfo);
  return value.convertToDouble();
}

static uint64_t encode8(ScalarKind kind, double number) {
  const llvm::fltSemantics &semantics = getSemantics(kind);
  if (std::isnan(number))
    return APFloat::getNaN(semantics).bitcastToAPInt().getZExtValue();
  APFloat value(number);
  bool losesInfo;
  value.convert(semantics, APFloat::rmNearestTiesToEven, &losesInfo);
  return value.bitcastToAPInt().getZExtValue();
}

double mlir::ipu::decodeScalar(ScalarKind kind, uint64_t bits) {
  switch (kind) {
  case ScalarKind::F16:
    return decode16(kF16, bits);
  case ScalarKind::BF16:
    return decode16(kBF16, bits);
  case ScalarKind::F32:
    return bitCast<float>(static_cast<uint32_t>(bits));
  case ScalarKind::F64:
    return bitCast<double>(bits);
  default:
    return decode8(kind, bits);
  }
}

uint64_t mlir::ipu::encodeScalar(ScalarKind kind, double value) {
  switch (kind) {
  case ScalarKind::F16:
    return encode16(kF16, value);
  case ScalarKind::BF16:
    return encode16(kBF16, value);
  case ScalarKind::F32:
    return bitCast<uint32_t>(static_cast<float>(value));
  case ScalarKind::F64:
    return bitCast<uint64_t>(value);
  default:
    return encode8(kind, value);
  }
}

/// The double next to `value`, whose least bit is odd if it is not exact: one
/// more rounding to at most 51 bits is then as if there had been none before.
/// `error` is what `value` lacks.
static double roundToOdd(double value, double error) {
  uint64_t bits = bitCast<uint64_t>(value);
  if (error == 0 || (bits & 1) || !std::isfinite(value))
    return value;
  bool growsMagnitude = (error > 0) == (value > 0);
  return bitCast<double>(growsMagnitude ? bits + 1 : bits - 1);
}

uint64_t mlir::ipu::encodeInteger(ScalarKind kind, uint64_t value,
                                  bool isSigned) {
  int64_t asSigned = static_cast<int64_t>(value);
  if (kind == ScalarKind::F32)
    return bitCast<uint32_t>(isSigned ? static_cast<float>(asSigned)
                                      : static_cast<float>(value));
  if (kind == ScalarKind::F64)
    return bitCast<uint64_t>(isSigned ? static_cast<double>(asSigned)
                                      : static_cast<double>(value));
  // Two exact halves whose sum is made odd.
  double high = isSigned ? static_cast<double>(asSigned >> 32)
                         : static_cast<double>(value >> 32);
  high *= 4294967296.0;
  double low = static_cast<double>(value & 0xFFFFFFFFu);
  double sum = high + low;
  return encodeScalar(kind, roundToOdd(sum, low - (sum - high)));
}

uint64_t mlir::ipu::fmaNarrow(ScalarKind kind, uint64_t a, uint64_t b,
                              uint64_t c) {
  // The product of two narrow floats is exact.
  double product = decodeScalar(kind, a) * decodeScalar(kind, b);
  double addend = decodeScalar(kind, c);
  double sum = product + addend;
  if (!std::isfinite(sum))
    return encodeScalar(kind, sum);
  // Knuth's exact error of a sum.
  double part = sum - product;
  double error = (product - (sum - part)) + (addend - part);
  return encodeScalar(kind, roundToOdd(sum, error));
}

uint64_t mlir::ipu::canonicalizeNaN(ScalarKind kind, uint64_t bits) {
  switch (kind) {
  case ScalarKind::F32:
    return (bits & 0x7FFFFFFF) > 0x7F800000 ? 0x7FC00000 : bits;
  case ScalarKind::F64:
    return (bits & ~(uint64_t(1) << 63)) > uint64_t(0x7FF) << 52
               ? uint64_t(0xFFF) << 51
               : bits;
  case ScalarKind::F16:
    return (bits & 0x7FFF) > 0x7C00 ? 0x7E00 : bits;
  case ScalarKind::BF16:
    return (bits & 0x7FFF) > 0x7F80 ? 0x7FC0 : bits;
  default:
    if (!isFloat(kind))
      return bits;
    return std::isnan(decode8(kind, bits)) ? encode8(kind, std::nan("")) : bits;
  }
}

//===----------------------------------------------------------------------===//
// NaNs
//===----------------------------------------------------------------------===//

/// The bits of the magnitude of infinity, and of the NaN that the host sees.
template <typename T>
struct NaNFormat {
  T infinity, canonical;
};

/// Calls `visit` with the format and the element type of floats that are wider
/// than a byte.
template <typename Visit>
[[gnu::always_inline]] static inline auto visitNaNFormat(ScalarKind kind,
                                                         Visit visit) {
  switch (kind) {
  case ScalarKind::F64:
    return visit(
        NaNFormat<int64_t>{int64_t(0x7FF) << 52, int64_t(0xFFF) << 51});
  case ScalarKind::F32:
    return visit(NaNFormat<int32_t>{0x7F800000, 0x7FC00000});
  case ScalarKind::F16:
    return visit(NaNFormat<int16_t>{0x7C00, 0x7E00});
  default:
    return visit(NaNFormat<int16_t>{0x7F80, 0x7FC0});
  }
}

/// The number of elements that are searched at once. Their bytes stay in the
/// first cache.
static constexpr size_t kNaNBlock = 4096;

/// Whether a magnitude is above that of infinity. The loop has no branches, so
/// that it becomes a loop over vectors.
template <typename T>
[[gnu::always_inline]] static inline bool
blockHasNaNs(const char *data, size_t size, NaNFormat<T> format) {
  constexpr T kMagnitude = std::numeric_limits<T>::max();
  T most = 0;
  for (size_t i = 0; i < size; ++i) {
    T bits;
    std::memcpy(&bits, data + i * sizeof(T), sizeof(T));
    most = std::max<T>(most, bits & kMagnitude);
  }
  return most > format.infinity;
}

template <typename T>
[[gnu::always_inline]] static inline void
canonicalizeBlock(char *data, size_t size, NaNFormat<T> format) {
  constexpr T kMagnitude = std::numeric_limits<T>::max();
  for (size_t i = 0; i < size; ++i) {
    T bits;
    std::memcpy(&bits, data + i * sizeof(T), sizeof(T));
    bits = (bits & kMagnitude) > format.infinity ? format.canonical : bits;
    std::memcpy(data + i * sizeof(T), &bits, sizeof(T));
  }
}

[[gnu::always_inline]] static inline bool findNaNs(ScalarKind kind,
                                                   ArrayRef<char> data) {
  return visitNaNFormat(kind, [&](auto format) __attribute__((always_inline)) {
    constexpr size_t kBytes = sizeof(format.infinity);
    for (; !data.empty();
         data = data.drop_front(std::min(data.size(), kNaNBlock * kBytes)))
      if (blockHasNaNs(data.data(), std::min(kNaNBlock, data.size() / kBytes),
                       format))
        return true;
    return false;
  });
}

/// Blocks without NaNs are only read.
[[gnu::always_inline]] static inline void
replaceNaNs(ScalarKind kind, MutableArrayRef<char> data) {
  visitNaNFormat(kind, [&](auto format) __attribute__((always_inline)) {
    constexpr size_t kBytes = sizeof(format.infinity);
    for (; !data.empty();
         data = data.drop_front(std::min(data.size(), kNaNBlock * kBytes))) {
      size_t size = std::min(kNaNBlock, data.size() / kBytes);
      if (blockHasNaNs(data.data(), size, format))
        canonicalizeBlock(data.data(), size, format);
    }
  });
}

#ifdef __x86_64__
// With the vectors that the host has.
[[gnu::target("avx512f,avx512bw")]] static bool
findNaNs512(ScalarKind kind, ArrayRef<char> data) {
  return findNaNs(kind, data);
}
[[gnu::target("avx2")]] static bool findNaNs256(ScalarKind kind,
                                                ArrayRef<char> data) {
  return findNaNs(kind, data);
}
[[gnu::target("avx512f,avx512bw")]] static void
replaceNaNs512(ScalarKind kind, MutableArrayRef<char> data) {
  replaceNaNs(kind, data);
}
[[gnu::target("avx2")]] static void replaceNaNs256(ScalarKind kind,
                                                   MutableArrayRef<char> data) {
  replaceNaNs(kind, data);
}
#endif

/// What canonicalizeNaN() returns for each byte.
static std::array<char, 256> getCanonicalBytes(ScalarKind kind) {
  std::array<char, 256> bytes;
  for (size_t bits = 0; bits < bytes.size(); ++bits)
    bytes[bits] = static_cast<char>(canonicalizeNaN(kind, bits));
  return bytes;
}

bool mlir::ipu::hasNaNs(Type type, ArrayRef<char> data) {
  if (!isa<FloatType>(type))
    return false;
  ScalarKind kind = getScalarKind(type);
  if (getScalarBytes(kind) == 1) {
    std::array<bool, 256> isNaN;
    for (size_t bits = 0; bits < isNaN.size(); ++bits)
      isNaN[bits] = std::isnan(decode8(kind, bits));
    return llvm::any_of(
        data, [&](char byte) { return isNaN[static_cast<uint8_t>(byte)]; });
  }
#ifdef __x86_64__
  if (__builtin_cpu_supports("avx512bw"))
    return findNaNs512(kind, data);
  if (__builtin_cpu_supports("avx2"))
    return findNaNs256(kind, data);
#endif
  return findNaNs(kind, data);
}

void mlir::ipu::canonicalizeNaNs(Type type, MutableArrayRef<char> data) {
  if (!isa<FloatType>(type))
    return;
  ScalarKind kind = getScalarKind(type);
  if (getScalarBytes(kind) == 1) {
    std::array<char, 256> canonical = getCanonicalBytes(kind);
    for (char &byte : data)
      byte = canonical[static_cast<uint8_t>(byte)];
    return;
  }
#ifdef __x86_64__
  if (__builtin_cpu_supports("avx512bw"))
    return replaceNaNs512(kind, data);
  if (__builtin_cpu_supports("avx2"))
    return replaceNaNs256(kind, data);
#endif
  replaceNaNs(kind, data);
}
