//===- MatmulDivision.cpp - Divisions of matmuls into parts ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MatmulDivision.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::pop;

//===----------------------------------------------------------------------===//
// MatmulDivision
//===----------------------------------------------------------------------===//

MatmulDivision::MatmulDivision(MatmulOp op, SerializeMode mode) {
  AccumAttr order = op.getAccumAttr();
  if (int64_t dimFromEnd = getResultDimFromEnd(mode)) {
    size = op.getType().getDimSize(op.getType().getRank() - dimFromEnd);
  } else {
    size = op.getLhs().getType().getShape().back();
    if (!order.isChain())
      unit = order.getBlock() * std::max<int64_t>(order.getGroup(), 1);
  }
  numUnits = llvm::divideCeilSigned(size, unit);
}

bool MatmulDivision::isPossible(int64_t factor) const {
  return factor >= 1 && factor <= std::min(numUnits, kMaxSerializeFactor) &&
         numUnits % factor == 0;
}

SmallVector<int64_t> MatmulDivision::getPossibleFactors() const {
  SmallVector<int64_t> factors;
  for (int64_t factor = 2; factor <= kMaxSerializeFactor; ++factor)
    if (isPossible(factor))
      factors.push_back(factor);
  return factors;
}

int64_t MatmulDivision::getGreatestFactor(int64_t limit) const {
  int64_t factor = std::min({limit, numUnits, kMaxSerializeFactor});
  while (factor > 1 && !isPossible(factor))
    --factor;
  return std::max<int64_t>(factor, 1);
}

SmallVector<PartRange> MatmulDivision::getParts(int64_t factor) const {
  int64_t whole = numUnits / factor * unit;
  SmallVector<PartRange> parts;
  for (int64_t i = 0; i < factor; ++i)
    parts.push_back({i * whole, std::min(whole, size - i * whole)});
  return parts;
}

//===----------------------------------------------------------------------===//
// MatmulBytes
//===----------------------------------------------------------------------===//

static int64_t getBytes(RankedTensorType type) {
  int64_t bits = type.getElementTypeBitWidth();
  return type.getNumElements() * llvm::divideCeil(bits, 8);
}

MatmulBytes::MatmulBytes(MatmulOp op)
    : lhs(getBytes(op.getLhs().getType())),
      rhs(getBytes(op.getRhs().getType())), result(getBytes(op.getType())) {}

int64_t MatmulBytes::getOfParts(SerializeMode mode, int64_t factor,
                                bool isConsumed) const {
  int64_t resultOfPart =
      isConsumed ? llvm::divideCeilSigned(result, factor) : result;
  switch (mode) {
  case SerializeMode::InputChannels:
    return llvm::divideCeilSigned(lhs, factor) + rhs + resultOfPart;
  case SerializeMode::ReducingDim:
    return llvm::divideCeilSigned(lhs + rhs, factor) + 2 * result;
  case SerializeMode::OutputChannels:
    return lhs + llvm::divideCeilSigned(rhs, factor) + resultOfPart;
  }
  llvm_unreachable("unknown mode");
}
