//===- InitialStates.cpp - Initial values of states -------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "InitialStates.h"

#include "../ConstantFloats.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace mlir::pop;

ElementsAttr mlir::pop::getZeros(RankedTensorType type) {
  return DenseElementsAttr::get(
      type, Builder(type.getContext()).getZeroAttr(type.getElementType()));
}

ElementsAttr mlir::pop::getScaled(ElementsAttr values, RankedTensorType type,
                                  double factor) {
  std::optional<std::vector<double>> floats = getFloats(values);
  if (!floats)
    return {};
  for (double &value : *floats)
    value *= factor;
  return makeFloats(type, *floats);
}
