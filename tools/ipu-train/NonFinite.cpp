//===- NonFinite.cpp - Search for non-finite values -------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "NonFinite.h"

#include "ipu-mlir/Host/HostElements.h"
#include "ipu-mlir/Host/PrintTensor.h"
#include <cmath>

using namespace mlir;
using namespace mlir::ipu;
using namespace mlir::ipu::train;

/// Returns the index of the first element for which `matches` holds, as text,
/// or std::nullopt if there is none.
static std::optional<std::string>
findElement(const HostTensor &tensor, function_ref<bool(double)> matches) {
  auto type = dyn_cast<FloatType>(tensor.type.getElementType());
  if (!type)
    return std::nullopt;
  int64_t size = getElementBytes(type);
  for (int64_t i = 0, e = tensor.type.getNumElements(); i < e; ++i)
    if (matches(
            decodeFloat(type, loadBits(type, tensor.data.data() + i * size))))
      return formatPosition(tensor.type.getShape(), i);
  return std::nullopt;
}

/// Describes the first tensor of an update, in the order of the program, with a
/// number for which `matches` holds. `what` describes such numbers. Returns an
/// empty string if there is none.
static std::string findTensor(const Session &session, const TensorMap &outputs,
                              StringRef what,
                              function_ref<bool(double)> matches) {
  for (const SessionTensor &output : session.getOutputs()) {
    StringRef name = output.name;
    auto it = outputs.find(output.name);
    if (!name.consume_front("tensor ") || it == outputs.end())
      continue;
    if (std::optional<std::string> index = findElement(it->second, matches))
      return ("the first " + what + " is in the result of " +
              name.split(": ").second + ", at " + *index)
          .str();
  }
  return "";
}

std::string
train::findNonFinite(Session &session, int64_t first, int64_t last,
                     function_ref<TensorMap(int64_t update)> getInputs) {
  Session::Context attached(session);
  for (int64_t update = first; update <= last; ++update) {
    llvm::Expected<TensorMap> outputs = session.run(getInputs(update));
    if (!outputs) {
      llvm::consumeError(outputs.takeError());
      return "";
    }
    auto find = [&](StringRef what, function_ref<bool(double)> matches) {
      std::string found = findTensor(session, *outputs, what, matches);
      if (!found.empty())
        found += " of update " + std::to_string(update + 1);
      return found;
    };
    std::string nan = find("NaN", [](double x) { return std::isnan(x); });
    if (nan.empty() && update < last)
      continue;
    // Infinite numbers do not end the search, because masks also have infinite
    // elements.
    std::string infinite =
        find("infinite number", [](double x) { return std::isinf(x); });
    return nan.empty() || infinite.empty() ? nan + infinite
                                           : nan + "; " + infinite;
  }
  return "";
}
