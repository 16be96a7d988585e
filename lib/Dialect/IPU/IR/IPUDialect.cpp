//===- IPUDialect.cpp - The ipu dialect -------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "IPUDetail.h"

#include "ipu-mlir/Dialect/IPU/IR/IPUControl.h"
#include "ipu-mlir/Dialect/IPU/IR/ModuleTarget.h"
#include "ipu-mlir/Interfaces/RandomInterfaces.h"
#include "ipu-mlir/Interfaces/ShapeLimits.h"
#include "ipu-mlir/Support/ContextCaches.h"
#include "ipu-mlir/Support/DialectAttributes.h"

#include "mlir/IR/DialectImplementation.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::ipu;

#include "ipu-mlir/Dialect/IPU/IR/IPUDialect.cpp.inc"
#include "ipu-mlir/Dialect/IPU/IR/IPUInterfaces.cpp.inc"

namespace {
/// Prints maps as aliases, so that types stay readable.
struct AsmInterface : OpAsmDialectInterface {
  using OpAsmDialectInterface::OpAsmDialectInterface;

  AliasResult getAlias(Attribute attribute, raw_ostream &os) const override {
    if (!isa<TileMappingAttr>(attribute))
      return AliasResult::NoAlias;
    os << "tiles";
    return AliasResult::OverridableAlias;
  }
};

struct RandomOpBuilder : RandomOpBuilderInterface {
  using RandomOpBuilderInterface::RandomOpBuilderInterface;

  Value buildElementNumber(OpBuilder &b, Location loc, Value buffer,
                           ValueRange indices) const override {
    return ElementNumberOp::create(b, loc, b.getI32Type(), buffer, indices);
  }
  ValueRange buildPhilox(OpBuilder &b, Location loc, ValueRange key,
                         ValueRange counter) const override {
    return PhiloxOp::create(b, loc, key[0], key[1], counter[0], counter[1],
                            counter[2], counter[3])
        ->getResults();
  }
};
} // namespace

void IPUDialect::initialize() {
  addInterfaces<AsmInterface, ContextCaches, RandomOpBuilder>();
  registerAttributes();
  addOperations<
#define GET_OP_LIST
#include "ipu-mlir/Dialect/IPU/IR/IPUOps.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "ipu-mlir/Dialect/IPU/IR/IPUControlOps.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "ipu-mlir/Dialect/IPU/IR/IPUStorageOps.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "ipu-mlir/Dialect/IPU/IR/IPUReplicaOps.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "ipu-mlir/Dialect/IPU/IR/IPURandomOps.cpp.inc"
      >();
}

/// Checks that `attribute` is a tile mapping for a tensor of type `type`.
static LogicalResult verifyTileMappingAttribute(Operation *op, StringRef what,
                                                Attribute attribute,
                                                Type type) {
  auto mapping = dyn_cast<TileMappingAttr>(attribute);
  if (!mapping)
    return op->emitOpError()
           << what << "attribute '" << IPUDialect::kTileMappingAttrName
           << "' expects a #ipu.map but got " << attribute;
  auto shaped = dyn_cast<ShapedType>(type);
  if (!shaped || !shaped.hasStaticShape() ||
      shaped.getNumElements() != mapping.getNumElements())
    return op->emitOpError()
           << what << "attribute '" << IPUDialect::kTileMappingAttrName
           << "' expects a tensor of " << mapping.getNumElements()
           << " elements, like its domain, but got " << type;
  return ipu::detail::verifyTiles(op, mapping, what);
}

/// How many elements a symbol has is known only where its storage is made.
static bool isMappedSymbol(Operation *op, Attribute value) {
  return isa<SymbolOpInterface>(op) && isa<TileMappingAttr>(value);
}

/// All results of an op that a codelet computes have the tile mapping of the
/// first one.
static bool hasMappedTensor(Operation *op, Attribute value) {
  return isMappedSymbol(op, value) || op->getNumResults() == 1 ||
         (isa<CodeletOpInterface>(op) && op->getNumResults() > 0);
}

static LogicalResult verifyMapOfOp(Operation *op, Attribute value) {
  if (isMappedSymbol(op, value))
    return ipu::detail::verifyTiles(op, cast<TileMappingAttr>(value));
  return verifyTileMappingAttribute(op, "", value, op->getResult(0).getType());
}

static bool isRngGenerator(Operation *, Attribute value) {
  return isa<RngGeneratorAttr>(value);
}

static bool isReplicaPartition(Operation *, Attribute value) {
  return isa<ReplicaPartitionAttrInterface>(value);
}

static bool isShare(Operation *, Attribute value) {
  auto share = dyn_cast<FloatAttr>(value);
  return share && share.getType().isF64() && share.getValueAsDouble() >= 0 &&
         share.getValueAsDouble() <= 1;
}

static bool mayHaveOrigins(Operation *op, Attribute) {
  return isa<StepOpInterface>(op) ||
         isa_and_nonnull<StepOpInterface>(op->getParentOp());
}

static bool isListOfOrigins(Operation *, Attribute value) {
  auto list = dyn_cast<ArrayAttr>(value);
  return list && !list.empty() && llvm::all_of(list, llvm::IsaPred<OriginAttr>);
}

static const DialectAttribute kAttributes[] = {
    {IPUDialect::kTargetAttrName, isOp<ModuleOp>, "belongs on a module",
     isAttribute<TargetAttr>, "expects a #ipu.target"},
    {IPUDialect::kHostTransfersAttrName, isOp<ModuleOp>, "belongs on a module",
     isPositiveI64, "expects a positive i64"},
    {IPUDialect::kRngAttrName, isOp<ModuleOp>, "belongs on a module",
     isRngGenerator, "expects a #ipu<rng_generator ...>"},
    {IPUDialect::kReplicaEqualAttrName, /*isInPlace=*/nullptr, "",
     isReplicaPartition, "expects a #pop.replica_partition"},
    {IPUDialect::kTileMappingAttrName, hasMappedTensor,
     "belongs on an op with one result, on an op of a codelet or on a variable",
     /*isValid=*/nullptr, "", verifyMapOfOp},
    {IPUDialect::kAvailableMemoryAttrName, /*isInPlace=*/nullptr, "", isShare,
     "expects an f64 from 0 to 1"},
    {IPUDialect::kOriginsAttrName, mayHaveOrigins,
     "belongs on a step or on an op in a step", isListOfOrigins,
     "expects a list of #ipu.origin"},
    {IPUDialect::kMemoryAttrName, isOp<FunctionOpInterface>,
     "belongs on a function", isAttribute<MemorySummaryAttr>,
     "expects a #ipu.memory_summary"},
};

LogicalResult IPUDialect::verifyOperationAttribute(Operation *op,
                                                   NamedAttribute attribute) {
  return verifyDialectAttribute(op, attribute, kAttributes);
}

LogicalResult IPUDialect::verifyRegionArgAttribute(Operation *op, unsigned,
                                                   unsigned argument,
                                                   NamedAttribute attribute) {
  auto function = dyn_cast<FunctionOpInterface>(op);
  if (attribute.getName() != kTileMappingAttrName || !function)
    return op->emitOpError()
           << "has unknown argument attribute '"
           << attribute.getName().getValue() << "' of dialect 'ipu'";
  return verifyTileMappingAttribute(op, "argument ", attribute.getValue(),
                                    function.getArgumentTypes()[argument]);
}

LogicalResult IPUDialect::verifyRegionResultAttribute(
    Operation *op, unsigned, unsigned result, NamedAttribute attribute) {
  auto function = dyn_cast<FunctionOpInterface>(op);
  if (attribute.getName() != kTileMappingAttrName || !function)
    return op->emitOpError()
           << "has unknown result attribute '" << attribute.getName().getValue()
           << "' of dialect 'ipu'";
  return verifyTileMappingAttribute(op, "result ", attribute.getValue(),
                                    function.getResultTypes()[result]);
}

//===----------------------------------------------------------------------===//
// Helpers of IPU.h
//===----------------------------------------------------------------------===//

/// MLIR has no strides for a memref without elements whose layout is the
/// identity.
static bool isEmptyAndWhole(MemRefType type) {
  return type.getNumElements() == 0 && type.getLayout().isIdentity();
}

bool mlir::ipu::isVariableType(Type type) {
  auto memref = dyn_cast<MemRefType>(type);
  if (!memref || !memref.hasStaticShape() ||
      !memref.getElementType().isIntOrFloat() ||
      !isAddressableShape(memref.getShape()) ||
      !isa_and_nonnull<TileMappingAttr>(memref.getMemorySpace()))
    return false;
  if (isEmptyAndWhole(memref))
    return true;
  SmallVector<int64_t> strides;
  int64_t offset;
  return succeeded(memref.getStridesAndOffset(strides, offset)) &&
         ShapedType::isStatic(offset) && ShapedType::isStaticShape(strides);
}

TileMappingAttr mlir::ipu::getTileMapping(MemRefType type) {
  return cast<TileMappingAttr>(type.getMemorySpace());
}

StridedView mlir::ipu::getStridedView(MemRefType type) {
  if (isEmptyAndWhole(type))
    return StridedView::identity(type.getShape());
  StridedView view;
  view.sizes = llvm::to_vector(type.getShape());
  // Types of variables are strided: see isVariableType.
  (void)type.getStridesAndOffset(view.strides, view.offset);
  return view;
}

VarOp mlir::ipu::getVariable(Value value) {
  while (auto view = value.getDefiningOp<memref::ReinterpretCastOp>())
    value = view.getSource();
  return value.getDefiningOp<VarOp>();
}

TargetModel mlir::ipu::getTargetModel(Operation *op) {
  auto module =
      isa<ModuleOp>(op) ? cast<ModuleOp>(op) : op->getParentOfType<ModuleOp>();
  TargetAttr target;
  if (module)
    target = module->getAttrOfType<TargetAttr>(IPUDialect::kTargetAttrName);
  return target ? target.getModel() : *TargetModel::getPreset(kDefaultPreset);
}

std::string mlir::ipu::joinSymbols(ArrayAttr symbols) {
  return llvm::join(
      llvm::map_range(symbols.getAsRange<FlatSymbolRefAttr>(),
                      [](FlatSymbolRefAttr name) { return name.getValue(); }),
      ", ");
}

Type mlir::ipu::getStorageElementType(Type type) {
  Type element = getElementTypeOrSelf(type);
  if (element.isUnsignedInteger() || element.isSignedInteger())
    return IntegerType::get(type.getContext(), element.getIntOrFloatBitWidth());
  return element;
}
