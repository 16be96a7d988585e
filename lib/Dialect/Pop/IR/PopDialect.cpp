//===- PopDialect.cpp - The pop dialect -------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PopDetail.h"
#include "PopOptimizerSettings.h"
#include "ipu-mlir/Dialect/Pop/IR/OptimizerStates.h"
#include "ipu-mlir/Dialect/Pop/IR/Placement.h"
#include "ipu-mlir/Dialect/Pop/IR/PopGraph.h"
#include "ipu-mlir/Dialect/Pop/IR/Serialization.h"
#include "ipu-mlir/Dialect/Pop/IR/SerializationMarks.h"
#include "ipu-mlir/Dialect/Pop/IR/TrainingRole.h"
#include "ipu-mlir/Interfaces/ShapeLimits.h"
#include "ipu-mlir/Support/DialectAttributes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Transforms/InliningUtils.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"
#include <limits>

using namespace mlir;
using namespace mlir::pop;

#include "ipu-mlir/Dialect/Pop/IR/PopDialect.cpp.inc"
#include "ipu-mlir/Dialect/Pop/IR/PopEnums.cpp.inc"
#include "ipu-mlir/Dialect/Pop/IR/PopGraphEnums.cpp.inc"

/// `custom<IndexOrVariable>`: `0` or `@w`.
static ParseResult parseIndexOrVariable(AsmParser &parser, int64_t &index,
                                        FlatSymbolRefAttr &variable) {
  StringAttr name;
  index = 0;
  if (failed(parser.parseOptionalSymbolName(name)))
    return parser.parseInteger(index);
  variable = FlatSymbolRefAttr::get(name);
  return success();
}

static void printIndexOrVariable(AsmPrinter &printer, int64_t index,
                                 FlatSymbolRefAttr variable) {
  if (variable)
    printer << variable;
  else
    printer << index;
}

#define GET_ATTRDEF_CLASSES
#include "ipu-mlir/Dialect/Pop/IR/PopAttrs.cpp.inc"

//===----------------------------------------------------------------------===//
// Assembly shared by ops
//===----------------------------------------------------------------------===//

ParseResult mlir::pop::parseBroadcastTypes(OpAsmParser &parser, Type &lhs,
                                           Type &rhs, Type &result) {
  if (failed(parser.parseOptionalLParen())) {
    if (parser.parseType(result))
      return failure();
    lhs = rhs = result;
    return success();
  }
  return failure(parser.parseType(lhs) || parser.parseComma() ||
                 parser.parseType(rhs) || parser.parseRParen() ||
                 parser.parseArrow() || parser.parseType(result));
}

void mlir::pop::printBroadcastTypes(OpAsmPrinter &printer, Operation *,
                                    Type lhs, Type rhs, Type result) {
  if (lhs == rhs && lhs == result)
    printer << result;
  else
    printer << "(" << lhs << ", " << rhs << ") -> " << result;
}

//===----------------------------------------------------------------------===//
// Dialect
//===----------------------------------------------------------------------===//

namespace {
/// All ops may be inlined into any function. Symbols that they use are the
/// module's, and functions whose code is loaded say themselves that they are
/// not to be inlined. A call in a region of this dialect stays a call.
struct Inliner : DialectInlinerInterface {
  using DialectInlinerInterface::DialectInlinerInterface;

  bool isLegalToInline(Operation *, Region *, bool, IRMapping &) const final {
    return true;
  }
};
} // namespace

namespace {
/// For what looks at choices of any dialect.
struct SelectModel
    : SelectLikeOpInterface::ExternalModel<SelectModel, SelectOp> {
  Value getTrueValue(Operation *op) const {
    return cast<SelectOp>(op).getOnTrue();
  }
  Value getFalseValue(Operation *op) const {
    return cast<SelectOp>(op).getOnFalse();
  }
  Value getCondition(Operation *op) const {
    return cast<SelectOp>(op).getCondition();
  }
};
} // namespace

void PopDialect::initialize() {
  addInterfaces<Inliner>();
  addAttributes<
#define GET_ATTRDEF_LIST
#include "ipu-mlir/Dialect/Pop/IR/PopAttrs.cpp.inc"
      >();
  registerPopDialectOperations(this);
  registerTypes();
  registerGraphOps();
  registerTransferOps();
  registerRandomOps();
  registerInPlaceOps();
  registerCollectiveOps();
  registerOptimizerOps();
  registerPlacementOps();
  SelectOp::attachInterface<SelectModel>(*getContext());
}

Operation *PopDialect::materializeConstant(OpBuilder &builder, Attribute value,
                                           Type type, Location loc) {
  auto elements = dyn_cast<ElementsAttr>(value);
  if (!elements || elements.getType() != type)
    return nullptr;
  return ConstantOp::create(builder, loc, elements);
}

static bool isOnPlaceable(Operation *op, Attribute) { return isPlaceable(op); }

static bool isI64Of(Attribute value, int64_t least) {
  auto number = dyn_cast<IntegerAttr>(value);
  return number && number.getType().isSignlessInteger(64) &&
         number.getInt() >= least;
}

static bool isFunction(Operation *op, Attribute) {
  return isa<FunctionOpInterface>(op);
}
static bool isTrainable(Operation *op, Attribute) {
  return isa<FunctionOpInterface, VariableOp>(op);
}
static bool isLoop(Operation *op, Attribute) {
  return isa<LoopLikeOpInterface>(op);
}

static bool isIndex(Operation *, Attribute value) { return isI64Of(value, 0); }
static bool isPhase(Operation *, Attribute value) { return isI64Of(value, -1); }
static bool isPriority(Operation *, Attribute value) {
  return isI64Of(value, std::numeric_limits<int64_t>::min());
}

static bool isMatmulSerialization(Operation *, Attribute value) {
  return isSerialization(value);
}

/// How many there are is not checked: rewrites that change an op's results or
/// operands keep its attributes.
static bool isArrayOfPartitions(Operation *, Attribute value) {
  auto partitions = dyn_cast<ArrayAttr>(value);
  return partitions &&
         llvm::all_of(partitions, llvm::IsaPred<ReplicaPartitionAttr>);
}

static bool isTrainingRole(Operation *, Attribute value) {
  auto text = dyn_cast<StringAttr>(value);
  return text && symbolizeTrainingRole(text.getValue());
}

static bool isArrayOfClipNorms(Operation *, Attribute value) {
  auto norms = dyn_cast<ArrayAttr>(value);
  return norms && llvm::all_of(norms, llvm::IsaPred<ClipNormAttr>);
}

static constexpr StringLiteral kPlaceable =
    "only on an op other than a module, function or terminator";

/// Arguments of functions may have these attributes, too.
static const ipu::DialectAttribute kArgumentPlacement[] = {
    {PopDialect::kVgraphAttrName, isOnPlaceable, kPlaceable, isIndex,
     "to be an i64 of at least 0"},
    {PopDialect::kStageAttrName, isOnPlaceable, kPlaceable, isIndex,
     "to be an i64 of at least 0"},
    {PopDialect::kPhaseAttrName, isOnPlaceable, kPlaceable, isPhase,
     "to be an i64 of at least -1"},
    {PopDialect::kBatchPhaseAttrName, isOnPlaceable, kPlaceable, isPhase,
     "to be an i64 of at least -1"},
    {PopDialect::kTileSetAttrName, isOnPlaceable, kPlaceable,
     ipu::isAttribute<TileSetAttr>, "to be a '#pop<tile_set ...>'"},
    {kBatchAxisAttrName, isOnPlaceable, kPlaceable, isIndex,
     "to be an i64 of at least 0"},
};

static const ipu::DialectAttribute kAttributes[] = {
    {PopDialect::kRecomputeAttrName, isOnPlaceable, kPlaceable,
     ipu::isAttribute<RecomputeKindAttr>, "to be a '#pop<recompute ...>'"},
    {PopDialect::kExecutionContextAttrName, isOnPlaceable, kPlaceable,
     ipu::isAttribute<ExecutionContextAttr>,
     "to be a '#pop<execution_context ...>'"},
    {kTrainingRoleAttrName, isOnPlaceable, kPlaceable, isTrainingRole,
     R"(to be "backward", "recomputed" or "update")"},
    {kSchedulePriorityAttrName, isOnPlaceable, kPlaceable, isPriority,
     "to be an i64"},
    {kSerializeAttrName, ipu::isOp<MatmulOp>, "only on a 'pop.matmul'",
     isMatmulSerialization,
     "to be a dictionary with a 'mode' ('input_channels', 'reducing_dim' or "
     "'output_channels'), a positive i64 'factor', and at most the unit "
     "attribute 'limit' in addition"},
    {PopDialect::kOverlapsComputeAttrName, ipu::isOp<RemoteCodeLoadOp>,
     "only on a 'pop.remote_code_load'", ipu::isAttribute<UnitAttr>,
     "to be a unit attribute"},
    {PopDialect::kReplicaEqualAttrName, /*isInPlace=*/nullptr, "",
     isArrayOfPartitions, "to be an array of '#pop.replica_partition<...>'"},
    {PopDialect::kReplicaEqualOperandsAttrName, /*isInPlace=*/nullptr, "",
     isArrayOfPartitions, "to be an array of '#pop.replica_partition<...>'"},
    {PopDialect::kReplicaEqualModifiedAttrName, /*isInPlace=*/nullptr, "",
     isArrayOfPartitions, "to be an array of '#pop.replica_partition<...>'"},
    {PopDialect::kStochasticRoundingAttrName, ipu::isOp<ModuleOp>,
     "on a module only", ipu::isAttribute<StochasticRoundingAttr>,
     "to be a '#pop.stochastic_rounding<...>'"},
    {PopDialect::kStochasticRoundingMethodAttrName, /*isInPlace=*/nullptr, "",
     ipu::isAttribute<StochasticRoundingMethodAttr>,
     "to be a '#pop.stochastic_rounding_method<...>'"},
    {PopDialect::kDrawAttrName, isOnPlaceable, "only on an op that may round",
     ipu::isAttribute<DrawAttr>, "to be a '#pop.draw<...>'"},
    {PopDialect::kCustomGradientAttrName, isFunction, "only on a function",
     ipu::isAttribute<FlatSymbolRefAttr>, "to be the symbol of a function"},
    {PopDialect::kMaxTripCountAttrName, isLoop, "only on a loop",
     ipu::isPositiveI64, "to be a positive i64"},
    {kMergeGroupAttrName, isLoop, "only on a loop",
     ipu::isAttribute<StringAttr>, "to be a string"},
    {PopDialect::kOptimizerAttrName, isTrainable,
     "only on a function or a variable", ipu::isAttribute<OptimizerAttr>,
     "to be a '#pop.optimizer<...>'"},
    {kStepShardingAttrName, ipu::isOp<OptimizerStepOp>,
     "only on a 'pop.optimizer_step'", ipu::isAttribute<ReplicaGroupsAttr>,
     "to be a '#pop.replica_groups<...>'"},
    {PopDialect::kClipNormsAttrName, isFunction, "only on a function",
     isArrayOfClipNorms, "to be an array of '#pop.clip_norm<...>'"},
    {PopDialect::kHostTransfersAttrName, ipu::isOp<ModuleOp>,
     "on a module only", ipu::isPositiveI64, "to be a positive i64"},
};

/// Null if `table` has no such attribute.
static const ipu::DialectAttribute *
findAttribute(ArrayRef<ipu::DialectAttribute> table, NamedAttribute attribute) {
  const auto *row = llvm::find_if(
      table, [&](const auto &row) { return row.name == attribute.getName(); });
  return row == table.end() ? nullptr : row;
}

namespace {
/// An attribute that arguments or results of functions may have.
struct ValueAttribute {
  StringLiteral name;
  bool isOfArguments;
  bool isOfResults;
  bool (*isValid)(Attribute value);
  const char *expected;
};
} // namespace

template <typename AttrT>
static bool isOf(Attribute value) {
  return isa<AttrT>(value);
}

static const ValueAttribute kValueAttributes[] = {
    {PopDialect::kNameAttrName, true, true, isOf<StringAttr>, "a string"},
    {PopDialect::kGradientOfAttrName, true, true, isOf<GraphValueAttr>,
     "a '#pop.graph_value<...>'"},
    {PopDialect::kForwardValueAttrName, true, true, isOf<GraphValueAttr>,
     "a '#pop.graph_value<...>'"},
    {PopDialect::kUpdatesAttrName, false, true, isOf<GraphValueAttr>,
     "a '#pop.graph_value<...>'"},
    {PopDialect::kAnchorAttrName, false, true, isOf<AnchorAttr>,
     "a '#pop.anchor<...>'"},
    {PopDialect::kOptimizerAttrName, true, false, isOf<OptimizerAttr>,
     "a '#pop.optimizer<...>'"},
    {PopDialect::kGroupsAttrName, true, false, isOf<ReplicaGroupsAttr>,
     "a '#pop.replica_groups<...>'"},
};

/// Checks an attribute of a function's argument or result.
static LogicalResult verifyValueAttribute(Operation *op, bool isArgument,
                                          NamedAttribute attribute) {
  StringRef what = isArgument ? "argument" : "result";
  const auto *row =
      llvm::find_if(kValueAttributes, [&](const ValueAttribute &row) {
        return row.name == attribute.getName() &&
               (isArgument ? row.isOfArguments : row.isOfResults);
      });
  if (row == std::end(kValueAttributes))
    return op->emitOpError()
           << "has unknown " << what << " attribute '"
           << attribute.getName().getValue() << "' of dialect 'pop'";
  if (!row->isValid(attribute.getValue()))
    return op->emitOpError()
           << "expects " << what << " attribute '" << row->name << "' to be "
           << row->expected << " but got " << attribute.getValue();
  return success();
}

/// Checks the value that an argument of `type` has where the host gives none.
static LogicalResult verifyDefault(Operation *op, Type type, Attribute value) {
  auto elements = dyn_cast<ElementsAttr>(value);
  if (elements && elements.getType() == type)
    return success();
  InFlightDiagnostic diag = op->emitOpError();
  diag << "argument attribute '" << PopDialect::kDefaultAttrName
       << "' expects elements of type " << type << " but got ";
  // Those of another type may be many.
  if (elements)
    return diag << "elements of type " << elements.getType();
  return diag << value;
}

LogicalResult PopDialect::verifyRegionArgAttribute(Operation *op, unsigned,
                                                   unsigned index,
                                                   NamedAttribute attribute) {
  if (attribute.getName() == kDefaultAttrName)
    return verifyDefault(
        op, cast<FunctionOpInterface>(op).getArgumentTypes()[index],
        attribute.getValue());
  if (attribute.getName() == kReplicaEqualAttrName) {
    if (isa<ReplicaPartitionAttr>(attribute.getValue()))
      return success();
    return op->emitOpError()
           << "argument attribute '" << kReplicaEqualAttrName
           << "' expects a '#pop.replica_partition<...>' but got "
           << attribute.getValue();
  }
  if (const ipu::DialectAttribute *row =
          findAttribute(kArgumentPlacement, attribute)) {
    if (row->isValid(op, attribute.getValue()))
      return success();
    return op->emitOpError()
           << "expects argument attribute '" << row->name << "' "
           << row->expected << " but got " << attribute.getValue();
  }
  return verifyValueAttribute(op, /*isArgument=*/true, attribute);
}

LogicalResult
PopDialect::verifyRegionResultAttribute(Operation *op, unsigned, unsigned,
                                        NamedAttribute attribute) {
  return verifyValueAttribute(op, /*isArgument=*/false, attribute);
}

LogicalResult PopDialect::verifyOperationAttribute(Operation *op,
                                                   NamedAttribute attribute) {
  bool isPlacement = findAttribute(kArgumentPlacement, attribute);
  return ipu::verifyDialectAttribute(op, attribute,
                                     isPlacement ? ArrayRef(kArgumentPlacement)
                                                 : ArrayRef(kAttributes),
                                     "expects ");
}

int64_t mlir::pop::getHostTransfers(StreamOp stream) {
  if (IntegerAttr own = stream.getTransfersAttr())
    return own.getInt();
  auto value = stream->getParentOfType<ModuleOp>()->getAttrOfType<IntegerAttr>(
      PopDialect::kHostTransfersAttrName);
  return value ? value.getInt() : 1;
}

LogicalResult mlir::pop::detail::verifyInferredType(Operation *op) {
  auto inferring = cast<InferTypeOpInterface>(op);
  SmallVector<Type> inferred;
  if (failed(inferring.inferReturnTypes(
          op->getContext(), op->getLoc(), op->getOperands(),
          op->getRawDictionaryAttrs(), op->getPropertiesStorage(),
          op->getRegions(), inferred)))
    return failure();
  if (inferring.isCompatibleReturnTypes(inferred, op->getResultTypes()))
    return success();
  InFlightDiagnostic error = op->emitOpError() << "expects ";
  if (inferred.size() != op->getNumResults())
    return error << inferred.size()
                 << (inferred.size() == 1 ? " result" : " results")
                 << " but got " << op->getNumResults();
  if (inferred.size() == 1)
    return error << "`result` of type " << inferred.front() << " but got "
                 << op->getResult(0).getType();
  return error << "results of types " << inferred << " but got "
               << op->getResultTypes();
}

//===----------------------------------------------------------------------===//
// Types and attributes
//===----------------------------------------------------------------------===//

bool mlir::pop::isPopElementType(Type type) {
  if (isa<Float16Type, BFloat16Type, Float32Type, Float64Type, Float8E4M3FNType,
          Float8E4M3FNUZType, Float8E5M2Type, Float8E5M2FNUZType>(type))
    return true;
  auto integer = dyn_cast<IntegerType>(type);
  if (!integer || integer.isSigned())
    return false;
  unsigned width = integer.getWidth();
  return width == 8 || width == 16 || width == 32 || width == 64 ||
         (width == 1 && integer.isSignless());
}

bool mlir::pop::isPopShape(ArrayRef<int64_t> shape) {
  return ipu::isAddressableShape(shape);
}

LogicalResult AccumAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                AccumOrder order, int64_t block, int64_t lanes,
                                int64_t group, DenseI64ArrayAttr kernel,
                                Type partials, DenseI64ArrayAttr box) {
  if (order == AccumOrder::Blocked) {
    // c1
    if (block < 1 || block > kMaxBlock)
      return emitError() << "expects `block` between 1 and " << kMaxBlock
                         << " but got " << block;
    if (lanes < 1 || !llvm::isPowerOf2_64(lanes) || block % lanes != 0)
      return emitError() << "expects `lanes` to be a power of two that divides "
                         << block << " but got " << lanes;
    // c3
    if (group != 0 && (lanes != 1 || group < 2 || group > kMaxParts))
      return emitError() << "expects `group` between 2 and " << kMaxParts
                         << " and `lanes` 1 but got `group` " << group
                         << " and `lanes` " << lanes;
    // c4
    if (kernel && (lanes != 1 || llvm::any_of(kernel.asArrayRef(),
                                              [](auto k) { return k < 1; })))
      return emitError()
             << "expects positive values in `kernel` and `lanes` 1 but got "
                "`kernel` "
             << kernel << " and `lanes` " << lanes;
    // c5
    if (partials && (lanes != 1 || !partials.isF16()))
      return emitError()
             << "expects `partials` f16 and `lanes` 1 but got `partials` "
             << partials << " and `lanes` " << lanes;
    // c6
    if (box && (lanes != 1 || group != 0 || kernel || partials))
      return emitError() << "expects `box` with `lanes` 1 and without `group`, "
                            "`kernel` and `partials`";
    auto isSize = [](int64_t size) { return size >= 1 && size <= kMaxBlock; };
    ArrayRef<int64_t> sizes = box ? box.asArrayRef() : ArrayRef<int64_t>();
    if (const auto *wrong = llvm::find_if_not(sizes, isSize);
        wrong != sizes.end())
      return emitError() << "expects values between 1 and " << kMaxBlock
                         << " in `box` but got " << *wrong;
    return success();
  }
  // c2
  if (block != 0 || lanes != 0 || group != 0 || kernel || partials || box)
    return emitError() << "expects `chain` to be without `block`, `lanes`, "
                          "`group`, `kernel`, `partials` and `box`";
  return success();
}
