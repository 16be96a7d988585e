//===- TensorLiteral.cpp - Tensors as text --------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Host/HostElements.h"
#include "ipu-mlir/Host/HostTensor.h"

#include "llvm/Support/JSON.h"
#include <cmath>
#include <limits>

using namespace mlir;
using namespace mlir::ipu;
namespace json = llvm::json;

static llvm::Error makeError(const Twine &message) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), message);
}

static std::string toString(const json::Value &value) {
  std::string text;
  llvm::raw_string_ostream(text) << value;
  return text;
}

/// Returns the bits of an element of type `type`.
static llvm::Expected<uint64_t> getBits(const json::Value &value, Type type) {
  auto fail = [&] {
    std::string text;
    llvm::raw_string_ostream(text) << type;
    return makeError("expects an element of type " + text + " but got '" +
                     toString(value) + "'");
  };
  if (auto floatType = dyn_cast<FloatType>(type)) {
    std::optional<double> number = value.getAsNumber();
    return number ? llvm::Expected<uint64_t>(encodeFloat(floatType, *number))
                  : fail();
  }
  std::optional<__int128> number;
  if (std::optional<bool> flag = value.getAsBoolean();
      flag && type.isInteger(1))
    number = *flag;
  else if (std::optional<uint64_t> integer = value.getAsUINT64())
    number = *integer;
  // A float beyond the range of int64 must not be converted to int64.
  else if (std::optional<double> real = value.getAsNumber();
           real && std::abs(*real) < 0x1p63)
    number = value.getAsInteger();
  else if (real == -0x1p63)
    number = std::numeric_limits<int64_t>::min();
  auto integerType = cast<IntegerType>(type);
  if (!number ||
      decodeInteger(integerType, static_cast<uint64_t>(*number) &
                                     llvm::maskTrailingOnes<uint64_t>(
                                         integerType.getWidth())) != *number)
    return fail();
  return static_cast<uint64_t>(*number);
}

/// Appends the elements of `value` to `elements`. `shape` has the dimensions
/// that are known already, and `depth` is the number of lists around `value`.
static llvm::Error collect(const json::Value &value, size_t depth,
                           SmallVectorImpl<int64_t> &shape,
                           std::vector<const json::Value *> &elements) {
  const json::Array *list = value.getAsArray();
  bool isFirst = elements.empty() && depth == shape.size();
  if (list && isFirst)
    shape.push_back(static_cast<int64_t>(list->size()));
  bool isInner = depth < shape.size();
  if (isInner != (list != nullptr) ||
      (list && static_cast<int64_t>(list->size()) != shape[depth]))
    return makeError("expects lists of equal shapes but got '" +
                     toString(value) + "'");
  if (!list) {
    elements.push_back(&value);
    return llvm::Error::success();
  }
  for (const json::Value &inner : *list)
    if (llvm::Error error = collect(inner, depth + 1, shape, elements))
      return error;
  return llvm::Error::success();
}

/// The greatest number of brackets in a text. The limit is necessary because
/// the parser is recursive.
static constexpr size_t kMaxBrackets = 1 << 12;

llvm::Expected<HostTensor> mlir::ipu::parseTensorLiteral(StringRef text,
                                                         Type elementType) {
  if (text.count('[') + text.count('{') > kMaxBrackets)
    return makeError("expects at most " + Twine(kMaxBrackets) +
                     " lists: write larger values to a file");
  llvm::Expected<json::Value> value = json::parse(text);
  if (!value) {
    llvm::consumeError(value.takeError());
    return makeError("expects a number, true, false or a list, such as "
                     "[[1, 2], [3, 4]], but got '" +
                     text + "'");
  }
  SmallVector<int64_t> shape;
  std::vector<const json::Value *> elements;
  if (llvm::Error error = collect(*value, 0, shape, elements))
    return error;
  FailureOr<HostTensor> tensor =
      allocateHostTensor(RankedTensorType::get(shape, elementType));
  if (failed(tensor))
    return makeError("the value has too many elements");
  char *data = tensor->data.data();
  for (const json::Value *element : elements) {
    llvm::Expected<uint64_t> bits = getBits(*element, elementType);
    if (!bits)
      return bits.takeError();
    storeBits(elementType, *bits, data);
    data += getElementBytes(elementType);
  }
  return std::move(*tensor);
}
