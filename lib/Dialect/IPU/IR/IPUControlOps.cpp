//===- IPUControlOps.cpp - Branches, loops and calls ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "IPUDetail.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace mlir::ipu;
using namespace mlir::ipu::detail;

LogicalResult ipu::detail::verifyScalarVariable(Operation *op, Value value,
                                                unsigned width,
                                                const Twine &what) {
  auto type = cast<MemRefType>(value.getType());
  if (type.getNumElements() != 1 || !isWholeVariable(value) ||
      !type.getElementType().isSignlessInteger(width))
    return op->emitOpError()
           << "expects " << what << " to be a whole variable of one i" << width
           << " but got " << type;
  return success();
}

/// Checks that `region` holds what a program holds, and nothing that is there
/// once for all rounds of a loop.
static LogicalResult verifyProgramRegion(Operation *op, Region &region) {
  auto refuse = [&](Operation &inner) {
    InFlightDiagnostic diag = op->emitOpError();
    diag.attachNote(inner.getLoc()) << "op defined here";
    return diag;
  };
  for (Operation &inner : region.getOps()) {
    if (!inner.hasTrait<InProgram>() && !isa<memref::ReinterpretCastOp>(inner))
      return refuse(inner) << "expects its body to hold only ops of a program "
                              "but got '"
                           << inner.getName() << "'";
    auto variable = dyn_cast<VarOp>(inner);
    if (variable && variable.getInitAttr())
      return refuse(inner) << "expects variables with an initial value to be "
                              "outside of its body";
  }
  return success();
}

/// The way out of `op`.
static RegionSuccessor leave(Operation *op) {
  return RegionSuccessor(op, op->getResults());
}

//===----------------------------------------------------------------------===//
// RepeatOp
//===----------------------------------------------------------------------===//

LogicalResult RepeatOp::verify() {
  // c1
  if (static_cast<bool>(getCountAttr()) == static_cast<bool>(getTimes()))
    return emitOpError("expects either a count or a variable but got ")
           << (getTimes() ? "both" : "neither");
  if (getCountAttr() && getCountAttr().getInt() < 0)
    return emitOpError() << "expects a count that is not negative but got "
                         << getCountAttr().getInt();
  // c4
  if (!getTimes())
    return success();
  if (failed(verifyScalarVariable(*this, getTimes(), 32, "its count")))
    return failure();
  return verifyReadable(*this, getTimes());
}

// c2, c3
LogicalResult RepeatOp::verifyRegions() {
  return verifyProgramRegion(*this, getBody());
}

void RepeatOp::getSuccessorRegions(
    RegionBranchPoint, SmallVectorImpl<RegionSuccessor> &successors) {
  getSuccessorRegions(getBody(), successors);
}

void RepeatOp::getSuccessorRegions(
    Region &, SmallVectorImpl<RegionSuccessor> &successors) {
  // Before the first iteration and after the last nothing else can come.
  if (getCount() != 0)
    successors.push_back(RegionSuccessor(&getBody()));
  successors.push_back(leave(*this));
}

void RepeatOp::getRegionInvocationBounds(
    ArrayRef<Attribute>, SmallVectorImpl<InvocationBounds> &bounds) {
  if (std::optional<uint64_t> count = getCount(); count && *count <= UINT_MAX)
    bounds.emplace_back(*count, *count);
  else
    bounds.push_back(InvocationBounds::getUnknown());
}

//===----------------------------------------------------------------------===//
// IfOp, WhileOp
//===----------------------------------------------------------------------===//

// c1
LogicalResult IfOp::verify() {
  if (failed(verifyScalarVariable(*this, getCondition(), 1, "its condition")))
    return failure();
  return verifyReadable(*this, getCondition());
}

// c2, c3
LogicalResult IfOp::verifyRegions() {
  if (failed(verifyProgramRegion(*this, getThenBody())))
    return failure();
  return verifyProgramRegion(*this, getElseBody());
}

void IfOp::getSuccessorRegions(RegionBranchPoint point,
                               SmallVectorImpl<RegionSuccessor> &successors) {
  if (!point.isParent())
    return successors.push_back(leave(*this));
  successors.push_back(RegionSuccessor(&getThenBody()));
  successors.push_back(getElseBody().empty() ? leave(*this)
                                             : RegionSuccessor(&getElseBody()));
}

void IfOp::getSuccessorRegions(Region &,
                               SmallVectorImpl<RegionSuccessor> &successors) {
  successors.push_back(leave(*this));
}

void IfOp::getRegionInvocationBounds(
    ArrayRef<Attribute>, SmallVectorImpl<InvocationBounds> &bounds) {
  bounds.append(2, InvocationBounds(0, 1));
}

// c1
LogicalResult WhileOp::verify() {
  if (failed(verifyScalarVariable(*this, getCondition(), 1, "its condition")))
    return failure();
  return verifyReadable(*this, getCondition());
}

// c2, c3
LogicalResult WhileOp::verifyRegions() {
  if (failed(verifyProgramRegion(*this, getBefore())))
    return failure();
  return verifyProgramRegion(*this, getBody());
}

void WhileOp::getSuccessorRegions(
    RegionBranchPoint point, SmallVectorImpl<RegionSuccessor> &successors) {
  if (point.isParent())
    return successors.push_back(RegionSuccessor(&getBefore()));
  getSuccessorRegions(
      *point.getTerminatorPredecessorOrNull()->getParentRegion(), successors);
}

void WhileOp::getSuccessorRegions(
    Region &region, SmallVectorImpl<RegionSuccessor> &successors) {
  if (&region == &getBody())
    return successors.push_back(RegionSuccessor(&getBefore()));
  successors.push_back(RegionSuccessor(&getBody()));
  successors.push_back(leave(*this));
}

void WhileOp::getRegionInvocationBounds(
    ArrayRef<Attribute>, SmallVectorImpl<InvocationBounds> &bounds) {
  bounds.emplace_back(1, std::nullopt);
  bounds.push_back(InvocationBounds::getUnknown());
}

//===----------------------------------------------------------------------===//
// CallOp
//===----------------------------------------------------------------------===//

LogicalResult
ipu::detail::verifyProgramFunction(Operation *op, FlatSymbolRefAttr name,
                                   SymbolTableCollection &symbols) {
  auto function = symbols.lookupNearestSymbolFrom<func::FuncOp>(op, name);
  if (!function)
    return op->emitOpError() << "expects " << name << " to be a 'func.func'";
  if (!function.isDeclaration() && function.getNumArguments() == 0 &&
      function.getNumResults() == 0)
    return success();
  InFlightDiagnostic diag = op->emitOpError();
  diag << "expects a function with a body and without arguments and results "
          "but got "
       << name << " of type " << function.getFunctionType();
  diag.attachNote(function.getLoc()) << "function defined here";
  return diag;
}

// c1
LogicalResult CallOp::verifySymbolUses(SymbolTableCollection &symbols) {
  return verifyProgramFunction(*this, getCalleeAttr(), symbols);
}

#define GET_OP_CLASSES
#include "ipu-mlir/Dialect/IPU/IR/IPUControlOps.cpp.inc"
