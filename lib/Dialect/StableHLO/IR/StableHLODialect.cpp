//===- StableHLODialect.cpp - The stablehlo dialect -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StableHLOAssembly.h"

#include "ipu-mlir/Interfaces/InlineAnywhere.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::ipu;
using namespace mlir::ipu::stablehlo;

namespace stablehlo = mlir::ipu::stablehlo;

#include "ipu-mlir/Dialect/StableHLO/IR/StableHLODialect.cpp.inc"
#include "ipu-mlir/Dialect/StableHLO/IR/StableHLOEnums.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "ipu-mlir/Dialect/StableHLO/IR/StableHLOAttrs.cpp.inc"

#define GET_TYPEDEF_CLASSES
#include "ipu-mlir/Dialect/StableHLO/IR/StableHLOTypes.cpp.inc"

void StableHLODialect::initialize() {
  addInterfaces<InlineAnywhereInterface>();
  addAttributes<
#define GET_ATTRDEF_LIST
#include "ipu-mlir/Dialect/StableHLO/IR/StableHLOAttrs.cpp.inc"
      >();
  addTypes<
#define GET_TYPEDEF_LIST
#include "ipu-mlir/Dialect/StableHLO/IR/StableHLOTypes.cpp.inc"
      >();
  registerStableHLODialectOperations(this);
}

bool stablehlo::isElementType(Type type) {
  if (auto integer = dyn_cast<IntegerType>(type))
    return !integer.isSigned() &&
           llvm::is_contained({1u, 2u, 4u, 8u, 16u, 32u, 64u},
                              integer.getWidth());
  if (auto complex = dyn_cast<ComplexType>(type))
    return complex.getElementType().isF32() || complex.getElementType().isF64();
  return isa<FloatType>(type);
}

bool stablehlo::areCompatibleTypes(TypeRange lhs, TypeRange rhs) {
  if (lhs.size() != rhs.size())
    return false;
  return llvm::all_of(llvm::zip(lhs, rhs), [](auto types) {
    auto [a, b] = types;
    return a == b || (getElementTypeOrSelf(a) == getElementTypeOrSelf(b) &&
                      succeeded(verifyCompatibleShape(a, b)));
  });
}

LogicalResult stablehlo::inferSameType(std::optional<Location>,
                                       TypeRange operands,
                                       SmallVectorImpl<Type> &inferred) {
  inferred.push_back(operands.front());
  return success();
}

void ReturnOp::build(OpBuilder &, OperationState &) {}
