//===- StableHLORegions.cpp - Ops with regions ----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StableHLOAssembly.h"
#include "StableHLOChecks.h"

#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace mlir::ipu::stablehlo;

namespace stablehlo = mlir::ipu::stablehlo;

//===----------------------------------------------------------------------===//
// Checks
//===----------------------------------------------------------------------===//

TypeRange stablehlo::getReturnedTypes(Region &region) {
  if (region.empty() || !region.front().mightHaveTerminator())
    return {};
  return region.front().getTerminator()->getOperandTypes();
}

LogicalResult stablehlo::checkCombiner(std::optional<Location> location,
                                       StringRef name, Region &region,
                                       ArrayRef<Type> elementTypes) {
  SmallVector<Type> scalars;
  for (Type element : elementTypes)
    scalars.push_back(RankedTensorType::get({}, element));
  size_t count = scalars.size();
  if (region.empty() || region.getNumArguments() != 2 * count)
    return emitOptionalError(location, "expects a ", name, " with ", 2 * count,
                             " arguments but got ",
                             region.empty() ? 0 : region.getNumArguments());
  for (auto [i, type] : llvm::enumerate(region.getArgumentTypes()))
    if (type != scalars[i % count])
      return emitOptionalError(location, "expects argument ", i, " of the ",
                               name, " to have type ", scalars[i % count],
                               " but got ", type);
  if (!llvm::equal(getReturnedTypes(region), scalars))
    return emitOptionalError(location, "expects the ", name, " to return (",
                             scalars, "), one scalar for each input, but got (",
                             getReturnedTypes(region), ")");
  return success();
}

//===----------------------------------------------------------------------===//
// reduce
//===----------------------------------------------------------------------===//

LogicalResult
ReduceOp::inferReturnTypes(MLIRContext *, std::optional<Location> location,
                           ValueRange operands, DictionaryAttr attributes,
                           OpaqueProperties properties, RegionRange regions,
                           SmallVectorImpl<Type> &inferred) {
  Adaptor adaptor(operands, attributes, properties, regions);
  if (adaptor.getInputs().empty()) // c3
    return emitOptionalError(location, "expects at least one input");
  auto first = cast<RankedTensorType>(adaptor.getInputs()[0].getType());
  ArrayRef<int64_t> dims = adaptor.getDimensions();
  if (failed(checkDims(location, "reduced dimensions", dims,
                       first.getRank()))) // c4, c5
    return failure();
  SmallVector<int64_t> shape;
  for (auto [dim, size] : llvm::enumerate(first.getShape()))
    if (!llvm::is_contained(dims, int64_t(dim)))
      shape.push_back(size);
  SmallVector<Type> elementTypes;
  for (auto [input, init] :
       llvm::zip(adaptor.getInputs(), adaptor.getInitValues())) {
    auto type = cast<RankedTensorType>(input.getType());
    Type element = getElementTypeOrSelf(init);
    if (failed(verifyCompatibleShape(first, type))) // c1
      return emitOptionalError(location, "expects inputs of one shape but got ",
                               first, " and ", type);
    if (type.getElementType() != element) // c2
      return emitOptionalError(location, "expects an init value of type ",
                               type.getElementType(), " but got ", element);
    elementTypes.push_back(element);
    inferred.push_back(RankedTensorType::get(shape, element));
  }
  return checkCombiner(location, "body", adaptor.getBody(), elementTypes); // c6
}

/// The op that is all of the body: on both arguments in order, returned, and
/// without attributes. Null if there is more.
static Operation *getOnlyOp(Region &body) {
  Block &block = body.front();
  if (block.getNumArguments() != 2 || !llvm::hasNItems(block, 2))
    return nullptr;
  Operation &op = block.front();
  Operation *terminator = block.getTerminator();
  bool isOnly = isa_and_nonnull<StableHLODialect>(op.getDialect()) &&
                op.getNumRegions() == 0 && op.getNumResults() == 1 &&
                op.getNumOperands() == 2 && op.getAttrs().empty() &&
                op.getOperand(0) == block.getArgument(0) &&
                op.getOperand(1) == block.getArgument(1) &&
                op.getResult(0).getType() == block.getArgument(0).getType() &&
                terminator->getNumOperands() == 1 &&
                terminator->getOperand(0) == op.getResult(0) &&
                terminator->getAttrs().empty();
  return isOnly ? &op : nullptr;
}

void ReduceOp::print(OpAsmPrinter &printer) {
  printer << "(";
  llvm::interleave(
      llvm::zip(getInputs(), getInitValues()), printer,
      [&](auto pair) {
        printer << std::get<0>(pair) << " init: " << std::get<1>(pair);
      },
      "), (");
  printer << ")";
  Operation *only = getOnlyOp(getBody());
  if (only)
    printer << " applies " << only->getName();
  printer << " across dimensions = ";
  printDims(printer, getDimensions());
  printer.printOptionalAttrDict((*this)->getAttrs(), {"dimensions"});
  printer << " : ";
  printer.printFunctionalType(*this);
  if (only)
    return;
  printer.printNewline();
  printer << " reducer";
  Block &block = getBody().front();
  size_t count = getInputs().size();
  for (size_t i = 0; i < count; ++i) {
    printer << "(";
    printer.printRegionArgument(block.getArgument(i));
    printer << ", ";
    printer.printRegionArgument(block.getArgument(i + count));
    printer << ") ";
  }
  printer << ' ';
  printer.printRegion(getBody(), /*printEntryBlockArgs=*/false);
}

/// `applies op`: makes the body of that op.
static ParseResult parseOnlyOp(OpAsmParser &parser, Region &body,
                               OperationName name, Type element, SMLoc at) {
  if (!name.isRegistered() ||
      name.getDialectNamespace() != StableHLODialect::getDialectNamespace())
    return parser.emitError(at) << "expects an op of the stablehlo dialect but "
                                   "got '"
                                << name << "'";
  Type scalar = RankedTensorType::get({}, element);
  Location location = parser.getEncodedSourceLoc(at);
  Block &block = body.emplaceBlock();
  block.addArguments({scalar, scalar}, {location, location});
  // The block has no parent yet, so it knows no context.
  OpBuilder builder(location.getContext());
  builder.setInsertionPointToEnd(&block);
  OperationState state(location, name, block.getArguments(), {scalar});
  Operation *op = builder.create(state);
  ReturnOp::create(builder, location, op->getResults());
  return success();
}

ParseResult ReduceOp::parse(OpAsmParser &parser, OperationState &result) {
  using UnresolvedOperand = OpAsmParser::UnresolvedOperand;
  SMLoc location = parser.getCurrentLocation();
  SmallVector<UnresolvedOperand> inputs, inits;
  auto parsePair = [&]() -> ParseResult {
    return failure(
        parser.parseLParen() || parser.parseOperand(inputs.emplace_back()) ||
        parser.parseKeyword("init") || parser.parseColon() ||
        parser.parseOperand(inits.emplace_back()) || parser.parseRParen());
  };
  do {
    if (parsePair())
      return failure();
  } while (succeeded(parser.parseOptionalComma()));

  std::optional<OperationName> only;
  SMLoc at = parser.getCurrentLocation();
  if (succeeded(parser.parseOptionalKeyword("applies"))) {
    at = parser.getCurrentLocation();
    FailureOr<OperationName> name = parser.parseCustomOperationName();
    if (failed(name))
      return failure();
    only = *name;
  }
  SmallVector<int64_t> dims;
  FunctionType type;
  if (parser.parseKeyword("across") || parser.parseKeyword("dimensions") ||
      parser.parseEqual() || parseDims(parser, dims) ||
      parser.parseOptionalAttrDict(result.attributes) || parser.parseColon() ||
      parser.parseType(type))
    return failure();
  result.getOrAddProperties<Properties>().dimensions =
      parser.getBuilder().getDenseI64ArrayAttr(dims);
  SmallVector<UnresolvedOperand> operands(inputs);
  operands.append(inits);
  if (parser.resolveOperands(operands, type.getInputs(), location,
                             result.operands))
    return failure();
  result.addTypes(type.getResults());

  Region &body = *result.addRegion();
  if (only) {
    auto shaped = dyn_cast<ShapedType>(type.getInput(0));
    if (!shaped || inputs.size() != 1)
      return parser.emitError(at, "expects one input, a tensor");
    return parseOnlyOp(parser, body, *only, shaped.getElementType(), at);
  }
  SmallVector<OpAsmParser::Argument> first, second;
  if (parser.parseKeyword("reducer"))
    return failure();
  for (size_t i = 0; i < inputs.size(); ++i)
    if (parser.parseLParen() ||
        parser.parseArgument(first.emplace_back(), /*allowType=*/true) ||
        parser.parseComma() ||
        parser.parseArgument(second.emplace_back(), /*allowType=*/true) ||
        parser.parseRParen())
      return failure();
  first.append(second);
  return parser.parseRegion(body, first);
}

//===----------------------------------------------------------------------===//
// sort
//===----------------------------------------------------------------------===//

LogicalResult
SortOp::inferReturnTypes(MLIRContext *context, std::optional<Location> location,
                         ValueRange operands, DictionaryAttr attributes,
                         OpaqueProperties properties, RegionRange regions,
                         SmallVectorImpl<Type> &inferred) {
  Adaptor adaptor(operands, attributes, properties, regions);
  if (operands.empty()) // c1
    return emitOptionalError(location, "expects at least one input");
  auto first = cast<RankedTensorType>(operands[0].getType());
  SmallVector<Type> scalars;
  for (Value operand : operands) {
    auto type = cast<RankedTensorType>(operand.getType());
    if (failed(verifyCompatibleShape(first, type))) // c2
      return emitOptionalError(location, "expects inputs of one shape but got ",
                               first, " and ", type);
    scalars.append(2, RankedTensorType::get({}, type.getElementType()));
    inferred.push_back(type);
  }
  int64_t dim = adaptor.getDimension(), rank = first.getRank();
  if (dim < -rank || dim >= rank) // c4
    return emitOptionalError(location, "expects dimension in [", -rank, ", ",
                             rank, ") but got ", dim);
  Region &comparator = adaptor.getComparator();
  Type pred = RankedTensorType::get({}, IntegerType::get(context, 1));
  if (comparator.empty() ||
      !llvm::equal(comparator.getArgumentTypes(), scalars) ||
      !llvm::equal(getReturnedTypes(comparator), ArrayRef(pred))) // c5
    return emitOptionalError(location, "expects a comparator that takes (",
                             scalars, ") and returns ", pred,
                             " but got one that takes (",
                             comparator.getArgumentTypes(), ") and returns (",
                             getReturnedTypes(comparator), ")");
  return success();
}

//===----------------------------------------------------------------------===//
// while
//===----------------------------------------------------------------------===//

LogicalResult WhileOp::inferReturnTypes(
    MLIRContext *context, std::optional<Location> location, ValueRange operands,
    DictionaryAttr attributes, OpaqueProperties properties, RegionRange regions,
    SmallVectorImpl<Type> &inferred) {
  Adaptor adaptor(operands, attributes, properties, regions);
  TypeRange types = operands.getTypes();
  Type pred = RankedTensorType::get({}, IntegerType::get(context, 1));
  for (auto [name, region, returned] :
       {std::make_tuple("condition", &adaptor.getCond(),
                        TypeRange(ArrayRef(pred))),
        std::make_tuple("body", &adaptor.getBody(), types)}) {
    if (region->empty() ||
        !areCompatibleTypes(region->getArgumentTypes(), types))
      return emitOptionalError( // c1, c2
          location, "expects the ", name,
          " to have arguments of the operands' types (", types, ") but got (",
          region->getArgumentTypes(), ")");
    if (!areCompatibleTypes(getReturnedTypes(*region), returned))
      return emitOptionalError(location, "expects the ", name, " to return (",
                               returned, ") but got (",
                               getReturnedTypes(*region), ")");
  }
  inferred.append(types.begin(), types.end()); // c3
  return success();
}

void WhileOp::getAsmBlockArgumentNames(Region &region,
                                       OpAsmSetValueNameFn setName) {
  for (BlockArgument argument : region.getArguments())
    setName(argument, "iterArg");
}

void WhileOp::print(OpAsmPrinter &printer) {
  printer << '(';
  llvm::interleaveComma(llvm::zip(getCond().getArguments(), getOperand()),
                        printer, [&](auto pair) {
                          printer.printOperand(std::get<0>(pair));
                          printer << " = ";
                          printer.printOperand(std::get<1>(pair));
                        });
  printer << ')';
  if (getNumOperands()) {
    printer << " : ";
    llvm::interleaveComma(getOperandTypes(), printer);
  }
  printer.printOptionalAttrDictWithKeyword((*this)->getAttrs());
  printer.printNewline();
  printer << " cond ";
  printer.printRegion(getCond(), /*printEntryBlockArgs=*/false);
  printer << " do ";
  // The body's arguments go by the names of the condition's.
  printer.shadowRegionArgs(getBody(), getCond().getArguments());
  printer.printRegion(getBody(), /*printEntryBlockArgs=*/false);
}

ParseResult WhileOp::parse(OpAsmParser &parser, OperationState &result) {
  SMLoc location = parser.getCurrentLocation();
  SmallVector<OpAsmParser::Argument> arguments;
  SmallVector<OpAsmParser::UnresolvedOperand> operands;
  if (parser.parseAssignmentList(arguments, operands))
    return failure();
  SmallVector<Type> types;
  if (!operands.empty() && parser.parseColonTypeList(types))
    return failure();
  if (types.size() != operands.size())
    return parser.emitError(location) << "expects " << operands.size()
                                      << " types but got " << types.size();
  for (auto [argument, type] : llvm::zip(arguments, types))
    argument.type = type;
  if (parser.resolveOperands(operands, types, location, result.operands) ||
      parser.parseOptionalAttrDictWithKeyword(result.attributes) ||
      parser.parseKeyword("cond") ||
      parser.parseRegion(*result.addRegion(), arguments) ||
      parser.parseKeyword("do") ||
      parser.parseRegion(*result.addRegion(), arguments))
    return failure();
  result.addTypes(types);
  return success();
}

//===----------------------------------------------------------------------===//
// case, if, optimization_barrier, custom_call
//===----------------------------------------------------------------------===//

static LogicalResult checkBranches(Operation *op) {
  for (auto [i, region] : llvm::enumerate(op->getRegions())) {
    if (region.empty() || region.getNumArguments() != 0)
      return op->emitOpError("expects branch ") << i << " to have no arguments";
    if (!areCompatibleTypes(getReturnedTypes(region), op->getResultTypes()))
      return op->emitOpError("expects branch ")
             << i << " to return values of the results' types ("
             << op->getResultTypes() << ") but got ("
             << getReturnedTypes(region) << ")";
  }
  return success();
}

LogicalResult CaseOp::verify() {
  if (getBranches().empty()) // c1
    return emitOpError("expects at least one branch");
  return checkBranches(*this); // c2, c3
}

LogicalResult IfOp::verify() {
  return checkBranches(*this); // c1, c2
}

LogicalResult OptimizationBarrierOp::inferReturnTypes(
    MLIRContext *, std::optional<Location>, ValueRange operands, DictionaryAttr,
    OpaqueProperties, RegionRange, SmallVectorImpl<Type> &inferred) {
  llvm::append_range(inferred, operands.getTypes());
  return success();
}

void CustomCallOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
        &effects) {
  if (!getHasSideEffect())
    return;
  effects.emplace_back(MemoryEffects::Allocate::get());
  effects.emplace_back(MemoryEffects::Free::get());
  effects.emplace_back(MemoryEffects::Write::get());
  effects.emplace_back(MemoryEffects::Read::get());
}

//===----------------------------------------------------------------------===//
// Branches that are known
//===----------------------------------------------------------------------===//

/// The op is its only branch that is ever run.
static void inlineBranch(Operation *op, Region &branch,
                         PatternRewriter &rewriter) {
  Block &body = branch.front();
  Operation *terminator = body.getTerminator();
  SmallVector<Value> results(terminator->getOperands());
  rewriter.inlineBlockBefore(&body, op);
  rewriter.replaceOp(op, results);
  rewriter.eraseOp(terminator);
}

LogicalResult CaseOp::canonicalize(CaseOp op, PatternRewriter &rewriter) {
  APInt index;
  if (!matchPattern(op.getIndex(), m_ConstantInt(&index)))
    return failure();
  int64_t branch = index.getSExtValue();
  if (branch < 0 || branch >= static_cast<int64_t>(op.getBranches().size()))
    return failure();
  inlineBranch(op, op.getBranches()[branch], rewriter);
  return success();
}

LogicalResult IfOp::canonicalize(IfOp op, PatternRewriter &rewriter) {
  APInt predicate;
  if (!matchPattern(op.getPred(), m_ConstantInt(&predicate)))
    return failure();
  inlineBranch(op,
               predicate.isZero() ? op.getFalseBranch() : op.getTrueBranch(),
               rewriter);
  return success();
}
