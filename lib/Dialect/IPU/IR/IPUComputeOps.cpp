//===- IPUComputeOps.cpp - Codelets and their vertices ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "IPUDetail.h"
#include "ipu-mlir/Dialect/IPU/IR/CodeletScalarOps.h"
#include "ipu-mlir/Dialect/IPU/IR/Views.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Builders.h"
#include "mlir/Interfaces/FunctionImplementation.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace mlir::ipu;
using namespace mlir::ipu::detail;

//===----------------------------------------------------------------------===//
// CodeletOp
//===----------------------------------------------------------------------===//

ParseResult CodeletOp::parse(OpAsmParser &parser, OperationState &result) {
  StringAttr name;
  SmallVector<OpAsmParser::Argument> arguments;
  SmallVector<Type> resultTypes;
  SmallVector<DictionaryAttr> resultAttrs;
  bool isVariadic = false;
  IntegerAttr numInputs;
  CodeletCostAttr cost;
  Builder &builder = parser.getBuilder();
  if (parser.parseSymbolName(name, SymbolTable::getSymbolAttrName(),
                             result.attributes) ||
      function_interface_impl::parseFunctionSignatureWithArguments(
          parser, /*allowVariadic=*/false, arguments, isVariadic, resultTypes,
          resultAttrs) ||
      parser.parseKeyword("inputs") ||
      parser.parseAttribute(numInputs, builder.getI64Type(), "num_inputs",
                            result.attributes) ||
      parser.parseKeyword("cost") ||
      parser.parseCustomAttributeWithFallback(cost, Type(), "cost",
                                              result.attributes) ||
      parser.parseOptionalAttrDictWithKeyword(result.attributes))
    return failure();
  SmallVector<Type> argumentTypes = llvm::map_to_vector(
      arguments, [](const OpAsmParser::Argument &a) { return a.type; });
  result.addAttribute(
      getFunctionTypeAttrName(result.name),
      TypeAttr::get(builder.getFunctionType(argumentTypes, resultTypes)));
  call_interface_impl::addArgAndResultAttrs(
      builder, result, arguments, resultAttrs, getArgAttrsAttrName(result.name),
      getResAttrsAttrName(result.name));
  Region *body = result.addRegion();
  if (parser.parseRegion(*body, arguments))
    return failure();
  ensureTerminator(*body, builder, result.location);
  return success();
}

void CodeletOp::print(OpAsmPrinter &printer) {
  printer << ' ';
  printer.printSymbolName(getSymName());
  call_interface_impl::printFunctionSignature(
      printer, getArgumentTypes(), getArgAttrsAttr(), /*isVariadic=*/false,
      getResultTypes(), getResAttrsAttr(), &getBody(),
      /*printEmptyResult=*/false);
  printer << " inputs " << getNumInputs() << " cost ";
  printer.printStrippedAttrOrType(getCost());
  printer.printOptionalAttrDictWithKeyword(
      (*this)->getAttrs(),
      {getSymNameAttrName(), getFunctionTypeAttrName(), getNumInputsAttrName(),
       getCostAttrName(), getArgAttrsAttrName(), getResAttrsAttrName()});
  printer << ' ';
  printer.printRegion(getBody(), /*printEntryBlockArgs=*/false,
                      /*printBlockTerminators=*/false);
}

MemRefType mlir::ipu::getCodeletBufferType(int64_t rank, Type elementType,
                                           bool isStrided) {
  SmallVector<int64_t> sizes(rank, ShapedType::kDynamic);
  SmallVector<int64_t> strides = sizes;
  if (rank > 0 && !isStrided)
    strides.back() = 1;
  auto layout = StridedLayoutAttr::get(elementType.getContext(),
                                       ShapedType::kDynamic, strides);
  return MemRefType::get(sizes, getStorageElementType(elementType), layout);
}

/// Returns whether `type` is the type of a codelet's argument. An argument with
/// `isInput` may have a dynamic last stride.
static bool isBufferType(Type type, bool isInput) {
  auto memref = dyn_cast<MemRefType>(type);
  if (!memref || !memref.getElementType().isIntOrFloat())
    return false;
  auto hasStride = [&](bool isStrided) {
    return memref == getCodeletBufferType(memref.getRank(),
                                          memref.getElementType(), isStrided);
  };
  return hasStride(false) || (isInput && hasStride(true));
}

namespace {
/// The least numbers of inputs and ranks of arguments that a cost formula
/// needs.
struct ArgumentRule {
  size_t numInputs;
  int64_t inputRank, outputRank;
  StringRef description;
};
} // namespace

/// Returns the rule of a formula whose operands are indices, lists or rows that
/// are sorted, or std::nullopt for other formulas.
static std::optional<ArgumentRule> getArgumentRule(CostKind kind) {
  switch (kind) {
  case CostKind::Gather:
  case CostKind::SelectAndScatter:
    return ArgumentRule{2, 0, 0, "two inputs and an output"};
  case CostKind::Sort:
    return ArgumentRule{1, 0, 0, "an input and an output"};
  case CostKind::BucketIndices:
    return ArgumentRule{1, 0, 2, "an input and an output of rank 2 or more"};
  case CostKind::Scatter:
    return ArgumentRule{3, 0, 3,
                        "three inputs and an output of rank 3 or more"};
  case CostKind::ScatterBuckets:
    return ArgumentRule{3, 3, 3,
                        "three inputs and an output of rank 3 or more"};
  case CostKind::DynamicSlice:
    return ArgumentRule{2, 1, 1, "two inputs and an output of rank 1 or more"};
  case CostKind::DynamicUpdate:
    return ArgumentRule{3, 1, 1,
                        "three inputs and an output of rank 1 or more"};
  default:
    return std::nullopt;
  }
}

static LogicalResult checkArguments(CodeletOp op, const ArgumentRule &rule) {
  ArrayRef<Type> arguments = op.getArgumentTypes();
  size_t output = op.getNumInputs();
  auto hasRank = [](int64_t rank) {
    return
        [rank](Type type) { return cast<MemRefType>(type).getRank() >= rank; };
  };
  if (output < rule.numInputs || arguments.size() <= output ||
      !llvm::all_of(arguments.take_front(output), hasRank(rule.inputRank)) ||
      !hasRank(rule.outputRank)(arguments[output]))
    return op.emitOpError()
           << "expects " << rule.description << " for the cost '"
           << stringifyCostKind(op.getCost().getKind()) << "' but got "
           << op.getFunctionType();
  return success();
}

LogicalResult CodeletOp::verify() {
  // c1
  for (auto [index, type] : llvm::enumerate(getArgumentTypes())) {
    bool isInput = index < getNumInputs();
    if (!isBufferType(type, isInput))
      return emitOpError() << "expects argument " << index
                           << " to be a memref of dynamic sizes with layout "
                              "strided<[?, ..., ?, 1], offset: ?>"
                           << (isInput ? " or strided<[?, ..., ?], offset: ?>"
                                       : "")
                           << " but got " << type;
  }
  // c2
  if (!getResultTypes().empty())
    return emitOpError() << "expects no results but got "
                         << getResultTypes().size();
  if (getNumInputs() > getArgumentTypes().size())
    return emitOpError() << "expects at most as many inputs as arguments ("
                         << getArgumentTypes().size() << ") but got "
                         << getNumInputs();
  // c4
  CostKind kind = getCost().getKind();
  // c5
  if (std::optional<ArgumentRule> rule = getArgumentRule(kind))
    return checkArguments(*this, *rule);
  if (kind != CostKind::Matmul && kind != CostKind::Conv)
    return success();
  // Partial sums are numbered by dimensions of their own. The second input has
  // a dimension of blocks for each of them; without the dimension of the blocks
  // of addends, the last of these may have fewer addends.
  int64_t partials = std::min<int64_t>(getCost().getCombined(), 1 << 20);
  if (kind == CostKind::Matmul && partials > 1)
    return emitOpError() << "expects `combined` of 0 or 1 for the cost "
                            "'matmul' but got "
                         << getCost().getCombined();
  int64_t inputRank = 3, outputRank = 3;
  if (partials > 0 && kind == CostKind::Matmul) {
    outputRank = 4;
  } else if (partials > 0) {
    inputRank = 2 * partials + 1;
    outputRank = partials + 3;
  }
  auto hasRank = [&](unsigned argument, int64_t rank) {
    return cast<MemRefType>(getArgumentTypes()[argument]).getRank() >= rank;
  };
  // The third input is what the products are added to.
  int64_t numInputs = getNumInputs();
  if (numInputs < 2 || numInputs > 3 ||
      static_cast<int64_t>(getArgumentTypes().size()) <= numInputs ||
      !hasRank(1, inputRank) || !hasRank(numInputs, outputRank))
    return emitOpError()
           << "expects two or three inputs and an output for the cost '"
           << stringifyCostKind(kind) << "', with the second input of rank "
           << inputRank << " or more and the output of rank " << outputRank
           << " or more, but got " << getFunctionType();
  return success();
}

LogicalResult CodeletOp::verifyRegions() {
  // c3
  WalkResult result = getBody().walk([&](Operation *op) {
    if (isa<EndOp>(op) || isRandomScalarOp(op) ||
        isa_and_nonnull<arith::ArithDialect, linalg::LinalgDialect,
                        math::MathDialect, memref::MemRefDialect,
                        scf::SCFDialect>(op->getDialect()))
      return WalkResult::advance();
    InFlightDiagnostic diag = emitOpError();
    diag << "expects only ops of arith, linalg, math, memref and scf, and ops "
            "on random numbers, but got '"
         << op->getName() << "'";
    diag.attachNote(op->getLoc()) << "op defined here";
    return WalkResult::interrupt();
  });
  if (result.wasInterrupted())
    return failure();
  return verifyOneNumberedBuffer(*this);
}

//===----------------------------------------------------------------------===//
// ComputeSetOp
//===----------------------------------------------------------------------===//

/// An input that a vertex reads where the same vertex writes: the same regions
/// of the same variable.
static bool isReadInPlace(VerticesOp vertices, unsigned input,
                          unsigned output) {
  return isWholeVariable(vertices.getInputs()[input]) &&
         vertices.getAccessTileMapping(input) ==
             vertices.getAccessTileMapping(vertices.getInputs().size() +
                                           output);
}

// c6, c7 of vertices
static LogicalResult verifyGenerators(ComputeSetOp op) {
  llvm::MapVector<Value, VerticesOp> drawers;
  for (auto vertices : op.getBody().getOps<VerticesOp>()) {
    if (!vertices.getRng())
      continue;
    auto [it, isNew] = drawers.insert({vertices.getRng(), vertices});
    if (isNew || vertices.getDrawAttr())
      continue;
    InFlightDiagnostic diag = vertices.emitOpError();
    diag
        << "draws from the same RNG state as other vertices of the compute set";
    diag.attachNote(it->second.getLoc()) << "other vertices here";
    return diag;
  }
  for (auto vertices : op.getBody().getOps<VerticesOp>())
    for (auto [index, buffer] : llvm::enumerate(vertices.getBuffers())) {
      VarOp variable = getVariable(buffer);
      auto *it = variable ? drawers.find(variable.getResult()) : drawers.end();
      // Draws with numbers only read, as inputs do.
      if (it == drawers.end() ||
          (index < vertices.getInputs().size() && it->second.getDrawAttr()))
        continue;
      InFlightDiagnostic diag = vertices.emitOpError();
      diag << "uses an RNG state that vertices of the compute set draw from";
      diag.attachNote(it->second.getLoc()) << "other vertices draw here";
      return diag;
    }
  return success();
}

SmallVector<OpOperand *> ComputeSetOp::getRngOperands() {
  SmallVector<OpOperand *> states;
  for (auto vertices : getBody().getOps<VerticesOp>())
    for (OpOperand &rng : vertices.getRngMutable())
      states.push_back(&rng);
  return states;
}

LogicalResult ComputeSetOp::verifyRegions() {
  // c1
  if (failed(verifyBodyHoldsOnly<VerticesOp>(*this, getBody())))
    return failure();
  // c2
  llvm::MapVector<Value, std::pair<VerticesOp, unsigned>> writers;
  for (auto vertices : getBody().getOps<VerticesOp>())
    for (auto [index, output] : llvm::enumerate(vertices.getOutputs())) {
      auto [it, isNew] = writers.insert({output, {vertices, index}});
      if (isNew || isEmpty(output))
        continue;
      InFlightDiagnostic diag = vertices.emitOpError();
      diag << "writes a variable that other vertices of the compute set write";
      diag.attachNote(it->second.first.getLoc()) << "also written here";
      return diag;
    }
  if (failed(verifyGenerators(*this)))
    return failure();
  for (auto vertices : getBody().getOps<VerticesOp>())
    for (Value source : vertices.getInPlace()) {
      auto *it = writers.find(source);
      if (it == writers.end())
        continue;
      InFlightDiagnostic diag = vertices.emitOpError();
      diag << "reads variable \"" << getVariable(source).getName()
           << "\" in place, but vertices of the compute set write it";
      diag.attachNote(it->second.first.getLoc()) << "written here";
      return diag;
    }
  // c3
  for (auto vertices : getBody().getOps<VerticesOp>())
    for (auto [index, input] : llvm::enumerate(vertices.getInputs())) {
      VarOp variable = getVariable(input);
      auto *it = variable ? writers.find(variable.getResult()) : writers.end();
      if (it == writers.end() || isEmpty(input))
        continue;
      auto [writer, output] = it->second;
      if (writer == vertices && isReadInPlace(vertices, index, output))
        continue;
      InFlightDiagnostic diag = vertices.emitOpError();
      diag << "reads elements of input " << index
           << " that another vertex of the compute set writes";
      diag.attachNote(writer.getLoc()) << "written here";
      return diag;
    }
  return success();
}

//===----------------------------------------------------------------------===//
// VerticesOp
//===----------------------------------------------------------------------===//

LogicalResult VerticesOp::verify() {
  size_t operands = getInputs().size() + getOutputs().size();
  // c1
  if (getAccess().size() != operands)
    return emitOpError() << "expects as many access mappings as operands ("
                         << operands << ") but got " << getAccess().size();
  if (getOutputs().empty())
    return emitOpError("expects at least one output");
  TileMappingAttr first = getAccessTileMapping(0);
  for (unsigned i = 0; i < operands; ++i) {
    TileMappingAttr mapping = getAccessTileMapping(i);
    if (!mapping.hasGridOf(first))
      return emitOpError() << "expects all access mappings to have the grid "
                              "and tiles of the first, "
                           << first << ", but mapping " << i << " is "
                           << mapping;
    // c2
    auto type = cast<MemRefType>(getOperand(i).getType());
    if (mapping.getNumElements() != type.getNumElements())
      return emitOpError() << "expects the domain of access mapping " << i
                           << " to have " << type.getNumElements()
                           << " elements, like " << type << ", but got "
                           << mapping.getNumElements();
    if (failed(verifyView(*this, getOperand(i), "operand " + Twine(i))))
      return failure();
  }
  for (auto [index, output] : llvm::enumerate(getOutputs())) {
    unsigned operand = getInputs().size() + index;
    // c4
    if (!output.getDefiningOp<VarOp>())
      return emitOpError() << "expects output " << index
                           << " to be a variable, not a view";
    TileMappingAttr own = getTileMapping(cast<MemRefType>(output.getType()));
    if (own != getAccessTileMapping(operand))
      return emitOpError() << "expects the access mapping of output " << index
                           << " to be the tile mapping of its variable, " << own
                           << ", but got " << getAccessTileMapping(operand);
  }
  // c6, c7
  if (getRng() && failed(verifyRng(*this, getRng())))
    return failure();
  return verifyDraw(*this, getRng(), getDrawAttr());
}

void VerticesOp::getEffects(
    SmallVectorImpl<MemoryEffects::EffectInstance> &effects) {
  for (OpOperand &input : getInputsMutable())
    effects.emplace_back(MemoryEffects::Read::get(), &input);
  for (OpOperand &output : getOutputsMutable())
    effects.emplace_back(MemoryEffects::Write::get(), &output);
  for (OpOperand &source : getInPlaceMutable())
    effects.emplace_back(MemoryEffects::Read::get(), &source);
  addRngEffects(getRngMutable(), getDrawAttr(), effects);
}

/// Whether all vertices of `codelet` write one constant everywhere.
static bool isFill(CodeletOp codelet) {
  return codelet.getNumInputs() == 0 &&
         llvm::all_of(codelet.getBody().front(), [](Operation &op) {
           return isa<linalg::FillOp, EndOp>(op) ||
                  op.hasTrait<OpTrait::ConstantLike>();
         });
}

LogicalResult VerticesOp::verifySymbolUses(SymbolTableCollection &symbols) {
  // c3
  auto codelet =
      symbols.lookupNearestSymbolFrom<CodeletOp>(*this, getCodeletAttr());
  if (!codelet)
    return emitOpError() << "expects " << getCodeletAttr()
                         << " to be an 'ipu.codelet'";
  auto mismatch = [&]() {
    InFlightDiagnostic diag = emitOpError();
    diag.attachNote(codelet.getLoc()) << "codelet defined here";
    return diag;
  };
  // c5
  if (!isFill(codelet))
    for (Value output : getOutputs())
      if (failed(verifyWritable(*this, output)))
        return failure();
  ArrayRef<Type> arguments = codelet.getArgumentTypes();
  if (arguments.size() != getBuffers().size())
    return mismatch() << "expects as many operands as " << getCodeletAttr()
                      << " has arguments (" << arguments.size() << ") but got "
                      << getBuffers().size();
  if (codelet.getNumInputs() != getInputs().size())
    return mismatch() << "has " << getInputs().size() << " inputs but "
                      << getCodeletAttr() << " has " << codelet.getNumInputs();
  for (auto [index, argument] : llvm::enumerate(arguments)) {
    auto buffer = cast<MemRefType>(argument);
    auto operand = cast<MemRefType>(getOperand(index).getType());
    int64_t rank = getAccessTileMapping(index).getDomain().size();
    if (buffer.getElementType() != operand.getElementType() ||
        buffer.getRank() != rank)
      return mismatch() << "expects argument " << index << " of "
                        << getCodeletAttr() << " to have rank " << rank
                        << " and element type " << operand.getElementType()
                        << " but got " << buffer;
  }
  // c6
  if (drawsRandomBits(codelet) != bool(getRng()))
    return mismatch() << (getRng() ? "has an 'rng' but " : "has no 'rng' but ")
                      << getCodeletAttr()
                      << (getRng() ? " draws no random bits"
                                   : " draws random bits");
  if (Value rng = getRng()) {
    int64_t tiles = cast<MemRefType>(rng.getType()).getDimSize(0);
    TileMappingAttr first = getAccessTileMapping(0);
    if (first.getFirst() + first.getNumTiles() > tiles)
      return emitOpError() << "expects an RNG state for tiles up to "
                           << first.getFirst() + first.getNumTiles() - 1
                           << " but got " << rng.getType();
  }
  // c8
  if (getInPlace().empty())
    return success();
  CodeletCostAttr cost = codelet.getCostAttr();
  if (!cost || !cost.hasRowPointers())
    return mismatch() << "has 'in_place' variables, but the cost of "
                      << getCodeletAttr() << " is not of kind 'reduce_columns'";
  for (Value source : getInPlace())
    if (!source.getDefiningOp<VarOp>())
      return emitOpError() << "expects whole variables as 'in_place' but got "
                           << source.getType();
  return success();
}
