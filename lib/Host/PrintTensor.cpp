//===- PrintTensor.cpp - Printing of host tensors -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Host/PrintTensor.h"

#include "ipu-mlir/Host/HostElements.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Error.h"
#include <charconv>
#include <cmath>

using namespace mlir;
using namespace mlir::ipu;

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

/// A point, so that the text reads as a float and is one for MLIR's parser:
/// 1 -> 1.0, 1e+20 -> 1.0e+20.
static std::string withPoint(StringRef text) {
  size_t exponent = text.find('e');
  StringRef digits = text.take_front(exponent);
  if (digits.contains('.'))
    return text.str();
  return (digits + ".0" + text.drop_front(digits.size())).str();
}

/// Shortest text that reads back as `value`; an exponent is used for numbers
/// that would have many zeros, as in Python.
template <typename Float>
static std::string formatShortest(Float value) {
  Float magnitude = std::fabs(value);
  bool isFixed = magnitude == 0 || (magnitude >= static_cast<Float>(1e-4) &&
                                    magnitude < static_cast<Float>(1e16));
  char buffer[64];
  std::to_chars_result end = std::to_chars(
      buffer, buffer + sizeof(buffer), value,
      isFixed ? std::chars_format::fixed : std::chars_format::scientific);
  assert(end.ec == std::errc() && "a float takes less than 64 characters");
  return withPoint(StringRef(buffer, end.ptr - buffer));
}

/// As above, for types that the standard library has no conversion for: the
/// fewest digits that still round to the same bits.
static std::string formatSmallFloat(FloatType type, uint64_t bits) {
  const llvm::fltSemantics &semantics = type.getFloatSemantics();
  double value = decodeFloat(type, bits);
  for (int digits = 0; digits < 17; ++digits) {
    char buffer[64];
    std::to_chars_result end =
        std::to_chars(buffer, buffer + sizeof(buffer), value,
                      std::chars_format::scientific, digits);
    StringRef text(buffer, end.ptr - buffer);
    llvm::APFloat parsed(semantics);
    llvm::Expected<llvm::APFloat::opStatus> status =
        parsed.convertFromString(text, llvm::APFloat::rmNearestTiesToEven);
    if (!status) {
      llvm::consumeError(status.takeError());
      continue;
    }
    if (parsed.bitcastToAPInt().getZExtValue() != bits)
      continue;
    // A decimal of so few digits survives the way through double.
    double shortest = value;
    std::from_chars(text.begin(), text.end(), shortest);
    return formatShortest(shortest);
  }
  return formatShortest(value);
}

static std::string formatInteger(IntegerType type, uint64_t bits) {
  if (type.getWidth() == 1)
    return bits ? "true" : "false";
  __int128 value = decodeInteger(type, bits);
  return value < 0 ? llvm::itostr(static_cast<int64_t>(value))
                   : llvm::utostr(static_cast<uint64_t>(value));
}

std::string mlir::ipu::formatElement(Type type, uint64_t bits) {
  if (auto integer = dyn_cast<IntegerType>(type))
    return formatInteger(integer, bits);
  auto floatType = cast<FloatType>(type);
  double value = decodeFloat(floatType, bits);
  if (std::isnan(value))
    return "nan";
  if (std::isinf(value))
    return value < 0 ? "-inf" : "inf";
  if (type.isF64())
    return formatShortest(value);
  if (type.isF32())
    return formatShortest(static_cast<float>(value));
  return formatSmallFloat(floatType, bits);
}

std::string mlir::ipu::formatIndex(ArrayRef<int64_t> index) {
  return "[" +
         llvm::join(
             llvm::map_range(index, [](int64_t i) { return llvm::itostr(i); }),
             ", ") +
         "]";
}

std::string mlir::ipu::formatPosition(ArrayRef<int64_t> shape,
                                      int64_t position) {
  return formatIndex(delinearize(position, computeStrides(shape)));
}

//===----------------------------------------------------------------------===//
// Tensors
//===----------------------------------------------------------------------===//

/// Tensors of more elements than this are abbreviated, to this many elements at
/// either end of a dimension.
static constexpr int64_t kMaxElements = 64;
static constexpr int64_t kEdge = 3;

namespace {
class TensorPrinter {
public:
  TensorPrinter(raw_ostream &os, const HostTensor &tensor)
      : os(os), data(tensor.data.data()), shape(tensor.type.getShape()),
        type(tensor.type.getElementType()), bytes(getElementBytes(type)),
        isShort(tensor.type.getNumElements() > kMaxElements) {}

  /// Prints the dimensions from `dim` on, whose elements begin at `data`.
  void print(size_t dim = 0) {
    if (dim == shape.size()) {
      os << formatElement(type, loadBits(type, data));
      data += bytes;
      return;
    }
    int64_t size = shape[dim];
    bool isShortened = isShort && size > 2 * kEdge;
    os << '[';
    for (int64_t i = 0; i < size; ++i) {
      if (i > 0)
        os << ", ";
      if (isShortened && i == kEdge) {
        os << "..., ";
        i = size - kEdge;
        data += (i - kEdge) * getSliceBytes(dim);
      }
      print(dim + 1);
    }
    os << ']';
  }

private:
  int64_t getSliceBytes(size_t dim) const {
    int64_t result = bytes;
    for (int64_t size : shape.drop_front(dim + 1))
      result *= size;
    return result;
  }

  raw_ostream &os;
  const char *data;
  ArrayRef<int64_t> shape;
  Type type;
  int64_t bytes;
  bool isShort;
};
} // namespace

void mlir::ipu::printTensor(raw_ostream &os, StringRef name,
                            const HostTensor &tensor) {
  os << name << " : " << tensor.type << " = dense<";
  if (!tensor.data.empty())
    TensorPrinter(os, tensor).print();
  os << ">\n";
}
