//===- Precision.cpp - Options about element types ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Tools/Precision.h"

using namespace mlir;
using namespace mlir::ipu;

template <typename T>
static llvm::Expected<T> parseOneOf(ArrayRef<T> values,
                                    StringRef (*stringify)(T),
                                    StringRef expected, StringRef text) {
  for (T value : values)
    if (stringify(value) == text)
      return value;
  return llvm::createStringError(llvm::inconvertibleErrorCode(),
                                 expected + " but got '" + text + "'");
}

StringRef tools::stringifyPrecision(Precision precision) {
  switch (precision) {
  case Precision::F32:
    return "f32";
  case Precision::F16:
    return "f16";
  case Precision::Mixed:
    return "mixed";
  }
  llvm_unreachable("covered switch");
}

llvm::Expected<Precision> tools::parsePrecision(StringRef text) {
  return parseOneOf<Precision>(
      {Precision::F32, Precision::F16, Precision::Mixed}, stringifyPrecision,
      "--precision expects f32, f16 or mixed", text);
}

StringRef tools::stringifyPartials(pop::PartialsKind partials) {
  return partials == pop::PartialsKind::F16 ? "f16" : "f32";
}

llvm::Expected<pop::PartialsKind> tools::parsePartials(StringRef text) {
  return parseOneOf<pop::PartialsKind>(
      {pop::PartialsKind::F32, pop::PartialsKind::F16}, stringifyPartials,
      "--partials expects f32 or f16", text);
}
