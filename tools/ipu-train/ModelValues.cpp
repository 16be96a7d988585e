//===- ModelValues.cpp - Values of variables of a model -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ModelValues.h"

#include "ipu-mlir/Host/HostElements.h"

using namespace mlir;
using namespace mlir::ipu;
using namespace mlir::ipu::train;

/// Returns the value of a constant, which may be one value for all groups, as a
/// tensor of `type`.
static HostTensor getConstant(const SavedTensor &saved, RankedTensorType type) {
  // The program, which is valid, has the same value.
  HostTensor one = *getHostTensor(saved.constant, [&] {
    return emitError(UnknownLoc::get(type.getContext()));
  });
  HostTensor result{type, HostBytes(*getTensorBytes(type))};
  MutableArrayRef<char> bytes = result.data;
  for (; !bytes.empty(); bytes = bytes.drop_front(one.data.size()))
    llvm::copy(std::as_const(one.data), bytes.begin());
  return result;
}

HostTensor train::getModelValue(HostTensor value, const SavedTensor &saved) {
  if (!saved.hasSeveralValues && value.type.getRank() > saved.type.getRank()) {
    value.type =
        cast<RankedTensorType>(value.type.clone(saved.type.getShape()));
    value.data = HostBytes(ArrayRef<char>(std::as_const(value.data).data(),
                                          *getTensorBytes(value.type)));
  }
  auto from = cast<FloatType>(value.type.getElementType());
  auto to = cast<FloatType>(saved.type.getElementType());
  if (from == to)
    return value;
  // The training has a constant rounded to its own type.
  if (saved.constant)
    return getConstant(saved, cast<RankedTensorType>(value.type.clone(to)));
  auto type = cast<RankedTensorType>(value.type.clone(to));
  HostTensor result{type, HostBytes(*getTensorBytes(type))};
  const char *source = std::as_const(value.data).data();
  char *target = result.data.data();
  for (int64_t i = 0, end = type.getNumElements(); i < end; ++i) {
    double number =
        decodeFloat(from, loadBits(from, source + i * getElementBytes(from)));
    storeBits(to, encodeFloat(to, number), target + i * getElementBytes(to));
  }
  return result;
}
