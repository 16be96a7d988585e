//===- HostElements.cpp - Elements of host tensors ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Host/HostElements.h"

#include "ipu-mlir/Host/HostTensor.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/APInt.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/Endian.h"

using namespace mlir;
using namespace mlir::ipu;

uint64_t mlir::ipu::loadBits(Type type, const char *data) {
  using namespace llvm::support;
  switch (getElementBytes(type)) {
  case 1:
    return static_cast<unsigned char>(*data);
  case 2:
    return endian::read16le(data);
  case 4:
    return endian::read32le(data);
  default:
    return endian::read64le(data);
  }
}

void mlir::ipu::storeBits(Type type, uint64_t bits, char *data) {
  using namespace llvm::support;
  switch (getElementBytes(type)) {
  case 1:
    *data = static_cast<char>(bits);
    return;
  case 2:
    endian::write16le(data, static_cast<uint16_t>(bits));
    return;
  case 4:
    endian::write32le(data, static_cast<uint32_t>(bits));
    return;
  default:
    endian::write64le(data, bits);
  }
}

double mlir::ipu::decodeFloat(FloatType type, uint64_t bits) {
  // Shortcuts for the types of large tensors.
  if (type.isF64())
    return llvm::bit_cast<double>(bits);
  if (type.isF32())
    return llvm::bit_cast<float>(static_cast<uint32_t>(bits));
  if (type.isBF16())
    return llvm::bit_cast<float>(static_cast<uint32_t>(bits) << 16);
  llvm::APFloat value(type.getFloatSemantics(),
                      llvm::APInt(type.getWidth(), bits));
  return value.convertToDouble();
}

uint64_t mlir::ipu::encodeFloat(FloatType type, double value) {
  if (type.isF64())
    return llvm::bit_cast<uint64_t>(value);
  if (type.isF32())
    return llvm::bit_cast<uint32_t>(static_cast<float>(value));
  llvm::APFloat rounded(value);
  bool losesInfo = false;
  rounded.convert(type.getFloatSemantics(), llvm::APFloat::rmNearestTiesToEven,
                  &losesInfo);
  return rounded.bitcastToAPInt().getZExtValue();
}

__int128 mlir::ipu::decodeInteger(IntegerType type, uint64_t bits) {
  if (type.isUnsigned() || type.getWidth() == 1)
    return bits;
  return llvm::SignExtend64(bits, type.getWidth());
}
