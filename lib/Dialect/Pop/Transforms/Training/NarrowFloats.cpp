//===- NarrowFloats.cpp - Computation in f16 --------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: a function that computes in f32. Out: the same function, where
// contractions, and the ops that only forward their results, are in f16, with
// casts at the borders. On request, softmax, gelu and normalisations compute in
// f16 as well.
//
//===----------------------------------------------------------------------===//

#include "GradientOps.h"
#include "InitialStates.h"
#include "TrainedFunction.h"
#include "ipu-mlir/Dialect/Pop/Transforms/ValueSources.h"

#include "ipu-mlir/Dialect/Pop/IR/Placement.h"
#include "ipu-mlir/Dialect/Pop/IR/PopUtils.h"
#include "ipu-mlir/Dialect/Pop/Transforms/Passes.h"
#include "ipu-mlir/Support/LocationName.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

namespace mlir::pop {
#define GEN_PASS_DEF_NARROWFLOATSPASS
#include "ipu-mlir/Dialect/Pop/Transforms/Passes.h.inc"
} // namespace mlir::pop

using namespace mlir;
using namespace mlir::pop;

static bool isWide(Value value) {
  return isa<RankedTensorType>(value.getType()) &&
         getElementTypeOrSelf(value).isF32();
}

/// Whether each element of the result is computed from one element of each
/// operand, or is one.
static bool isElementwiseOrMove(Operation *op) {
  return op->hasTrait<OpTrait::Elementwise>() || op->hasTrait<Broadcasting>() ||
         isa<ipu::TileViewOpInterface, ipu::TileMoveOpInterface, MaxPoolOp>(op);
}

namespace {
class Narrower {
public:
  Narrower(func::FuncOp function, bool narrowsFunctions)
      : function(function), narrowsFunctions(narrowsFunctions),
        sources(function->getParentOfType<ModuleOp>()) {}

  void run() {
    SmallVector<Operation *> ops;
    function.walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (op != function)
        ops.push_back(op);
    });
    for (Operation *op : ops)
      if (isNarrowed(op))
        narrow(op);
    // Nothing reads in f32 what all users take in f16.
    for (Operation *copy : llvm::reverse(wideCopies.getArrayRef()))
      if (copy->use_empty())
        copy->erase();
    for (CastOp cast : llvm::reverse(widened.getArrayRef()))
      if (cast->use_empty())
        cast.erase();
  }

  /// Keeps the weights that the function reads in f16, too.
  LogicalResult narrowVariables(SymbolTableCollection &symbols);

private:
  bool isNarrowed(Operation *op) const;
  bool isNarrowedElementwise(Operation *op) const;
  void narrow(Operation *op);
  void narrow(OpOperand &operand);
  void narrow(OpResult result);
  /// Whether `value` is one in f16 that was cast for users in f32.
  bool isComputedNarrow(Value value) const {
    return widened.contains(value.getDefiningOp<CastOp>());
  }
  Value getNarrow(Value value, Operation *user);
  Value copyNarrow(OpResult result);
  CastOp castAfter(Value value, FloatType element);
  void widen(Value value);

  func::FuncOp function;
  bool narrowsFunctions;
  ValueSources sources;
  /// The value in f16 of a value in f32. A constant has one for each schedule
  /// of its users.
  llvm::DenseMap<std::pair<Value, Attribute>, Value> narrowOf;
  llvm::SetVector<CastOp> widened;
  /// Copies of values in f32 that also exist in f16.
  llvm::SetVector<Operation *> wideCopies;
};
} // namespace

/// Constants and weights are of the type that what they meet is of.
static bool takesAnyType(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    if (op->hasTrait<OpTrait::ConstantLike>() || isa<ReadOp>(op))
      return true;
    if (isa<PlacementOpInterface>(op)) {
      value = op->getOperand(cast<OpResult>(value).getResultNumber());
      continue;
    }
    if (!isa<ipu::TileViewOpInterface>(op) || op->getNumOperands() != 1)
      return false;
    value = op->getOperand(0);
  }
  return false;
}

/// Returns whether all readers of the results of `op` are sums, which are
/// accumulated in f32.
static bool isOnlySummed(Operation *op) {
  return llvm::all_of(op->getUsers(), [](Operation *user) {
    if (isa<PlacementOpInterface>(user))
      return isOnlySummed(user);
    auto reduce = dyn_cast<ReduceOp>(user);
    return reduce && llvm::is_contained({ReduceKind::Sum, ReduceKind::Mean},
                                        reduce.getKind());
  });
}

/// Returns whether an element of `operand` is used for several elements of the
/// result of `op`, as the mean of a row is.
static bool isRepeated(Value operand, Operation *op) {
  auto type = cast<RankedTensorType>(operand.getType());
  auto result = dyn_cast<RankedTensorType>(op->getResult(0).getType());
  return op->hasTrait<Broadcasting>() && result &&
         type.getNumElements() < result.getNumElements();
}

bool Narrower::isNarrowedElementwise(Operation *op) const {
  // Programs say themselves what they cast.
  if (!isElementwiseOrMove(op) || isa<CastOp, ReadOp>(op))
    return false;
  bool hasNarrow = false;
  for (Value operand : op->getOperands()) {
    if (!isWide(operand))
      continue;
    bool isNarrow = isComputedNarrow(operand);
    if (!isNarrow && !takesAnyType(operand) &&
        !(narrowsFunctions && isRepeated(operand, op)))
      return false;
    hasNarrow |= isNarrow;
  }
  return hasNarrow && !(narrowsFunctions && isOnlySummed(op));
}

bool Narrower::isNarrowed(Operation *op) const {
  if (isContraction(op))
    return llvm::all_of(op->getOperands(), isWide);
  if (narrowsFunctions && isa<ComputeOpInterface>(op))
    return isComputedNarrow(op->getOperand(0));
  return isNarrowedElementwise(op);
}

/// The location of a cast of `value`. The cost of a cast of a weight is not a
/// part of the cost of an op of the model.
static Location getLocOfCast(Value value) {
  Location loc = value.getLoc();
  StringAttr name = ipu::getLocationName(loc);
  if (auto read = value.getDefiningOp<ReadOp>())
    if (auto get = read.getTarget().getDefiningOp<GetVariableOp>())
      name = get.getVariableAttr().getAttr();
  bool isWeight = isa<BlockArgument>(value) || value.getDefiningOp<ReadOp>();
  return isWeight && name
             ? ipu::getNamedLoc(("cast of " + name.getValue()).str(), loc)
             : loc;
}

Value Narrower::getNarrow(Value value, Operation *user) {
  // A constant is on the IPUs of its users, and so are its casts.
  DictionaryAttr schedule;
  if (matchPattern(value, m_Constant()) && !hasSchedule(value.getDefiningOp()))
    schedule = getSchedule(user);
  if (Value narrow = narrowOf.lookup({value, schedule}))
    return narrow;
  auto result = dyn_cast<OpResult>(value);
  Value narrow = result && isa<PlacementOpInterface>(result.getOwner())
                     ? copyNarrow(result)
                     : castAfter(value, Float16Type::get(value.getContext()));
  if (schedule)
    inheritSchedule(user, narrow.getDefiningOp());
  return narrowOf[{value, schedule}] = narrow;
}

/// Returns a copy in f16 of the source of `result`, which is a copy on another
/// IPU or tile set. So placement does not change what is cast, and where in the
/// order of the program.
Value Narrower::copyNarrow(OpResult result) {
  Operation *source = result.getOwner();
  unsigned number = result.getResultNumber();
  Value input = getNarrow(source->getOperand(number), source);
  OpBuilder b(function.getContext());
  b.setInsertionPointAfter(source);
  Operation *copy;
  if (auto between = dyn_cast<IpuCopyOp>(source))
    copy = IpuCopyOp::create(b, source->getLoc(), input,
                             between.getSources()[number],
                             between.getDestination());
  else
    copy = IoTileCopyOp::create(b, source->getLoc(), input,
                                cast<IoTileCopyOp>(source).getDestination());
  copy->setDiscardableAttrs(source->getDiscardableAttrDictionary());
  wideCopies.insert(source);
  return copy->getResult(0);
}

/// Casts `value` where it is.
CastOp Narrower::castAfter(Value value, FloatType element) {
  OpBuilder b(function.getContext());
  b.setInsertionPointAfterValue(value);
  auto type = cast<RankedTensorType>(value.getType());
  auto cast =
      CastOp::create(b, getLocOfCast(value), type.clone(element), value);
  inheritSchedule(value, cast, sources);
  if (TileSet set = getTileSet(value); set != TileSet::Compute)
    cast->setAttr(PopDialect::kTileSetAttrName,
                  TileSetAttr::get(b.getContext(), set));
  return cast;
}

/// Lets users of `value`, in f16, have it in f32.
void Narrower::widen(Value value) {
  CastOp cast = castAfter(value, Float32Type::get(value.getContext()));
  value.replaceAllUsesExcept(cast, cast);
  narrowOf[{cast, Attribute()}] = value;
  widened.insert(cast);
}

void Narrower::narrow(OpOperand &operand) {
  if (isWide(operand.get()))
    operand.set(getNarrow(operand.get(), operand.getOwner()));
}

void Narrower::narrow(OpResult result) {
  if (!isWide(result))
    return;
  auto type = cast<RankedTensorType>(result.getType());
  result.setType(type.clone(Float16Type::get(result.getContext())));
  widen(result);
}

void Narrower::narrow(Operation *op) {
  // Other operands and results are statistics and factors of channels.
  if (narrowsFunctions && isa<ComputeOpInterface>(op)) {
    narrow(op->getOpOperand(0));
    narrow(op->getOpResult(0));
    return;
  }
  for (OpOperand &operand : op->getOpOperands())
    narrow(operand);
  for (OpResult result : op->getResults())
    narrow(result);
}

/// Whether all uses of a variable's ref read all of it.
static bool isOnlyRead(GetVariableOp get) {
  return llvm::all_of(get->getUsers(), llvm::IsaPred<ReadOp>);
}

LogicalResult Narrower::narrowVariables(SymbolTableCollection &symbols) {
  auto module = function->getParentOfType<ModuleOp>();
  llvm::MapVector<VariableOp, SmallVector<GetVariableOp>> uses;
  module.walk([&](GetVariableOp get) {
    if (auto variable = symbols.lookupNearestSymbolFrom<VariableOp>(
            get, get.getVariableAttr()))
      uses[variable].push_back(get);
  });
  Type f16 = Float16Type::get(function.getContext());
  for (auto &[variable, gets] : uses) {
    if (!variable.getTensorType().getElementType().isF32() ||
        !llvm::all_of(gets, [&](GetVariableOp get) {
          return isOnlyRead(get) &&
                 get->getParentOfType<func::FuncOp>() == function;
        }))
      continue;
    ElementsAttr value = variable.getValue();
    value = getScaled(
        value, cast<RankedTensorType>(value.getShapedType().clone(f16)), 1.0);
    if (!value)
      return variable.emitOpError()
             << "expects a dense or dense_resource value to round but got "
             << variable.getValue();
    variable.setValueAttr(value);
    variable.setType(variable.getTensorType().clone(f16));
    for (GetVariableOp get : gets) {
      get.getResult().setType(RefType::get(variable.getDeviceType()));
      for (Operation *user : get->getUsers()) {
        Value read = cast<ReadOp>(user).getResult();
        read.setType(variable.getDeviceType());
        widen(read);
      }
    }
  }
  return success();
}

namespace {
struct NarrowFloatsPass : pop::impl::NarrowFloatsPassBase<NarrowFloatsPass> {
  using NarrowFloatsPassBase::NarrowFloatsPassBase;

  void runOnOperation() override {
    FailureOr<func::FuncOp> found =
        getTrainedFunction(getOperation(), function, getArgument());
    if (failed(found))
      return signalPassFailure();
    Narrower narrower(*found, functions);
    SymbolTableCollection symbols;
    if (weights && failed(narrower.narrowVariables(symbols)))
      return signalPassFailure();
    narrower.run();
    if (functions)
      setComputeF16(*found);
  }
};
} // namespace
