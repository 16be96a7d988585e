//===- NonFinite.cpp - Search for non-finite values -------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "NonFinite.h"

#include "ipu-mlir/Host/HostElements.h"
#include "ipu-mlir/Host/PrintTensor.h"
#include "llvm/ADT/StringSet.h"
#include <cmath>
#include <cstring>

using namespace mlir;
using namespace mlir::ipu;
using namespace mlir::ipu::train;

/// Returns the index of the first element for which `matches` holds, or
/// std::nullopt if there is none.
static std::optional<int64_t> findElement(const HostTensor &tensor,
                                          function_ref<bool(double)> matches) {
  auto type = dyn_cast<FloatType>(tensor.type.getElementType());
  if (!type)
    return std::nullopt;
  const char *data = tensor.data.data();
  int64_t size = getElementBytes(type), count = tensor.type.getNumElements();
  // What a type is takes longer to find out than to read one.
  if (type.isF32()) {
    for (int64_t i = 0; i < count; ++i) {
      float value;
      std::memcpy(&value, data + i * sizeof(value), sizeof(value));
      if (matches(value))
        return i;
    }
    return std::nullopt;
  }
  for (int64_t i = 0; i < count; ++i)
    if (matches(decodeFloat(type, loadBits(type, data + i * size))))
      return i;
  return std::nullopt;
}

std::optional<std::string> train::describeNonFinite(const HostTensor &tensor) {
  std::optional<int64_t> index =
      findElement(tensor, [](double x) { return !std::isfinite(x); });
  if (!index)
    return std::nullopt;
  Type type = tensor.type.getElementType();
  uint64_t bits =
      loadBits(type, tensor.data.data() + *index * getElementBytes(type));
  return formatElement(type, bits) + " at " +
         formatPosition(tensor.type.getShape(), *index);
}

namespace {
/// A kind of numbers that are not finite.
struct Kind {
  StringLiteral name;
  bool (*matches)(double);
  /// The tensors that had such numbers in an update with a finite loss.
  llvm::StringSet<> usual = {};

  void addUsual(const TensorMap &outputs) {
    for (const auto &[name, tensor] : outputs)
      if (!usual.contains(name) && findElement(tensor, matches))
        usual.insert(name);
  }

  /// Describes the first tensor of an update, in the order of the program, that
  /// has such numbers and is not in `usual`. Returns an empty string if there
  /// is none.
  std::string findTensor(const Session &session, const TensorMap &outputs,
                         int64_t update) const {
    for (const SessionTensor &output : session.getOutputs()) {
      StringRef text = output.name;
      auto it = outputs.find(output.name);
      if (!text.consume_front("tensor ") || it == outputs.end() ||
          usual.contains(output.name))
        continue;
      if (std::optional<int64_t> index = findElement(it->second, matches))
        return ("the first " + name + " is in the result of " +
                text.split(": ").second + ", at " +
                formatPosition(it->second.type.getShape(), *index) +
                " of update " + Twine(update + 1))
            .str();
    }
    return "";
  }
};
} // namespace

std::string
train::findNonFinite(Session &session, int64_t first, int64_t last,
                     function_ref<TensorMap(int64_t update)> getInputs) {
  Kind nan{"NaN", [](double x) { return std::isnan(x); }};
  Kind infinity{"infinite number", [](double x) { return std::isinf(x); }};
  Session::Context attached(session);
  for (int64_t update = first; update <= last; ++update) {
    llvm::Expected<TensorMap> outputs = session.run(getInputs(update));
    if (!outputs) {
      llvm::consumeError(outputs.takeError());
      return "";
    }
    // This loss and the next one are finite.
    bool isUsual = update + 1 < last;
    if (isUsual)
      nan.addUsual(*outputs);
    std::string found =
        isUsual ? "" : nan.findTensor(session, *outputs, update);
    if (found.empty() && update < last) {
      infinity.addUsual(*outputs);
      continue;
    }
    std::string infinite = infinity.findTensor(session, *outputs, update);
    return found.empty() || infinite.empty() ? found + infinite
                                             : found + "; " + infinite;
  }
  return "";
}
