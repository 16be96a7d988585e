//===- Scalars.cpp - Scalars from elements of tensors -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Dialect/Pop/Transforms/Scalars.h"

#include "ipu-mlir/Dialect/Pop/IR/PopBuilder.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace mlir::pop;

Value mlir::pop::getTensorOfScalar(Value scalar) {
  // A bit that is true would be the index -1.
  auto cast = scalar.getDefiningOp<arith::IndexCastOp>();
  if (cast && !cast.getIn().getType().isInteger(1))
    scalar = cast.getIn();
  auto extract = scalar.getDefiningOp<tensor::ExtractOp>();
  return extract && extract.getIndices().empty() ? extract.getTensor()
                                                 : Value();
}

/// The only element of a tensor of another rank.
static Value getTensorOfOneElement(Value scalar) {
  auto cast = scalar.getDefiningOp<arith::IndexCastOp>();
  if (cast && !cast.getIn().getType().isInteger(1))
    scalar = cast.getIn();
  auto extract = scalar.getDefiningOp<tensor::ExtractOp>();
  if (!extract)
    return {};
  auto type = dyn_cast<RankedTensorType>(extract.getTensor().getType());
  bool isOne = type && type.hasStaticShape() && type.getNumElements() == 1;
  return isOne ? extract.getTensor() : Value();
}

Value mlir::pop::buildTensorOfScalar(OpBuilder &b, Operation *user,
                                     StringRef what, Value scalar) {
  if (Value tensor = getTensorOfScalar(scalar))
    return tensor;
  if (Value tensor = getTensorOfOneElement(scalar)) {
    Type elementType =
        cast<RankedTensorType>(tensor.getType()).getElementType();
    return ReshapeOp::create(b, user->getLoc(),
                             RankedTensorType::get({}, elementType), tensor);
  }
  APInt value;
  if (matchPattern(scalar, m_ConstantInt(&value))) {
    if (!value.isSignedIntN(32)) {
      user->emitOpError() << "expects its " << what
                          << " to fit 32 bits but got "
                          << llvm::toString(value, 10, /*Signed=*/true);
      return {};
    }
    bool isPredicate = scalar.getType().isInteger(1);
    return PopBuilder(b, user->getLoc())
        .splat(isPredicate ? TypedAttr(b.getBoolAttr(value.getBoolValue()))
                           : b.getI32IntegerAttr(value.getSExtValue()));
  }
  InFlightDiagnostic diag = user->emitOpError();
  diag << "expects its " << what
       << " to be a constant or the 'tensor.extract' of a tensor of one "
          "element; "
          "compute with tensors instead of scalars";
  if (Operation *def = scalar.getDefiningOp())
    diag.attachNote(def->getLoc())
        << "computed here by '" << def->getName() << "'";
  return {};
}
