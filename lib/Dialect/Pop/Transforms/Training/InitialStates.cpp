//===- InitialStates.cpp - What states start from ---------------*- C++ -*-===//
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

/// The elements of `values`; of a resource they are little-endian.
static SmallVector<APFloat> getFloats(ElementsAttr values) {
  if (auto dense = dyn_cast<DenseElementsAttr>(values))
    return llvm::to_vector(dense.getValues<APFloat>());
  auto resource = cast<DenseResourceElementsAttr>(values);
  auto type = cast<FloatType>(values.getElementType());
  unsigned width = type.getWidth() / 8;
  ArrayRef<char> data = resource.getRawHandle().getBlob()->getData();
  SmallVector<APFloat> floats;
  for (size_t at = 0; at + width <= data.size(); at += width) {
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
  SmallVector<APFloat> scaled;
  bool losesInfo;
  for (APFloat value : getFloats(values)) {
    value.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven,
                  &losesInfo);
    APFloat result(factor * value.convertToDouble());
    result.convert(semantics, APFloat::rmNearestTiesToEven, &losesInfo);
    scaled.push_back(result);
  }
  return DenseElementsAttr::get(type, scaled);
}
