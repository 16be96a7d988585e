//===- PopElementwiseOps.cpp - pop elementwise ops --------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PopDetail.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace mlir::pop;

LogicalResult
pop::detail::inferBroadcast(InferError emitError, ValueRange operands,
                            Type elementType,
                            SmallVectorImpl<Type> &inferredTypes) {
  SmallVector<int64_t> shape;
  for (Value operand : operands) {
    // c2
    FailureOr<SmallVector<int64_t>> merged = broadcastShapes(
        emitError, shape, cast<RankedTensorType>(operand.getType()).getShape());
    if (failed(merged))
      return failure();
    shape = *merged;
  }
  FailureOr<RankedTensorType> type =
      getTensorType(emitError, shape, elementType);
  if (failed(type))
    return failure();
  inferredTypes.push_back(*type);
  return success();
}

LogicalResult
SumOp::inferReturnTypes(MLIRContext *, std::optional<Location> location,
                        Adaptor adaptor,
                        SmallVectorImpl<Type> &inferredReturnTypes) {
  InferError emitError{location, getOperationName()};
  ValueRange inputs = adaptor.getInputs();
  // c1
  if (inputs.empty())
    return emitError("expects at least one operand");
  // c2
  Type elementType = getElementTypeOrSelf(inputs.front());
  for (auto [i, input] : llvm::enumerate(inputs))
    if (Type type = getElementTypeOrSelf(input); type != elementType)
      return emitError("expects operand ", i, " of element type ", elementType,
                       " but got ", type);
  // c3, c4
  return pop::detail::inferBroadcast(emitError, inputs, elementType,
                                     inferredReturnTypes);
}

LogicalResult
SelectOp::inferReturnTypes(MLIRContext *, std::optional<Location> location,
                           Adaptor adaptor,
                           SmallVectorImpl<Type> &inferredReturnTypes) {
  return pop::detail::inferBroadcast(
      {location, getOperationName()}, adaptor.getOperands(),
      getElementTypeOrSelf(adaptor.getOnTrue()), inferredReturnTypes);
}
