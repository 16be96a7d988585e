//===- EngineCodelets.cpp - The codelets of a program ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "EngineCodelets.h"

#include "ipu-mlir/Dialect/IPU/IR/CodeletScalarOps.h"
#include "ipu-mlir/Host/HostTensor.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::ipu;

/// Most bytes that all memref.alloca of a codelet may take: they live on the
/// stack of a host thread.
static constexpr int64_t kMaxAllocaBytes = 1 << 18;

bool mlir::ipu::isCodeletScalarType(Type type) {
  if (auto integer = dyn_cast<IntegerType>(type))
    return integer.isSignless() && isHostElementType(type);
  return type.isIndex() || (isa<FloatType>(type) && isHostElementType(type));
}

std::optional<LinearExpr> mlir::ipu::getLinearExpr(AffineExpr expr,
                                                   unsigned numDims) {
  LinearExpr result;
  result.coefficients.resize(numDims);
  if (auto constant = dyn_cast<AffineConstantExpr>(expr)) {
    result.constant = constant.getValue();
    return result;
  }
  if (auto dim = dyn_cast<AffineDimExpr>(expr)) {
    result.coefficients[dim.getPosition()] = 1;
    return result;
  }
  auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
  if (!binary || (binary.getKind() != AffineExprKind::Add &&
                  binary.getKind() != AffineExprKind::Mul))
    return std::nullopt;
  auto lhs = getLinearExpr(binary.getLHS(), numDims);
  auto rhs = getLinearExpr(binary.getRHS(), numDims);
  if (!lhs || !rhs)
    return std::nullopt;
  if (binary.getKind() == AffineExprKind::Add) {
    for (unsigned i = 0; i < numDims; ++i)
      lhs->coefficients[i] += rhs->coefficients[i];
    lhs->constant += rhs->constant;
    return lhs;
  }
  // Affine products have a constant on their right-hand side.
  if (llvm::any_of(rhs->coefficients, [](int64_t c) { return c != 0; }))
    return std::nullopt;
  for (int64_t &c : lhs->coefficients)
    c *= rhs->constant;
  lhs->constant *= rhs->constant;
  return lhs;
}

SmallVector<LoopRange> mlir::ipu::getLoopRanges(linalg::LinalgOp op) {
  SmallVector<LoopRange> dims;
  for (OpOperand &operand : op->getOpOperands())
    for (int64_t dim = 0, e = op.getRank(&operand); dim < e; ++dim)
      dims.push_back({operand.getOperandNumber(), static_cast<unsigned>(dim)});
  return llvm::map_to_vector(
      op.getShapesToLoopsMap().getResults(), [&](AffineExpr expr) {
        return dims[cast<AffineDimExpr>(expr).getPosition()];
      });
}

//===----------------------------------------------------------------------===//
// What engines know
//===----------------------------------------------------------------------===//

static bool isKnownOp(Operation *op) {
  return getScalarOpcode(op) ||
         isa<arith::ConstantOp, memref::LoadOp, memref::StoreOp, memref::DimOp,
             memref::AllocaOp, memref::SubViewOp, memref::CastOp, scf::ForOp,
             scf::IfOp, scf::YieldOp, linalg::GenericOp, linalg::IndexOp,
             linalg::YieldOp, EndOp>(op);
}

static bool isKnownType(Type type) {
  auto memref = dyn_cast<MemRefType>(type);
  if (!memref)
    return isCodeletScalarType(type);
  SmallVector<int64_t> strides;
  int64_t offset;
  return isCodeletScalarType(memref.getElementType()) &&
         !memref.getMemorySpace() &&
         succeeded(memref.getStridesAndOffset(strides, offset));
}

static LogicalResult checkTypes(Operation *op) {
  SmallVector<Type> types(op->getResultTypes());
  for (Region &region : op->getRegions())
    for (Block &block : region)
      llvm::append_range(types, block.getArgumentTypes());
  for (Type type : types)
    if (!isKnownType(type))
      return op->emitOpError() << "has a value of type " << type
                               << ", which codelets cannot have";
  return success();
}

static LogicalResult checkGeneric(linalg::GenericOp op) {
  if (!op.hasPureBufferSemantics())
    return op.emitOpError("expects buffers as operands in a codelet");
  if (op->getParentOfType<linalg::GenericOp>())
    return op.emitOpError("cannot be nested in another linalg op in a codelet");
  for (AffineMap map : op.getIndexingMapsArray())
    for (AffineExpr expr : map.getResults())
      if (map.getNumSymbols() != 0 || !getLinearExpr(expr, map.getNumDims()))
        return op.emitOpError()
               << "expects indexing maps in a codelet to be linear functions "
                  "of dimensions but got "
               << AffineMapAttr::get(map);
  AffineMap ranges = op.getShapesToLoopsMap();
  if (!ranges || llvm::any_of(ranges.getResults(), [](AffineExpr expr) {
        return !isa<AffineDimExpr>(expr);
      }))
    return op.emitOpError("expects each loop to run over a dimension of an "
                          "operand");
  return success();
}

static LogicalResult checkOp(Operation *op, int64_t &allocaBytes) {
  if (!isKnownOp(op))
    return op->emitOpError("cannot be executed in a codelet");
  if (failed(checkTypes(op)))
    return failure();
  if (auto generic = dyn_cast<linalg::GenericOp>(op))
    return checkGeneric(generic);
  if (auto dim = dyn_cast<memref::DimOp>(op)) {
    auto type = dyn_cast<MemRefType>(dim.getSource().getType());
    std::optional<int64_t> index = dim.getConstantIndex();
    if (!type || !index || *index < 0 || *index >= type.getRank())
      return op->emitOpError("expects a constant dimension in a codelet");
  }
  if (auto loop = dyn_cast<scf::ForOp>(op); loop && loop.getUnsignedCmp())
    return op->emitOpError("expects a signed comparison in a codelet");
  // A narrow induction variable could wrap before it reaches its bound.
  if (auto loop = dyn_cast<scf::ForOp>(op);
      loop && !loop.getInductionVar().getType().isIndex())
    return op->emitOpError("expects loop bounds of type 'index' in a codelet");
  if (auto select = dyn_cast<arith::SelectOp>(op);
      select && isa<MemRefType>(select.getType()))
    return op->emitOpError("cannot select between buffers in a codelet");
  if (isa<scf::ForOp, scf::IfOp>(op))
    for (Type type : op->getResultTypes())
      if (isa<MemRefType>(type))
        return op->emitOpError("cannot yield buffers in a codelet");
  if (auto truncate = dyn_cast<arith::TruncFOp>(op))
    if (truncate.getRoundingmode().value_or(
            arith::RoundingMode::to_nearest_even) !=
        arith::RoundingMode::to_nearest_even)
      return op->emitOpError("expects rounding to nearest even in a codelet");
  auto alloca = dyn_cast<memref::AllocaOp>(op);
  if (!alloca)
    return success();
  MemRefType type = alloca.getType();
  if (!type.hasStaticShape() || !type.getLayout().isIdentity() ||
      !alloca.getSymbolOperands().empty())
    return op->emitOpError()
           << "expects a static shape without layout but got " << type;
  int64_t bytes = type.getElementType().isIndex()
                      ? 8
                      : getElementBytes(type.getElementType());
  for (int64_t size : type.getShape())
    if (llvm::MulOverflow(bytes, size, bytes))
      bytes = kMaxAllocaBytes + 1;
  allocaBytes += bytes;
  if (bytes > kMaxAllocaBytes || allocaBytes > kMaxAllocaBytes)
    return op->emitOpError()
           << "exceeds " << kMaxAllocaBytes << " bytes of local memory";
  return success();
}

static LogicalResult generalize(CodeletOp codelet) {
  SmallVector<linalg::LinalgOp> named;
  codelet.walk([&](linalg::LinalgOp op) {
    if (!isa<linalg::GenericOp>(op))
      named.push_back(op);
  });
  IRRewriter rewriter(codelet.getContext());
  for (linalg::LinalgOp op : named) {
    rewriter.setInsertionPoint(op);
    if (failed(linalg::generalizeNamedOp(rewriter, op)))
      return op->emitOpError("cannot be executed in a codelet");
  }
  return success();
}

/// Whether the first op on `output` gives each of its elements a value.
static bool isDefined(BlockArgument output) {
  linalg::GenericOp first;
  for (Operation &op : *output.getOwner()) {
    auto uses = [&](Operation *inner) {
      return llvm::is_contained(inner->getOperands(), output)
                 ? WalkResult::interrupt()
                 : WalkResult::advance();
    };
    if (!op.walk(uses).wasInterrupted())
      continue;
    first = dyn_cast<linalg::GenericOp>(op);
    break;
  }
  if (!first || llvm::count(first->getOperands(), output) != 1 ||
      first.getNumReductionLoops() > 0)
    return false;
  for (OpOperand &init : first.getDpsInitsMutable())
    if (init.get() == output)
      return first.getMatchingIndexingMap(&init).isPermutation() &&
             first.getMatchingBlockArgument(&init).use_empty();
  return false;
}

//===----------------------------------------------------------------------===//
// EngineCodelets
//===----------------------------------------------------------------------===//

EngineCodelets::EngineCodelets(MLIRContext *context, RngGenerator generator)
    : module(ModuleOp::create(UnknownLoc::get(context))), generator(generator) {
}

/// Returns the number of a codelet that equals `codelet`, and erases it or
/// makes it that codelet.
unsigned EngineCodelets::addText(CodeletOp codelet) {
  std::string text;
  llvm::raw_string_ostream os(text);
  codelet->print(os, OpPrintingFlags().printGenericOpForm().useLocalScope());
  auto [it, isNew] = numberOfText.try_emplace(text, codelets.size());
  if (isNew) {
    codelet.setSymName("codelet" + std::to_string(codelets.size()));
    codelets.push_back(codelet);
    texts.push_back(std::move(text));
  } else {
    codelet.erase();
  }
  return it->second;
}

FailureOr<EngineCodelet> EngineCodelets::add(CodeletOp codelet) {
  auto at = known.find(codelet);
  if (at != known.end())
    return at->second;

  // Names, inputs and costs do not matter to what a body does.
  CodeletOp clone = codelet.clone();
  module->getBody()->push_back(clone);
  unsigned numInputs = clone.getNumInputs();
  clone.setSymName("codelet");
  clone.setNumInputs(0);
  clone.setCostAttr(CodeletCostAttr());
  for (NamedAttribute attr : llvm::to_vector(clone->getDiscardableAttrs()))
    clone->removeDiscardableAttr(attr.getName());
  clone.removeArgAttrsAttr();
  int64_t allocaBytes = 0;
  auto check = [&](Operation *op) {
    return op != clone && failed(checkOp(op, allocaBytes))
               ? WalkResult::interrupt()
               : WalkResult::advance();
  };
  FailureOr<RandomArguments> random = failure();
  if (succeeded(generalize(clone)))
    random = expandRandomOps(clone, generator);
  if (failed(random) || clone.walk(check).wasInterrupted()) {
    clone.erase();
    return failure();
  }

  // Of the arguments that the program's codelet has, too.
  unsigned numOutputs = codelet.getBody().getNumArguments() - numInputs;
  auto definesAll = [&](CodeletOp engineCodelet) {
    return llvm::all_of(
        engineCodelet.getBody().getArguments().slice(numInputs, numOutputs),
        isDefined);
  };
  EngineCodelet result{0, *random, definesAll(clone), matchBlockLoop(clone)};
  if (result.loop) {
    CodeletOp inBlocks = clone.clone();
    module->getBody()->push_back(inBlocks);
    unrollBlockLoop(inBlocks, *result.loop);
    result.definesAllInBlocks = definesAll(inBlocks);
    result.inBlocks = addText(inBlocks);
  }
  result.number = addText(clone);
  return known[codelet] = std::move(result);
}
