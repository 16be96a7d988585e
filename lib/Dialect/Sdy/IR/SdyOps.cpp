//===- SdyOps.cpp - Formats and verifiers of ops --------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SdyDetail.h"

#include "mlir/Interfaces/CallInterfaces.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/SmallPtrSet.h"

using namespace mlir;
using namespace mlir::ipu::sdy;

namespace sdy = mlir::ipu::sdy;

//===----------------------------------------------------------------------===//
// Custom directives
//===----------------------------------------------------------------------===//

ParseResult sdy::parseStrippedShardings(OpAsmParser &parser,
                                        TensorShardingPerValueAttr &shardings) {
  SmallVector<TensorShardingAttr> list;
  if (parseAttrList(parser, AsmParser::Delimiter::Square, list))
    return failure();
  shardings = TensorShardingPerValueAttr::get(parser.getContext(), list);
  return success();
}

void sdy::printStrippedShardings(OpAsmPrinter &printer, Operation *,
                                 TensorShardingPerValueAttr shardings) {
  printAttrList(printer, shardings.getShardings(), "[]");
}

ParseResult sdy::parseSingleBlockRegion(OpAsmParser &parser, Region &region) {
  SmallVector<OpAsmParser::Argument> arguments;
  return failure(parser.parseArgumentList(arguments,
                                          OpAsmParser::Delimiter::Paren,
                                          /*allowType=*/true) ||
                 parser.parseRegion(region, arguments));
}

void sdy::printSingleBlockRegion(OpAsmPrinter &printer, Operation *,
                                 Region &region) {
  printer << "(";
  llvm::interleaveComma(
      region.getArguments(), printer,
      [&](BlockArgument argument) { printer.printRegionArgument(argument); });
  printer << ") ";
  printer.printRegion(region, /*printEntryBlockArgs=*/false);
}

ParseResult sdy::parseReductionKind(OpAsmParser &parser,
                                    ReductionKindAttr &kind) {
  StringRef keyword;
  ReductionKind value = ReductionKind::Sum;
  if (succeeded(parser.parseOptionalKeyword(&keyword, {"max", "min", "sum"})))
    value = *symbolizeReductionKind(keyword);
  kind = ReductionKindAttr::get(parser.getContext(), value);
  return success();
}

void sdy::printReductionKind(OpAsmPrinter &printer, Operation *,
                             ReductionKindAttr kind) {
  if (kind.getValue() != ReductionKind::Sum)
    printer << ' ' << stringifyReductionKind(kind.getValue());
}

void ReturnOp::build(OpBuilder &, OperationState &) {}

LogicalResult
ConstantOp::inferReturnTypes(MLIRContext *, std::optional<Location>,
                             ValueRange operands, DictionaryAttr attributes,
                             OpaqueProperties properties, RegionRange regions,
                             SmallVectorImpl<Type> &inferred) {
  Adaptor adaptor(operands, attributes, properties, regions);
  inferred.push_back(adaptor.getValue().getType());
  return success();
}

//===----------------------------------------------------------------------===//
// Annotations and edges
//===----------------------------------------------------------------------===//

/// Constraints and reshards.
template <typename OpT>
static LogicalResult verifyShardingOp(OpT op) {
  auto emitError = [op]() mutable { return op.emitOpError(); };
  TensorShardingAttr out = op.getSharding();
  if (failed(verifySharding(out, op.getType(), op, emitError))) // c1
    return failure();
  if (std::optional<std::string> fault =
          findUnreducedReshardFault(getUseSharding(op.getInput()), out, op))
    return op.emitOpError(*fault); // c2
  return success();
}

LogicalResult ShardingConstraintOp::verify() { return verifyShardingOp(*this); }

LogicalResult ReshardOp::verify() { return verifyShardingOp(*this); }

LogicalResult PropagationBarrierOp::verify() {
  if (getAllowedDirection() == PropagationDirection::BOTH) // c1
    return emitOpError("cannot specify `BOTH` as the direction");
  return success();
}

LogicalResult DataFlowEdgeOp::verify() {
  if (!getInput().hasOneUse()) // c1
    return emitOpError("input of data_flow_edge must have a single user");
  Operation *definer = getInput().getDefiningOp();
  if (definer && isa_and_nonnull<SdyDialect>(definer->getDialect()) &&
      !isa<ManualComputationOp, NamedComputationOp>(definer)) // c2
    return emitOpError("input of data_flow_edge cannot be defined by an op of "
                       "the sdy dialect: ")
           << definer->getName();
  if (TensorShardingAttr sharding = getShardingAttr()) // c3
    return verifySharding(sharding, getType(), *this,
                          [this] { return emitOpError(); });
  return success();
}

LogicalResult FuncDataFlowEdgeOp::verify() {
  if (!getInput().hasOneUse()) // c1
    return emitOpError("input of func_data_flow_edge must have a single user");
  bool isCallResult = getInput().getDefiningOp<CallOpInterface>();
  auto argument = dyn_cast<BlockArgument>(getInput());
  bool isArgument =
      argument && argument.getOwner()->isEntryBlock() &&
      isa<FunctionOpInterface>(argument.getOwner()->getParentOp());
  if (!isCallResult && !isArgument) // c2
    return emitOpError("input of func_data_flow_edge must be an argument of a "
                       "function or a result of a call");
  return success();
}

//===----------------------------------------------------------------------===//
// Computations
//===----------------------------------------------------------------------===//

namespace {
/// One side, operands or results, of a manual computation.
struct ManualSide {
  StringRef kind;
  TypeRange globalTypes;
  TypeRange localTypes;
  TensorShardingPerValueAttr shardings;
};
} // namespace

/// Whether an axis is manual.
static bool isManual(ManualAxesAttr manual, AxisRefAttr ref) {
  return llvm::any_of(manual.getValue(), [&](StringAttr name) {
    return name.getValue() == ref.getName();
  });
}

/// Manual axes come first and divide the dimension; what is left is the local
/// size, given in `local`.
static LogicalResult getLocalSize(ManualComputationOp op, StringRef kind,
                                  unsigned value, unsigned dim, int64_t global,
                                  DimensionShardingAttr sharding, MeshAttr mesh,
                                  int64_t &local) {
  bool isFree = false;
  int64_t devices = 1;
  for (AxisRefAttr ref : sharding.getAxes()) {
    if (!isManual(op.getManualAxes(), ref)) {
      isFree = true;
      continue;
    }
    if (isFree) // c3
      return op.emitOpError()
             << kind << " sharding at index " << value
             << " must have all manual axes come before free axes in its "
                "dimension sharding at index "
             << dim;
    devices *= ref.getSize(mesh);
  }
  local = global;
  if (ShapedType::isDynamic(global))
    return success();
  if (global % devices != 0) // c4
    return op.emitOpError()
           << kind << " dimension size " << global
           << " is not divisible by the number of shards " << devices
           << " of manual axes, at index " << value << " and dimension " << dim;
  local = global / devices;
  return success();
}

static LogicalResult verifyManualSide(ManualComputationOp op,
                                      const ManualSide &side) {
  auto emitError = [&] { return op.emitOpError(); };
  if (failed(verifyShardings(side.shardings, side.globalTypes, op, side.kind,
                             emitError))) // c1, c2
    return failure();
  if (side.globalTypes.size() != side.localTypes.size()) // c2
    return op.emitOpError()
           << "number of op " << side.kind << "s and of local values must "
           << "match: " << side.globalTypes.size()
           << " != " << side.localTypes.size();
  for (auto [i, global, local, sharding] : llvm::enumerate(
           side.globalTypes, side.localTypes, side.shardings.getShardings())) {
    auto globalType = dyn_cast<RankedTensorType>(global);
    if (!globalType) {
      if (global != local)
        return op.emitOpError() << side.kind << " " << i << " has local type "
                                << local << " but expected " << global;
      continue;
    }
    MeshAttr mesh = sharding.getMesh(op.getOperation());
    SmallVector<int64_t> shape;
    for (auto [dim, size, dimSharding] :
         llvm::enumerate(globalType.getShape(), sharding.getDimShardings()))
      if (failed(getLocalSize(op, side.kind, i, dim, size, dimSharding, mesh,
                              shape.emplace_back())))
        return failure();
    RankedTensorType expected = globalType.clone(shape);
    if (local != expected) // c5
      return op.emitOpError()
             << side.kind << " " << i << " has local type " << local
             << " in the body but the global type and the manual axes give "
             << expected;
  }
  return success();
}

/// The mesh of all shardings (empty ones aside); null if there is none.
static FailureOr<MeshAttr> getCommonMesh(ManualComputationOp op) {
  MeshAttr common;
  for (TensorShardingPerValueAttr side :
       {op.getInShardings(), op.getOutShardings()})
    for (TensorShardingAttr sharding : side.getShardings()) {
      MeshAttr mesh = sharding.getMesh(op.getOperation());
      if (!mesh || mesh.empty())
        continue;
      if (common && common != mesh)
        return op.emitOpError("all in/out shardings must be bound to the same "
                              "mesh");
      common = mesh;
    }
  return common;
}

LogicalResult ManualComputationOp::verify() {
  if (getManualAxes().empty() && getInShardings().empty() &&
      getOutShardings().empty() && getTensors().empty() && getResults().empty())
    return success();
  // Unknown axes first: sizes cannot be told without.
  FailureOr<MeshAttr> mesh = success(MeshAttr());
  if (!getManualAxes().empty()) {
    mesh = getCommonMesh(*this); // c6
    if (failed(mesh))
      return failure();
    for (StringAttr axis : getManualAxes().getValue()) {
      if (*mesh && !mesh->hasAxis(axis.getValue())) // c7
        return emitOpError("unknown manual axis: \"")
               << axis.getValue() << "\"";
      for (auto parent = (*this)->getParentOfType<ManualComputationOp>();
           parent; parent = parent->getParentOfType<ManualComputationOp>()) {
        if (!llvm::is_contained(parent.getManualAxes().getValue(), axis))
          continue;
        InFlightDiagnostic diag = emitOpError("operates on axis \""); // c8
        diag << axis.getValue()
             << "\" which is already bound by a parent sdy.manual_computation "
                "op";
        diag.attachNote(parent.getLoc())
            << "parent bounding this axis as manual";
        return diag;
      }
    }
  }
  Block &body = getBody().front();
  if (failed(
          verifyManualSide(*this, {"operand", getTensors().getTypes(),
                                   body.getArgumentTypes(), getInShardings()})))
    return failure();
  return verifyManualSide(*this, {"result", getResultTypes(),
                                  body.getTerminator()->getOperandTypes(),
                                  getOutShardings()});
}

LogicalResult NamedComputationOp::verify() {
  Block &body = getBody().front();
  if (body.getArgumentTypes() != getOperands().getTypes()) // c1
    return emitOpError(
               "expects the body to take values of the operands' types (")
           << getOperands().getTypes() << ") but got ("
           << body.getArgumentTypes() << ")";
  if (body.getTerminator()->getOperandTypes() != getResultTypes())
    return emitOpError(
               "expects the body to return values of the results' types (")
           << getResultTypes() << ") but got ("
           << body.getTerminator()->getOperandTypes() << ")";
  auto emitError = [this] { return emitOpError(); };
  if (TensorShardingPerValueAttr in = getInShardingsAttr()) // c2
    if (failed(verifyShardings(in, getOperands().getTypes(), *this, "operand",
                               emitError)))
      return failure();
  if (TensorShardingPerValueAttr out = getOutShardingsAttr())
    return verifyShardings(out, getResultTypes(), *this, "result", emitError);
  return success();
}
