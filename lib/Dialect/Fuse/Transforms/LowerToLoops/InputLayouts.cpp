//===- InputLayouts.cpp - Memory layout of inputs ---------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "InputLayouts.h"

using namespace mlir;
using namespace mlir::fuse;
namespace buf = mlir::bufferization;

InputLayouts::InputLayouts(bool isIdentity) {
  options.bufferizeFunctionBoundaries = true;
  options.setFunctionBoundaryTypeConversion(
      isIdentity ? buf::LayoutMapOption::IdentityLayoutMap
                 : buf::LayoutMapOption::InferLayoutMap);
  // Fusions that are no loops yet are unknown to it. Their results are fresh.
  options.unknownTypeConverterFn = [](TensorType type, Attribute memorySpace,
                                      const buf::BufferizationOptions &) {
    return buf::getMemRefTypeWithStaticIdentityLayout(type, memorySpace);
  };
}

FailureOr<MemRefType> InputLayouts::getType(Value input) const {
  FailureOr<BaseMemRefType> inferred = buf::detail::asMemRefType(
      buf::getBufferType(input, options, buf::BufferizationState()));
  if (failed(inferred))
    return failure();
  auto type = dyn_cast<MemRefType>(*inferred);
  if (type && type.isStrided())
    return type;
  auto tensor = cast<RankedTensorType>(input.getType());
  return MemRefType::get(tensor.getShape(), tensor.getElementType(),
                         MemRefLayoutAttrInterface(),
                         inferred->getMemorySpace());
}
