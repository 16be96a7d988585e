//===- FuseDialect.cpp - The fuse dialect -----------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Dialect/Fuse/IR/Fuse.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/DialectImplementation.h"

using namespace mlir;
using namespace mlir::fuse;

#include "ipu-mlir/Dialect/Fuse/IR/FuseDialect.cpp.inc"

void FuseDialect::initialize() {
  registerAttributes();
  addOperations<
#define GET_OP_LIST
#include "ipu-mlir/Dialect/Fuse/IR/FuseOps.cpp.inc"
      >();
}

bool fuse::isScheduleTensor(Operation *op) {
  auto linalgOp = dyn_cast<linalg::LinalgOp>(op);
  return linalgOp && linalgOp.hasPureTensorSemantics() &&
         op->getNumResults() > 0 && !isa<linalg::FillOp>(op);
}

static LogicalResult verifyName(function_ref<InFlightDiagnostic()> emitError,
                                Attribute attribute) {
  auto name = dyn_cast<StringAttr>(attribute);
  if (!name || name.empty())
    return emitError() << "attribute '" << FuseDialect::kNameAttrName
                       << "' expects a non-empty name but got " << attribute;
  return success();
}

LogicalResult FuseDialect::verifyOperationAttribute(Operation *op,
                                                    NamedAttribute attribute) {
  auto emitError = [&]() { return op->emitOpError(); };
  if (attribute.getName() == kNameAttrName)
    return verifyName(emitError, attribute.getValue());
  if (attribute.getName() != kScheduleAttrName)
    return emitError() << "has unknown attribute " << attribute.getName()
                       << " of dialect 'fuse'";

  auto schedule = dyn_cast<ScheduleAttr>(attribute.getValue());
  if (!schedule)
    return emitError() << "attribute '" << kScheduleAttrName
                       << "' expects a #fuse.schedule but got "
                       << attribute.getValue();
  // c4
  if (!isScheduleTensor(op))
    return emitError() << "attribute '" << kScheduleAttrName
                       << "' belongs on a linalg op on tensors, other than "
                          "'linalg.fill'";
  if (!isa_and_nonnull<FusionOp>(op->getParentOp()))
    return emitError() << "attribute '" << kScheduleAttrName
                       << "' belongs on an op in a 'fuse.fusion'";
  SmallVector<bool> isReduction;
  for (utils::IteratorType type :
       cast<linalg::LinalgOp>(op).getIteratorTypesArray())
    isReduction.push_back(type == utils::IteratorType::reduction);
  return schedule.verifyFor(
      [&]() {
        return emitError() << "attribute '" << kScheduleAttrName << "' ";
      },
      isReduction);
}

LogicalResult FuseDialect::verifyRegionArgAttribute(Operation *op,
                                                    unsigned /*regionIndex*/,
                                                    unsigned argIndex,
                                                    NamedAttribute attribute) {
  auto emitError = [&]() {
    return op->emitOpError() << "argument " << argIndex << " ";
  };
  if (attribute.getName() == kNameAttrName)
    return verifyName(emitError, attribute.getValue());
  return emitError() << "has attribute " << attribute.getName()
                     << ", which is expected only on ops in a 'fuse.fusion'";
}
