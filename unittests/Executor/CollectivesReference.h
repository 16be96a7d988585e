//===- CollectivesReference.h - Reductions by definition --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Computes reductions by their definition, element by element with APFloat and
// APInt.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_UNITTESTS_EXECUTOR_COLLECTIVESREFERENCE_H
#define IPU_MLIR_UNITTESTS_EXECUTOR_COLLECTIVESREFERENCE_H

#include "Run/ComputeCollective.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/APInt.h"

namespace mlir::ipu {

using llvm::APFloat;
using llvm::APInt;

using Bytes = std::vector<char>;
constexpr CollectiveOperator kOperators[] = {
    CollectiveOperator::Add,       CollectiveOperator::Mean,
    CollectiveOperator::Mul,       CollectiveOperator::Min,
    CollectiveOperator::Max,       CollectiveOperator::LogicalAnd,
    CollectiveOperator::LogicalOr, CollectiveOperator::SquareAdd,
    CollectiveOperator::Local};

struct ElementKind {
  const char *name;
  CollectiveElements elements;
  const llvm::fltSemantics *semantics;

  int64_t bytes() const { return elements.getBytes(); }
  unsigned width() const { return getScalarWidth(elements.kind); }
};
const ElementKind kTypes[] = {
    {"f32", {ScalarKind::F32, false}, &APFloat::IEEEsingle()},
    {"f16", {ScalarKind::F16, false}, &APFloat::IEEEhalf()},
    {"bf16", {ScalarKind::BF16, false}, &APFloat::BFloat()},
    {"f64", {ScalarKind::F64, false}, &APFloat::IEEEdouble()},
    {"f8E4M3FN", {ScalarKind::F8E4M3FN, false}, &APFloat::Float8E4M3FN()},
    {"i1", {ScalarKind::I1, false}, nullptr},
    {"i8", {ScalarKind::I8, false}, nullptr},
    {"ui8", {ScalarKind::I8, true}, nullptr},
    {"i16", {ScalarKind::I16, false}, nullptr},
    {"i32", {ScalarKind::I32, false}, nullptr},
    {"ui32", {ScalarKind::I32, true}, nullptr},
    {"i64", {ScalarKind::I64, false}, nullptr},
};

inline uint64_t load(const ElementKind &type, const Bytes &data, int64_t at) {
  return loadScalar(type.elements.kind, data.data() + at * type.bytes());
}
inline void store(const ElementKind &type, uint64_t bits, Bytes &data,
                  int64_t at) {
  storeScalar(type.elements.kind, bits, data.data() + at * type.bytes());
}

/// Returns the format in which floats of `type` are combined, which is f32 for
/// narrower floats.
inline const llvm::fltSemantics &getWide(const ElementKind &type) {
  return type.semantics == &APFloat::IEEEdouble() ? APFloat::IEEEdouble()
                                                  : APFloat::IEEEsingle();
}

inline APFloat convert(APFloat value, const llvm::fltSemantics &semantics) {
  bool ignored;
  value.convert(semantics, APFloat::rmNearestTiesToEven, &ignored);
  return value;
}

inline APFloat combineFloats(CollectiveOperator op, APFloat a,
                             const APFloat &b) {
  switch (op) {
  case CollectiveOperator::Mul:
    a.multiply(b, APFloat::rmNearestTiesToEven);
    return a;
  case CollectiveOperator::Min:
    return llvm::minimum(a, b);
  case CollectiveOperator::Max:
    return llvm::maximum(a, b);
  default:
    a.add(b, APFloat::rmNearestTiesToEven);
    return a;
  }
}

inline uint64_t reduceFloats(const ElementKind &type, CollectiveOperator op,
                             ArrayRef<uint64_t> values) {
  std::optional<APFloat> sum;
  for (uint64_t bits : values) {
    APFloat value = convert(APFloat(*type.semantics, APInt(type.width(), bits)),
                            getWide(type));
    if (op == CollectiveOperator::SquareAdd) {
      APFloat copy = value;
      value.multiply(copy, APFloat::rmNearestTiesToEven);
    }
    sum = sum ? combineFloats(op, *sum, value) : value;
  }
  if (op == CollectiveOperator::Mean) {
    APFloat count(getWide(type));
    count.convertFromAPInt(APInt(32, values.size()), false,
                           APFloat::rmNearestTiesToEven);
    sum->divide(count, APFloat::rmNearestTiesToEven);
  }
  APFloat result = convert(*sum, *type.semantics);
  if (result.isNaN())
    result = APFloat::getNaN(*type.semantics);
  return result.bitcastToAPInt().getZExtValue();
}

inline uint64_t reduceIntegers(const ElementKind &type, CollectiveOperator op,
                               ArrayRef<uint64_t> values) {
  bool isSigned = !type.elements.isUnsigned && type.width() > 1;
  std::optional<APInt> result;
  for (uint64_t bits : values) {
    APInt value(type.width(), bits, /*isSigned=*/false,
                /*implicitTrunc=*/true);
    bool isLogical = op == CollectiveOperator::LogicalAnd ||
                     op == CollectiveOperator::LogicalOr;
    if (isLogical)
      value = APInt(type.width(), !value.isZero());
    if (op == CollectiveOperator::SquareAdd)
      value *= APInt(value);
    if (!result)
      result = value;
    else if (op == CollectiveOperator::Mul ||
             op == CollectiveOperator::LogicalAnd)
      *result *= value;
    else if (op == CollectiveOperator::LogicalOr)
      *result |= value;
    else if (op == CollectiveOperator::Min)
      result = isSigned ? llvm::APIntOps::smin(*result, value)
                        : llvm::APIntOps::umin(*result, value);
    else if (op == CollectiveOperator::Max)
      result = isSigned ? llvm::APIntOps::smax(*result, value)
                        : llvm::APIntOps::umax(*result, value);
    else
      *result += value;
  }
  if (op == CollectiveOperator::Mean) {
    APInt wide = isSigned ? result->sext(80) : result->zext(80);
    APInt count(80, values.size());
    result =
        (isSigned ? wide.sdiv(count) : wide.udiv(count)).trunc(type.width());
  }
  return result->getZExtValue();
}

inline uint64_t reduce(const ElementKind &type, CollectiveOperator op,
                       ArrayRef<uint64_t> values) {
  return type.semantics ? reduceFloats(type, op, values)
                        : reduceIntegers(type, op, values);
}

} // namespace mlir::ipu

#endif // IPU_MLIR_UNITTESTS_EXECUTOR_COLLECTIVESREFERENCE_H
