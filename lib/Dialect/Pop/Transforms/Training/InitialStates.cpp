//===- InitialStates.cpp - Initial values of states -------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "InitialStates.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectResourceBlobManager.h"

using namespace mlir;
using namespace mlir::pop;

ElementsAttr mlir::pop::getZeros(RankedTensorType type) {
  return DenseElementsAttr::get(
      type, Builder(type.getContext()).getZeroAttr(type.getElementType()));
}

/// The elements of `values`, if they are known; of a resource they are
/// little-endian.
static std::optional<SmallVector<APFloat>> getFloats(ElementsAttr values) {
  if (auto dense = dyn_cast<DenseElementsAttr>(values))
    return llvm::to_vector(dense.getValues<APFloat>());
  auto resource = dyn_cast<DenseResourceElementsAttr>(values);
  AsmResourceBlob *blob =
      resource ? resource.getRawHandle().getBlob() : nullptr;
  if (!blob)
    return std::nullopt;
  auto type = cast<FloatType>(values.getElementType());
  unsigned width = type.getWidth() / 8;
  ArrayRef<char> data = blob->getData();
  if (data.size() != size_t(values.getNumElements()) * width)
    return std::nullopt;
  SmallVector<APFloat> floats;
  for (size_t at = 0; at < data.size(); at += width) {
    uint64_t bits = 0;
    for (unsigned i = 0; i < width; ++i)
      bits |= uint64_t(uint8_t(data[at + i])) << (8 * i);
    floats.emplace_back(type.getFloatSemantics(), APInt(type.getWidth(), bits));
  }
  return floats;
}

ElementsAttr mlir::pop::getScaled(ElementsAttr values, RankedTensorType type,
                                  double factor) {
  const llvm::fltSemantics &semantics =
      cast<FloatType>(type.getElementType()).getFloatSemantics();
  std::optional<SmallVector<APFloat>> floats = getFloats(values);
  if (!floats)
    return {};
  SmallVector<APFloat> scaled;
  bool losesInfo;
  for (APFloat value : *floats) {
    value.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven,
                  &losesInfo);
    APFloat result(factor * value.convertToDouble());
    result.convert(semantics, APFloat::rmNearestTiesToEven, &losesInfo);
    scaled.push_back(result);
  }
  return DenseElementsAttr::get(type, scaled);
}
