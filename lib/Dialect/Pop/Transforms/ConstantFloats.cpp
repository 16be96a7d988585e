//===- ConstantFloats.cpp - Elements of float constants -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ConstantFloats.h"

#include "mlir/IR/DialectResourceBlobManager.h"
#include "llvm/Support/Endian.h"

using namespace mlir;

static double toDouble(APFloat value) {
  bool losesInfo;
  value.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven,
                &losesInfo);
  return value.convertToDouble();
}

/// Returns the elements of a resource, which are little-endian.
static std::optional<std::vector<double>>
getResourceFloats(DenseResourceElementsAttr values) {
  AsmResourceBlob *blob = values.getRawHandle().getBlob();
  auto type = cast<FloatType>(values.getType().getElementType());
  unsigned width = type.getWidth() / 8;
  auto count = static_cast<size_t>(values.getType().getNumElements());
  if (!blob || blob->getData().size() != count * width)
    return std::nullopt;
  std::vector<double> floats(count);
  for (size_t i = 0; i < count; ++i) {
    const char *data = blob->getData().data() + i * width;
    uint64_t bits = 0;
    for (unsigned byte = 0; byte < width; ++byte)
      bits |= uint64_t(uint8_t(data[byte])) << (8 * byte);
    floats[i] = type.isF32() ? llvm::bit_cast<float>(uint32_t(bits))
                             : toDouble(APFloat(type.getFloatSemantics(),
                                                APInt(type.getWidth(), bits)));
  }
  return floats;
}

std::optional<std::vector<double>> mlir::pop::getFloats(ElementsAttr values) {
  if (auto resource = dyn_cast<DenseResourceElementsAttr>(values))
    return getResourceFloats(resource);
  auto dense = dyn_cast<DenseElementsAttr>(values);
  if (!dense)
    return std::nullopt;
  if (dense.getElementType().isF32()) {
    auto floats = dense.getValues<float>();
    return std::vector<double>(floats.begin(), floats.end());
  }
  std::vector<double> floats;
  for (const APFloat &value : dense.getValues<APFloat>())
    floats.push_back(toDouble(value));
  return floats;
}

DenseElementsAttr mlir::pop::makeFloats(RankedTensorType type,
                                        ArrayRef<double> values) {
  if (type.getElementType().isF32())
    return DenseElementsAttr::get(type, ArrayRef<float>(std::vector<float>(
                                            values.begin(), values.end())));
  const llvm::fltSemantics &semantics =
      cast<FloatType>(type.getElementType()).getFloatSemantics();
  SmallVector<APFloat> floats;
  bool losesInfo;
  for (double value : values) {
    floats.emplace_back(value);
    floats.back().convert(semantics, APFloat::rmNearestTiesToEven, &losesInfo);
  }
  return DenseElementsAttr::get(type, floats);
}
