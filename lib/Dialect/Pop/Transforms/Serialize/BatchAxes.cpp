//===- BatchAxes.cpp - Batch axes of tensors ------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BatchAxes.h"

#include "ContinuedSums.h"
#include "ipu-mlir/Analysis/Effects/FunctionCalls.h"
#include "ipu-mlir/Analysis/ReplicaEqual/RoundingMethods.h"
#include "ipu-mlir/Dialect/IPU/IR/IPU.h"
#include "ipu-mlir/Dialect/Pop/IR/Placement.h"
#include "ipu-mlir/Dialect/Pop/IR/SerializationMarks.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace mlir::ipu;
using namespace mlir::pop;
using sharding::FactorType;

//===----------------------------------------------------------------------===//
// Parts of ops
//===----------------------------------------------------------------------===//

RankedTensorType mlir::pop::getPartType(Type type, int64_t dim,
                                        int64_t numParts) {
  auto tensor = cast<RankedTensorType>(type);
  SmallVector<int64_t> shape(tensor.getShape());
  if (dim != BatchOp::kWhole)
    shape[dim] /= numParts;
  return tensor.clone(shape);
}

Operation *mlir::pop::clonePart(OpBuilder &b, Operation *op,
                                const BatchOp &batchOp, ValueRange operands,
                                int64_t numParts) {
  Operation *part = b.clone(*op);
  part->setOperands(operands);
  for (auto [result, dim] :
       llvm::zip_equal(part->getResults(), batchOp.resultDims))
    result.setType(getPartType(result.getType(), dim, numParts));
  // A slice is the only op with an attribute that repeats the sizes of
  // dimensions that it keeps.
  if (auto slice = dyn_cast<SliceOp>(part))
    slice.setSizes(slice.getType().getShape());
  return part;
}

/// Returns whether the part of `op` passes its verifier.
static bool isPartValid(Operation *op, const BatchOp &batchOp,
                        int64_t numParts) {
  ScopedDiagnosticHandler drop(op->getContext(),
                               [](Diagnostic &) { return success(); });
  Block scratch;
  for (auto [operand, dim] :
       llvm::zip_equal(op->getOperands(), batchOp.operandDims))
    scratch.addArgument(getPartType(operand.getType(), dim, numParts),
                        op->getLoc());
  OpBuilder b(op->getContext());
  b.setInsertionPointToEnd(&scratch);
  Operation *part = clonePart(b, op, batchOp, scratch.getArguments(), numParts);
  return succeeded(part->getName().verifyInvariants(part));
}

//===----------------------------------------------------------------------===//
// Factors
//===----------------------------------------------------------------------===//

/// Returns the outermost factor of a dimension, or std::nullopt if the
/// dimension has no factor of more than one element.
static std::optional<unsigned> getOuterFactor(const sharding::Rule &rule,
                                              const sharding::DimMapping &dim) {
  const auto *it = llvm::find_if(
      dim, [&](unsigned factor) { return rule.factors[factor].size > 1; });
  return it == dim.end() ? std::nullopt : std::optional(*it);
}

/// Returns the dimension of a tensor that has `factor`, or kWhole if no
/// dimension has it. Returns std::nullopt if parts of the factor are not slices
/// of the tensor.
static std::optional<int64_t> getDim(const sharding::Rule &rule,
                                     const sharding::TensorMapping &mapping,
                                     ArrayRef<int64_t> shape, unsigned factor) {
  int64_t found = BatchOp::kWhole;
  for (auto [i, dim] : llvm::enumerate(mapping)) {
    if (!llvm::is_contained(dim, factor))
      continue;
    int64_t size = 1;
    for (unsigned other : dim)
      size *= rule.factors[other].size;
    // The starts of slices are i32.
    if (found != BatchOp::kWhole || getOuterFactor(rule, dim) != factor ||
        size != shape[i] || !llvm::isInt<32>(size))
      return std::nullopt;
    found = static_cast<int64_t>(i);
  }
  return found;
}

/// Finds the dimensions of `values` that have `factor`. Fails if parts of the
/// factor are not slices of the values.
template <typename Values, typename Dims>
static LogicalResult
findDims(const sharding::Rule &rule, unsigned factor, Values values,
         ArrayRef<sharding::TensorMapping> mappings, Dims &dims) {
  for (auto [value, mapping] : llvm::zip_equal(values, mappings)) {
    std::optional<int64_t> dim =
        getDim(rule, mapping, getTensorShape(value), factor);
    if (!dim)
      return failure();
    dims.push_back(*dim);
  }
  return success();
}

int64_t BatchAxes::getAxis(OpOperand &operand) const {
  auto it = axes.find(operand.get());
  bool isInBlock =
      operand.get().getParentBlock() == operand.getOwner()->getBlock();
  return it == axes.end() || !isInBlock ? BatchOp::kWhole : it->second;
}

/// Returns whether a tensor of an op has both factors.
static bool haveCommonTensor(const sharding::Rule &rule, unsigned a,
                             unsigned b) {
  for (unsigned i = 0; i < rule.getNumTensors(); ++i) {
    auto hasFactor = [&](unsigned factor) {
      return llvm::any_of(rule.getTensor(i), [&](const auto &dim) {
        return llvm::is_contained(dim, factor);
      });
    };
    if (hasFactor(a) && hasFactor(b))
      return true;
  }
  return false;
}

/// Returns the factor of the batch axes of the operands of `op`, or
/// std::nullopt if they have none, or several that have nothing to do with each
/// other. Fails, with an error, if the axes of two operands are different
/// dimensions of a tensor.
FailureOr<std::optional<unsigned>>
BatchAxes::findFactor(Operation *op, const sharding::Rule &rule) const {
  std::optional<unsigned> factor;
  OpOperand *first = nullptr;
  for (OpOperand &operand : op->getOpOperands()) {
    int64_t axis = getAxis(operand);
    if (axis == BatchOp::kWhole)
      continue;
    std::optional<unsigned> own =
        getOuterFactor(rule, rule.operands[operand.getOperandNumber()][axis]);
    if (!own || own == factor)
      continue;
    if (factor && !haveCommonTensor(rule, *factor, *own))
      return std::optional<unsigned>();
    if (factor) {
      InFlightDiagnostic error = op->emitOpError();
      error << "expects the batch axes of its operands to be one dimension of "
               "the op, but the batch axis of operand #"
            << first->getOperandNumber() << " (dimension " << getAxis(*first)
            << ") is another dimension than that of operand #"
            << operand.getOperandNumber() << " (dimension " << axis << ")";
      error.attachNote(first->get().getLoc()) << "the first of them is here";
      error.attachNote(operand.get().getLoc()) << "the second of them is here";
      return error;
    }
    factor = own;
    first = &operand;
  }
  return factor;
}

std::optional<BatchOp> BatchAxes::findBatchOp(Operation *op,
                                              const sharding::Rule &rule,
                                              unsigned number) const {
  const sharding::Factor &factor = rule.factors[number];
  bool isSum = factor.type == FactorType::Reduction;
  if ((factor.type != FactorType::PassThrough && !isSum) || factor.blocked ||
      factor.size % numParts != 0)
    return std::nullopt;
  if (isSum && !canContinueSum(op, factor.size / numParts))
    return std::nullopt;
  BatchOp batchOp;
  batchOp.isSum = isSum;
  if (failed(findDims(rule, number, op->getOperands(), rule.operands,
                      batchOp.operandDims)) ||
      failed(findDims(rule, number, op->getResults(), rule.results,
                      batchOp.resultDims)) ||
      !isPartValid(op, batchOp, numParts))
    return std::nullopt;
  return batchOp;
}

//===----------------------------------------------------------------------===//
// Flow
//===----------------------------------------------------------------------===//

static bool isStaticTensor(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && tensor.hasStaticShape();
}

static bool isRounded(Type type) {
  return canRoundStochastically(getElementTypeOrSelf(type));
}

/// Returns whether `op` gives the same bits if it is applied to parts of its
/// operands. Random bits depend on the number of an element in the whole
/// tensor, and on the number of advances, which slices with computed starts in
/// loops would change. Attributes of other dialects may be for the whole
/// tensor.
bool BatchAxes::isApplicableToParts(Operation *op) const {
  return isMemoryEffectFree(op) && op->getNumRegions() == 0 &&
         (dividesCopies || !isa<PlacementOpInterface>(op)) &&
         llvm::all_of(op->getOperandTypes(), isStaticTensor) &&
         llvm::all_of(op->getResultTypes(), isStaticTensor) &&
         !(roundsStochastically &&
           (llvm::any_of(op->getOperandTypes(), isRounded) ||
            llvm::any_of(op->getResultTypes(), isRounded))) &&
         llvm::all_of(op->getDiscardableAttrs(), [](NamedAttribute attribute) {
           return isa_and_nonnull<PopDialect>(attribute.getNameDialect());
         });
}

LogicalResult BatchAxes::visit(Operation *op) {
  bool hasBatch = llvm::any_of(op->getOpOperands(), [&](OpOperand &operand) {
    return getAxis(operand) != BatchOp::kWhole;
  });
  if (!hasBatch || op->hasTrait<OpTrait::IsTerminator>())
    return success();
  ++numWholeOps;
  auto ruled = dyn_cast<ShardingRuleOpInterface>(op);
  if (!ruled || !isApplicableToParts(op))
    return success();
  std::optional<sharding::Rule> rule =
      ruled.getShardingRule(/*conservative=*/true);
  if (!rule)
    return success();
  FailureOr<std::optional<unsigned>> factor = findFactor(op, *rule);
  if (failed(factor))
    return failure();
  if (!*factor)
    return success();
  // The order of a sum is that of the whole op.
  auto sum = dyn_cast<AccumOpInterface>(op);
  if (sum && !sum.getAccumAttr())
    sum.setAccumAttr(sum.chooseAccum());
  std::optional<BatchOp> batchOp = findBatchOp(op, *rule, **factor);
  if (!batchOp)
    return success();
  if (std::optional<int64_t> phase = getBatchPhase(op))
    return op->emitOpError()
           << "is in batch phase " << *phase
           << " already, but its batch is to be divided into parts; expects no "
              "batch phases before 'pop-batch-serialize'";
  --numWholeOps;
  for (auto [result, dim] :
       llvm::zip_equal(op->getResults(), batchOp->resultDims)) {
    if (dim == BatchOp::kWhole)
      continue;
    auto [it, isNew] = axes.try_emplace(result, dim);
    if (!isNew && it->second != dim)
      return op->emitOpError()
             << "expects attribute '" << kBatchAxisAttrName
             << "' to be the dimension to which the batch axes of its operands "
                "lead, "
             << dim << ", but got " << it->second;
  }
  batchOps.try_emplace(op, std::move(*batchOp));
  return success();
}

LogicalResult BatchAxes::visit(Block &block) {
  for (Operation &op : block) {
    if (failed(visit(&op)))
      return failure();
    // The ops of a sequence or an exchange must stay as they are.
    if (isa<InSequenceOp, RemoteExchangeOp, FunctionOpInterface>(op))
      continue;
    for (Region &region : op.getRegions())
      for (Block &inner : region)
        if (failed(visit(inner)))
          return failure();
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Inputs
//===----------------------------------------------------------------------===//

BatchAxes::BatchAxes(ModuleOp module, int64_t numParts, bool dividesCopies)
    : module(module), numParts(numParts), dividesCopies(dividesCopies),
      roundsStochastically(
          module->hasAttr(PopDialect::kStochasticRoundingAttrName)) {}

/// Sets the batch axis of an argument or of a result. `reporter` is the
/// function or the op.
LogicalResult BatchAxes::setInput(Value value, int64_t axis,
                                  Operation *reporter) {
  auto emitError = [&]() {
    InFlightDiagnostic error = reporter->emitOpError();
    if (auto argument = dyn_cast<BlockArgument>(value))
      error << "has a batch axis of argument #" << argument.getArgNumber()
            << "; ";
    return error;
  };
  if (!isStaticTensor(value.getType()))
    return emitError() << "expects a tensor with a batch axis but got "
                       << value.getType();
  auto type = cast<RankedTensorType>(value.getType());
  if (axis >= type.getRank())
    return emitError() << "expects its batch axis " << axis
                       << " to be a dimension of " << type;
  int64_t size = type.getDimSize(axis);
  if (size % numParts == 0 && size > 0) {
    axes[value] = axis;
    return success();
  }
  InFlightDiagnostic error = emitError();
  error << "expects the number of parts to divide the batch, which is "
           "dimension "
        << axis << " of " << type << ", but got " << numParts
        << " parts of a batch of " << size;
  SmallVector<int64_t> divisors;
  for (int64_t divisor = 2; divisor <= std::min<int64_t>(size, 1024); ++divisor)
    if (size % divisor == 0)
      divisors.push_back(divisor);
  if (!divisors.empty()) {
    error << "; possible numbers are ";
    llvm::interleaveComma(divisors, error);
  }
  return error;
}

LogicalResult BatchAxes::computeMarked(FunctionOpInterface function) {
  for (BlockArgument argument : function.getArguments())
    if (auto mark = function.getArgAttrOfType<IntegerAttr>(
            argument.getArgNumber(), kBatchAxisAttrName))
      if (failed(setInput(argument, mark.getInt(), function)))
        return failure();
  WalkResult result = function->walk([&](Operation *op) {
    auto mark = op->getAttrOfType<IntegerAttr>(kBatchAxisAttrName);
    if (!mark)
      return WalkResult::advance();
    if (op->getNumResults() != 1) {
      op->emitOpError() << "has attribute '" << kBatchAxisAttrName
                        << "'; expects 1 result but got "
                        << op->getNumResults();
      return WalkResult::interrupt();
    }
    return WalkResult(setInput(op->getResult(0), mark.getInt(), op));
  });
  return failure(result.wasInterrupted());
}

/// Returns whether `op` loads data for each run, not weights or settings.
static bool loadsData(Operation *op) {
  ExecutionContext context =
      getExecutionContext(op).value_or(ExecutionContext::Normal);
  return isa<pop::HostLoadOp>(op) && (context == ExecutionContext::Normal ||
                                      context == ExecutionContext::Subgraph);
}

/// The first input that has dimension `axis` defines the size of the batch, and
/// the other inputs with this size have the same axis.
LogicalResult BatchAxes::computeInputs(int64_t axis) {
  FunctionOpInterface function = getMainFunction(module);
  if (!function || function.isExternal())
    return module.emitOpError()
           << "expects a function 'main', or a single function, or marks '"
           << kBatchAxisAttrName << "'";
  SmallVector<std::pair<Value, Operation *>> inputs;
  for (BlockArgument argument : function.getArguments())
    inputs.emplace_back(argument, function);
  function->walk([&](Operation *op) {
    if (loadsData(op))
      inputs.emplace_back(op->getResult(0), op);
  });
  std::optional<int64_t> size;
  for (auto [value, reporter] : inputs) {
    auto type = dyn_cast<RankedTensorType>(value.getType());
    if (!type || !type.hasStaticShape() || axis >= type.getRank())
      continue;
    if (size.value_or(type.getDimSize(axis)) != type.getDimSize(axis))
      continue;
    size = type.getDimSize(axis);
    if (failed(setInput(value, axis, reporter)))
      return failure();
  }
  if (!size)
    return function.emitOpError()
           << "expects an input with a batch, but no argument and no load from "
              "the host has a dimension "
           << axis;
  return success();
}

LogicalResult BatchAxes::compute(int64_t axis) {
  auto functions = llvm::to_vector(module.getOps<FunctionOpInterface>());
  for (FunctionOpInterface function : functions)
    if (failed(computeMarked(function)))
      return failure();
  if (axes.empty() && failed(computeInputs(axis)))
    return failure();
  for (FunctionOpInterface function : functions)
    for (Block &block : function.getFunctionBody())
      if (failed(visit(block)))
        return failure();
  return success();
}
