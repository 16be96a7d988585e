//===- StableHLOElementwise.cpp - Ops on single elements ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StableHLOChecks.h"

#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace mlir::ipu::stablehlo;

LogicalResult AbsOp::verify() {
  Type operand = getElementTypeOrSelf(getOperand());
  Type expected = operand;
  if (auto complex = dyn_cast<ComplexType>(operand))
    expected = complex.getElementType();
  Type result = getElementTypeOrSelf(getResult());
  if (result != expected)
    return emitOpError("expects result elements of type ")
           << expected << " but got " << result;
  return success();
}

LogicalResult CompareOp::inferReturnTypes(MLIRContext *context,
                                          std::optional<Location>,
                                          ValueRange operands, DictionaryAttr,
                                          OpaqueProperties, RegionRange,
                                          SmallVectorImpl<Type> &inferred) {
  auto type = cast<RankedTensorType>(operands[0].getType());
  inferred.push_back(type.clone(IntegerType::get(context, 1)));
  return success();
}

LogicalResult CompareOp::verify() {
  Type element = getElementTypeOrSelf(getLhs());
  if (std::optional<ComparisonType> type = getCompareType()) { // c3
    bool fits = true;
    switch (*type) {
    case ComparisonType::NOTYPE:
      break;
    case ComparisonType::SIGNED:
      fits = element.isSignlessInteger() && !element.isInteger(1);
      break;
    case ComparisonType::UNSIGNED:
      fits = element.isUnsignedInteger() || element.isInteger(1);
      break;
    case ComparisonType::FLOAT:
      fits = isa<FloatType, ComplexType>(element);
      break;
    case ComparisonType::TOTALORDER:
      fits = isa<FloatType>(element);
      break;
    }
    if (!fits)
      return emitOpError("expects a compare_type that fits elements of type ")
             << element << " but got " << stringifyComparisonType(*type);
  }
  ComparisonDirection direction = getComparisonDirection();
  if (isa<ComplexType>(element) && direction != ComparisonDirection::EQ &&
      direction != ComparisonDirection::NE) // c4
    return emitOpError("expects complex numbers to be compared by EQ or NE but "
                       "got ")
           << stringifyComparisonDirection(direction);
  return success();
}

LogicalResult
SelectOp::inferReturnTypes(MLIRContext *, std::optional<Location> location,
                           ValueRange operands, DictionaryAttr attributes,
                           OpaqueProperties properties, RegionRange regions,
                           SmallVectorImpl<Type> &inferred) {
  Adaptor adaptor(operands, attributes, properties, regions);
  auto pred = cast<RankedTensorType>(adaptor.getPred().getType());
  auto onTrue = cast<RankedTensorType>(adaptor.getOnTrue().getType());
  auto onFalse = cast<RankedTensorType>(adaptor.getOnFalse().getType());
  if (pred.getRank() != 0 && failed(verifyCompatibleShape(pred, onTrue))) // c1
    return emitOptionalError(location,
                             "expects a predicate that is a scalar or "
                             "has the shape of the values, but got ",
                             pred, " for ", onTrue);
  if (!areCompatibleTypes(adaptor.getOnTrue().getType(),
                          adaptor.getOnFalse().getType())) // c2
    return emitOptionalError(location, "expects values of one type but got ",
                             onTrue, " and ", onFalse);
  inferred.push_back(onTrue);
  return success();
}

LogicalResult
ClampOp::inferReturnTypes(MLIRContext *, std::optional<Location> location,
                          ValueRange operands, DictionaryAttr attributes,
                          OpaqueProperties properties, RegionRange regions,
                          SmallVectorImpl<Type> &inferred) {
  Adaptor adaptor(operands, attributes, properties, regions);
  auto type = cast<RankedTensorType>(adaptor.getOperand().getType());
  for (auto [name, value] : {std::make_pair("min", adaptor.getMin()),
                             std::make_pair("max", adaptor.getMax())}) {
    auto limit = cast<RankedTensorType>(value.getType());
    if (limit.getElementType() != type.getElementType() ||
        (limit.getRank() != 0 &&
         failed(verifyCompatibleShape(limit, type)))) // c1, c2, c3
      return emitOptionalError(location, "expects ", name,
                               " to be a scalar or a tensor like the operand, ",
                               type, ", but got ", limit);
  }
  inferred.push_back(type);
  return success();
}
