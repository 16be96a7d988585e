//===- Serialization.cpp - Matmuls in parts -------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Dialect/Pop/IR/Serialization.h"

using namespace mlir;
using namespace mlir::pop;

//===----------------------------------------------------------------------===//
// Marks
//===----------------------------------------------------------------------===//

static constexpr StringLiteral kMode = "mode", kFactor = "factor",
                               kLimit = "limit";

StringRef mlir::pop::stringifySerializeMode(SerializeMode mode) {
  switch (mode) {
  case SerializeMode::InputChannels:
    return "input_channels";
  case SerializeMode::ReducingDim:
    return "reducing_dim";
  case SerializeMode::OutputChannels:
    return "output_channels";
  }
  llvm_unreachable("unknown mode");
}

static std::optional<Serialization> parseSerialization(Attribute value) {
  auto entries = dyn_cast_or_null<DictionaryAttr>(value);
  if (!entries)
    return std::nullopt;
  auto name = entries.getAs<StringAttr>(kMode);
  auto factor = entries.getAs<IntegerAttr>(kFactor);
  bool isLimit = entries.getAs<UnitAttr>(kLimit) != nullptr;
  if (!name || !factor || !factor.getType().isSignlessInteger(64) ||
      factor.getInt() < 1 || entries.size() != (isLimit ? 3 : 2))
    return std::nullopt;
  for (SerializeMode mode : kSerializeModes)
    if (stringifySerializeMode(mode) == name.getValue())
      return Serialization{mode, factor.getInt(), isLimit};
  return std::nullopt;
}

bool mlir::pop::isSerialization(Attribute value) {
  return parseSerialization(value).has_value();
}

std::optional<Serialization> mlir::pop::getSerialization(MatmulOp op) {
  return parseSerialization(op->getAttr(kSerializeAttrName));
}

void mlir::pop::setSerialization(MatmulOp op,
                                 const Serialization &serialization) {
  Builder b(op.getContext());
  NamedAttrList entries;
  entries.append(kMode,
                 b.getStringAttr(stringifySerializeMode(serialization.mode)));
  entries.append(kFactor, b.getI64IntegerAttr(serialization.factor));
  if (serialization.isLimit)
    entries.append(kLimit, b.getUnitAttr());
  op->setAttr(kSerializeAttrName, entries.getDictionary(op.getContext()));
}

//===----------------------------------------------------------------------===//
// Parts
//===----------------------------------------------------------------------===//

int64_t mlir::pop::getResultDimFromEnd(SerializeMode mode) {
  switch (mode) {
  case SerializeMode::InputChannels:
    return 2;
  case SerializeMode::ReducingDim:
    return 0;
  case SerializeMode::OutputChannels:
    return 1;
  }
  llvm_unreachable("unknown mode");
}

Value mlir::pop::buildMatmulPart(PopBuilder &b, MatmulOp op, SerializeMode mode,
                                 int64_t start, int64_t size, Value acc) {
  auto slice = [&](Value operand, int64_t dimFromEnd) {
    int64_t rank = cast<RankedTensorType>(operand.getType()).getRank();
    return b.slice(operand, rank - dimFromEnd, start, size);
  };
  bool isSum = mode == SerializeMode::ReducingDim;
  Value lhs = op.getLhs(), rhs = op.getRhs();
  if (mode != SerializeMode::OutputChannels)
    lhs = slice(lhs, isSum ? 1 : 2);
  if (mode != SerializeMode::InputChannels)
    rhs = slice(rhs, isSum ? 2 : 1);
  SmallVector<int64_t> shape(op.getType().getShape());
  if (int64_t dimFromEnd = getResultDimFromEnd(mode)) {
    shape[shape.size() - dimFromEnd] = size;
    if (acc)
      acc = slice(acc, dimFromEnd);
  }
  return b.create<MatmulOp>(op.getType().clone(shape), lhs, rhs, acc,
                            op.getAccumAttr());
}
