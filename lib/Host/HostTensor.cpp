//===- HostTensor.cpp - Tensors on the host -------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Host/HostTensor.h"

#include "mlir/IR/DialectResourceBlobManager.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/Memory.h"
#include <cstring>

using namespace mlir;
using namespace mlir::ipu;

bool mlir::ipu::isHostElementType(Type type) {
  if (!isa<IntegerType, FloatType>(type))
    return false;
  unsigned width = type.getIntOrFloatBitWidth();
  return width == 8 || width == 16 || width == 32 || width == 64 ||
         type.isInteger(1);
}

int64_t mlir::ipu::getElementBytes(Type elementType) {
  assert(isHostElementType(elementType) && "no element of a host tensor");
  return llvm::divideCeil(elementType.getIntOrFloatBitWidth(), 8);
}

std::optional<int64_t> mlir::ipu::getTensorBytes(RankedTensorType type) {
  if (!type.hasStaticShape() || !isHostElementType(type.getElementType()))
    return std::nullopt;
  // An empty tensor may have sizes whose product does not fit; it is refused
  // all the same, since MLIR multiplies sizes in their order.
  int64_t bytes = getElementBytes(type.getElementType());
  for (int64_t size : type.getShape())
    if (size != 0 && llvm::MulOverflow(bytes, size, bytes))
      return std::nullopt;
  return llvm::is_contained(type.getShape(), 0) ? 0 : bytes;
}

bool mlir::ipu::hasHostMemory(int64_t bytes) {
  std::error_code error;
  llvm::sys::MemoryBlock probe = llvm::sys::Memory::allocateMappedMemory(
      bytes, /*NearBlock=*/nullptr,
      llvm::sys::Memory::MF_READ | llvm::sys::Memory::MF_WRITE, error);
  return !error && !llvm::sys::Memory::releaseMappedMemory(probe);
}

FailureOr<HostTensor> mlir::ipu::allocateHostTensor(RankedTensorType type) {
  std::optional<int64_t> bytes = getTensorBytes(type);
  if (!bytes || !hasHostMemory(*bytes))
    return failure();
  return HostTensor{type, HostBytes(*bytes)};
}

/// The elements of a splat or a list, in row-major order. MLIR packs bools, so
/// that they are read one by one; all others lie in memory as here.
static void copyElements(DenseElementsAttr attr, HostTensor &tensor) {
  if (attr.getElementType().isInteger(1)) {
    llvm::copy(attr.getValues<bool>(), tensor.data.begin());
    return;
  }
  ArrayRef<char> raw = attr.getRawData();
  if (!attr.isSplat()) {
    assert(raw.size() == tensor.data.size() && "unknown layout of dense data");
    llvm::copy(raw, tensor.data.begin());
    return;
  }
  // What is there is copied to what follows, in blocks that stay in the cache.
  constexpr size_t kBlock = 1 << 14;
  char *to = tensor.data.data();
  size_t size = tensor.data.size();
  size_t done = std::min<size_t>(getElementBytes(attr.getElementType()), size);
  std::memcpy(to, raw.data(), done);
  while (done < size) {
    size_t count = std::min({done, size - done, kBlock});
    std::memcpy(to + done, to, count);
    done += count;
  }
}

static LogicalResult
copyResource(DenseResourceElementsAttr attr, HostTensor &tensor,
             function_ref<InFlightDiagnostic()> emitError) {
  StringRef key = attr.getRawHandle().getKey();
  AsmResourceBlob *blob = attr.getRawHandle().getBlob();
  if (!blob)
    return emitError() << "resource '" << key << "' has no data";
  ArrayRef<char> raw = blob->getData();
  if (raw.size() != tensor.data.size())
    return emitError() << "expects resource '" << key << "' to have "
                       << tensor.data.size() << " bytes, as " << tensor.type
                       << ", but got " << raw.size();
  llvm::copy(raw, tensor.data.begin());
  if (attr.getElementType().isInteger(1))
    for (char &element : tensor.data)
      element = element != 0;
  return success();
}

FailureOr<HostTensor>
mlir::ipu::getHostTensor(ElementsAttr attr,
                         function_ref<InFlightDiagnostic()> emitError) {
  auto type = dyn_cast<RankedTensorType>(attr.getShapedType());
  if (!type || !getTensorBytes(type))
    return emitError() << "expects a tensor of integers or floats but got "
                       << attr.getShapedType();
  if (!isa<DenseIntOrFPElementsAttr, DenseResourceElementsAttr>(attr))
    return emitError() << "expects a dense or dense_resource value but got "
                       << attr.getAbstractAttribute().getName();

  FailureOr<HostTensor> tensor = allocateHostTensor(type);
  if (failed(tensor))
    return emitError() << "not enough memory for a value of type " << type;
  if (auto dense = dyn_cast<DenseIntOrFPElementsAttr>(attr))
    copyElements(dense, *tensor);
  else if (failed(copyResource(cast<DenseResourceElementsAttr>(attr), *tensor,
                               emitError)))
    return failure();
  return tensor;
}

DenseElementsAttr mlir::ipu::getDenseElements(const HostTensor &tensor) {
  ArrayRef<char> bytes(tensor.data.data(), tensor.data.size());
  if (bytes.empty())
    return DenseElementsAttr::get(tensor.type, ArrayRef<Attribute>());
  if (tensor.type.getElementType().isInteger(1))
    return DenseElementsAttr::get(
        tensor.type, SmallVector<bool>(bytes.begin(), bytes.end()));
  return DenseElementsAttr::getFromRawBuffer(tensor.type, bytes);
}
