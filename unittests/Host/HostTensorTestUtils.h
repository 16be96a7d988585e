//===- HostTensorTestUtils.h - Host tensors for tests -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_UNITTESTS_HOST_HOSTTENSORTESTUTILS_H
#define IPU_MLIR_UNITTESTS_HOST_HOSTTENSORTESTUTILS_H

#include "ipu-mlir/Host/HostElements.h"
#include "ipu-mlir/Host/HostTensor.h"
#include "mlir/AsmParser/AsmParser.h"
#include "mlir/IR/MLIRContext.h"
#include "llvm/Support/Error.h"
#include <cstring>

namespace mlir::ipu::test {

inline RankedTensorType parseTensorType(StringRef text, MLIRContext *context) {
  return cast<RankedTensorType>(parseType(text, context));
}

/// Returns a tensor of type `text` whose memory contains these elements.
template <typename T>
HostTensor makeTensor(StringRef text, MLIRContext *context,
                      const std::vector<T> &elements) {
  HostTensor tensor{parseTensorType(text, context),
                    std::vector<char>(elements.size() * sizeof(T))};
  if (!elements.empty())
    std::memcpy(tensor.data.data(), elements.data(), tensor.data.size());
  return tensor;
}

/// Returns the elements as a C++ type of their size.
template <typename T>
std::vector<T> getElements(const HostTensor &tensor) {
  std::vector<T> elements(tensor.data.size() / sizeof(T));
  if (!elements.empty())
    std::memcpy(elements.data(), tensor.data.data(), tensor.data.size());
  return elements;
}

inline std::string getMessage(llvm::Error error) {
  return error ? llvm::toString(std::move(error)) : "success";
}

template <typename T>
std::string getMessage(llvm::Expected<T> value) {
  return getMessage(value.takeError());
}

} // namespace mlir::ipu::test

#endif // IPU_MLIR_UNITTESTS_HOST_HOSTTENSORTESTUTILS_H
